// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_JOIN_GATHERS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_JOIN_GATHERS_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::partition {

// An all_gather of what a redistribution made for it alone becomes one redistribution with it, if
// elements do not move along the dimension that is gathered: they go to where they are needed at
// once. Not among many devices, since a redistribution lists what goes from each to each.
void JoinGathers(Module& module);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_JOIN_GATHERS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SPLIT_FFTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SPLIT_FFTS_H_

#include "reference_plugin/compiler/partition/propagate.h"

namespace plinth::compiler::partition {

// FFTs over several dimensions of which some are spread become one per dimension, as far as no
// batch dimension takes their axes: while one dimension is needed whole, the others can be spread.
// Of the values in between nothing is said.
void SplitFfts(Module& module, PropagatedShardings& shardings);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SPLIT_FFTS_H_

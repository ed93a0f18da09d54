// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SPLIT_CONSTANTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SPLIT_CONSTANTS_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::partition {

// Gives every use of what is computed from constants alone, and of a scalar as an array, a copy of
// its own, so that each is spread as its user is. Scalars stay as they are.
void SplitConstants(Module& module);

// Whether Shardy takes the op for elementwise.
bool IsElementwiseOp(const Op& op);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SPLIT_CONSTANTS_H_

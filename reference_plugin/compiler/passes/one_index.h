// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_ONE_INDEX_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_ONE_INDEX_H_

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler::passes {

// What stands for a gather of one index vector, as `x[i, :, j]` makes it: a slice at a dynamic
// index, which kernels read with what they compute of it. Null for other gathers.
//
// A scatter of one index stays: the library's step writes a few elements faster than a kernel that
// has to ask whether the index is inside.
Value* ExpandGatherOfOneIndex(Builder& builder, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_ONE_INDEX_H_

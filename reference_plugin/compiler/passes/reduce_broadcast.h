// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_REDUCE_BROADCAST_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_REDUCE_BROADCAST_H_

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler::passes {

// What stands for a reduction over dimensions along which all elements are equal, because the
// operand is a broadcast or a splat: the largest of n equal elements is the element, and their sum
// n times the element. Other dimensions are reduced before. Null for other reductions.
Value* ExpandReduceOfBroadcast(Builder& builder, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_REDUCE_BROADCAST_H_

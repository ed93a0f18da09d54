// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_REDUCE_CONCATENATE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_REDUCE_CONCATENATE_H_

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler::passes {

// What stands for a reduction of a few arrays that were stacked for it: one op after the other on
// these, in their order. Null for other reductions.
Value* ExpandReduceOfConcatenate(Builder& builder, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_REDUCE_CONCATENATE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SHORT_REDUCE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SHORT_REDUCE_H_

#include <vector>

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler::passes {

// What a reduce of several arrays at once (an argmax) over few elements gives, as its combiner on
// whole arrays of the first elements, the second and so on; empty where it stays. jnp.select is
// such an argmax over its conditions.
std::vector<Value*> ExpandShortReduce(Builder& builder, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SHORT_REDUCE_H_

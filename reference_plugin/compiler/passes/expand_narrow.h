// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_NARROW_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_NARROW_H_

#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// What stands for a product (dot_general, convolution) that the target does not have
// (Target::products): the same product of other types between conversions. Null for one that it
// has, or where it has none that could stand for it.
Value* ExpandProduct(Builder& builder, const Target& target, const Op& op);

// What stands for a cholesky or triangular_solve of floats that the target does not compute it of
// (Target::factors): the same of f32, rounded once. Null for other types.
Value* ExpandNarrowFactor(Builder& builder, const Target& target, const Op& op);

// The results that stand for those of top_k of elements that the target does not order
// (Target::top_k): the same of a wider type, converted back. Empty for other types.
std::vector<Value*> ExpandNarrowTopK(Builder& builder, const Target& target, const Op& op);

// Indices of gather, scatter, dynamic_slice or dynamic_update_slice that are integers of less than
// a byte become integers of one. Whether there were any.
bool WidenNarrowIndices(Builder& builder, Op& op);

// What stands for a bitcast_convert from or to a type of less than a byte: such elements take a
// byte each in memory, so their bits are put together or taken apart, the lowest first. Null where
// the bytes in memory stay as they are.
Value* ExpandNarrowBitcast(Builder& builder, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_NARROW_H_

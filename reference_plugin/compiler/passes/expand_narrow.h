// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_NARROW_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_NARROW_H_

#include <vector>

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler {

// What stands for a product (dot_general, convolution) of elements that kernels do not multiply or
// sum as the program says: the same product of other types between conversions. Kernels take
// operands of pred, of integers of a byte and more, of floats of 16 bits and more, and of complex
// numbers, and sum them in the operands' type or a wider one of its kind. Null for such products.
Value* ExpandProduct(Builder& builder, const Op& op);

// The results that stand for those of top_k of an 8-bit or narrower float or an integer of less
// than a byte: the same of a wider type, converted back. Empty for other types.
std::vector<Value*> ExpandNarrowTopK(Builder& builder, const Op& op);

// Indices of gather, scatter, dynamic_slice or dynamic_update_slice that are integers of less than
// a byte become integers of one. Whether there were any.
bool WidenNarrowIndices(Builder& builder, Op& op);

// What stands for a bitcast_convert from or to a type of less than a byte: such elements take a
// byte each in memory, so their bits are put together or taken apart, the lowest first. Null where
// the bytes in memory stay as they are.
Value* ExpandNarrowBitcast(Builder& builder, const Op& op);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_NARROW_H_

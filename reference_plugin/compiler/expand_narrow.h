#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_EXPAND_NARROW_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_EXPAND_NARROW_H_

#include "reference_plugin/compiler/builder.h"

namespace plinth::compiler {

// What stands for a product (dot_general, convolution) with operands or results of an 8-bit or
// narrower float or an integer of less than a byte, or with operands of integers and a float
// result: the same product of wider types between conversions. Null for products of other types.
Value* ExpandNarrowProduct(Builder& builder, const Op& op);

// What stands for a bitcast_convert from or to a type of less than a byte: such elements take a
// byte each in memory, so their bits are put together or taken apart, the lowest first. Null where
// the bytes in memory stay as they are.
Value* ExpandNarrowBitcast(Builder& builder, const Op& op);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_EXPAND_NARROW_H_

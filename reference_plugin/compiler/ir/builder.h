// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_BUILDER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_BUILDER_H_

#include <initializer_list>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// The attributes of a constant whose elements are all `value`, rounded to the type.
std::shared_ptr<const Attributes> SplatAttributes(DType dtype, double value);
// The same of exact bits: one element in host form, copied.
std::shared_ptr<const Attributes> SplatAttributes(std::span<const std::byte> element);

// Writes ops one after another to the end of a list, for expansions. Types are the caller's
// responsibility where they are given, and follow from the operands where they are not.
class Builder {
 public:
  Builder(Module& module, std::vector<Op*>& ops, Location location)
      : module_(module), ops_(ops), location_(std::move(location)) {}

  Op* AddOp(Opcode opcode, std::span<Value* const> operands, std::span<const Type> results,
            std::shared_ptr<const Attributes> attributes = nullptr);
  Value* Add(Opcode opcode, std::initializer_list<Value*> operands, Type type,
             std::shared_ptr<const Attributes> attributes = nullptr);
  // Elementwise, of the type of the first operand.
  Value* Unary(Opcode opcode, Value* x) { return Add(opcode, {x}, x->type); }
  Value* Binary(Opcode opcode, Value* a, Value* b) { return Add(opcode, {a, b}, a->type); }
  Value* Compare(ComparisonDirection direction, Value* a, Value* b);
  Value* Select(Value* predicate, Value* on_true, Value* on_false);
  Value* Convert(Value* x, DType dtype);  // x itself if it is of that type
  // A splat of that type.
  Value* Splat(const Type& type, double value);
  Value* SplatLike(Value* x, double value) { return Splat(x->type, value); }
  Value* Reshape(Value* x, const Dims& dims);  // x itself if it has these
  // The elements with this index along a dimension, which stays.
  Value* Take(Value* x, int64_t dim, int64_t index);
  Value* Concatenate(std::span<Value* const> pieces, int64_t dim);
  // `dims`: the result dimension of each operand dimension.
  Value* Broadcast(Value* x, const Dims& result_dims, Dims dims);
  // The sum over these dimensions, ascending.
  Value* ReduceSum(Value* x, Dims dims);

 private:
  Module& module_;
  std::vector<Op*>& ops_;
  Location location_;
};

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_BUILDER_H_

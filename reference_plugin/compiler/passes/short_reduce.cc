// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/short_reduce.h"

#include <algorithm>
#include <unordered_map>

namespace plinth::compiler::passes {
namespace {

// As many as short rows have that are computed column by column.
constexpr int64_t kMostElements = 8;

bool IsElementwiseCode(const Block& region) {
  return std::all_of(region.ops.begin(), region.ops.end(), [&](const Op* op) {
    return op == region.terminator() || op->opcode == Opcode::kConstant ||
           (IsElementwise(op->opcode) && op->results.size() == 1 && op->type().IsScalar());
  });
}

// The scalar code of a combiner on arrays of `dims`.
std::vector<Value*> Combine(Builder& builder, const Block& region, const Dims& dims,
                            std::span<Value* const> left, std::span<Value* const> right) {
  std::unordered_map<const Value*, Value*> arrays;
  for (size_t i = 0; i < left.size(); ++i) {
    arrays[region.arguments[i]] = left[i];
    arrays[region.arguments[left.size() + i]] = right[i];
  }
  const auto array_of = [&](Value* scalar) {
    Value*& array = arrays[scalar];
    // From around the reduction.
    if (array == nullptr) array = builder.Broadcast(scalar, dims, {});
    return array;
  };
  for (const Op* op : region.ops) {
    if (op == region.terminator()) break;
    SmallVector<Value*, 3> operands;
    for (Value* operand : op->operands) operands.push_back(array_of(operand));
    std::shared_ptr<const Attributes> attributes = op->attributes;
    if (op->opcode == Opcode::kConstant) {
      attributes = SplatAttributes(op->Get<ConstantAttributes>().bytes);
    }
    const Type type = Type::Tensor(op->type().dtype, dims);
    arrays[op->result()] =
        builder.AddOp(op->opcode, operands, {&type, 1}, std::move(attributes))->result();
  }
  std::vector<Value*> results;
  for (Value* result : region.terminator()->operands) results.push_back(array_of(result));
  return results;
}

// The elements of an array with this index along a dimension that the result has not.
Value* Elements(Builder& builder, Value* array, int64_t dim, int64_t index, const Dims& dims) {
  const Op* const op = array->op;
  if (op != nullptr && op->opcode == Opcode::kIota &&
      op->Get<DimensionAttributes>().dimension == dim) {
    return builder.Splat(Type::Tensor(array->type.dtype, dims), static_cast<double>(index));
  }
  return builder.Reshape(builder.Take(array, dim, index), dims);
}

}  // namespace

std::vector<Value*> ExpandShortReduce(Builder& builder, const Op& op) {
  const size_t count = op.results.size();
  const Dims& reduced = op.Get<DimensionsAttributes>().dimensions;
  if (count < 2 || reduced.size() != 1 || !IsElementwiseCode(*op.blocks[0])) return {};
  const int64_t dim = reduced[0];
  const int64_t elements = op.operands[0]->type.dims[static_cast<size_t>(dim)];
  const Dims& dims = op.results[0]->type.dims;
  if (elements < 2 || elements > kMostElements || dims.empty()) return {};
  const auto arrays_at = [&](int64_t index) {
    std::vector<Value*> arrays;
    for (size_t i = 0; i < count; ++i) {
      arrays.push_back(Elements(builder, op.operands[i], dim, index, dims));
    }
    return arrays;
  };
  std::vector<Value*> results = arrays_at(0);
  for (int64_t index = 1; index < elements; ++index) {
    results = Combine(builder, *op.blocks[0], dims, results, arrays_at(index));
  }
  // As a reduction's kernel does it: the initial value comes at the end, as the first operand.
  std::vector<Value*> initial;
  for (size_t i = 0; i < count; ++i) {
    initial.push_back(builder.Broadcast(op.operands[count + i], dims, {}));
  }
  return Combine(builder, *op.blocks[0], dims, initial, results);
}

}  // namespace plinth::compiler::passes

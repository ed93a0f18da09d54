// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/builder.h"

#include <algorithm>
#include <array>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {

std::shared_ptr<const Attributes> SplatAttributes(std::span<const std::byte> element) {
  const auto bytes = std::make_shared<std::array<std::byte, 16>>();
  const size_t size = std::min(element.size(), bytes->size());
  std::copy_n(element.begin(), size, bytes->begin());
  return MakeAttributes(
      ConstantAttributes{std::span<const std::byte>(bytes->data(), size), true, bytes});
}

std::shared_ptr<const Attributes> SplatAttributes(DType dtype, double value) {
  std::array<std::byte, 16> element{};
  if (IsComplex(dtype)) {
    WriteFloat(RealTypeOf(dtype), value, element.data());
  } else if (IsFloat(dtype)) {
    WriteFloat(dtype, value, element.data());
  } else {
    WriteInteger(dtype, static_cast<int64_t>(value), element.data());
  }
  return SplatAttributes(
      std::span<const std::byte>(element.data(), static_cast<size_t>(ByteSize(dtype))));
}

Op* Builder::AddOp(Opcode opcode, std::span<Value* const> operands, std::span<const Type> results,
                   std::shared_ptr<const Attributes> attributes) {
  Op* const op = module_.NewOp(opcode, operands, results, std::move(attributes), location_);
  ops_.push_back(op);
  return op;
}

Value* Builder::Add(Opcode opcode, std::initializer_list<Value*> operands, Type type,
                    std::shared_ptr<const Attributes> attributes) {
  return AddOp(opcode, std::span<Value* const>(operands.begin(), operands.size()),
               std::span<const Type>(&type, 1), std::move(attributes))
      ->results[0];
}

Value* Builder::Compare(ComparisonDirection direction, Value* a, Value* b) {
  ComparisonType type = ComparisonType::kFloat;
  const DTypeClass kind = InfoOf(a->type.dtype).kind;
  if (kind == DTypeClass::kSigned) type = ComparisonType::kSigned;
  if (kind == DTypeClass::kUnsigned || kind == DTypeClass::kPred) type = ComparisonType::kUnsigned;
  return Add(Opcode::kCompare, {a, b}, Type::Tensor(DType::kPred, a->type.dims),
             MakeAttributes(CompareAttributes{direction, type}));
}

Value* Builder::Select(Value* predicate, Value* on_true, Value* on_false) {
  return Add(Opcode::kSelect, {predicate, on_true, on_false}, on_true->type);
}

Value* Builder::Convert(Value* x, DType dtype) {
  if (x->type.dtype == dtype) return x;
  return Add(Opcode::kConvert, {x}, Type::Tensor(dtype, x->type.dims));
}

Value* Builder::Reshape(Value* x, const Dims& dims) {
  if (x->type.dims == dims) return x;
  return Add(Opcode::kReshape, {x}, Type::Tensor(x->type.dtype, dims));
}

Value* Builder::Take(Value* x, int64_t dim, int64_t index) {
  const auto taken = static_cast<size_t>(dim);
  Type type = x->type;
  SliceAttributes slice{Dims(type.dims.size(), 0), type.dims, Dims(type.dims.size(), 1)};
  slice.start[taken] = index;
  slice.limit[taken] = index + 1;
  type.dims[taken] = 1;
  return Add(Opcode::kSlice, {x}, std::move(type), MakeAttributes(std::move(slice)));
}

Value* Builder::Concatenate(std::span<Value* const> pieces, int64_t dim) {
  const auto joined = static_cast<size_t>(dim);
  Type type = pieces[0]->type;
  for (const Value* piece : pieces.subspan(1)) type.dims[joined] += piece->type.dims[joined];
  return AddOp(Opcode::kConcatenate, pieces, std::span<const Type>(&type, 1),
               MakeAttributes(DimensionAttributes{dim}))
      ->results[0];
}

Value* Builder::Splat(const Type& type, double value) {
  return Add(Opcode::kConstant, {}, type, SplatAttributes(type.dtype, value));
}

Value* Builder::Broadcast(Value* x, const Dims& result_dims, Dims dims) {
  return Add(Opcode::kBroadcastInDim, {x}, Type::Tensor(x->type.dtype, result_dims),
             MakeAttributes(DimensionsAttributes{std::move(dims)}));
}

Value* Builder::ReduceSum(Value* x, Dims dims) {
  const Type scalar = Type::Tensor(x->type.dtype, {});
  Type type = Type::Tensor(x->type.dtype, {});
  for (int64_t d = 0; d < x->type.rank(); ++d) {
    if (std::find(dims.begin(), dims.end(), d) == dims.end()) {
      type.dims.push_back(x->type.dims[static_cast<size_t>(d)]);
    }
  }
  Value* const operands[] = {x, Splat(scalar, 0)};
  Op* const op = AddOp(Opcode::kReduce, operands, std::span<const Type>(&type, 1),
                       MakeAttributes(DimensionsAttributes{std::move(dims)}));
  Block* const region = module_.NewBlock();
  Value* const a = module_.NewArgument(region, scalar);
  Value* const b = module_.NewArgument(region, scalar);
  Builder body(module_, region->ops, location_);
  Value* const sum = body.Binary(Opcode::kAdd, a, b);
  body.AddOp(Opcode::kReturn, std::span<Value* const>(&sum, 1), {});
  op->blocks.push_back(region);
  return op->results[0];
}

}  // namespace plinth::compiler

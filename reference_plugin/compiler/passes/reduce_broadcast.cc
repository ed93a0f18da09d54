// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/reduce_broadcast.h"

#include <algorithm>
#include <array>
#include <optional>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::passes {
namespace {

enum class Repeated : uint8_t { kOther, kSame, kTimes };

// What combining an element with itself makes of it.
Repeated WhenRepeated(Opcode opcode, DType dtype) {
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kOr:
      return Repeated::kSame;
    case Opcode::kAdd:
      return dtype == DType::kPred ? Repeated::kSame : Repeated::kTimes;
    case Opcode::kMultiply:
      return dtype == DType::kPred ? Repeated::kSame : Repeated::kOther;
    default:
      return Repeated::kOther;
  }
}

// Exact where the type holds the number; integers keep its low bits.
Value* SplatOfCount(Builder& b, const Type& type, int64_t count) {
  if (!IsInteger(type.dtype)) return b.Splat(type, static_cast<double>(count));
  std::array<std::byte, 8> element{};
  WriteInteger(type.dtype, count, element.data());
  const auto size = static_cast<size_t>(ByteSize(type.dtype));
  return b.Add(Opcode::kConstant, {}, type,
               SplatAttributes(std::span<const std::byte>(element.data(), size)));
}

Value* Times(Builder& b, Value* x, int64_t count) {
  if (!IsComplex(x->type.dtype)) {
    return b.Binary(Opcode::kMultiply, x, SplatOfCount(b, x->type, count));
  }
  // A complex factor would make NaN of infinities.
  const Type real = Type::Tensor(RealTypeOf(x->type.dtype), x->type.dims);
  Value* const factor = SplatOfCount(b, real, count);
  const auto part = [&](Opcode opcode) {
    return b.Binary(Opcode::kMultiply, b.Add(opcode, {x}, real), factor);
  };
  Value* const re = part(Opcode::kReal);
  return b.Add(Opcode::kComplex, {re, part(Opcode::kImag)}, x->type);
}

bool IsIdentity(const Dims& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

Value* ExpandReduceOfBroadcast(Builder& builder, const Op& op) {
  if (op.operands.size() != 2 || op.operands[0]->type.NumElements() == 0) return nullptr;
  const std::optional<Opcode> opcode = OnlyOpOf(*op.blocks[0]);
  if (!opcode) return nullptr;
  const Type& type = op.operands[0]->type;
  const Repeated repeated = WhenRepeated(*opcode, type.dtype);
  if (repeated == Repeated::kOther) return nullptr;

  // Sums of narrow types are those of converted elements.
  Value* x = op.operands[0];
  if (x->op != nullptr && x->op->opcode == Opcode::kConvert) x = x->op->operands[0];
  // Dimension i of `source` is dimension to[i] of the operand.
  const std::span<const std::byte> splat = SplatOf(x);
  const bool is_broadcast = x->op != nullptr && x->op->opcode == Opcode::kBroadcastInDim;
  if (splat.empty() && !is_broadcast) return nullptr;
  const Type source = is_broadcast ? x->op->operands[0]->type : Type::Tensor(x->type.dtype, {});
  const Dims to = is_broadcast ? x->op->Get<DimensionsAttributes>().dimensions : Dims{};

  const Dims& reduced = op.Get<DimensionsAttributes>().dimensions;
  std::vector<bool> is_equal(type.dims.size(), false);
  for (int64_t dim : reduced) is_equal[static_cast<size_t>(dim)] = true;
  for (size_t i = 0; i < to.size(); ++i) {
    if (source.dims[i] != 1) is_equal[static_cast<size_t>(to[i])] = false;
  }
  int64_t count = 1;
  Dims number, rest;  // of a dimension among those that stay; the extents of those
  for (size_t d = 0; d < type.dims.size(); ++d) {
    number.push_back(static_cast<int64_t>(rest.size()));
    if (is_equal[d]) {
      count *= type.dims[d];
    } else {
      rest.push_back(type.dims[d]);
    }
  }
  if (count == 1) return nullptr;

  // The operand without those dimensions.
  Dims source_dims, source_to;
  for (size_t i = 0; i < to.size(); ++i) {
    if (is_equal[static_cast<size_t>(to[i])]) continue;
    source_dims.push_back(source.dims[i]);
    source_to.push_back(number[static_cast<size_t>(to[i])]);
  }
  Builder& b = builder;
  x = is_broadcast ? x->op->operands[0]
                   : b.Add(Opcode::kConstant, {}, source, SplatAttributes(splat));
  x = b.Convert(b.Reshape(x, source_dims), type.dtype);
  if (source_dims != rest || !IsIdentity(source_to)) x = b.Broadcast(x, rest, source_to);
  Dims still_reduced;
  for (int64_t dim : reduced) {
    if (!is_equal[static_cast<size_t>(dim)]) {
      still_reduced.push_back(number[static_cast<size_t>(dim)]);
    }
  }
  std::sort(still_reduced.begin(), still_reduced.end());

  Value* initial = op.operands[1];
  const Dims& dims = op.type().dims;
  if (repeated == Repeated::kSame) {
    if (still_reduced.empty()) {
      return b.Binary(*opcode, dims.empty() ? initial : b.Broadcast(initial, dims, {}), x);
    }
    Value* const operands[] = {x, initial};
    Op* const inner = b.AddOp(Opcode::kReduce, operands, std::span<const Type>(&op.type(), 1),
                              MakeAttributes(DimensionsAttributes{std::move(still_reduced)}));
    inner->blocks = op.blocks;
    return inner->results[0];
  }
  // Narrow floats hold few counts, and are rounded once.
  const bool is_narrow = IsFloat(type.dtype) && InfoOf(type.dtype).bits < 32;
  const DType wide = is_narrow ? DType::kF32 : type.dtype;
  x = b.Convert(x, wide);
  if (!still_reduced.empty()) x = b.ReduceSum(x, still_reduced);
  initial = b.Convert(initial, wide);
  if (!dims.empty()) initial = b.Broadcast(initial, dims, {});
  return b.Convert(b.Binary(Opcode::kAdd, Times(b, x, count), initial), type.dtype);
}

}  // namespace plinth::compiler::passes

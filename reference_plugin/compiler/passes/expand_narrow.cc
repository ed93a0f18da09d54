// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/expand_narrow.h"

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::passes {
namespace {

bool IsSubByte(DType type) { return type != DType::kPred && InfoOf(type).bits < 8; }
bool IsNarrow(DType type) { return IsSubByte(type) || (IsFloat(type) && InfoOf(type).bits < 16); }

// Holds every value of a narrow type; any other type is its own.
DType WideType(DType type) {
  if (!IsNarrow(type)) return type;
  if (IsFloat(type)) return DType::kF32;
  return InfoOf(type).kind == DTypeClass::kSigned ? DType::kS8 : DType::kU8;
}

// The next type that holds every value of a type, in which more can be computed; kInvalid after the
// widest of its kind.
DType NextWider(DType type) {
  if (IsNarrow(type)) return WideType(type);
  switch (type) {
    case DType::kS8:
      return DType::kS16;
    case DType::kS16:
    case DType::kPred:
      return DType::kS32;
    case DType::kS32:
      return DType::kS64;
    case DType::kU8:
      return DType::kU16;
    case DType::kU16:
      return DType::kU32;
    case DType::kU32:
      return DType::kU64;
    case DType::kF16:
    case DType::kBF16:
      return DType::kF32;
    case DType::kF32:
      return DType::kF64;
    case DType::kC64:
      return DType::kC128;
    default:
      return DType::kInvalid;
  }
}

DType Wider(DType a, DType b) { return InfoOf(a).bits < InfoOf(b).bits ? b : a; }

// Predicates count as the numbers 0 and 1.
bool Counts(DType type) { return type == DType::kPred || IsInteger(type); }

// The type of operands in which a product of `from` that gives `to` is best computed, whatever the
// target.
DType OperandsOfProduct(DType from, DType to) {
  if (Counts(from) && !Counts(to)) {
    return RealTypeOf(to) == DType::kF64 ? DType::kF64 : DType::kF32;
  }
  if (from != DType::kPred || to == DType::kPred) return from;
  // Sums of integers wrap, so they may be kept in any wider type.
  return IsNarrow(to) ? DType::kS32 : to;
}

// The narrowest type in which its sums are what the program asks for.
DType SumOfProduct(DType operands, DType to) {
  if (operands == to) return to;
  if (Counts(operands)) {
    return Wider(operands, IsNarrow(to) || to == DType::kPred ? DType::kS32 : to);
  }
  if (IsComplex(operands)) return IsComplex(to) ? Wider(operands, to) : operands;
  // Sums of floats are rounded to the result's type once.
  const DType sum = Wider(operands, DType::kF32);
  return Counts(to) ? sum : Wider(sum, RealTypeOf(to));
}

// What a back end multiplies, and in what it sums.
struct ProductTypes {
  DType operands, sum;
};

// Those of `from` and `to` themselves where the target has no product to stand for it.
ProductTypes TypesOfProduct(const Target& target, DType from, DType to) {
  for (DType operands = OperandsOfProduct(from, to); operands != DType::kInvalid;
       operands = NextWider(operands)) {
    const DTypeSet& sums = target.products[static_cast<size_t>(operands)];
    for (DType sum = SumOfProduct(operands, to); sum != DType::kInvalid; sum = NextWider(sum)) {
      if (sums.Has(sum)) return {operands, sum};
    }
  }
  return {from, to};
}

// The unsigned integer of as many bits.
DType UnsignedOf(int bits) {
  switch (bits) {
    case 1:
      return DType::kU1;
    case 2:
      return DType::kU2;
    case 4:
      return DType::kU4;
    default:
      return DType::kU8;
  }
}

Dims WithLast(Dims dims, int64_t size) {
  dims.push_back(size);
  return dims;
}

class Bitcast {
 public:
  explicit Bitcast(Builder& builder) : b_(builder) {}

  // Same dimensions, equal bits; elements of integers of less than a byte change their upper bits.
  Value* Same(Value* x, DType type) {
    const DType from = x->type.dtype;
    if (from == type) return x;
    if (!IsSubByte(from)) return Cast(x, type);
    const DType bits = UnsignedOf(InfoOf(from).bits);
    x = IsInteger(from) ? b_.Convert(x, bits) : Cast(x, bits);
    return IsInteger(type) ? b_.Convert(x, type) : Cast(x, type);
  }

  // [..., n] of a type of less than a byte to wider elements [...].
  Value* Join(Value* x, const Type& result) {
    const int from = InfoOf(x->type.dtype).bits, to = InfoOf(result.dtype).bits;
    const int joined = to < 8 ? to : 8;
    const int64_t count = joined / from;
    Dims dims = result.dims;
    if (to > 8) dims.push_back(to / 8);
    Value* const parts = b_.Reshape(Bytes(x), WithLast(dims, count));
    Value* bytes = nullptr;
    for (int64_t i = 0; i < count; ++i) {
      Value* part = b_.Reshape(b_.Take(parts, parts->type.rank() - 1, i), dims);
      if (i > 0) {
        part =
            b_.Binary(Opcode::kShiftLeft, part, b_.SplatLike(part, static_cast<double>(i * from)));
      }
      bytes = bytes == nullptr ? part : b_.Binary(Opcode::kOr, bytes, part);
    }
    return FromBytes(bytes, joined, result);
  }

  // Elements [...] to narrower ones of less than a byte, [..., n].
  Value* Split(Value* x, const Type& result) {
    const int from = InfoOf(x->type.dtype).bits, to = InfoOf(result.dtype).bits;
    const int split = from < 8 ? from : 8;
    Dims dims = x->type.dims;
    Value* bytes;
    if (from <= 8) {
      bytes = Bytes(x);
    } else {
      dims.push_back(from / 8);
      bytes = b_.Add(Opcode::kBitcastConvert, {x}, Type::Tensor(DType::kU8, dims));
    }
    const Dims parts = WithLast(dims, split / to);
    Dims broadcast;
    for (size_t d = 0; d < dims.size(); ++d) broadcast.push_back(static_cast<int64_t>(d));
    Value* const spread = b_.Broadcast(bytes, parts, broadcast);
    Value* const number =
        b_.Add(Opcode::kIota, {}, spread->type,
               MakeAttributes(DimensionAttributes{static_cast<int64_t>(dims.size())}));
    Value* const shift = b_.Binary(Opcode::kMultiply, number, b_.SplatLike(number, to));
    Value* const shifted = b_.Binary(Opcode::kShiftRightLogical, spread, shift);
    return Same(b_.Convert(b_.Reshape(shifted, result.dims), UnsignedOf(to)), result.dtype);
  }

 private:
  Value* Cast(Value* x, DType type) {
    return b_.Add(Opcode::kBitcastConvert, {x}, Type::Tensor(type, x->type.dims));
  }
  // As u8, upper bits zero.
  Value* Bytes(Value* x) {
    return b_.Convert(Same(x, UnsignedOf(InfoOf(x->type.dtype).bits)), DType::kU8);
  }
  Value* FromBytes(Value* bytes, int bits, const Type& result) {
    if (InfoOf(result.dtype).bits > 8) return b_.Add(Opcode::kBitcastConvert, {bytes}, result);
    return Same(b_.Convert(bytes, UnsignedOf(bits)), result.dtype);
  }

  Builder& b_;
};

}  // namespace

Value* ExpandProduct(Builder& builder, const Target& target, const Op& op) {
  const DType from = op.operands[0]->type.dtype;
  const DType to = op.type().dtype;
  const ProductTypes types = TypesOfProduct(target, from, to);
  if (types.operands == from && types.sum == to) return nullptr;
  Value* const a = builder.Convert(op.operands[0], types.operands);
  Value* const b = builder.Convert(op.operands[1], types.operands);
  const Type sum = Type::Tensor(types.sum, op.type().dims);
  return builder.Convert(builder.Add(op.opcode, {a, b}, sum, op.attributes), to);
}

Value* ExpandNarrowFactor(Builder& builder, const Target& target, const Op& op) {
  const DType narrow = op.type().dtype;
  if (!IsFloat(narrow) || target.factors.Has(narrow)) return nullptr;
  SmallVector<Value*, 2> wide;
  for (Value* operand : op.operands) wide.push_back(builder.Convert(operand, DType::kF32));
  const Type type = Type::Tensor(DType::kF32, op.type().dims);
  Op* const factor = builder.AddOp(op.opcode, wide, std::span<const Type>(&type, 1), op.attributes);
  return builder.Convert(factor->result(), narrow);
}

std::vector<Value*> ExpandNarrowTopK(Builder& builder, const Target& target, const Op& op) {
  Value* const x = op.operands[0];
  DType type = x->type.dtype;
  while (type != DType::kInvalid && !target.top_k.Has(type)) type = NextWider(type);
  if (type == DType::kInvalid || type == x->type.dtype) return {};
  // Conversions to wider types keep the order, and that of NaN by its sign.
  Value* const wide = builder.Convert(x, type);
  const Type types[] = {Type::Tensor(wide->type.dtype, op.results[0]->type.dims),
                        op.results[1]->type};
  const Op* const top =
      builder.AddOp(op.opcode, std::span<Value* const>(&wide, 1), types, op.attributes);
  return {builder.Convert(top->results[0], x->type.dtype), top->results[1]};
}

bool WidenNarrowIndices(Builder& builder, Op& op) {
  const size_t size = op.operands.size();
  size_t first = 1, end = size;
  if (op.opcode == Opcode::kGather) end = 2;
  if (op.opcode == Opcode::kDynamicUpdateSlice) first = 2;
  if (op.opcode == Opcode::kScatter) {
    first = size / 2;  // behind the inputs, before as many updates
    end = first + 1;
  }
  bool any = false;
  for (size_t i = first; i < end; ++i) {
    Value*& index = op.operands[i];
    if (!IsSubByte(index->type.dtype)) continue;
    index = builder.Convert(index, WideType(index->type.dtype));
    any = true;
  }
  return any;
}

Value* ExpandNarrowBitcast(Builder& builder, const Op& op) {
  Value* const x = op.operands[0];
  const Type& result = op.type();
  if (!IsSubByte(x->type.dtype) && !IsSubByte(result.dtype)) return nullptr;
  const int from = InfoOf(x->type.dtype).bits, to = InfoOf(result.dtype).bits;
  Bitcast bitcast(builder);
  if (from < to) return bitcast.Join(x, result);
  if (from > to) return bitcast.Split(x, result);
  // One of them keeps its bytes: the same bits without a sign to extend.
  const bool plain =
      !IsInteger(x->type.dtype) && InfoOf(result.dtype).kind == DTypeClass::kUnsigned;
  const bool back = InfoOf(x->type.dtype).kind == DTypeClass::kUnsigned && !IsInteger(result.dtype);
  return plain || back ? nullptr : bitcast.Same(x, result.dtype);
}

}  // namespace plinth::compiler::passes

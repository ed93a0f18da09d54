// SPDX-License-Identifier: Apache-2.0
// The types of `builtin`.
#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "reference_plugin/program/bytecode_attributes.h"

namespace plinth::program {
namespace {

// Codes of builtin types.
enum BuiltinTypeCode : uint64_t {
  kIntegerType = 0,
  kIndexType = 1,
  kFunctionType = 2,
  kComplexType = 9,
  kNoneType = 12,
  kRankedTensor = 13,
  kRankedTensorWithEncoding = 14,
  kTupleType = 15,
};

// Codes of floats.
struct FloatCode {
  uint64_t code;
  DType type;
};
constexpr FloatCode kFloatCodes[] = {
    {3, DType::kBF16},        {4, DType::kF16},
    {5, DType::kF32},         {6, DType::kF64},
    {22, DType::kF8E5M2},     {23, DType::kF8E4M3},
    {24, DType::kF8E4M3FN},   {25, DType::kF8E5M2FNUZ},
    {26, DType::kF8E4M3FNUZ}, {27, DType::kF8E4M3B11FNUZ},
    {28, DType::kF8E3M4},     {29, DType::kF4E2M1FN},
    {30, DType::kF6E2M3FN},   {31, DType::kF6E3M2FN},
    {32, DType::kF8E8M0FNU},
};

// Signless and signed integers are one in StableHLO; only "ui" is another type.
std::optional<DType> IntegerType(uint64_t width, bool is_unsigned) {
  return DTypeFromMlirName(StrCat(is_unsigned ? "ui" : "i", width));
}

}  // namespace

const Type* BytecodeAttributes::ReadTensor(BytecodeCursor& at, bool has_encoding) {
  const size_t offset = at.offset();
  AttributeRef encoding = nullptr;
  if (has_encoding) {
    encoding = ReadAttribute(at);
    if (encoding == nullptr) return nullptr;
    if (encoding->struct_name() != "stablehlo.bounds") {
      return Fail(Unimplemented("MLIR bytecode at byte ", offset,
                                ": a tensor type with another encoding than bounds"));
    }
  }
  std::vector<int64_t> dims;
  if (!ReadSignedList(at, &dims)) return nullptr;
  TypeRef element = ReadType(at);
  if (element == nullptr) return nullptr;
  const bool is_index = element->kind == TypeKind::kIndex;
  if (element->kind != TypeKind::kScalar && !is_index) {
    return Fail(BytecodeError(offset, "a tensor of ", ToString(element)));
  }
  TypeRef type = builder_.Tensor(is_index ? DType::kS64 : element->dtype, is_index, dims, encoding);
  if (type == nullptr) {
    return Fail(BytecodeError(
        offset,
        "a tensor with a negative extent, more than 128 dimensions, too many elements, or "
        "not one bound per dimension"));
  }
  return type;
}

const Type* BytecodeAttributes::DecodeBuiltinType(uint64_t code, BytecodeCursor& at) {
  switch (code) {
    case kIntegerType: {
      uint64_t width;
      if (!at.Varint(&width)) return Truncated(at, "the width of an integer type");
      const std::optional<DType> dtype = IntegerType(width >> 2, (width & 3) == 2);
      if (!dtype.has_value()) {
        return Fail(Unimplemented("MLIR bytecode at byte ", at.offset(), ": an integer type of ",
                                  width >> 2, " bits"));
      }
      return builder_.Scalar(*dtype);
    }
    case kIndexType:
      return builder_.Simple(TypeKind::kIndex);
    case kFunctionType: {
      std::vector<TypeRef> inputs, results;
      if (!ReadTypeList(at, &inputs) || !ReadTypeList(at, &results)) return nullptr;
      return builder_.Function(inputs, results);
    }
    case kComplexType: {
      TypeRef part = ReadType(at);
      if (part == nullptr) return nullptr;
      if (part == builder_.Scalar(DType::kF32)) return builder_.Scalar(DType::kC64);
      if (part == builder_.Scalar(DType::kF64)) return builder_.Scalar(DType::kC128);
      return Fail(
          Unimplemented("MLIR bytecode at byte ", at.offset(), ": complex<", ToString(part), ">"));
    }
    case kNoneType:
      return builder_.Simple(TypeKind::kNone);
    case kRankedTensor:
    case kRankedTensorWithEncoding:
      return ReadTensor(at, code == kRankedTensorWithEncoding);
    case kTupleType: {
      std::vector<TypeRef> elements;
      if (!ReadTypeList(at, &elements)) return nullptr;
      return builder_.TupleOrFuture(TypeKind::kTuple, elements);
    }
    default: {
      const auto* const found =
          std::find_if(std::begin(kFloatCodes), std::end(kFloatCodes),
                       [&](const FloatCode& each) { return each.code == code; });
      if (found == std::end(kFloatCodes)) return Unknown(at, "builtin type", code);
      return builder_.Scalar(found->type);
    }
  }
}

}  // namespace plinth::program

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/scalar.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "plinth/support/float_format.h"
#include "plinth/support/str_cat.h"

namespace plinth::compiler {
namespace {

template <typename T>
T Load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void Store(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace

bool IsFloat(DType type) { return InfoOf(type).kind == DTypeClass::kFloat; }
bool IsComplex(DType type) { return InfoOf(type).kind == DTypeClass::kComplex; }
bool IsInteger(DType type) {
  const DTypeClass kind = InfoOf(type).kind;
  return kind == DTypeClass::kSigned || kind == DTypeClass::kUnsigned;
}

DType RealTypeOf(DType complex) {
  if (complex == DType::kC64) return DType::kF32;
  if (complex == DType::kC128) return DType::kF64;
  return complex;
}

bool IsIeeeFloat(DType type) {
  return type == DType::kF16 || type == DType::kBF16 || type == DType::kF32 || type == DType::kF64;
}

double ReadFloat(DType type, const std::byte* element) {
  switch (type) {
    case DType::kF16:
    case DType::kBF16:
      return FloatFromBits(type, Load<uint16_t>(element));
    case DType::kF32:
      return Load<float>(element);
    default:
      return Load<double>(element);
  }
}

void WriteFloat(DType type, double value, std::byte* element) {
  switch (type) {
    case DType::kF16:
    case DType::kBF16:
      return Store(static_cast<uint16_t>(FloatToBits(type, value)), element);
    case DType::kF32:
      return Store(static_cast<float>(value), element);
    default:
      return Store(value, element);
  }
}

int64_t ReadInteger(DType type, const std::byte* element) {
  const bool is_signed = InfoOf(type).kind == DTypeClass::kSigned;
  switch (ByteSize(type)) {
    case 1: {
      const int above = 8 - std::min<int>(InfoOf(type).bits, 8);
      const int shifted = Load<uint8_t>(element) << above & 0xff;
      return (is_signed ? static_cast<int8_t>(shifted) : shifted) >> above;
    }
    case 2:
      return is_signed ? Load<int16_t>(element) : Load<uint16_t>(element);
    case 4:
      return is_signed ? int64_t{Load<int32_t>(element)} : int64_t{Load<uint32_t>(element)};
    default:
      return Load<int64_t>(element);
  }
}

void WriteInteger(DType type, int64_t value, std::byte* element) {
  const int bits = InfoOf(type).bits;
  if (bits < 8) value &= (int64_t{1} << bits) - 1;
  std::memcpy(element, &value, static_cast<size_t>(ByteSize(type)));
}

std::string ElementToString(DType type, const std::byte* element) {
  if (type == DType::kPred) return ReadInteger(type, element) != 0 ? "true" : "false";
  if (type == DType::kU64) return StrCat(Load<uint64_t>(element));
  if (IsInteger(type)) return StrCat(ReadInteger(type, element));
  // Shortest form of the type itself: 0.1 and not 0.10000000149011612.
  if (type == DType::kF64) return StrCat(ReadFloat(type, element));
  if (IsIeeeFloat(type)) return StrCat(static_cast<float>(ReadFloat(type, element)));
  if (IsComplex(type)) {
    const DType real = RealTypeOf(type);
    return StrCat("(", ElementToString(real, element), ", ",
                  ElementToString(real, element + ByteSize(real)), ")");
  }
  std::string text = "0x";
  for (int64_t i = ByteSize(type) - 1; i >= 0; --i) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<int>(element[i]) >> 4];
    text += kDigits[static_cast<int>(element[i]) & 15];
  }
  return text;
}

bool ElementIs(DType type, std::span<const std::byte> element, double value) {
  if (static_cast<int64_t>(element.size()) < ByteSize(type)) return false;
  if (type == DType::kPred || IsInteger(type)) {
    const int64_t integer = ReadInteger(type, element.data());
    if (type == DType::kU64 && integer < 0) return false;
    return static_cast<double>(integer) == value && integer == static_cast<int64_t>(value);
  }
  if (IsIeeeFloat(type)) return ReadFloat(type, element.data()) == value;
  if (IsComplex(type)) {
    const DType real = RealTypeOf(type);
    return ReadFloat(real, element.data()) == value &&
           ReadFloat(real, element.data() + ByteSize(real)) == 0;
  }
  return false;
}

bool IsNegativeZero(DType type, std::span<const std::byte> element) {
  if (!IsIeeeFloat(type) || static_cast<int64_t>(element.size()) < ByteSize(type)) return false;
  const double value = ReadFloat(type, element.data());
  return value == 0 && std::signbit(value);
}

}  // namespace plinth::compiler

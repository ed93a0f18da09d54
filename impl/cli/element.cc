// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/element.h"

#include <cmath>
#include <cstring>

#include "plinth/support/float_format.h"
#include "plinth/support/parse_number.h"
#include "plinth/support/str_cat.h"

namespace plinth::cli {
namespace {

DType PartOf(DType complex) { return complex == DType::kC64 ? DType::kF32 : DType::kF64; }

void StoreBits(DType type, uint64_t bits, std::byte* bytes) {
  std::memcpy(bytes, &bits, InfoOf(type).bytes);
}

uint64_t LoadBits(DType type, const std::byte* bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, InfoOf(type).bytes);
  return bits;
}

// The low bits of a word as the type's value.
int64_t SignExtend(DType type, uint64_t bits) {
  const int unused = 64 - InfoOf(type).bits;
  return static_cast<int64_t>(bits << unused) >> unused;
}
uint64_t ZeroExtend(DType type, uint64_t bits) {
  const int unused = 64 - InfoOf(type).bits;
  return bits << unused >> unused;
}

// The whole part in 64 bits of two's complement; zero for infinities and NaN.
int64_t Wrap(double value) {
  if (!std::isfinite(value)) return 0;
  const double rest = std::fmod(std::trunc(value), 0x1p64);
  const auto magnitude = static_cast<uint64_t>(std::fabs(rest));
  return static_cast<int64_t>(rest < 0 ? 0 - magnitude : magnitude);
}

template <typename T>
bool ParseSigned(std::string_view text, T* value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return ParseNumber(text, value);
}

Status Wrong(DType type, std::string_view text) {
  return InvalidArgument("\"", text.substr(0, 40), "\" is no ", Name(type),
                         InfoOf(type).kind == DTypeClass::kPred ? " (true or false)" : "");
}

Status ParseFloat(DType type, std::string_view text, std::byte* bytes) {
  if (type == DType::kF32) {
    // From the decimal at once: through double it would be rounded twice.
    float value;
    if (!ParseSigned(text, &value)) return Wrong(type, text);
    std::memcpy(bytes, &value, sizeof(value));
    return {};
  }
  double value;
  if (!ParseSigned(text, &value)) return Wrong(type, text);
  StoreBits(type, FloatToBits(type, value), bytes);
  return {};
}

// "1", "1+2i", "2i", "1e-3-2e+1i".
Status ParseComplex(DType type, std::string_view text, std::byte* bytes) {
  const DType part = PartOf(type);
  std::string_view real = text, imaginary = "0";
  if (!text.empty() && (text.back() == 'i' || text.back() == 'j')) {
    text.remove_suffix(1);
    size_t sign = text.size();
    // The last sign that is not an exponent's.
    while (sign-- > 1) {
      const bool is_exponent = text[sign - 1] == 'e' || text[sign - 1] == 'E';
      if ((text[sign] == '+' || text[sign] == '-') && !is_exponent) break;
    }
    const bool has_real = sign != 0 && sign < text.size();
    real = has_real ? text.substr(0, sign) : std::string_view("0");
    imaginary = has_real ? text.substr(sign) : text;
  }
  PLINTH_RETURN_IF_ERROR(ParseFloat(part, real, bytes));
  return ParseFloat(part, imaginary, bytes + InfoOf(part).bytes);
}

std::string FloatText(DType type, const std::byte* bytes) {
  if (type == DType::kF64) {
    double value;
    std::memcpy(&value, bytes, sizeof(value));
    return StrCat(value);
  }
  return StrCat(static_cast<float>(FloatFromBits(type, LoadBits(type, bytes))));
}

}  // namespace

Status ParseElement(DType type, std::string_view text, std::byte* bytes) {
  switch (InfoOf(type).kind) {
    case DTypeClass::kPred:
      if (text != "true" && text != "false" && text != "1" && text != "0") return Wrong(type, text);
      *bytes = static_cast<std::byte>(text == "true" || text == "1");
      return {};
    case DTypeClass::kSigned: {
      int64_t value;
      if (!ParseSigned(text, &value) || SignExtend(type, static_cast<uint64_t>(value)) != value) {
        return Wrong(type, text);
      }
      StoreInteger(type, value, bytes);
      return {};
    }
    case DTypeClass::kUnsigned: {
      uint64_t value;
      if (!ParseSigned(text, &value) || ZeroExtend(type, value) != value) return Wrong(type, text);
      StoreInteger(type, static_cast<int64_t>(value), bytes);
      return {};
    }
    case DTypeClass::kFloat:
      return ParseFloat(type, text, bytes);
    case DTypeClass::kComplex:
      return ParseComplex(type, text, bytes);
    default:
      return InvalidArgument("a value of type ", Name(type), " cannot be written down");
  }
}

std::string ElementText(DType type, const std::byte* bytes) {
  switch (InfoOf(type).kind) {
    case DTypeClass::kPred:
      return *bytes == std::byte{0} ? "false" : "true";
    case DTypeClass::kSigned:
      return StrCat(SignExtend(type, LoadBits(type, bytes)));
    case DTypeClass::kUnsigned:
      return StrCat(ZeroExtend(type, LoadBits(type, bytes)));
    case DTypeClass::kFloat:
      return FloatText(type, bytes);
    case DTypeClass::kComplex: {
      const DType part = PartOf(type);
      const std::string imaginary = FloatText(part, bytes + InfoOf(part).bytes);
      return StrCat(FloatText(part, bytes), imaginary[0] == '-' ? "" : "+", imaginary, "i");
    }
    default:
      return std::string(Name(type));
  }
}

void StoreInteger(DType type, int64_t value, std::byte* bytes) {
  switch (InfoOf(type).kind) {
    case DTypeClass::kPred:
      *bytes = static_cast<std::byte>(value != 0);
      break;
    case DTypeClass::kSigned:
      StoreBits(type, static_cast<uint64_t>(SignExtend(type, static_cast<uint64_t>(value))), bytes);
      break;
    case DTypeClass::kUnsigned:
      StoreBits(type, ZeroExtend(type, static_cast<uint64_t>(value)), bytes);
      break;
    default:
      StoreNumber(type, static_cast<double>(value), bytes);
  }
}

void StoreNumber(DType type, double value, std::byte* bytes) {
  switch (InfoOf(type).kind) {
    case DTypeClass::kFloat:
      StoreBits(type, FloatToBits(type, value), bytes);
      break;
    case DTypeClass::kComplex: {
      const DType part = PartOf(type);
      StoreBits(part, FloatToBits(part, value), bytes);
      StoreBits(part, 0, bytes + InfoOf(part).bytes);
      break;
    }
    case DTypeClass::kPred:
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      StoreInteger(type, Wrap(value), bytes);
      break;
    default:
      break;
  }
}

Expected<DType> ParseDType(std::string_view name) {
  static constexpr struct {
    std::string_view numpy;
    DType type;
  } kNumPyNames[] = {
      {"bool", DType::kPred},     {"int8", DType::kS8},       {"int16", DType::kS16},
      {"int32", DType::kS32},     {"int64", DType::kS64},     {"uint8", DType::kU8},
      {"uint16", DType::kU16},    {"uint32", DType::kU32},    {"uint64", DType::kU64},
      {"float16", DType::kF16},   {"float32", DType::kF32},   {"float64", DType::kF64},
      {"bfloat16", DType::kBF16}, {"complex64", DType::kC64}, {"complex128", DType::kC128},
      {"int4", DType::kS4},       {"uint4", DType::kU4},      {"int2", DType::kS2},
      {"uint2", DType::kU2},
  };
  for (int i = 1; i < kNumDTypes; ++i) {
    const DType type = static_cast<DType>(i);
    if (Name(type) == name && type != DType::kToken) return type;
  }
  if (const std::optional<DType> type = DTypeFromMlirName(name); type && *type != DType::kToken) {
    return *type;
  }
  for (const auto& row : kNumPyNames) {
    if (row.numpy == name) return row.type;
  }
  return InvalidArgument("\"", name.substr(0, 40),
                         "\" is no element type; examples are f32, s32, pred, bf16, f8e4m3fn, c64");
}

}  // namespace plinth::cli

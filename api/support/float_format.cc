// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/float_format.h"

#include <bit>
#include <cmath>
#include <limits>

namespace plinth {
namespace {

enum class Specials : uint8_t {
  kIeee,       // The largest exponent is for infinities and NaNs.
  kNanOnly,    // All ones is NaN; no infinity (the "FN" types).
  kUnsigned0,  // Negative zero is NaN; no infinity (the "FNUZ" types).
  kNone,       // Finite values only.
};

struct Format {
  DType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
};

constexpr Format kFormats[] = {
    {DType::kF16, 5, 10, 15, Specials::kIeee},
    {DType::kBF16, 8, 7, 127, Specials::kIeee},
    {DType::kF8E5M2, 5, 2, 15, Specials::kIeee},
    {DType::kF8E4M3, 4, 3, 7, Specials::kIeee},
    {DType::kF8E3M4, 3, 4, 3, Specials::kIeee},
    {DType::kF8E4M3FN, 4, 3, 7, Specials::kNanOnly},
    {DType::kF8E5M2FNUZ, 5, 2, 16, Specials::kUnsigned0},
    {DType::kF8E4M3FNUZ, 4, 3, 8, Specials::kUnsigned0},
    {DType::kF8E4M3B11FNUZ, 4, 3, 11, Specials::kUnsigned0},
    {DType::kF4E2M1FN, 2, 1, 1, Specials::kNone},
    {DType::kF6E2M3FN, 2, 3, 1, Specials::kNone},
    {DType::kF6E3M2FN, 3, 2, 3, Specials::kNone},
};

const Format* FindFormat(DType type) {
  for (const Format& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

uint64_t LargestFinite(const Format& format) {
  const uint64_t all = (uint64_t{1} << (format.exponent_bits + format.mantissa_bits)) - 1;
  switch (format.specials) {
    case Specials::kIeee:
      return all - (uint64_t{1} << format.mantissa_bits);
    case Specials::kNanOnly:
      return all - 1;
    default:
      return all;
  }
}

uint64_t Encode(const Format& format, double value) {
  const int width = format.exponent_bits + format.mantissa_bits;
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << width : 0;
  const uint64_t all = (uint64_t{1} << width) - 1;
  const uint64_t largest = LargestFinite(format);
  const auto overflow = [&](bool is_nan) -> uint64_t {
    switch (format.specials) {
      case Specials::kIeee: {
        const uint64_t infinity = largest + 1;
        return sign | infinity | (is_nan ? uint64_t{1} << (format.mantissa_bits - 1) : 0);
      }
      case Specials::kNanOnly:
        return sign | all;
      case Specials::kUnsigned0:
        return uint64_t{1} << width;
      case Specials::kNone:
        return sign | largest;
    }
    return 0;
  };
  if (std::isnan(value)) return overflow(true);
  if (std::isinf(value)) return overflow(false);
  const double magnitude = std::fabs(value);
  uint64_t bits = 0;
  if (magnitude != 0) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    --exponent;  // magnitude is in [2^exponent, 2^(exponent + 1)).
    const int smallest = 1 - format.bias;
    const int scale = exponent < smallest ? smallest : exponent;
    // In units of the last place: a small integer plus a fraction, exact in a double.
    const double units = std::ldexp(magnitude, format.mantissa_bits - scale);
    double whole = std::floor(units);
    const double rest = units - whole;
    if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) != 0)) whole += 1;
    // For normal values `whole` holds the implicit bit, which lifts the exponent field from
    // scale - smallest to what it must be; a carry out of the mantissa lifts it once more.
    bits = (static_cast<uint64_t>(scale - smallest) << format.mantissa_bits) +
           static_cast<uint64_t>(whole);
  }
  if (bits > largest) return overflow(false);
  if (bits == 0 && format.specials == Specials::kUnsigned0) return 0;
  return sign | bits;
}

double Decode(const Format& format, uint64_t bits) {
  const int width = format.exponent_bits + format.mantissa_bits;
  const uint64_t magnitude = bits & ((uint64_t{1} << width) - 1);
  const bool negative = (bits >> width) & 1;
  const uint64_t largest = LargestFinite(format);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.specials == Specials::kUnsigned0 && negative && magnitude == 0) return nan;
  if (magnitude > largest) {
    const bool infinite = format.specials == Specials::kIeee && magnitude == largest + 1;
    const double special = infinite ? std::numeric_limits<double>::infinity() : nan;
    return negative ? -special : special;
  }
  const uint64_t implicit = uint64_t{1} << format.mantissa_bits;
  const int biased = static_cast<int>(magnitude >> format.mantissa_bits);
  const uint64_t fraction = magnitude & (implicit - 1);
  const double units = static_cast<double>(biased == 0 ? fraction : fraction + implicit);
  const int exponent = (biased == 0 ? 1 : biased) - format.bias - format.mantissa_bits;
  const double value = std::ldexp(units, exponent);
  return negative ? -value : value;
}

// A power of two, without sign, zero or infinity; 255 is NaN.
uint64_t EncodeE8M0(double value) {
  if (std::isnan(value) || value < 0 || std::isinf(value)) return 255;
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // In [0.5, 1).
  int biased = exponent - 1 + 127;
  if (fraction > 0.75 || (fraction == 0.75 && (biased & 1))) ++biased;
  if (biased < 0) return 0;
  return biased > 254 ? 255 : static_cast<uint64_t>(biased);
}

}  // namespace

uint64_t FloatToBits(DType type, double value) {
  if (type == DType::kF64) return std::bit_cast<uint64_t>(value);
  if (type == DType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == DType::kF8E8M0FNU) return EncodeE8M0(value);
  const Format* format = FindFormat(type);
  return format == nullptr ? 0 : Encode(*format, value);
}

double FloatFromBits(DType type, uint64_t bits) {
  if (type == DType::kF64) return std::bit_cast<double>(bits);
  if (type == DType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type == DType::kF8E8M0FNU) {
    if ((bits & 255) == 255) return std::numeric_limits<double>::quiet_NaN();
    return std::ldexp(1.0, static_cast<int>(bits & 255) - 127);
  }
  const Format* format = FindFormat(type);
  return format == nullptr ? 0 : Decode(*format, bits);
}

}  // namespace plinth

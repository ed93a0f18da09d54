// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_SMALL_FLOAT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_SMALL_FLOAT_H_

#include <array>
#include <bit>
#include <cstdint>

// The floating-point formats of at most 16 bits as data.
namespace plinth::cpu::math {

// What stands beyond the largest finite number, and what a NaN is.
enum class SmallFloatKind : uint8_t {
  kIeee,    // infinities; NaNs with a payload
  kFn,      // all ones is NaN; overflow answers NaN
  kFnuz,    // the pattern of -0 is the only NaN; overflow answers NaN
  kFinite,  // neither: overflow answers the largest number, NaN becomes -0
};

struct SmallFloatFormat {
  int bits;
  int mantissa_bits;
  int bias;
  SmallFloatKind kind;

  constexpr int sign_shift() const { return bits - 1; }
  constexpr uint32_t magnitude_mask() const { return (uint32_t{1} << (bits - 1)) - 1; }
  // The pattern of the largest finite number.
  constexpr uint32_t max_pattern() const {
    switch (kind) {
      case SmallFloatKind::kIeee:
        return magnitude_mask() - (uint32_t{1} << mantissa_bits);
      case SmallFloatKind::kFn:
        return magnitude_mask() - 1;
      default:
        return magnitude_mask();
    }
  }
};

inline constexpr SmallFloatFormat kF16Format{16, 10, 15, SmallFloatKind::kIeee};
inline constexpr SmallFloatFormat kBF16Format{16, 7, 127, SmallFloatKind::kIeee};
inline constexpr SmallFloatFormat kF8E5M2Format{8, 2, 15, SmallFloatKind::kIeee};
inline constexpr SmallFloatFormat kF8E4M3Format{8, 3, 7, SmallFloatKind::kIeee};
inline constexpr SmallFloatFormat kF8E3M4Format{8, 4, 3, SmallFloatKind::kIeee};
inline constexpr SmallFloatFormat kF8E4M3FNFormat{8, 3, 7, SmallFloatKind::kFn};
inline constexpr SmallFloatFormat kF8E4M3B11FNUZFormat{8, 3, 11, SmallFloatKind::kFnuz};
inline constexpr SmallFloatFormat kF8E5M2FNUZFormat{8, 2, 16, SmallFloatKind::kFnuz};
inline constexpr SmallFloatFormat kF8E4M3FNUZFormat{8, 3, 8, SmallFloatKind::kFnuz};
inline constexpr SmallFloatFormat kF6E2M3FNFormat{6, 3, 1, SmallFloatKind::kFinite};
inline constexpr SmallFloatFormat kF6E3M2FNFormat{6, 2, 3, SmallFloatKind::kFinite};
inline constexpr SmallFloatFormat kF4E2M1FNFormat{4, 1, 1, SmallFloatKind::kFinite};

constexpr float PowerOfTwoFloat(int exponent) {  // of the normal range
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

// The value of a pattern; bits above the format's are ignored.
constexpr float DecodeSmallFloat(const SmallFloatFormat& format, uint32_t pattern) {
  const uint32_t sign = ((pattern >> format.sign_shift()) & 1) << 31;
  const uint32_t magnitude = pattern & format.magnitude_mask();
  const int shift = 23 - format.mantissa_bits;
  if (format.kind == SmallFloatKind::kFnuz && sign != 0 && magnitude == 0) {
    return std::bit_cast<float>(0x7FC00000u);
  }
  if (magnitude > format.max_pattern()) {
    if (format.kind == SmallFloatKind::kFn) return std::bit_cast<float>(sign | 0x7FC00000u);
    const uint32_t payload = (magnitude << shift) & 0x007FFFFFu;  // zero for infinity
    return std::bit_cast<float>(sign | 0x7F800000u | payload);
  }
  const uint32_t exponent = magnitude >> format.mantissa_bits;
  if (exponent == 0 && format.bias < 127) {
    const float value =
        static_cast<float>(magnitude) * PowerOfTwoFloat(1 - format.bias - format.mantissa_bits);
    return sign != 0 ? -value : value;
  }
  const uint32_t rebias = static_cast<uint32_t>(127 - format.bias) << 23;
  return std::bit_cast<float>(sign | ((magnitude << shift) + rebias));
}

// By pattern, for formats of at most 8 bits.
template <SmallFloatFormat kFormat>
constexpr std::array<float, 256> MakeDecodeTable() {
  std::array<float, 256> table{};
  for (uint32_t pattern = 0; pattern < 256; ++pattern) {
    table[pattern] = DecodeSmallFloat(kFormat, pattern);
  }
  return table;
}
template <SmallFloatFormat kFormat>
inline constexpr std::array<float, 256> kDecodeTable = MakeDecodeTable<kFormat>();

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_SMALL_FLOAT_H_

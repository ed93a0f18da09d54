// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ELEMENT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ELEMENT_H_

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "reference_plugin/cpu/math/round_to_odd.h"

// Element types in memory and their conversions, as ConvertElement<To>(from). Branches are
// selections, so that loops of conversions vectorize.
namespace plinth::cpu::library {

struct Half {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};
struct Pred {
  uint8_t byte;
};

template <typename To, typename From>
inline To BitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

inline float ToFloat(BFloat16 x) { return BitsAs<float>(static_cast<uint32_t>(x.bits) << 16); }

inline float ToFloat(Half x) {
  // The exponent is rebased by a multiplication, which normalizes subnormal values too.
  const uint32_t magnitude = static_cast<uint32_t>(x.bits & 0x7fff) << 13;
  uint32_t result = BitsAs<uint32_t>(BitsAs<float>(magnitude) * 0x1p112f);
  result |= magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  return BitsAs<float>(result | static_cast<uint32_t>(x.bits & 0x8000) << 16);
}

inline BFloat16 ToBFloat16(float x) {
  const uint32_t bits = BitsAs<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t nan = (bits >> 16) | 0x40;
  return {static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded)};
}

inline Half ToHalf(float x) {
  const uint32_t bits = BitsAs<uint32_t>(x);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  // Subnormal results: an addition that aligns the last kept bit rounds to nearest even.
  const uint32_t small = BitsAs<uint32_t>(BitsAs<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t normal = (magnitude - 0x38000000u + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  uint32_t result = magnitude < 0x38800000u ? small : normal;
  result = magnitude >= 0x47800000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? 0x7e00u : result;
  return {static_cast<uint16_t>(result | sign)};
}

// An f32 that rounds to a narrower type as `x` does.
template <typename T>
inline float NearestOrOdd(T x) {
  if constexpr (sizeof(T) >= 4 && !std::is_same_v<T, float>) {
    return math::RoundToOdd(x);
  } else {
    return static_cast<float>(x);
  }
}

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Float to integer saturates and takes NaN to zero; complex to real drops the imaginary part;
// anything to pred is "is not zero".
template <typename To, typename From>
inline To ConvertElement(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, BFloat16>) {
    return ConvertElement<To>(ToFloat(from));
  } else if constexpr (std::is_same_v<From, Pred>) {
    return ConvertElement<To>(static_cast<uint8_t>(from.byte != 0));
  } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(from.real()),
              static_cast<typename To::value_type>(from.imag()));
  } else if constexpr (kIsComplex<From>) {
    return ConvertElement<To>(from.real());
  } else if constexpr (std::is_same_v<To, Pred>) {
    return {static_cast<uint8_t>(from != From())};
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(from), 0);
  } else if constexpr (std::is_same_v<To, Half>) {
    return ToHalf(NearestOrOdd(from));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return ToBFloat16(NearestOrOdd(from));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Limits = std::numeric_limits<To>;
    if (!(from == from)) return 0;
    if (from <= static_cast<From>(Limits::min())) return Limits::min();
    if (from >= static_cast<From>(Limits::max())) return Limits::max();
    return static_cast<To>(from);
  } else {
    return static_cast<To>(from);
  }
}

// PLINTH_FOR_EACH_ELEMENT(X): X(name of the DType, C++ type) for every type of a matrix product.
#define PLINTH_FOR_EACH_REAL_ELEMENT(X) \
  X(kPred, Pred)                        \
  X(kS8, int8_t)                        \
  X(kS16, int16_t)                      \
  X(kS32, int32_t)                      \
  X(kS64, int64_t)                      \
  X(kU8, uint8_t)                       \
  X(kU16, uint16_t)                     \
  X(kU32, uint32_t)                     \
  X(kU64, uint64_t)                     \
  X(kF16, Half)                         \
  X(kBF16, BFloat16)                    \
  X(kF32, float)                        \
  X(kF64, double)
#define PLINTH_FOR_EACH_ELEMENT(X) \
  PLINTH_FOR_EACH_REAL_ELEMENT(X)  \
  X(kC64, std::complex<float>)     \
  X(kC128, std::complex<double>)

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ELEMENT_H_

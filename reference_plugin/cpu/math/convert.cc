// SPDX-License-Identifier: Apache-2.0
// Conversions between the types of tile elements.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/convert.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <type_traits>

#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/round_to_odd.h"
#include "reference_plugin/cpu/math/tile_row.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::Opcode;

struct Pred {
  uint8_t value;
};
template <class T>
struct Complex {
  T re, im;
};
template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<Complex<T>> = true;

// Truncates; what is out of range answers the nearest bound of a `kBits` wide integer, NaN zero.
template <class To, int kBits, class From>
To Saturate(From x) {
  constexpr int kMagnitudeBits = kBits - (std::is_signed_v<To> ? 1 : 0);
  constexpr uint64_t kHalf = uint64_t{1} << (kMagnitudeBits - 1);
  constexpr From kEnd = static_cast<From>(kHalf) * 2;  // one above the largest
  constexpr From kLow = std::is_signed_v<To> ? -kEnd : From{0};
  constexpr To kLargest = static_cast<To>(kHalf - 1 + kHalf);
  constexpr To kSmallest =
      std::is_signed_v<To> ? static_cast<To>(-static_cast<int64_t>(kLargest) - 1) : To{0};
  using Wide = std::conditional_t<(sizeof(To) < 4), int32_t, To>;
  const bool in_range = x >= kLow && x < kEnd;
  const To inside = static_cast<To>(static_cast<Wide>(in_range ? x : From{0}));
  const To upper = x >= kEnd ? kLargest : inside;
  return x < kLow ? kSmallest : upper;
}

template <class From, class To>
struct ConvertTo {
  static To Apply(From x) {
    if constexpr (kIsComplex<From> && kIsComplex<To>) {
      return {static_cast<decltype(To::re)>(x.re), static_cast<decltype(To::im)>(x.im)};
    } else if constexpr (kIsComplex<To>) {
      return {ConvertTo<From, decltype(To::re)>::Apply(x), 0};
    } else if constexpr (kIsComplex<From>) {
      return ConvertTo<decltype(From::re), To>::Apply(x.re);
    } else if constexpr (std::is_same_v<To, Pred>) {
      if constexpr (std::is_same_v<From, Pred>) {
        return x;
      } else {
        return {static_cast<uint8_t>(x != 0)};
      }
    } else if constexpr (std::is_same_v<From, Pred>) {
      return static_cast<To>(x.value);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      return Saturate<To, 8 * sizeof(To)>(x);
    } else {
      return static_cast<To>(x);
    }
  }
};

template <class To, int kBits>
struct SaturateTo {
  template <class From>
  static To Apply(From x) {
    return Saturate<To, kBits>(x);
  }
};

// To f32 rounded to odd, for types of at most 16 bits.
struct ConvertToOdd {
  template <class From>
  static float Apply(From x) {
    if constexpr (kIsComplex<From>) {
      return RoundToOdd(x.re);
    } else {
      return RoundToOdd(x);
    }
  }
};

#define PLINTH_CONVERT(FromType, From, ToType, To) \
  {Opcode::kConvert, DType::FromType, DType::ToType, &MapUnary<ConvertTo<From, To>, From, To>},
#define PLINTH_CONVERT_FROM(FromType, From)            \
  PLINTH_CONVERT(FromType, From, kPred, Pred)          \
  PLINTH_CONVERT(FromType, From, kS8, int8_t)          \
  PLINTH_CONVERT(FromType, From, kS16, int16_t)        \
  PLINTH_CONVERT(FromType, From, kS32, int32_t)        \
  PLINTH_CONVERT(FromType, From, kS64, int64_t)        \
  PLINTH_CONVERT(FromType, From, kU8, uint8_t)         \
  PLINTH_CONVERT(FromType, From, kU16, uint16_t)       \
  PLINTH_CONVERT(FromType, From, kU32, uint32_t)       \
  PLINTH_CONVERT(FromType, From, kU64, uint64_t)       \
  PLINTH_CONVERT(FromType, From, kF32, float)          \
  PLINTH_CONVERT(FromType, From, kF64, double)         \
  PLINTH_CONVERT(FromType, From, kC64, Complex<float>) \
  PLINTH_CONVERT(FromType, From, kC128, Complex<double>)

#define PLINTH_SATURATE(FromType, From, ToType, To, bits) \
  {Opcode::kConvert, DType::FromType, DType::ToType, &MapUnary<SaturateTo<To, bits>, From, To>},
#define PLINTH_SATURATE_FROM(FromType, From)       \
  PLINTH_SATURATE(FromType, From, kS2, int8_t, 2)  \
  PLINTH_SATURATE(FromType, From, kS4, int8_t, 4)  \
  PLINTH_SATURATE(FromType, From, kU1, uint8_t, 1) \
  PLINTH_SATURATE(FromType, From, kU2, uint8_t, 2) \
  PLINTH_SATURATE(FromType, From, kU4, uint8_t, 4)

#define PLINTH_ODD(FromType, From)                                                       \
  {Opcode::kConvert, DType::FromType, DType::kF32, &MapUnary<ConvertToOdd, From, float>, \
   kRoundsToOdd},

// clang-format off
constexpr TileRow kRows[] = {
    PLINTH_CONVERT_FROM(kPred, Pred)
    PLINTH_CONVERT_FROM(kS8, int8_t)
    PLINTH_CONVERT_FROM(kS16, int16_t)
    PLINTH_CONVERT_FROM(kS32, int32_t)
    PLINTH_CONVERT_FROM(kS64, int64_t)
    PLINTH_CONVERT_FROM(kU8, uint8_t)
    PLINTH_CONVERT_FROM(kU16, uint16_t)
    PLINTH_CONVERT_FROM(kU32, uint32_t)
    PLINTH_CONVERT_FROM(kU64, uint64_t)
    PLINTH_CONVERT_FROM(kF32, float)
    PLINTH_CONVERT_FROM(kF64, double)
    PLINTH_CONVERT_FROM(kC64, Complex<float>)
    PLINTH_CONVERT_FROM(kC128, Complex<double>)
    // Narrow results: these come before the conversion to their tile type, and are finished too.
    PLINTH_SATURATE_FROM(kF32, float)
    PLINTH_SATURATE_FROM(kF64, double)
    // Before a rounding to a type of at most 16 bits; all others are exact in f32.
    PLINTH_ODD(kS32, int32_t)
    PLINTH_ODD(kS64, int64_t)
    PLINTH_ODD(kU32, uint32_t)
    PLINTH_ODD(kU64, uint64_t)
    PLINTH_ODD(kF64, double)
    PLINTH_ODD(kC128, Complex<double>)
};
// clang-format on
#undef PLINTH_CONVERT
#undef PLINTH_CONVERT_FROM
#undef PLINTH_SATURATE
#undef PLINTH_SATURATE_FROM
#undef PLINTH_ODD

std::span<const TileRow> GetConvertRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> ConvertRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetConvertRows);
}
}  // namespace plinth::cpu::math
#endif

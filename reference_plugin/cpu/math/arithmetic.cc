// SPDX-License-Identifier: Apache-2.0
// Arithmetic and rounding of floats, arithmetic of integers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/arithmetic.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "reference_plugin/cpu/math/extremes_of_floats-inl.h"
#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/tile_row.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::Opcode;

// Integers wrap: signed arithmetic is done on unsigned bits. Types narrower than int would be
// promoted to it, and an overflowing u16 product is undefined there.
template <class T>
using Bits = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <class T>
using FloatBits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

struct Add {
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a + b;
    } else {
      return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
    }
  }
};
struct Subtract {
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a - b;
    } else {
      return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
    }
  }
};
struct Multiply {
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a * b;
    } else {
      return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
    }
  }
};
struct Negate {
  template <class T>
  static T Apply(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      return -a;
    } else {
      return static_cast<T>(Bits<T>{0} - static_cast<Bits<T>>(a));
    }
  }
};
struct Abs {
  template <class T>
  static T Apply(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fabs(a);
    } else {
      return a < T{0} ? Negate::Apply(a) : a;
    }
  }
};
struct Sign {
  template <class T>
  static T Apply(T a) {
    if constexpr (std::is_floating_point_v<T>) {
      const T one = std::copysign(T{1}, a);
      return a < 0 || a > 0 ? one : a;  // zeros and NaN answer themselves
    } else {
      return static_cast<T>((a > T{0}) - (a < T{0}));
    }
  }
};

// Division by zero answers all ones, INT_MIN / -1 wraps; a remainder by zero is the dividend.
struct Divide {
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a / b;
    } else if constexpr (std::is_signed_v<T>) {
      if (b == 0) return T{-1};
      if (b == -1) return Negate::Apply(a);
      return static_cast<T>(a / b);
    } else {
      return b == 0 ? std::numeric_limits<T>::max() : static_cast<T>(a / b);
    }
  }
};
struct Remainder {
  template <class T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else if constexpr (std::is_signed_v<T>) {
      if (b == 0) return a;
      return b == -1 ? T{0} : static_cast<T>(a % b);
    } else {
      return b == 0 ? a : static_cast<T>(a % b);
    }
  }
};

// The same on vectors of 32 bits. No instruction set divides those; the quotient of doubles, cut
// off, is exact, since it is an integer or farther from the next one than rounding reaches.
struct DivideVectors {
  template <class D, class V>
  static V Apply(D d, V a, V b) {
    const V zero = hn::Zero(d), one = hn::Set(d, 1);
    const auto by_zero = hn::Eq(b, zero);
    if constexpr (std::is_signed_v<hn::TFromD<D>>) {
      const hn::Rebind<double, D> df;
      const V minus_one = hn::Set(d, -1);
      const auto by_minus_one = hn::Eq(b, minus_one);
      const V divisor = hn::IfThenElse(hn::Or(by_zero, by_minus_one), one, b);
      const V cut = hn::DemoteTo(d, hn::Div(hn::PromoteTo(df, a), hn::PromoteTo(df, divisor)));
      const V quotient = hn::IfThenElse(by_minus_one, hn::Sub(zero, a), cut);
      return hn::IfThenElse(by_zero, minus_one, quotient);
    } else {
      const V divisor = hn::IfThenElse(by_zero, one, b);
      const V quotient = FromDouble(d, hn::Floor(hn::Div(ToDouble(d, a), ToDouble(d, divisor))));
      return hn::IfThenElse(by_zero, hn::Set(d, std::numeric_limits<uint32_t>::max()), quotient);
    }
  }

 private:
  // Only signed numbers become doubles in one instruction everywhere.
  static constexpr uint32_t kSign = 0x80000000;
  template <class D, class V>
  static auto ToDouble(D d, V a) {
    const hn::Rebind<int32_t, D> di;
    const hn::Rebind<double, D> df;
    return hn::Add(hn::PromoteTo(df, hn::BitCast(di, hn::Xor(a, hn::Set(d, kSign)))),
                   hn::Set(df, double{kSign}));
  }
  template <class D, class F>
  static auto FromDouble(D d, F a) {
    const hn::Rebind<int32_t, D> di;
    const hn::Rebind<double, D> df;
    const auto shifted = hn::DemoteTo(di, hn::Sub(a, hn::Set(df, double{kSign})));
    return hn::Xor(hn::BitCast(d, shifted), hn::Set(d, kSign));
  }
};
struct RemainderVectors {
  template <class D, class V>
  static V Apply(D d, V a, V b) {
    return hn::Sub(a, hn::Mul(DivideVectors::Apply(d, a, b), b));
  }
};
template <class T>
using AsManyAsDoubles = hn::Rebind<T, hn::ScalableTag<double>>;

// The C library needs 15 ns for one. A quotient of doubles, cut off, is at most one too large or
// too small, and what it leaves is exact: of f32, as long as it has no more bits than a double has
// more than an f32; of f64 by a fused multiplication. The library is asked of other lanes.
struct RemainderOfFloats {
  template <class D, class V>
  static V Apply(D d, V a, V b) {
    using T = hn::TFromD<D>;
    const hn::Rebind<double, D> df;
    const auto dividend = ToDouble(df, a), divisor = hn::Abs(ToDouble(df, b));
    const auto magnitude = hn::Abs(dividend);
    const auto quotient = hn::Div(magnitude, divisor);
    const auto most = hn::Set(df, std::is_same_v<T, float> ? 0x1p29 : 0x1p52);
    const auto zero = hn::Zero(df);
    // Zeros, as what fills the last vector is, give a NaN here too.
    const auto is_known = hn::Or(hn::And(hn::Lt(quotient, most), hn::Lt(divisor, hn::Inf(df))),
                                 hn::Eq(hn::Add(magnitude, divisor), zero));
    auto rest = hn::NegMulAdd(hn::Trunc(quotient), divisor, magnitude);
    rest = hn::IfThenElse(hn::Lt(rest, zero), hn::Add(rest, divisor), rest);
    rest = hn::IfThenElse(hn::Ge(rest, divisor), hn::Sub(rest, divisor), rest);
    const V result = FromDouble(d, hn::CopySign(rest, dividend));
    if (hn::AllTrue(df, is_known)) return result;
    constexpr size_t kLanes = hn::MaxLanes(d);
    T results[kLanes], dividends[kLanes], divisors[kLanes];
    double known[kLanes];
    hn::StoreU(result, d, results);
    hn::StoreU(a, d, dividends);
    hn::StoreU(b, d, divisors);
    hn::StoreU(hn::IfThenElseZero(is_known, hn::Set(df, 1)), df, known);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      if (known[i] == 0) results[i] = Remainder::Apply(dividends[i], divisors[i]);
    }
    return hn::LoadU(d, results);
  }

 private:
  template <class DF, class V>
  static auto ToDouble(DF df, V a) {
    if constexpr (std::is_same_v<V, hn::Vec<DF>>) {
      return a;
    } else {
      return hn::PromoteTo(df, a);
    }
  }
  template <class D, class F>
  static auto FromDouble(D d, F a) {
    if constexpr (std::is_same_v<F, hn::Vec<D>>) {
      return a;
    } else {
      return hn::DemoteTo(d, a);
    }
  }
};

struct Maximum {
  template <class T>
  static T Apply(T a, T b) {
    return a > b ? a : b;
  }
};
struct Minimum {
  template <class T>
  static T Apply(T a, T b) {
    return a < b ? a : b;
  }
};
// Operands: lowest, value, highest: min(max(value, lowest), highest).
struct Clamp {
  template <class T>
  static T Apply(T low, T x, T high) {
    if constexpr (std::is_floating_point_v<T>) {
      using B = FloatBits<T>;
      const T both = std::bit_cast<T>(std::bit_cast<B>(x) & std::bit_cast<B>(low));
      const T raised = x == low ? both : x < low ? low : x;
      const T either = std::bit_cast<T>(std::bit_cast<B>(raised) | std::bit_cast<B>(high));
      const T cut = raised == high ? either : raised > high ? high : raised;
      const T bounds = low != low ? low : high;
      return bounds != bounds && x == x ? bounds : cut;
    } else {
      const T raised = x < low ? low : x;
      return raised > high ? high : raised;
    }
  }
};

// The sign of the operand also on zeros, which not every target's instruction gives.
struct Floor {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a) {
    return hn::CopySign(hn::Floor(a), a);
  }
};
struct Ceil {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a) {
    return hn::CopySign(hn::Ceil(a), a);
  }
};
struct RoundNearestEven {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a) {
    return hn::CopySign(hn::Round(a), a);
  }
};
struct RoundNearestAfz {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a) {
    const V whole = hn::Trunc(a);
    const V rest = hn::Abs(hn::Sub(a, whole));  // exact
    const V step = hn::IfThenElseZero(hn::Ge(rest, hn::Set(d, 0.5)), hn::Set(d, 1));
    return hn::CopySign(hn::Add(hn::Abs(whole), step), a);
  }
};
struct Sqrt {
  template <class T>
  static T Apply(T a) {
    return std::sqrt(a);
  }
};
struct Rsqrt {
  template <class T>
  static T Apply(T a) {
    return T{1} / std::sqrt(a);
  }
};
struct IsFinite {
  template <class T>
  static uint8_t Apply(T a) {
    return std::fabs(a) <= std::numeric_limits<T>::max();
  }
};

// Rounds to `mantissa_bits`, then to the range of `exponent_bits`: above it infinity, below its
// smallest normal number zero. A format with the exponents of the source keeps its subnormals,
// whose last place is that of the smallest normal number: of f16 they are normal numbers of T, and
// adding and taking away a power of two rounds them there. A format without mantissa has no NaN:
// infinity stands for it.
template <class T, int kSourceExponentBits>
void ReducePrecision(void* result, const void* a, const void*, const void*, size_t count,
                     const TileParameters& parameters) {
  using B = FloatBits<T>;
  constexpr int kMantissa = std::numeric_limits<T>::digits - 1;
  constexpr int kExponent = static_cast<int>(sizeof(T)) * 8 - 1 - kMantissa;
  constexpr B kMagnitude = ~B{0} >> 1;
  constexpr B kInfinity = ((B{1} << kExponent) - 1) << kMantissa;
  constexpr B kBias = (B{1} << (kExponent - 1)) - 1;
  const int drop = parameters.mantissa_bits < kMantissa ? kMantissa - parameters.mantissa_bits : 0;
  const B half = drop > 0 ? (B{1} << (drop - 1)) - 1 : 0;
  const B lowest = drop > 0 ? 1 : 0;
  const B keep = ~((B{1} << drop) - 1);
  B overflow = kInfinity;
  B underflow = 0;
  if (parameters.exponent_bits < kSourceExponentBits) {
    const B bias = (B{1} << (parameters.exponent_bits > 0 ? parameters.exponent_bits - 1 : 0)) - 1;
    overflow = (kBias + bias + 1) << kMantissa;
    underflow = (kBias - bias + 1) << kMantissa;
  }
  constexpr bool kWidened = kSourceExponentBits < kExponent;
  constexpr B kSourceBias = (B{1} << (kSourceExponentBits - 1)) - 1;
  constexpr B kSmallestNormal = (kBias - kSourceBias + 1) << kMantissa;
  const T magic = std::bit_cast<T>(kSmallestNormal + (static_cast<B>(drop) << kMantissa));
  const B nan = parameters.mantissa_bits > 0 ? ~B{0} : kInfinity;
  const T* x = static_cast<const T*>(a);
  T* r = static_cast<T*>(result);
  PLINTH_INDEPENDENT
  for (size_t i = 0; i < count; ++i) {
    const B bits = std::bit_cast<B>(x[i]);
    const B sign = bits & ~kMagnitude;
    const B magnitude = bits & kMagnitude;
    B rounded = (magnitude + half + ((magnitude >> drop) & lowest)) & keep;
    if constexpr (kWidened) {
      const B subnormal = std::bit_cast<B>((std::bit_cast<T>(magnitude) + magic) - magic);
      rounded = magnitude < kSmallestNormal ? subnormal : rounded;
    }
    rounded = rounded >= overflow ? kInfinity : rounded;
    rounded = rounded < underflow ? 0 : rounded;
    r[i] = std::bit_cast<T>(magnitude > kInfinity ? bits & nan : rounded | sign);
  }
}

#define PLINTH_UNARY(Op, Type, T) {Opcode::k##Op, DType::Type, DType::Type, &MapUnary<Op, T>},
#define PLINTH_BINARY(Op, Type, T) {Opcode::k##Op, DType::Type, DType::Type, &MapBinary<Op, T>},
#define PLINTH_TERNARY(Op, Type, T) \
  {Opcode::k##Op, DType::Type, DType::Type, &MapTernary<Op, T, T, T, T>},

#define PLINTH_VECTOR_UNARY(Op, Type, T) \
  {Opcode::k##Op, DType::Type, DType::Type, &VectorUnary<Op, T>},

// clang-format off
#define PLINTH_ANY_NUMBER(Type, T)  \
  PLINTH_BINARY(Add, Type, T)       \
  PLINTH_BINARY(Subtract, Type, T)  \
  PLINTH_BINARY(Multiply, Type, T)  \
  PLINTH_TERNARY(Clamp, Type, T)    \
  PLINTH_UNARY(Negate, Type, T)     \
  PLINTH_UNARY(Abs, Type, T)        \
  PLINTH_UNARY(Sign, Type, T)

#define PLINTH_DIVISION(Type, T) \
  PLINTH_BINARY(Divide, Type, T) \
  PLINTH_BINARY(Remainder, Type, T)

#define PLINTH_DIVISION_32(Type, T)                                                             \
  {Opcode::kDivide, DType::Type, DType::Type,                                                   \
   &VectorBinary<DivideVectors, T, AsManyAsDoubles<T>>},                                        \
  {Opcode::kRemainder, DType::Type, DType::Type,                                                \
   &VectorBinary<RemainderVectors, T, AsManyAsDoubles<T>>},

#define PLINTH_INTEGER(Type, T)     \
  PLINTH_ANY_NUMBER(Type, T)        \
  PLINTH_BINARY(Maximum, Type, T)   \
  PLINTH_BINARY(Minimum, Type, T)

#define PLINTH_FLOAT(Type, T)                                                              \
  PLINTH_ANY_NUMBER(Type, T)                                                               \
  PLINTH_BINARY(Divide, Type, T)                                                           \
  {Opcode::kMaximum, DType::Type, DType::Type, &VectorBinary<MaximumOfFloats, T>},         \
  {Opcode::kMinimum, DType::Type, DType::Type, &VectorBinary<MinimumOfFloats, T>},         \
  PLINTH_VECTOR_UNARY(Floor, Type, T)                                                      \
  PLINTH_VECTOR_UNARY(Ceil, Type, T)                                                       \
  PLINTH_VECTOR_UNARY(RoundNearestEven, Type, T)                                           \
  PLINTH_VECTOR_UNARY(RoundNearestAfz, Type, T)                                            \
  PLINTH_UNARY(Sqrt, Type, T)                                                              \
  PLINTH_UNARY(Rsqrt, Type, T)                                                             \
  {Opcode::kIsFinite, DType::Type, DType::kPred, &MapUnary<IsFinite, T, uint8_t>},

constexpr TileRow kRows[] = {
    PLINTH_INTEGER(kS8, int8_t)
    PLINTH_INTEGER(kS16, int16_t)
    PLINTH_INTEGER(kS32, int32_t)
    PLINTH_INTEGER(kS64, int64_t)
    PLINTH_INTEGER(kU8, uint8_t)
    PLINTH_INTEGER(kU16, uint16_t)
    PLINTH_INTEGER(kU32, uint32_t)
    PLINTH_INTEGER(kU64, uint64_t)
    PLINTH_DIVISION(kS8, int8_t)
    PLINTH_DIVISION(kS16, int16_t)
    PLINTH_DIVISION_32(kS32, int32_t)
    PLINTH_DIVISION(kS64, int64_t)
    PLINTH_DIVISION(kU8, uint8_t)
    PLINTH_DIVISION(kU16, uint16_t)
    PLINTH_DIVISION_32(kU32, uint32_t)
    PLINTH_DIVISION(kU64, uint64_t)
    PLINTH_FLOAT(kF32, float)
    PLINTH_FLOAT(kF64, double)
    {Opcode::kRemainder, DType::kF32, DType::kF32,
     &VectorBinary<RemainderOfFloats, float, AsManyAsDoubles<float>>},
#if HWY_TARGET <= HWY_AVX2
    {Opcode::kRemainder, DType::kF64, DType::kF64, &VectorBinary<RemainderOfFloats, double>},
#else
    PLINTH_BINARY(Remainder, kF64, double)
#endif
    {Opcode::kReducePrecision, DType::kF32, DType::kF32, &ReducePrecision<float, 8>},
    {Opcode::kReducePrecision, DType::kF64, DType::kF64, &ReducePrecision<double, 11>},
    {Opcode::kReducePrecision, DType::kF16, DType::kF16, &ReducePrecision<float, 5>},
};
// clang-format on
#undef PLINTH_UNARY
#undef PLINTH_BINARY
#undef PLINTH_TERNARY
#undef PLINTH_ANY_NUMBER
#undef PLINTH_FLOAT
#undef PLINTH_DIVISION
#undef PLINTH_DIVISION_32
#undef PLINTH_INTEGER
#undef PLINTH_VECTOR_UNARY

std::span<const TileRow> GetArithmeticRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> ArithmeticRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetArithmeticRows);
}
}  // namespace plinth::cpu::math
#endif

// SPDX-License-Identifier: Apache-2.0
// What the elementary functions are made of: constants, error-free sums and products, polynomials,
// the reductions of exp and log. Included once per target.
#if defined(PLINTH_REFERENCE_PLUGIN_CPU_MATH_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLINTH_REFERENCE_PLUGIN_CPU_MATH_VECTOR_MATH_INL_H_
#undef PLINTH_REFERENCE_PLUGIN_CPU_MATH_VECTOR_MATH_INL_H_
#else
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_VECTOR_MATH_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/float_constants.h"
#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/polynomials.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

template <class D>
using ConstantsOf = FloatConstants<hn::TFromD<D>>;

// hi + lo, |lo| at most about one unit in the last place of hi.
template <class V>
struct Pair {
  V hi, lo;
};

// a + b exactly, when |a| >= |b| or a is zero.
template <class V>
HWY_INLINE Pair<V> FastTwoSum(V a, V b) {
  const V sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

// a + b exactly.
template <class V>
HWY_INLINE Pair<V> TwoSum(V a, V b) {
  const V sum = hn::Add(a, b);
  const V b_part = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part))};
}

// a * b exactly, barring overflow and underflow.
template <class D, class V>
HWY_INLINE Pair<V> TwoProduct(D d, V a, V b) {
  const V product = hn::Mul(a, b);
#if HWY_NATIVE_FMA
  return {product, hn::MulSub(a, b, product)};
#else
  const V splitter = hn::Set(d, ConstantsOf<D>::kSplitter);
  const V a_scaled = hn::Mul(a, splitter), b_scaled = hn::Mul(b, splitter);
  const V a_hi = hn::Sub(a_scaled, hn::Sub(a_scaled, a)), a_lo = hn::Sub(a, a_hi);
  const V b_hi = hn::Sub(b_scaled, hn::Sub(b_scaled, b)), b_lo = hn::Sub(b, b_hi);
  V error = hn::Sub(hn::Mul(a_hi, b_hi), product);
  error = hn::Add(error, hn::Add(hn::Mul(a_hi, b_lo), hn::Mul(a_lo, b_hi)));
  return {product, hn::Add(error, hn::Mul(a_lo, b_lo))};
#endif
}

// f32 has room for a few roundings; f64, held to 2 ULP, carries pairs through.
template <class D>
inline constexpr bool kCompensated = sizeof(hn::TFromD<D>) == 8;

// numerator / denominator as a pair. 1 / denominator must neither overflow nor underflow.
template <class D, class V>
HWY_INLINE Pair<V> DividePairs(D d, Pair<V> numerator, Pair<V> denominator) {
  if constexpr (!kCompensated<D>) {
    return {hn::Div(hn::Add(numerator.hi, numerator.lo), hn::Add(denominator.hi, denominator.lo)),
            hn::Zero(d)};
  }
  const V reciprocal = hn::Div(hn::Set(d, 1), denominator.hi);
  const V quotient = hn::Mul(numerator.hi, reciprocal);
  const Pair<V> product = TwoProduct(d, quotient, denominator.hi);
  V rest = hn::Sub(hn::Sub(numerator.hi, product.hi), product.lo);
  rest = hn::Add(rest, hn::NegMulAdd(quotient, denominator.lo, numerator.lo));
  return FastTwoSum(quotient, hn::Mul(rest, reciprocal));
}

template <class D, class V, class T, size_t kCount>
HWY_INLINE V Polynomial(D d, V x, const T (&coefficients)[kCount]) {
  V sum = hn::Set(d, coefficients[kCount - 1]);
  HWY_UNROLL(16)
  for (size_t k = kCount - 1; k > 0; --k) {
    sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[k - 1]));
  }
  return sum;
}

// 2^n for integral n of the normal exponent range. Adding a large constant puts n into the low
// mantissa bits: conversions between f64 and s64 are slow before AVX-512.
template <class D, class V>
HWY_INLINE V MantissaToExponent(D d, V x) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<ConstantsOf<D>::kMantissaBits>(hn::BitCast(di, x)));
}
template <class D, class V>
HWY_INLINE V PowerOfTwo(D d, V n) {
  using C = ConstantsOf<D>;
  return MantissaToExponent(d, hn::Add(n, hn::Set(d, C::kRoundingMagic + C::kExponentBias)));
}

// The nearest integer of |x| < 2^(kMantissaBits - 2).
template <class D, class V>
HWY_INLINE V RoundSmall(D d, V x) {
  const V magic = hn::Set(d, ConstantsOf<D>::kRoundingMagic);
  return hn::Sub(hn::Add(x, magic), magic);
}

// x * 2^n in two steps, so that subnormal and overflowing results come out right.
template <class D, class V>
HWY_INLINE V ScaleByPowerOfTwo(D d, V x, V n) {
  const V half = RoundSmall(d, hn::Mul(n, hn::Set(d, 0.5)));
  return hn::Mul(hn::Mul(x, PowerOfTwo(d, half)), PowerOfTwo(d, hn::Sub(n, half)));
}

// x + x_lo = n ln 2 + remainder, and exp(remainder) = 1 + remainder + tail.
template <class V>
struct ExpReduction {
  V n, remainder, tail;
};

// |x| < 2 kExpLimit; a NaN stays one.
template <class D, class V>
HWY_INLINE ExpReduction<V> ReduceExp(D d, V x, V x_lo) {
  using C = ConstantsOf<D>;
  const V magic = hn::Set(d, C::kRoundingMagic);
  const V n = hn::Sub(hn::MulAdd(x, hn::Set(d, C::kLog2E), magic), magic);
  const V high = hn::NegMulAdd(n, hn::Set(d, C::kLn2Hi), x);
  const V low = hn::NegMulAdd(n, hn::Set(d, C::kLn2Lo), x_lo);
  const Pair<V> remainder =
      kCompensated<D> ? FastTwoSum(high, low) : Pair<V>{hn::Add(high, low), hn::Zero(d)};
  const V square = hn::Mul(remainder.hi, remainder.hi);
  const V polynomial = Polynomial(d, remainder.hi, kExpTail<hn::TFromD<D>>);
  return {n, remainder.hi, hn::MulAdd(square, polynomial, remainder.lo)};
}

// exp(x) = 2^n * fraction, of f32: no more than what its bits need.
template <class V>
struct ShortExp {
  V n, fraction;
};

// |x| < 2 kExpLimit; a NaN stays one.
template <class D, class V>
HWY_INLINE ShortExp<V> ReduceShortExp(D d, V x) {
  using C = ConstantsOf<D>;
  const V magic = hn::Set(d, C::kRoundingMagic), one = hn::Set(d, 1);
  const V n = hn::Sub(hn::MulAdd(x, hn::Set(d, C::kLog2E), magic), magic);
  const V high = hn::NegMulAdd(n, hn::Set(d, C::kLn2Hi), x);
  const V remainder = hn::NegMulAdd(n, hn::Set(d, C::kLn2Lo), high);
  const V slope = hn::MulAdd(Polynomial(d, remainder, kExpTail<hn::TFromD<D>>), remainder, one);
  return {n, hn::MulAdd(slope, remainder, one)};
}

// The lesser of both, for a constant; a NaN stays one.
template <class D, class V>
HWY_INLINE V AtMost(D d, hn::TFromD<D> limit, V x) {
  const V bound = hn::Set(d, limit);
#if HWY_ARCH_X86 && HWY_NATIVE_FMA
  return hn::Min(bound, x);  // answers a NaN on the right
#else
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
#endif
}

// Cuts |x| to `limit`, where results have long overflowed or underflowed; a NaN stays one.
template <class D, class V>
HWY_INLINE V CutMagnitude(D d, V x, hn::TFromD<D> limit) {
  const V bound = hn::Set(d, limit);
#if HWY_ARCH_X86 && HWY_NATIVE_FMA
  return hn::Max(hn::Set(d, -limit), hn::Min(bound, x));  // these answer a NaN on the right
#else
  return hn::IfThenElse(hn::Gt(hn::Abs(x), bound), hn::CopySign(bound, x), x);
#endif
}

// x = 2^k * m, m from sqrt(1/2) to sqrt(2), for normal and subnormal x > 0.
template <class V>
struct LogReduction {
  V k, m;
};

template <bool kMaybeSubnormal = true, class D, class V>
HWY_INLINE LogReduction<V> ReduceLog(D d, V x) {
  using C = ConstantsOf<D>;
  const hn::RebindToSigned<D> di;
  const hn::RebindToUnsigned<D> du;
  V bias = hn::Set(d, C::kExponentBias);
  if constexpr (kMaybeSubnormal) {
    const auto subnormal = hn::Lt(x, hn::Set(d, C::kMinNormal));
    x = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, C::kSubnormalScale)), x);
    bias = hn::IfThenElse(subnormal, hn::Set(d, C::kExponentBias + C::kSubnormalShift), bias);
  }
  const auto bits = hn::BitCast(di, x);
  const auto biased = hn::Add(bits, hn::Set(di, C::kOneBits - C::kSqrtHalfBits));
  const auto exponent = hn::BitCast(di, hn::ShiftRight<C::kMantissaBits>(hn::BitCast(du, biased)));
  const auto m =
      hn::Add(hn::Sub(bits, hn::ShiftLeft<C::kMantissaBits>(exponent)), hn::Set(di, C::kOneBits));
  const V magic = hn::Set(d, C::kRoundingMagic);
  const V k = hn::Sub(hn::BitCast(d, hn::Add(exponent, hn::BitCast(di, magic))), magic);
  return {hn::Sub(k, bias), hn::BitCast(d, m)};
}

// k ln 2 + log(1 + f) + correction, for a correction that is small beside the rest.
template <class D, class V>
HWY_INLINE V LogFromReduction(D d, V k, V f, V correction) {
  using C = ConstantsOf<D>;
  const V half_square = hn::Mul(hn::Mul(f, f), hn::Set(d, 0.5));
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, 2)));
  const V z = hn::Mul(s, s);
  const V series = hn::Mul(z, Polynomial(d, z, kLogTail<hn::TFromD<D>>));
  const V low = hn::MulAdd(k, hn::Set(d, C::kLn2Lo), correction);
  const V tail = hn::Sub(half_square, hn::MulAdd(s, hn::Add(half_square, series), low));
  return hn::MulAdd(k, hn::Set(d, C::kLn2Hi), hn::Sub(f, tail));
}

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_VECTOR_MATH_INL_H_

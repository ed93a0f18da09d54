// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan, atan2.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/trigonometric.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <cmath>

#include "reference_plugin/cpu/math/tile_row.h"
#include "reference_plugin/cpu/math/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::Opcode;

// x = quadrant * pi / 2 + hi + lo with |hi| <= pi / 4; the low bits of `quadrant` count.
template <class V, class VI>
struct AngleReduction {
  V hi, lo;
  VI quadrant;
};

template <class D, class V = hn::Vec<D>, class VI = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE AngleReduction<V, VI> ReduceAngle(D d, V x) {
  const hn::RebindToSigned<D> di;
  using C = ConstantsOf<D>;
  const V magic = hn::Set(d, C::kRoundingMagic);
  const V shifted = hn::MulAdd(x, hn::Set(d, C::kTwoOverPi), magic);
  const VI quadrant = hn::BitCast(di, shifted);
  const V n = hn::Sub(shifted, magic);
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    // With fused multiply-add each step is exact or errs by half a unit of its own result.
    V r = x;
    for (const float part : C::kHalfPi) r = hn::NegMulAdd(n, hn::Set(d, part), r);
    return {r, hn::Zero(d), quadrant};
  } else {
    // The first three parts of pi / 2 have 33 bits, so their products with n are exact.
    const V first = hn::NegMulAdd(n, hn::Set(d, 0x1.921fb544p+0), x);
    const Pair<V> second = TwoSum(first, hn::Neg(hn::Mul(n, hn::Set(d, 0x1.0b4611a6p-34))));
    const Pair<V> third = TwoSum(second.hi, hn::Neg(hn::Mul(n, hn::Set(d, 0x1.3198a2e0p-69))));
    V low = hn::Add(second.lo, third.lo);
    low = hn::NegMulAdd(n, hn::Set(d, 0x1.b839a252049c1p-104), low);
    const Pair<V> remainder = FastTwoSum(third.hi, low);
    return {remainder.hi, remainder.lo, quadrant};
  }
}

// sin(hi + lo), unnormalized: the low part carries the series.
template <class D, class V>
HWY_INLINE Pair<V> SineKernel(D d, V hi, V lo) {
  const V z = hn::Mul(hi, hi);
  const V cube = hn::Mul(hi, z);
  V tail = hn::NegMulAdd(hn::Mul(z, hn::Set(d, 0.5)), lo, lo);
  tail = hn::MulAdd(cube, Polynomial(d, z, kSinTail<hn::TFromD<D>>), tail);
  return {hi, tail};
}

template <class D, class V>
HWY_INLINE Pair<V> CosineKernel(D d, V hi, V lo) {
  const V one = hn::Set(d, 1);
  const V z = hn::Mul(hi, hi);
  const V half_z = hn::Mul(z, hn::Set(d, 0.5));
  const V main = hn::Sub(one, half_z);
  V tail = hn::Sub(hn::Sub(one, main), half_z);
  // The rounding error of hi * hi matters where the result is used as a pair.
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const V error = TwoProduct(d, hi, hi).lo;
    tail = hn::NegMulAdd(error, hn::Set(d, 0.5), tail);
  }
  tail = hn::NegMulAdd(hi, lo, tail);
  tail = hn::MulAdd(hn::Mul(z, z), Polynomial(d, z, kCosTail<hn::TFromD<D>>), tail);
  return {main, tail};
}

// Outside of what ReduceAngle can do, lane by lane through the C library's exact reduction.
template <class Op, class D, class V, class M>
HWY_NOINLINE V PatchLanes(D d, V x, V y, M mask) {
  using T = hn::TFromD<D>;
  constexpr size_t kLanes = hn::MaxLanes(d);
  HWY_ALIGN T arguments[kLanes];
  HWY_ALIGN T results[kLanes];
  HWY_ALIGN T chosen[kLanes];
  hn::Store(x, d, arguments);
  hn::Store(y, d, results);
  hn::Store(hn::IfThenElseZero(mask, hn::Set(d, 1)), d, chosen);
  for (size_t i = 0; i < kLanes; ++i) {
    if (chosen[i] != 0) results[i] = static_cast<T>(Op::Reference(double{arguments[i]}));
  }
  return hn::Load(d, results);
}

template <class Op>
struct AngleFunction {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    const V magnitude = hn::Abs(x);
#if !HWY_NATIVE_FMA
    if constexpr (sizeof(hn::TFromD<D>) == 4) return PatchLanes<Op>(d, x, x, hn::Eq(x, x));
#endif
    const V limit = hn::Set(d, ConstantsOf<D>::kAngleLimit);
    const auto [hi, lo, quadrant] = ReduceAngle(d, x);
    V y = Op::Compute(d, hi, lo, quadrant);
    const auto is_large = hn::Gt(magnitude, limit);
    if (HWY_UNLIKELY(!hn::AllFalse(d, is_large))) y = PatchLanes<Op>(d, x, y, is_large);
    if constexpr (Op::kIsOdd) y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // keeps -0
    return y;
  }
};

template <class D, class VI>
HWY_INLINE auto IsOddQuadrant(D d, VI quadrant) {
  const hn::RebindToSigned<D> di;
  const VI one = hn::Set(di, 1);
  return hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(di, hn::Eq(hn::And(quadrant, one), one))));
}

// sin of the angle whose quadrant was counted up by the caller: by one, it is the cosine.
template <class D, class V, class VI>
HWY_INLINE V SineOfQuadrant(D d, V hi, V lo, VI quadrant) {
  using T = hn::TFromD<D>;
  const hn::RebindToSigned<D> di;
  V sine, cosine;
  if constexpr (sizeof(T) == 4) {  // nothing is in the low part
    const V z = hn::Mul(hi, hi);
    sine = hn::MulAdd(hn::Mul(hi, z), Polynomial(d, z, kSinTail<T>), hi);
    const V slope = hn::MulAdd(Polynomial(d, z, kCosTail<T>), z, hn::Set(d, -0.5f));
    cosine = hn::MulAdd(slope, z, hn::Set(d, 1));
  } else {
    const Pair<V> sines = SineKernel(d, hi, lo), cosines = CosineKernel(d, hi, lo);
    sine = hn::Add(sines.hi, sines.lo);
    cosine = hn::Add(cosines.hi, cosines.lo);
  }
  const V y = hn::IfThenElse(IsOddQuadrant(d, quadrant), cosine, sine);
  constexpr int kSignShift = 8 * static_cast<int>(sizeof(hn::TFromD<D>)) - 2;
  const VI sign = hn::ShiftLeft<kSignShift>(hn::And(quadrant, hn::Set(di, 2)));
  return hn::Xor(y, hn::BitCast(d, sign));
}

struct Sine : AngleFunction<Sine> {
  static constexpr bool kIsOdd = true;
  static double Reference(double x) { return std::sin(x); }
  template <class D, class V, class VI>
  static HWY_INLINE V Compute(D d, V hi, V lo, VI quadrant) {
    return SineOfQuadrant(d, hi, lo, quadrant);
  }
};

struct Cosine : AngleFunction<Cosine> {
  static constexpr bool kIsOdd = false;
  static double Reference(double x) { return std::cos(x); }
  template <class D, class V, class VI>
  static HWY_INLINE V Compute(D d, V hi, V lo, VI quadrant) {
    const hn::RebindToSigned<D> di;
    return SineOfQuadrant(d, hi, lo, hn::Add(quadrant, hn::Set(di, 1)));
  }
};

struct Tan : AngleFunction<Tan> {
  static constexpr bool kIsOdd = true;
  static double Reference(double x) { return std::tan(x); }
  template <class D, class V, class VI>
  static HWY_INLINE V Compute(D d, V hi, V lo, VI quadrant) {
    Pair<V> sine = SineKernel(d, hi, lo);
    Pair<V> cosine = CosineKernel(d, hi, lo);
    sine = FastTwoSum(sine.hi, sine.lo);
    cosine = FastTwoSum(cosine.hi, cosine.lo);
    const auto is_odd = IsOddQuadrant(d, quadrant);
    const Pair<V> numerator = {hn::IfThenElse(is_odd, hn::Neg(cosine.hi), sine.hi),
                               hn::IfThenElse(is_odd, hn::Neg(cosine.lo), sine.lo)};
    const Pair<V> denominator = {hn::IfThenElse(is_odd, sine.hi, cosine.hi),
                                 hn::IfThenElse(is_odd, sine.lo, cosine.lo)};
    const Pair<V> quotient = DividePairs(d, numerator, denominator);
    return hn::Add(quotient.hi, quotient.lo);
  }
};

// atan of the smaller over the larger magnitude, folded at tan(pi / 8), then put into its octant.
struct Atan2 {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V y, V x) {
    using T = hn::TFromD<D>;
    using C = ConstantsOf<D>;
    const V zero = hn::Zero(d);
    V magnitude_x = hn::Abs(x), magnitude_y = hn::Abs(y);
    const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    const auto both_infinite =
        hn::And(hn::Eq(magnitude_x, infinity), hn::Eq(magnitude_y, infinity));
    const auto swap = hn::Gt(magnitude_y, magnitude_x);
    V larger = hn::IfThenElse(swap, magnitude_y, magnitude_x);
    V smaller = hn::IfThenElse(swap, magnitude_x, magnitude_y);
    // Keeps sums, reciprocals and residuals in range. Only the quotient matters.
    const auto is_huge = hn::Gt(larger, hn::Set(d, C::kHuge));
    const auto is_tiny =
        hn::And(hn::Lt(smaller, hn::Set(d, C::kTiny)), hn::Lt(larger, hn::Set(d, C::kModerate)));
    const V scale = hn::IfThenElse(is_huge, hn::Set(d, C::kScaleDown),
                                   hn::IfThenElse(is_tiny, hn::Set(d, C::kScaleUp), hn::Set(d, 1)));
    larger = hn::Mul(larger, scale);
    smaller = hn::Mul(smaller, scale);
    // Infinity over infinity is one here; zero over zero is zero.
    larger = hn::IfThenElse(both_infinite, hn::Set(d, 1), larger);
    smaller = hn::IfThenElse(both_infinite, hn::Set(d, 1), smaller);
    const auto both_zero = hn::Eq(larger, zero);
    larger = hn::IfThenElse(both_zero, hn::Set(d, 1), larger);
    const auto infinite_larger = hn::Eq(larger, infinity);
    larger = hn::IfThenElse(infinite_larger, hn::Set(d, 1), larger);
    smaller = hn::IfThenElse(infinite_larger, hn::Mul(smaller, zero), smaller);

    const auto fold = hn::Gt(smaller, hn::Mul(larger, hn::Set(d, T(0.41421356237309503))));
    const Pair<V> difference = TwoSum(smaller, hn::Neg(larger));
    const Pair<V> sum = FastTwoSum(larger, smaller);
    const Pair<V> numerator = {hn::IfThenElse(fold, difference.hi, smaller),
                               hn::IfThenElseZero(fold, difference.lo)};
    const Pair<V> denominator = {hn::IfThenElse(fold, sum.hi, larger),
                                 hn::IfThenElseZero(fold, sum.lo)};
    const Pair<V> t = DividePairs(d, numerator, denominator);
    const V z = hn::Mul(t.hi, t.hi);
    const V cube = hn::Mul(t.hi, z);
    V low = hn::MulAdd(cube, Polynomial(d, z, kAtanTail<T>), t.lo);
    V high = t.hi;
    // Angle = base + sign * (high + low), base a multiple of pi / 4 as a pair.
    const auto negative_x = hn::Lt(hn::CopySign(hn::Set(d, 1), x), zero);  // also for -0
    // Octants: fold adds pi/4, swap reflects at pi/2 - angle, negative x reflects at pi - angle.
    V base = hn::IfThenElseZero(fold, hn::Set(d, 1));
    base = hn::IfThenElse(swap, hn::Sub(hn::Set(d, 2), base), base);
    base = hn::IfThenElse(negative_x, hn::Sub(hn::Set(d, 4), base), base);
    const V sign = hn::IfThenElse(hn::Xor(swap, negative_x), hn::Set(d, -1), hn::Set(d, 1));
    high = hn::Mul(high, sign);
    low = hn::Mul(low, sign);
    const Pair<V> quarter = TwoProduct(d, base, hn::Set(d, C::kQuarterPi));
    const V base_low = hn::MulAdd(base, hn::Set(d, C::kQuarterPiLow), quarter.lo);
    const Pair<V> angle = FastTwoSum(quarter.hi, high);
    const V result = hn::Add(angle.hi, hn::Add(angle.lo, hn::Add(low, base_low)));
    const auto is_nan = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
    return hn::IfThenElse(is_nan, hn::Add(x, y), hn::CopySign(result, y));
  }
};

#define PLINTH_ROWS(Name, Kind)                                            \
  {Opcode::k##Name, DType::kF32, DType::kF32, &Vector##Kind<Name, float>}, \
      {Opcode::k##Name, DType::kF64, DType::kF64, &Vector##Kind<Name, double>},

constexpr TileRow kRows[] = {PLINTH_ROWS(Sine, Unary) PLINTH_ROWS(Cosine, Unary)
                                 PLINTH_ROWS(Tan, Unary) PLINTH_ROWS(Atan2, Binary)};
#undef PLINTH_ROWS

std::span<const TileRow> GetTrigonometricRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> TrigonometricRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetTrigonometricRows);
}
}  // namespace plinth::cpu::math
#endif

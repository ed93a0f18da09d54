// SPDX-License-Identifier: Apache-2.0
// exp, log and their relatives.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/exponential.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <iterator>

#include "reference_plugin/cpu/math/tile_row.h"
#include "reference_plugin/cpu/math/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::Opcode;

// Whether all of exp(x) and exp(-x) are normal numbers: then one multiplication scales them. Both
// ways give the same bits, so that a result does not depend on its neighbours.
template <class D, class V>
HWY_INLINE bool HasNormalExp(D d, V x) {
  return hn::AllTrue(d, hn::Lt(hn::Abs(x), hn::Set(d, ConstantsOf<D>::kExpNormal)));
}

struct ExponentialOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    if (HWY_LIKELY(HasNormalExp(d, x))) return Normal(d, x);
    // What underflows, as masked attention does, is answered without computing it: processors take
    // a hundred cycles for a number that becomes subnormal.
    const auto vanishes = hn::Lt(x, hn::Set(d, ConstantsOf<D>::kExpVanishes));
    const V kept = hn::IfThenZeroElse(vanishes, x);
    return hn::IfThenZeroElse(vanishes,
                              HasNormalExp(d, kept) ? Normal(d, kept) : Subnormal(d, kept));
  }

 private:
  template <class D, class V>
  static HWY_INLINE V Normal(D d, V x) {
    if constexpr (!kCompensated<D>) {
      const auto [n, fraction] = ReduceShortExp(d, x);
      return hn::Mul(fraction, PowerOfTwo(d, n));
    }
    const auto [n, remainder, tail] = ReduceExp(d, x, hn::Zero(d));
    return hn::Mul(hn::Add(hn::Set(d, 1), hn::Add(remainder, tail)), PowerOfTwo(d, n));
  }

  template <class D, class V>
  static HWY_INLINE V Subnormal(D d, V x) {
    const V cut = CutMagnitude(d, x, ConstantsOf<D>::kExpLimit);
    if constexpr (!kCompensated<D>) {
      const auto [n, fraction] = ReduceShortExp(d, cut);
      return ScaleByPowerOfTwo(d, fraction, n);
    }
    const auto [n, remainder, tail] = ReduceExp(d, cut, hn::Zero(d));
    return ScaleByPowerOfTwo(d, hn::Add(hn::Set(d, 1), hn::Add(remainder, tail)), n);
  }
};

// exp(x) - 1 as a pair, for |x| up to kExpLimit. Halves are taken so that 2^n does not overflow
// before the result does.
template <class D, class V>
HWY_INLINE Pair<V> ExpMinusOnePair(D d, V x) {
  const auto [n, remainder, tail] = ReduceExp(d, x, hn::Zero(d));
  const Pair<V> fraction = FastTwoSum(remainder, tail);
  const V half_scale = PowerOfTwo(d, hn::Sub(n, hn::Set(d, 1)));
  const V half_offset = hn::Sub(half_scale, hn::Set(d, 0.5));
  const V product = hn::Mul(half_scale, fraction.hi);
  if constexpr (!kCompensated<D>) {
    const V sum = hn::MulAdd(half_scale, fraction.hi, half_offset);
    return {hn::Add(sum, sum), hn::Zero(d)};
  }
  const Pair<V> sum = FastTwoSum(half_offset, product);
  const V low = hn::MulAdd(half_scale, fraction.lo, sum.lo);
  return {hn::Add(sum.hi, sum.hi), hn::Add(low, low)};
}

struct ExponentialMinusOneOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    using C = ConstantsOf<D>;
    V cut = hn::IfThenElse(hn::Lt(x, hn::Set(d, -C::kMinusOneLimit)),
                           hn::Set(d, -C::kMinusOneLimit), x);
    const auto overflows = hn::Gt(x, hn::Set(d, C::kExpOverflow));
    cut = hn::IfThenElse(overflows, hn::Zero(d), cut);
    const Pair<V> result = ExpMinusOnePair(d, cut);
    V y = hn::Add(result.hi, result.lo);
    y = hn::IfThenElse(overflows, hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity()), y);
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // keeps -0
  }
};

struct LogOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    using T = hn::TFromD<D>;
    const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    const V min_normal = hn::Set(d, ConstantsOf<D>::kMinNormal);
    if (HWY_LIKELY(hn::AllTrue(d, hn::And(hn::Ge(x, min_normal), hn::Lt(x, infinity))))) {
      const auto [k, m] = ReduceLog<false>(d, x);
      return LogFromReduction(d, k, hn::Sub(m, hn::Set(d, 1)), hn::Zero(d));
    }
    const auto [k, m] = ReduceLog(d, x);
    const V y = LogFromReduction(d, k, hn::Sub(m, hn::Set(d, 1)), hn::Zero(d));
    const auto is_regular = hn::And(hn::Gt(x, hn::Zero(d)), hn::Lt(x, infinity));
    const V special = hn::IfThenElse(
        hn::Eq(x, hn::Zero(d)), hn::Neg(infinity),
        hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Set(d, std::numeric_limits<T>::quiet_NaN()),
                       hn::Add(x, x)));  // infinity and NaN
    return hn::IfThenElse(is_regular, y, special);
  }
};

struct LogPlusOneOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    using T = hn::TFromD<D>;
    const V infinity = hn::Set(d, std::numeric_limits<T>::infinity());
    const V one = hn::Set(d, 1);
    const Pair<V> sum = TwoSum(one, x);
    const auto [k, m] = ReduceLog(d, sum.hi);
    // With k = 0 x itself is the exact argument of the series.
    const auto is_small = hn::Eq(k, hn::Zero(d));
    const V f = hn::IfThenElse(is_small, x, hn::Sub(m, one));
    const V correction = hn::IfThenZeroElse(is_small, hn::Div(sum.lo, sum.hi));
    V y = LogFromReduction(d, k, f, correction);
    y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);  // keeps -0
    const auto is_regular = hn::And(hn::Gt(sum.hi, hn::Zero(d)), hn::Lt(x, infinity));
    const V special = hn::IfThenElse(
        hn::Eq(sum.hi, hn::Zero(d)), hn::Neg(infinity),
        hn::IfThenElse(hn::Lt(sum.hi, hn::Zero(d)), hn::Set(d, std::numeric_limits<T>::quiet_NaN()),
                       hn::Add(x, x)));
    return hn::IfThenElse(is_regular, y, special);
  }
};

// tanh |x| = -t / (2 + t) with t = exp(-2 |x|) - 1. For f32 all is halved: s / (1 - s), s = -t / 2.
struct TanhOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    using C = ConstantsOf<D>;
    if constexpr (!kCompensated<D>) {
      const V magnitude = AtMost(d, C::kMinusOneLimit / 2, hn::Abs(x));
      // In the low bits of `biased` is -n, to which the bias of an exponent is added.
      const V magic = hn::Set(d, C::kRoundingMagic + C::kExponentBias);
      const V biased = hn::NegMulAdd(magnitude, hn::Set(d, 2 * C::kLog2E), magic);
      const V minus_n = hn::Sub(biased, magic);
      // What ln 2 lacks, n times, is lost in 2^-n of it.
      const V half = hn::NegMulSub(minus_n, hn::Set(d, C::kLn2 / 2), magnitude);
      const V fraction =
          hn::MulAdd(hn::Mul(half, half), Polynomial(d, half, kHalfExpTail<float>), half);
      const V power = MantissaToExponent(d, biased), point_five = hn::Set(d, 0.5f);
      const V s = hn::NegMulAdd(power, fraction, hn::NegMulAdd(power, point_five, point_five));
      return hn::CopySignToAbs(hn::Div(s, hn::Sub(hn::Set(d, 1), s)), x);
    }
    V argument = hn::Mul(hn::Abs(x), hn::Set(d, -2));
    const V limit = hn::Set(d, -C::kMinusOneLimit);
    argument = hn::IfThenElse(hn::Lt(argument, limit), limit, argument);
    const Pair<V> t = ExpMinusOnePair(d, argument);
    Pair<V> denominator = FastTwoSum(hn::Set(d, 2), t.hi);
    denominator.lo = hn::Add(denominator.lo, t.lo);
    const Pair<V> quotient = DividePairs(d, t, denominator);
    return hn::CopySign(hn::Add(quotient.hi, quotient.lo), x);
  }
};

// 1 / (1 + exp(-x)), and exp(x) / (1 + exp(x)) for negative x.
struct LogisticOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    const V one = hn::Set(d, 1);
    const auto is_negative = hn::Lt(x, hn::Zero(d));
    if constexpr (!kCompensated<D>) {
      const V e = ExponentialOp::Apply(d, hn::Neg(hn::Abs(x)));
      return hn::Div(hn::IfThenElse(is_negative, e, one), hn::Add(one, e));
    }
    const V cut = CutMagnitude(d, x, ConstantsOf<D>::kExpLimit);
    const auto [n, remainder, tail] = ReduceExp(d, hn::Neg(hn::Abs(cut)), hn::Zero(d));
    Pair<V> e = FastTwoSum(one, remainder);
    e = FastTwoSum(e.hi, hn::Add(e.lo, tail));
    e = {ScaleByPowerOfTwo(d, e.hi, n), ScaleByPowerOfTwo(d, e.lo, n)};
    Pair<V> denominator = FastTwoSum(one, e.hi);
    denominator.lo = hn::Add(denominator.lo, e.lo);
    const Pair<V> numerator = {hn::IfThenElse(is_negative, e.hi, one),
                               hn::IfThenElseZero(is_negative, e.lo)};
    const Pair<V> quotient = DividePairs(d, numerator, denominator);
    return hn::Add(quotient.hi, quotient.lo);
  }
};

// The lanes' entries of a table of eight, by the last three bits of a number.
template <class D, class Numbers>
HWY_INLINE hn::Vec<D> LookUp(D d, const float (&table)[8], Numbers numbers) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return hn::Vec<D>{
      _mm512_permutexvar_ps(numbers.raw, _mm512_broadcast_f32x8(_mm256_loadu_ps(table)))};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<D>{_mm256_permutevar8x32_ps(_mm256_loadu_ps(table), numbers.raw)};
#else
  const hn::RebindToSigned<D> di;
  int32_t places[hn::MaxLanes(d)];
  float entries[hn::MaxLanes(d)];
  hn::StoreU(numbers, di, places);
  for (size_t i = 0; i < hn::MaxLanes(d); ++i) entries[i] = table[places[i] & 7];
  return hn::LoadU(d, entries);
#endif
}

// Zeros keep their sign.
struct ErfOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    const V cut = AtMost(d, ConstantsOf<D>::kErfLimit, hn::Abs(x));
    return hn::CopySignToAbs(OfMagnitude(d, cut), x);
  }

 private:
  template <class D, class V>
  static HWY_INLINE V OfMagnitude(D d, V x) {
    using T = hn::TFromD<D>;
    using C = ConstantsOf<D>;
    const V one = hn::Set(d, 1);
    if constexpr (!kCompensated<D>) {
      // The nearest centre's number is in the last bits.
      const V magic = hn::Set(d, C::kRoundingMagic);
      const hn::RebindToSigned<D> di;
      const auto number = hn::BitCast(di, hn::MulAdd(x, hn::Set(d, 1 / kErfStep), magic));
      const V t = hn::Sub(x, LookUp(d, kErfCentres, number));
      constexpr size_t kDegree = std::size(kErfSlopes) - 1;
      V slope = LookUp(d, kErfSlopes[kDegree], number);
      for (size_t k = kDegree; k-- > 0;) {
        slope = hn::MulAdd(slope, t, LookUp(d, kErfSlopes[k], number));
      }
      // Of the first interval x itself, which no later one's is as small as.
      const V start = hn::Max(LookUp(d, kErfAtCentres, number), AtMost(d, C::kErfFirst, x));
      return hn::MulAdd(slope, t, start);
    } else {
      const V small = hn::MulAdd(x, Polynomial(d, hn::Mul(x, x), kErfRatio<T>), x);
      const V centre = hn::Set(d, kErfcCentre);
      const V reciprocal = hn::Div(one, hn::Add(x, centre));
      const V t = hn::Mul(hn::Sub(x, centre), reciprocal);
      const V scaled = hn::Mul(Polynomial(d, t, kErfcScaled<T>), reciprocal);
      const Pair<V> square = TwoProduct(d, x, x);
      const auto [n, remainder, tail] = ReduceExp(d, hn::Neg(square.hi), hn::Neg(square.lo));
      const V exponential = hn::Mul(hn::Add(one, hn::Add(remainder, tail)), PowerOfTwo(d, n));
      const V large = hn::NegMulAdd(exponential, scaled, one);
      return hn::IfThenElse(hn::Gt(x, hn::Set(d, C::kErfSmall)), large, small);
    }
  }
};

// A seed, refined by Halley's rule; the last step starts from a value so short that its square is
// exact.
struct CbrtOp {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x) {
    using T = hn::TFromD<D>;
    using C = ConstantsOf<D>;
    const hn::RebindToSigned<D> di;
    const V magnitude = hn::Abs(x);
    const auto [k_reduced, m_reduced] = ReduceLog(d, magnitude);
    // m from 1 to 2.
    const auto below_one = hn::Lt(m_reduced, hn::Set(d, 1));
    const V m = hn::IfThenElse(below_one, hn::Add(m_reduced, m_reduced), m_reduced);
    const V k = hn::IfThenElse(below_one, hn::Sub(k_reduced, hn::Set(d, 1)), k_reduced);
    // k = 3 third + rest, rest in -1, 0, 1.
    const V third = RoundSmall(d, hn::Mul(k, hn::Set(d, T(1) / 3)));
    const V rest = hn::NegMulAdd(third, hn::Set(d, 3), k);
    const V scaled = hn::Mul(m, PowerOfTwo(d, rest));
    const V root = hn::IfThenElse(
        hn::Eq(rest, hn::Zero(d)), hn::Set(d, 1),
        hn::IfThenElse(hn::Gt(rest, hn::Zero(d)), hn::Set(d, T(0x1.428a2f98d728bp+0)),
                       hn::Set(d, T(0x1.965fea53d6e3dp-1))));  // cbrt(2), cbrt(1/2)
    V t = hn::Mul(Polynomial(d, m, kCbrtSeed<T>), root);
    if constexpr (sizeof(T) == 8) t = Halley(scaled, t);
    const auto mask = hn::Set(di, C::kShortMask);
    t = hn::BitCast(d, hn::And(hn::BitCast(di, t), mask));
    t = Halley(scaled, t);
    const V y = hn::CopySign(hn::Mul(t, PowerOfTwo(d, third)), x);
    const auto is_regular =
        hn::And(hn::Gt(magnitude, hn::Zero(d)),
                hn::Lt(magnitude, hn::Set(d, std::numeric_limits<T>::infinity())));
    return hn::IfThenElse(is_regular, y, hn::Add(x, x));
  }

  template <class V>
  static HWY_INLINE V Halley(V x, V t) {
    const V ratio = hn::Div(x, hn::Mul(t, t));
    const V step = hn::Div(hn::Sub(ratio, t), hn::Add(hn::Add(t, t), ratio));
    return hn::MulAdd(t, step, t);
  }
};

#define PLINTH_ROWS(Name)                                                     \
  {Opcode::k##Name, DType::kF32, DType::kF32, &VectorUnary<Name##Op, float>}, \
      {Opcode::k##Name, DType::kF64, DType::kF64, &VectorUnary<Name##Op, double>},

constexpr TileRow kRows[] = {PLINTH_ROWS(Exponential) PLINTH_ROWS(ExponentialMinusOne)
                                 PLINTH_ROWS(Log) PLINTH_ROWS(LogPlusOne) PLINTH_ROWS(Tanh)
                                     PLINTH_ROWS(Logistic) PLINTH_ROWS(Erf) PLINTH_ROWS(Cbrt)};
#undef PLINTH_ROWS

std::span<const TileRow> GetExponentialRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> ExponentialRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetExponentialRows);
}
}  // namespace plinth::cpu::math
#endif

// SPDX-License-Identifier: Apache-2.0
// power of floats. The logarithm is kept to about 65 bits, so that y log(x) has the bits that its
// exponential needs; f32 is computed in f64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/power.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>

#include "reference_plugin/cpu/math/tile_row.h"
#include "reference_plugin/cpu/math/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::Opcode;

// log x for finite x > 0.
template <class D, class V>
HWY_INLINE Pair<V> LogPair(D d, V x) {
  using C = ConstantsOf<D>;
  const V one = hn::Set(d, 1);
  const auto [k, m] = ReduceLog(d, x);
  const V f = hn::Sub(m, one);  // exact
  // log m = 2 s + 2/3 s^3 + s^5 Q(s^2), s = f / (2 + f).
  const Pair<V> s = DividePairs(d, Pair<V>{f, hn::Zero(d)}, TwoSum(m, one));
  Pair<V> z = TwoProduct(d, s.hi, s.hi);
  z.lo = hn::MulAdd(hn::Add(s.hi, s.hi), s.lo, z.lo);
  Pair<V> cube = TwoProduct(d, z.hi, s.hi);
  cube.lo = hn::Add(cube.lo, hn::MulAdd(z.hi, s.lo, hn::Mul(z.lo, s.hi)));
  const V two_thirds = hn::Set(d, 0x1.5555555555555p-1);
  Pair<V> second = TwoProduct(d, cube.hi, two_thirds);
  second.lo = hn::MulAdd(cube.lo, two_thirds, second.lo);
  second.lo = hn::MulAdd(cube.hi, hn::Set(d, 0x1.5555555555555p-55), second.lo);
  const V rest = hn::Mul(hn::Mul(z.hi, cube.hi), Polynomial(d, z.hi, kLogTail2<double>));
  const Pair<V> leading = FastTwoSum(hn::Add(s.hi, s.hi), second.hi);
  V low = hn::Add(hn::Add(leading.lo, hn::Add(s.lo, s.lo)), hn::Add(second.lo, rest));
  const Pair<V> sum = TwoSum(hn::Mul(k, hn::Set(d, C::kLn2Hi)), leading.hi);
  low = hn::Add(low, hn::MulAdd(k, hn::Set(d, C::kLn2Lo), sum.lo));
  return FastTwoSum(sum.hi, low);
}

// kExtended: with a logarithm as a pair, for f64 results; plain f64 serves f32 results.
template <bool kExtended>
struct Power {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V x, V y) {
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1);
    const V infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    const V nan = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
    const V magnitude = hn::Abs(x);

    Pair<V> product{zero, zero};
    V low = zero;
    if constexpr (kExtended) {
      const Pair<V> logarithm = LogPair(d, magnitude);
      product = TwoProduct(d, y, logarithm.hi);
      low = hn::MulAdd(y, logarithm.lo, product.lo);
    } else {
      const auto [k, m] = ReduceLog<false>(d, magnitude);
      product.hi = hn::Mul(y, LogFromReduction(d, k, hn::Sub(m, one), zero));
    }
    const V limit = hn::Set(d, FloatConstants<double>::kExpLimit);
    const auto in_range = hn::Lt(hn::Abs(product.hi), limit);
    const V high = CutMagnitude(d, product.hi, FloatConstants<double>::kExpLimit);
    low = hn::IfThenElseZero(in_range, low);
    const auto [n, remainder, tail] = ReduceExp(d, high, low);
    V result = ScaleByPowerOfTwo(d, hn::Add(one, hn::Add(remainder, tail)), n);

    // |x| of 0, 1 and infinity.
    const auto y_negative = hn::Lt(y, zero);
    const V zero_power = hn::IfThenElse(y_negative, infinity, zero);
    const V infinite_power = hn::IfThenElse(y_negative, zero, infinity);
    result = hn::IfThenElse(hn::Eq(magnitude, zero), zero_power, result);
    result = hn::IfThenElse(hn::Eq(magnitude, infinity), infinite_power, result);
    result = hn::IfThenElse(hn::Eq(magnitude, one), one, result);

    // Negative x: the sign of odd integers y; NaN for finite x and y that is no integer.
    const V half_y = hn::Mul(y, hn::Set(d, 0.5));
    const auto is_integer = hn::Eq(hn::Floor(y), y);
    const auto is_odd = hn::AndNot(hn::Eq(hn::Floor(half_y), half_y), is_integer);
    const auto sign_bit = hn::Lt(hn::CopySign(one, x), zero);
    result = hn::IfThenElse(hn::And(sign_bit, is_odd), hn::Neg(result), result);
    const auto is_bad_base = hn::And(hn::Lt(x, zero), hn::Lt(magnitude, infinity));
    const auto finite_y = hn::Lt(hn::Abs(y), infinity);
    result = hn::IfThenElse(hn::And(is_bad_base, hn::AndNot(is_integer, finite_y)), nan, result);

    const auto is_nan = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
    result = hn::IfThenElse(is_nan, hn::Add(x, y), result);
    return hn::IfThenElse(hn::Or(hn::Eq(y, zero), hn::Eq(x, one)), one, result);
  }
};

void PowerF32(void* result, const void* a, const void* b, const void*, size_t count,
              const TileParameters& parameters) {
  constexpr size_t kBlock = 64;
  HWY_ALIGN double x[kBlock];
  HWY_ALIGN double y[kBlock];
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t size = std::min(kBlock, count - start);
    const float* base = static_cast<const float*>(a) + start;
    const float* exponent = static_cast<const float*>(b) + start;
    float* out = static_cast<float*>(result) + start;
    for (size_t i = 0; i < size; ++i) x[i] = base[i];
    for (size_t i = 0; i < size; ++i) y[i] = exponent[i];
    VectorBinary<Power<false>, double>(x, x, y, nullptr, size, parameters);
    PLINTH_INDEPENDENT
    for (size_t i = 0; i < size; ++i) out[i] = static_cast<float>(x[i]);
  }
}

constexpr TileRow kRows[] = {
    {Opcode::kPower, DType::kF32, DType::kF32, &PowerF32},
    {Opcode::kPower, DType::kF64, DType::kF64, &VectorBinary<Power<true>, double>},
};

std::span<const TileRow> GetPowerRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> PowerRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetPowerRows);
}
}  // namespace plinth::cpu::math
#endif

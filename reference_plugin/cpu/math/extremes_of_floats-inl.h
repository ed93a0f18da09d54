// SPDX-License-Identifier: Apache-2.0
// Maximum and minimum of floats. Included once per target (see Highway's foreach_target.h).
#if defined(PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_OF_FLOATS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_OF_FLOATS_INL_H_
#undef PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_OF_FLOATS_INL_H_
#else
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_OF_FLOATS_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// IEEE 754 maximum and minimum: NaN wins, the first of two, made quiet; +0 is greater than -0.
// Either order of other operands gives the same bits but for zeros, and those are told apart by
// their sign bits. A sum of both would be a NaN too, but which one is up to the compiler, vector by
// vector.
template <class V>
HWY_INLINE V NanOr(V a, V b, V number) {
  const V nan = hn::IfThenElse(hn::IsNaN(a), a, b);
  return hn::IfThenElse(hn::IsNaN(nan), hn::Add(nan, nan), number);
}
// Most values are numbers, for which half of the instructions do.
struct MaximumOfFloats {
  static constexpr bool kMindsNan = true;
  template <class D, class V>
  static HWY_INLINE V OfNumbers(D, V a, V b) {
    return hn::And(hn::Max(a, b), hn::Max(b, a));
  }
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b) {
    return NanOr(a, b, OfNumbers(d, a, b));
  }
};
struct MinimumOfFloats {
  static constexpr bool kMindsNan = true;
  template <class D, class V>
  static HWY_INLINE V OfNumbers(D, V a, V b) {
    return hn::Or(hn::Min(a, b), hn::Min(b, a));
  }
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b) {
    return NanOr(a, b, OfNumbers(d, a, b));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_OF_FLOATS_INL_H_

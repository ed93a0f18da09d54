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

// IEEE 754 maximum and minimum: NaN wins, +0 is greater than -0. Either order of operands gives the
// same bits but for zeros, and those are told apart by their sign bits.
struct MaximumOfFloats {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    const V larger = hn::And(hn::Max(a, b), hn::Max(b, a));
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), larger);
  }
};
struct MinimumOfFloats {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    const V smaller = hn::Or(hn::Min(a, b), hn::Min(b, a));
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), smaller);
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_OF_FLOATS_INL_H_

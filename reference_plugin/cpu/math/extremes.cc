// SPDX-License-Identifier: Apache-2.0
// The extreme element and its index (argmax, argmin), lane by lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/extremes.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <span>
#include <type_traits>

#include "reference_plugin/cpu/math/extremes.h"
#include "reference_plugin/cpu/math/map-inl.h"

#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_ROW_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_ROW_
namespace plinth::cpu::math {
struct ExtremesRow {
  DType value, index;
  ExtremesFunction max, min;
};
}  // namespace plinth::cpu::math
#endif

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

// Booleans are numbers here: g++ makes masks of them, and jumps of && and ||.
template <bool is_max, class T, class Index>
void TakeExtremes(void* values, void* indices, const void* other_values, const void* other_indices,
                  size_t count) {
  T* const x = static_cast<T*>(values);
  Index* const i = static_cast<Index*>(indices);
  const T* const y = static_cast<const T*>(other_values);
  const Index* const j = static_cast<const Index*>(other_indices);
  PLINTH_INDEPENDENT
  for (size_t lane = 0; lane < count; ++lane) {
    const T a = x[lane], b = y[lane];
    const Index first = i[lane], second = j[lane];
    bool beats = is_max ? b > a : b < a;
    bool equal = a == b;
    if constexpr (std::is_floating_point_v<T>) {
      const bool a_nan = a != a, b_nan = b != b;
      beats |= b_nan & !a_nan;
      equal |= a_nan & b_nan;
    }
    const bool takes = beats | (equal & (second < first));
    x[lane] = takes ? b : a;
    i[lane] = takes ? second : first;
  }
}

#define PLINTH_EXTREMES(Type, T)                                                                 \
  {DType::Type, DType::kS32, &TakeExtremes<true, T, int32_t>, &TakeExtremes<false, T, int32_t>}, \
      {DType::Type, DType::kS64, &TakeExtremes<true, T, int64_t>,                                \
       &TakeExtremes<false, T, int64_t>},

// clang-format off
constexpr ExtremesRow kRows[] = {
    PLINTH_EXTREMES(kF32, float)
    PLINTH_EXTREMES(kF64, double)
    PLINTH_EXTREMES(kS8, int8_t)
    PLINTH_EXTREMES(kS32, int32_t)
    PLINTH_EXTREMES(kS64, int64_t)
    PLINTH_EXTREMES(kU8, uint8_t)
    PLINTH_EXTREMES(kU32, uint32_t)
};
// clang-format on
#undef PLINTH_EXTREMES

std::span<const ExtremesRow> GetExtremesRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
ExtremesFunction FindExtremes(bool is_max, DType value, DType index, SimdTarget target) {
  if (!IsSupported(target)) target = SimdTarget::kBaseline;
  for (const ExtremesRow& row : PLINTH_CALL_FOR_TARGET(target, GetExtremesRows)) {
    if (row.value == value && row.index == index) return is_max ? row.max : row.min;
  }
  return nullptr;
}
}  // namespace plinth::cpu::math
#endif

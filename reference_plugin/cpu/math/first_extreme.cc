// SPDX-License-Identifier: Apache-2.0
// Where the extreme element of a row is, at the speed at which the row is read: only values are
// compared, strip by strip, and the one strip that has the element is searched for it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/first_extreme.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>
#include <iterator>
#include <span>
#include <type_traits>

#include "reference_plugin/cpu/math/ask_ahead-inl.h"
#include "reference_plugin/cpu/math/first_extreme.h"

#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_FIRST_EXTREME_ROW_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_FIRST_EXTREME_ROW_
namespace plinth::cpu::math {
struct FirstExtremeRow {
  DType value;
  FirstExtremeFunction max, min;
};
}  // namespace plinth::cpu::math
#endif

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Of numbers.
template <bool is_max>
struct Extreme {
  template <class T>
  static bool Beats(T a, T b) {
    return is_max ? a > b : a < b;
  }
  template <class V>
  static HWY_INLINE auto Beat(V a, V b) {
    if constexpr (is_max) {
      return hn::Gt(a, b);
    } else {
      return hn::Lt(a, b);
    }
  }
  template <class V>
  static HWY_INLINE V Of(V a, V b) {
    if constexpr (is_max) {
      return hn::Max(a, b);
    } else {
      return hn::Min(a, b);
    }
  }
  template <class D, class V>
  static HWY_INLINE hn::TFromD<D> OfLanes(D d, V v) {
    if constexpr (sizeof(hn::TFromD<D>) == 1) {  // for which Highway has nothing
      hn::TFromD<D> lanes[hn::MaxLanes(d)];
      hn::StoreU(v, d, lanes);
      return *std::min_element(std::begin(lanes), std::end(lanes), &Beats<hn::TFromD<D>>);
    } else if constexpr (is_max) {
      return hn::GetLane(hn::MaxOfLanes(d, v));
    } else {
      return hn::GetLane(hn::MinOfLanes(d, v));
    }
  }
};

// A strip is near when it is searched; longer ones would rather have to be read again.
constexpr size_t kStripBytes = 4 << 10;
constexpr size_t kAtOnce = 4;  // vectors

// Of less than a vector, and where there are none.
template <class E, class T>
size_t FirstOfFew(const T* x, size_t count) {
  size_t best = 0;
  for (size_t i = 0; i < count; ++i) {
    if (x[i] != x[i]) return i;
    if (E::Beats(x[i], x[best])) best = i;
  }
  return best;
}

// Else g++ reads it from memory again for each use.
template <class D>
HWY_INLINE hn::Vec<D> LoadOnce(D d, const hn::TFromD<D>* x) {
  auto value = hn::LoadU(d, x);
#if HWY_COMPILER_GCC_ACTUAL && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(value.raw));
#endif
  return value;
}

// Calls see(vector, position) for all of at least one vector. The last may begin among the lanes of
// the one before.
template <class D, class T, class See>
HWY_INLINE bool ForVectors(D d, const T* x, size_t begin, size_t end, const See& see) {
  constexpr size_t kLanes = hn::MaxLanes(d);
  size_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    if (see(hn::LoadU(d, x + i), i)) return true;
  }
  return i < end && see(hn::LoadU(d, x + end - kLanes), end - kLanes);
}

// The first true lane of test(vector) in [begin, end), at most that far; `end` if there is none.
// There may be elements before `begin`, for which it is false.
template <class D, class T, class Test>
HWY_INLINE size_t FirstWhere(D d, const T* x, size_t begin, size_t end, const Test& test) {
  size_t found = end;
  ForVectors(d, x, begin, end, [&](auto vector, size_t at) HWY_ATTR {
    const intptr_t lane = hn::FindFirstTrue(d, test(vector));
    if (lane < 0) return false;
    found = at + static_cast<size_t>(lane);
    return true;
  });
  return found;
}

template <bool is_max, class T>
size_t FirstExtreme(const void* values, size_t count) {
  using E = Extreme<is_max>;
  constexpr bool kMindsNan = std::is_floating_point_v<T>;
  const T* const x = static_cast<const T*>(values);
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d), kBlock = kAtOnce * kLanes;
  constexpr size_t kStrip = kStripBytes / sizeof(T);
  if (HWY_TARGET == HWY_SCALAR || count < kLanes) return FirstOfFew<E>(x, count);
  // The best of all strips before, in all lanes; the first that has it begins at `best_begin`.
  T best_value = x[0];
  auto best = hn::Set(d, best_value);
  size_t best_begin = 0;
  for (size_t begin = 0; begin < count; begin += kStrip) {
    const size_t end = std::min(count, begin + kStrip);
    auto a = best, b = best, c = best, e = best;
    auto is_nan = hn::Ne(best, best);
    size_t i = begin;
    for (; i + kBlock <= end; i += kBlock) {
      PrefetchBlock<kAtOnce * sizeof(hn::Vec<hn::ScalableTag<T>>)>(x + i);
      const auto p = LoadOnce(d, x + i), q = LoadOnce(d, x + i + kLanes);
      const auto r = LoadOnce(d, x + i + 2 * kLanes), s = LoadOnce(d, x + i + 3 * kLanes);
      a = E::Of(a, p), b = E::Of(b, q), c = E::Of(c, r), e = E::Of(e, s);
      // The sum has a NaN where one of them has, and where there are infinities of either sign.
      if constexpr (kMindsNan) {
        is_nan = hn::Or(is_nan, hn::IsNaN(hn::Add(hn::Add(p, q), hn::Add(r, s))));
      }
    }
    ForVectors(d, x, i, end, [&](auto vector, size_t) HWY_ATTR {
      a = E::Of(a, vector);
      if constexpr (kMindsNan) is_nan = hn::Or(is_nan, hn::IsNaN(vector));
      return false;
    });
    if constexpr (kMindsNan) {
      if (!hn::AllFalse(d, is_nan)) {
        const size_t at =
            FirstWhere(d, x, begin, end, [](auto v) HWY_ATTR { return hn::IsNaN(v); });
        if (at < end) return at;
      }
    }
    const auto strip = E::Of(E::Of(a, b), E::Of(c, e));
    if (hn::AllFalse(d, E::Beat(strip, best))) continue;
    best_value = E::OfLanes(d, strip);
    best = hn::Set(d, best_value);
    best_begin = begin;
  }
  return FirstWhere(d, x, best_begin, std::min(count, best_begin + kStrip),
                    [&](auto v) HWY_ATTR { return hn::Eq(v, best); });
}

#define PLINTH_FIRST_EXTREME(Type, T) \
  {DType::Type, &FirstExtreme<true, T>, &FirstExtreme<false, T>},

// clang-format off
constexpr FirstExtremeRow kRows[] = {
    PLINTH_FIRST_EXTREME(kF32, float)
    PLINTH_FIRST_EXTREME(kF64, double)
    PLINTH_FIRST_EXTREME(kS8, int8_t)
    PLINTH_FIRST_EXTREME(kS32, int32_t)
    PLINTH_FIRST_EXTREME(kS64, int64_t)
    PLINTH_FIRST_EXTREME(kU8, uint8_t)
    PLINTH_FIRST_EXTREME(kU32, uint32_t)
};
// clang-format on
#undef PLINTH_FIRST_EXTREME

std::span<const FirstExtremeRow> GetFirstExtremeRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
FirstExtremeFunction FindFirstExtreme(bool is_max, DType value, SimdTarget target) {
  if (!IsSupported(target)) target = SimdTarget::kBaseline;
  for (const FirstExtremeRow& row : PLINTH_CALL_FOR_TARGET(target, GetFirstExtremeRows)) {
    if (row.value == value) return is_max ? row.max : row.min;
  }
  return nullptr;
}
}  // namespace plinth::cpu::math
#endif

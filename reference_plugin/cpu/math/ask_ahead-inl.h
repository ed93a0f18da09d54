// SPDX-License-Identifier: Apache-2.0
// Asking for memory before it is read. Included once per target (see Highway's foreach_target.h).
#if defined(PLINTH_REFERENCE_PLUGIN_CPU_MATH_ASK_AHEAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PLINTH_REFERENCE_PLUGIN_CPU_MATH_ASK_AHEAD_INL_H_
#undef PLINTH_REFERENCE_PLUGIN_CPU_MATH_ASK_AHEAD_INL_H_
#else
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_ASK_AHEAD_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

// A core asks for as many lines ahead of their use as there are loads among the instructions that
// it has in view: few where a load comes with others, or where a row ends. So all are asked for
// this far ahead. Zen 5, CPU time for rows of 16 KB, 64 MB: maxima 1.60 ms without, 1.48 at 4 KB,
// 1.36 at 8 KB; sums 1.71 and 1.43.
constexpr int64_t kPrefetchBytes = 8 << 10;
// Zen 3, which has no AVX-512, finds the lines of one array sooner by itself: the same maxima take
// 5.6 ms if it is asked, 5.1 if not.
constexpr bool kAsksAhead = HWY_TARGET <= HWY_AVX3;

// For as many bytes as are read at x.
template <size_t kBytes>
HWY_INLINE void PrefetchBlock(const void* x) {
  if constexpr (!kAsksAhead) return;
  for (size_t line = 0; line < kBytes; line += 64) {
    __builtin_prefetch(static_cast<const char*>(x) + kPrefetchBytes + line);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_ASK_AHEAD_INL_H_

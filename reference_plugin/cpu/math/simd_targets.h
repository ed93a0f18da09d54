// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_SIMD_TARGETS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_SIMD_TARGETS_H_

// The first include of a file that defines HWY_TARGET_INCLUDE as itself: restricts the x86 targets
// to AVX-512, AVX2 and what the compiler's baseline allows. Every further target costs compile time
// and half a megabyte.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

// The first compiles HWY_TARGET_INCLUDE once for every target but the baseline, and must precede
// the second.
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

#include "reference_plugin/cpu/math/tile_functions.h"

// Calls function(arguments...) of the namespace that was compiled for `target`; a target that does
// not exist on this architecture means the baseline. We choose ourselves rather than with Highway's
// dynamic dispatch: its library would be one more thing to link, and its choice is process-wide
// state.
#if (HWY_TARGETS & HWY_AVX3) && (HWY_TARGETS & HWY_AVX2)
#define PLINTH_CALL_FOR_TARGET(target, function, ...)                                   \
  ((target) == ::plinth::cpu::math::SimdTarget::kAvx512 ? N_AVX3::function(__VA_ARGS__) \
   : (target) == ::plinth::cpu::math::SimdTarget::kAvx2                                 \
       ? N_AVX2::function(__VA_ARGS__)                                                  \
       : HWY_STATIC_DISPATCH(function)(__VA_ARGS__))
#else
#define PLINTH_CALL_FOR_TARGET(target, function, ...) \
  ((void)(target), HWY_STATIC_DISPATCH(function)(__VA_ARGS__))
#endif

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_SIMD_TARGETS_H_

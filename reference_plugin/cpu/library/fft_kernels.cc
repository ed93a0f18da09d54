// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/fft_kernels.h"

#include <algorithm>

#define HWY_TARGET_INCLUDE "reference_plugin/cpu/library/fft_kernels.cc"
#include "reference_plugin/cpu/math/simd_targets.h"
// Again for every target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::library::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "reference_plugin/cpu/library/fft_radix-inl.h"
#include "reference_plugin/cpu/library/fft_stages-inl.h"
#if HWY_TARGET != HWY_SCALAR
#include "reference_plugin/cpu/math/blocks-inl.h"
// clang-format off: uses those before
#include "reference_plugin/cpu/library/fft_lines-inl.h"
// clang-format on
#endif

template <typename T>
FftKernels<T> MakeFftKernels() {
  FftKernels<T> kernels;
  static_assert(HWY_MAX_BYTES <= kMaxFftLanes * sizeof(float));
  kernels.lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  kernels.stage = RunStage<T>;
#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32
  kernels.first_stage = FirstStage<T>;
  kernels.last_stage = LastStage<T>;
#endif
  kernels.split = Split<T>;
  kernels.join = Join<T>;
  kernels.split_lanes = SplitLanes<T>;
  kernels.join_lanes = JoinLanes<T>;
  kernels.multiply = Multiply<T>;
  kernels.real_after = RealAfter<T>;
  kernels.real_before = RealBefore<T>;
#if HWY_TARGET != HWY_SCALAR
  kernels.combine = RunCombine<T>;
  kernels.split_lines = SplitLines<T>;
  kernels.join_lines = JoinLines<T>;
#endif
  return kernels;
}

FftKernels<float> FloatFftKernels() { return MakeFftKernels<float>(); }
FftKernels<double> DoubleFftKernels() { return MakeFftKernels<double>(); }

}  // namespace plinth::cpu::library::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::library {

template <>
const FftKernels<float>& FftKernelsFor<float>() {
  static const FftKernels<float> kernels =
      PLINTH_CALL_FOR_TARGET(math::BestSimdTarget(), FloatFftKernels);
  return kernels;
}

template <>
const FftKernels<double>& FftKernelsFor<double>() {
  static const FftKernels<double> kernels =
      PLINTH_CALL_FOR_TARGET(math::BestSimdTarget(), DoubleFftKernels);
  return kernels;
}

}  // namespace plinth::cpu::library
#endif  // HWY_ONCE

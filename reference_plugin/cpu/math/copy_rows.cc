// SPDX-License-Identifier: Apache-2.0
// Copies of rows too short to call memcpy for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/copy_rows.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>
#include <cstring>

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/copy_rows.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void CopyRows(const void* source, int64_t source_stride, void* result, int64_t result_stride,
              size_t bytes, size_t rows) {
  const auto* from = static_cast<const uint8_t*>(source);
  auto* to = static_cast<uint8_t*>(result);
#if HWY_TARGET == HWY_SCALAR
  for (; rows > 0; --rows, from += source_stride, to += result_stride) {
    std::memcpy(to, from, bytes);
  }
#else
  const hn::ScalableTag<uint8_t> d;
  const size_t lanes = hn::Lanes(d);
  const size_t last = bytes - lanes;
  for (; rows > 0; --rows, from += source_stride, to += result_stride) {
    for (size_t at = 0; at < last; at += lanes) hn::StoreU(hn::LoadU(d, from + at), d, to + at);
    hn::StoreU(hn::LoadU(d, from + last), d, to + last);
  }
#endif
}

CopyRowsFunction GetCopyRows() { return &CopyRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
CopyRowsFunction FindCopyRows(SimdTarget target) {
  if (!IsSupported(target)) target = SimdTarget::kBaseline;
  return PLINTH_CALL_FOR_TARGET(target, GetCopyRows);
}
}  // namespace plinth::cpu::math
#endif

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/window_extent.h"

namespace plinth::compiler {
namespace {

// `count` elements with `dilation` - 1 gaps between each two. False on overflow.
bool Dilate(int64_t count, int64_t dilation, int64_t* extent) {
  if (count == 0) {
    *extent = 0;
    return true;
  }
  return !__builtin_mul_overflow(count - 1, dilation, extent) &&
         !__builtin_add_overflow(*extent, 1, extent);
}

}  // namespace

std::optional<int64_t> WindowPositions(const Window& window, size_t dim, int64_t extent) {
  int64_t padded = 0;
  int64_t size = 0;
  if (!Dilate(extent, window.base_dilation[dim], &padded) ||
      !Dilate(window.sizes[dim], window.window_dilation[dim], &size) ||
      __builtin_add_overflow(padded, window.padding_low[dim], &padded) ||
      __builtin_add_overflow(padded, window.padding_high[dim], &padded)) {
    return std::nullopt;
  }
  if (padded <= 0 || size > padded) return 0;
  return (padded - size) / window.strides[dim] + 1;
}

}  // namespace plinth::compiler

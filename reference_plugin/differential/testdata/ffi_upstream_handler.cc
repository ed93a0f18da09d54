// SPDX-License-Identifier: Apache-2.0
// A handler as users write it, with the C++ header that comes with jaxlib.

#include <cmath>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error RmsNormImpl(float eps, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  const auto dims = x.dimensions();
  const int64_t size = dims.back();
  for (size_t row = 0; row < x.element_count() / static_cast<size_t>(size); ++row) {
    const float* in = x.typed_data() + row * static_cast<size_t>(size);
    float* out = y->typed_data() + row * static_cast<size_t>(size);
    float sum = 0;
    for (int64_t i = 0; i < size; ++i) sum += in[i] * in[i];
    const float scale = 1 / std::sqrt(sum / static_cast<float>(size) + eps);
    for (int64_t i = 0; i < size; ++i) out[i] = in[i] * scale;
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    RmsNorm, RmsNormImpl,
    ffi::Ffi::Bind().Attr<float>("eps").Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_COPY_ROWS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_COPY_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// Copies `rows` rows of `bytes` bytes, kCopyRowBytes or more, which do not overlap. Exactly these
// bytes are read and written.
using CopyRowsFunction = void (*)(const void* source, int64_t source_stride, void* result,
                                  int64_t result_stride, size_t bytes, size_t rows);

CopyRowsFunction FindCopyRows(SimdTarget target = BestSimdTarget());

inline constexpr size_t kCopyRowBytes = 64;

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_COPY_ROWS_H_

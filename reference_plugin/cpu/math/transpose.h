// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_TRANSPOSE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_TRANSPOSE_H_

#include <cstddef>
#include <cstdint>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// The elements of a column lie side by side in the source, those of a row in the result: row r,
// column c of the result (r * result_stride bytes from its start on) is element r of the column at
// source + c * source_stride. Exactly these elements are read and written; they do not overlap.
using TransposeFunction = void (*)(const void* source, int64_t source_stride, void* result,
                                   int64_t result_stride, size_t rows, size_t columns);

// Elements of 1, 2, 4, 8 or 16 bytes; else null.
TransposeFunction FindTranspose(size_t element_bytes, SimdTarget target = BestSimdTarget());

// Rows of fewer bytes leave parts of the source's lines for another time.
inline constexpr size_t kTransposeBytes = 64;

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_TRANSPOSE_H_

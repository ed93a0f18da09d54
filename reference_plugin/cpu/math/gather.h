// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_GATHER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_GATHER_H_

#include <cstddef>
#include <cstdint>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// Element i lies at base + i * lane_stride, and clamp(index[i], 0, maximum) * byte_stride further
// on for each of one or two indices.
struct GatherPlace {
  struct Index {
    int64_t maximum = 0;
    int64_t byte_stride = 0;
  };
  static constexpr int kMostIndices = 2;

  const std::byte* base = nullptr;
  int64_t lane_stride = 0;
  Index indices[kMostIndices];
  int32_t num_indices = 1;
};

// Raw elements at indices of a type. `second` counts where there are two indices. `result` may lie
// over an index whose elements are as large.
using GatherFunction = void (*)(void* result, const void* first, const void* second,
                                const GatherPlace& place, size_t count);

// Null for elements of other sizes than 1, 2, 4, 8 and 16 bytes, and for indices that are not s32,
// u32 or s64.
GatherFunction FindGather(size_t element_bytes, DType index, SimdTarget target = BestSimdTarget());

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_GATHER_H_

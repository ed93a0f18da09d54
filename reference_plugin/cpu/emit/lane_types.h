// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_LANE_TYPES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_LANE_TYPES_H_

#include <cstdint>

#include "plinth/support/dtype.h"
#include "reference_plugin/cpu/math/tile_functions.h"

// The lanes of vector registers, and which types of elements they hold.
namespace plinth::cpu::emit {

// A vector register of AVX2 has so many elements, of four bytes each; a pred takes a lane, too: all
// ones or zeros. One of AVX-512 has twice as many, and a pred is a mask register.
inline constexpr int64_t kLanes = 8;
inline constexpr int64_t kLaneBytes = 4;
inline constexpr int kMostVectorBytes = 64;
constexpr int64_t LanesOf(math::SimdTarget target) {
  return target == math::SimdTarget::kAvx512 ? 2 * kLanes : kLanes;
}
inline constexpr int64_t kNoLane = -1;

// Types whose values take one lane; those that take two, side by side; f16 and bf16, whose values
// are f32 that are rounded.
bool IsLaneType(DType type);
bool IsWideType(DType type);
bool IsFloatType(DType type);  // of those
inline bool IsHalf(DType type) { return type == DType::kF16 || type == DType::kBF16; }

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_LANE_TYPES_H_

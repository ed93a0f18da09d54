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
// are f32 that are rounded; whole numbers of 8 and 16 bits, whose values are s32 that are wrapped.
bool IsLaneType(DType type);
bool IsWideType(DType type);
bool IsFloatType(DType type);  // of those
inline bool IsHalf(DType type) { return type == DType::kF16 || type == DType::kBF16; }
bool IsShort(DType type);
inline bool IsSignedShort(DType type) { return type == DType::kS8 || type == DType::kS16; }
// What the lanes hold of a type that is known: the type itself, f32 or s32.
DType LaneTypeOf(DType type);
// The type as which elements lie in slots and in memory, if that is not the one of the lanes. In
// slots f16 and bf16 are f32.
inline DType SlotFormOf(DType type) { return IsShort(type) ? type : DType::kInvalid; }
inline DType MemoryFormOf(DType type) {
  return IsHalf(type) || IsShort(type) ? type : DType::kInvalid;
}

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_LANE_TYPES_H_

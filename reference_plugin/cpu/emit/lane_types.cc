// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/lane_types.h"

namespace plinth::cpu::emit {

bool IsLaneType(DType type) {
  return type == DType::kF32 || type == DType::kS32 || type == DType::kU32 || type == DType::kPred;
}

bool IsFloatType(DType type) { return type == DType::kF32 || type == DType::kF64; }

bool IsShort(DType type) {
  return type == DType::kS8 || type == DType::kU8 || type == DType::kS16 || type == DType::kU16;
}

DType LaneTypeOf(DType type) {
  if (IsHalf(type)) return DType::kF32;
  return IsShort(type) ? DType::kS32 : type;
}

bool IsWideType(DType type) {
  return type == DType::kF64 || type == DType::kS64 || type == DType::kU64;
}

}  // namespace plinth::cpu::emit

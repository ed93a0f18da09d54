// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_TYPES_H_
#define PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_TYPES_H_

#include <cstdint>

#include "api/support/xla_message_fields.h"
#include "plinth/support/dtype.h"

namespace plinth::program {

// How a LiteralProto holds the elements of a type.
enum class HloLiteralForm : uint8_t {
  kNone,     // It has none of that type.
  kVarints,  // Integers of 7 bits a byte.
  kFixed,    // Numbers of 4 or 8 bytes; complex ones are two each.
  kBytes,    // As in memory; sub-byte types one or several a byte.
};

// An element type of XLA (PrimitiveType in xla_data.proto).
struct HloElementType {
  int32_t number;
  DType dtype;
  uint32_t literal_field;
  HloLiteralForm form;
};

inline constexpr int32_t kHloTupleType = 13;

inline constexpr HloElementType kHloElementTypes[] = {
    {1, DType::kPred, messages::LiteralProto::kPreds, HloLiteralForm::kVarints},
    {2, DType::kS8, messages::LiteralProto::kS8s, HloLiteralForm::kBytes},
    {3, DType::kS16, messages::LiteralProto::kS16s, HloLiteralForm::kBytes},
    {4, DType::kS32, messages::LiteralProto::kS32s, HloLiteralForm::kVarints},
    {5, DType::kS64, messages::LiteralProto::kS64s, HloLiteralForm::kVarints},
    {6, DType::kU8, messages::LiteralProto::kU8s, HloLiteralForm::kBytes},
    {7, DType::kU16, messages::LiteralProto::kU16s, HloLiteralForm::kBytes},
    {8, DType::kU32, messages::LiteralProto::kU32s, HloLiteralForm::kVarints},
    {9, DType::kU64, messages::LiteralProto::kU64s, HloLiteralForm::kVarints},
    {10, DType::kF16, messages::LiteralProto::kF16s, HloLiteralForm::kBytes},
    {11, DType::kF32, messages::LiteralProto::kF32s, HloLiteralForm::kFixed},
    {12, DType::kF64, messages::LiteralProto::kF64s, HloLiteralForm::kFixed},
    {15, DType::kC64, messages::LiteralProto::kC64s, HloLiteralForm::kFixed},
    {16, DType::kBF16, messages::LiteralProto::kBf16s, HloLiteralForm::kBytes},
    {17, DType::kToken, 0, HloLiteralForm::kNone},
    {18, DType::kC128, messages::LiteralProto::kC128s, HloLiteralForm::kFixed},
    {19, DType::kF8E5M2, messages::LiteralProto::kF8e5m2s, HloLiteralForm::kBytes},
    {20, DType::kF8E4M3FN, messages::LiteralProto::kF8e4m3fns, HloLiteralForm::kBytes},
    {21, DType::kS4, messages::LiteralProto::kS4s, HloLiteralForm::kBytes},
    {22, DType::kU4, messages::LiteralProto::kU4s, HloLiteralForm::kBytes},
    {23, DType::kF8E4M3B11FNUZ, messages::LiteralProto::kF8e4m3b11fnuzs, HloLiteralForm::kBytes},
    {24, DType::kF8E5M2FNUZ, messages::LiteralProto::kF8e5m2fnuzs, HloLiteralForm::kBytes},
    {25, DType::kF8E4M3FNUZ, messages::LiteralProto::kF8e4m3fnuzs, HloLiteralForm::kBytes},
    {26, DType::kS2, messages::LiteralProto::kS2s, HloLiteralForm::kBytes},
    {27, DType::kU2, messages::LiteralProto::kU2s, HloLiteralForm::kBytes},
    {28, DType::kF8E4M3, messages::LiteralProto::kF8e4m3s, HloLiteralForm::kBytes},
    {29, DType::kF8E3M4, messages::LiteralProto::kF8e3m4s, HloLiteralForm::kBytes},
    {30, DType::kS1, messages::LiteralProto::kS1s, HloLiteralForm::kBytes},
    {31, DType::kU1, messages::LiteralProto::kU1s, HloLiteralForm::kBytes},
    {32, DType::kF4E2M1FN, messages::LiteralProto::kF4e2m1fns, HloLiteralForm::kBytes},
    {33, DType::kF8E8M0FNU, messages::LiteralProto::kF8e8m0fnus, HloLiteralForm::kBytes},
};

// Null for a number that is no element type of an array, and of no token.
inline const HloElementType* FindHloElementType(int64_t number) {
  for (const HloElementType& type : kHloElementTypes) {
    if (type.number == number) return &type;
  }
  return nullptr;
}

inline const HloElementType* FindHloElementType(DType dtype) {
  for (const HloElementType& type : kHloElementTypes) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

}  // namespace plinth::program

#endif  // PLINTH_REFERENCE_PLUGIN_PROGRAM_HLO_TYPES_H_

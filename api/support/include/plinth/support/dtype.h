// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_DTYPE_H_
#define PLINTH_SUPPORT_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "pjrt_c_api.h"

namespace plinth {

// Element types. The numbers are those of PJRT_Buffer_Type, so a value of the C ABI converts by a
// checked cast (DTypeFromC).
enum class DType : uint8_t {
  kInvalid = PJRT_Buffer_Type_INVALID,
  kPred = PJRT_Buffer_Type_PRED,
  kS8 = PJRT_Buffer_Type_S8,
  kS16 = PJRT_Buffer_Type_S16,
  kS32 = PJRT_Buffer_Type_S32,
  kS64 = PJRT_Buffer_Type_S64,
  kU8 = PJRT_Buffer_Type_U8,
  kU16 = PJRT_Buffer_Type_U16,
  kU32 = PJRT_Buffer_Type_U32,
  kU64 = PJRT_Buffer_Type_U64,
  kF16 = PJRT_Buffer_Type_F16,
  kF32 = PJRT_Buffer_Type_F32,
  kF64 = PJRT_Buffer_Type_F64,
  kBF16 = PJRT_Buffer_Type_BF16,
  kC64 = PJRT_Buffer_Type_C64,
  kC128 = PJRT_Buffer_Type_C128,
  kF8E5M2 = PJRT_Buffer_Type_F8E5M2,
  kF8E4M3FN = PJRT_Buffer_Type_F8E4M3FN,
  kF8E4M3B11FNUZ = PJRT_Buffer_Type_F8E4M3B11FNUZ,
  kF8E5M2FNUZ = PJRT_Buffer_Type_F8E5M2FNUZ,
  kF8E4M3FNUZ = PJRT_Buffer_Type_F8E4M3FNUZ,
  kS4 = PJRT_Buffer_Type_S4,
  kU4 = PJRT_Buffer_Type_U4,
  kToken = PJRT_Buffer_Type_TOKEN,
  kS2 = PJRT_Buffer_Type_S2,
  kU2 = PJRT_Buffer_Type_U2,
  kF8E4M3 = PJRT_Buffer_Type_F8E4M3,
  kF8E3M4 = PJRT_Buffer_Type_F8E3M4,
  kF8E8M0FNU = PJRT_Buffer_Type_F8E8M0FNU,
  kF4E2M1FN = PJRT_Buffer_Type_F4E2M1FN,
  kS1 = PJRT_Buffer_Type_S1,
  kU1 = PJRT_Buffer_Type_U1,
  kF6E2M3FN = PJRT_Buffer_Type_F6E2M3FN,
  kF6E3M2FN = PJRT_Buffer_Type_F6E3M2FN,
};
inline constexpr int kNumDTypes = PJRT_Buffer_Type_F6E3M2FN + 1;

enum class DTypeClass : uint8_t { kNone, kPred, kSigned, kUnsigned, kFloat, kComplex, kToken };

struct DTypeInfo {
  std::string_view name;       // As in PJRT and HLO: "f32", "pred", "s32".
  std::string_view mlir_name;  // As in StableHLO text: "f32", "i1", "i32", "ui32", "complex<f32>".
  uint8_t bits;                // Information bits of one element; pred is 1, token 0.
  uint8_t bytes;               // Bytes of one element in memory: sub-byte types take a whole byte.
  DTypeClass kind;
};

// Facts about a type; kInvalid's row (zero sizes, name "invalid") for a number that is no type.
const DTypeInfo& InfoOf(DType type);

inline int64_t ByteSize(DType type) { return InfoOf(type).bytes; }
inline std::string_view Name(DType type) { return InfoOf(type).name; }

// Nothing for kInvalid and for numbers that are no element type.
std::optional<DType> DTypeFromC(int pjrt_buffer_type);
inline PJRT_Buffer_Type ToC(DType type) { return static_cast<PJRT_Buffer_Type>(type); }

// The type that StableHLO text calls `name`, or nothing.
std::optional<DType> DTypeFromMlirName(std::string_view name);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_DTYPE_H_

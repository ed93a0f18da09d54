// SPDX-License-Identifier: Apache-2.0
#include "api/support/ffi_dtype.h"

namespace plinth {
namespace {

struct TypePair {
  DType dtype;
  XLA_FFI_DataType ffi;
};
constexpr TypePair kTypes[] = {
    {DType::kPred, XLA_FFI_DataType_PRED},
    {DType::kS1, XLA_FFI_DataType_S1},
    {DType::kS2, XLA_FFI_DataType_S2},
    {DType::kS4, XLA_FFI_DataType_S4},
    {DType::kS8, XLA_FFI_DataType_S8},
    {DType::kS16, XLA_FFI_DataType_S16},
    {DType::kS32, XLA_FFI_DataType_S32},
    {DType::kS64, XLA_FFI_DataType_S64},
    {DType::kU1, XLA_FFI_DataType_U1},
    {DType::kU2, XLA_FFI_DataType_U2},
    {DType::kU4, XLA_FFI_DataType_U4},
    {DType::kU8, XLA_FFI_DataType_U8},
    {DType::kU16, XLA_FFI_DataType_U16},
    {DType::kU32, XLA_FFI_DataType_U32},
    {DType::kU64, XLA_FFI_DataType_U64},
    {DType::kF16, XLA_FFI_DataType_F16},
    {DType::kF32, XLA_FFI_DataType_F32},
    {DType::kF64, XLA_FFI_DataType_F64},
    {DType::kBF16, XLA_FFI_DataType_BF16},
    {DType::kC64, XLA_FFI_DataType_C64},
    {DType::kC128, XLA_FFI_DataType_C128},
    {DType::kToken, XLA_FFI_DataType_TOKEN},
    {DType::kF8E5M2, XLA_FFI_DataType_F8E5M2},
    {DType::kF8E3M4, XLA_FFI_DataType_F8E3M4},
    {DType::kF8E4M3, XLA_FFI_DataType_F8E4M3},
    {DType::kF8E4M3FN, XLA_FFI_DataType_F8E4M3FN},
    {DType::kF8E4M3B11FNUZ, XLA_FFI_DataType_F8E4M3B11FNUZ},
    {DType::kF8E5M2FNUZ, XLA_FFI_DataType_F8E5M2FNUZ},
    {DType::kF8E4M3FNUZ, XLA_FFI_DataType_F8E4M3FNUZ},
    {DType::kF4E2M1FN, XLA_FFI_DataType_F4E2M1FN},
    {DType::kF8E8M0FNU, XLA_FFI_DataType_F8E8M0FNU},
};

}  // namespace

XLA_FFI_DataType FfiDataType(DType dtype) {
  for (const TypePair& pair : kTypes) {
    if (pair.dtype == dtype) return pair.ffi;
  }
  return XLA_FFI_DataType_INVALID;
}

std::optional<DType> DTypeFromFfi(XLA_FFI_DataType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.ffi == type) return pair.dtype;
  }
  return std::nullopt;
}

}  // namespace plinth

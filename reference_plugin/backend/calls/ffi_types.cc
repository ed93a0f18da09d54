// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/ffi_types.h"

#include <exception>
#include <new>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/ffi_registry.h"

namespace plinth::backend {
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

// Made while there is memory; nobody writes it, and it is never freed.
XLA_FFI_Error* const no_memory_error =
    new XLA_FFI_Error{StatusCode::kResourceExhausted, "out of host memory"};

}  // namespace

XLA_FFI_DataType FfiDataType(DType dtype) {
  for (const TypePair& pair : kTypes) {
    if (pair.dtype == dtype) return pair.ffi;
  }
  return XLA_FFI_DataType_INVALID;
}

XLA_FFI_Error* MakeFfiError(const Status& status) {
  if (status.ok()) return nullptr;
  return new XLA_FFI_Error{status.code(), std::string(status.message())};
}

Status TakeFfiError(XLA_FFI_Error* error) {
  if (error == nullptr) return Status();
  Status status(error->code, error->message);
  DestroyFfiError(error);
  return status;
}

void DestroyFfiError(XLA_FFI_Error* error) noexcept {
  if (error != no_memory_error) delete error;
}

XLA_FFI_Error* CurrentExceptionAsFfiError() noexcept {
  // Making the message may run out of memory again.
  try {
    try {
      throw;
    } catch (const std::bad_alloc&) {
      return MakeFfiError(ResourceExhausted("out of host memory"));
    } catch (const std::exception& exception) {
      return MakeFfiError(Internal("the plugin threw an exception: ", exception.what()));
    } catch (...) {
      return MakeFfiError(Internal("the plugin threw an unknown exception"));
    }
  } catch (...) {
    return no_memory_error;
  }
}

Status FfiState::Set(int64_t type_id, void* object) {
  if (object_ != nullptr) {
    return Status(StatusCode::kAlreadyExists, "the state of this stage is set already");
  }
  if (object == nullptr) return InvalidArgument("a state cannot be null");
  PLINTH_ASSIGN_OR_RETURN(const sdk::FfiTypeInfo info, FfiRegistry::Get().FindType(type_id));
  type_id_ = type_id;
  object_ = object;
  deleter_ = info.deleter;
  return Status();
}

Expected<void*> FfiState::Get(int64_t type_id) const {
  if (object_ == nullptr) return NotFound("the stage asked for has set no state");
  if (type_id != type_id_) {
    return InvalidArgument("the state is of type ", type_id_, "; it was asked for as ", type_id);
  }
  return object_;
}

}  // namespace plinth::backend

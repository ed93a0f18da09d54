// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/calls/ffi_types.h"

#include <exception>
#include <new>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/ffi_registry.h"

namespace plinth::backend {
namespace {

// Made while there is memory; nobody writes it, and it is never freed.
XLA_FFI_Error* const no_memory_error =
    new XLA_FFI_Error{StatusCode::kResourceExhausted, "out of host memory"};

}  // namespace

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

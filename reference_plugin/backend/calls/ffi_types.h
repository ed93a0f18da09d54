// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_TYPES_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_TYPES_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"
#include "reference_plugin/backend/calls/call_queue.h"
#include "reference_plugin/backend/run/call_context.h"
#include "xla_ffi_c_api.h"

// What is behind the opaque handles of the XLA FFI C API, and its table.

struct XLA_FFI_Error {
  plinth::StatusCode code;
  std::string message;
};

namespace plinth::backend {

struct FfiFutureState {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_complete = false;
  Status status;
};

}  // namespace plinth::backend

// Completing it may let the runtime free it, so who completes it holds the state by a reference of
// its own.
struct XLA_FFI_Future {
  std::shared_ptr<plinth::backend::FfiFutureState> state;
};

namespace plinth::backend {

// The table that call frames carry. Lives for ever.
const XLA_FFI_Api* GetFfiApi();

// Null for success.
XLA_FFI_Error* MakeFfiError(const Status& status);
// Destroys the error; success for null.
Status TakeFfiError(XLA_FFI_Error* error);
void DestroyFfiError(XLA_FFI_Error* error) noexcept;
// In a catch block.
XLA_FFI_Error* CurrentExceptionAsFfiError() noexcept;

// An object that a handler keeps from one stage to a later one; owned.
class FfiState {
 public:
  FfiState() = default;
  FfiState(const FfiState&) = delete;
  FfiState& operator=(const FfiState&) = delete;
  ~FfiState() {
    if (object_ != nullptr && deleter_ != nullptr) deleter_(object_);
  }

  // ALREADY_EXISTS if there is one; NOT_FOUND for a type that is not registered. Takes the object
  // only on success.
  Status Set(int64_t type_id, void* object);
  // NOT_FOUND if there is none, INVALID_ARGUMENT if it is of another type.
  Expected<void*> Get(int64_t type_id) const;

 private:
  int64_t type_id_ = 0;
  void* object_ = nullptr;
  void (*deleter_)(void*) = nullptr;
};

}  // namespace plinth::backend

// One call of a handler, as the runtime's functions see it.
struct XLA_FFI_InvokeContext {
  XLA_FFI_ExecutionStage stage;
  plinth::backend::CallContext* call = nullptr;  // null while instantiating
  // What a handler of the device enqueues on; null for handlers of the host.
  plinth::backend::CallQueue* queue = nullptr;
  // By stage; null for those that are not there yet.
  plinth::backend::FfiState* states[3] = {nullptr, nullptr, nullptr};
};

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_TYPES_H_

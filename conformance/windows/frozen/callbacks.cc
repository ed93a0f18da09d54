// SPDX-License-Identifier: Apache-2.0
#include "conformance/windows/frozen/callbacks.h"

#include "conformance/windows/frozen/handles.h"
#include "plinth/support/error.h"

namespace plinth::windows {
namespace {

struct Context {
  void* callback;
  void* user_arg;
};

void Free(void* context) { delete static_cast<Context*>(context); }

// What callers get to make their errors with: opaque ones, as this plugin's are.
PJRT_Error* MakeError(PJRT_Error_Code code, const char* message, size_t message_size) {
  return ErrorToCaller(MakeCallbackError(code, message, message_size));
}
PJRT_CallbackError make_error = &MakeError;

// Called once, so it frees its context.
void OnReady(PJRT_Error* error, void* user_arg) {
  const Context context = *static_cast<Context*>(user_arg);
  Free(user_arg);
  reinterpret_cast<PJRT_Event_OnReadyCallback>(context.callback)(ErrorToCaller(error),
                                                                 context.user_arg);
}

// The arguments of the three key-value callbacks did not change since 0.57.
template <typename Callback, typename Args>
PJRT_Error* KeyValue(Args* args) {
  const Context& context = *static_cast<Context*>(args->user_arg);
  Args copy = *args;
  copy.user_arg = context.user_arg;
  copy.callback_error = &make_error;
  PJRT_Error* error = TakeFromCaller(reinterpret_cast<Callback>(context.callback)(&copy));
  copy.user_arg = args->user_arg;
  copy.callback_error = args->callback_error;
  *args = copy;
  return error;
}

}  // namespace

ReplacedCallback ReplaceCallback(Kind kind, void* callback, void* user_arg) {
  auto* context = new Context{callback, user_arg};
  // A client keeps its key-value callbacks until it ends, which is as long as the process may take.
  switch (kind) {
    case Kind::kKeyValueGet:
      return {reinterpret_cast<void*>(
                  &KeyValue<PJRT_KeyValueGetCallback, PJRT_KeyValueGetCallback_Args>),
              context, &Free};
    case Kind::kKeyValuePut:
      return {reinterpret_cast<void*>(
                  &KeyValue<PJRT_KeyValuePutCallback, PJRT_KeyValuePutCallback_Args>),
              context, &Free};
    case Kind::kKeyValueTryGet:
      return {reinterpret_cast<void*>(
                  &KeyValue<PJRT_KeyValueTryGetCallback, PJRT_KeyValueTryGetCallback_Args>),
              context, &Free};
    default:
      return {reinterpret_cast<void*>(&OnReady), context, &Free};
  }
}

}  // namespace plinth::windows

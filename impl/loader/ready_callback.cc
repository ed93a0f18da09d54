#include "impl/loader/ready_callback.h"

namespace plinth::loader {
namespace {

// Lives from the registration until the callback runs, once.
struct Context {
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
  const PluginErrors& errors;
};

void OnReady(PJRT_Error* error, void* user_arg) {
  auto* owned = static_cast<Context*>(user_arg);
  Context context = *owned;
  delete owned;
  context.callback(context.errors.Lift(error), context.user_arg);
}

}  // namespace

PJRT_Error* CallWithReadyCallback(PJRT_Error* (*on_ready)(void* args), const PluginErrors& errors,
                                  void* args) {
  auto wrapped = *static_cast<const PJRT_Event_OnReady_Args*>(args);
  if (wrapped.callback == nullptr) return on_ready(args);
  auto* context = new Context{wrapped.callback, wrapped.user_arg, errors};
  wrapped.struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE;
  wrapped.callback = &OnReady;
  wrapped.user_arg = context;
  PJRT_Error* error = on_ready(&wrapped);
  if (error != nullptr) delete context;  // Refused, so the callback never runs.
  return error;
}

}  // namespace plinth::loader

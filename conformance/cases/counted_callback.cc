// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/counted_callback.h"

#include <chrono>
#include <thread>

namespace plinth::conformance {

void CountedCallback::Run(PJRT_Error* error, void* arg) {
  auto* self = static_cast<CountedCallback*>(arg);
  self->status = self->plugin->Take(error);
  if (self->work) self->work();
  ++self->calls;
}

CountedCallback* NewCountedCallback(const Context& context) {
  auto* callback = new CountedCallback;
  callback->plugin = &context.plugin();
  return callback;
}

bool RegisterCallback(Context& context, PJRT_Event* event, CountedCallback* callback) {
  auto args = MakeArgs<PJRT_Event_OnReady_Args>();
  args.event = event;
  args.callback = CountedCallback::Run;
  args.user_arg = callback;
  return context.Ok("PJRT-Event_OnReady-once", "PJRT_Event_OnReady", context.plugin().Call(args));
}

void WaitForCall(const CountedCallback& callback) {
  for (int i = 0; i < 5000 && callback.calls == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace plinth::conformance

// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/entry.h"
#include "sdk/src/wire.h"

namespace plinth::sdk::internal {

Status Call(PJRT_Event_Destroy_Args& args) {
  if (args.event == nullptr || args.event->generation != CurrentGeneration()) return {};
  delete args.event;
  return {};
}

Status Call(PJRT_Event_IsReady_Args& args) {
  PLINTH_HANDLE(event, args, event);
  args.is_ready = event->event.IsReady();
  return {};
}

Status Call(PJRT_Event_Error_Args& args) {
  PLINTH_HANDLE(event, args, event);
  if (!event->event.IsReady()) {
    return FailedPrecondition(
        "PJRT_Event_Error: the event is not ready; ask PJRT_Event_IsReady, or wait with "
        "PJRT_Event_Await");
  }
  return event->event.status();
}

Status Call(PJRT_Event_Await_Args& args) {
  PLINTH_HANDLE(event, args, event);
  return event->event.Await();
}

Status Call(PJRT_Event_OnReady_Args& args) {
  PLINTH_HANDLE(event, args, event);
  if (event->event.IsReady() && event->event.status().ok()) {
    args.callback(nullptr, args.user_arg);
    return {};
  }
  event->event.OnReadyForeign(
      [callback = args.callback, argument = args.user_arg](const Status& status) {
        callback(ErrorOf("PJRT_Event_OnReady", FunctionOf<PJRT_Event_OnReady_Args>::kSince, status),
                 argument);
      });
  return {};
}

Status Call(PJRT_Event_Create_Args& args) {
  auto source = std::make_unique<EventSource>();
  args.event = new PJRT_Event(source->event());
  args.event->source = std::move(source);
  return {};
}

Status Call(PJRT_Event_Set_Args& args) {
  PLINTH_HANDLE(event, args, event);
  if (event->source == nullptr) {
    return InvalidArgument(
        "PJRT_Event_Set: the event was not made by PJRT_Event_Create; the plugin sets it");
  }
  Status status =
      StatusFromParts(RawEnum(args.error_code), args.error_message, args.error_message_size);
  if (event->source->Set(std::move(status))) return {};
  return FailedPrecondition("PJRT_Event_Set: the event was set before");
}

}  // namespace plinth::sdk::internal

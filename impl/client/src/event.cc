// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/event.h"

#include <memory>

#include "impl/client/src/calls.h"

namespace plinth::client {
namespace {

struct Callback {
  Api api;
  std::function<void(Status)> run;
};

thread_local int callback_depth = 0;

void RunCallback(PJRT_Error* error, void* user_arg) {
  // Ends after the callback, which may hold the last reference to the client.
  const internal::CallbackMark mark;
  std::unique_ptr<Callback> callback(static_cast<Callback*>(user_arg));
  callback->run(callback->api.TakeError(error));
}

}  // namespace

namespace internal {

bool IsInCallback() { return callback_depth != 0; }
CallbackMark::CallbackMark() { ++callback_depth; }
CallbackMark::~CallbackMark() { --callback_depth; }

}  // namespace internal

Expected<Event> Event::Create(const Api& api) {
  PJRT_Event_Create_Args args = {};
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  return internal::AdoptEvent(api, args.event, nullptr, "PJRT_Event_Create");
}

Status Event::Set(const Status& outcome) {
  PJRT_Event_Set_Args args = {};
  args.event = get();
  args.error_code = static_cast<PJRT_Error_Code>(outcome.code());
  args.error_message = outcome.message().data();
  args.error_message_size = outcome.message().size();
  return handle_.api().Call(args);
}

Status Event::Await() const {
  PJRT_Event_Await_Args args = {};
  args.event = get();
  return handle_.api().Call(args);
}

Expected<bool> Event::IsReady() const {
  return internal::GetValue(handle_.api(), get(), &PJRT_Event_IsReady_Args::event,
                            &PJRT_Event_IsReady_Args::is_ready);
}

Status Event::OnReady(std::function<void(Status)> callback) const {
  auto context = std::make_unique<Callback>(Callback{handle_.api(), std::move(callback)});
  PJRT_Event_OnReady_Args args = {};
  args.event = get();
  args.callback = &RunCallback;
  args.user_arg = context.get();
  PLINTH_RETURN_IF_ERROR(handle_.api().Call(args));
  // The plugin has it now and may have run it already.
  context.release();  // NOLINT(bugprone-unused-return-value)
  return {};
}

}  // namespace plinth::client

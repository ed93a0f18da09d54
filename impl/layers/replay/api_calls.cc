// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/api_calls.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "plinth/reflection/reflection.h"
#include "plinth/support/error.h"

namespace plinth::layers {
namespace {

// The status of an error of any plugin, also one without a head; the error is destroyed.
Status TakeApiError(const PJRT_Api* api, PJRT_Error* error) {
  if (error == nullptr) return Status();
  auto code = MakeArgs<PJRT_Error_GetCode_Args>();
  code.error = error;
  if (PJRT_Error* second = api->PJRT_Error_GetCode(&code)) {
    code.code = PJRT_Error_Code_UNKNOWN;
    auto destroy = MakeArgs<PJRT_Error_Destroy_Args>();
    destroy.error = second;
    api->PJRT_Error_Destroy(&destroy);
  }
  auto message = MakeArgs<PJRT_Error_Message_Args>();
  message.error = error;
  api->PJRT_Error_Message(&message);
  Status status =
      StatusFromParts(static_cast<int>(code.code), message.message, message.message_size);
  if (status.ok()) status = Internal("the plugin gave an error with code OK");
  auto destroy = MakeArgs<PJRT_Error_Destroy_Args>();
  destroy.error = error;
  api->PJRT_Error_Destroy(&destroy);
  return status;
}

}  // namespace

Status ApiCalls::Call(int slot, void* args) const {
  const reflection::Function& function = reflection::Functions()[static_cast<size_t>(slot)];
  void* address = nullptr;
  if (size_t{function.offset} + sizeof(address) <= api_->struct_size) {
    std::memcpy(&address, reinterpret_cast<const char*>(api_) + function.offset, sizeof(address));
  }
  if (address == nullptr) return Unimplemented("the plugin has no ", function.name);
  return TakeApiError(api_, reinterpret_cast<PJRT_Error* (*)(void*)>(address)(args));
}

bool ApiCalls::WaitUntilReady(PJRT_Event* event, Clock::time_point end) const {
  auto is_ready = MakeArgs<PJRT_Event_IsReady_Args>();
  is_ready.event = event;
  std::chrono::microseconds pause(10);
  // Where it cannot be asked, waiting for it is what remains.
  while ((*this)(is_ready).ok() && !is_ready.is_ready) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(2000));
  }
  return true;
}

Status ApiCalls::TakeEvent(PJRT_Event* event) const {
  auto await = MakeArgs<PJRT_Event_Await_Args>();
  await.event = event;
  Status status = (*this)(await);
  auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
  destroy.event = event;
  Status destroyed = (*this)(destroy);
  return status.ok() ? destroyed : status;
}

}  // namespace plinth::layers

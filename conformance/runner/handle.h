// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_HANDLE_H_
#define PLINTH_CONFORMANCE_RUNNER_HANDLE_H_

#include <utility>

#include "conformance/runner/plugin.h"

namespace plinth::conformance {

// Owns a handle and frees it with its Destroy function.
template <typename Handle, typename DestroyArgs, Handle* DestroyArgs::*kField>
class Owned {
 public:
  Owned() = default;
  Owned(const Plugin& plugin, Handle* handle) : plugin_(&plugin), handle_(handle) {}
  Owned(Owned&& other) noexcept { *this = std::move(other); }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(plugin_, other.plugin_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { (void)Destroy(); }

  Handle* get() const { return handle_; }
  Handle* Release() { return std::exchange(handle_, nullptr); }
  explicit operator bool() const { return handle_ != nullptr; }

  Status Destroy() {
    if (handle_ == nullptr) return Status();
    auto args = MakeArgs<DestroyArgs>();
    args.*kField = Release();
    return plugin_->Call(args);
  }

 private:
  const Plugin* plugin_ = nullptr;
  Handle* handle_ = nullptr;
};

using OwnedClient = Owned<PJRT_Client, PJRT_Client_Destroy_Args, &PJRT_Client_Destroy_Args::client>;
using OwnedBuffer = Owned<PJRT_Buffer, PJRT_Buffer_Destroy_Args, &PJRT_Buffer_Destroy_Args::buffer>;
using OwnedEvent = Owned<PJRT_Event, PJRT_Event_Destroy_Args, &PJRT_Event_Destroy_Args::event>;
using OwnedLoadedExecutable = Owned<PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy_Args,
                                    &PJRT_LoadedExecutable_Destroy_Args::executable>;
using OwnedExecutable =
    Owned<PJRT_Executable, PJRT_Executable_Destroy_Args, &PJRT_Executable_Destroy_Args::executable>;
using OwnedManager =
    Owned<PJRT_AsyncHostToDeviceTransferManager, PJRT_AsyncHostToDeviceTransferManager_Destroy_Args,
          &PJRT_AsyncHostToDeviceTransferManager_Destroy_Args::transfer_manager>;
using OwnedExecuteContext = Owned<PJRT_ExecuteContext, PJRT_ExecuteContext_Destroy_Args,
                                  &PJRT_ExecuteContext_Destroy_Args::context>;
using OwnedTopology = Owned<PJRT_TopologyDescription, PJRT_TopologyDescription_Destroy_Args,
                            &PJRT_TopologyDescription_Destroy_Args::topology>;

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_HANDLE_H_

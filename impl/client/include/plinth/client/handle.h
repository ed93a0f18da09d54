// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_HANDLE_H_
#define PLINTH_CLIENT_HANDLE_H_

#include <memory>
#include <utility>

#include "pjrt_c_api.h"
#include "plinth/client/api.h"

namespace plinth::client {

// How a handle is freed: the arguments of its Destroy function and the field that takes it.
template <typename T>
struct DestroyOf;
#define PLINTH_CLIENT_DESTROY(handle, args, member) \
  template <>                                       \
  struct DestroyOf<handle> {                        \
    using Args = args;                              \
    static constexpr auto kMember = &args::member;  \
  }
PLINTH_CLIENT_DESTROY(PJRT_Event, PJRT_Event_Destroy_Args, event);
PLINTH_CLIENT_DESTROY(PJRT_Client, PJRT_Client_Destroy_Args, client);
PLINTH_CLIENT_DESTROY(PJRT_Buffer, PJRT_Buffer_Destroy_Args, buffer);
PLINTH_CLIENT_DESTROY(PJRT_Executable, PJRT_Executable_Destroy_Args, executable);
PLINTH_CLIENT_DESTROY(PJRT_LoadedExecutable, PJRT_LoadedExecutable_Destroy_Args, executable);
PLINTH_CLIENT_DESTROY(PJRT_ExecuteContext, PJRT_ExecuteContext_Destroy_Args, context);
PLINTH_CLIENT_DESTROY(PJRT_TopologyDescription, PJRT_TopologyDescription_Destroy_Args, topology);
PLINTH_CLIENT_DESTROY(PJRT_AsyncHostToDeviceTransferManager,
                      PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager);
#undef PLINTH_CLIENT_DESTROY

// Keeps the client alive that a handle came from. Null for handles without a client.
using ClientRef = std::shared_ptr<const void>;

// Owns a handle of the C API and frees it through the table that made it; an error of Destroy is
// dropped. Holds its client alive: the client is destroyed after the last handle made from it,
// whatever the order in which C++ objects go. Move-only; a moved-from handle is empty. Using one
// from several threads is fine, moving or destroying it excludes other uses.
template <typename T>
class Handle {
 public:
  Handle(Api api, T* handle, ClientRef client)
      : api_(api), handle_(handle), client_(std::move(client)) {}
  Handle(Handle&& other) noexcept
      : api_(other.api_),
        handle_(std::exchange(other.handle_, nullptr)),
        client_(std::move(other.client_)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      Reset();
      api_ = other.api_;
      handle_ = std::exchange(other.handle_, nullptr);
      client_ = std::move(other.client_);
    }
    return *this;
  }
  ~Handle() { Reset(); }

  T* get() const { return handle_; }
  const Api& api() const { return api_; }
  const ClientRef& client() const { return client_; }
  // Gives the handle up; the caller frees it, while the client lives.
  T* Release() { return std::exchange(handle_, nullptr); }

 private:
  void Reset() {
    if (handle_ != nullptr) {
      typename DestroyOf<T>::Args args = {};
      args.*DestroyOf<T>::kMember = handle_;
      (void)api_.Call(args);
      handle_ = nullptr;
    }
    client_.reset();
  }

  Api api_;
  T* handle_;
  ClientRef client_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_HANDLE_H_

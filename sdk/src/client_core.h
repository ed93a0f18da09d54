// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_CLIENT_CORE_H_
#define PLINTH_SDK_SRC_CLIENT_CORE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "plinth/sdk/client.h"
#include "plinth/sdk/plugin.h"
#include "sdk/src/memory_handle.h"

namespace plinth::sdk::internal {

// What stands behind a PJRT_Client. It lives until the client and everything that came from it are
// destroyed: the PJRT_Client counts as one reference, each object handed out as another.
struct ClientCore {
  // Takes over what a plugin made and prepares everything that the C side asks for often. INTERNAL
  // if the devices and memories do not fit together.
  static Expected<ClientCore*> Make(Plugin& plugin, std::unique_ptr<Client> client);

  void Ref(intptr_t count = 1) { references.fetch_add(count, std::memory_order_relaxed); }
  void Unref(intptr_t count = 1) {
    if (references.fetch_sub(count, std::memory_order_acq_rel) == count) delete this;
  }

  // Gives an object of an author to the C side: from now on it keeps this client alive.
  Status Adopt(Buffer& buffer);
  Status AdoptAll(PJRT_Buffer* const* buffers, size_t size);
  void Adopt(Handle& handle);
  Status Adopt(LoadedExecutable& executable);

  static std::span<PJRT_Memory* const> MemoriesOf(const Device& device) {
    return device.c_memories_;
  }

  std::atomic<intptr_t> references{1};
  uint32_t generation = 0;
  Plugin* plugin = nullptr;
  std::unique_ptr<Client> client;
  std::unique_ptr<Topology> topology;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Device*> addressable_devices;
  std::vector<std::unique_ptr<MemoryHandle>> memory_handles;
  std::vector<PJRT_Memory*> addressable_memories;
  std::mutex alias_mutex;  // What AliasLinks say.

 private:
  ClientCore() = default;
  Status Prepare();
  static Status CheckBuffer(const Buffer& buffer);
};

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_CLIENT_CORE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_CLIENT_H_
#define PLINTH_CLIENT_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plinth/client/buffer.h"
#include "plinth/client/device.h"
#include "plinth/client/event.h"
#include "plinth/client/executable.h"
#include "plinth/client/handle.h"
#include "plinth/client/host_array.h"
#include "plinth/client/key_value_store.h"
#include "plinth/client/layout.h"
#include "plinth/client/options.h"
#include "plinth/client/topology.h"
#include "plinth/client/transfer_manager.h"

namespace plinth::client {

// Where a buffer goes: a memory, or a device's default memory.
struct Placement {
  Placement(const Device& d) : device(d.get()) {}  // NOLINT: implicit by design
  Placement(const Memory& m) : memory(m.get()) {}  // NOLINT: implicit by design
  PJRT_Device* device = nullptr;
  PJRT_Memory* memory = nullptr;
};

// How long the plugin uses the host memory of a buffer, and how.
enum class HostSemantics {
  // Read only before the call returns.
  kDuringCall = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
  // Read until the transfer completes.
  kUntilTransferred = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
  // The buffer may use the memory itself, read-only, while it lives.
  kZeroCopy = PJRT_HostBufferSemantics_kImmutableZeroCopy,
  // As before, and may write it, for example as a donated output.
  kMutableZeroCopy = PJRT_HostBufferSemantics_kMutableZeroCopy,
};

// Of an array to be made; without a layout it has the device's default one.
using plinth::Shape;

// The open hardware and everything made on it. Move-only. Everything made from a client keeps it
// alive: the plugin's client is destroyed after the last of them. Any thread; moving or destroying
// the object excludes other uses of it.
class Client {
 public:
  // Opens the hardware. Unknown options are the plugin's INVALID_ARGUMENT. `store` is needed if
  // the options ask for several processes. The caller owns it, and keeps it until the client and
  // everything made from it are gone.
  static Expected<Client> Create(const Api& api, const Options& options = {},
                                 KeyValueStore* store = nullptr);

  // The texts live as long as the client.
  Expected<std::string_view> PlatformName() const;
  Expected<std::string_view> PlatformVersion() const;
  Expected<int> ProcessIndex() const;
  // Every device of the run, also those that other processes drive.
  Expected<std::vector<Device>> Devices() const;
  // The devices to which this client can send work.
  Expected<std::vector<Device>> AddressableDevices() const;
  Expected<std::vector<Memory>> AddressableMemories() const;
  Expected<Device> LookupDevice(int id) const;
  Expected<Device> LookupAddressableDevice(int local_hardware_id) const;
  // Owned by the client.
  Expected<class Topology> Topology() const;
  Expected<DeviceAssignment> DefaultDeviceAssignment(int num_replicas, int num_partitions) const;

  // Compiles and loads, in one step.
  Expected<LoadedExecutable> Compile(const Program& program,
                                     const CompileOptions& options = {}) const;
  // The same with a serialized CompileOptionsProto of the caller.
  Expected<LoadedExecutable> Compile(const Program& program,
                                     std::string_view compile_options_proto) const;
  // Loads what Topology::Compile made. From 0.95; UNIMPLEMENTED for many plugins.
  Expected<LoadedExecutable> Load(const Executable& executable,
                                  const CompileOptions& options = {}) const;
  // Loads the bytes of Executable::Serialize; `options`, if not null, replace the stored ones (from
  // 0.71).
  Expected<LoadedExecutable> DeserializeAndLoad(std::string_view bytes,
                                                const CompileOptions* options = nullptr) const;

  // A copy of a host array, which may be changed or freed when this returns.
  Expected<Buffer> BufferFromHost(const HostView& from, const Placement& to) const;
  // As `semantics` says. `done` runs once, on any thread, when the host memory is no longer used;
  // if this fails, it does not run. `layout`: that on the device; null for the default.
  Expected<Buffer> BufferFromHost(const HostView& from, const Placement& to,
                                  HostSemantics semantics, std::function<void()> done,
                                  const Layout* layout = nullptr) const;
  // Moves a host array in, without a copy if the plugin can.
  Expected<Buffer> BufferFromHost(HostArray from, const Placement& to) const;
  // Contents are not set. From 0.69.
  Expected<Buffer> CreateUninitialized(const Shape& shape, const Placement& to) const;
  // Carries an error instead of data: an execution that reads it receives the error. From 0.82.
  Expected<Buffer> CreateError(const Status& error, const Shape& shape, const Memory& to) const;
  // Wraps device memory that somebody else owns; `on_delete` runs once, on any thread, when the
  // buffer no longer uses it.
  Expected<Buffer> CreateView(void* device_pointer, const Shape& shape, const Placement& to,
                              std::function<void()> on_delete, intptr_t stream = 0) const;
  // Buffers that are filled piece by piece, in their default layouts. From 0.60.
  Expected<TransferManager> CreateBuffersForTransfer(std::span<const Shape> shapes,
                                                     const Memory& to) const;
  // Pins host memory so that devices reach it directly, and unpins it. From 0.67.
  Status DmaMap(void* data, size_t size) const;
  Status DmaUnmap(void* data) const;

  PJRT_Client* get() const { return client_; }
  const Api& api() const { return api_; }
  // Keeps the plugin's client alive.
  const ClientRef& ref() const { return ref_; }

 private:
  Client(const Api& api, PJRT_Client* client, ClientRef ref)
      : api_(api), client_(client), ref_(std::move(ref)) {}

  Api api_;
  PJRT_Client* client_;
  ClientRef ref_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_CLIENT_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_CLIENT_H_
#define PLINTH_SDK_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/sdk/buffer.h"
#include "plinth/sdk/device.h"
#include "plinth/sdk/event.h"
#include "plinth/sdk/executable.h"
#include "plinth/sdk/shape.h"
#include "plinth/sdk/topology.h"
#include "plinth/sdk/transfer_manager.h"

namespace plinth::sdk {

enum class HostBufferSemantics : int {
  // The data may change as soon as the call returns: copy it.
  kImmutableOnlyDuringCall = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
  // The data stays until done_with_host_buffer is ready.
  kImmutableUntilTransferCompletes = PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
  // As above, and the buffer may live in the host's memory: done_with_host_buffer then becomes
  // ready when nothing reads it any more.
  kImmutableZeroCopy = PJRT_HostBufferSemantics_kImmutableZeroCopy,
  // As above, and the plugin may write into it.
  kMutableZeroCopy = PJRT_HostBufferSemantics_kMutableZeroCopy,
};

// Borrowed for the call, apart from `data`, whose lifetime `semantics` tells.
struct HostBufferRequest {
  const void* data = nullptr;  // Non-null unless size is 0.
  DType dtype = DType::kInvalid;
  std::span<const int64_t> dims = {};
  // One per dimension, always filled in, in bytes; negative and zero strides happen.
  std::span<const int64_t> byte_strides = {};
  bool is_dense = true;  // True if the strides are those of a dense row-major array.
  int64_t size = 0;      // Bytes of the dense array.
  HostBufferSemantics semantics = HostBufferSemantics::kImmutableOnlyDuringCall;
  Memory* memory = nullptr;  // Never null.
  Device* device = nullptr;  // Never null: the one asked for, or the memory's own.
  // The layout wanted on the device, even if that is row-major; null: any, for example that of
  // GetDefaultLayout.
  std::shared_ptr<const Layout> layout = {};
};

struct HostBufferResult {
  std::unique_ptr<Buffer> buffer = {};
  // Ready when the host's data is no longer needed.
  Event done_with_host_buffer = {};
};

// Memory of somebody else that a buffer is to show.
struct ViewRequest {
  void* data = nullptr;
  Shape shape = {};
  Memory* memory = nullptr;  // Never null.
  Device* device = nullptr;  // Never null.
  intptr_t stream = 0;       // The platform's stream on which the data becomes ready; 0 if none.
  // The buffer keeps a copy of it as long as it uses the memory: dropping the last one tells the
  // owner (on_delete). May be null. If creating the view fails, the owner is not told.
  std::shared_ptr<void> owner = {};
};

// A buffer whose contents come later, from another buffer.
struct AliasBuffer {
  std::unique_ptr<Buffer> buffer = {};
  // Called at most once, with the buffer to take the contents from (borrowed for the call; the
  // alias shares its storage) or the error to fail with. Dropped uncalled: the alias must fail.
  std::function<Status(Expected<Buffer*>)> fulfill;
};

struct LoadOptions {
  std::span<const int32_t> computation_origin = {};
  // Reaches an author only if PluginInfo::supports_multi_slice.
  PJRT_MultiSlice_Config* multi_slice_config = nullptr;
};

// The state of a process of a distributed run, as the framework sees it.
struct ProcessInfo {
  int task_id = 0;
  uint64_t incarnation_id = 0;
  PJRT_ProcessState state = PJRT_ProcessState_kUnspecified;
  Status error = {};  // If state is kError.
};

// A plugin at work: has devices and memories, makes buffers and executables. The SDK owns it and
// destroys it after the last object that came from it. All functions may be called from any thread,
// also at once. Optional functions answer UNIMPLEMENTED unless their comment says otherwise.
class Client {
 public:
  explicit Client(int process_index = 0) : process_index_(process_index) {}
  virtual ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int process_index() const { return process_index_; }
  std::span<const std::unique_ptr<Device>> devices() const { return devices_; }
  std::span<const std::unique_ptr<Memory>> memories() const { return memories_; }
  // The device with that global id, or null.
  Device* FindDevice(int id) const;
  // By PJRT_Device_LocalHardwareId, or null.
  Device* FindAddressableDevice(int local_hardware_id) const;

  // `options` is a serialized xla.CompileOptionsProto.
  virtual Expected<std::unique_ptr<LoadedExecutable>> Compile(const Program& program,
                                                              std::string_view options) = 0;
  virtual Expected<HostBufferResult> BufferFromHostBuffer(const HostBufferRequest& request) = 0;

  // `overridden_options`: non-empty, it replaces the options that were serialized.
  virtual Expected<std::unique_ptr<LoadedExecutable>> DeserializeAndLoad(
      std::string_view serialized, std::string_view overridden_options, const LoadOptions& load);
  // An executable of Plugin::Compile. Reached only if PluginInfo::supports_load. `options`: a
  // CompileOptionsProto whose devices count, not those that the program was compiled for; or empty.
  virtual Expected<std::unique_ptr<LoadedExecutable>> Load(
      std::shared_ptr<const Executable> executable, std::string_view options);

  // A buffer with undefined contents, ready at once.
  virtual Expected<std::unique_ptr<Buffer>> CreateUninitializedBuffer(const Shape& shape,
                                                                      Memory* memory,
                                                                      Device* device);
  // A buffer that is ready with `error`.
  virtual Expected<std::unique_ptr<Buffer>> CreateErrorBuffer(const Status& error,
                                                              const Shape& shape, Memory* memory);
  virtual Expected<AliasBuffer> CreateAliasBuffer(const Shape& shape, Memory* memory);
  virtual Expected<std::unique_ptr<Buffer>> CreateViewOfDeviceBuffer(const ViewRequest& request);
  // By default over CreateAliasBuffer and BufferFromHostBuffer: chunks are gathered on the host.
  virtual Expected<std::unique_ptr<AsyncHostToDeviceTransferManager>>
  CreateBuffersForAsyncHostToDevice(std::vector<Shape> shapes, Memory* memory);

  // Ids in the order [replica][partition]; by default the first devices, in the order of their ids.
  // INVALID_ARGUMENT if there are not enough.
  virtual Expected<std::vector<int>> DefaultDeviceAssignment(int num_replicas, int num_partitions);
  // By default all devices with no further attributes. Called once, when the client is made.
  virtual Expected<std::unique_ptr<Topology>> MakeTopology();
  // The layout that the device prefers; row-major by default.
  virtual Expected<Layout> GetDefaultLayout(DType dtype, std::span<const int64_t> dims);

  virtual Status DmaMap(void* data, size_t size);
  virtual Status DmaUnmap(void* data);
  virtual Status UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes);

 protected:
  // For constructors and factories, before the client is handed to the SDK: the devices and
  // memories, which never change later. At least one device, and every addressable device needs a
  // memory (the first added for it is its default). The pointers live as long as the client.
  Device* AddDevice(std::unique_ptr<Device> device);
  // `devices`: those that can address it, its own first.
  Memory* AddMemory(std::unique_ptr<Memory> memory, std::span<Device* const> devices);
  Memory* AddMemory(std::unique_ptr<Memory> memory, std::initializer_list<Device*> devices);

 private:
  friend struct internal::ClientCore;
  int process_index_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Memory>> memories_;
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_CLIENT_H_

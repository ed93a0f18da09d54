// SPDX-License-Identifier: Apache-2.0
// A plugin for tests of what stands on plugins: eight devices, the first `remote_devices` of which
// another process drives. In a run of two processes (num_nodes=2) that is node 1, which sends and
// receives arrays through the framework's key-value store, by the extension CrossHostTransfers;
// else there is none, and nothing arrives. Each of its own devices has two memories. It takes dense
// host arrays only, and compiles no StableHLO. One program runs on all devices: "copy" takes an
// s32[16], cut into eight, and gives a copy of it; "donate" takes the argument away.

#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "pjrt_c_api_cross_host_transfers_extension.h"
#include "plinth/sdk/plugin.h"

namespace {

using plinth::DType;
using plinth::Expected;
using plinth::FailedPrecondition;
using plinth::Status;
using plinth::Unimplemented;
namespace sdk = plinth::sdk;

constexpr int kNumDevices = 8;
constexpr int64_t kShardElements = 2;

class DevicesBuffer : public sdk::Buffer {
 public:
  static Expected<std::unique_ptr<sdk::Buffer>> Make(DType dtype, std::span<const int64_t> dims,
                                                     sdk::Memory* memory) {
    PLINTH_ASSIGN_OR_RETURN(const int64_t size, sdk::DenseSizeInBytes(dtype, dims));
    std::shared_ptr<char[]> data(new char[static_cast<size_t>(size) + 1]);
    return std::unique_ptr<sdk::Buffer>(
        std::make_unique<DevicesBuffer>(dtype, dims, memory, std::move(data)));
  }
  DevicesBuffer(DType dtype, std::span<const int64_t> dims, sdk::Memory* memory,
                std::shared_ptr<char[]> data)
      : Buffer(dtype, dims, memory), data_(std::move(data)) {}

  sdk::Event ReadyEvent() override { return sdk::Event(); }
  void Delete() override { std::atomic_store(&data_, std::shared_ptr<char[]>()); }
  bool IsDeleted() override { return std::atomic_load(&data_) == nullptr; }
  bool IsOnCpu() override { return true; }
  Expected<std::shared_ptr<void>> HoldMemory() override {
    std::shared_ptr<char[]> data = std::atomic_load(&data_);
    if (data == nullptr) return FailedPrecondition("the buffer was deleted");
    return std::shared_ptr<void>(data, data.get());
  }
  Expected<sdk::Event> CopyToHost(const sdk::HostDestination& destination) override {
    if (!destination.is_dense) return Unimplemented("this plugin writes dense host arrays only");
    PLINTH_ASSIGN_OR_RETURN(const std::shared_ptr<void> data, HoldMemory());
    PLINTH_ASSIGN_OR_RETURN(const int64_t size, OnDeviceSizeInBytes());
    std::memcpy(destination.data, data.get(), static_cast<size_t>(size));
    return sdk::Event();
  }
  Expected<std::unique_ptr<sdk::Buffer>> CopyToMemory(sdk::Memory* memory) override {
    PLINTH_ASSIGN_OR_RETURN(const std::shared_ptr<void> data, HoldMemory());
    PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<sdk::Buffer> copy, Make(dtype(), dims(), memory));
    PLINTH_ASSIGN_OR_RETURN(const std::shared_ptr<void> target, copy->HoldMemory());
    PLINTH_ASSIGN_OR_RETURN(const int64_t size, OnDeviceSizeInBytes());
    std::memcpy(target.get(), data.get(), static_cast<size_t>(size));
    return copy;
  }

 private:
  std::shared_ptr<char[]> data_;
};

class CopyExecutable : public sdk::LoadedExecutable {
 public:
  using LoadedExecutable::LoadedExecutable;

  Status Execute(const sdk::ExecuteRequest& request, sdk::ExecuteResults& results) override {
    for (size_t device = 0; device < request.num_devices(); ++device) {
      sdk::Buffer& input = request.arguments(device)[0];
      PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<sdk::Buffer> output,
                              input.CopyToMemory(input.memory()));
      results.SetOutput(device, 0, std::move(output));
    }
    return {};
  }
};

// The stores of the clients that live, by the number of their process: several may live in one
// process, for tests.
class Stores {
 public:
  using Store = std::shared_ptr<const sdk::KeyValueStore>;
  static Stores& The() {
    static auto* const stores = new Stores;
    return *stores;
  }
  void Set(int process, const Store& store) {
    const std::lock_guard lock(mutex_);
    by_process_[process] = store;
  }
  Store Find(int process) {
    const std::lock_guard lock(mutex_);
    return by_process_[process].lock();
  }

 private:
  std::mutex mutex_;
  std::map<int, std::weak_ptr<const sdk::KeyValueStore>> by_process_;
};

class DevicesClient : public sdk::Client {
 public:
  DevicesClient(int remote_devices, int process, Stores::Store store)
      : Client(process), store_(std::move(store)) {
    if (store_ != nullptr) Stores::The().Set(process, store_);
    for (int id = 0; id < kNumDevices; ++id) {
      const int process_of_device = id < remote_devices ? 1 : 0;
      const bool is_remote = process_of_device != process;
      sdk::Device* device = AddDevice(std::make_unique<sdk::Device>(sdk::DeviceInfo{
          .description = {.id = id, .process_index = process_of_device, .kind = "test"},
          .local_hardware_id = is_remote ? -1 : id,
          .is_addressable = !is_remote}));
      if (is_remote) continue;
      AddMemory(std::make_unique<sdk::Memory>(sdk::MemoryInfo{.id = 2 * id, .kind = "device"}),
                {device});
      AddMemory(std::make_unique<sdk::Memory>(
                    sdk::MemoryInfo{.id = 2 * id + 1, .kind = "pinned_host", .kind_id = 1}),
                {device});
    }
  }

  Expected<sdk::HostBufferResult> BufferFromHostBuffer(
      const sdk::HostBufferRequest& request) override {
    if (!request.is_dense) return Unimplemented("this plugin reads dense host arrays only");
    PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<sdk::Buffer> buffer,
                            DevicesBuffer::Make(request.dtype, request.dims, request.memory));
    PLINTH_ASSIGN_OR_RETURN(const std::shared_ptr<void> data, buffer->HoldMemory());
    if (request.size != 0) {
      std::memcpy(data.get(), request.data, static_cast<size_t>(request.size));
    }
    return sdk::HostBufferResult{std::move(buffer), sdk::Event()};
  }

  Expected<std::unique_ptr<sdk::LoadedExecutable>> Compile(const sdk::Program& program,
                                                           std::string_view options) override {
    if (program.code != "copy" && program.code != "donate") {
      return Unimplemented("this plugin runs the programs `copy` and `donate` only");
    }
    sdk::ExecutableInfo info;
    info.name = program.code;
    info.num_partitions = kNumDevices;
    info.compile_options = std::string(options);
    sdk::ValueInfo value{.dtype = DType::kS32, .dims = {kShardElements}};
    // An xla.OpSharding: tiles [8] over the devices 0 to 7.
    value.sharding =
        std::string("\x08\x03\x1A\x01\x08\x22\x08\x00\x01\x02\x03\x04\x05\x06\x07", 15);
    info.outputs.push_back(value);
    value.is_donated = program.code == "donate";
    info.parameters.push_back(std::move(value));
    sdk::LoadedExecutableInfo loaded;
    loaded.assignment.num_partitions = kNumDevices;
    for (const auto& device : devices()) {
      loaded.assignment.devices.push_back(device->id());
      if (device->is_addressable()) loaded.addressable_devices.push_back(device.get());
    }
    return std::unique_ptr<sdk::LoadedExecutable>(std::make_unique<CopyExecutable>(
        std::make_shared<const sdk::Executable>(std::move(info)), std::move(loaded)));
  }

 private:
  const Stores::Store store_;
};

// The extension, over the plugin's own table. Arrays are values of the store.

const PJRT_Api& Table();

// Runs `function` of the table; its error.
template <typename Args>
PJRT_Error* CallTable(PJRT_Error* (*function)(Args*), Args* args, size_t size) {
  args->struct_size = size;
  return function(args);
}

// Some error: only the table makes those that it frees.
PJRT_Error* AnyError() {
  PJRT_Client_PlatformName_Args args = {};
  return CallTable(Table().PJRT_Client_PlatformName, &args,
                   PJRT_Client_PlatformName_Args_STRUCT_SIZE);
}

PJRT_Error* FindStore(PJRT_Client* client, Stores::Store* store) {
  PJRT_Client_ProcessIndex_Args args = {};
  args.client = client;
  PJRT_Error* const error =
      CallTable(Table().PJRT_Client_ProcessIndex, &args, PJRT_Client_ProcessIndex_Args_STRUCT_SIZE);
  if (error != nullptr) return error;
  *store = Stores::The().Find(args.process_index);
  return *store == nullptr ? AnyError() : nullptr;
}

std::string StoreKey(int64_t key) { return "plinth_devices/" + std::to_string(key); }

PJRT_Error* Await(PJRT_Event* event) {
  PJRT_Event_Await_Args await = {};
  await.event = event;
  PJRT_Error* const error =
      CallTable(Table().PJRT_Event_Await, &await, PJRT_Event_Await_Args_STRUCT_SIZE);
  PJRT_Event_Destroy_Args destroy = {};
  destroy.event = event;
  CallTable(Table().PJRT_Event_Destroy, &destroy, PJRT_Event_Destroy_Args_STRUCT_SIZE);
  return error;
}

PJRT_Error* SendOne(const sdk::KeyValueStore& store, PJRT_Buffer* buffer, int64_t key,
                    PJRT_Event** sent) {
  PJRT_Buffer_ToHostBuffer_Args copy = {};
  copy.src = buffer;
  PJRT_Error* error =
      CallTable(Table().PJRT_Buffer_ToHostBuffer, &copy, PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE);
  if (error != nullptr) return error;
  std::string bytes(copy.dst_size, '\0');
  copy.dst = bytes.data();
  error =
      CallTable(Table().PJRT_Buffer_ToHostBuffer, &copy, PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE);
  if (error == nullptr) error = Await(copy.event);
  if (error != nullptr) return error;
  if (!store.Put(StoreKey(key), bytes).ok()) return AnyError();
  PJRT_Buffer_ReadyEvent_Args ready = {};
  ready.buffer = buffer;
  error =
      CallTable(Table().PJRT_Buffer_ReadyEvent, &ready, PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE);
  *sent = ready.event;
  return error;
}

PJRT_Error* Send(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args) {
  Stores::Store store;
  PJRT_Error* error = FindStore(args->client, &store);
  for (size_t i = 0; error == nullptr && i < args->num_buffers; ++i) {
    error = SendOne(*store, args->buffers[i], args->transfer_keys[i], &args->send_events[i]);
  }
  return error;
}

PJRT_Error* Receive(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args) {
  Stores::Store store;
  PJRT_Error* error = FindStore(args->client, &store);
  for (size_t i = 0; error == nullptr && i < args->num_shapes; ++i) {
    const Expected<std::string> bytes =
        store->Get(StoreKey(args->transfer_keys[i]), std::chrono::minutes(1));
    if (!bytes.ok()) return AnyError();
    PJRT_Client_BufferFromHostBuffer_Args make = {};
    make.client = args->client;
    make.data = bytes->data();
    make.type = args->element_types[i];
    make.dims = args->num_dims[i];
    make.num_dims = args->shape_num_dims[i];
    make.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    make.device = args->device;
    error = CallTable(Table().PJRT_Client_BufferFromHostBuffer, &make,
                      PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE);
    if (error != nullptr) return error;
    error = Await(make.done_with_host_buffer);
    args->buffers[i] = make.buffer;
  }
  return error;
}

PJRT_Extension_Base* CrossHostTransfers() {
  static auto* const extension = [] {
    auto* const made = new PJRT_CrossHostTransfers_Extension();
    made->base.struct_size = PJRT_CrossHostTransfers_Extension_STRUCT_SIZE;
    made->base.type = PJRT_Extension_Type_CrossHostTransfers;
    made->PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers = &Receive;
    made->PJRT_Transfers_PJRT_Client_CrossHostSendBuffers = &Send;
    return made;
  }();
  return &extension->base;
}

class DevicesPlugin : public sdk::Plugin {
 public:
  DevicesPlugin() {
    info_.name = "plinth_devices";
    info_.version = "0.1.0";
    info_.platform_name = "plinth_devices";
    info_.platform_version = "plinth_devices 0.1.0";
    info_.options = {{.name = "remote_devices",
                      .default_value = int64_t{4},
                      .doc = "how many of the eight devices another process drives",
                      .min = 0,
                      .max = kNumDevices - 1}};
    info_.supports_distributed = true;
    info_.extensions = {CrossHostTransfers()};
  }
  const sdk::PluginInfo& info() const override { return info_; }
  Expected<std::unique_ptr<sdk::Client>> CreateClient(const sdk::ClientRequest& request) override {
    if (request.num_nodes > 2) return Unimplemented("runs of more than two processes");
    return std::unique_ptr<sdk::Client>(std::make_unique<DevicesClient>(
        static_cast<int>(request.options.GetInt64("remote_devices")), request.node_id,
        request.key_value_store));
  }

 private:
  sdk::PluginInfo info_;
};

// Not through GetPjrtApi, whose name libplinth has too.
const PJRT_Api& Table() {
  return *sdk::internal::GetApi([]() -> std::unique_ptr<sdk::Plugin> { return nullptr; });
}

}  // namespace

PLINTH_DEFINE_PLUGIN(DevicesPlugin)

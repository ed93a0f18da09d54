// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/test_plugin.h"

#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

namespace plinth::sdk::testing {

std::atomic<int> live_clients{0};
std::atomic<int> live_buffers{0};
std::atomic<int> live_executables{0};
bool buffers_are_readable_after_fork = false;
LastHandler last_handler;
LastClientRequest last_client_request;
std::function<Status(const ExecuteRequest&, ExecuteResults&)> execute_hook;
std::function<Expected<HostBufferResult>(const HostBufferRequest&)> upload_hook;
std::function<Expected<Event>(Buffer&)> raw_copy_hook;
std::atomic<int> hold_calls{0};
std::atomic<int> ffi_calls{0};
std::atomic<intptr_t> waiting_stream{0};
PluginInfo* plugin_info = nullptr;

namespace {

using Storage = std::shared_ptr<std::vector<char>>;

class TestBuffer : public Buffer {
 public:
  TestBuffer(DType dtype, std::span<const int64_t> dims, Memory* memory, Storage storage,
             Event ready, std::shared_ptr<const Layout> layout = nullptr)
      : Buffer(dtype, dims, memory, nullptr, std::move(layout)),
        storage_(std::move(storage)),
        ready_(std::move(ready)) {
    ++live_buffers;
  }
  ~TestBuffer() override { --live_buffers; }

  Event ReadyEvent() override { return ready_; }
  void Delete() override {
    std::lock_guard lock(mutex_);
    storage_ = nullptr;
  }
  bool IsDeleted() override { return storage() == nullptr; }
  bool IsOnCpu() override { return true; }
  // Only the tests' own thread uses buffers when they fork.
  bool IsReadableAfterFork() const override { return buffers_are_readable_after_fork; }

  Expected<Event> CopyToHost(const HostDestination& destination) override {
    Storage from = storage();
    if (from == nullptr) return FailedPrecondition("the buffer was deleted");
    Dims strides(dims().size());
    DenseByteStrides(dims(), ByteSize(dtype()), {}, {strides.data(), strides.size()});
    CopyStrided(destination.data, destination.byte_strides, from->data(), strides, dims(),
                ByteSize(dtype()));
    return ready_;
  }
  Status WaitUntilReadyOnStream(intptr_t stream) override {
    waiting_stream = stream;
    return ready_.IsReady() ? ready_.status() : Status();
  }
  Expected<std::shared_ptr<void>> HoldMemory() override {
    ++hold_calls;
    PLINTH_RETURN_IF_ERROR(ready_.Await());
    Storage held = storage();
    if (held == nullptr) return FailedPrecondition("the buffer was deleted");
    return std::shared_ptr<void>(held, held->data());
  }
  Expected<std::unique_ptr<Buffer>> CopyToMemory(Memory* memory) override {
    Storage from = storage();
    if (from == nullptr) return FailedPrecondition("the buffer was deleted");
    return std::unique_ptr<Buffer>(std::make_unique<TestBuffer>(
        dtype(), dims(), memory, std::make_shared<std::vector<char>>(*from), ready_));
  }
  Expected<Event> CopyRawToHost(void* destination, int64_t offset, int64_t size) override {
    if (raw_copy_hook) return raw_copy_hook(*this);
    Storage from = storage();
    if (from == nullptr) return FailedPrecondition("the buffer was deleted");
    std::memcpy(destination, from->data() + offset, static_cast<size_t>(size));
    return Event();
  }
  Expected<std::unique_ptr<Buffer>> DonateWithControlDependency(Event dependency) override {
    Storage from = storage();
    Delete();
    return std::unique_ptr<Buffer>(
        std::make_unique<TestBuffer>(dtype(), dims(), memory(), from, std::move(dependency)));
  }

  Storage storage() {
    std::lock_guard lock(mutex_);
    return storage_;
  }
  void Take(Storage storage) {
    std::lock_guard lock(mutex_);
    storage_ = std::move(storage);
  }

 private:
  std::mutex mutex_;
  Storage storage_;
  Event ready_;
};

Expected<Storage> Allocate(DType dtype, std::span<const int64_t> dims) {
  PLINTH_ASSIGN_OR_RETURN(int64_t size, DenseSizeInBytes(dtype, dims));
  if (size > int64_t{1} << 40) return ResourceExhausted("no room for ", size, " bytes");
  return std::make_shared<std::vector<char>>(static_cast<size_t>(size));
}

float* Floats(Buffer& buffer) {
  return reinterpret_cast<float*>(static_cast<TestBuffer&>(buffer).storage()->data());
}

class TestExecutable : public LoadedExecutable {
 public:
  TestExecutable(std::shared_ptr<const Executable> executable, LoadedExecutableInfo info)
      : LoadedExecutable(std::move(executable), std::move(info)) {
    ++live_executables;
  }
  ~TestExecutable() override { --live_executables; }

  Status Execute(const ExecuteRequest& request, ExecuteResults& results) override {
    if (execute_hook) return execute_hook(request, results);
    for (size_t d = 0; d < request.num_devices(); ++d) {
      if (results.num_outputs() == 0) continue;
      ArgumentList arguments = request.arguments(d);
      auto output = MakeTestBuffer(DType::kF32, arguments[0].dims(), arguments[0].memory());
      for (size_t i = 0; i < 4; ++i) {
        float other = arguments.size() > 1 ? Floats(arguments[1])[i] : static_cast<float>(d);
        Floats(*output)[i] = Floats(arguments[0])[i] + other;
      }
      results.SetOutput(d, 0, std::move(output));
    }
    return {};
  }
};

class SerializableExecutable : public Executable {
 public:
  using Executable::Executable;
  Expected<std::string> Serialize() const override { return info().name; }
  Expected<OwnedProgram> OptimizedProgram() const override {
    return OwnedProgram{"mlir", "optimized " + info().name};
  }
};

class TestDevice : public Device {
 public:
  using Device::Device;
  Expected<intptr_t> StreamForExternalReadyEvents() override { return 100 + id(); }
};

class TestClient : public Client {
 public:
  TestClient() {
    ++live_clients;
    Device* devices[2];
    for (int id : {0, 1}) {
      devices[id] = AddDevice(std::make_unique<TestDevice>(
          DeviceInfo{.description = {.id = id,
                                     .kind = "test",
                                     .attributes = {{"cores", int64_t{4}}, {"name", "t"}}},
                     .local_hardware_id = 10 + id}));
      AddMemory(std::make_unique<Memory>(MemoryInfo{.id = id, .kind = "device"}), {devices[id]});
    }
    AddMemory(std::make_unique<Memory>(MemoryInfo{.id = 2, .kind = "pinned_host", .kind_id = 1}),
              devices);
  }
  ~TestClient() override { --live_clients; }

  Expected<HostBufferResult> BufferFromHostBuffer(const HostBufferRequest& request) override {
    if (upload_hook) return upload_hook(request);
    PLINTH_ASSIGN_OR_RETURN(Storage storage, Allocate(request.dtype, request.dims));
    Dims strides(request.dims.size());
    DenseByteStrides(request.dims, ByteSize(request.dtype), {}, {strides.data(), strides.size()});
    CopyStrided(storage->data(), strides, request.data, request.byte_strides, request.dims,
                ByteSize(request.dtype));
    return HostBufferResult{
        std::make_unique<TestBuffer>(request.dtype, request.dims, request.memory, storage, Event(),
                                     request.layout),
        Event()};
  }

  Expected<std::unique_ptr<LoadedExecutable>> Compile(const Program& program,
                                                      std::string_view options) override {
    if (program.format != "test") return Unimplemented("unknown format ", program.format);
    if (program.code == "throw") throw std::runtime_error("thrown by Compile");
    if (program.code == "no_memory") throw std::bad_alloc();
    ExecutableInfo info;
    info.name = std::string(program.code);
    info.fingerprint = "fingerprint of " + info.name;
    info.compile_options = std::string(options);
    info.cost = {{"flops", 4.0f}};
    info.memory_stats = CompiledMemoryStats{.argument_size = 32, .peak_unpadded_heap = 99};
    LoadedExecutableInfo loaded;
    loaded.addressable_devices = {devices()[0].get()};
    const ValueInfo value{
        .dtype = DType::kF32, .dims = {4}, .sharding = std::string("\x08\x00", 2)};
    if (program.code != "none") {
      info.parameters.assign(program.code == "pair" ? 1 : 2, value);
      info.outputs.assign(1, value);
      info.parameters[0].is_donated = program.code.starts_with("give");
    }
    if (program.code == "give_both") info.parameters[1].is_donated = true;
    if (program.code == "pair") {
      info.num_partitions = 2;
      loaded.addressable_devices.push_back(devices()[1].get());
    }
    return std::unique_ptr<LoadedExecutable>(std::make_unique<TestExecutable>(
        std::make_shared<const SerializableExecutable>(std::move(info)), std::move(loaded)));
  }

  Expected<std::unique_ptr<LoadedExecutable>> DeserializeAndLoad(std::string_view serialized,
                                                                 std::string_view overridden,
                                                                 const LoadOptions&) override {
    return Compile({"test", serialized}, overridden);
  }

  Expected<std::unique_ptr<Buffer>> CreateUninitializedBuffer(const Shape& shape, Memory* memory,
                                                              Device*) override {
    PLINTH_ASSIGN_OR_RETURN(Storage storage, Allocate(shape.dtype, shape.dims));
    return std::unique_ptr<Buffer>(
        std::make_unique<TestBuffer>(shape.dtype, shape.dims, memory, storage, Event()));
  }
  Expected<std::unique_ptr<Buffer>> CreateErrorBuffer(const Status& error, const Shape& shape,
                                                      Memory* memory) override {
    return MakeTestBuffer(shape.dtype, shape.dims, memory, Event::Ready(error));
  }
  Expected<AliasBuffer> CreateAliasBuffer(const Shape& shape, Memory* memory) override {
    auto source = std::make_shared<EventSource>();
    PLINTH_ASSIGN_OR_RETURN(Storage storage, Allocate(shape.dtype, shape.dims));
    AliasBuffer alias;
    alias.buffer =
        std::make_unique<TestBuffer>(shape.dtype, shape.dims, memory, storage, source->event());
    alias.fulfill = [source, storage](Expected<Buffer*> contents) -> Status {
      if (!contents.ok()) {
        source->Set(contents.status());
        return {};
      }
      *storage = *static_cast<TestBuffer*>(*contents)->storage();
      source->Set();
      return {};
    };
    return alias;
  }
  Expected<std::unique_ptr<Buffer>> CreateViewOfDeviceBuffer(const ViewRequest& request) override {
    if (request.stream == -1) return InvalidArgument("the test plugin has no stream -1");
    PLINTH_ASSIGN_OR_RETURN(Storage copy, Allocate(request.shape.dtype, request.shape.dims));
    std::memcpy(copy->data(), request.data, copy->size());
    // Keeps the owner exactly as long as the storage.
    Storage storage(copy.get(), [copy, owner = request.owner](std::vector<char>*) {});
    copy.reset();
    return std::unique_ptr<Buffer>(std::make_unique<TestBuffer>(
        request.shape.dtype, request.shape.dims, request.memory, std::move(storage), Event()));
  }
};

class TestFfi : public Ffi {
 public:
  Status RegisterHandler(const FfiHandler& handler) override {
    if (handler.target == "taken") return FailedPrecondition("taken");
    last_handler = {std::string(handler.target),
                    std::string(handler.platform),
                    handler.is_typed,
                    handler.instantiate,
                    handler.execute,
                    handler.traits};
    return {};
  }
  Expected<int64_t> RegisterType(std::string_view name, int64_t type_id,
                                 const FfiTypeInfo& info) override {
    return types_.Register(name, type_id, info);
  }

 private:
  FfiTypes types_;
};

class TestPlugin : public Plugin {
 public:
  Ffi* ffi() override {
    ++ffi_calls;
    return &ffi_;
  }
  TestPlugin() {
    info_.name = "test_plugin";
    info_.version = "1.2";
    info_.platform_name = "test";
    info_.platform_version = "test 1.2";
    info_.attributes = {{"stablehlo_current_version", std::vector<int64_t>{1, 17, 0}},
                        {"xla_version", int64_t{2}}};
    info_.options = {
        {.name = "count", .default_value = int64_t{7}, .doc = "a number", .min = 0, .max = 9}};
    info_.supports_distributed = true;
    info_.supports_custom_options = true;
    info_.supports_multi_slice = true;
    info_.supports_streams = true;
    plugin_info = &info_;
  }
  const PluginInfo& info() const override { return info_; }
  Expected<std::unique_ptr<Client>> CreateClient(const ClientRequest& request) override {
    last_client_request = {request.options.GetInt64("count"), request.num_nodes,
                           request.key_value_store != nullptr, ""};
    if (request.key_value_store != nullptr) {
      PLINTH_RETURN_IF_ERROR(request.key_value_store->Put("test/key", "value"));
      PLINTH_ASSIGN_OR_RETURN(
          last_client_request.from_store,
          request.key_value_store->Get("test/key", std::chrono::milliseconds(10)));
    }
    return std::unique_ptr<Client>(std::make_unique<TestClient>());
  }

 private:
  PluginInfo info_;
  TestFfi ffi_;
};

}  // namespace

std::unique_ptr<Buffer> MakeTestBuffer(DType dtype, std::span<const int64_t> dims, Memory* memory,
                                       Event ready, std::shared_ptr<const Layout> layout) {
  return std::make_unique<TestBuffer>(dtype, dims, memory, *Allocate(dtype, dims), std::move(ready),
                                      std::move(layout));
}

const PJRT_Api* Api() {
  return internal::GetApi(
      []() -> std::unique_ptr<Plugin> { return std::make_unique<TestPlugin>(); });
}

TestClientHandle::TestClientHandle() {
  PLINTH_ARGS(PJRT_Client_Create, create);
  if (!PLINTH_CALL(PJRT_Client_Create, create).ok()) return;
  client = create.client;
  PLINTH_ARGS(PJRT_Client_Devices, all);
  all.client = client;
  PLINTH_CALL(PJRT_Client_Devices, all).ok();
  devices.assign(all.devices, all.devices + all.num_devices);
  PLINTH_ARGS(PJRT_Client_AddressableMemories, mems);
  mems.client = client;
  PLINTH_CALL(PJRT_Client_AddressableMemories, mems).ok();
  memories.assign(mems.addressable_memories,
                  mems.addressable_memories + mems.num_addressable_memories);
}

TestClientHandle::~TestClientHandle() { Destroy(); }

void TestClientHandle::Destroy() {
  if (client == nullptr) return;
  PLINTH_ARGS(PJRT_Client_Destroy, args);
  args.client = std::exchange(client, nullptr);
  PLINTH_CALL(PJRT_Client_Destroy, args).ok();
}

PJRT_Buffer* Upload(const TestClientHandle& client, const std::vector<float>& values,
                    PJRT_Memory* memory) {
  PLINTH_ARGS(PJRT_Client_BufferFromHostBuffer, args);
  args.client = client.client;
  args.data = values.data();
  args.type = PJRT_Buffer_Type_F32;
  int64_t dims[] = {static_cast<int64_t>(values.size())};
  args.dims = dims;
  args.num_dims = 1;
  args.memory = memory != nullptr ? memory : client.memories[0];
  if (!PLINTH_CALL(PJRT_Client_BufferFromHostBuffer, args).ok()) return nullptr;
  Destroy(args.done_with_host_buffer);
  return args.buffer;
}

std::vector<float> Download(PJRT_Buffer* buffer) {
  PLINTH_ARGS(PJRT_Buffer_ToHostBuffer, args);
  args.src = buffer;
  if (!PLINTH_CALL(PJRT_Buffer_ToHostBuffer, args).ok()) return {};
  std::vector<float> values(args.dst_size / sizeof(float));
  args.dst = values.data();
  if (!PLINTH_CALL(PJRT_Buffer_ToHostBuffer, args).ok()) return {};
  PLINTH_ARGS(PJRT_Event_Await, await);
  await.event = args.event;
  bool ok = PLINTH_CALL(PJRT_Event_Await, await).ok();
  Destroy(args.event);
  return ok ? values : std::vector<float>();
}

PJRT_LoadedExecutable* Compile(const TestClientHandle& client, std::string code) {
  char format[] = "test";
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = code.data();
  program.code_size = code.size();
  program.format = format;
  program.format_size = 4;
  PLINTH_ARGS(PJRT_Client_Compile, args);
  args.client = client.client;
  args.program = &program;
  args.compile_options = "options";
  args.compile_options_size = 7;
  if (!PLINTH_CALL(PJRT_Client_Compile, args).ok()) return nullptr;
  return args.executable;
}

void Destroy(PJRT_Buffer* buffer) {
  PLINTH_ARGS(PJRT_Buffer_Destroy, args);
  args.buffer = buffer;
  PLINTH_CALL(PJRT_Buffer_Destroy, args).ok();
}
void Destroy(PJRT_LoadedExecutable* executable) {
  PLINTH_ARGS(PJRT_LoadedExecutable_Destroy, args);
  args.executable = executable;
  PLINTH_CALL(PJRT_LoadedExecutable_Destroy, args).ok();
}
void Destroy(PJRT_Executable* executable) {
  PLINTH_ARGS(PJRT_Executable_Destroy, args);
  args.executable = executable;
  PLINTH_CALL(PJRT_Executable_Destroy, args).ok();
}
void Destroy(PJRT_Event* event) {
  PLINTH_ARGS(PJRT_Event_Destroy, args);
  args.event = event;
  PLINTH_CALL(PJRT_Event_Destroy, args).ok();
}

Status Execute(PJRT_LoadedExecutable* executable,
               const std::vector<std::vector<PJRT_Buffer*>>& arguments, size_t num_outputs,
               std::vector<std::vector<PJRT_Buffer*>>& outputs) {
  std::vector<PJRT_Buffer* const*> argument_lists;
  argument_lists.reserve(arguments.size());
  for (const auto& list : arguments) argument_lists.push_back(list.data());
  outputs.assign(arguments.size(), std::vector<PJRT_Buffer*>(num_outputs));
  std::vector<PJRT_Buffer**> output_lists;
  output_lists.reserve(outputs.size());
  for (auto& list : outputs) output_lists.push_back(list.data());
  PJRT_ExecuteOptions options = {};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  PLINTH_ARGS(PJRT_LoadedExecutable_Execute, args);
  args.executable = executable;
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = arguments.size();
  args.num_args = arguments.empty() ? 0 : arguments[0].size();
  args.output_lists = output_lists.data();
  return PLINTH_CALL(PJRT_LoadedExecutable_Execute, args);
}

}  // namespace plinth::sdk::testing

// SPDX-License-Identifier: Apache-2.0
// A plugin for tests of what stands on plugins: eight devices, the first `remote_devices` of which
// another process drives (there is none: nothing can be sent to it). Each of its own has two
// memories. It takes dense host arrays only, and compiles no StableHLO. One program runs on all
// devices: "copy" takes an s32[16], cut into eight, and gives a copy of it; "donate" takes the
// argument away.

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

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

class DevicesClient : public sdk::Client {
 public:
  explicit DevicesClient(int remote_devices) {
    for (int id = 0; id < kNumDevices; ++id) {
      const bool is_remote = id < remote_devices;
      sdk::Device* device = AddDevice(std::make_unique<sdk::Device>(
          sdk::DeviceInfo{.description = {.id = id, .process_index = is_remote, .kind = "test"},
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
};

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
  }
  const sdk::PluginInfo& info() const override { return info_; }
  Expected<std::unique_ptr<sdk::Client>> CreateClient(const sdk::ClientRequest& request) override {
    return std::unique_ptr<sdk::Client>(std::make_unique<DevicesClient>(
        static_cast<int>(request.options.GetInt64("remote_devices"))));
  }

 private:
  sdk::PluginInfo info_;
};

}  // namespace

PLINTH_DEFINE_PLUGIN(DevicesPlugin)

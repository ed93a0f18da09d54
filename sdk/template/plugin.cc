// SPDX-License-Identifier: Apache-2.0
// A complete PJRT plugin to copy. It keeps arrays in host memory and runs one fixed program:
// add_one, from f32[8] to f32[8]. It knows the program by the name of the function and does not
// read more of it: put a compiler into TemplateClient::Compile, and a device behind TemplateBuffer.

#include "plinth/sdk/plugin.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

namespace {

using plinth::DType;
using plinth::Expected;
using plinth::FailedPrecondition;
using plinth::Status;
using plinth::Unimplemented;
namespace sdk = plinth::sdk;

// An array in host memory, row-major, with its contents there from the start.
class TemplateBuffer : public sdk::Buffer {
 public:
  static Expected<std::unique_ptr<sdk::Buffer>> Make(DType dtype, std::span<const int64_t> dims,
                                                     sdk::Memory* memory) {
    PLINTH_ASSIGN_OR_RETURN(int64_t size, sdk::DenseSizeInBytes(dtype, dims));
    // Throws std::bad_alloc if it is too large: the SDK answers RESOURCE_EXHAUSTED.
    std::shared_ptr<char[]> data(new char[static_cast<size_t>(size) + 1]);
    return std::unique_ptr<sdk::Buffer>(
        std::make_unique<TemplateBuffer>(dtype, dims, memory, std::move(data)));
  }
  TemplateBuffer(DType dtype, std::span<const int64_t> dims, sdk::Memory* memory,
                 std::shared_ptr<char[]> data)
      : Buffer(dtype, dims, memory), data_(std::move(data)) {}

  sdk::Event ReadyEvent() override { return sdk::Event(); }
  // Storage ends with the last one who holds it; frameworks may call this from any thread.
  void Delete() override { std::atomic_store(&data_, std::shared_ptr<char[]>()); }
  bool IsDeleted() override { return std::atomic_load(&data_) == nullptr; }
  bool IsOnCpu() override { return true; }

  // The storage, alive as long as the pointer is held.
  Expected<std::shared_ptr<void>> HoldMemory() override {
    std::shared_ptr<char[]> data = std::atomic_load(&data_);
    if (data == nullptr) return FailedPrecondition("the buffer was deleted");
    return std::shared_ptr<void>(data, data.get());
  }

  Expected<sdk::Event> CopyToHost(const sdk::HostDestination& destination) override {
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> data, HoldMemory());
    sdk::Dims strides(dims().size());
    sdk::DenseByteStrides(dims(), plinth::ByteSize(dtype()), {}, {strides.data(), strides.size()});
    sdk::CopyStrided(destination.data, destination.byte_strides, data.get(), strides, dims(),
                     plinth::ByteSize(dtype()));
    return sdk::Event();
  }

  Expected<std::unique_ptr<sdk::Buffer>> CopyToMemory(sdk::Memory* memory) override {
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> data, HoldMemory());
    PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<sdk::Buffer> copy, Make(dtype(), dims(), memory));
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> target, copy->HoldMemory());
    PLINTH_ASSIGN_OR_RETURN(int64_t size, OnDeviceSizeInBytes());
    std::memcpy(target.get(), data.get(), static_cast<size_t>(size));
    return copy;
  }

 private:
  std::shared_ptr<char[]> data_;
};

class AddOneExecutable : public sdk::LoadedExecutable {
 public:
  using LoadedExecutable::LoadedExecutable;

  Status Execute(const sdk::ExecuteRequest& request, sdk::ExecuteResults& results) override {
    // The SDK has checked that there is one argument, and that it is an f32[8] of this client.
    sdk::Buffer& input = request.arguments(0)[0];
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> from, input.HoldMemory());
    PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<sdk::Buffer> output,
                            TemplateBuffer::Make(DType::kF32, input.dims(), input.memory()));
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> to, output->HoldMemory());
    for (int i = 0; i < 8; ++i) {
      static_cast<float*>(to.get())[i] = static_cast<const float*>(from.get())[i] + 1.0f;
    }
    results.SetOutput(0, 0, std::move(output));
    return {};
  }
};

class TemplateClient : public sdk::Client {
 public:
  explicit TemplateClient(const std::string& device_kind) {
    sdk::Device* device = AddDevice(std::make_unique<sdk::Device>(
        sdk::DeviceInfo{.description = {.id = 0, .kind = device_kind}, .local_hardware_id = 0}));
    AddMemory(std::make_unique<sdk::Memory>(sdk::MemoryInfo{.id = 0, .kind = "device"}), {device});
  }

  Expected<sdk::HostBufferResult> BufferFromHostBuffer(
      const sdk::HostBufferRequest& request) override {
    if (request.layout != nullptr && !request.layout->IsRowMajor()) {
      return Unimplemented("the template keeps arrays row-major; asked for ",
                           request.layout->ToString(request.dims.size()));
    }
    PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<sdk::Buffer> buffer,
                            TemplateBuffer::Make(request.dtype, request.dims, request.memory));
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> data, buffer->HoldMemory());
    const int64_t element_size = plinth::ByteSize(request.dtype);
    sdk::Dims strides(request.dims.size());
    sdk::DenseByteStrides(request.dims, element_size, {}, {strides.data(), strides.size()});
    sdk::CopyStrided(data.get(), strides, request.data, request.byte_strides, request.dims,
                     element_size);
    return sdk::HostBufferResult{std::move(buffer), sdk::Event()};
  }

  Expected<std::unique_ptr<sdk::LoadedExecutable>> Compile(const sdk::Program& program,
                                                           std::string_view options) override {
    if (program.format != "mlir") {
      return Unimplemented("the template reads programs of format mlir, not ", program.format);
    }
    // JAX names the module after the function; both bytecode and text hold the name as it is.
    if (program.code.find("add_one") == std::string_view::npos) {
      return Unimplemented("the template runs only functions called add_one");
    }
    sdk::ExecutableInfo info;
    info.name = "add_one";
    info.fingerprint = "add_one 1";
    info.compile_options = std::string(options);
    info.parameters.push_back({.dtype = DType::kF32, .dims = {8}});
    info.outputs.push_back({.dtype = DType::kF32, .dims = {8}});
    return std::unique_ptr<sdk::LoadedExecutable>(std::make_unique<AddOneExecutable>(
        std::make_shared<const sdk::Executable>(std::move(info)),
        sdk::LoadedExecutableInfo{.addressable_devices = {devices().front().get()}}));
  }
};

class TemplatePlugin : public sdk::Plugin {
 public:
  TemplatePlugin() {
    info_.name = "plinth_template";
    info_.version = "0.1.0";
    info_.platform_name = "plinth_template";
    info_.platform_version = "plinth_template 0.1.0";
    info_.attributes = {{"stablehlo_current_version", std::vector<int64_t>{1, 13, 0}}};
    info_.options = {{.name = "device_kind",
                      .default_value = std::string("template"),
                      .doc = "what the device says that it is"}};
  }
  const sdk::PluginInfo& info() const override { return info_; }
  Expected<std::unique_ptr<sdk::Client>> CreateClient(const sdk::ClientRequest& request) override {
    return std::unique_ptr<sdk::Client>(
        std::make_unique<TemplateClient>(request.options.GetString("device_kind")));
  }

 private:
  sdk::PluginInfo info_;
};

}  // namespace

PLINTH_DEFINE_PLUGIN(TemplatePlugin)

// SPDX-License-Identifier: Apache-2.0
// A PJRT plugin that reads programs, and runs those of add, multiply, the product of two matrices
// and constants, on arrays of f32. Anything else is refused with its name and place. Put a device
// behind TemplateBuffer and RunStep, and add op after op to ReadStep.

#include "plinth/sdk/plugin.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "plinth/program/compile_options.h"
#include "plinth/program/program.h"

namespace {

using plinth::DType;
using plinth::Expected;
using plinth::FailedPrecondition;
using plinth::Status;
using plinth::Unimplemented;
namespace program = plinth::program;
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

// One op of a program. Values go by number: the arguments first, then the results of the steps.
struct Step {
  program::Op op = program::Op::kAdd;
  size_t left = 0, right = 0, result = 0;
  sdk::Dims dims = {};  // of the result
  int64_t inner = 0;    // of a product: what is summed over
  std::vector<float> constant = {};
};

Status NotRun(const program::Operation& op, std::string_view why = "") {
  return Unimplemented("the template does not run ", program::Name(op.op), why, " at ",
                       program::ToString(op.location));
}

Expected<sdk::Dims> DimsOf(const program::Operation& op, program::TypeRef type) {
  if (!type->IsTensor() || type->dtype != DType::kF32 || !type->HasStaticShape()) {
    return NotRun(op, plinth::StrCat(" on ", program::ToString(type)));
  }
  return sdk::Dims(type->dims);
}

// The types of all values, as far as they are known.
using Shapes = std::vector<sdk::Dims>;

// Whether it multiplies rows of the left matrix with columns of the right one.
bool IsPlainProduct(const program::Operation& op, const Shapes& shapes) {
  const program::AttributeRef numbers = op.Find("dot_dimension_numbers");
  if (numbers == nullptr || shapes[op.operands[0]].size() != 2 ||
      shapes[op.operands[1]].size() != 2) {
    return false;
  }
  const auto is = [&](std::string_view name, std::vector<int64_t> expected) {
    const program::AttributeRef found = numbers->Find(name);
    const auto values = found == nullptr ? std::span<const int64_t>() : found->integers();
    return std::ranges::equal(values, expected);
  };
  return is("lhs_batching_dimensions", {}) && is("rhs_batching_dimensions", {}) &&
         is("lhs_contracting_dimensions", {1}) && is("rhs_contracting_dimensions", {0});
}

Expected<Step> ReadConstant(const program::Operation& op, Shapes& shapes) {
  const program::AttributeRef value = op.Find("value");
  if (value == nullptr || op.result_types.size() != 1) return NotRun(op);
  Step step{.op = op.op, .result = op.first_result};
  PLINTH_ASSIGN_OR_RETURN(step.dims, DimsOf(op, op.result_types[0]));
  const auto count = static_cast<size_t>(op.result_types[0]->NumElements());
  const std::span<const std::byte> bytes = value->bytes();
  const size_t stride = value->splat() ? 0 : sizeof(float);
  if (count > 0 && bytes.size() < (count - 1) * stride + sizeof(float)) return NotRun(op);
  step.constant.resize(count);
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(&step.constant[i], bytes.data() + i * stride, sizeof(float));
  }
  shapes[step.result] = step.dims;
  return step;
}

// The reader has checked the form of an op; what it means is checked here.
Expected<Step> ReadStep(const program::Operation& op, Shapes& shapes) {
  using program::Op;
  if (op.op == Op::kConstant) return ReadConstant(op, shapes);
  if (op.op != Op::kAdd && op.op != Op::kMultiply && op.op != Op::kDotGeneral) return NotRun(op);
  if (op.operands.size() != 2 || op.result_types.size() != 1) return NotRun(op);
  Step step{
      .op = op.op, .left = op.operands[0], .right = op.operands[1], .result = op.first_result};
  PLINTH_ASSIGN_OR_RETURN(step.dims, DimsOf(op, op.result_types[0]));
  const sdk::Dims &left = shapes[step.left], &right = shapes[step.right];
  if (op.op != Op::kDotGeneral) {
    if (left != step.dims || right != step.dims) return NotRun(op, " on these shapes");
  } else {
    if (!IsPlainProduct(op, shapes)) return NotRun(op, " with these dimensions");
    step.inner = left[1];
    if (right[0] != step.inner || step.dims != sdk::Dims({left[0], right[1]})) {
      return NotRun(op, " on these shapes");
    }
  }
  shapes[step.result] = step.dims;
  return step;
}

void RunStep(const Step& step, const float* left, const float* right, float* result) {
  if (step.op == program::Op::kDotGeneral) {
    for (int64_t i = 0; i < step.dims[0]; ++i) {
      for (int64_t j = 0; j < step.dims[1]; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < step.inner; ++k) {
          sum += left[i * step.inner + k] * right[k * step.dims[1] + j];
        }
        result[i * step.dims[1] + j] = sum;
      }
    }
    return;
  }
  if (step.op == program::Op::kConstant) {
    std::ranges::copy(step.constant, result);
    return;
  }
  int64_t count = 1;
  for (const int64_t dim : step.dims) count *= dim;
  for (int64_t i = 0; i < count; ++i) {
    result[i] = step.op == program::Op::kAdd ? left[i] + right[i] : left[i] * right[i];
  }
}

// A program that was read: steps over numbered values.
struct Plan {
  size_t num_arguments = 0, num_values = 0;
  std::vector<Step> steps = {};
  std::vector<size_t> outputs = {};
};

class TemplateExecutable : public sdk::LoadedExecutable {
 public:
  TemplateExecutable(std::shared_ptr<const sdk::Executable> executable,
                     sdk::LoadedExecutableInfo info, Plan plan)
      : LoadedExecutable(std::move(executable), std::move(info)), plan_(std::move(plan)) {}

  Status Execute(const sdk::ExecuteRequest& request, sdk::ExecuteResults& results) override {
    // The SDK has checked the number, the types and the sizes of the arguments.
    const sdk::Device* device = info().addressable_devices.front();
    std::vector<std::unique_ptr<sdk::Buffer>> made(plan_.num_values);
    std::vector<std::shared_ptr<void>> values(plan_.num_values);
    for (size_t i = 0; i < plan_.num_arguments; ++i) {
      PLINTH_ASSIGN_OR_RETURN(values[i], request.arguments(0)[i].HoldMemory());
    }
    for (const Step& step : plan_.steps) {
      PLINTH_ASSIGN_OR_RETURN(made[step.result], TemplateBuffer::Make(DType::kF32, step.dims,
                                                                      device->default_memory()));
      PLINTH_ASSIGN_OR_RETURN(values[step.result], made[step.result]->HoldMemory());
      RunStep(step, static_cast<const float*>(values[step.left].get()),
              static_cast<const float*>(values[step.right].get()),
              static_cast<float*>(values[step.result].get()));
    }
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      const size_t value = plan_.outputs[o];
      if (made[value] != nullptr && std::ranges::count(plan_.outputs, value) == 1) {
        results.SetOutput(0, o, std::move(made[value]));
        continue;
      }
      // An argument, or a value that is an output twice: a copy.
      sdk::Buffer& from = made[value] != nullptr ? *made[value] : request.arguments(0)[value];
      PLINTH_ASSIGN_OR_RETURN(auto copy, from.CopyToMemory(device->default_memory()));
      results.SetOutput(0, o, std::move(copy));
    }
    return {};
  }

 private:
  const Plan plan_;
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

  Expected<std::unique_ptr<sdk::LoadedExecutable>> Compile(const sdk::Program& source,
                                                           std::string_view options) override {
    if (source.format != "mlir") {
      return Unimplemented("the template reads programs of format mlir, not ", source.format);
    }
    PLINTH_ASSIGN_OR_RETURN(const program::CompileOptions read_options,
                            program::ReadCompileOptions(AsBytes(options)));
    if (read_options.num_replicas > 1 || read_options.num_partitions > 1) {
      return Unimplemented("the template has one device");
    }
    PLINTH_ASSIGN_OR_RETURN(const program::Module module, program::Read(AsBytes(source.code)));
    const program::Function* main = module.main();
    if (main == nullptr || !main->body->has_block) {
      return plinth::InvalidArgument("the program has no function main");
    }
    Plan plan{.num_arguments = main->argument_types.size(), .num_values = main->num_values};
    Shapes shapes(plan.num_values);
    sdk::ExecutableInfo info;
    info.name = std::string(module.name());
    info.compile_options = std::string(options);
    for (size_t i = 0; i < plan.num_arguments; ++i) {
      PLINTH_ASSIGN_OR_RETURN(shapes[i], DimsOf(*main->op, main->argument_types[i]));
      info.parameters.push_back({.dtype = DType::kF32, .dims = shapes[i]});
    }
    for (const program::Operation& op : main->body->operations) {
      if (op.op == program::Op::kFuncReturn) {
        plan.outputs.assign(op.operands.begin(), op.operands.end());
        continue;
      }
      PLINTH_ASSIGN_OR_RETURN(Step step, ReadStep(op, shapes));
      plan.steps.push_back(std::move(step));
    }
    for (const size_t value : plan.outputs) {
      info.outputs.push_back({.dtype = DType::kF32, .dims = shapes[value]});
    }
    return std::unique_ptr<sdk::LoadedExecutable>(std::make_unique<TemplateExecutable>(
        std::make_shared<const sdk::Executable>(std::move(info)),
        sdk::LoadedExecutableInfo{.addressable_devices = {devices().front().get()}},
        std::move(plan)));
  }

 private:
  static std::span<const std::byte> AsBytes(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
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

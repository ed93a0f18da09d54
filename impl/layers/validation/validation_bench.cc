// SPDX-License-Identifier: Apache-2.0
// What the layer costs: calls through a chain with and without it, on functions that do nothing.
//   validation_bench [rounds]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "impl/layers/validation/validation_layer.h"
#include "plinth/support/abi_version.h"

namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

// Handles are addresses in here.
char handles[4096];
int64_t dims[2] = {2, 3};

template <typename T>
T* HandleAt(int index) {
  return reinterpret_cast<T*>(handles + 8 * index);
}

class BenchChain : public Chain {
 public:
  PJRT_Error* Call(int depth, int id, void* args) const override {
    if (depth == 0 && layer != nullptr) return layer->OnCall(layers::Call(*this, 0, id, args));
    switch (id) {
      case function::kPJRT_Client_Create:
        static_cast<PJRT_Client_Create_Args*>(args)->client = HandleAt<PJRT_Client>(0);
        break;
      case function::kPJRT_Client_Devices:
        static_cast<PJRT_Client_Devices_Args*>(args)->devices = devices;
        static_cast<PJRT_Client_Devices_Args*>(args)->num_devices = 1;
        break;
      case function::kPJRT_Client_Compile:
        static_cast<PJRT_Client_Compile_Args*>(args)->executable =
            HandleAt<PJRT_LoadedExecutable>(2);
        break;
      case function::kPJRT_LoadedExecutable_GetExecutable:
        static_cast<PJRT_LoadedExecutable_GetExecutable_Args*>(args)->executable =
            HandleAt<PJRT_Executable>(3);
        break;
      case function::kPJRT_Executable_NumOutputs:
        static_cast<PJRT_Executable_NumOutputs_Args*>(args)->num_outputs = 1;
        break;
      case function::kPJRT_LoadedExecutable_AddressableDevices:
        static_cast<PJRT_LoadedExecutable_AddressableDevices_Args*>(args)->num_addressable_devices =
            1;
        static_cast<PJRT_LoadedExecutable_AddressableDevices_Args*>(args)->addressable_devices =
            devices;
        break;
      case function::kPJRT_Buffer_Dimensions:
        static_cast<PJRT_Buffer_Dimensions_Args*>(args)->dims = dims;
        static_cast<PJRT_Buffer_Dimensions_Args*>(args)->num_dims = 2;
        break;
      case function::kPJRT_Buffer_Device:
        static_cast<PJRT_Buffer_Device_Args*>(args)->device = devices[0];
        break;
      case function::kPJRT_Buffer_Memory:
        static_cast<PJRT_Buffer_Memory_Args*>(args)->memory = HandleAt<PJRT_Memory>(4);
        break;
      case function::kPJRT_Memory_Kind:
        static_cast<PJRT_Memory_Kind_Args*>(args)->kind = "device";
        static_cast<PJRT_Memory_Kind_Args*>(args)->kind_size = 6;
        break;
      case function::kPJRT_Client_BufferFromHostBuffer: {
        auto* a = static_cast<PJRT_Client_BufferFromHostBuffer_Args*>(args);
        a->buffer = HandleAt<PJRT_Buffer>(16);
        a->done_with_host_buffer = HandleAt<PJRT_Event>(17);
        break;
      }
      case function::kPJRT_LoadedExecutable_Execute: {
        auto* a = static_cast<PJRT_LoadedExecutable_Execute_Args*>(args);
        a->output_lists[0][0] = HandleAt<PJRT_Buffer>(20);
        if (a->device_complete_events != nullptr) {
          a->device_complete_events[0] = HandleAt<PJRT_Event>(21);
        }
        break;
      }
      case function::kPJRT_Event_OnReady: {
        auto* a = static_cast<PJRT_Event_OnReady_Args*>(args);
        a->callback(nullptr, a->user_arg);
        break;
      }
      default:
        break;
    }
    return nullptr;
  }

  Layer* layer = nullptr;
  PJRT_Device* devices[1] = {HandleAt<PJRT_Device>(1)};
};

// What JAX calls for one dispatch of a compiled function.
class Calls {
 public:
  explicit Calls(const BenchChain& chain) : chain_(chain) {
    Make(function::kPJRT_Plugin_Initialize, PJRT_Plugin_Initialize_Args{});
    PJRT_Client_Create_Args create = {};
    client_ = Make(function::kPJRT_Client_Create, create).client;
    PJRT_Client_Devices_Args devices = {};
    devices.client = client_;
    Make(function::kPJRT_Client_Devices, devices);
    PJRT_Program program = {};
    program.struct_size = PJRT_Program_STRUCT_SIZE;
    program.code = handles;
    program.format = "mlir";
    program.format_size = 4;
    PJRT_Client_Compile_Args compile = {};
    compile.client = client_;
    compile.program = &program;
    executable_ = Make(function::kPJRT_Client_Compile, compile).executable;
    PJRT_LoadedExecutable_GetExecutable_Args get = {};
    get.loaded_executable = executable_;
    unloaded_ = Make(function::kPJRT_LoadedExecutable_GetExecutable, get).executable;
    PJRT_Client_BufferFromHostBuffer_Args from = {};
    from.client = client_;
    from.data = handles;
    from.type = PJRT_Buffer_Type_F32;
    from.dims = dims;
    from.num_dims = 2;
    from.device = chain.devices[0];
    buffer_ = Make(function::kPJRT_Client_BufferFromHostBuffer, from).buffer;
  }

  void Dimensions() {
    PJRT_Buffer_Dimensions_Args args = {};
    args.buffer = buffer_;
    Make(function::kPJRT_Buffer_Dimensions, args);
  }

  static constexpr int kCallsOfDispatch = 12;
  void Dispatch() {
    for (int i = 0; i < 2; ++i) {
      PJRT_Executable_NumReplicas_Args replicas = {};
      replicas.executable = unloaded_;
      Make(function::kPJRT_Executable_NumReplicas, replicas);
      PJRT_Executable_NumPartitions_Args partitions = {};
      partitions.executable = unloaded_;
      Make(function::kPJRT_Executable_NumPartitions, partitions);
    }
    PJRT_Executable_NumOutputs_Args outputs = {};
    outputs.executable = unloaded_;
    Make(function::kPJRT_Executable_NumOutputs, outputs);
    Execute();
    PJRT_Event_OnReady_Args ready = {};
    ready.event = event_;
    ready.callback = [](PJRT_Error*, void*) {};
    Make(function::kPJRT_Event_OnReady, ready);
    PJRT_Event_Destroy_Args destroy_event = {};
    destroy_event.event = event_;
    Make(function::kPJRT_Event_Destroy, destroy_event);
    PJRT_Buffer_Device_Args device = {};
    device.buffer = output_;
    Make(function::kPJRT_Buffer_Device, device);
    PJRT_Buffer_Memory_Args memory = {};
    memory.buffer = output_;
    PJRT_Memory_Kind_Args kind = {};
    kind.memory = Make(function::kPJRT_Buffer_Memory, memory).memory;
    Make(function::kPJRT_Memory_Kind, kind);
    PJRT_Buffer_Destroy_Args destroy = {};
    destroy.buffer = output_;
    Make(function::kPJRT_Buffer_Destroy, destroy);
  }

 private:
  template <typename Args>
  Args Make(function::Id id, Args args) {
    args.struct_size = sizeof(Args);
    chain_.Call(0, id, &args);
    return args;
  }

  void Execute() {
    PJRT_ExecuteOptions options = {};
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    PJRT_Buffer* arguments[1] = {buffer_};
    PJRT_Buffer* const* argument_lists[1] = {arguments};
    PJRT_Buffer** output_lists[1] = {&output_};
    PJRT_LoadedExecutable_Execute_Args args = {};
    args.executable = executable_;
    args.options = &options;
    args.argument_lists = argument_lists;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = output_lists;
    args.device_complete_events = &event_;
    Make(function::kPJRT_LoadedExecutable_Execute, args);
  }

  const BenchChain& chain_;
  PJRT_Client* client_;
  PJRT_LoadedExecutable* executable_;
  PJRT_Executable* unloaded_;
  PJRT_Buffer* buffer_;
  PJRT_Buffer* output_ = nullptr;
  PJRT_Event* event_ = nullptr;
};

// The fastest of many short rounds, in nanoseconds: other work on the machine slows most of them.
template <typename Body>
double Time(int64_t rounds, Body body) {
  constexpr int kCalls = 500;
  double best = 1e30;
  for (int64_t round = 0; round < rounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) body();
    std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / kCalls);
  }
  return best;
}

int Run(int64_t rounds) {
  BenchChain bare;
  BenchChain checked;
  int reports = 0;
  LayerContext context;
  context.plugin_minor = kPjrtReportedMinor;
  context.log = [&](std::string_view line) {
    if (++reports <= 3) std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  };
  auto layer = CreateValidationLayer(context);
  if (!layer.ok()) return 1;
  checked.layer = layer->get();
  Calls without(bare);
  Calls with(checked);
  double dims0 = Time(rounds, [&] { without.Dimensions(); });
  double dims1 = Time(rounds, [&] { with.Dimensions(); });
  double mix0 = Time(rounds, [&] { without.Dispatch(); }) / Calls::kCallsOfDispatch;
  double mix1 = Time(rounds, [&] { with.Dispatch(); }) / Calls::kCallsOfDispatch;
  std::printf("PJRT_Buffer_Dimensions: %.1f ns, with validation %.1f ns: +%.1f ns per call\n",
              dims0, dims1, dims1 - dims0);
  std::printf("a dispatch of 12 calls:  %.1f ns, with validation %.1f ns: +%.1f ns per call\n",
              mix0, mix1, mix1 - mix0);
  if (reports > 0) std::printf("%d reports of misuse, none is right\n", reports);
  return reports == 0 ? 0 : 1;
}

}  // namespace
}  // namespace plinth::layers::validation

int main(int argc, char** argv) {
  int64_t rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  return plinth::layers::validation::Run(rounds);
}

// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/testing/world.h"

#include <dlfcn.h>

#include <string_view>

#include "gtest/gtest.h"
#include "impl/layers/validation/misuse/calls.h"

namespace plinth::layers::validation {
namespace {

constexpr std::string_view kProgram = R"(
module @twice {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

constexpr std::string_view kDonatingProgram = R"(
module @twice_in_place {
  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

constexpr std::string_view kDonatingFirstProgram = R"(
module @sum_in_place {
  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>)
      -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})";

#define EXPECT_CALL_OK(w, function, args) \
  ExpectSuccess((w).api, (w).api->PJRT_##function(&(args)), #function)

PJRT_LoadedExecutable* Compile(const World& w, std::string_view text) {
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(text.data());
  program.code_size = text.size();
  program.format = "mlir";
  program.format_size = 4;
  NEW(Client_Compile, args);
  args.client = w.client;
  args.program = &program;
  args.compile_options = "";
  EXPECT_CALL_OK(w, Client_Compile, args);
  return args.executable;
}

PJRT_Client* NewClient(const World& w, PJRT_Device** device, PJRT_Memory** memory) {
  NEW(Client_Create, create);
  EXPECT_CALL_OK(w, Client_Create, create);
  NEW(Client_AddressableDevices, devices);
  devices.client = create.client;
  EXPECT_CALL_OK(w, Client_AddressableDevices, devices);
  *device = devices.addressable_devices[0];
  NEW(Device_DefaultMemory, default_memory);
  default_memory.device = *device;
  EXPECT_CALL_OK(w, Device_DefaultMemory, default_memory);
  *memory = default_memory.memory;
  return create.client;
}

}  // namespace

const PJRT_Api* CpuPlugin() {
  static const PJRT_Api* const api = []() -> const PJRT_Api* {
    void* library = dlopen(PLINTH_CPU_PLUGIN, RTLD_LAZY | RTLD_LOCAL);
    void* symbol = library == nullptr ? nullptr : dlsym(library, "GetPjrtApi");
    return symbol == nullptr ? nullptr : reinterpret_cast<const PJRT_Api* (*)()>(symbol)();
  }();
  return api;
}

void ExpectSuccess(const PJRT_Api* api, PJRT_Error* error, const char* what) {
  if (error == nullptr) return;
  NEW(Error_Message, message);
  message.error = error;
  api->PJRT_Error_Message(&message);
  ADD_FAILURE() << what << ": " << std::string_view(message.message, message.message_size);
  NEW(Error_Destroy, destroy);
  destroy.error = error;
  api->PJRT_Error_Destroy(&destroy);
}

World MakeWorld(const PJRT_Api* api) {
  World w = {};
  w.api = api;
  NEW(Plugin_Initialize, initialize);
  EXPECT_CALL_OK(w, Plugin_Initialize, initialize);
  w.client = NewClient(w, &w.device, &w.memory);
  w.other_client = NewClient(w, &w.other_device, &w.other_memory);
  w.executable = Compile(w, kProgram);
  w.donating = Compile(w, kDonatingProgram);
  w.donating_first = Compile(w, kDonatingFirstProgram);
  w.buffer = new_buffer(&w);
  World other = w;
  other.client = w.other_client;
  other.device = w.other_device;
  w.other_buffer = new_buffer(&other);
  return w;
}

void FreeWorld(World* w) {
  if (w->other_buffer != nullptr) destroy_buffer(w, w->other_buffer);
  destroy_main_world(w);
  if (w->other_client != nullptr) destroy_client(w, w->other_client);
}

}  // namespace plinth::layers::validation

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_PJRT_PLUGIN_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_PJRT_PLUGIN_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pjrt_c_api.h"

// A client of the CPU plugin through its C table.
extern "C" const PJRT_Api* GetPjrtApi();

namespace plinth::cpu {

#define EXPECT_ERROR(call, expected_code, fragment)                                \
  do {                                                                             \
    std::optional<Error> found = (call);                                           \
    ASSERT_TRUE(found.has_value());                                                \
    EXPECT_EQ(found->code, expected_code) << found->message;                       \
    EXPECT_NE(found->message.find(fragment), std::string::npos) << found->message; \
  } while (false)

struct Error {
  PJRT_Error_Code code;
  std::string message;
};

// What a call answered; the C error is destroyed.
inline std::optional<Error> Take(PJRT_Error* error) {
  if (error == nullptr) return std::nullopt;
  const PJRT_Api* api = GetPjrtApi();
  PJRT_Error_GetCode_Args code{};
  code.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE;
  code.error = error;
  api->PJRT_Error_GetCode(&code);
  PJRT_Error_Message_Args message{};
  message.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE;
  message.error = error;
  api->PJRT_Error_Message(&message);
  Error taken{code.code, std::string(message.message, message.message_size)};
  PJRT_Error_Destroy_Args destroy{};
  destroy.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE;
  destroy.error = error;
  api->PJRT_Error_Destroy(&destroy);
  return taken;
}

#define CALL(function, args)                          \
  [&]() -> std::optional<Error> {                     \
    (args).struct_size = function##_Args_STRUCT_SIZE; \
    return Take(GetPjrtApi()->function(&(args)));     \
  }()
#define MUST(function, args)                               \
  do {                                                     \
    std::optional<Error> problem = CALL(function, args);   \
    ASSERT_FALSE(problem.has_value()) << problem->message; \
  } while (false)

// f(x) = x * 2 + 1 on f32[4]; the first argument may be given away.
inline constexpr char kTwiceAndOne[] = R"(
module @twice_and_one {
  func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %twice = stablehlo.add %x, %x : tensor<4xf32>
    %result = stablehlo.add %twice, %one : tensor<4xf32>
    return %result : tensor<4xf32>
  }
})";

// Long enough to run asynchronously: a loop of 2000 steps over f32[4096].
inline constexpr char kLoop[] = R"(
module @loop {
  func.func public @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %limit = stablehlo.constant dense<2000> : tensor<i32>
    %step = stablehlo.constant dense<1.0> : tensor<4096xf32>
    %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4096xf32>
    cond {
      %go = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %sum = stablehlo.add %a, %step : tensor<4096xf32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<4096xf32>
    }
    return %r#1 : tensor<4096xf32>
  }
})";

class PluginTest : public ::testing::Test {
 protected:
  // Of the client; 0: one per core.
  virtual int64_t num_threads() const { return 0; }

  void SetUp() override {
    PJRT_NamedValue threads{};
    threads.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    threads.name = "num_threads";
    threads.name_size = std::strlen(threads.name);
    threads.type = PJRT_NamedValue_kInt64;
    threads.int64_value = num_threads();
    threads.value_size = 1;
    PJRT_Client_Create_Args create{};
    create.create_options = &threads;
    create.num_options = 1;
    MUST(PJRT_Client_Create, create);
    client_ = create.client;
    PJRT_Client_AddressableDevices_Args devices{};
    devices.client = client_;
    MUST(PJRT_Client_AddressableDevices, devices);
    ASSERT_EQ(devices.num_addressable_devices, 1u);
    device_ = devices.addressable_devices[0];
  }
  void TearDown() override {
    PJRT_Client_Destroy_Args destroy{};
    destroy.client = client_;
    MUST(PJRT_Client_Destroy, destroy);
  }

  std::optional<Error> Compile(std::string_view code, PJRT_LoadedExecutable** executable,
                               std::string_view options = "") {
    PJRT_Program program{};
    program.struct_size = PJRT_Program_STRUCT_SIZE;
    program.code = const_cast<char*>(code.data());
    program.code_size = code.size();
    program.format = "mlir";
    program.format_size = 4;
    PJRT_Client_Compile_Args args{};
    args.client = client_;
    args.program = &program;
    args.compile_options = options.data();
    args.compile_options_size = options.size();
    std::optional<Error> error = CALL(PJRT_Client_Compile, args);
    *executable = args.executable;
    return error;
  }

  std::optional<Error> Upload(const std::vector<float>& data, PJRT_Buffer** buffer,
                              std::vector<int64_t> dims = {}, PJRT_Device* device = nullptr,
                              PJRT_Buffer_MemoryLayout* layout = nullptr) {
    if (dims.empty()) dims = {static_cast<int64_t>(data.size())};
    PJRT_Client_BufferFromHostBuffer_Args args{};
    args.client = client_;
    args.data = data.data();
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims.data();
    args.num_dims = dims.size();
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    args.device = device == nullptr ? device_ : device;
    args.device_layout = layout;
    std::optional<Error> error = CALL(PJRT_Client_BufferFromHostBuffer, args);
    *buffer = args.buffer;
    if (!error.has_value()) Destroy(args.done_with_host_buffer);
    return error;
  }

  std::optional<Error> Execute(PJRT_LoadedExecutable* executable,
                               std::vector<PJRT_Buffer*> arguments, PJRT_Buffer** output) {
    PJRT_ExecuteOptions options{};
    options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
    PJRT_Buffer* const* argument_list = arguments.data();
    *output = nullptr;
    PJRT_LoadedExecutable_Execute_Args args{};
    args.executable = executable;
    args.options = &options;
    args.argument_lists = &argument_list;
    args.num_devices = 1;
    args.num_args = arguments.size();
    args.output_lists = &output;
    return CALL(PJRT_LoadedExecutable_Execute, args);
  }

  std::optional<Error> Download(PJRT_Buffer* buffer, std::vector<float>* data,
                                PJRT_Buffer_MemoryLayout* host_layout = nullptr) {
    PJRT_Buffer_ToHostBuffer_Args args{};
    args.src = buffer;
    args.host_layout = host_layout;
    args.dst = data->data();
    args.dst_size = data->size() * sizeof(float);
    std::optional<Error> error = CALL(PJRT_Buffer_ToHostBuffer, args);
    if (error.has_value()) return error;
    PJRT_Event_Await_Args await{};
    await.event = args.event;
    error = CALL(PJRT_Event_Await, await);
    Destroy(args.event);
    return error;
  }

  void Destroy(PJRT_Event* event) {
    PJRT_Event_Destroy_Args args{};
    args.event = event;
    MUST(PJRT_Event_Destroy, args);
  }
  void Destroy(PJRT_Buffer* buffer) {
    PJRT_Buffer_Destroy_Args args{};
    args.buffer = buffer;
    MUST(PJRT_Buffer_Destroy, args);
  }
  void Destroy(PJRT_LoadedExecutable* executable) {
    PJRT_LoadedExecutable_Destroy_Args args{};
    args.executable = executable;
    MUST(PJRT_LoadedExecutable_Destroy, args);
  }
  bool IsDeleted(PJRT_Buffer* buffer) {
    PJRT_Buffer_IsDeleted_Args args{};
    args.buffer = buffer;
    CALL(PJRT_Buffer_IsDeleted, args);
    return args.is_deleted;
  }

  // The client computes what it should, whatever came before.
  void ExpectStillWorks() {
    PJRT_LoadedExecutable* executable;
    ASSERT_FALSE(Compile(kTwiceAndOne, &executable).has_value());
    PJRT_Buffer *input, *output;
    ASSERT_FALSE(Upload({1, 2, 3, 4}, &input).has_value());
    ASSERT_FALSE(Execute(executable, {input}, &output).has_value());
    std::vector<float> result(4);
    ASSERT_FALSE(Download(output, &result).has_value());
    EXPECT_EQ(result, (std::vector<float>{3, 5, 7, 9}));
    EXPECT_TRUE(IsDeleted(input));  // It was given away.
    Destroy(input);
    Destroy(output);
    Destroy(executable);
  }

  PJRT_Client* client_ = nullptr;
  PJRT_Device* device_ = nullptr;
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_PJRT_PLUGIN_TEST_UTIL_H_

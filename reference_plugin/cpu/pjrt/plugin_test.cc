// SPDX-License-Identifier: Apache-2.0
// The CPU plugin through its C table: runs, errors that must not lose anything, threads.

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/program/compile_options.h"
#include "reference_plugin/cpu/pjrt/plugin_test_util.h"

namespace plinth::cpu {
namespace {

TEST_F(PluginTest, Runs) { ExpectStillWorks(); }

TEST_F(PluginTest, WrongArgumentsOfExecute) {
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kTwiceAndOne, &executable).has_value());
  PJRT_Buffer *good, *wrong_shape, *output;
  ASSERT_FALSE(Upload({1, 2, 3, 4}, &good).has_value());
  ASSERT_FALSE(Upload({1, 2, 3, 4}, &wrong_shape, {2, 2}).has_value());
  EXPECT_ERROR(Execute(executable, {}, &output), PJRT_Error_Code_INVALID_ARGUMENT, "argument");
  EXPECT_ERROR(Execute(executable, {good, good}, &output), PJRT_Error_Code_INVALID_ARGUMENT, "2");
  EXPECT_ERROR(Execute(executable, {wrong_shape}, &output), PJRT_Error_Code_INVALID_ARGUMENT,
               "f32[2,2]");
  EXPECT_ERROR(Execute(executable, {nullptr}, &output), PJRT_Error_Code_INVALID_ARGUMENT, "null");
  EXPECT_FALSE(IsDeleted(good));  // A refused call takes nothing.
  Destroy(good);
  Destroy(wrong_shape);
  Destroy(executable);
  ExpectStillWorks();
}

// Without arguments there need be no list of them.
TEST_F(PluginTest, NoArguments) {
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(R"(func.func @main() -> tensor<4xf32> {
                            %0 = stablehlo.constant dense<3.0> : tensor<4xf32>
                            return %0 : tensor<4xf32> })",
                       &executable)
                   .has_value());
  PJRT_ExecuteOptions options{};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  PJRT_Buffer* output = nullptr;
  PJRT_Buffer** outputs = &output;
  PJRT_LoadedExecutable_Execute_Args args{};
  args.executable = executable;
  args.options = &options;
  args.num_devices = 1;
  args.output_lists = &outputs;
  MUST(PJRT_LoadedExecutable_Execute, args);
  std::vector<float> data(4);
  ASSERT_FALSE(Download(output, &data).has_value());
  EXPECT_EQ(data, (std::vector<float>{3, 3, 3, 3}));
  Destroy(output);
  Destroy(executable);
}

TEST_F(PluginTest, DeletedAndDonatedArguments) {
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kTwiceAndOne, &executable).has_value());
  PJRT_Buffer *input, *output, *none;
  ASSERT_FALSE(Upload({1, 2, 3, 4}, &input).has_value());
  ASSERT_FALSE(Execute(executable, {input}, &output).has_value());
  EXPECT_ERROR(Execute(executable, {input}, &none), PJRT_Error_Code_INVALID_ARGUMENT,
               "deleted or donated");
  std::vector<float> data(4);
  EXPECT_ERROR(Download(input, &data), PJRT_Error_Code_FAILED_PRECONDITION, "deleted or donated");
  Destroy(input);
  Destroy(output);
  Destroy(executable);
  ExpectStillWorks();
}

// f(x, y) = x + y; both may be given away.
constexpr char kTwoDonations[] = R"(
func.func public @main(%x: tensor<4xf32> {jax.buffer_donor = true},
                       %y: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
  %sum = stablehlo.add %x, %y : tensor<4xf32>
  return %sum : tensor<4xf32>
})";

// A copy is an array of its own, though it shares the memory until somebody writes.
TEST_F(PluginTest, ACopyOfADonatedBufferStays) {
  PJRT_LoadedExecutable *both, *one;
  ASSERT_FALSE(Compile(kTwoDonations, &both).has_value());
  ASSERT_FALSE(Compile(kTwiceAndOne, &one).has_value());
  PJRT_Buffer *input, *output, *copies[2];
  ASSERT_FALSE(Upload({1, 2, 3, 4}, &input).has_value());
  for (PJRT_Buffer*& copy : copies) {
    PJRT_Buffer_CopyToDevice_Args args{};
    args.buffer = input;
    args.dst_device = device_;
    MUST(PJRT_Buffer_CopyToDevice, args);
    copy = args.dst_buffer;
  }
  std::vector<float> data(4);
  ASSERT_FALSE(Execute(both, {input, copies[0]}, &output).has_value());
  ASSERT_FALSE(Download(output, &data).has_value());
  EXPECT_EQ(data, (std::vector<float>{2, 4, 6, 8}));
  ASSERT_FALSE(Download(copies[1], &data).has_value());
  EXPECT_EQ(data, (std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(IsDeleted(input) && IsDeleted(copies[0]) && !IsDeleted(copies[1]));
  for (PJRT_Buffer* buffer : {input, output, copies[0], copies[1]}) Destroy(buffer);
  Destroy(both);
  Destroy(one);
}

// Of two calls at once that are given the same buffer, one gets it.
TEST_F(PluginTest, ABufferIsDonatedOnce) {
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kTwoDonations, &executable).has_value());
  constexpr int kRounds = 500, kThreads = 2;
  int successes = 0, others_taken = 0;
  for (int round = 0; round < kRounds; ++round) {
    PJRT_Buffer* shared;
    ASSERT_FALSE(Upload({1, 2, 3, 4}, &shared).has_value());
    PJRT_Buffer* own[kThreads] = {};
    PJRT_Buffer* outputs[kThreads] = {};
    std::optional<Error> errors[kThreads];
    std::atomic<int> arrived{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      ASSERT_FALSE(Upload({1, 2, 3, 4}, &own[t]).has_value());
      threads.emplace_back([&, t] {
        for (++arrived; arrived < kThreads;) std::this_thread::yield();
        errors[t] = Execute(executable, {own[t], shared}, &outputs[t]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < kThreads; ++t) {
      successes += errors[t].has_value() ? 0 : 1;
      others_taken += errors[t].has_value() && IsDeleted(own[t]) ? 1 : 0;
      if (outputs[t] != nullptr) Destroy(outputs[t]);
      Destroy(own[t]);
    }
    Destroy(shared);
  }
  EXPECT_EQ(successes, kRounds);
  EXPECT_EQ(others_taken, 0);
  Destroy(executable);
}

TEST_F(PluginTest, UnknownDeviceAndOptions) {
  PJRT_LoadedExecutable* executable;
  program::CompileOptions options;
  options.device_ordinal = 7;
  EXPECT_ERROR(Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)),
               PJRT_Error_Code_INVALID_ARGUMENT, "device 7");
  options = {};
  options.env_option_overrides["no_such_option"] = true;
  EXPECT_ERROR(Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)),
               PJRT_Error_Code_INVALID_ARGUMENT,
               "No such compile option: 'no_such_option' (true was given)");
  for (const char* name :
       {"xla_", "xla_nonsense", "xla_dump", "xla_dump_to\nxla_dump_hlo_as_text"}) {
    options.env_option_overrides.clear();
    options.env_option_overrides[name] = int64_t{1};
    EXPECT_ERROR(Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)),
                 PJRT_Error_Code_INVALID_ARGUMENT, name);
  }
  options.env_option_overrides = {{"xla_dump_to", std::string()},
                                  {"xla_dump_hlo_as_proto", true},
                                  {"xla_gpu_autotune_level", int64_t{0}}};
  ASSERT_FALSE(
      Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)).has_value());
  Destroy(executable);
  options.env_option_overrides.clear();
  options.env_option_overrides["xla_embed_ir_in_executable"] = std::string("maybe");
  EXPECT_ERROR(Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)),
               PJRT_Error_Code_INVALID_ARGUMENT, "'maybe' is not a valid bool value");
  options.env_option_overrides.clear();
  options.env_option_overrides["fusion"] = 2.5;
  EXPECT_ERROR(Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)),
               PJRT_Error_Code_INVALID_ARGUMENT, "\"fusion\": 2.5 is not a valid bool value");
  options = {};
  options.num_partitions = 2;
  EXPECT_ERROR(Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)),
               PJRT_Error_Code_INVALID_ARGUMENT, "for 2 devices, one of them device 1");
  EXPECT_ERROR(Compile(kTwiceAndOne, &executable, "\xff\xff not a message"),
               PJRT_Error_Code_INVALID_ARGUMENT, "");
  EXPECT_ERROR(Compile("(no program", &executable), PJRT_Error_Code_INVALID_ARGUMENT, "");
  ExpectStillWorks();
}

TEST_F(PluginTest, OtherFormatsAreQuoted) {
  const std::string_view format("mlir\0", 5);
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(kTwiceAndOne);
  program.code_size = std::strlen(kTwiceAndOne);
  program.format = format.data();
  program.format_size = format.size();
  PJRT_Client_Compile_Args args{};
  args.client = client_;
  args.program = &program;
  EXPECT_ERROR(CALL(PJRT_Client_Compile, args), PJRT_Error_Code_UNIMPLEMENTED,
               R"(programs of format "mlir\00" are not read)");
  ExpectStillWorks();
}

TEST_F(PluginTest, UnknownInstructionSetsAreRefused) {
  const char* before = getenv("PLINTH_SIMD");
  const std::string saved = before == nullptr ? "" : before;
  setenv("PLINTH_SIMD", "avx9", 1);
  PJRT_Client_Create_Args create{};
  EXPECT_ERROR(CALL(PJRT_Client_Create, create), PJRT_Error_Code_INVALID_ARGUMENT,
               "PLINTH_SIMD is 'avx9'; known are baseline, avx2, avx512");
  setenv("PLINTH_SIMD", saved.c_str(), 1);  // Empty is as good as unset.
  MUST(PJRT_Client_Create, create);
  PJRT_Client_Destroy_Args destroy{};
  destroy.client = create.client;
  MUST(PJRT_Client_Destroy, destroy);
}

TEST_F(PluginTest, FusionOffGivesTheSame) {
  program::CompileOptions options;
  options.env_option_overrides["fusion"] = false;
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(
      Compile(kTwiceAndOne, &executable, program::WriteCompileOptions(options)).has_value());
  PJRT_Buffer *input, *output;
  ASSERT_FALSE(Upload({1, 2, 3, 4}, &input).has_value());
  ASSERT_FALSE(Execute(executable, {input}, &output).has_value());
  std::vector<float> result(4);
  ASSERT_FALSE(Download(output, &result).has_value());
  EXPECT_EQ(result, (std::vector<float>{3, 5, 7, 9}));
  Destroy(input);
  Destroy(output);
  Destroy(executable);
}

#if defined(__x86_64__)
TEST_F(PluginTest, FloatingPointModesOfTheCallerDoNotCount) {
  constexpr char kHalf[] = R"(
func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %result = stablehlo.multiply %x, %half : tensor<2xf32>
  return %result : tensor<2xf32>
})";
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kHalf, &executable).has_value());
  constexpr float kLeast = std::numeric_limits<float>::min();
  PJRT_Buffer *input, *output;
  ASSERT_FALSE(Upload({kLeast, 1}, &input).has_value());
  const unsigned modes = _mm_getcsr();
  const unsigned subnormals_are_zero = modes | 0x8040;
  _mm_setcsr(subnormals_are_zero);
  std::optional<Error> error = Execute(executable, {input}, &output);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(modes);
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(after | 0x3f, subnormals_are_zero | 0x3f);  // but for the flags of past exceptions
  std::vector<float> result(2);
  ASSERT_FALSE(Download(output, &result).has_value());
  EXPECT_EQ(result, (std::vector<float>{kLeast / 2, 0.5f}));
  Destroy(input);
  Destroy(output);
  Destroy(executable);
}

TEST_F(PluginTest, FloatingPointModesOfWhoCompilesDoNotCount) {
  constexpr char kHalf[] = R"(
func.func public @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, 0x00800000]> : tensor<2xf32>
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %result = stablehlo.multiply %x, %half : tensor<2xf32>
  return %result : tensor<2xf32>
})";
  PJRT_Client_TopologyDescription_Args topology{};
  topology.client = client_;
  MUST(PJRT_Client_TopologyDescription, topology);
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(kHalf);
  program.code_size = sizeof(kHalf) - 1;
  program.format = "mlir";
  program.format_size = 4;
  PJRT_Compile_Args compile{};
  compile.topology = topology.topology;
  compile.program = &program;
  const unsigned modes = _mm_getcsr();
  _mm_setcsr(modes | 0x8040);
  const std::optional<Error> error = CALL(PJRT_Compile, compile);
  _mm_setcsr(modes);
  ASSERT_FALSE(error.has_value()) << error->message;
  PJRT_Client_Load_Args load{};
  load.client = client_;
  load.executable = compile.executable;
  MUST(PJRT_Client_Load, load);
  PJRT_Buffer* output;
  ASSERT_FALSE(Execute(load.loaded_executable, {}, &output).has_value());
  std::vector<float> result(2);
  ASSERT_FALSE(Download(output, &result).has_value());
  EXPECT_EQ(result, (std::vector<float>{0.5f, std::numeric_limits<float>::min() / 2}));
  Destroy(output);
  Destroy(load.loaded_executable);
  PJRT_Executable_Destroy_Args destroy{};
  destroy.executable = compile.executable;
  MUST(PJRT_Executable_Destroy, destroy);
}
#endif

TEST_F(PluginTest, SerializedExecutables) {
  PJRT_LoadedExecutable* loaded;
  ASSERT_FALSE(Compile(kTwiceAndOne, &loaded).has_value());
  PJRT_LoadedExecutable_GetExecutable_Args get{};
  get.loaded_executable = loaded;
  MUST(PJRT_LoadedExecutable_GetExecutable, get);
  PJRT_Executable_Serialize_Args serialize{};
  serialize.executable = get.executable;
  MUST(PJRT_Executable_Serialize, serialize);
  std::string bytes(serialize.serialized_bytes, serialize.serialized_bytes_size);
  serialize.serialized_executable_deleter(serialize.serialized_executable);

  auto deserialize = [&](std::string_view from, PJRT_LoadedExecutable** result) {
    PJRT_Executable_DeserializeAndLoad_Args args{};
    args.client = client_;
    args.serialized_executable = from.data();
    args.serialized_executable_size = from.size();
    auto error = CALL(PJRT_Executable_DeserializeAndLoad, args);
    *result = args.loaded_executable;
    return error;
  };
  PJRT_LoadedExecutable* again;
  ASSERT_FALSE(deserialize(bytes, &again).has_value());
  Destroy(again);
  for (size_t size : {size_t{0}, size_t{10}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_ERROR(deserialize(std::string_view(bytes).substr(0, size), &again),
                 PJRT_Error_Code_INVALID_ARGUMENT, "");
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_TRUE(deserialize(damaged, &again).has_value()) << at;
  }
  PJRT_Executable_Destroy_Args destroy{};
  destroy.executable = get.executable;
  MUST(PJRT_Executable_Destroy, destroy);
  Destroy(loaded);
}

TEST_F(PluginTest, AsynchronousRunsInAChain) {
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kLoop, &executable).has_value());
  PJRT_Buffer *value, *next;
  ASSERT_FALSE(Upload(std::vector<float>(4096, 1), &value).has_value());
  for (int i = 0; i < 5; ++i) {
    ASSERT_FALSE(Execute(executable, {value}, &next).has_value());
    Destroy(value);  // While it may still be waited for.
    value = next;
  }
  std::vector<float> result(4096);
  ASSERT_FALSE(Download(value, &result).has_value());
  EXPECT_EQ(result[17], 10001);
  Destroy(value);
  Destroy(executable);
}

TEST_F(PluginTest, OutputsMayBeDroppedWhileTheyAreComputed) {
  PJRT_LoadedExecutable* executable;
  ASSERT_FALSE(Compile(kLoop, &executable).has_value());
  PJRT_Buffer *input, *output;
  ASSERT_FALSE(Upload(std::vector<float>(4096, 1), &input).has_value());
  for (int i = 0; i < 20; ++i) {
    ASSERT_FALSE(Execute(executable, {input}, &output).has_value());
    Destroy(output);
  }
  Destroy(input);
  Destroy(executable);
  // The client goes with work running.
}

TEST_F(PluginTest, ThreadsCompileExecuteTransferAndDestroy) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        PJRT_LoadedExecutable *loop, *quick;
        if (Compile(kLoop, &loop) || Compile(kTwiceAndOne, &quick)) {
          ++failures;
          return;
        }
        PJRT_Buffer *input = nullptr, *output = nullptr, *small = nullptr, *small_output = nullptr;
        bool failed = Upload(std::vector<float>(4096, 1), &input).has_value() ||
                      Execute(loop, {input}, &output).has_value() ||
                      Upload({1, 2, 3, 4}, &small).has_value() ||
                      Execute(quick, {small}, &small_output).has_value();
        std::vector<float> result(4096);
        failed = failed || Download(output, &result).has_value() || result[0] != 2001;
        failures += failed;
        Destroy(input);
        Destroy(small);
        Destroy(loop);
        Destroy(output);
        Destroy(small_output);
        Destroy(quick);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace plinth::cpu

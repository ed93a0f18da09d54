// SPDX-License-Identifier: Apache-2.0
// What is known of an executable, its bytes, and programs that do not compile, through the C table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"
#include "plinth/support/extension_chain.h"
#include "sdk/src/executable_test_util.h"
#include "sdk/src/test_plugin.h"

namespace plinth::sdk::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(ExecutableTest, PropertiesOfTheExecutable) {
  PLINTH_ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = add_;
  ASSERT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_GetExecutable, get).ok());
  PJRT_Executable* executable = get.executable;

  using Stats = PJRT_Executable_GetCompiledMemoryStats_Args;
  for (size_t size : {64, 104, 112, 120, 144}) {
    Stats stats;
    std::memset(&stats, 0x11, sizeof(stats));
    stats.struct_size = size;
    stats.executable = executable;
    ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_GetCompiledMemoryStats, stats).ok());
    EXPECT_EQ(stats.argument_size_in_bytes, 32);
    EXPECT_EQ(stats.peak_unpadded_heap_bytes, size == 144 ? 99 : 0x1111111111111111);
    EXPECT_EQ(stats.host_temp_size_in_bytes, size >= 104 ? 0 : 0x1111111111111111);
  }
  PLINTH_ARGS(PJRT_Executable_OutputDimensions, dims);
  dims.executable = executable;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_OutputDimensions, dims).ok());
  ASSERT_EQ(dims.num_outputs, 1u);
  EXPECT_EQ(dims.dims[0], 4);
  PLINTH_ARGS(PJRT_Executable_ParameterMemoryKinds, kinds);
  kinds.executable = executable;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_ParameterMemoryKinds, kinds).ok());
  ASSERT_EQ(kinds.num_parameters, 2u);
  EXPECT_EQ(std::string(kinds.memory_kinds[1], kinds.memory_kind_sizes[1]), "device");
  PLINTH_ARGS(PJRT_Executable_GetCostAnalysis, cost);
  cost.executable = executable;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_GetCostAnalysis, cost).ok());
  ASSERT_EQ(cost.num_properties, 1u);
  EXPECT_EQ(cost.properties[0].float_value, 4.0f);
  PLINTH_ARGS(PJRT_Executable_GetCompileOptions, options);
  options.executable = executable;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_GetCompileOptions, options).ok());
  EXPECT_EQ(std::string(options.serialized_bytes, options.serialized_bytes_size), "options");
  options.serialized_compile_options_deleter(options.serialized_compile_options);

  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code_size = 12345;  // Uninitialized in real callers.
  PLINTH_ARGS(PJRT_Executable_OptimizedProgram, optimized);
  optimized.executable = executable;
  optimized.program = &program;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_OptimizedProgram, optimized).ok());
  ASSERT_EQ(program.code_size, 13u);
  std::string code(13, ' ');
  program.code = code.data();
  program.code_size = 12;
  EXPECT_EQ(PLINTH_CALL(PJRT_Executable_OptimizedProgram, optimized).code(),
            StatusCode::kInvalidArgument);
  program.code_size = 13;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_OptimizedProgram, optimized).ok());
  EXPECT_EQ(code, "optimized add");
  EXPECT_EQ(std::string(program.format, program.format_size), "mlir");

  const auto* shardings = reinterpret_cast<const PJRT_Shardings_Extension*>(
      FindExtension(Api()->extension_start, PJRT_Extension_Type_Shardings));
  PLINTH_ARGS(PJRT_Shardings_PJRT_Executable_OutputShardings, sharding);
  sharding.executable = executable;
  ASSERT_EQ(shardings->PJRT_Shardings_PJRT_Executable_OutputShardings(&sharding), nullptr);
  ASSERT_EQ(sharding.num_outputs, 1u);
  EXPECT_EQ(std::string(sharding.shardings[0], sharding.sharding_sizes[0]),
            std::string("\x08\x00", 2));
  const auto* layouts = reinterpret_cast<const PJRT_Layouts_Extension*>(
      FindExtension(Api()->extension_start, PJRT_Extension_Type_Layouts));
  PLINTH_ARGS(PJRT_Layouts_PJRT_Executable_GetParameterLayouts, parameter_layouts);
  parameter_layouts.executable = executable;
  ASSERT_EQ(layouts->PJRT_Layouts_PJRT_Executable_GetParameterLayouts(&parameter_layouts), nullptr);
  ASSERT_EQ(parameter_layouts.num_parameters, 2u);
  PLINTH_ARGS(PJRT_Layouts_MemoryLayout_Destroy, destroy);
  destroy.layout = parameter_layouts.layouts[0];  // Belongs to the executable: nothing happens.
  EXPECT_EQ(layouts->PJRT_Layouts_MemoryLayout_Destroy(&destroy), nullptr);
  Destroy(executable);
}

TEST_F(ExecutableTest, SerializedAndLoadedAgain) {
  PLINTH_ARGS(PJRT_LoadedExecutable_GetExecutable, get);
  get.loaded_executable = add_;
  ASSERT_TRUE(PLINTH_CALL(PJRT_LoadedExecutable_GetExecutable, get).ok());
  PLINTH_ARGS(PJRT_Executable_Serialize, serialize);
  serialize.executable = get.executable;
  ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_Serialize, serialize).ok());
  for (size_t size : {48, 64, 72}) {
    PLINTH_ARGS(PJRT_Executable_DeserializeAndLoad, load);
    load.struct_size = size;
    load.client = client_.client;
    load.serialized_executable = serialize.serialized_bytes;
    load.serialized_executable_size = serialize.serialized_bytes_size;
    load.overridden_serialized_compile_options = size == 48 ? reinterpret_cast<char*>(1) : "new";
    load.overridden_serialized_compile_options_size = 3;
    if (size < 72) load.load_options = reinterpret_cast<PJRT_LoadOptions*>(1);
    ASSERT_TRUE(PLINTH_CALL(PJRT_Executable_DeserializeAndLoad, load).ok());
    std::vector<std::vector<PJRT_Buffer*>> outputs;
    EXPECT_TRUE(Execute(load.loaded_executable, {{a_, b_}}, 1, outputs).ok());
    Destroy(outputs[0][0]);
    Destroy(load.loaded_executable);
  }
  serialize.serialized_executable_deleter(serialize.serialized_executable);
  Destroy(get.executable);
}

TEST_F(ExecutableTest, CompileMistakesAreErrors) {
  EXPECT_EQ(Compile(client_, "throw"), nullptr);
  EXPECT_EQ(Compile(client_, "no_memory"), nullptr);
  PLINTH_ARGS(PJRT_Client_Compile, args);
  args.client = client_.client;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_Compile, args).code(), StatusCode::kInvalidArgument);
  PJRT_Program program = {};
  args.program = &program;
  program.struct_size = 40;
  EXPECT_THAT(std::string(PLINTH_CALL(PJRT_Client_Compile, args).message()),
              HasSubstr("PJRT_Program: struct_size is 40"));
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_Compile, args).code(), StatusCode::kInvalidArgument);
  char code[] = "add", format[] = "hlo";
  program.code = code;
  program.code_size = 3;
  program.format = format;
  program.format_size = 3;
  EXPECT_EQ(PLINTH_CALL(PJRT_Client_Compile, args).code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace plinth::sdk::testing

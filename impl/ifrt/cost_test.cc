// SPDX-License-Identifier: Apache-2.0
// What an execution costs above the function of the plugin that it calls: 4 arguments and 2 results
// on one device. Both take turns, and the least time of each counts; `--gtest_output=json` has
// both.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "impl/ifrt/testing/fixture.h"

namespace {
thread_local bool is_counting = false;
thread_local int num_allocations = 0;
}  // namespace

// Also those of the libraries: this one comes first.
extern "C" void* __libc_malloc(size_t size);
extern "C" void* malloc(size_t size) {
  if (is_counting) ++num_allocations;
  return __libc_malloc(size);
}

namespace plinth::ifrt::testing {
namespace {

using Clock = std::chrono::steady_clock;

PJRT_LoadedExecutable_Execute_Args last_call;

// Keeps what the library passes to the plugin, to call it again without the library.
PJRT_Error* Spy(PJRT_LoadedExecutable_Execute_Args* args);
decltype(PJRT_Api::PJRT_LoadedExecutable_Execute) real_execute;
std::vector<PJRT_Buffer*> last_arguments;
PJRT_Error* Spy(PJRT_LoadedExecutable_Execute_Args* args) {
  last_call = *args;
  last_arguments.assign(args->argument_lists[0], args->argument_lists[0] + args->num_args);
  return real_execute(args);
}

struct Cost {
  Clock::duration least = Clock::duration::max();
  int allocations = 0;

  template <typename Call>
  void Measure(Call call) {
    num_allocations = 0;
    is_counting = true;
    const auto begin = Clock::now();
    call();
    least = std::min(least, Clock::now() - begin);
    is_counting = false;
    allocations = num_allocations;
  }
};

TEST(ExecuteCost, IsMostlyTheCallOfThePlugin) {
  void* const library = dlopen(PluginPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  PJRT_Api table = *reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"))();
  real_execute = table.PJRT_LoadedExecutable_Execute;
  table.PJRT_LoadedExecutable_Execute = &Spy;
  ASSERT_VALUE(const Client client, Client::Create({.api = &table}));
  const Device device = client.devices()[0];
  ASSERT_VALUE(const Sharding single, client.Single(device));
  ASSERT_VALUE(const Executable program,
               client.Compile("module @sums { func.func public @main(%a: tensor<4xi32>, %b: "
                              "tensor<4xi32>, %c: tensor<4xi32>, %d: tensor<4xi32>) -> "
                              "(tensor<4xi32>, tensor<4xi32>) { %0 = stablehlo.add %a, %b : "
                              "tensor<4xi32> %1 = stablehlo.add %c, %d : tensor<4xi32> return %0, "
                              "%1 : tensor<4xi32>, tensor<4xi32> } }",
                              {.devices = {device}}));
  ASSERT_OK(program.Ready().Await());
  std::vector<Array> arrays;
  std::vector<plinth_ifrt_array*> arguments;
  const std::vector<int32_t> elements = Iota(4);
  for (int i = 0; i < 4; ++i) {
    ASSERT_VALUE(Array one, client.FromHost<int32_t>({4}, single, elements));
    arguments.push_back(one.get());
    arrays.push_back(std::move(one));
  }
  plinth_ifrt_array* made[2];
  const auto execute = [&] {
    plinth_status* const status = plinth_ifrt_executable_execute(program.get(), arguments.data(), 4,
                                                                 nullptr, made, 2, nullptr);
    if (status != nullptr) std::abort();
  };
  execute();
  plinth_ifrt_arrays_release(made, 2);
  // From here on the plugin is called directly, by the library and by this test.
  PJRT_LoadedExecutable_Execute_Args call = last_call;
  PJRT_ExecuteOptions options = {};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  PJRT_Buffer* const* const argument_list = last_arguments.data();
  PJRT_Buffer* outputs[2];
  PJRT_Buffer** const output_list = outputs;
  call.options = &options;
  call.argument_lists = &argument_list;
  call.output_lists = &output_list;
  table.PJRT_LoadedExecutable_Execute = real_execute;

  Cost plugin;
  Cost whole;
  for (int i = 0; i < 20000; ++i) {
    plugin.Measure([&] {
      if (real_execute(&call) != nullptr) std::abort();
    });
    for (PJRT_Buffer* buffer : outputs) {
      PJRT_Buffer_Destroy_Args destroy = {};
      destroy.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE;
      destroy.buffer = buffer;
      table.PJRT_Buffer_Destroy(&destroy);
    }
    whole.Measure(execute);
    plinth_ifrt_arrays_release(made, 2);
  }
  const auto nanoseconds = [](Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  };
  const auto above = nanoseconds(whole.least - plugin.least);
  RecordProperty("nanoseconds_above", static_cast<int>(above));
  RecordProperty("nanoseconds_of_the_plugin", static_cast<int>(nanoseconds(plugin.least)));
  // A slow processor is slow on both sides.
  EXPECT_LE(above, nanoseconds(plugin.least))
      << "the plugin's call takes " << nanoseconds(plugin.least) << " ns";
  // Of an output: the array, its list of shards, its shard, the shard's buffer.
  EXPECT_LE(whole.allocations - plugin.allocations, 2 * 4);
}

}  // namespace
}  // namespace plinth::ifrt::testing

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_TEST_PLUGIN_H_
#define PLINTH_SDK_SRC_TEST_PLUGIN_H_

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plinth/sdk/plugin.h"
#include "plinth/support/error.h"

// A small plugin for the SDK's own tests, and helpers to drive it through its C table. Programs of
// format "test" are named by their code:
//   add      f32[4], f32[4] -> f32[4], on device 0
//   pair     f32[4] -> f32[4] (the argument plus the device's number), on devices 0 and 1
//   none     no arguments and no results
//   throw    Compile throws; no_memory: Compile runs out of memory
namespace plinth::sdk::testing {

// Objects of the plugin that are alive.
extern std::atomic<int> live_clients;
extern std::atomic<int> live_buffers;
extern std::atomic<int> live_executables;

// What Buffer::IsReadableAfterFork answers.
extern bool buffers_are_readable_after_fork;

// What the last CreateClient got.
struct LastClientRequest {
  int64_t count = 0;
  int num_nodes = 0;
  bool has_store = false;
  std::string from_store;
};
extern LastClientRequest last_client_request;

// What the last registration brought; "taken" is refused.
struct LastHandler {
  std::string target, platform;
  bool is_typed = false;
  void* instantiate = nullptr;
  void* execute = nullptr;
  uint32_t traits = 0;
};
extern LastHandler last_handler;

// Runs instead of an executable's own Execute if it is set.
extern std::function<Status(const ExecuteRequest&, ExecuteResults&)> execute_hook;

// Run instead of the plugin's own BufferFromHostBuffer and CopyRawToHost if they are set.
extern std::function<Expected<HostBufferResult>(const HostBufferRequest&)> upload_hook;
extern std::function<Expected<Event>(Buffer&)> raw_copy_hook;

// Calls of HoldMemory; it waits for the contents.
extern std::atomic<int> hold_calls;

// How often the SDK asked the plugin for its Ffi.
extern std::atomic<int> ffi_calls;
extern std::atomic<intptr_t> waiting_stream;  // that WaitUntilReadyOnStream got last

// The plugin's own info, once Api() was called.
extern PluginInfo* plugin_info;

// A buffer in host memory; becomes ready with `ready`.
std::unique_ptr<Buffer> MakeTestBuffer(DType dtype, std::span<const int64_t> dims, Memory* memory,
                                       Event ready = {},
                                       std::shared_ptr<const Layout> layout = nullptr);

const PJRT_Api* Api();

}  // namespace plinth::sdk::testing

// PLINTH_ARGS(PJRT_Client_Create, args): zeroed arguments of full size.
#define PLINTH_ARGS(function, variable)        \
  function##_Args variable;                    \
  std::memset(&variable, 0, sizeof(variable)); \
  variable.struct_size = function##_Args_STRUCT_SIZE

// The outcome of a call as a Status; destroys the error.
#define PLINTH_CALL(function, args) \
  ::plinth::TakeError(::plinth::sdk::testing::Api()->function(&(args)))

namespace plinth::sdk::testing {

// A client of the test plugin, destroyed at the end.
struct TestClientHandle {
  TestClientHandle();
  ~TestClientHandle();
  void Destroy();

  PJRT_Client* client = nullptr;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Memory*> memories;  // Of device 0, of device 1, of both.
};

PJRT_Buffer* Upload(const TestClientHandle& client, const std::vector<float>& values,
                    PJRT_Memory* memory = nullptr);
std::vector<float> Download(PJRT_Buffer* buffer);
PJRT_LoadedExecutable* Compile(const TestClientHandle& client, std::string code);
void Destroy(PJRT_Buffer* buffer);
void Destroy(PJRT_LoadedExecutable* executable);
void Destroy(PJRT_Executable* executable);
void Destroy(PJRT_Event* event);
// Runs on as many devices as there are lists; the outputs, one list per device.
Status Execute(PJRT_LoadedExecutable* executable,
               const std::vector<std::vector<PJRT_Buffer*>>& arguments, size_t num_outputs,
               std::vector<std::vector<PJRT_Buffer*>>& outputs);

}  // namespace plinth::sdk::testing

#endif  // PLINTH_SDK_SRC_TEST_PLUGIN_H_

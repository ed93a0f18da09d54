// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_EXECUTABLE_H_
#define PLINTH_CLIENT_EXECUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/client/buffer.h"
#include "plinth/client/device.h"
#include "plinth/client/event.h"
#include "plinth/client/handle.h"
#include "plinth/client/options.h"

namespace plinth::client {

// Bytes that one execution needs, by purpose; zero if the plugin's revision does not say.
struct CompiledMemoryStats {
  int64_t generated_code = 0;
  int64_t arguments = 0;
  int64_t outputs = 0;
  int64_t aliases = 0;  // Outputs that reuse arguments.
  int64_t temporaries = 0;
  int64_t host_generated_code = 0;
  int64_t host_arguments = 0;
  int64_t host_outputs = 0;
  int64_t host_aliases = 0;
  int64_t host_temporaries = 0;
  int64_t peak = 0;               // From 0.72.
  int64_t total = 0;              // From 0.90.
  int64_t total_allocations = 0;  // From 0.104, as are the next.
  int64_t indefinite_allocations = 0;
  int64_t peak_unpadded_heap = 0;
};

struct OutputShape {
  DType type = DType::kInvalid;
  std::vector<int64_t> dims;
};

// The facts about a compiled program. Move-only; frees its handle. Any thread.
class Executable {
 public:
  explicit Executable(Handle<PJRT_Executable> handle) : handle_(std::move(handle)) {}

  // Lives as long as the executable.
  Expected<std::string_view> Name() const;
  Expected<size_t> NumReplicas() const;
  Expected<size_t> NumPartitions() const;
  Expected<size_t> NumOutputs() const;
  Expected<std::vector<OutputShape>> Outputs() const;
  Expected<std::vector<std::string>> OutputMemoryKinds() const;
  Expected<std::vector<std::string>> ParameterMemoryKinds() const;  // From 0.102.
  Expected<int64_t> GeneratedCodeSize() const;
  // Estimates: "flops", "bytes accessed", and others that the platform knows. Copied.
  Expected<std::vector<NamedValue>> CostAnalysis() const;
  Expected<CompiledMemoryStats> MemoryStats() const;
  // Equal for equal program, options and compiler.
  Expected<std::string> Fingerprint() const;
  // The program after optimization, with the name of its format.
  struct OptimizedProgramText {
    std::string code;
    std::string format;
  };
  Expected<OptimizedProgramText> OptimizedProgram() const;
  // The serialized CompileOptionsProto it was compiled with. From 0.87.
  Expected<std::string> CompileOptionsProto() const;
  // Bytes that the same platform and version can load again (Client::DeserializeAndLoad).
  Expected<std::string> Serialize() const;

  PJRT_Executable* get() const { return handle_.get(); }
  const Api& api() const { return handle_.api(); }

 private:
  Handle<PJRT_Executable> handle_;
};

class ExecuteContext;  // ffi.h

struct ExecuteOptions {
  // Identifies one launch over all processes; 0 for none.
  int launch_id = 0;
  // Arguments that must not be donated though the program allows it. Owned by the caller during
  // the call.
  std::span<const int64_t> non_donatable;
  // Runs on this device alone; only for programs compiled as portable.
  std::optional<Device> device;
  // Whether to make one event for each device that completes when the device is done.
  bool want_done_events = false;
  // Where in the user's source the call was made, for traces.
  std::string call_location;
  // Data for the handlers that the program calls, or null. Owned by the caller until the execution
  // has ended. From 0.64.
  const ExecuteContext* context = nullptr;
  // The plugin's own options. From 0.116.
  Options options;
};

struct ExecuteResult {
  std::vector<std::vector<Buffer>> outputs;  // [device][output]
  std::vector<Event> done;                   // [device], if wanted.
};

// A compiled program on the devices of a client. Move-only; frees its handle and keeps its client
// alive. Any thread may execute, several at once too.
class LoadedExecutable {
 public:
  // Takes over a handle and asks how many outputs the program has.
  static Expected<LoadedExecutable> Adopt(Handle<PJRT_LoadedExecutable> handle);

  const Executable& executable() const { return executable_; }
  size_t num_outputs() const { return num_outputs_; }
  // The devices it runs on, in the order of Execute's lists.
  Expected<std::vector<Device>> AddressableDevices() const;
  Expected<DeviceAssignment> Assignment() const;  // From 0.79.
  struct LogicalId {
    int replica = 0;
    int partition = 0;
  };
  Expected<std::vector<LogicalId>> LogicalIds() const;  // From 0.96.

  // Runs on every device of AddressableDevices: `arguments` has one list for each, all of the same
  // length. Returns when the work is enqueued; outputs complete later, with data or an error.
  // Arguments that the program donates are deleted by this unless they are in
  // ExecuteOptions::non_donatable; their handles stay the caller's. Buffers are read by the plugin
  // also after this returns and after they are destroyed. INVALID_ARGUMENT for lists of different
  // lengths or null elements, else the plugin's error, and then no output exists.
  Expected<ExecuteResult> Execute(std::span<const std::vector<const Buffer*>> arguments,
                                  const ExecuteOptions& options = {}) const;
  // The same for one device.
  Expected<std::vector<Buffer>> ExecuteOne(std::span<const Buffer* const> arguments,
                                           const ExecuteOptions& options = {}) const;

  // Unloads the program and keeps the handle; executions already started finish.
  Status Delete();
  Expected<bool> IsDeleted() const;
  Expected<std::string> Fingerprint() const;

  PJRT_LoadedExecutable* get() const { return handle_.get(); }
  const Api& api() const { return handle_.api(); }

 private:
  LoadedExecutable(Handle<PJRT_LoadedExecutable> handle, Executable executable, size_t num_outputs)
      : handle_(std::move(handle)), executable_(std::move(executable)), num_outputs_(num_outputs) {}
  Handle<PJRT_LoadedExecutable> handle_;
  Executable executable_;
  size_t num_outputs_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_EXECUTABLE_H_

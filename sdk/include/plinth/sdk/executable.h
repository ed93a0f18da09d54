// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_EXECUTABLE_H_
#define PLINTH_SDK_EXECUTABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/sdk/buffer.h"
#include "plinth/sdk/device.h"
#include "plinth/sdk/event.h"
#include "plinth/sdk/ffi.h"
#include "plinth/sdk/handle.h"
#include "plinth/sdk/shape.h"
#include "plinth/support/device_assignment.h"
#include "plinth/support/small_vector.h"

namespace plinth::sdk {

// A program as the framework sends it; borrowed for the call.
struct Program {
  std::string_view format = {};  // "mlir" (what JAX sends), "hlo", "hlo_with_config".
  std::string_view code = {};
};

struct OwnedProgram {
  std::string format = {};
  std::string code = {};
};

// A parameter or a result of an executable, per device (its shard).
struct ValueInfo {
  DType dtype = DType::kInvalid;
  Dims dims = {};
  std::shared_ptr<const Layout> layout = {};  // Null: row-major.
  std::string memory_kind = "device";
  // A serialized xla.OpSharding, for example "\x08\x00" for replicated. JAX wants it for every
  // parameter and result of a program over several devices.
  std::optional<std::string> sharding = {};
  // Of a parameter: an execution takes the argument away (its memory may become a result's), unless
  // the caller forbids it for this call.
  bool is_donated = false;
};

// In bytes.
struct CompiledMemoryStats {
  int64_t generated_code_size = 0;
  int64_t argument_size = 0;
  int64_t output_size = 0;
  int64_t alias_size = 0;
  int64_t temp_size = 0;
  int64_t host_generated_code_size = 0;
  int64_t host_argument_size = 0;
  int64_t host_output_size = 0;
  int64_t host_alias_size = 0;
  int64_t host_temp_size = 0;
  int64_t peak_memory = 0;
  int64_t total_size = 0;
  int64_t total_allocation = 0;
  int64_t indefinite_allocations = 0;
  int64_t peak_unpadded_heap = 0;
};

struct ExecutableInfo {
  std::string name = {};
  // Equal for executables that compute the same; empty if there is none.
  std::string fingerprint = {};
  size_t num_replicas = 1;
  size_t num_partitions = 1;
  std::vector<ValueInfo> parameters = {};
  std::vector<ValueInfo> outputs = {};
  int64_t generated_code_size = 0;    // Bytes.
  std::vector<NamedValue> cost = {};  // For example {"flops", 2.0f}, {"bytes accessed", 12.0f}.
  std::optional<CompiledMemoryStats> memory_stats = {};
  // The serialized CompileOptionsProto it was compiled with.
  std::string compile_options = {};
};

// A compiled program, immutable, not tied to a client. Shared by everything that was loaded from
// it. Any thread may call any function; optional ones answer UNIMPLEMENTED.
class Executable {
 public:
  explicit Executable(ExecutableInfo info);
  virtual ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const ExecutableInfo& info() const { return info_; }
  size_t num_outputs() const { return info_.outputs.size(); }

  // Bytes from which Client::DeserializeAndLoad makes the same executable again.
  virtual Expected<std::string> Serialize() const;
  // The program after optimization, for humans, and for frameworks that read shardings from it.
  virtual Expected<OwnedProgram> OptimizedProgram() const;

  // The C arrays that the SDK made of info(). See src/executable_arrays.h.
  struct Arrays;
  const Arrays& arrays() const { return *arrays_; }

  // Whether a framework has read the shardings of the outputs by the Shardings extension. One that
  // does not know it looks for them in the optimized program.
  bool shardings_were_read() const { return shardings_read_.load(std::memory_order_relaxed); }
  void NoteShardingsRead() const { shardings_read_.store(true, std::memory_order_relaxed); }

 private:
  const ExecutableInfo info_;
  mutable std::atomic<bool> shardings_read_{false};
  std::unique_ptr<Arrays> arrays_;
};

using plinth::DeviceAssignment;

struct LogicalDeviceId {
  int replica = 0;
  int partition = 0;
};

// State that the framework shares with the custom calls of an execution.
class ExecuteContext : public internal::Handle {
 public:
  virtual ~ExecuteContext() = default;

  // One entry per type. The caller may destroy the context when Execute has returned: copy it.
  std::span<const FfiUserData> user_data() const { return {user_data_.data(), user_data_.size()}; }
  void AddUserData(const FfiUserData& data) { user_data_.push_back(data); }

 private:
  SmallVector<FfiUserData, 2> user_data_;
};

// The arguments of an execution on one device: borrowed buffers of the same client.
class ArgumentList {
 public:
  ArgumentList(PJRT_Buffer* const* buffers, size_t size) : buffers_(buffers), size_(size) {}
  size_t size() const { return size_; }
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): null only of no arguments.
  Buffer& operator[](size_t index) const { return *FromC(buffers_[index]); }

 private:
  PJRT_Buffer* const* buffers_;
  size_t size_;
};

// One execution. Everything is borrowed for the call. The SDK has checked the number of devices and
// arguments, and that each argument is a buffer of this client, on the right device, not deleted,
// of the element type, sizes and layout that ExecutableInfo::parameters says, and given away at
// most once. Until Execute returns nobody else deletes or donates an argument that this call takes;
// another thread may delete one that it only reads: take hold of the contents of those first, and
// answer INVALID_ARGUMENT if they are gone.
struct ExecuteRequest {
  size_t num_devices() const { return devices; }
  // `device` counts the executable's addressable devices (or is 0 for execute_device).
  ArgumentList arguments(size_t device) const {
    return ArgumentList(num_args == 0 ? nullptr : arguments_per_device[device], num_args);
  }

  size_t devices = 1;
  size_t num_args = 0;
  PJRT_Buffer* const* const* arguments_per_device = nullptr;  // Maybe null without arguments.
  // Non-null: run on this device only, whatever the assignment says (num_devices() is 1).
  Device* execute_device = nullptr;

  // Whether this call takes the argument, on every device: its memory is the author's to use. When
  // Execute has succeeded, the SDK deletes what the author left of it; one that fails takes nothing
  // away, so the author puts back what it took.
  bool IsDonated(size_t argument) const { return !donated.empty() && donated[argument]; }

  std::span<const bool> donated = {};  // One per argument; empty if the call takes none.
  int launch_id = 0;
  ExecuteContext* context = nullptr;
  std::string_view call_location = {};
  std::span<const int> task_ids = {};
  std::span<const int64_t> incarnation_ids = {};
  bool use_major_to_minor_data_layout_for_callbacks = false;
  // Reach an author only if PluginInfo::supports_custom_options or supports_multi_slice.
  std::vector<NamedValue> custom_options = {};
  PJRT_MultiSlice_Config* multi_slice_config = nullptr;
  // Callbacks of the C ABI, one list per device, as given. Non-zero counts reach an author only if
  // PluginInfo::supports_send_recv; else the SDK answers UNIMPLEMENTED.
  size_t num_send_ops = 0;
  size_t num_recv_ops = 0;
  PJRT_SendCallbackInfo** send_callbacks = nullptr;
  PJRT_RecvCallbackInfo** recv_callbacks = nullptr;
  std::span<PJRT_HloOutputCallbackInfo> hlo_output_callbacks = {};
};

// An execution puts its results here. If Execute fails or throws, they are destroyed.
class ExecuteResults {
 public:
  ExecuteResults(PJRT_Buffer** const* outputs, size_t num_devices, size_t num_outputs,
                 std::span<Event> completions)
      : outputs_(outputs),
        num_devices_(num_devices),
        num_outputs_(num_outputs),
        completions_(completions) {}
  size_t num_devices() const { return num_devices_; }
  size_t num_outputs() const { return num_outputs_; }

  // Every output of every device has to be set. An execution that fails after it was started puts
  // buffers whose ReadyEvent is the error.
  void SetOutput(size_t device, size_t output, std::unique_ptr<Buffer> buffer);
  // Ready when the device is done; already ready, with success, if it is not called.
  void SetCompletion(size_t device, Event event) {
    if (device < completions_.size()) completions_[device] = std::move(event);
  }
  // False if the caller did not ask for completion events.
  bool wants_completion() const { return !completions_.empty(); }

 private:
  PJRT_Buffer** const* outputs_;
  size_t num_devices_;
  size_t num_outputs_;
  std::span<Event> completions_;
};

struct LoadedExecutableInfo {
  // Those of this process, in the order of the argument lists.
  std::vector<Device*> addressable_devices = {};
  // Of each addressable device. Empty: found from the assignment.
  std::vector<LogicalDeviceId> logical_ids = {};
  // Without devices: the addressable devices, in order.
  DeviceAssignment assignment = {};
};

// An executable that is ready to run on devices of a client.
class LoadedExecutable : public internal::Handle {
 public:
  LoadedExecutable(std::shared_ptr<const Executable> executable, LoadedExecutableInfo info);
  virtual ~LoadedExecutable();

  const std::shared_ptr<const Executable>& executable() const { return executable_; }
  const LoadedExecutableInfo& info() const { return info_; }

  // Starts the program (or runs it) on every addressable device, or on request.execute_device. The
  // returned error is for a wrong call; a later failure is the error of the ready events of
  // the outputs. Any number of executions may run at once.
  virtual Status Execute(const ExecuteRequest& request, ExecuteResults& results) = 0;

  // Releases what it holds; later executions are refused by the SDK, running ones finish.
  virtual void Delete() {}
  bool IsDeleted() const { return deleted_.load(std::memory_order_relaxed); }

 private:
  friend struct internal::ClientCore;
  friend struct LoadedExecutableAccess;  // src/loaded_executable_api.cc

  std::shared_ptr<const Executable> executable_;
  LoadedExecutableInfo info_;
  std::vector<PJRT_Device*> c_devices_;
  std::vector<PJRT_LogicalDeviceIds> c_logical_ids_;
  std::atomic<bool> deleted_{false};
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_EXECUTABLE_H_

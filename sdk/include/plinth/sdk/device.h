// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_DEVICE_H_
#define PLINTH_SDK_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/sdk/event.h"
#include "plinth/sdk/handle.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::sdk {

class Device;

struct DeviceDescriptionInfo {
  int id = 0;  // Unique over all processes.
  int process_index = 0;
  std::string kind = {};          // The model, for example "cpu" or "H200".
  std::string debug_string = {};  // Long form; made from kind and id if empty.
  std::string to_string = {};     // Short form; made from kind and id if empty.
  std::vector<NamedValue> attributes = {};
};

// The facts about a device, also of one that no client has (in a topology). Immutable.
class DeviceDescription {
 public:
  explicit DeviceDescription(DeviceDescriptionInfo info);

  int id() const { return info_.id; }
  const DeviceDescriptionInfo& info() const { return info_; }
  const NamedValueArray& attributes() const { return attributes_; }
  uint32_t generation() const { return generation_; }

 private:
  DeviceDescriptionInfo info_;
  NamedValueArray attributes_;
  uint32_t generation_;
};

struct MemoryInfo {
  int id = 0;             // Unique in the client.
  std::string kind = {};  // "device" for the default memory (JAX expects it), "pinned_host", ...
  int kind_id = 0;        // One number per kind.
  std::string debug_string = {};
  std::string to_string = {};
};

// A memory that devices of a client can address. Immutable; made with Client::AddMemory.
class Memory {
 public:
  explicit Memory(MemoryInfo info);
  virtual ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  int id() const { return info_.id; }
  const std::string& kind() const { return info_.kind; }
  const MemoryInfo& info() const { return info_; }
  // The devices that can address it, as given to Client::AddMemory; the first is its own.
  std::span<Device* const> devices() const { return devices_; }
  PJRT_Memory* handle() const { return handle_; }

 private:
  friend class Client;
  friend struct internal::ClientCore;
  MemoryInfo info_;
  std::vector<Device*> devices_;
  PJRT_Memory* handle_ = nullptr;  // Owned by the client's SDK side.
};

// The result of PJRT_Device_MemoryStats: bytes, except num_allocs; unknown numbers stay empty.
struct MemoryStats {
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes_in_use = {};
  std::optional<int64_t> num_allocs = {};
  std::optional<int64_t> largest_alloc_size = {};
  std::optional<int64_t> bytes_limit = {};  // torch_xla reads it without asking whether it is set.
  std::optional<int64_t> bytes_reserved = {};
  std::optional<int64_t> peak_bytes_reserved = {};
  std::optional<int64_t> bytes_reservable_limit = {};
  std::optional<int64_t> largest_free_block_bytes = {};
  std::optional<int64_t> pool_bytes = {};
  std::optional<int64_t> peak_pool_bytes = {};
  std::optional<int64_t> peak_allocated_bytes = {};
};

// A scope in which the framework tracks asynchronous work on a device; ends when destroyed.
class AsyncTrackingEvent : public internal::Handle {
 public:
  virtual ~AsyncTrackingEvent() = default;
};

struct DeviceInfo {
  DeviceDescriptionInfo description = {};
  int local_hardware_id = -1;  // -1 if it has none.
  bool is_addressable = true;  // False for devices of other processes.
};

// A device of a client; made with Client::AddDevice, lives as long as the client. Usable as it is;
// derive from it for statistics and the like, which answer UNIMPLEMENTED here. Every function may
// be called from any thread.
class Device : public internal::Handle {
 public:
  explicit Device(DeviceInfo info);
  virtual ~Device();

  int id() const { return description_.id(); }
  int local_hardware_id() const { return local_hardware_id_; }
  bool is_addressable() const { return is_addressable_; }
  const DeviceDescription& description() const { return description_; }
  // The memories it can address, in the order of Client::AddMemory; the first is the default.
  std::span<Memory* const> memories() const { return memories_; }
  Memory* default_memory() const { return memories_.empty() ? nullptr : memories_.front(); }
  // The memory of that kind, or null.
  Memory* FindMemory(std::string_view kind) const;

  // Frameworks take UNIMPLEMENTED for "no statistics".
  virtual Expected<MemoryStats> GetMemoryStats();
  // Resets peaks. Reached only if PluginInfo::supports_clear_memory_stats.
  virtual Status ClearMemoryStats();
  // The platform's stream, on which the maker of an array from outside enqueues what says that the
  // array is there. Reached only if PluginInfo::supports_streams; UNIMPLEMENTED by default.
  virtual Expected<intptr_t> StreamForExternalReadyEvents();
  // Makes the execution with that launch id fail with `error`; false if it is too late.
  virtual Expected<bool> PoisonExecution(int32_t launch_id, const Status& error);
  virtual Expected<std::unique_ptr<AsyncTrackingEvent>> CreateAsyncTrackingEvent(
      std::string_view description);

 private:
  friend class Client;
  friend struct internal::ClientCore;
  DeviceDescription description_;
  int local_hardware_id_;
  bool is_addressable_;
  std::vector<Memory*> memories_;
  std::vector<PJRT_Memory*> c_memories_;  // The same, for the C side.
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_DEVICE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_DEVICE_H_
#define PLINTH_CLIENT_DEVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/client/api.h"

namespace plinth::client {

// Devices, their descriptions and memories belong to their client (or topology). The classes here
// are views that may be copied; they, and the texts they return, are good while that client (or
// anything made from it) lives. Any thread. Every question may fail with the plugin's error.

// The facts about a device that need no access to it.
class DeviceDescription {
 public:
  DeviceDescription(Api api, PJRT_DeviceDescription* description)
      : api_(api), description_(description) {}

  // Unique among all devices of the run.
  Expected<int> Id() const;
  Expected<int> ProcessIndex() const;
  // The vendor's name for this kind of device.
  Expected<std::string_view> Kind() const;
  Expected<std::string_view> DebugString() const;
  Expected<std::string_view> ToString() const;
  // Copied.
  Expected<std::vector<NamedValue>> Attributes() const;

  PJRT_DeviceDescription* get() const { return description_; }

 private:
  Api api_;
  PJRT_DeviceDescription* description_;
};

class Device;

// A memory that holds buffers.
class Memory {
 public:
  Memory(Api api, PJRT_Memory* memory) : api_(api), memory_(memory) {}

  // Unique among the memories of the run.
  Expected<int> Id() const;
  // For example "device" or "pinned_host".
  Expected<std::string_view> Kind() const;
  Expected<int> KindId() const;
  Expected<std::string_view> DebugString() const;
  Expected<std::string_view> ToString() const;
  Expected<std::vector<Device>> Devices() const;

  PJRT_Memory* get() const { return memory_; }
  friend bool operator==(const Memory& a, const Memory& b) { return a.memory_ == b.memory_; }

 private:
  Api api_;
  PJRT_Memory* memory_;
};

// The allocator's counters in bytes; a number that the plugin does not count is absent.
struct MemoryStats {
  int64_t bytes_in_use = 0;
  std::optional<int64_t> peak_bytes_in_use;
  std::optional<int64_t> num_allocs;  // A count, not bytes.
  std::optional<int64_t> largest_alloc_size;
  std::optional<int64_t> bytes_limit;
  std::optional<int64_t> bytes_reserved;
  std::optional<int64_t> peak_bytes_reserved;
  std::optional<int64_t> bytes_reservable_limit;
  std::optional<int64_t> largest_free_block_bytes;
  std::optional<int64_t> pool_bytes;
  std::optional<int64_t> peak_pool_bytes;
  std::optional<int64_t> peak_allocated_bytes;  // From 0.113.
};

class Device {
 public:
  Device(Api api, PJRT_Device* device) : api_(api), device_(device) {}

  Expected<DeviceDescription> Description() const;
  // The id of its description.
  Expected<int> Id() const;
  // Whether this client can send work to it.
  Expected<bool> IsAddressable() const;
  // As the driver counts; -1 if there is no such number.
  Expected<int> LocalHardwareId() const;
  // The memories that it can reach.
  Expected<std::vector<Memory>> Memories() const;
  Expected<Memory> DefaultMemory() const;
  // UNIMPLEMENTED if the plugin does not count.
  Expected<MemoryStats> Stats() const;
  Status ClearStats() const;
  // Facts that may change while it runs, copied. From 0.92.
  Expected<std::vector<NamedValue>> Attributes() const;
  // Makes the outputs of the first unfinished execution with this launch id fail with `error`; says
  // whether there was one. From 0.85.
  Expected<bool> PoisonExecution(int32_t launch_id, const Status& error) const;

  PJRT_Device* get() const { return device_; }
  friend bool operator==(const Device& a, const Device& b) { return a.device_ == b.device_; }

 private:
  Api api_;
  PJRT_Device* device_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_DEVICE_H_

// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/device.h"

#include "impl/client/src/calls.h"

namespace plinth::client {

using internal::GetNamedValues;
using internal::GetPointer;
using internal::GetText;
using internal::GetValue;
using internal::GetViews;

Expected<int> DeviceDescription::Id() const {
  using Args = PJRT_DeviceDescription_Id_Args;
  return GetValue(api_, description_, &Args::device_description, &Args::id);
}

Expected<int> DeviceDescription::ProcessIndex() const {
  using Args = PJRT_DeviceDescription_ProcessIndex_Args;
  return GetValue(api_, description_, &Args::device_description, &Args::process_index);
}

Expected<std::string_view> DeviceDescription::Kind() const {
  using Args = PJRT_DeviceDescription_Kind_Args;
  return GetText(api_, description_, &Args::device_description, &Args::device_kind,
                 &Args::device_kind_size);
}

Expected<std::string_view> DeviceDescription::DebugString() const {
  using Args = PJRT_DeviceDescription_DebugString_Args;
  return GetText(api_, description_, &Args::device_description, &Args::debug_string,
                 &Args::debug_string_size);
}

Expected<std::string_view> DeviceDescription::ToString() const {
  using Args = PJRT_DeviceDescription_ToString_Args;
  return GetText(api_, description_, &Args::device_description, &Args::to_string,
                 &Args::to_string_size);
}

Expected<std::vector<NamedValue>> DeviceDescription::Attributes() const {
  using Args = PJRT_DeviceDescription_Attributes_Args;
  return GetNamedValues(api_, description_, &Args::device_description, &Args::attributes,
                        &Args::num_attributes);
}

Expected<int> Memory::Id() const {
  using Args = PJRT_Memory_Id_Args;
  return GetValue(api_, memory_, &Args::memory, &Args::id);
}

Expected<std::string_view> Memory::Kind() const {
  using Args = PJRT_Memory_Kind_Args;
  return GetText(api_, memory_, &Args::memory, &Args::kind, &Args::kind_size);
}

Expected<int> Memory::KindId() const {
  using Args = PJRT_Memory_Kind_Id_Args;
  return GetValue(api_, memory_, &Args::memory, &Args::kind_id);
}

Expected<std::string_view> Memory::DebugString() const {
  using Args = PJRT_Memory_DebugString_Args;
  return GetText(api_, memory_, &Args::memory, &Args::debug_string, &Args::debug_string_size);
}

Expected<std::string_view> Memory::ToString() const {
  using Args = PJRT_Memory_ToString_Args;
  return GetText(api_, memory_, &Args::memory, &Args::to_string, &Args::to_string_size);
}

Expected<std::vector<Device>> Memory::Devices() const {
  using Args = PJRT_Memory_AddressableByDevices_Args;
  return GetViews<Device>(api_, memory_, &Args::memory, &Args::devices, &Args::num_devices);
}

Expected<DeviceDescription> Device::Description() const {
  using Args = PJRT_Device_GetDescription_Args;
  PLINTH_ASSIGN_OR_RETURN(PJRT_DeviceDescription * description,
                          GetPointer(api_, device_, &Args::device, &Args::device_description));
  return DeviceDescription(api_, description);
}

Expected<int> Device::Id() const {
  PLINTH_ASSIGN_OR_RETURN(DeviceDescription description, Description());
  return description.Id();
}

Expected<bool> Device::IsAddressable() const {
  using Args = PJRT_Device_IsAddressable_Args;
  return GetValue(api_, device_, &Args::device, &Args::is_addressable);
}

Expected<int> Device::LocalHardwareId() const {
  using Args = PJRT_Device_LocalHardwareId_Args;
  return GetValue(api_, device_, &Args::device, &Args::local_hardware_id);
}

Expected<std::vector<Memory>> Device::Memories() const {
  using Args = PJRT_Device_AddressableMemories_Args;
  return GetViews<Memory>(api_, device_, &Args::device, &Args::memories, &Args::num_memories);
}

Expected<Memory> Device::DefaultMemory() const {
  using Args = PJRT_Device_DefaultMemory_Args;
  PLINTH_ASSIGN_OR_RETURN(PJRT_Memory * memory,
                          GetPointer(api_, device_, &Args::device, &Args::memory));
  return Memory(api_, memory);
}

Expected<MemoryStats> Device::Stats() const {
  using Args = PJRT_Device_MemoryStats_Args;
  Args args = {};
  args.device = device_;
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  static constexpr struct {
    std::optional<int64_t> MemoryStats::*to;
    int64_t Args::*value;
    bool Args::*is_set;
  } kCounters[] = {
#define PLINTH_CLIENT_COUNTER(name) {&MemoryStats::name, &Args::name, &Args::name##_is_set}
      PLINTH_CLIENT_COUNTER(peak_bytes_in_use),
      PLINTH_CLIENT_COUNTER(num_allocs),
      PLINTH_CLIENT_COUNTER(largest_alloc_size),
      PLINTH_CLIENT_COUNTER(bytes_limit),
      PLINTH_CLIENT_COUNTER(bytes_reserved),
      PLINTH_CLIENT_COUNTER(peak_bytes_reserved),
      PLINTH_CLIENT_COUNTER(bytes_reservable_limit),
      PLINTH_CLIENT_COUNTER(largest_free_block_bytes),
      PLINTH_CLIENT_COUNTER(pool_bytes),
      PLINTH_CLIENT_COUNTER(peak_pool_bytes),
      PLINTH_CLIENT_COUNTER(peak_allocated_bytes),
#undef PLINTH_CLIENT_COUNTER
  };
  MemoryStats stats;
  stats.bytes_in_use = args.bytes_in_use;
  for (const auto& counter : kCounters) {
    if (RawBool(args.*counter.is_set)) stats.*counter.to = args.*counter.value;
  }
  return stats;
}

Status Device::ClearStats() const {
  PJRT_Device_ClearMemoryStats_Args args = {};
  args.device = device_;
  return api_.Call(args);
}

Expected<std::vector<NamedValue>> Device::Attributes() const {
  PJRT_Device_GetAttributes_Args args = {};
  args.device = device_;
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  Expected<std::vector<NamedValue>> values = NamedValuesFromC(args.attributes, args.num_attributes);
  if (args.attributes_deleter != nullptr && args.device_attributes != nullptr) {
    args.attributes_deleter(args.device_attributes);
  }
  if (!values.ok()) return values.status().WithContext("PJRT_Device_GetAttributes");
  return values;
}

Expected<bool> Device::PoisonExecution(int32_t launch_id, const Status& error) const {
  PJRT_Device_PoisonExecution_Args args = {};
  args.device = device_;
  args.launch_id = launch_id;
  args.error_code = static_cast<PJRT_Error_Code>(error.code());
  args.error_message = error.message().data();
  args.error_message_size = error.message().size();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  return RawBool(args.poisoned);
}

}  // namespace plinth::client

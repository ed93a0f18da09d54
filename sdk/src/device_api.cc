// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/entry.h"
#include "sdk/src/wire.h"

namespace plinth::sdk::internal {

Status Call(PJRT_DeviceDescription_Id_Args& args) {
  PLINTH_HANDLE(description, args, device_description);
  args.id = description->id();
  return {};
}

Status Call(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  PLINTH_HANDLE(description, args, device_description);
  args.process_index = description->info().process_index;
  return {};
}

Status Call(PJRT_DeviceDescription_Attributes_Args& args) {
  PLINTH_HANDLE(description, args, device_description);
  args.attributes = description->attributes().data();
  args.num_attributes = description->attributes().size();
  return {};
}

Status Call(PJRT_DeviceDescription_Kind_Args& args) {
  PLINTH_HANDLE(description, args, device_description);
  args.device_kind = description->info().kind.data();
  args.device_kind_size = description->info().kind.size();
  return {};
}

Status Call(PJRT_DeviceDescription_DebugString_Args& args) {
  PLINTH_HANDLE(description, args, device_description);
  args.debug_string = description->info().debug_string.data();
  args.debug_string_size = description->info().debug_string.size();
  return {};
}

Status Call(PJRT_DeviceDescription_ToString_Args& args) {
  PLINTH_HANDLE(description, args, device_description);
  args.to_string = description->info().to_string.data();
  args.to_string_size = description->info().to_string.size();
  return {};
}

Status Call(PJRT_Device_GetDescription_Args& args) {
  PLINTH_HANDLE(device, args, device);
  args.device_description = ToC(const_cast<DeviceDescription*>(&device->description()));
  return {};
}

Status Call(PJRT_Device_IsAddressable_Args& args) {
  PLINTH_HANDLE(device, args, device);
  args.is_addressable = device->is_addressable();
  return {};
}

Status Call(PJRT_Device_LocalHardwareId_Args& args) {
  PLINTH_HANDLE(device, args, device);
  args.local_hardware_id = device->local_hardware_id();
  return {};
}

Status Call(PJRT_Device_AddressableMemories_Args& args) {
  PLINTH_HANDLE(device, args, device);
  std::span<PJRT_Memory* const> memories = device->core->MemoriesOf(*device);
  SetField(args, &PJRT_Device_AddressableMemories_Args::memories, memories.data());
  SetField(args, &PJRT_Device_AddressableMemories_Args::num_memories, memories.size());
  return {};
}

Status Call(PJRT_Device_DefaultMemory_Args& args) {
  PLINTH_HANDLE(device, args, device);
  Memory* memory = device->default_memory();
  if (memory == nullptr) {
    return FailedPrecondition("PJRT_Device_DefaultMemory: device ",
                              device->description().info().to_string,
                              " is not addressable from this process");
  }
  args.memory = memory->handle();
  return {};
}

namespace {

void SetStat(PJRT_Device_MemoryStats_Args& args, int64_t PJRT_Device_MemoryStats_Args::*value,
             bool PJRT_Device_MemoryStats_Args::*is_set, const std::optional<int64_t>& stat) {
  SetField(args, value, stat.value_or(0));
  SetField(args, is_set, stat.has_value());
}

}  // namespace

Status Call(PJRT_Device_MemoryStats_Args& args) {
  PLINTH_HANDLE(device, args, device);
  PLINTH_ASSIGN_OR_RETURN(MemoryStats stats, device->GetMemoryStats());
  using Args = PJRT_Device_MemoryStats_Args;
  SetField(args, &Args::bytes_in_use, stats.bytes_in_use);
  SetStat(args, &Args::peak_bytes_in_use, &Args::peak_bytes_in_use_is_set, stats.peak_bytes_in_use);
  SetStat(args, &Args::num_allocs, &Args::num_allocs_is_set, stats.num_allocs);
  SetStat(args, &Args::largest_alloc_size, &Args::largest_alloc_size_is_set,
          stats.largest_alloc_size);
  SetStat(args, &Args::bytes_limit, &Args::bytes_limit_is_set, stats.bytes_limit);
  SetStat(args, &Args::bytes_reserved, &Args::bytes_reserved_is_set, stats.bytes_reserved);
  SetStat(args, &Args::peak_bytes_reserved, &Args::peak_bytes_reserved_is_set,
          stats.peak_bytes_reserved);
  SetStat(args, &Args::bytes_reservable_limit, &Args::bytes_reservable_limit_is_set,
          stats.bytes_reservable_limit);
  SetStat(args, &Args::largest_free_block_bytes, &Args::largest_free_block_bytes_is_set,
          stats.largest_free_block_bytes);
  SetStat(args, &Args::pool_bytes, &Args::pool_bytes_is_set, stats.pool_bytes);
  SetStat(args, &Args::peak_pool_bytes, &Args::peak_pool_bytes_is_set, stats.peak_pool_bytes);
  SetStat(args, &Args::peak_allocated_bytes, &Args::peak_allocated_bytes_is_set,
          stats.peak_allocated_bytes);
  return {};
}

Status Call(PJRT_Device_ClearMemoryStats_Args& args) {
  PLINTH_HANDLE(device, args, device);
  return device->ClearMemoryStats();
}

Status Call(PJRT_Device_PoisonExecution_Args& args) {
  PLINTH_HANDLE(device, args, device);
  using Args = PJRT_Device_PoisonExecution_Args;
  Status error;
  PLINTH_RETURN_IF_ERROR(
      ReadError("PJRT_Device_PoisonExecution", args.error_code, args.error_message,
                args.error_message_size, GetField(args, &Args::payload, nullptr),
                HasField(args, &Args::num_payload) ? args.num_payload : 0, error));
  PLINTH_ASSIGN_OR_RETURN(args.poisoned, device->PoisonExecution(args.launch_id, error));
  return {};
}

Status Call(PJRT_Device_GetAttributes_Args& args) {
  PLINTH_HANDLE(device, args, device);
  const NamedValueArray& attributes = device->description().attributes();
  args.attributes = attributes.data();
  args.num_attributes = attributes.size();
  args.device_attributes = new PJRT_Device_Attributes{&attributes};
  args.attributes_deleter = [](PJRT_Device_Attributes* holder) { delete holder; };
  return {};
}

Status Call(PJRT_Device_CreateAsyncTrackingEvent_Args& args) {
  PLINTH_HANDLE(device, args, device);
  PLINTH_ASSIGN_OR_RETURN(
      std::unique_ptr<AsyncTrackingEvent> event,
      device->CreateAsyncTrackingEvent(View(args.description, args.description_size)));
  if (event == nullptr) return Internal("the plugin made no tracking event and gave no error");
  device->core->Adopt(*event);
  args.event = ToC(event.release());
  return {};
}

Status Call(PJRT_AsyncTrackingEvent_Destroy_Args& args) {
  DestroyHandle(FromC(args.event));
  return {};
}

}  // namespace plinth::sdk::internal

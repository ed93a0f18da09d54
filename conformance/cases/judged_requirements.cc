// SPDX-License-Identifier: Apache-2.0
// What the cases that compare many answers check, beside what their own rows name.

#include <algorithm>

#include "conformance/cases/cases.h"

namespace plinth::conformance {
namespace {

struct Judged {
  const char* cases;  // what their names begin with
  const char* requirement;
};

constexpr Judged kJudged[] = {
    {"L0/table/attributes", "PJRT-Args-accepted"},
    {"L0/table/attributes", "PJRT-Args-output-true"},
    {"L1/judge/ahead_of_time", "PJRT-Client_Load-again"},
    {"L1/judge/ahead_of_time", "PJRT-Compile-same"},
    {"L1/judge/alias_size", "PJRT-Executable_GetCompiledMemoryStats-alias"},
    {"L1/judge/default_assignment", "PJRT-Client_DefaultDeviceAssignment-devices"},
    {"L1/judge/devices", "PJRT-Client_LookupAddressableDevice-found"},
    {"L1/judge/devices", "PJRT-Client_LookupDevice-found"},
    {"L1/judge/devices", "PJRT-Client_ProcessIndex-not-negative"},
    {"L1/judge/devices", "PJRT-DeviceDescription_DebugString-unique"},
    {"L1/judge/devices", "PJRT-DeviceDescription_Kind-named"},
    {"L1/judge/devices", "PJRT-DeviceDescription_ProcessIndex-addressable"},
    {"L1/judge/devices", "PJRT-Device_GetDescription-own"},
    {"L1/judge/devices", "PJRT-Device_LocalHardwareId-unique"},
    {"L1/judge/differences", "PJRT-Executable_GetCompileOptions-same"},
    {"L1/judge/loaded/", "PJRT-Executable_Serialize-lifetime"},
    {"L1/judge/made_topology", "PJRT-TopologyDescription_Fingerprint-equal"},
    {"L1/judge/made_topology", "PJRT-TopologyDescription_PlatformName-same"},
    {"L1/judge/memories", "PJRT-Client_AddressableMemories-all"},
    {"L1/judge/memories", "PJRT-Memory_AddressableByDevices-mutual"},
    {"L1/judge/memories", "PJRT-Memory_DebugString-unique"},
    {"L1/judge/memories", "PJRT-Memory_Id-unique"},
    {"L1/judge/memories", "PJRT-Memory_Kind_Id-kinds"},
    {"L1/judge/memory_stats", "PJRT-Device_ClearMemoryStats-peak"},
    {"L1/judge/memory_stats", "PJRT-Device_MemoryStats-in-use"},
    {"L1/judge/memory_stats", "PJRT-Device_MemoryStats-peak"},
    {"L1/judge/program/", "PJRT-Buffer_Device-asked-for"},
    {"L1/judge/program/", "PJRT-Buffer_Dimensions-asked-for"},
    {"L1/judge/program/", "PJRT-Buffer_DynamicDimensionIndices-static"},
    {"L1/judge/program/", "PJRT-Buffer_ElementType-asked-for"},
    {"L1/judge/program/", "PJRT-Buffer_GetMemoryLayout-order"},
    {"L1/judge/program/", "PJRT-Buffer_IsOnCpu-readable"},
    {"L1/judge/program/", "PJRT-Buffer_Memory-asked-for"},
    {"L1/judge/program/", "PJRT-Buffer_OnDeviceSizeInBytes-enough"},
    {"L1/judge/program/", "PJRT-Buffer_OpaqueDeviceMemoryDataPointer-contents"},
    {"L1/judge/program/", "PJRT-Buffer_UnpaddedDimensions-static"},
    {"L1/judge/program/", "PJRT-Buffer_UnsafePointer-same"},
    {"L1/judge/program/", "PJRT-Executable_GetCompiledMemoryStats-sizes"},
    {"L1/judge/program/", "PJRT-Executable_GetCostAnalysis-named"},
    {"L1/judge/program/", "PJRT-Executable_Name-program"},
    {"L1/judge/program/", "PJRT-Executable_NumPartitions-options"},
    {"L1/judge/program/", "PJRT-Executable_NumReplicas-options"},
    {"L1/judge/program/", "PJRT-Executable_ParameterMemoryKinds-program"},
    {"L1/judge/program/", "PJRT-LoadedExecutable_Fingerprint-same"},
    {"L1/judge/program/", "PJRT-LoadedExecutable_GetDeviceAssignment-options"},
    {"L1/judge/program/", "PJRT-LoadedExecutable_GetExecutable-independent"},
    {"L1/judge/program/", "PJRT-LoadedExecutable_IsDeleted-truth"},
    {"L1/judge/topology", "PJRT-Client_TopologyDescription-devices"},
    {"L1/judge/topology", "PJRT-TopologyDescription_Deserialize-same"},
    {"L1/judge/topology", "PJRT-TopologyDescription_Fingerprint-equal"},
    {"L1/judge/topology", "PJRT-TopologyDescription_GetMemorySpaceKindIds-all"},
    {"L1/judge/topology", "PJRT-TopologyDescription_PlatformName-same"},
    {"L1/form/kept_arguments", "PJRT-LoadedExecutable_Execute-not-donated"},
    {"L1/sweep/layout_of_uninitialized", "PJRT-Client_CreateUninitializedBuffer-asked-for"},
    {"L1/sweep/layout_of_view", "PJRT-Buffer_Device-asked-for"},
    {"L1/sweep/made_by_", "PJRT-Buffer_Device-asked-for"},
    {"L1/sweep/made_by_", "PJRT-Buffer_Dimensions-asked-for"},
    {"L1/sweep/made_by_", "PJRT-Buffer_DynamicDimensionIndices-static"},
    {"L1/sweep/made_by_", "PJRT-Buffer_ElementType-asked-for"},
    {"L1/sweep/made_by_", "PJRT-Buffer_GetMemoryLayout-order"},
    {"L1/sweep/made_by_", "PJRT-Buffer_IsOnCpu-readable"},
    {"L1/sweep/made_by_", "PJRT-Buffer_Memory-asked-for"},
    {"L1/sweep/made_by_", "PJRT-Buffer_OnDeviceSizeInBytes-enough"},
    {"L1/sweep/made_by_", "PJRT-Buffer_OpaqueDeviceMemoryDataPointer-contents"},
    {"L1/sweep/made_by_", "PJRT-Buffer_UnpaddedDimensions-static"},
    {"L1/sweep/made_by_", "PJRT-Buffer_UnsafePointer-same"},
    {"L1/sweep/made_by_bitcast", "PJRT-Buffer_Bitcast-same-bytes"},
    {"L1/sweep/made_by_bitcast", "PJRT-Buffer_IsDeleted-truth"},
    {"L1/sweep/made_by_donate", "PJRT-Buffer_DonateWithControlDependency-deletes"},
    {"L1/sweep/made_by_transfer_literal",
     "PJRT-AsyncHostToDeviceTransferManager_TransferLiteral-contents"},
    {"L1/sweep/made_by_transfer_manager",
     "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset"},
    {"L1/sweep/made_by_transfer_manager",
     "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for"},
    {"L1/sweep/made_by_uninitialized", "PJRT-Client_CreateUninitializedBuffer-asked-for"},
    {"L1/sweep/raw_to_host_future", "PJRT-Buffer_CopyRawToHostFuture-offset"},
    {"L1/sweep/upload", "PJRT-Buffer_Device-asked-for"},
    {"L1/sweep/upload", "PJRT-Buffer_Dimensions-asked-for"},
    {"L1/sweep/upload", "PJRT-Buffer_DynamicDimensionIndices-static"},
    {"L1/sweep/upload", "PJRT-Buffer_ElementType-asked-for"},
    {"L1/sweep/upload", "PJRT-Buffer_GetMemoryLayout-order"},
    {"L1/sweep/upload", "PJRT-Buffer_IsOnCpu-readable"},
    {"L1/sweep/upload", "PJRT-Buffer_Memory-asked-for"},
    {"L1/sweep/upload", "PJRT-Buffer_OnDeviceSizeInBytes-enough"},
    {"L1/sweep/upload", "PJRT-Buffer_OpaqueDeviceMemoryDataPointer-contents"},
    {"L1/sweep/upload", "PJRT-Buffer_UnpaddedDimensions-static"},
    {"L1/sweep/upload", "PJRT-Buffer_UnsafePointer-same"},
    {"L2/async_transfer/abandoned", "PJRT-AsyncHostToDeviceTransferManager_Destroy-unfinished"},
    {"L2/async_transfer/several_buffers",
     "PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes"},
    {"L2/async_transfer/several_buffers",
     "PJRT-AsyncHostToDeviceTransferManager_BufferSize-on-device"},
    {"L2/async_transfer/several_buffers", "PJRT-AsyncHostToDeviceTransferManager_Device-memory"},
    {"L2/async_transfer/several_buffers",
     "PJRT-AsyncHostToDeviceTransferManager_RetrieveBuffer-early"},
    {"L2/async_transfer/several_buffers",
     "PJRT-Client_CreateBuffersForAsyncHostToDevice-asked-for"},
    {"L2/async_transfer/several_buffers", "PJRT-Args-accepted"},
    {"L2/async_transfer/several_buffers", "PJRT-Args-input"},
    {"L2/event/destroy_keeps_callbacks", "PJRT-Event_Destroy-callbacks"},
    {"L2/event_order/", "PJRT-Event_Destroy-callbacks"},
    {"L1/error/payloads", "PJRT-Client_CreateErrorBuffer-carries"},
    {"L1/client/poison_nothing", "PJRT-Api-stub"},
    {"L1/judge/loaded/", "PJRT-Args-output-new"},
    {"L1/sweep/upload", "PJRT-Buffer_ReadyEvent-after"},
    {"L1/sweep/upload", "PJRT-Client_BufferFromHostBuffer-done"},
    {"L1/sweep/upload", "PJRT-Client_BufferFromHostBuffer-only-during-call"},
    {"L2/event_order/", "PJRT-Event_IsReady-monotone"},
    {"L3/execute/replicas", "PJRT-Args-accepted"},
    {"L2/event_order/alias/", "PJRT-Client_CreateAliasBuffer-waits"},
    {"L2/event_order/alias/", "PJRT-Client_FulfillAliasBuffer-error"},
    {"L2/event_order/created/", "PJRT-Event_Set-outcome"},
    {"L2/event_order/donated/", "PJRT-Buffer_DonateWithControlDependency-waits"},
    {"L2/event_order/every_code", "PJRT-Event_Set-outcome"},
    {"L2/event_order/raw_future/", "PJRT-Buffer_CopyRawToHostFuture-error"},
    {"L2/event_order/raw_future/", "PJRT-Args-output-true"},
    {"L2/lifetime/alias_fulfilled", "PJRT-Client_CreateAliasBuffer-waits"},
    {"L2/lifetime/donate_with_dependency", "PJRT-Buffer_DonateWithControlDependency-waits"},
    {"L2/order/views", "PJRT-Client_CreateViewOfDeviceBuffer-no-copy"},
    {"L2/order/zero_copy_done", "PJRT-Event_IsReady-monotone"},
    {"L2/process/clients_come_and_go", "PJRT-Client_Destroy-others"},
    {"L2/process/many_clients", "PJRT-Client_Destroy-others"},
    {"L3/execute/replicas", "PJRT-Args-output-true"},
    {"L3/execute/replicas", "PJRT-Executable_NumPartitions-options"},
    {"L3/execute/replicas", "PJRT-Executable_NumReplicas-options"},
    {"L3/judge/", "PJRT-LoadedExecutable_GetDeviceAssignment-options"},
};

}  // namespace

void AddJudgedRequirements(std::vector<Case>& cases) {
  for (Case& item : cases) {
    for (const Judged& row : kJudged) {
      if (!item.name.starts_with(row.cases)) continue;
      auto& known = item.requirements;
      if (std::find(known.begin(), known.end(), row.requirement) == known.end())
        known.emplace_back(row.requirement);
    }
  }
}

}  // namespace plinth::conformance

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_AFTER_FORK_H_
#define PLINTH_SDK_SRC_AFTER_FORK_H_

#include "sdk/src/functions.h"
#include "sdk/src/handles.h"

namespace plinth::sdk::internal {

// What a function does, in a child of the process, with a handle from before the fork. The child
// has none of the threads, and a lock that one of them held stays locked: only what needs neither
// is answered. Whatever makes something new is refused, and so are clients: who asks one of them is
// about to make something.
enum class AfterFork {
  kRefused,
  kReads,          // reads what never changes
  kReadsBuffer,    // enters the author's buffer, if Buffer::IsReadableAfterFork
  kReadsContents,  // the same, and the contents have to be there
  kReadsEvent,     // of an event that was ready
};

template <typename Args>
inline constexpr AfterFork kAfterFork = AfterFork::kRefused;

#define PLINTH_SDK_READ_AFTER_FORK(V)                           \
  V(PJRT_DeviceDescription_Id, kReads)                          \
  V(PJRT_DeviceDescription_ProcessIndex, kReads)                \
  V(PJRT_DeviceDescription_Attributes, kReads)                  \
  V(PJRT_DeviceDescription_Kind, kReads)                        \
  V(PJRT_DeviceDescription_DebugString, kReads)                 \
  V(PJRT_DeviceDescription_ToString, kReads)                    \
  V(PJRT_Device_GetDescription, kReads)                         \
  V(PJRT_Device_IsAddressable, kReads)                          \
  V(PJRT_Device_LocalHardwareId, kReads)                        \
  V(PJRT_Device_AddressableMemories, kReads)                    \
  V(PJRT_Device_DefaultMemory, kReads)                          \
  V(PJRT_Memory_Id, kReads)                                     \
  V(PJRT_Memory_Kind, kReads)                                   \
  V(PJRT_Memory_Kind_Id, kReads)                                \
  V(PJRT_Memory_DebugString, kReads)                            \
  V(PJRT_Memory_ToString, kReads)                               \
  V(PJRT_Memory_AddressableByDevices, kReads)                   \
  V(PJRT_Executable_Name, kReads)                               \
  V(PJRT_Executable_NumReplicas, kReads)                        \
  V(PJRT_Executable_NumPartitions, kReads)                      \
  V(PJRT_Executable_NumOutputs, kReads)                         \
  V(PJRT_Executable_SizeOfGeneratedCodeInBytes, kReads)         \
  V(PJRT_Executable_OutputElementTypes, kReads)                 \
  V(PJRT_Executable_OutputDimensions, kReads)                   \
  V(PJRT_Executable_OutputMemoryKinds, kReads)                  \
  V(PJRT_LoadedExecutable_GetExecutable, kReads)                \
  V(PJRT_LoadedExecutable_AddressableDevices, kReads)           \
  V(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, kReads)  \
  V(PJRT_LoadedExecutable_GetDeviceAssignment, kReads)          \
  V(PJRT_LoadedExecutable_IsDeleted, kReads)                    \
  V(PJRT_Buffer_ElementType, kReads)                            \
  V(PJRT_Buffer_Dimensions, kReads)                             \
  V(PJRT_Buffer_GetMemoryLayout, kReads)                        \
  V(PJRT_Layouts_PJRT_Buffer_MemoryLayout, kReads)              \
  V(PJRT_Buffer_Device, kReads)                                 \
  V(PJRT_Buffer_Memory, kReads)                                 \
  V(PJRT_Buffer_DecreaseExternalReferenceCount, kReads)         \
  V(PJRT_Buffer_UnpaddedDimensions, kReadsBuffer)               \
  V(PJRT_Buffer_DynamicDimensionIndices, kReadsBuffer)          \
  V(PJRT_Buffer_OnDeviceSizeInBytes, kReadsBuffer)              \
  V(PJRT_Buffer_IsOnCpu, kReadsBuffer)                          \
  V(PJRT_Buffer_IsDeleted, kReadsBuffer)                        \
  V(PJRT_Buffer_Delete, kReadsBuffer)                           \
  V(PJRT_Buffer_ReadyEvent, kReadsBuffer)                       \
  V(PJRT_Buffer_UnsafePointer, kReadsContents)                  \
  V(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, kReadsContents)  \
  V(PJRT_Buffer_IncreaseExternalReferenceCount, kReadsContents) \
  V(PJRT_Buffer_ToHostBuffer, kReadsContents)                   \
  V(PJRT_Buffer_CopyRawToHost, kReadsContents)                  \
  V(PJRT_Event_IsReady, kReadsEvent)                            \
  V(PJRT_Event_Error, kReadsEvent)                              \
  V(PJRT_Event_Await, kReadsEvent)                              \
  V(PJRT_Event_OnReady, kReadsEvent)

#define PLINTH_SDK_AFTER_FORK(function, rule) \
  template <>                                 \
  inline constexpr AfterFork kAfterFork<function##_Args> = AfterFork::rule;
PLINTH_SDK_READ_AFTER_FORK(PLINTH_SDK_AFTER_FORK)
#undef PLINTH_SDK_AFTER_FORK

// Whether the function that takes Args may use `handle`, which is from before a fork.
template <typename Args, typename Object>
bool IsUsableAfterFork(Object& handle) {
  constexpr AfterFork kRule = kAfterFork<Args>;
  if constexpr (kRule == AfterFork::kReads) return true;
  if constexpr (kRule == AfterFork::kReadsBuffer) return handle.IsReadableAfterFork();
  if constexpr (kRule == AfterFork::kReadsContents) {
    return handle.IsReadableAfterFork() && handle.ReadyEvent().IsReady();
  }
  if constexpr (kRule == AfterFork::kReadsEvent) return handle.event.IsReady();
  return false;
}

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_AFTER_FORK_H_

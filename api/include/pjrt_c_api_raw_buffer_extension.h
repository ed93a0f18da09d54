// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_RAW_BUFFER_EXTENSION_H_
#define PJRT_C_API_RAW_BUFFER_EXTENSION_H_

#include "pjrt_c_api.h"
#include "pjrt_c_api_device_event.h"

#ifdef __cplusplus
extern "C" {
#endif

// Untyped views of device memory. Experimental.
// Extension 8, PJRT_Extension_Type_RawBuffer.

#define PJRT_API_RAW_BUFFER_EXTENSION_VERSION 2

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_RawBuffer_FunctionTable PJRT_RawBuffer_FunctionTable;
typedef struct PJRT_RawBuffer PJRT_RawBuffer;

// How to use a raw buffer without knowing who made it. [since 0.112]
struct PJRT_RawBuffer_FunctionTable {
  size_t struct_size;
  // Size of the object that the table's maker uses for its head. [in, since 0.112]
  size_t instance_size;
  // Chain of extensions, as a rule null. [in, since 0.112]
  PJRT_Extension_Base* extension_start;
  // Counts one more owner. [in, since 0.112]
  void (*inc_ref)(PJRT_RawBuffer* raw_buffer);
  // Counts one owner less. [in, since 0.112]
  void (*dec_ref)(PJRT_RawBuffer* raw_buffer);
  // Gives the size on the device. [in, since 0.112]
  size_t (*get_on_device_size_in_bytes)(const PJRT_RawBuffer* raw_buffer);
  // Gives the memory that holds the bytes. [in, since 0.112]
  PJRT_Memory* (*get_memory_space)(const PJRT_RawBuffer* raw_buffer);
  // Gives the host's address of the bytes, or null. [in, since 0.112]
  void* (*get_host_pointer)(const PJRT_RawBuffer* raw_buffer);
  // Copies from the host after the given events; gives the event of the copy. [in, since 0.112]
  PJRT_Error* (*copy_raw_host_to_device_and_return_event)(PJRT_RawBuffer* raw_buffer, const void* src, int64_t offset, int64_t transfer_size, PJRT_DeviceEventVector* dependencies, PJRT_DeviceEvent* event);
  // Copies to the host after the given events; gives the event of the copy. [in, since 0.112]
  PJRT_Error* (*copy_raw_device_to_host_and_return_event)(PJRT_RawBuffer* raw_buffer, void* dst, int64_t offset, int64_t transfer_size, PJRT_DeviceEventVector* dependencies, PJRT_DeviceEvent* event);
  // Gives the device's address of the bytes. [in, since 0.112]
  void* (*opaque_device_memory_data_pointer)(const PJRT_RawBuffer* raw_buffer);
  // Gives the event that the allocation is ready. [in, since 0.112]
  PJRT_Error* (*make_allocation_ready_event)(PJRT_RawBuffer* raw_buffer, PJRT_DeviceEvent* event);
  // Gives the event that the raw buffer is ready. [in, since 0.112]
  PJRT_Error* (*get_raw_buffer_async_value)(PJRT_RawBuffer* raw_buffer, PJRT_DeviceEvent* event);
  // Tells whether the bytes may be written. [in, since 0.112]
  bool (*is_mutable)(const PJRT_RawBuffer* raw_buffer);
  // Makes a raw buffer of a part of the bytes. [in, since 0.113, if absent: null]
  PJRT_Error* (*slice)(PJRT_RawBuffer* raw_buffer, int64_t offset, int64_t slice_size, PJRT_RawBuffer** sliced_buffer);
  // Copies to another raw buffer once the given events are complete, then completes the promises.
  // [in, since 0.113, if absent: null]
  void (*schedule_copy_to)(PJRT_RawBuffer* src_buffer, PJRT_DeviceEventVector* transfer_dependency_events, PJRT_RawBuffer* dst_buffer, PJRT_DeviceEventPromise* definition_event_promise, PJRT_DeviceEventPromise* src_usage_event_promise, void (* allocation_event_callback)(PJRT_Error* status, void* user_data), void* allocation_event_user_data);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_FunctionTable, schedule_copy_to);

// The public head of a raw buffer. Never grows. [since 0.112]
struct PJRT_RawBuffer {
  // How to use this object. [in, since 0.112, lives for the call]
  const PJRT_RawBuffer_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer, vtable);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_RawBuffer_CreateRawAliasOfBuffer. [since 0.67]
struct PJRT_RawBuffer_CreateRawAliasOfBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.67]
  PJRT_Buffer* buffer;
  // The raw buffer. [out, since 0.67, freed by the caller: PJRT_RawBuffer_Destroy]
  PJRT_RawBuffer* raw_buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args, raw_buffer);

// Makes a raw view of a buffer's memory. [since 0.67, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RawBuffer_CreateRawAliasOfBuffer(
    PJRT_RawBuffer_CreateRawAliasOfBuffer_Args* args);

// Arguments of PJRT_RawBuffer_Destroy. [since 0.67]
struct PJRT_RawBuffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.67]
  PJRT_RawBuffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_Destroy_Args, buffer);

// Frees a raw buffer. [since 0.67, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_RawBuffer_Destroy(PJRT_RawBuffer_Destroy_Args* args);

// Arguments of PJRT_RawBuffer_GetHostPointer. [since 0.73]
struct PJRT_RawBuffer_GetHostPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.73]
  PJRT_RawBuffer* buffer;
  // The address, or null. [out, since 0.73, lives until: buffer]
  void* host_pointer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_GetHostPointer_Args, host_pointer);

// Gives the host's address of the bytes, or null. [since 0.73, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RawBuffer_GetHostPointer(PJRT_RawBuffer_GetHostPointer_Args* args);

// Arguments of PJRT_RawBuffer_GetOnDeviceSizeInBytes. [since 0.67]
struct PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.67]
  PJRT_RawBuffer* buffer;
  // The number of bytes. [out, since 0.67]
  size_t on_device_size_in_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args, on_device_size_in_bytes);

// Gives the size on the device. [since 0.67, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RawBuffer_GetOnDeviceSizeInBytes(
    PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args* args);

// Arguments of PJRT_RawBuffer_GetMemorySpace. [since 0.67]
struct PJRT_RawBuffer_GetMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.67]
  PJRT_RawBuffer* buffer;
  // The memory. [out, since 0.67, lives until: buffer]
  PJRT_Memory* memory_space;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_GetMemorySpace_Args, memory_space);

// Gives the memory that holds the bytes. [since 0.67, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RawBuffer_GetMemorySpace(PJRT_RawBuffer_GetMemorySpace_Args* args);

// Arguments of PJRT_RawBuffer_CopyRawDeviceToHost. [since 0.67]
struct PJRT_RawBuffer_CopyRawDeviceToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.67]
  PJRT_RawBuffer* buffer;
  // Where to write. [in, since 0.67]
  void* dst;
  // First byte on the device. [in, since 0.67]
  int64_t offset;
  // Number of bytes. [in, since 0.67]
  int64_t transfer_size;
  // The event. [out, since 0.67, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_CopyRawDeviceToHost_Args, event);

// Copies bytes to the host. [since 0.67, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RawBuffer_CopyRawDeviceToHost(
    PJRT_RawBuffer_CopyRawDeviceToHost_Args* args);

// Arguments of PJRT_RawBuffer_CopyRawHostToDevice. [since 0.67]
struct PJRT_RawBuffer_CopyRawHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.67]
  PJRT_RawBuffer* buffer;
  // Where to read. [in, since 0.67, lives for the call]
  const void* src;
  // First byte on the device. [in, since 0.67]
  int64_t offset;
  // Number of bytes. [in, since 0.67]
  int64_t transfer_size;
  // The event. [out, since 0.67, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_CopyRawHostToDevice_Args, event);

// Copies bytes from the host. [since 0.67, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RawBuffer_CopyRawHostToDevice(
    PJRT_RawBuffer_CopyRawHostToDevice_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Untyped views of device memory. Experimental. [since 0.67]
struct PJRT_RawBuffer_Extension {
  PJRT_Extension_Base base;
  // Makes a raw view of a buffer's memory. [since 0.67, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_RawBuffer_CreateRawAliasOfBuffer);
  // Frees a raw buffer. [since 0.67, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_RawBuffer_Destroy);
  // Gives the size on the device. [since 0.67, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_RawBuffer_GetOnDeviceSizeInBytes);
  // Gives the memory that holds the bytes. [since 0.67, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_RawBuffer_GetMemorySpace);
  // Copies bytes from the host. [since 0.67, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_RawBuffer_CopyRawHostToDevice);
  // Copies bytes to the host. [since 0.67, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_RawBuffer_CopyRawDeviceToHost);
  // Gives the host's address of the bytes, or null. [since 0.73, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_RawBuffer_GetHostPointer);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RawBuffer_Extension, PJRT_RawBuffer_GetHostPointer);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_RAW_BUFFER_EXTENSION_H_

// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_MEGASCALE_EXTENSION_H_
#define PJRT_C_API_MEGASCALE_EXTENSION_H_

#include "pjrt_c_api.h"
#include "pjrt_c_api_multi_slice_extension.h"

#ifdef __cplusplus
extern "C" {
#endif

// Connects several TPU slices over the data centre network.
// Extension 18, PJRT_Extension_Type_Megascale.

#define PJRT_API_MEGASCALE_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_Collectives PJRT_Collectives;
// A process's connection to the other slices. [since 0.90]
typedef struct PJRT_Megascale_ClientContext PJRT_Megascale_ClientContext;
// A collector of errors. [since 0.90]
typedef struct PJRT_Megascale_ErrorAggregator PJRT_Megascale_ErrorAggregator;
// A digest of errors. [since 0.90]
typedef struct PJRT_Megascale_ErrorDigest PJRT_Megascale_ErrorDigest;
// Reserved; its functions moved to the MultiSlice extension. [since 0.90]
typedef struct PJRT_Megascale_NumDevicesPerSlice PJRT_Megascale_NumDevicesPerSlice;
// Holds the addresses. [since 0.90]
typedef struct PJRT_Megascale_SerializedAddresses PJRT_Megascale_SerializedAddresses;
// Reserved; its functions moved to the MultiSlice extension. [since 0.90]
typedef struct PJRT_Megascale_SerializedConfig PJRT_Megascale_SerializedConfig;
// Holds the error. [since 0.90]
typedef struct PJRT_Megascale_SerializedError PJRT_Megascale_SerializedError;
typedef struct PJRT_Megascale_ProcessesInfo PJRT_Megascale_ProcessesInfo;

// Receives a serialized error of the run. [since 0.90]
// serialized_error: The error, serialized.
// serialized_error_size: The serialized error size.
// user_data: The data with its type.
typedef void (*PJRT_Megascale_ErrorHandler)(
    const char* serialized_error, size_t serialized_error_size, void* user_data);

// The addresses of the processes of a run. Never grows. [since 0.94]
struct PJRT_Megascale_ProcessesInfo {
  // Addresses of the processes. [in, since 0.94, length num_addresses, lives for the call]
  const char** addresses;
  // Bytes of each of `addresses`. [in, since 0.94, lives for the call]
  size_t* address_sizes;
  // Number of `addresses`. [in, since 0.94]
  size_t num_addresses;
  // Slice of each process. [in, since 0.94, length num_slice_indexes, lives for the call]
  int32_t* slice_indexes;
  // Number of `slice_indexes`. [in, since 0.94]
  size_t num_slice_indexes;
  // Index of each process within its slice. [in, since 0.94, length num_per_slice_indexes, lives
  // for the call]
  int32_t* per_slice_indexes;
  // Number of `per_slice_indexes`. [in, since 0.94]
  size_t num_per_slice_indexes;
  // Devices of one process. [in, since 0.94]
  int32_t num_devices_per_process;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ProcessesInfo, num_devices_per_process);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Megascale_CreateClientContextFromPjRtClient. [since 0.90]
struct PJRT_Megascale_CreateClientContextFromPjRtClient_Args {
  size_t struct_size;
  // The client. [in, since 0.90]
  PJRT_Client* client;
  // The context. [out, since 0.90, lives until: client]
  PJRT_Megascale_ClientContext* client_context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateClientContextFromPjRtClient_Args, client_context);

// Makes a context for a client. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_CreateClientContextFromPjRtClient(
    PJRT_Megascale_CreateClientContextFromPjRtClient_Args* args);

// Arguments of PJRT_Megascale_CreateDefaultClientContext. [since 0.90]
struct PJRT_Megascale_CreateDefaultClientContext_Args {
  size_t struct_size;
  // The context. [out, since 0.90, lives until: process]
  PJRT_Megascale_ClientContext* client_context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateDefaultClientContext_Args, client_context);

// Makes a context without a client. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_CreateDefaultClientContext(
    PJRT_Megascale_CreateDefaultClientContext_Args* args);

// Arguments of PJRT_Megascale_DeleteClientContext. [since 0.90]
struct PJRT_Megascale_DeleteClientContext_Args {
  size_t struct_size;
  // The context. [in, since 0.90]
  PJRT_Megascale_ClientContext* client_context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_DeleteClientContext_Args, client_context);

// Frees a context. [since 0.90, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_Megascale_DeleteClientContext(
    PJRT_Megascale_DeleteClientContext_Args* args);

// Arguments of PJRT_Megascale_CreateAoTConfig. [since 0.90]
struct PJRT_Megascale_CreateAoTConfig_Args {
  size_t struct_size;
  // The topology. [in, since 0.90]
  const PJRT_TopologyDescription* topology;
  // Number of slices. [in, since 0.90]
  int32_t num_slices;
  // How the program spreads over slices, or null. [out, since 0.90, lives until: topology]
  PJRT_MultiSlice_Config* multi_slice_config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateAoTConfig_Args, multi_slice_config);

// Makes a configuration for compiling without hardware. [since 0.90, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Megascale_CreateAoTConfig(PJRT_Megascale_CreateAoTConfig_Args* args);

// Arguments of PJRT_Megascale_CreateMultiSliceConfig. [since 0.90]
struct PJRT_Megascale_CreateMultiSliceConfig_Args {
  size_t struct_size;
  // The topology. [in, since 0.90]
  const PJRT_TopologyDescription* topology;
  // Number of slices. [in, since 0.90]
  int32_t num_slices;
  // This process's slice. [in, since 0.90]
  int32_t local_slice_id;
  // This host within its slice. [in, since 0.90]
  int32_t local_host_id;
  // Serialized addresses of the endpoints. [in, since 0.90, length endpoint_addresses_size, lives
  // for the call]
  const char* endpoint_addresses;
  // Bytes of `endpoint_addresses`. [in, since 0.90]
  int32_t endpoint_addresses_size;
  // Serialized description of the data centre network. [in, since 0.90, length dcn_topology_size,
  // lives for the call]
  const char* dcn_topology;
  // Bytes of `dcn_topology`. [in, since 0.90]
  int32_t dcn_topology_size;
  // The context. [in, since 0.90]
  PJRT_Megascale_ClientContext* client_context;
  // How the program spreads over slices, or null. [out, since 0.90, lives until: topology]
  PJRT_MultiSlice_Config* multi_slice_config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateMultiSliceConfig_Args, multi_slice_config);

// Makes a configuration for a run over several slices. [since 0.90, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Megascale_CreateMultiSliceConfig(
    PJRT_Megascale_CreateMultiSliceConfig_Args* args);

// Arguments of PJRT_Megascale_ClientContext_Initialize. [since 0.90]
struct PJRT_Megascale_ClientContext_Initialize_Args {
  size_t struct_size;
  // The context. [in, since 0.90]
  PJRT_Megascale_ClientContext* client_context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ClientContext_Initialize_Args, client_context);

// Connects the slices. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_ClientContext_Initialize(
    PJRT_Megascale_ClientContext_Initialize_Args* args);

// Arguments of PJRT_Megascale_ClientContext_UnblockPendingWork. [since 0.90]
struct PJRT_Megascale_ClientContext_UnblockPendingWork_Args {
  size_t struct_size;
  // The context. [in, since 0.90]
  PJRT_Megascale_ClientContext* client_context;
  // Identifies one launch over all processes; 0 for none. [in, since 0.90]
  int32_t launch_id;
  // How long later calls stay unblocked, in milliseconds. [in, since 0.90]
  int64_t expire_after_ms;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ClientContext_UnblockPendingWork_Args, expire_after_ms);

// Lets work that waits for a failed peer go on with an error. [since 0.90, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Megascale_ClientContext_UnblockPendingWork(
    PJRT_Megascale_ClientContext_UnblockPendingWork_Args* args);

// Arguments of PJRT_Megascale_ClientContext_MegascalePort. [since 0.90]
struct PJRT_Megascale_ClientContext_MegascalePort_Args {
  size_t struct_size;
  // The context. [in, since 0.90]
  PJRT_Megascale_ClientContext* client_context;
  // The port. [out, since 0.90]
  int32_t port;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ClientContext_MegascalePort_Args, port);

// Gives the port that the context listens on. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_ClientContext_MegascalePort(
    PJRT_Megascale_ClientContext_MegascalePort_Args* args);

// Arguments of PJRT_Megascale_CreateMegascaleCollectives. [since 0.94]
struct PJRT_Megascale_CreateMegascaleCollectives_Args {
  size_t struct_size;
  // The context. [in, since 0.94]
  PJRT_Megascale_ClientContext* client_context;
  // The processes of the run. [in, since 0.94, lives for the call]
  PJRT_Megascale_ProcessesInfo* processes_info;
  // Serialized description of the data centre network. [in, since 0.94, length dcn_topology_size,
  // lives for the call]
  const char* dcn_topology;
  // Bytes of `dcn_topology`. [in, since 0.94]
  size_t dcn_topology_size;
  // The collectives. [out, since 0.94, lives until: client_context]
  PJRT_Collectives* collectives;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_CreateMegascaleCollectives_Args, collectives);

// Makes collectives over the data centre network. [since 0.94, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_CreateMegascaleCollectives(
    PJRT_Megascale_CreateMegascaleCollectives_Args* args);

// Arguments of PJRT_Megascale_DeviceId_To_MegascaleId. [since 0.98]
struct PJRT_Megascale_DeviceId_To_MegascaleId_Args {
  size_t struct_size;
  // The slice. [in, since 0.98]
  int32_t slice_id;
  // The device within its slice. [in, since 0.98]
  int32_t per_slice_device_id;
  // Slice and device as one id. [out, since 0.98]
  int64_t megascale_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_DeviceId_To_MegascaleId_Args, megascale_id);

// Joins slice and device to one id. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_DeviceId_To_MegascaleId(
    PJRT_Megascale_DeviceId_To_MegascaleId_Args* args);

// Arguments of PJRT_Megascale_MegascaleId_To_DeviceId. [since 0.98]
struct PJRT_Megascale_MegascaleId_To_DeviceId_Args {
  size_t struct_size;
  // Slice and device as one id. [in, since 0.98]
  int64_t megascale_id;
  // The slice. [out, since 0.98]
  int32_t slice_id;
  // The device within its slice. [out, since 0.98]
  int32_t per_slice_device_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_MegascaleId_To_DeviceId_Args, per_slice_device_id);

// Splits an id into slice and device. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_MegascaleId_To_DeviceId(
    PJRT_Megascale_MegascaleId_To_DeviceId_Args* args);

// Arguments of PJRT_Megascale_RegisterErrorHandler. [since 0.98]
struct PJRT_Megascale_RegisterErrorHandler_Args {
  size_t struct_size;
  // Name of the handler. [in, since 0.98, length handler_name_size, lives for the call]
  const char* handler_name;
  // Bytes of `handler_name`. [in, since 0.98]
  size_t handler_name_size;
  // The handler. [in, since 0.98]
  PJRT_Megascale_ErrorHandler handler;
  // The data with its type. [in, since 0.98]
  void* user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_RegisterErrorHandler_Args, user_data);

// Registers a handler of errors under a name. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_RegisterErrorHandler(
    PJRT_Megascale_RegisterErrorHandler_Args* args);

// Arguments of PJRT_Megascale_UnregisterErrorHandler. [since 0.98]
struct PJRT_Megascale_UnregisterErrorHandler_Args {
  size_t struct_size;
  // Name of the handler. [in, since 0.98, length handler_name_size, lives for the call]
  const char* handler_name;
  // Bytes of `handler_name`. [in, since 0.98]
  size_t handler_name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_UnregisterErrorHandler_Args, handler_name_size);

// Removes a handler of errors. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_UnregisterErrorHandler(
    PJRT_Megascale_UnregisterErrorHandler_Args* args);

// Arguments of PJRT_Megascale_ErrorAggregator_Create. [since 0.98]
struct PJRT_Megascale_ErrorAggregator_Create_Args {
  size_t struct_size;
  // Kind of the application. [in, since 0.98, length app_type_size, lives for the call]
  const char* app_type;
  // Bytes of `app_type`. [in, since 0.98]
  size_t app_type_size;
  // The collector. [out, since 0.98, lives until: process]
  PJRT_Megascale_ErrorAggregator* aggregator;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Create_Args, aggregator);

// Makes a collector of errors. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Create(
    PJRT_Megascale_ErrorAggregator_Create_Args* args);

// Arguments of PJRT_Megascale_ErrorAggregator_Delete. [since 0.98]
struct PJRT_Megascale_ErrorAggregator_Delete_Args {
  size_t struct_size;
  // The collector. [in, since 0.98]
  PJRT_Megascale_ErrorAggregator* aggregator;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Delete_Args, aggregator);

// Frees a collector of errors. [since 0.98, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Delete(
    PJRT_Megascale_ErrorAggregator_Delete_Args* args);

// Arguments of PJRT_Megascale_ErrorDigest_Delete. [since 0.98]
struct PJRT_Megascale_ErrorDigest_Delete_Args {
  size_t struct_size;
  // The digest. [in, since 0.98]
  PJRT_Megascale_ErrorDigest* digest;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorDigest_Delete_Args, digest);

// Frees a digest of errors. [since 0.98, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_Megascale_ErrorDigest_Delete(PJRT_Megascale_ErrorDigest_Delete_Args* args);

// Arguments of PJRT_Megascale_ErrorAggregator_AddError. [since 0.98]
struct PJRT_Megascale_ErrorAggregator_AddError_Args {
  size_t struct_size;
  // The collector. [in, since 0.98]
  PJRT_Megascale_ErrorAggregator* aggregator;
  // The worker. [in, since 0.98, length worker_id_size, lives for the call]
  const char* worker_id;
  // Bytes of `worker_id`. [in, since 0.98]
  size_t worker_id_size;
  // The error, serialized. [in, since 0.98, length serialized_error_size, lives for the call]
  const char* serialized_error;
  // Bytes of `serialized_error`. [in, since 0.98]
  size_t serialized_error_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_AddError_Args, serialized_error_size);

// Adds the error of one worker. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_AddError(
    PJRT_Megascale_ErrorAggregator_AddError_Args* args);

// Arguments of PJRT_Megascale_ErrorAggregator_ProcessAndShutdown. [since 0.98]
struct PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args {
  size_t struct_size;
  // The collector. [in, since 0.98]
  PJRT_Megascale_ErrorAggregator* aggregator;
  // The digest. [out, since 0.98, lives until: aggregator]
  PJRT_Megascale_ErrorDigest* digest;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args, digest);

// Closes the collector and gives a digest of its errors. [since 0.98, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_ProcessAndShutdown(
    PJRT_Megascale_ErrorAggregator_ProcessAndShutdown_Args* args);

// Arguments of PJRT_Megascale_ErrorAggregator_LogErrorDigest. [since 0.98]
struct PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args {
  size_t struct_size;
  // The collector. [in, since 0.98]
  PJRT_Megascale_ErrorAggregator* aggregator;
  // The digest. [in, since 0.98]
  PJRT_Megascale_ErrorDigest* digest;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args, digest);

// Logs a digest. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_LogErrorDigest(
    PJRT_Megascale_ErrorAggregator_LogErrorDigest_Args* args);

// Arguments of PJRT_Megascale_ErrorAggregator_Size. [since 0.98]
struct PJRT_Megascale_ErrorAggregator_Size_Args {
  size_t struct_size;
  // The collector. [in, since 0.98]
  PJRT_Megascale_ErrorAggregator* aggregator;
  // Number of bytes. [out, since 0.98]
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Size_Args, size);

// Gives the number of errors collected. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Size(
    PJRT_Megascale_ErrorAggregator_Size_Args* args);

// Arguments of PJRT_Megascale_ErrorAggregator_Active. [since 0.98]
struct PJRT_Megascale_ErrorAggregator_Active_Args {
  size_t struct_size;
  // The collector. [in, since 0.98]
  PJRT_Megascale_ErrorAggregator* aggregator;
  // True while errors are taken. [out, since 0.98]
  bool active;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_ErrorAggregator_Active_Args, active);

// Tells whether the collector takes errors. [since 0.98, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_ErrorAggregator_Active(
    PJRT_Megascale_ErrorAggregator_Active_Args* args);

// Arguments of PJRT_Megascale_GetInterfaceAddressesHelper. [since 0.101]
struct PJRT_Megascale_GetInterfaceAddressesHelper_Args {
  size_t struct_size;
  // Name of the port. [in, since 0.101, length megascale_port_name_size, lives for the call]
  const char* megascale_port_name;
  // Bytes of `megascale_port_name`. [in, since 0.101]
  size_t megascale_port_name_size;
  // The port. [in, since 0.101]
  int32_t megascale_port;
  // Names with which the interfaces wanted begin. [in, since 0.101, length num_interface_prefixes,
  // lives for the call]
  const char** interface_prefixes;
  // Bytes of each of `interface_prefixes`. [in, since 0.101, lives for the call]
  const size_t* interface_prefixes_sizes;
  // Number of `interface_prefixes`. [in, since 0.101]
  size_t num_interface_prefixes;
  // True to list every interface. [in, since 0.101]
  bool use_all_interfaces;
  // True to list only interfaces near this process's memory. [in, since 0.101]
  bool limit_to_process_numa_local_interfaces;
  // The addresses, serialized. [out, since 0.101, length serialized_addresses_sizes, lives until:
  // addresses_deleter(addresses)]
  const char** serialized_addresses;
  // Bytes of each of `serialized_addresses`. [out, since 0.101, lives until:
  // addresses_deleter(addresses)]
  size_t* serialized_addresses_sizes;
  // Number of `addresses`. [out, since 0.101]
  size_t num_addresses;
  // Addresses of the processes. [out, since 0.101, length num_addresses, freed by the caller:
  // addresses_deleter]
  PJRT_Megascale_SerializedAddresses* addresses;
  // Frees the holder; called once. [out, since 0.101]
  void (*addresses_deleter)(PJRT_Megascale_SerializedAddresses* ptr);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_GetInterfaceAddressesHelper_Args, addresses_deleter);

// Lists the addresses of this host's network interfaces. [since 0.101, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Megascale_GetInterfaceAddressesHelper(
    PJRT_Megascale_GetInterfaceAddressesHelper_Args* args);

// Arguments of PJRT_Megascale_GetOrCreateRuntimeError. [since 0.103]
struct PJRT_Megascale_GetOrCreateRuntimeError_Args {
  size_t struct_size;
  // Kind of the error. [in, since 0.103]
  int32_t error_type;
  // When it happened, in nanoseconds. [in, since 0.103]
  int64_t start_time_nanos;
  // Code of the status. [in, since 0.103]
  int32_t status_code;
  // Text of the status. [in, since 0.103, length status_message_size, lives for the call]
  const char* status_message;
  // Bytes of `status_message`. [in, since 0.103]
  size_t status_message_size;
  // Identifies one launch over all processes; 0 for none. [in, since 0.103]
  int32_t launch_id;
  // True if `unrecoverable_error_type` is set. [in, since 0.103]
  bool has_unrecoverable_error_type;
  // Kind of the unrecoverable error. [in, since 0.103]
  int32_t unrecoverable_error_type;
  // The error, serialized. [out, since 0.103, length serialized_error_size, lives until:
  // error_deleter(error)]
  const char* serialized_error;
  // Bytes of `serialized_error`. [out, since 0.103]
  size_t serialized_error_size;
  // True if it was made now. [out, since 0.103]
  bool is_new_error;
  // Holds the result. [out, since 0.103, freed by the caller: error_deleter]
  PJRT_Megascale_SerializedError* error;
  // Frees the holder; called once. [out, since 0.103]
  void (*error_deleter)(PJRT_Megascale_SerializedError* ptr);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_GetOrCreateRuntimeError_Args, error_deleter);

// Gives the error of the run, made from the arguments if there is none yet. [since 0.103, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Megascale_GetOrCreateRuntimeError(
    PJRT_Megascale_GetOrCreateRuntimeError_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Connects several TPU slices over the data centre network. [since 0.90]
struct PJRT_Megascale_Extension {
  PJRT_Extension_Base base;
  // Makes a context for a client. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_CreateClientContextFromPjRtClient* create_client_context_from_pjrt_client;
  // Makes a context without a client. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_CreateDefaultClientContext* create_default_client_context;
  // Frees a context. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_DeleteClientContext* delete_client_context;
  // Makes a configuration for compiling without hardware. [since 0.90, answers UNIMPLEMENTED if
  // absent]
  PJRT_Megascale_CreateAoTConfig* create_aot_config;
  // Makes a configuration for a run over several slices. [since 0.90, answers UNIMPLEMENTED if
  // absent]
  PJRT_Megascale_CreateMultiSliceConfig* create_multi_slice_config;
  // Slot that is no longer used. [since 0.90, null if absent]
  void* delete_multi_slice_config;
  // Slot that is no longer used. [since 0.90, null if absent]
  void* multi_slice_config_num_slices;
  // Slot that is no longer used. [since 0.90, null if absent]
  void* multi_slice_config_slice_id;
  // Slot that is no longer used. [since 0.90, null if absent]
  void* multi_slice_config_get_num_devices_per_slice;
  // Slot that is no longer used. [since 0.90, null if absent]
  void* multi_slice_config_serialize;
  // Connects the slices. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ClientContext_Initialize* client_context_initialize;
  // Lets work that waits for a failed peer go on with an error. [since 0.90, answers UNIMPLEMENTED
  // if absent]
  PJRT_Megascale_ClientContext_UnblockPendingWork* client_context_unblock_pending_work;
  // Gives the port that the context listens on. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ClientContext_MegascalePort* client_context_megascale_port;
  // Makes collectives over the data centre network. [since 0.94, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_CreateMegascaleCollectives* create_megascale_collectives;
  // Joins slice and device to one id. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_DeviceId_To_MegascaleId* device_id_to_megascale_id;
  // Splits an id into slice and device. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_MegascaleId_To_DeviceId* megascale_id_to_device_id;
  // Registers a handler of errors under a name. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_RegisterErrorHandler* register_megascale_error_handler;
  // Removes a handler of errors. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_UnregisterErrorHandler* unregister_megascale_error_handler;
  // Makes a collector of errors. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ErrorAggregator_Create* error_aggregator_create;
  // Frees a collector of errors. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ErrorAggregator_Delete* error_aggregator_delete;
  // Frees a digest of errors. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ErrorDigest_Delete* error_digest_delete;
  // Adds the error of one worker. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ErrorAggregator_AddError* error_aggregator_add_error;
  // Closes the collector and gives a digest of its errors. [since 0.98, answers UNIMPLEMENTED if
  // absent]
  PJRT_Megascale_ErrorAggregator_ProcessAndShutdown* error_aggregator_process_and_shutdown;
  // Logs a digest. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ErrorAggregator_LogErrorDigest* error_aggregator_log_error_digest;
  // Gives the number of errors collected. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ErrorAggregator_Size* error_aggregator_size;
  // Tells whether the collector takes errors. [since 0.98, answers UNIMPLEMENTED if absent]
  PJRT_Megascale_ErrorAggregator_Active* error_aggregator_active;
  // Lists the addresses of this host's network interfaces. [since 0.101, answers UNIMPLEMENTED if
  // absent]
  PJRT_Megascale_GetInterfaceAddressesHelper* get_interface_addresses_helper;
  // Gives the error of the run, made from the arguments if there is none yet. [since 0.103, answers
  // UNIMPLEMENTED if absent]
  PJRT_Megascale_GetOrCreateRuntimeError* get_or_create_runtime_error;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Megascale_Extension, get_or_create_runtime_error);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_MEGASCALE_EXTENSION_H_

// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_
#define PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sends and receives buffers between processes. Upstream's header is C++; here its two wrapper
// types are the integers that they wrap.
// Extension 12, PJRT_Extension_Type_CrossHostTransfers.

#define PJRT_API_CROSS_HOST_TRANSFERS_EXTENSION_VERSION 6

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_Transfers_CrossHostRecvNotifierInfo PJRT_Transfers_CrossHostRecvNotifierInfo;
typedef struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo PJRT_Transfers_CrossHostRemoteSendCallbackInfo;

// Tells how a cancellation went. [since 0.74]
// error: The error.
// user_arg: Passed on, untouched.
typedef void (*PJRT_Transfers_CrossHostOnCanceledCallback)(PJRT_Error* error, void* user_arg);

// Cancels a transfer that the receiver announced. [since 0.74]
// serialized_descriptor: The descriptor.
// serialized_descriptor_size: Bytes of the descriptor.
// reason: Code of the reason.
// error_message: Text of the error; lives for the call.
// error_message_size: Bytes of `error_message`.
// on_canceled: Called when the transfer has been cancelled.
// on_canceled_user_arg: Passed to `on_canceled`.
// user_arg: Passed on, untouched.
typedef void (*PJRT_Transfers_CrossHostSendCancelNotifier)(
    const char* serialized_descriptor, size_t serialized_descriptor_size, PJRT_Error_Code reason,
    const char* error_message, size_t error_message_size, PJRT_Transfers_CrossHostOnCanceledCallback
    on_canceled, void* on_canceled_user_arg, void* user_arg);

// Receives the descriptors of buffers that wait for data. [since 0.74]
// error: The error.
// serialized_descriptors: Descriptor of each buffer.
// descriptors_sizes: Bytes of each descriptor.
// num_descriptors: Number of descriptors.
// user_arg: Passed on, untouched.
// cancel_notifier: Cancels the transfer.
// cancel_notifier_user_arg: Passed to `cancel_notifier`.
typedef void (*PJRT_Transfers_CrossHostRecvNotifier)(
    PJRT_Error* error, const char** serialized_descriptors, size_t* descriptors_sizes, size_t
    num_descriptors, void* user_arg, PJRT_Transfers_CrossHostSendCancelNotifier cancel_notifier,
    void* cancel_notifier_user_arg);

// Tells how a transfer to a remote device went. [since 0.74]
// error: The error.
// sends_were_enqueued: True if the sends were started.
// user_arg: Passed on, untouched.
typedef void (*PJRT_Transfers_CrossHostRemoteSendCallback)(
    PJRT_Error* error, bool sends_were_enqueued, void* user_arg);

// Frees a descriptor. [since 0.74]
// descriptor_data: Bytes of the descriptor.
// descriptor_size: Size of the descriptor.
typedef void (*PJRT_Transfers_DescriptorDestructor)(
    char** descriptor_data, size_t* descriptor_size);

// A notifier with its argument. Never grows. [since 0.74]
struct PJRT_Transfers_CrossHostRecvNotifierInfo {
  // Passed on, untouched. [in, since 0.74, may be null]
  void* user_arg;
  // Receives the descriptors. [in, since 0.74]
  PJRT_Transfers_CrossHostRecvNotifier notifier;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRecvNotifierInfo, notifier);

// A callback with its argument. Never grows. [since 0.81]
struct PJRT_Transfers_CrossHostRemoteSendCallbackInfo {
  // Passed on, untouched. [in, since 0.81, may be null]
  void* user_arg;
  // Called when the transfer is over. [in, since 0.81]
  PJRT_Transfers_CrossHostRemoteSendCallback on_done;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_CrossHostRemoteSendCallbackInfo, on_done);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Transfers_PJRT_Client_CrossHostSendBuffers. [since 0.81]
struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.81]
  PJRT_Client* client;
  // Number of `buffers`. [in, since 0.81]
  size_t num_buffers;
  // The buffers. [in, since 0.81, length num_buffers, lives for the call]
  PJRT_Buffer** buffers;
  // Receiving device of each buffer. [in, since 0.81, lives for the call]
  const int32_t* dst_global_device_ids;
  // Key of each transfer; the same on both sides. [in, since 0.81, lives for the call]
  const int64_t* transfer_keys;
  // Room for one event for each buffer; completes when it is sent. [inout, since 0.81]
  PJRT_Event** send_events;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, send_events);

// Sends buffers to devices of other processes, matched by key. [since 0.81, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostSendBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args* args);

// Arguments of PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers. [since 0.81]
struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.81]
  PJRT_Client* client;
  // Number of arrays. [in, since 0.81]
  size_t num_shapes;
  // Number of dimensions of each array. [in, since 0.81, lives for the call]
  size_t* shape_num_dims;
  // Dimensions of each array. [in, since 0.81, lives for the call]
  const int64_t** num_dims;
  // Element type of each array. [in, since 0.81, lives for the call]
  PJRT_Buffer_Type* element_types;
  // One layout for each, owned by the executable: the caller does not free them. [in, since 0.81,
  // lives for the call]
  PJRT_Buffer_MemoryLayout** layouts;
  // The device. [in, since 0.81]
  PJRT_Device* device;
  // Sending device of each array. [in, since 0.81, lives for the call]
  const int32_t* src_global_device_ids;
  // Key of each transfer; the same on both sides. [in, since 0.81, lives for the call]
  const int64_t* transfer_keys;
  // The buffers. [out, since 0.81, lives until: client]
  PJRT_Buffer** buffers;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, buffers);

// Receives buffers from devices of other processes, matched by key. [since 0.81, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args* args);

// Arguments of PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers. [since 0.74]
struct PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.74]
  PJRT_Client* client;
  // Number of arrays. [in, since 0.74]
  size_t num_shapes;
  // Number of dimensions of each array. [in, since 0.74, lives for the call]
  size_t* shape_num_dims;
  // Dimensions of each array. [in, since 0.74, lives for the call]
  const int64_t** num_dims;
  // Element type of each array. [in, since 0.74, lives for the call]
  PJRT_Buffer_Type* element_types;
  // One layout for each, owned by the executable: the caller does not free them. [in, since 0.74,
  // lives for the call]
  PJRT_Buffer_MemoryLayout** layouts;
  // The device. [in, since 0.74]
  PJRT_Device* device;
  // Receives the descriptors. [in, since 0.74]
  PJRT_Transfers_CrossHostRecvNotifierInfo notifier;
  // The buffers. [out, since 0.74, length num_buffers, lives until: client]
  PJRT_Buffer** buffers;
  // Number of `buffers`. [out, since 0.74]
  size_t num_buffers;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args, num_buffers);

// Makes buffers that will be received, and tells a notifier what the sender needs to know. [since
// 0.74, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers(
    PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers_Args* args);

// Arguments of PJRT_Buffer_CopyToRemoteDevice. [since 0.74]
struct PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.74]
  PJRT_Buffer* buffer;
  // The event. [in, since 0.90, if absent: null]
  PJRT_Event* event;
  // The descriptor. [in, since 0.90, length serialized_descriptor_size, lives for the call, if
  // absent: null]
  char** serialized_descriptor;
  // Bytes of the descriptor. [in, since 0.90, lives for the call, if absent: null]
  size_t* serialized_descriptor_size;
  // Called when the transfer is over. [in, since 0.90, if absent: 0]
  PJRT_Transfers_CrossHostRemoteSendCallbackInfo on_done;
  // Frees the descriptor. [in, since 0.104, if absent: null]
  PJRT_Transfers_DescriptorDestructor descriptor_destructor;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args, descriptor_destructor);

// Sends a buffer to the maker of the descriptor. [since 0.74, answers UNIMPLEMENTED if absent]
typedef void PJRT_Buffer_CopyToRemoteDevice(
    PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Sends and receives buffers between processes. Upstream's header is C++; here its
// two wrapper types are the integers that they wrap. [since 0.74]
struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  // Makes buffers that will be received, and tells a notifier what the sender needs to know. [since
  // 0.74, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers);
  // Sends a buffer to the maker of the descriptor. [since 0.74, answers UNIMPLEMENTED if absent]
  PJRT_Buffer_CopyToRemoteDevice* PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice;
  // Receives buffers from devices of other processes, matched by key. [since 0.81, answers
  // UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers);
  // Sends buffers to devices of other processes, matched by key. [since 0.81, answers UNIMPLEMENTED
  // if absent]
  PJRT_API_SLOT(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_PJRT_Client_CrossHostSendBuffers);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_CROSS_HOST_TRANSFERS_EXTENSION_H_

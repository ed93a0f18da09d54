// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_DEVICE_EVENT_H_
#define PJRT_C_API_DEVICE_EVENT_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Events of the device, shared by raw buffers and others. Not an extension by itself.

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_DeviceEvent_FunctionTable PJRT_DeviceEvent_FunctionTable;
typedef struct PJRT_DeviceEvent PJRT_DeviceEvent;
typedef struct PJRT_DeviceEventVector PJRT_DeviceEventVector;
typedef struct PJRT_DeviceEventPromise_FunctionTable PJRT_DeviceEventPromise_FunctionTable;
typedef struct PJRT_DeviceEventPromise PJRT_DeviceEventPromise;

// State of a device event. [since 0.104]
typedef enum {
  // Not complete. [since 0.104]
  PJRT_DeviceEvent_State_Unavailable = 0,
  // Complete. [since 0.104]
  PJRT_DeviceEvent_State_Ready = 1,
  // Failed. [since 0.104]
  PJRT_DeviceEvent_State_Error = 2
} PJRT_DeviceEvent_State;

// Runs when a device event completes. [since 0.104]
// user_arg: Passed on, untouched.
typedef void (*PJRT_DeviceEvent_AndThen)(void* user_arg);

// How to use a device event without knowing who made it. [since 0.104]
struct PJRT_DeviceEvent_FunctionTable {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Counts one more owner. [in, since 0.104]
  void (*inc_ref)(void* device_event);
  // Counts one owner less. [in, since 0.104]
  void (*dec_ref)(void* device_event);
  // Calls a function when the event completes. [in, since 0.104]
  void (*and_then)(void* device_event, PJRT_DeviceEvent_AndThen callback, void* user_arg);
  // Gives code and text if the event failed; 0 otherwise. [in, since 0.104]
  int (*get_error_if_present)(void* device_event, PJRT_Error_Code* code, const char** message, size_t* message_size);
  // The table that this one extends, or null. [in, since 0.106, if absent: null]
  const PJRT_DeviceEvent_FunctionTable* parent;
  // Gives the state. [in, since 0.106, if absent: null]
  PJRT_DeviceEvent_State (*get_state)(void* device_event);
  // Gives the stream that completes the event, and an id on it. [in, since 0.108, if absent: null]
  intptr_t (*get_definition_stream)(void* device_event, uint64_t* sequence_number);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEvent_FunctionTable, get_definition_stream);

// A device event: its functions and the object that they take. Never grows. [since 0.104]
struct PJRT_DeviceEvent {
  // How to use this object. [in, since 0.104, lives for the call]
  const PJRT_DeviceEvent_FunctionTable* vtable;
  // The object that the functions take. [in, since 0.104]
  void* device_event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEvent, device_event);

// Device events that grow as a vector does. Never grows. [since 0.113]
struct PJRT_DeviceEventVector {
  // The data. [in, since 0.113, lives for the call]
  PJRT_DeviceEvent* data;
  // Number of bytes. [in, since 0.113]
  size_t size;
  // Number of events that there is room for. [in, since 0.113]
  size_t capacity;
  // Frees the array. [in, since 0.113]
  void (*destroy)(PJRT_DeviceEvent* data);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEventVector, destroy);

// How to use a promise without knowing who made it. [since 0.111]
struct PJRT_DeviceEventPromise_FunctionTable {
  size_t struct_size;
  // Size of the object that the table's maker uses for its head. [in, since 0.111]
  size_t instance_size;
  // Chain of extensions, as a rule null. [in, since 0.111]
  PJRT_Extension_Base* extension_start;
  // Counts one more owner. [in, since 0.111]
  void (*inc_ref)(PJRT_DeviceEventPromise* promise);
  // Counts one owner less. [in, since 0.111]
  void (*dec_ref)(PJRT_DeviceEventPromise* promise);
  // The event. [in, since 0.111]
  PJRT_DeviceEvent (*event)(PJRT_DeviceEventPromise* promise);
  // Makes the event follow another one. [in, since 0.111]
  void (*set)(PJRT_DeviceEventPromise* promise, PJRT_DeviceEvent event);
  // Completes the event with an error. [in, since 0.111]
  void (*set_error)(PJRT_DeviceEventPromise* promise, PJRT_Error* error);
  // Completes the event. [in, since 0.111]
  void (*set_ready)(PJRT_DeviceEventPromise* promise);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEventPromise_FunctionTable, set_ready);

// What completes a device event later. Never grows. [since 0.111]
struct PJRT_DeviceEventPromise {
  // How to use this object. [in, since 0.111, lives for the call]
  const PJRT_DeviceEventPromise_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceEventPromise, vtable);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_DEVICE_EVENT_H_

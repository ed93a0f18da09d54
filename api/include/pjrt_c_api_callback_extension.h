// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_CALLBACK_EXTENSION_H_
#define PJRT_C_API_CALLBACK_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers callbacks for events of the platform. Upstream's header is C++; the layout is C.
// Extension 14, PJRT_Extension_Type_Callback.

#define PJRT_API_CALLBACK_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_Callback_Tpu_SliceBuilderArgs PJRT_Callback_Tpu_SliceBuilderArgs;
typedef struct PJRT_Callback_PrefatalArgs PJRT_Callback_PrefatalArgs;

// Kind of an event of the platform. [since 0.77]
typedef enum {
  // No kind. [since 0.77]
  PJRT_Callback_Type_Unknown = 0,
  // A slice failed. [since 0.77]
  PJRT_Callback_Type_Tpu_SliceBuilder = 1,
  // The process is about to end because of an error. [since 0.77]
  PJRT_Callback_Type_Prefatal = 2
} PJRT_Callback_Type;

// Why a slice failed. [since 0.77]
typedef enum {
  // Not known. [since 0.77]
  SLICE_FAILURE_UNKNOWN = 0,
  // Setting the slice up failed. [since 0.77]
  SLICE_FAILURE_INIT_ERROR = 1,
  // A worker is gone. [since 0.77]
  SLICE_FAILURE_WORKER_UNAVAILABLE = 2,
  // A task restarts again and again. [since 0.77]
  SLICE_FAILURE_FLAPPING_TASK_ERROR = 3,
  // Failure injected by software. [since 0.77]
  SLICE_FAILURE_SW_INJECT_ERROR = 4,
  // The driver of a chip reports an error. [since 0.77]
  SLICE_FAILURE_CHIP_DRIVER_ERROR = 5
} PJRT_Callback_Tpu_SliceFailureType;

// What is called when the event happens. [since 0.77]
// args: The arguments.
// user_arg: Passed on, untouched.
typedef void PJRT_Callback_Function(void* args, void* user_arg);

// What a slice builder event carries. [since 0.77]
struct PJRT_Callback_Tpu_SliceBuilderArgs {
  size_t struct_size;
  // Why the slice failed. [in, since 0.77]
  PJRT_Callback_Tpu_SliceFailureType failure_type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_Tpu_SliceBuilderArgs, failure_type);

// What a prefatal event carries. [since 0.77]
struct PJRT_Callback_PrefatalArgs {
  size_t struct_size;
  // Code of the error; OK for success where that is allowed. [in, since 0.77]
  PJRT_Error_Code error_code;
  // Text of the error; lives for the call. [in, since 0.77, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.77]
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_PrefatalArgs, error_message_size);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Register_Callback. [since 0.77]
struct PJRT_Callback_RegisterCallback_Args {
  size_t struct_size;
  // The client. [in, since 0.77]
  PJRT_Client* client;
  // Which kind. [in, since 0.77]
  PJRT_Callback_Type type;
  // The function to call. [in, since 0.77, lives for the call]
  PJRT_Callback_Function* callback;
  // Passed on, untouched. [in, since 0.77, may be null]
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_RegisterCallback_Args, user_arg);

// Registers a callback for one kind of event. [since 0.77, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Register_Callback(PJRT_Callback_RegisterCallback_Args* args);

// Arguments of PJRT_Callback_InvokeCallback. [since 0.77]
struct PJRT_Callback_InvokeCallback_Args {
  size_t struct_size;
  // The client. [in, since 0.77]
  PJRT_Client* client;
  // Which kind. [in, since 0.77]
  PJRT_Callback_Type type;
  // The arguments. [in, since 0.77]
  void* args;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_InvokeCallback_Args, args);

// Calls the registered callbacks of one kind, on the calling thread. [since 0.77, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Callback_InvokeCallback(PJRT_Callback_InvokeCallback_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Registers callbacks for events of the platform. Upstream's header is C++; the
// layout is C. [since 0.77]
struct PJRT_Callback_Extension {
  PJRT_Extension_Base base;
  // Registers a callback for one kind of event. [since 0.77, answers UNIMPLEMENTED if absent]
  PJRT_Register_Callback* register_callback;
  // Calls the registered callbacks of one kind, on the calling thread. [since 0.77, answers
  // UNIMPLEMENTED if absent]
  PJRT_Callback_InvokeCallback* invoke_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Callback_Extension, invoke_callback);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_CALLBACK_EXTENSION_H_

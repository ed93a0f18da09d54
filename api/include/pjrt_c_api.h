// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// The PJRT C API, 0.117. Names and layout are those of the API that frameworks and plugins speak;
// the text is generated from the registry, where every promise has its number.
//
// Rules for everything: an argument struct begins with struct_size, set by the caller to
// X_STRUCT_SIZE; the callee reads and writes a field only if struct_size reaches its end. Extensions
// hang on extension_start; unknown ones are skipped. Null is success; whoever receives a
// PJRT_Error frees it. Any function may be called from any thread; only freeing a handle excludes other
// uses of it. In brackets: direction, the minor that brought it, and what else the registry knows.

#ifndef PJRT_C_API_H_
#define PJRT_C_API_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where the last field of a struct ends: what goes into struct_size. Tail padding is not counted.
#define PJRT_STRUCT_SIZE(struct_type, last_field) \
  (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))

// Names a struct's type and its X_STRUCT_SIZE. Extensions use it too.
#define PJRT_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                        \
  enum { sname##_STRUCT_SIZE = PJRT_STRUCT_SIZE(sname, last_field) }

// A slot of a function table: a pointer called as its function type. C++ wants the type qualified.
#ifdef __cplusplus
#define PJRT_API_SLOT(function_type) ::function_type* function_type
#else
#define PJRT_API_SLOT(function_type) function_type* function_type
#endif

// Kept for code that was written for upstream's header.
#define PJRT_NO_DISCARD

#ifdef __cplusplus
extern "C" {
#endif

// Raised when the layout breaks; it never was.
#define PJRT_API_MAJOR 0

// Raised when something is added.
#define PJRT_API_MINOR 117

// ---- Handles ------------------------------------------------------------------------------------

// Why a call or an asynchronous computation failed. Whoever receives one frees it with
// PJRT_Error_Destroy. [since 0.1]
typedef struct PJRT_Error PJRT_Error;
// Something that completes once, with success or an error. Whoever receives one frees it with
// PJRT_Event_Destroy. [since 0.1]
typedef struct PJRT_Event PJRT_Event;
// The open hardware and everything made on it. [since 0.1]
typedef struct PJRT_Client PJRT_Client;
// A span of asynchronous work in a trace. [since 0.86]
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;
// One device of the run. Owned by its client. [since 0.1]
typedef struct PJRT_Device PJRT_Device;
// What is known of a device without opening it. Owned by its device or topology. [since 0.1]
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
// Holds the values of PJRT_Device_GetAttributes. [since 0.92]
typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;
// A memory that holds buffers. Owned by its client. [since 0.13]
typedef struct PJRT_Memory PJRT_Memory;
// An array in the memory of a device. [since 0.1]
typedef struct PJRT_Buffer PJRT_Buffer;
// What names the buffer behind an alias; used once. [since 0.77]
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;
// Buffers under construction, filled from the host piece by piece. [since 0.60]
typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;
// A compiler that runs phase by phase; see the PhaseCompile extension. [since 0.70 (within the
// minor: 0.70-b)]
typedef struct PJRT_PhaseCompiler PJRT_PhaseCompiler;
// Holds the bytes of PJRT_LoadedExecutable_GetDeviceAssignment. [since 0.79]
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
// A compiled program. [since 0.1]
typedef struct PJRT_Executable PJRT_Executable;
// A compiled program on the devices of a client. [since 0.1]
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
// Holds the bytes of PJRT_Executable_GetCompileOptions. [since 0.87]
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
// Holds the bytes of PJRT_Executable_Serialize. [since 0.1]
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
// Extra data that an execution carries. [since 0.52]
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
// How a program spreads over several slices; see the MultiSlice extension. [since 0.97]
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;
// The receiving end of a recv operation that the host feeds. [since 0.1]
typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;
// Holds the bytes of PJRT_TopologyDescription_Serialize. [since 0.22]
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;
// The devices of a run and how they are connected, with or without hardware. [since 0.1]
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;

// Structs that are named before they are defined.
typedef struct PJRT_Extension_Base PJRT_Extension_Base;
typedef struct PJRT_Api_Version PJRT_Api_Version;
typedef struct PJRT_Error_FunctionTable PJRT_Error_FunctionTable;
typedef struct PJRT_NamedValue PJRT_NamedValue;
typedef struct PJRT_KeyValueGetCallback_Args PJRT_KeyValueGetCallback_Args;
typedef struct PJRT_KeyValueTryGetCallback_Args PJRT_KeyValueTryGetCallback_Args;
typedef struct PJRT_KeyValuePutCallback_Args PJRT_KeyValuePutCallback_Args;
typedef struct PJRT_ProcessInfo PJRT_ProcessInfo;
typedef struct PJRT_Memory_FunctionTable PJRT_Memory_FunctionTable;
typedef struct PJRT_Buffer_MemoryLayout_Tiled PJRT_Buffer_MemoryLayout_Tiled;
typedef struct PJRT_Buffer_MemoryLayout_Strides PJRT_Buffer_MemoryLayout_Strides;
typedef struct PJRT_Buffer_MemoryLayout PJRT_Buffer_MemoryLayout;
typedef struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
typedef struct PJRT_Buffer_DonateWithControlDependency_Callback_Args PJRT_Buffer_DonateWithControlDependency_Callback_Args;
typedef struct PJRT_ShapeSpec PJRT_ShapeSpec;
typedef struct PJRT_Program PJRT_Program;
typedef struct PJRT_LoadOptions PJRT_LoadOptions;
typedef struct PJRT_LogicalDeviceIds PJRT_LogicalDeviceIds;
typedef struct PJRT_SendCallbackInfo PJRT_SendCallbackInfo;
typedef struct PJRT_RecvCallbackInfo PJRT_RecvCallbackInfo;
typedef struct PJRT_HloOutputCallbackInfo PJRT_HloOutputCallbackInfo;
typedef struct PJRT_ExecuteOptions PJRT_ExecuteOptions;
typedef struct PJRT_Chunk PJRT_Chunk;

// ---- Extension chain ----------------------------------------------------------------------------

// How both sides find what the core table does not hold.

// Identifies an extension. Ids are never used again. [since 0.31]
typedef enum {
  // Registration of GPU custom calls. [since 0.31]
  PJRT_Extension_Type_Gpu_Custom_Call = 0,
  // Profiler, and trace ids on arguments. [since 0.34]
  PJRT_Extension_Type_Profiler = 1,
  // Registration of custom partitioners. [since 0.47]
  PJRT_Extension_Type_Custom_Partitioner = 2,
  // Streams of the device. [since 0.49]
  PJRT_Extension_Type_Stream = 3,
  // Layouts of buffers, parameters and outputs. [since 0.51]
  PJRT_Extension_Type_Layouts = 4,
  // XLA's foreign function interface. [since 0.53]
  PJRT_Extension_Type_FFI = 5,
  // Memories of a device description. [since 0.59]
  PJRT_Extension_Type_MemoryDescriptions = 6,
  // Triton compiler; plugins dropped it in 0.115. [since 0.65]
  PJRT_Extension_Type_Triton = 7,
  // Raw buffers. Experimental. [since 0.67 (within the minor: 0.67-b)]
  PJRT_Extension_Type_RawBuffer = 8,
  // Compilation by phases. Experimental. [since 0.70 (within the minor: 0.70-b)]
  PJRT_Extension_Type_PhaseCompile = 9,
  // The example; in fact it registers itself as Unknown. [since 0.72 (within the minor: 0.72-b)]
  PJRT_Extension_Type_Example = 10,
  // A type that nobody else knows. [since 0.72 (within the minor: 0.72-b)]
  PJRT_Extension_Type_Unknown = 11,
  // Transfers between hosts. [since 0.74]
  PJRT_Extension_Type_CrossHostTransfers = 12,
  // Metadata of executables. [since 0.75 (within the minor: 0.75-b)]
  PJRT_Extension_Type_ExecutableMetadata = 13,
  // Callbacks of the platform. [since 0.77 (within the minor: 0.77-b)]
  PJRT_Extension_Type_Callback = 14,
  // Reserved; withdrawn in 0.113. [since 0.80]
  PJRT_Extension_Type_HostAllocator = 15,
  // Topologies of TPUs. [since 0.81 (within the minor: 0.81-b)]
  PJRT_Extension_Type_TpuTopology = 16,
  // Executables of TPUs. [since 0.90 (within the minor: 0.90-b)]
  PJRT_Extension_Type_TpuExecutable = 17,
  // Runs over several slices. [since 0.90 (within the minor: 0.90-c)]
  PJRT_Extension_Type_Megascale = 18,
  // Shardings of parameters and outputs. [since 0.91]
  PJRT_Extension_Type_Shardings = 19,
  // Compatibility of runtime and executables. [since 0.91 (within the minor: 0.91-b)]
  PJRT_Extension_Type_AbiVersion = 20,
  // Collectives between hosts. [since 0.94 (within the minor: 0.94-b)]
  PJRT_Extension_Type_Collectives = 21,
  // Configuration of several slices. [since 0.96 (within the minor: 0.96-b)]
  PJRT_Extension_Type_MultiSlice = 22,
  // Allocation of host memory for the plugin. [since 0.103 (within the minor: 0.103-b)]
  PJRT_Extension_Type_HostMemoryAllocator = 23,
  // Registration of HLO transformations. [since 0.110 (within the minor: 0.110-b)]
  PJRT_Extension_Type_XlaTransform = 24
} PJRT_Extension_Type;

// Head of every extension. The chain is singly linked, in no particular order; look for a type,
// skip unknown ones. Never grows. [since 0.31]
struct PJRT_Extension_Base {
  // Size of the whole extension struct as its maker knows it. [in, since 0.45]
  size_t struct_size;
  // Which extension this is. [in, since 0.45]
  PJRT_Extension_Type type;
  // The next extension, or null. [in, since 0.45, may be null, lives for the call]
  PJRT_Extension_Base* next;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Extension_Base, next);

// ---- Version and table --------------------------------------------------------------------------

// The table that GetPjrtApi returns, its version, and what our own plugins report.

// The version a table was built with. [since 0.1]
struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Raised when the layout breaks. [out, since 0.1]
  int major_version;
  // Raised when something is added. [out, since 0.1]
  int minor_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Api_Version, minor_version);

// ---- Errors -------------------------------------------------------------------------------------

// How calls fail.

// The canonical codes of errors. [since 0.1]
typedef enum {
  // No error; only as a status inside a struct. [since 0.77]
  PJRT_Error_Code_OK = 0,
  // The work was cancelled. [since 0.1]
  PJRT_Error_Code_CANCELLED = 1,
  // No better code is known. [since 0.1]
  PJRT_Error_Code_UNKNOWN = 2,
  // The argument is wrong whatever the state. [since 0.1]
  PJRT_Error_Code_INVALID_ARGUMENT = 3,
  // Time ran out. [since 0.1]
  PJRT_Error_Code_DEADLINE_EXCEEDED = 4,
  // What was asked for does not exist. [since 0.1]
  PJRT_Error_Code_NOT_FOUND = 5,
  // What was to be made exists. [since 0.1]
  PJRT_Error_Code_ALREADY_EXISTS = 6,
  // The caller may not do this. [since 0.1]
  PJRT_Error_Code_PERMISSION_DENIED = 7,
  // Out of memory or another resource. [since 0.1]
  PJRT_Error_Code_RESOURCE_EXHAUSTED = 8,
  // The state does not allow this now. [since 0.1]
  PJRT_Error_Code_FAILED_PRECONDITION = 9,
  // Another operation got in the way. [since 0.1]
  PJRT_Error_Code_ABORTED = 10,
  // Past the valid range. [since 0.1]
  PJRT_Error_Code_OUT_OF_RANGE = 11,
  // Not implemented or not supported. [since 0.1]
  PJRT_Error_Code_UNIMPLEMENTED = 12,
  // The implementation is broken. [since 0.1]
  PJRT_Error_Code_INTERNAL = 13,
  // Not available now; may be tried again. [since 0.1]
  PJRT_Error_Code_UNAVAILABLE = 14,
  // Data is lost or corrupt. [since 0.1]
  PJRT_Error_Code_DATA_LOSS = 15,
  // The caller is not known. [since 0.1]
  PJRT_Error_Code_UNAUTHENTICATED = 16
} PJRT_Error_Code;

// Receives one payload of an error. Key and value live for the call. [since 0.99]
// key: Name of the payload, a type URL as a rule.
// key_size: Bytes of `key`.
// value: The payload's bytes.
// value_size: Bytes of `value`.
// user_arg: As given to PJRT_Error_ForEachPayload.
typedef void (*PJRT_Error_PayloadVisitor)(
    const char* key, size_t key_size, const char* value, size_t value_size, void* user_arg);

// Makes an error inside a callback of the caller, for the plugin that called it. The message is
// copied. From 0.107 on the error carries its function table. [since 0.1]
// code: Code of the error.
// message: Text; lives for the call.
// message_size: Bytes of `message`.
typedef PJRT_Error* (*PJRT_CallbackError)(
    PJRT_Error_Code code, const char* message, size_t message_size);

// How to use an error without knowing who made it. The first word of every PJRT_Error points to
// one. [since 0.107]
struct PJRT_Error_FunctionTable {
  size_t struct_size;
  // Size of the error struct that the table's maker uses for its head. [in, since 0.107]
  size_t instance_size;
  // Chain of extensions, as a rule null. [in, since 0.107, lives for the call]
  PJRT_Extension_Base* extension_start;
  // Frees the error. [in, since 0.107]
  void (*destroy)(PJRT_Error* error);
  // Gives text and its size; both live as long as the error. [in, since 0.107]
  void (*message)(const PJRT_Error* error, const char** message, size_t* message_size);
  // Gives the code. [in, since 0.107]
  PJRT_Error_Code (*get_code)(const PJRT_Error* error);
  // Calls the visitor for each payload. [in, since 0.107]
  void (*for_each_payload)(const PJRT_Error* error, PJRT_Error_PayloadVisitor visitor, void* user_arg);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_FunctionTable, for_each_payload);

// The public head of an error; what follows belongs to its maker. Never grows. [since 0.107]
struct PJRT_Error {
  // How to use this error. Set by every maker from 0.107 on. [in, since 0.107, lives for the call]
  const PJRT_Error_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error, vtable);

// Arguments of PJRT_Error_Destroy. [since 0.1]
struct PJRT_Error_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The error to free, or null. [in, since 0.1, may be null]
  PJRT_Error* error;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_Destroy_Args, error);

// Frees an error. Null is allowed and does nothing. [slot 0, since 0.1, always implemented,
// threads: exclusive]
typedef void PJRT_Error_Destroy(PJRT_Error_Destroy_Args* args);

// Arguments of PJRT_Error_Message. [since 0.1]
struct PJRT_Error_Message_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The error. [in, since 0.1]
  const PJRT_Error* error;
  // The text; lives as long as the error and need not end with NUL. [out, since 0.1, length
  // message_size, lives until: error]
  const char* message;
  // Bytes of `message`. [out, since 0.1]
  size_t message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_Message_Args, message_size);

// Gives the human-readable text of an error. [slot 1, since 0.1, always implemented]
typedef void PJRT_Error_Message(PJRT_Error_Message_Args* args);

// Arguments of PJRT_Error_GetCode. [since 0.1]
struct PJRT_Error_GetCode_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The error. [in, since 0.1]
  const PJRT_Error* error;
  // The code. [out, since 0.1]
  PJRT_Error_Code code;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_GetCode_Args, code);

// Gives the canonical code of an error. [slot 2, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Error_GetCode(PJRT_Error_GetCode_Args* args);

// Arguments of PJRT_Error_ForEachPayload. [since 0.99]
struct PJRT_Error_ForEachPayload_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The error. [in, since 0.99]
  const PJRT_Error* error;
  // Called once for each payload. [in, since 0.99]
  PJRT_Error_PayloadVisitor visitor;
  // Passed on to the callback, untouched. [in, since 0.99, may be null]
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Error_ForEachPayload_Args, user_arg);

// Calls a visitor for each payload attached to an error. [slot 132, since 0.99, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Error_ForEachPayload(PJRT_Error_ForEachPayload_Args* args);

// ---- Named values -------------------------------------------------------------------------------

// Names with values: options, attributes, statistics.

// Type of a PJRT_NamedValue. [since 0.1]
typedef enum {
  // Text; `value_size` is its number of bytes. [since 0.1]
  PJRT_NamedValue_kString = 0,
  // One 64-bit integer. [since 0.1]
  PJRT_NamedValue_kInt64 = 1,
  // 64-bit integers; `value_size` is their number. [since 0.1]
  PJRT_NamedValue_kInt64List = 2,
  // One 32-bit float. [since 0.1]
  PJRT_NamedValue_kFloat = 3,
  // One boolean. [since 0.30]
  PJRT_NamedValue_kBool = 4
} PJRT_NamedValue_Type;

// A name with a value of one of five types. Arrays of it are indexed with its size, so it never
// grows. Never grows. [since 0.1]
struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The name; not NUL-terminated. [in, since 0.1, length name_size, lives for the call]
  const char* name;
  // Bytes of `name`. [in, since 0.1]
  size_t name_size;
  // Which member of the union is set. [in, since 0.1]
  PJRT_NamedValue_Type type;
  // The value. [in, since 0.1, lives for the call]
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  // Number of bytes of a string, number of elements of a list, 1 for a scalar. [in, since 0.1]
  size_t value_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_NamedValue, value_size);

// ---- Plugin -------------------------------------------------------------------------------------

// What holds for the plugin as a whole.

// Arguments of PJRT_Plugin_Initialize. [since 0.13]
struct PJRT_Plugin_Initialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Plugin_Initialize_Args, extension_start);

// Sets the plugin up, once per process. It is the first call made; nothing else may precede it
// except PJRT_Plugin_Attributes. [slot 3, since 0.13, always implemented]
typedef PJRT_Error* PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args* args);

// Arguments of PJRT_Plugin_Attributes. [since 0.9]
struct PJRT_Plugin_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The facts. [out, since 0.9, length num_attributes, lives until: process]
  const PJRT_NamedValue* attributes;
  // Number of `attributes`. [out, since 0.9]
  size_t num_attributes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Plugin_Attributes_Args, num_attributes);

// Lists facts about the plugin that hold for the whole process, for example the StableHLO versions
// it reads. [slot 4, since 0.9, always implemented]
typedef PJRT_Error* PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args* args);

// ---- Events -------------------------------------------------------------------------------------

// How asynchronous work tells that it is done.

// Runs once when an event completes. It owns `error` and frees it. [since 0.1, called exactly once]
// error: Null for success.
// user_arg: As given to PJRT_Event_OnReady.
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error* error, void* user_arg);

// Arguments of PJRT_Event_Destroy. [since 0.1]
struct PJRT_Event_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The event to free, or null. [in, since 0.1, may be null]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Destroy_Args, event);

// Frees the caller's hold on an event. Null is allowed. Callbacks already registered still run.
// [slot 5, since 0.1, always implemented, threads: exclusive]
typedef PJRT_Error* PJRT_Event_Destroy(PJRT_Event_Destroy_Args* args);

// Arguments of PJRT_Event_IsReady. [since 0.1]
struct PJRT_Event_IsReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The event. [in, since 0.1]
  PJRT_Event* event;
  // True once completed. [out, since 0.1]
  bool is_ready;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_IsReady_Args, is_ready);

// Tells without blocking whether the event has completed, with success or with an error. [slot 6,
// since 0.1, always implemented]
typedef PJRT_Error* PJRT_Event_IsReady(PJRT_Event_IsReady_Args* args);

// Arguments of PJRT_Event_Error. [since 0.1]
struct PJRT_Event_Error_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The event. [in, since 0.1]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Error_Args, event);

// Returns the outcome of a completed event: null for success, else a new error that the caller
// frees. Asking before the event is ready is answered by an error. [slot 7, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_Event_Error(PJRT_Event_Error_Args* args);

// Arguments of PJRT_Event_Await. [since 0.1]
struct PJRT_Event_Await_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The event. [in, since 0.1]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Await_Args, event);

// Blocks until the event has completed and returns its outcome: null for success, else a new error
// that the caller frees. [slot 8, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Event_Await(PJRT_Event_Await_Args* args);

// Arguments of PJRT_Event_OnReady. [since 0.1]
struct PJRT_Event_OnReady_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The event. [in, since 0.1]
  PJRT_Event* event;
  // Runs once when the event completes. [in, since 0.1]
  PJRT_Event_OnReadyCallback callback;
  // Passed on to the callback, untouched. [in, since 0.1, may be null]
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_OnReady_Args, user_arg);

// Registers a callback that runs exactly once when the event completes; at once, on the calling
// thread, if it already has. [slot 9, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Event_OnReady(PJRT_Event_OnReady_Args* args);

// Arguments of PJRT_Event_Create. [since 0.89]
struct PJRT_Event_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The new event. [out, since 0.89, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Create_Args, event);

// Makes an event that the caller completes with PJRT_Event_Set. [slot 126, since 0.89, null if
// absent]
typedef PJRT_Error* PJRT_Event_Create(PJRT_Event_Create_Args* args);

// Arguments of PJRT_Event_Set. [since 0.89]
struct PJRT_Event_Set_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // An event that PJRT_Event_Create made and nobody has set yet. [in, since 0.89]
  PJRT_Event* event;
  // Code of the error; OK for success where that is allowed. [in, since 0.89]
  PJRT_Error_Code error_code;
  // Text of the error; lives for the call. [in, since 0.89, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.89]
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Event_Set_Args, error_message_size);

// Completes an event made by PJRT_Event_Create. [slot 127, since 0.89, null if absent]
typedef PJRT_Error* PJRT_Event_Set(PJRT_Event_Set_Args* args);

// ---- Client -------------------------------------------------------------------------------------

// The open hardware: what it is made of and how it is made.

// State of a process of the run. [since 0.73]
typedef enum {
  // Not said. [since 0.73]
  PJRT_ProcessState_kUnspecified = 0,
  // Not started yet. [since 0.73]
  PJRT_ProcessState_kUninitialized = 1,
  // Gone. [since 0.73]
  PJRT_ProcessState_kDisconnected = 2,
  // Alive. [since 0.73]
  PJRT_ProcessState_kConnected = 3,
  // Failed; the error is in the same struct. [since 0.73]
  PJRT_ProcessState_kError = 4
} PJRT_ProcessState;

// Frees a value that PJRT_KeyValueGetCallback returned. [since 0.2, called exactly once]
// value: The value to free.
typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char* value);

// Reads a key from the store that the processes share, waiting for it until the timeout. May be
// called from any thread. [since 0.2]
// args: Key, timeout and result.
typedef PJRT_Error* (*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args* args);

// Frees a value that PJRT_KeyValueTryGetCallback returned. [since 0.61, called exactly once]
// value: The value to free.
typedef void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char* value);

// Reads a key from the store; NOT_FOUND at once if it is not there. May be called from any thread.
// [since 0.61]
// args: Key and result.
typedef PJRT_Error* (*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args* args);

// Writes a key to the store. May be called from any thread. [since 0.2]
// args: Key and value.
typedef PJRT_Error* (*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args* args);

// Arguments of PJRT_KeyValueGetCallback. [since 0.2]
struct PJRT_KeyValueGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The key. [in, since 0.2, length key_size, lives for the call]
  const char* key;
  // Bytes of `key`. [in, since 0.2]
  size_t key_size;
  // How long to wait, in milliseconds. [in, since 0.2]
  int timeout_in_ms;
  // Makes errors for the plugin. [in, since 0.2, lives for the call]
  PJRT_CallbackError* callback_error;
  // Passed on to the callback, untouched. [in, since 0.2, may be null]
  void* user_arg;
  // The value. [out, since 0.2, length value_size, freed by the caller: value_deleter_callback]
  char* value;
  // Bytes of `value`. [out, since 0.2]
  size_t value_size;
  // Frees `value`; the plugin copies the value and then calls this. [out, since 0.2]
  PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValueGetCallback_Args, value_deleter_callback);

// Arguments of PJRT_KeyValueTryGetCallback. [since 0.61]
struct PJRT_KeyValueTryGetCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The key. [in, since 0.61, length key_size, lives for the call]
  const char* key;
  // Bytes of `key`. [in, since 0.61]
  size_t key_size;
  // Makes errors for the plugin. [in, since 0.61, lives for the call]
  PJRT_CallbackError* callback_error;
  // Passed on to the callback, untouched. [in, since 0.61, may be null]
  void* user_arg;
  // The value. [out, since 0.61, length value_size, freed by the caller: value_deleter_callback]
  char* value;
  // Bytes of `value`. [out, since 0.61]
  size_t value_size;
  // Frees `value`; the plugin copies the value and then calls this. [out, since 0.61]
  PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback);

// Arguments of PJRT_KeyValuePutCallback. [since 0.2]
struct PJRT_KeyValuePutCallback_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The key. [in, since 0.2, length key_size, lives for the call]
  const char* key;
  // Bytes of `key`. [in, since 0.2]
  size_t key_size;
  // The value. [in, since 0.2, length value_size, lives for the call]
  const char* value;
  // Bytes of `value`. [in, since 0.2]
  size_t value_size;
  // Makes errors for the plugin. [in, since 0.2, lives for the call]
  PJRT_CallbackError* callback_error;
  // Passed on to the callback, untouched. [in, since 0.2, may be null]
  void* user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_KeyValuePutCallback_Args, user_arg);

// What is known about one process. Its struct_size came within 0.75, without a new minor: from a
// caller of 0.73 to 0.75 the layout cannot be told. Never grows. [since 0.73]
struct PJRT_ProcessInfo {
  size_t struct_size;
  // Which process. [in, since 0.73]
  int task_id;
  // Which life of the process; changes when it restarts. [in, since 0.73]
  uint64_t incarnation_id;
  // Its state. [in, since 0.73]
  PJRT_ProcessState state;
  // Code of the error when `state` is kError. [in, since 0.73]
  int error_code;
  // Text of the error when `state` is kError. [in, since 0.73, length error_message_size, may be
  // null, lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.73]
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ProcessInfo, error_message_size);

// Arguments of PJRT_Client_Create. [since 0.1]
struct PJRT_Client_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Options of the platform; unknown names are refused by INVALID_ARGUMENT. [in, since 0.1, length
  // num_options, may be null, lives for the call]
  const PJRT_NamedValue* create_options;
  // Number of `create_options`. [in, since 0.1]
  size_t num_options;
  // Reads from the store that the processes share. Garbage in callers that do not run several
  // processes: use it only when the options say so. [in, since 0.2, may be null]
  PJRT_KeyValueGetCallback kv_get_callback;
  // Passed to `kv_get_callback`. [in, since 0.2, may be null]
  void* kv_get_user_arg;
  // Writes to the store. As `kv_get_callback`. [in, since 0.2, may be null]
  PJRT_KeyValuePutCallback kv_put_callback;
  // Passed to `kv_put_callback`. [in, since 0.2, may be null]
  void* kv_put_user_arg;
  // The new client. [out, since 0.2, freed by the caller: PJRT_Client_Destroy]
  PJRT_Client* client;
  // Reads from the store without waiting. As `kv_get_callback`. [in, since 0.61, may be null, if
  // absent: null]
  PJRT_KeyValueTryGetCallback kv_try_get_callback;
  // Passed to `kv_try_get_callback`. [in, since 0.61, may be null, if absent: null]
  void* kv_try_get_user_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Create_Args, kv_try_get_user_arg);

// Opens the hardware and makes a client. [slot 10, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_Create(PJRT_Client_Create_Args* args);

// Arguments of PJRT_Client_Destroy. [since 0.1]
struct PJRT_Client_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client to free, or null. [in, since 0.1, may be null]
  PJRT_Client* client;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Destroy_Args, client);

// Shuts a client down and frees it, with everything that it owns. Null is allowed. [slot 11, since
// 0.1, always implemented, threads: exclusive]
typedef PJRT_Error* PJRT_Client_Destroy(PJRT_Client_Destroy_Args* args);

// Arguments of PJRT_Client_PlatformName. [since 0.1]
struct PJRT_Client_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The name; lives as long as the queried object. [out, since 0.1, length platform_name_size,
  // lives until: client]
  const char* platform_name;
  // Bytes of `platform_name`. [out, since 0.1]
  size_t platform_name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_PlatformName_Args, platform_name_size);

// Gives the name of the platform; frameworks choose their lowering rules by it. [slot 12, since
// 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args* args);

// Arguments of PJRT_Client_ProcessIndex. [since 0.1]
struct PJRT_Client_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The index. [out, since 0.1]
  int process_index;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_ProcessIndex_Args, process_index);

// Gives the index of this process among those that share the run; 0 when there is one. [slot 13,
// since 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_ProcessIndex(PJRT_Client_ProcessIndex_Args* args);

// Arguments of PJRT_Client_PlatformVersion. [since 0.1]
struct PJRT_Client_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The version text; lives as long as the queried object. [out, since 0.1, length
  // platform_version_size, lives until: client]
  const char* platform_version;
  // Bytes of `platform_version`. [out, since 0.1]
  size_t platform_version_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_PlatformVersion_Args, platform_version_size);

// Gives a version text for people: driver, library and plugin versions. [slot 14, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args* args);

// Arguments of PJRT_Client_Devices. [since 0.1]
struct PJRT_Client_Devices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The devices. [out, since 0.1, length num_devices, lives until: client]
  PJRT_Device* const* devices;
  // Number of `devices`. [out, since 0.1]
  size_t num_devices;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Devices_Args, num_devices);

// Lists every device of the run, also those that other processes drive. [slot 15, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_Client_Devices(PJRT_Client_Devices_Args* args);

// Arguments of PJRT_Client_AddressableDevices. [since 0.1]
struct PJRT_Client_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The devices. [out, since 0.1, length num_addressable_devices, lives until: client]
  PJRT_Device* const* addressable_devices;
  // Number of `addressable_devices`. [out, since 0.1]
  size_t num_addressable_devices;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_AddressableDevices_Args, num_addressable_devices);

// Lists the devices that this client can send work to. [slot 16, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args* args);

// Arguments of PJRT_Client_LookupDevice. [since 0.1]
struct PJRT_Client_LookupDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The id to look for. [in, since 0.1]
  int id;
  // The device with that id. [out, since 0.1, lives until: client]
  PJRT_Device* device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_LookupDevice_Args, device);

// Finds a device by its global id. [slot 17, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_LookupDevice(PJRT_Client_LookupDevice_Args* args);

// Arguments of PJRT_Client_LookupAddressableDevice. [since 0.1]
struct PJRT_Client_LookupAddressableDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The number to look for. [in, since 0.1]
  int local_hardware_id;
  // The device with that number. [out, since 0.1, lives until: client]
  PJRT_Device* addressable_device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_LookupAddressableDevice_Args, addressable_device);

// Finds an addressable device by its local hardware id. [slot 18, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_LookupAddressableDevice(
    PJRT_Client_LookupAddressableDevice_Args* args);

// Arguments of PJRT_Client_AddressableMemories. [since 0.20]
struct PJRT_Client_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.20]
  PJRT_Client* client;
  // The memories. [out, since 0.20, length num_addressable_memories, lives until: client]
  PJRT_Memory* const* addressable_memories;
  // Number of `addressable_memories`. [out, since 0.20]
  size_t num_addressable_memories;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_AddressableMemories_Args, num_addressable_memories);

// Lists the memories that this client can move data to and from. [slot 19, since 0.20, always
// implemented]
typedef PJRT_Error* PJRT_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args* args);

// Arguments of PJRT_Client_TopologyDescription. [since 0.36]
struct PJRT_Client_TopologyDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.36]
  PJRT_Client* client;
  // The topology; owned by the client, never destroyed by the caller. [out, since 0.36, lives
  // until: client]
  PJRT_TopologyDescription* topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_TopologyDescription_Args, topology);

// Gives the topology of the client's devices. [slot 95, since 0.36, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args* args);

// Arguments of PJRT_Client_UpdateGlobalProcessInfo. [since 0.73]
struct PJRT_Client_UpdateGlobalProcessInfo_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.73]
  PJRT_Client* client;
  // One entry for each process. [in, since 0.73, length num_process_infos, may be null, lives for
  // the call]
  PJRT_ProcessInfo* process_infos;
  // Number of `process_infos`. [in, since 0.73]
  size_t num_process_infos;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_UpdateGlobalProcessInfo_Args, num_process_infos);

// Tells the client what is known about every process of the run, so that it can fail work with
// those that are gone. [slot 113, since 0.73, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Client_UpdateGlobalProcessInfo(
    PJRT_Client_UpdateGlobalProcessInfo_Args* args);

// ---- Devices ------------------------------------------------------------------------------------

// One device: what it is and how it is doing.

// Arguments of PJRT_DeviceDescription_Id. [since 0.1]
struct PJRT_DeviceDescription_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device description. [in, since 0.1]
  PJRT_DeviceDescription* device_description;
  // The id. [out, since 0.1]
  int id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Id_Args, id);

// Gives the id of the device, unique among all devices of the run. [slot 23, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args* args);

// Arguments of PJRT_DeviceDescription_ProcessIndex. [since 0.1]
struct PJRT_DeviceDescription_ProcessIndex_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device description. [in, since 0.1]
  PJRT_DeviceDescription* device_description;
  // The index. [out, since 0.1]
  int process_index;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_ProcessIndex_Args, process_index);

// Gives the index of the process that drives the device. [slot 24, since 0.1, always implemented]
typedef PJRT_Error* PJRT_DeviceDescription_ProcessIndex(
    PJRT_DeviceDescription_ProcessIndex_Args* args);

// Arguments of PJRT_DeviceDescription_Attributes. [since 0.1]
struct PJRT_DeviceDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device description. [in, since 0.1]
  PJRT_DeviceDescription* device_description;
  // Number of `attributes`. [out, since 0.1]
  size_t num_attributes;
  // The facts. [out, since 0.1, length num_attributes, lives until: device_description]
  const PJRT_NamedValue* attributes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Attributes_Args, attributes);

// Lists facts about the device, for example its coordinates. [slot 25, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args* args);

// Arguments of PJRT_DeviceDescription_Kind. [since 0.1]
struct PJRT_DeviceDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device description. [in, since 0.1]
  PJRT_DeviceDescription* device_description;
  // The name of the kind. [out, since 0.1, length device_kind_size, lives until:
  // device_description]
  const char* device_kind;
  // Bytes of `device_kind`. [out, since 0.1]
  size_t device_kind_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_Kind_Args, device_kind_size);

// Gives the vendor's name for this kind of device. [slot 26, since 0.1, always implemented]
typedef PJRT_Error* PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args* args);

// Arguments of PJRT_DeviceDescription_DebugString. [since 0.1]
struct PJRT_DeviceDescription_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device description. [in, since 0.1]
  PJRT_DeviceDescription* device_description;
  // The text. [out, since 0.1, length debug_string_size, lives until: device_description]
  const char* debug_string;
  // Bytes of `debug_string`. [out, since 0.1]
  size_t debug_string_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_DebugString_Args, debug_string_size);

// Gives a text that identifies the device in logs without ambiguity. [slot 27, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_DeviceDescription_DebugString(
    PJRT_DeviceDescription_DebugString_Args* args);

// Arguments of PJRT_DeviceDescription_ToString. [since 0.1]
struct PJRT_DeviceDescription_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device description. [in, since 0.1]
  PJRT_DeviceDescription* device_description;
  // The text. [out, since 0.1, length to_string_size, lives until: device_description]
  const char* to_string;
  // Bytes of `to_string`. [out, since 0.1]
  size_t to_string_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_ToString_Args, to_string_size);

// Gives a short text for people. [slot 28, since 0.1, always implemented]
typedef PJRT_Error* PJRT_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args* args);

// Arguments of PJRT_Device_GetDescription. [since 0.1]
struct PJRT_Device_GetDescription_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.1]
  PJRT_Device* device;
  // The device description. [out, since 0.1, lives until: device]
  PJRT_DeviceDescription* device_description;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_GetDescription_Args, device_description);

// Gives the description of a device. [slot 29, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args* args);

// Arguments of PJRT_Device_IsAddressable. [since 0.1]
struct PJRT_Device_IsAddressable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.1]
  PJRT_Device* device;
  // True if it can. [out, since 0.1]
  bool is_addressable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_IsAddressable_Args, is_addressable);

// Tells whether this client can send work to the device. [slot 30, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Device_IsAddressable(PJRT_Device_IsAddressable_Args* args);

// Arguments of PJRT_Device_LocalHardwareId. [since 0.1]
struct PJRT_Device_LocalHardwareId_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.1]
  PJRT_Device* device;
  // The number. [out, since 0.1]
  int local_hardware_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_LocalHardwareId_Args, local_hardware_id);

// Gives the number of the device on this host, as the driver counts; -1 when there is none. The
// numbers need not be dense. [slot 31, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args* args);

// Arguments of PJRT_Device_AddressableMemories. [since 0.13]
struct PJRT_Device_AddressableMemories_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.13]
  PJRT_Device* device;
  // The memories. [out, since 0.13, length num_memories, lives until: device]
  PJRT_Memory* const* memories;
  // Number of `memories`. [out, since 0.13]
  size_t num_memories;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_AddressableMemories_Args, num_memories);

// Lists the memories that the device can reach. [slot 32, since 0.13, always implemented]
typedef PJRT_Error* PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args* args);

// Arguments of PJRT_Device_DefaultMemory. [since 0.17]
struct PJRT_Device_DefaultMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.17]
  PJRT_Device* device;
  // The memory. [out, since 0.17, lives until: device]
  PJRT_Memory* memory;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_DefaultMemory_Args, memory);

// Gives the memory that data for this device goes to when nothing else is said. [slot 33, since
// 0.17, always implemented]
typedef PJRT_Error* PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args* args);

// Arguments of PJRT_Device_MemoryStats. [since 0.1]
struct PJRT_Device_MemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.1]
  PJRT_Device* device;
  // Bytes allocated now. [out, since 0.1]
  int64_t bytes_in_use;
  // Most bytes allocated at one time. [out, since 0.1]
  int64_t peak_bytes_in_use;
  // True if `peak_bytes_in_use` is set. [out, since 0.1]
  bool peak_bytes_in_use_is_set;
  // Number of allocations. [out, since 0.1]
  int64_t num_allocs;
  // True if `num_allocs` is set. [out, since 0.1]
  bool num_allocs_is_set;
  // Largest single allocation in bytes. [out, since 0.1]
  int64_t largest_alloc_size;
  // True if `largest_alloc_size` is set. [out, since 0.1]
  bool largest_alloc_size_is_set;
  // Most bytes that may be allocated. [out, since 0.1]
  int64_t bytes_limit;
  // True if `bytes_limit` is set. [out, since 0.1]
  bool bytes_limit_is_set;
  // Bytes reserved. [out, since 0.1]
  int64_t bytes_reserved;
  // True if `bytes_reserved` is set. [out, since 0.1]
  bool bytes_reserved_is_set;
  // Most bytes reserved at one time. [out, since 0.1]
  int64_t peak_bytes_reserved;
  // True if `peak_bytes_reserved` is set. [out, since 0.1]
  bool peak_bytes_reserved_is_set;
  // Most bytes that may be reserved. [out, since 0.1]
  int64_t bytes_reservable_limit;
  // True if `bytes_reservable_limit` is set. [out, since 0.1]
  bool bytes_reservable_limit_is_set;
  // Size of the largest free block. [out, since 0.1]
  int64_t largest_free_block_bytes;
  // True if `largest_free_block_bytes` is set. [out, since 0.1]
  bool largest_free_block_bytes_is_set;
  // Bytes that the allocator's pool holds, in use or not. [out, since 0.1]
  int64_t pool_bytes;
  // True if `pool_bytes` is set. [out, since 0.1]
  bool pool_bytes_is_set;
  // Most bytes that the pool held at one time. [out, since 0.1]
  int64_t peak_pool_bytes;
  // True if `peak_pool_bytes` is set. [out, since 0.1]
  bool peak_pool_bytes_is_set;
  // Most bytes that were allocated since the last reset. [out, since 0.113, if absent: 0]
  int64_t peak_allocated_bytes;
  // True if `peak_allocated_bytes` is set. [out, since 0.113, if absent: false]
  bool peak_allocated_bytes_is_set;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_MemoryStats_Args, peak_allocated_bytes_is_set);

// Reports the allocator's counters for a device. Only `bytes_in_use` is always set; every other
// counter has a flag. [slot 34, since 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args* args);

// Arguments of PJRT_Device_PoisonExecution. [since 0.85]
struct PJRT_Device_PoisonExecution_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.85]
  PJRT_Device* device;
  // Which launch. [in, since 0.85]
  int32_t launch_id;
  // Code of the error; OK for success where that is allowed. [in, since 0.85]
  PJRT_Error_Code error_code;
  // Text of the error; lives for the call. [in, since 0.85, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.85]
  size_t error_message_size;
  // True if such an execution was found unfinished. [out, since 0.85]
  bool poisoned;
  // Payloads of the error. [in, since 0.100, length num_payload, may be null, lives for the call,
  // if absent: null]
  const PJRT_NamedValue* payload;
  // Number of `payload`. [in, since 0.100, if absent: 0]
  size_t num_payload;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_PoisonExecution_Args, num_payload);

// Makes the outputs of the first unfinished execution with this launch id fail. [slot 121, since
// 0.85, answers UNIMPLEMENTED if absent, clients call it from minor 85 on]
typedef PJRT_Error* PJRT_Device_PoisonExecution(PJRT_Device_PoisonExecution_Args* args);

// Arguments of PJRT_Device_CreateAsyncTrackingEvent. [since 0.86]
struct PJRT_Device_CreateAsyncTrackingEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.86]
  PJRT_Device* device;
  // Text for the trace. [in, since 0.86, length description_size, lives for the call]
  const char* description;
  // Bytes of `description`. [in, since 0.86]
  size_t description_size;
  // The new tracking event, or null if nobody traces. [out, since 0.86, may be null, freed by the
  // caller: PJRT_AsyncTrackingEvent_Destroy]
  PJRT_AsyncTrackingEvent* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_CreateAsyncTrackingEvent_Args, event);

// Marks the start of asynchronous work for tracing; it ends when the event is destroyed. [slot 122,
// since 0.86, answers UNIMPLEMENTED if absent, clients call it from minor 86 on]
typedef PJRT_Error* PJRT_Device_CreateAsyncTrackingEvent(
    PJRT_Device_CreateAsyncTrackingEvent_Args* args);

// Arguments of PJRT_AsyncTrackingEvent_Destroy. [since 0.86]
struct PJRT_AsyncTrackingEvent_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The tracking event to end, or null. [in, since 0.86, may be null]
  PJRT_AsyncTrackingEvent* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncTrackingEvent_Destroy_Args, event);

// Ends and frees a tracking event. [slot 123, since 0.86, answers UNIMPLEMENTED if absent, threads:
// exclusive]
typedef PJRT_Error* PJRT_AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args* args);

// Arguments of PJRT_Device_GetAttributes. [since 0.92]
struct PJRT_Device_GetAttributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.92]
  PJRT_Device* device;
  // The facts. [out, since 0.92, length num_attributes, lives until:
  // attributes_deleter(device_attributes)]
  const PJRT_NamedValue* attributes;
  // Number of `attributes`. [out, since 0.92]
  size_t num_attributes;
  // Holds `attributes`. [out, since 0.92, freed by the caller: attributes_deleter]
  PJRT_Device_Attributes* device_attributes;
  // Frees `device_attributes`; called once. [out, since 0.92]
  void (*attributes_deleter)(PJRT_Device_Attributes* device_attributes);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_GetAttributes_Args, attributes_deleter);

// Lists facts about a device that may change while it runs. [slot 128, since 0.92, null if absent,
// clients call it from minor 92 on]
typedef PJRT_Error* PJRT_Device_GetAttributes(PJRT_Device_GetAttributes_Args* args);

// Arguments of PJRT_Device_ClearMemoryStats. [since 0.106]
struct PJRT_Device_ClearMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device. [in, since 0.106]
  PJRT_Device* device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Device_ClearMemoryStats_Args, device);

// Resets the peaks and counters of PJRT_Device_MemoryStats. [slot 135, since 0.106, null if absent]
typedef PJRT_Error* PJRT_Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args* args);

// ---- Memories -----------------------------------------------------------------------------------

// The memories of devices and of the host.

// How to attach data to a memory without knowing who made it. Note that its fields are in another
// order than those of PJRT_Error_FunctionTable. [since 0.105]
struct PJRT_Memory_FunctionTable {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Size of the memory struct that the table's maker uses for its head. [in, since 0.105]
  size_t instance_struct_size;
  // Gives the data attached under a key, or null. [in, since 0.105]
  void* (*get_user_data)(PJRT_Memory* memory, const void* key);
  // Attaches data under a key; the destructor runs when it is replaced or the memory goes away.
  // [in, since 0.105]
  void (*set_user_data)(PJRT_Memory* memory, const void* key, void* data, void (*dtor)(void* data));
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_FunctionTable, set_user_data);

// The public head of a memory; what follows belongs to its maker. Never grows. [since 0.105]
struct PJRT_Memory {
  // How to attach data to this memory, or null if it cannot carry any. Set from 0.105 on. [in,
  // since 0.105, may be null, lives for the call]
  const PJRT_Memory_FunctionTable* vtable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory, vtable);

// Arguments of PJRT_Memory_Id. [since 0.16]
struct PJRT_Memory_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The memory. [in, since 0.16]
  PJRT_Memory* memory;
  // The id. [out, since 0.16]
  int id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Id_Args, id);

// Gives the id of the memory, unique among the memories of the run. [slot 35, since 0.16, always
// implemented]
typedef PJRT_Error* PJRT_Memory_Id(PJRT_Memory_Id_Args* args);

// Arguments of PJRT_Memory_Kind. [since 0.14]
struct PJRT_Memory_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The memory. [in, since 0.14]
  PJRT_Memory* memory;
  // The kind. [out, since 0.14, length kind_size, lives until: memory]
  const char* kind;
  // Bytes of `kind`. [out, since 0.14]
  size_t kind_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Kind_Args, kind_size);

// Gives the kind of the memory as a text, for example `device` or `pinned_host`. [slot 36, since
// 0.14, always implemented]
typedef PJRT_Error* PJRT_Memory_Kind(PJRT_Memory_Kind_Args* args);

// Arguments of PJRT_Memory_DebugString. [since 0.15]
struct PJRT_Memory_DebugString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The memory. [in, since 0.15]
  PJRT_Memory* memory;
  // The text. [out, since 0.15, length debug_string_size, lives until: memory]
  const char* debug_string;
  // Bytes of `debug_string`. [out, since 0.15]
  size_t debug_string_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_DebugString_Args, debug_string_size);

// Gives a text that identifies the memory in logs without ambiguity. [slot 37, since 0.15, always
// implemented]
typedef PJRT_Error* PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args* args);

// Arguments of PJRT_Memory_ToString. [since 0.15]
struct PJRT_Memory_ToString_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The memory. [in, since 0.15]
  PJRT_Memory* memory;
  // The text. [out, since 0.15, length to_string_size, lives until: memory]
  const char* to_string;
  // Bytes of `to_string`. [out, since 0.15]
  size_t to_string_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_ToString_Args, to_string_size);

// Gives a short text for people. [slot 38, since 0.15, always implemented]
typedef PJRT_Error* PJRT_Memory_ToString(PJRT_Memory_ToString_Args* args);

// Arguments of PJRT_Memory_AddressableByDevices. [since 0.20]
struct PJRT_Memory_AddressableByDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The memory. [in, since 0.20]
  PJRT_Memory* memory;
  // The devices. [out, since 0.20, length num_devices, lives until: memory]
  PJRT_Device* const* devices;
  // Number of `devices`. [out, since 0.20]
  size_t num_devices;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_AddressableByDevices_Args, num_devices);

// Lists the devices that can reach the memory. [slot 39, since 0.20, always implemented]
typedef PJRT_Error* PJRT_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args* args);

// Arguments of PJRT_Memory_Kind_Id. [since 0.48]
struct PJRT_Memory_Kind_Id_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The memory. [in, since 0.48]
  PJRT_Memory* memory;
  // The number. [out, since 0.48]
  int kind_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Memory_Kind_Id_Args, kind_id);

// Gives the kind of the memory as a number. [slot 97, since 0.48, always implemented, clients call
// it from minor 48 on]
typedef PJRT_Error* PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args* args);

// ---- Buffers ------------------------------------------------------------------------------------

// Arrays in device memory.

// Element type of an array. [since 0.1]
typedef enum {
  // No type. [since 0.1]
  PJRT_Buffer_Type_INVALID = 0,
  // Boolean, one byte. [since 0.1]
  PJRT_Buffer_Type_PRED = 1,
  // Signed 8-bit integer. [since 0.1]
  PJRT_Buffer_Type_S8 = 2,
  // Signed 16-bit integer. [since 0.1]
  PJRT_Buffer_Type_S16 = 3,
  // Signed 32-bit integer. [since 0.1]
  PJRT_Buffer_Type_S32 = 4,
  // Signed 64-bit integer. [since 0.1]
  PJRT_Buffer_Type_S64 = 5,
  // Unsigned 8-bit integer. [since 0.1]
  PJRT_Buffer_Type_U8 = 6,
  // Unsigned 16-bit integer. [since 0.1]
  PJRT_Buffer_Type_U16 = 7,
  // Unsigned 32-bit integer. [since 0.1]
  PJRT_Buffer_Type_U32 = 8,
  // Unsigned 64-bit integer. [since 0.1]
  PJRT_Buffer_Type_U64 = 9,
  // IEEE 16-bit float. [since 0.1]
  PJRT_Buffer_Type_F16 = 10,
  // IEEE 32-bit float. [since 0.1]
  PJRT_Buffer_Type_F32 = 11,
  // IEEE 64-bit float. [since 0.1]
  PJRT_Buffer_Type_F64 = 12,
  // bfloat16: 8 bits of exponent, 7 of mantissa. [since 0.1]
  PJRT_Buffer_Type_BF16 = 13,
  // Complex of two 32-bit floats. [since 0.1]
  PJRT_Buffer_Type_C64 = 14,
  // Complex of two 64-bit floats. [since 0.1]
  PJRT_Buffer_Type_C128 = 15,
  // 8-bit float: 5 bits of exponent, 2 of mantissa. [since 0.1]
  PJRT_Buffer_Type_F8E5M2 = 16,
  // 8-bit float: 4 bits of exponent, 3 of mantissa, finite only (no infinity). [since 0.1]
  PJRT_Buffer_Type_F8E4M3FN = 17,
  // 8-bit float: 4 bits of exponent, 3 of mantissa, bias 11, finite only, no negative zero. [since
  // 0.1]
  PJRT_Buffer_Type_F8E4M3B11FNUZ = 18,
  // 8-bit float: 5 bits of exponent, 2 of mantissa, finite only, no negative zero. [since 0.4]
  PJRT_Buffer_Type_F8E5M2FNUZ = 19,
  // 8-bit float: 4 bits of exponent, 3 of mantissa, finite only, no negative zero. [since 0.4]
  PJRT_Buffer_Type_F8E4M3FNUZ = 20,
  // Signed 4-bit integer. [since 0.4]
  PJRT_Buffer_Type_S4 = 21,
  // Unsigned 4-bit integer. [since 0.4]
  PJRT_Buffer_Type_U4 = 22,
  // A token; no data. [since 0.50]
  PJRT_Buffer_Type_TOKEN = 23,
  // Signed 2-bit integer. [since 0.53]
  PJRT_Buffer_Type_S2 = 24,
  // Unsigned 2-bit integer. [since 0.53]
  PJRT_Buffer_Type_U2 = 25,
  // 8-bit float: 4 bits of exponent, 3 of mantissa. [since 0.55]
  PJRT_Buffer_Type_F8E4M3 = 26,
  // 8-bit float: 3 bits of exponent, 4 of mantissa. [since 0.55]
  PJRT_Buffer_Type_F8E3M4 = 27,
  // 8-bit float: 8 bits of exponent, 0 of mantissa, unsigned, no infinity. [since 0.63]
  PJRT_Buffer_Type_F8E8M0FNU = 28,
  // 4-bit float: 2 bits of exponent, 1 of mantissa, finite only (no infinity). [since 0.63]
  PJRT_Buffer_Type_F4E2M1FN = 29,
  // Signed 1-bit integer. [since 0.94]
  PJRT_Buffer_Type_S1 = 30,
  // Unsigned 1-bit integer. [since 0.94]
  PJRT_Buffer_Type_U1 = 31,
  // 6-bit float: 2 bits of exponent, 3 of mantissa, finite only (no infinity). [since 0.114]
  PJRT_Buffer_Type_F6E2M3FN = 32,
  // 6-bit float: 3 bits of exponent, 2 of mantissa, finite only (no infinity). [since 0.114]
  PJRT_Buffer_Type_F6E3M2FN = 33
} PJRT_Buffer_Type;

// What may happen to host memory that a buffer is made from. [since 0.1]
typedef enum {
  // The memory is read only before the call returns. [since 0.1]
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall = 0,
  // The memory is read until `done_with_host_buffer` completes. [since 0.1]
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes = 1,
  // The buffer may use the memory itself, read-only, while it lives; `done_with_host_buffer`
  // completes when it is gone. [since 0.1]
  PJRT_HostBufferSemantics_kImmutableZeroCopy = 2,
  // As before, and the memory may also be written, for example by a donated output. Off the CPU the
  // same as kImmutableUntilTransferCompletes. [since 0.48]
  PJRT_HostBufferSemantics_kMutableZeroCopy = 3
} PJRT_HostBufferSemantics;

// Which member of PJRT_Buffer_MemoryLayout's union is set. [since 0.4]
typedef enum {
  // `tiled` is set. [since 0.4]
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
  // `strides` is set. [since 0.4]
  PJRT_Buffer_MemoryLayout_Type_Strides = 1
} PJRT_Buffer_MemoryLayout_Type;

// A layout by order of dimensions, with optional tiles. [since 0.4]
struct PJRT_Buffer_MemoryLayout_Tiled {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Dimensions from the fastest varying to the slowest. [in, since 0.4, length minor_to_major_size,
  // lives for the call]
  const int64_t* minor_to_major;
  // Number of `minor_to_major`; the rank. [in, since 0.4]
  size_t minor_to_major_size;
  // The dimensions of all tiles, one tile after the other. [in, since 0.4, length: the sum of
  // tile_dim_sizes, may be null, lives for the call]
  const int64_t* tile_dims;
  // Number of dimensions of each tile. [in, since 0.4, length num_tiles, may be null, lives for the
  // call]
  const size_t* tile_dim_sizes;
  // Number of tiles. [in, since 0.4]
  size_t num_tiles;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout_Tiled, num_tiles);

// A layout by bytes to step in each dimension. [since 0.4]
struct PJRT_Buffer_MemoryLayout_Strides {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Bytes to step in each dimension, possibly negative. [in, since 0.4, length num_byte_strides,
  // may be null, lives for the call]
  const int64_t* byte_strides;
  // Number of `byte_strides`: the rank, or 0. [in, since 0.4]
  size_t num_byte_strides;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides);

// How an array lies in memory. [since 0.4]
struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The layout. [in, since 0.4]
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  // Which member of the union is set. [in, since 0.4]
  PJRT_Buffer_MemoryLayout_Type type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_MemoryLayout, type);

// Arguments of the callback that PJRT_Buffer_CopyRawToHostFuture hands out. [since 0.84]
struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
  size_t struct_size;
  // To be passed back to the callback. [in, since 0.84, may be null]
  void* callback_data;
  // Code of the error; OK for success where that is allowed. [in, since 0.84]
  PJRT_Error_Code error_code;
  // Text of the error; lives for the call. [in, since 0.84, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.84]
  size_t error_message_size;
  // Where to write; read only if `error_code` is OK. [in, since 0.84, lives until: event]
  void* dst;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst);

// Arguments of the callback that PJRT_Buffer_DonateWithControlDependency hands out. [since 0.88]
struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
  size_t struct_size;
  // To be passed back to the callback. [in, since 0.88, may be null]
  void* callback_data;
  // Code of the error; OK for success where that is allowed. [in, since 0.88]
  PJRT_Error_Code error_code;
  // Text of the error; lives for the call. [in, since 0.88, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.88]
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message_size);

// Arguments of PJRT_Client_BufferFromHostBuffer. [since 0.1]
struct PJRT_Client_BufferFromHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // First element of the host array, which with negative strides is not its lowest address. [in,
  // since 0.1, length: the array that type, dims and byte_strides span, lives until:
  // host_buffer_semantics]
  const void* data;
  // Element type of host array and buffer. [in, since 0.1]
  PJRT_Buffer_Type type;
  // Dimensions. [in, since 0.1, length num_dims, lives for the call]
  const int64_t* dims;
  // Number of dimensions. [in, since 0.1]
  size_t num_dims;
  // Bytes to step in each dimension, possibly negative; null for dense row-major. [in, since 0.1,
  // length num_byte_strides, may be null, lives for the call]
  const int64_t* byte_strides;
  // Number of `byte_strides`: the rank, or 0. [in, since 0.1]
  size_t num_byte_strides;
  // How long and how the host memory may be used. [in, since 0.1]
  PJRT_HostBufferSemantics host_buffer_semantics;
  // Which device; may be null if `memory` is given. [in, since 0.1, may be null]
  PJRT_Device* device;
  // Where to put the buffer; wins over `device`. Null for the device's default memory. [in, since
  // 0.23, may be null]
  PJRT_Memory* memory;
  // Layout on the device, or null for the default. [in, since 0.23, may be null, lives for the
  // call]
  PJRT_Buffer_MemoryLayout* device_layout;
  // Completes when the host memory is no longer used. [out, since 0.23, freed by the caller:
  // PJRT_Event_Destroy]
  PJRT_Event* done_with_host_buffer;
  // The new buffer. [out, since 0.23, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_BufferFromHostBuffer_Args, buffer);

// Makes a device buffer from an array in host memory. The copy may go on after the call returns.
// [slot 22, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args);

// Arguments of PJRT_Buffer_Destroy. [since 0.1]
struct PJRT_Buffer_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer to free, or null. [in, since 0.1, may be null]
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Destroy_Args, buffer);

// Frees a buffer handle and drops its memory. Null is allowed. [slot 58, since 0.1, always
// implemented, threads: exclusive]
typedef PJRT_Error* PJRT_Buffer_Destroy(PJRT_Buffer_Destroy_Args* args);

// Arguments of PJRT_Buffer_ElementType. [since 0.5]
struct PJRT_Buffer_ElementType_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.5]
  PJRT_Buffer* buffer;
  // The element type. [out, since 0.5]
  PJRT_Buffer_Type type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ElementType_Args, type);

// Gives the element type of the array. [slot 59, since 0.5, always implemented]
typedef PJRT_Error* PJRT_Buffer_ElementType(PJRT_Buffer_ElementType_Args* args);

// Arguments of PJRT_Buffer_Dimensions. [since 0.6]
struct PJRT_Buffer_Dimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.6]
  PJRT_Buffer* buffer;
  // Dimensions. [out, since 0.6, length num_dims, lives until: buffer]
  const int64_t* dims;
  // Number of dimensions. [out, since 0.6]
  size_t num_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Dimensions_Args, num_dims);

// Gives the dimensions of the array. [slot 60, since 0.6, always implemented]
typedef PJRT_Error* PJRT_Buffer_Dimensions(PJRT_Buffer_Dimensions_Args* args);

// Arguments of PJRT_Buffer_UnpaddedDimensions. [since 0.7]
struct PJRT_Buffer_UnpaddedDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.7]
  PJRT_Buffer* buffer;
  // The dimensions. [out, since 0.7, length num_dims, lives until: buffer]
  const int64_t* unpadded_dims;
  // Number of dimensions. [out, since 0.7]
  size_t num_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_UnpaddedDimensions_Args, num_dims);

// Gives the dimensions in use, which are smaller than those of PJRT_Buffer_Dimensions where a
// dimension is dynamic. [slot 61, since 0.7, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args* args);

// Arguments of PJRT_Buffer_DynamicDimensionIndices. [since 0.11]
struct PJRT_Buffer_DynamicDimensionIndices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.11]
  PJRT_Buffer* buffer;
  // The indices. [out, since 0.11, length num_dynamic_dims, lives until: buffer]
  const size_t* dynamic_dim_indices;
  // Number of `dynamic_dim_indices`. [out, since 0.11]
  size_t num_dynamic_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DynamicDimensionIndices_Args, num_dynamic_dims);

// Lists which dimensions are dynamic; none when the shape is static. [slot 62, since 0.11, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Buffer_DynamicDimensionIndices(
    PJRT_Buffer_DynamicDimensionIndices_Args* args);

// Arguments of PJRT_Buffer_GetMemoryLayout. [since 0.10]
struct PJRT_Buffer_GetMemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.10]
  PJRT_Buffer* buffer;
  // The layout; its arrays live as long as the buffer. [out, since 0.10]
  PJRT_Buffer_MemoryLayout layout;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_GetMemoryLayout_Args, layout);

// Gives the layout of the array in device memory. Superseded by the Layouts extension. [slot 63,
// since 0.10, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args);

// Arguments of PJRT_Buffer_OnDeviceSizeInBytes. [since 0.1]
struct PJRT_Buffer_OnDeviceSizeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
  // The number of bytes. [out, since 0.1]
  size_t on_device_size_in_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_OnDeviceSizeInBytes_Args, on_device_size_in_bytes);

// Gives the number of bytes that the array takes on its device. [slot 64, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args);

// Arguments of PJRT_Buffer_Device. [since 0.1]
struct PJRT_Buffer_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
  // The device. [out, since 0.1, lives until: buffer]
  PJRT_Device* device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Device_Args, device);

// Gives the device that holds the buffer. [slot 65, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Buffer_Device(PJRT_Buffer_Device_Args* args);

// Arguments of PJRT_Buffer_Memory. [since 0.24]
struct PJRT_Buffer_Memory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.24]
  PJRT_Buffer* buffer;
  // The memory. [out, since 0.24, lives until: buffer]
  PJRT_Memory* memory;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Memory_Args, memory);

// Gives the memory that holds the buffer. [slot 66, since 0.24, always implemented]
typedef PJRT_Error* PJRT_Buffer_Memory(PJRT_Buffer_Memory_Args* args);

// Arguments of PJRT_Buffer_Delete. [since 0.1]
struct PJRT_Buffer_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Delete_Args, buffer);

// Drops the memory of a buffer and keeps the handle. Work that already uses the buffer finishes.
// [slot 67, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Buffer_Delete(PJRT_Buffer_Delete_Args* args);

// Arguments of PJRT_Buffer_IsDeleted. [since 0.1]
struct PJRT_Buffer_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
  // True once dropped. [out, since 0.1]
  bool is_deleted;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IsDeleted_Args, is_deleted);

// Tells whether the memory of the buffer has been dropped or given away. [slot 68, since 0.1,
// always implemented]
typedef PJRT_Error* PJRT_Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args);

// Arguments of PJRT_Buffer_CopyToDevice. [since 0.1]
struct PJRT_Buffer_CopyToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
  // Where to copy to. [in, since 0.1]
  PJRT_Device* dst_device;
  // The new buffer. [out, since 0.1, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* dst_buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyToDevice_Args, dst_buffer);

// Copies a buffer to another device of the same client. [slot 69, since 0.1, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args* args);

// Arguments of PJRT_Buffer_ToHostBuffer. [since 0.1]
struct PJRT_Buffer_ToHostBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer to read. [in, since 0.1]
  PJRT_Buffer* src;
  // Layout wanted in `dst`; null for the buffer's own. [in, since 0.8, may be null, lives for the
  // call]
  PJRT_Buffer_MemoryLayout* host_layout;
  // Where to write; null to ask for the size. [inout, since 0.8, length dst_size, may be null,
  // lives until: event]
  void* dst;
  // Bytes of `dst`; set to the size needed when `dst` is null. [inout, since 0.8]
  size_t dst_size;
  // Completes when `dst` is filled. Not set when only the size was asked for. [out, since 0.8,
  // freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ToHostBuffer_Args, event);

// Copies a buffer into host memory. With a null `dst` it only tells the size. [slot 70, since 0.1,
// always implemented]
typedef PJRT_Error* PJRT_Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args);

// Arguments of PJRT_Buffer_IsOnCpu. [since 0.1]
struct PJRT_Buffer_IsOnCpu_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
  // True if the host can read it. [out, since 0.1]
  bool is_on_cpu;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IsOnCpu_Args, is_on_cpu);

// Tells whether the contents lie in memory that the host can read. [slot 71, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args* args);

// Arguments of PJRT_Buffer_ReadyEvent. [since 0.1]
struct PJRT_Buffer_ReadyEvent_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
  // Completes when the contents are there. [out, since 0.1, freed by the caller:
  // PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_ReadyEvent_Args, event);

// Gives an event that completes when the contents are there or have failed. For a deleted or
// donated buffer it fails at once. [slot 72, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args);

// Arguments of PJRT_Buffer_UnsafePointer. [since 0.1]
struct PJRT_Buffer_UnsafePointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.1]
  PJRT_Buffer* buffer;
  // The address. [out, since 0.1]
  uintptr_t buffer_pointer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_UnsafePointer_Args, buffer_pointer);

// Gives the address of the contents. Nothing keeps it valid. [slot 73, since 0.1, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args* args);

// Arguments of PJRT_Buffer_IncreaseExternalReferenceCount. [since 0.19]
struct PJRT_Buffer_IncreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.19]
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_IncreaseExternalReferenceCount_Args, buffer);

// Counts one more outside user of the memory; while there is one it is neither freed nor moved.
// [slot 74, since 0.19, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args* args);

// Arguments of PJRT_Buffer_DecreaseExternalReferenceCount. [since 0.19]
struct PJRT_Buffer_DecreaseExternalReferenceCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.19]
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DecreaseExternalReferenceCount_Args, buffer);

// Counts one outside user less. Below zero is an error. [slot 75, since 0.19, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args* args);

// Arguments of PJRT_Buffer_OpaqueDeviceMemoryDataPointer. [since 0.19]
struct PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.19]
  PJRT_Buffer* buffer;
  // The address. [out, since 0.19, lives until: buffer]
  void* device_memory_ptr;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args, device_memory_ptr);

// Gives the address of the contents, valid while the external reference count is above zero. [slot
// 76, since 0.19, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Buffer_OpaqueDeviceMemoryDataPointer(
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args);

// Arguments of PJRT_Buffer_CopyToMemory. [since 0.32]
struct PJRT_Buffer_CopyToMemory_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.32]
  PJRT_Buffer* buffer;
  // Where to copy to. [in, since 0.32]
  PJRT_Memory* dst_memory;
  // The new buffer. [out, since 0.32, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* dst_buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyToMemory_Args, dst_buffer);

// Copies a buffer to another memory of the same client. [slot 92, since 0.32, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args* args);

// Arguments of PJRT_Client_CreateViewOfDeviceBuffer. [since 0.33]
struct PJRT_Client_CreateViewOfDeviceBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.33]
  PJRT_Client* client;
  // Address of the bytes on the device. [in, since 0.33, lives until: on_delete_callback]
  void* device_buffer_ptr;
  // Dimensions. [in, since 0.33, length num_dims, lives for the call]
  const int64_t* dims;
  // Number of dimensions. [in, since 0.33]
  size_t num_dims;
  // Element type. [in, since 0.33]
  PJRT_Buffer_Type element_type;
  // Layout, or null for the default. [in, since 0.33, may be null, lives for the call]
  PJRT_Buffer_MemoryLayout* layout;
  // Device that holds the bytes; superseded by `memory`. [in, since 0.33, may be null]
  PJRT_Device* device;
  // Called when the buffer no longer uses the memory, or null. [in, since 0.33, may be null]
  void (*on_delete_callback)(void* device_buffer_ptr, void* user_arg);
  // Passed to `on_delete_callback`. [in, since 0.33, may be null]
  void* on_delete_callback_arg;
  // Stream of the platform on which the bytes become ready, or 0. [in, since 0.33]
  intptr_t stream;
  // The new buffer. [out, since 0.33, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* buffer;
  // Memory that holds the bytes; wins over `device`. [in, since 0.66, may be null, if absent: null]
  PJRT_Memory* memory;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory);

// Wraps device memory that somebody else owns as a buffer, without a copy. [slot 93, since 0.33,
// answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Client_CreateViewOfDeviceBuffer(
    PJRT_Client_CreateViewOfDeviceBuffer_Args* args);

// Arguments of PJRT_Buffer_CopyRawToHost. [since 0.56]
struct PJRT_Buffer_CopyRawToHost_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.56]
  PJRT_Buffer* buffer;
  // Where to write. [inout, since 0.56, length transfer_size, lives until: event]
  void* dst;
  // First byte on the device. [in, since 0.56]
  int64_t offset;
  // Number of bytes. [in, since 0.56]
  int64_t transfer_size;
  // Completes when `dst` is filled. [out, since 0.56, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHost_Args, event);

// Copies a range of the buffer's bytes, as they lie on the device, into host memory. [slot 100,
// since 0.56, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args* args);

// Arguments of PJRT_Client_DmaMap. [since 0.67]
struct PJRT_Client_DmaMap_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.67]
  PJRT_Client* client;
  // Start of the range. [in, since 0.67, length size, lives until: PJRT_Client_DmaUnmap]
  void* data;
  // Bytes of the range. [in, since 0.67]
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaMap_Args, size);

// Pins a range of host memory so that devices can reach it directly. [slot 110, since 0.67, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Client_DmaMap(PJRT_Client_DmaMap_Args* args);

// Arguments of PJRT_Client_DmaUnmap. [since 0.67]
struct PJRT_Client_DmaUnmap_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.67]
  PJRT_Client* client;
  // Start of a range pinned before. [in, since 0.67]
  void* data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DmaUnmap_Args, data);

// Unpins what PJRT_Client_DmaMap pinned. [slot 111, since 0.67, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Client_DmaUnmap(PJRT_Client_DmaUnmap_Args* args);

// Arguments of PJRT_Client_CreateUninitializedBuffer. [since 0.69]
struct PJRT_Client_CreateUninitializedBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.69]
  PJRT_Client* client;
  // Dimensions of the array. [in, since 0.69, length shape_num_dims, lives for the call]
  const int64_t* shape_dims;
  // Number of dimensions. [in, since 0.69]
  size_t shape_num_dims;
  // Element type. [in, since 0.69]
  PJRT_Buffer_Type shape_element_type;
  // Layout, or null for the default. [in, since 0.69, may be null, lives for the call]
  PJRT_Buffer_MemoryLayout* shape_layout;
  // Which device; may be null if `memory` is given. [in, since 0.69, may be null]
  PJRT_Device* device;
  // Where to put the buffer; wins over `device`. Null for the device's default memory. [in, since
  // 0.69, may be null]
  PJRT_Memory* memory;
  // The new buffer. [out, since 0.69, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateUninitializedBuffer_Args, buffer);

// Makes a buffer whose contents are not set. [slot 112, since 0.69, answers UNIMPLEMENTED if
// absent, clients call it from minor 69 on]
typedef PJRT_Error* PJRT_Client_CreateUninitializedBuffer(
    PJRT_Client_CreateUninitializedBuffer_Args* args);

// Arguments of PJRT_Client_CreateAliasBuffer. [since 0.77]
struct PJRT_Client_CreateAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.77]
  PJRT_Client* client;
  // The memory. [in, since 0.77]
  PJRT_Memory* memory;
  // Dimensions of the array. [in, since 0.77, length shape_num_dims, lives for the call]
  const int64_t* shape_dims;
  // Number of dimensions. [in, since 0.77]
  size_t shape_num_dims;
  // Element type. [in, since 0.77]
  PJRT_Buffer_Type shape_element_type;
  // Layout, or null for the default. [in, since 0.77, may be null, lives for the call]
  PJRT_Buffer_MemoryLayout* shape_layout;
  // The buffer that stands for another. [out, since 0.77, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* alias_buffer;
  // What names the other buffer; used once. [out, since 0.77, lives until:
  // PJRT_Client_FulfillAliasBuffer]
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateAliasBuffer_Args, fulfill_alias_buffer_cb);

// Makes a buffer that stands for another one which will exist later, and the handle with which to
// name it. [slot 115, since 0.77, answers UNIMPLEMENTED if absent, clients call it from minor 76
// on]
typedef PJRT_Error* PJRT_Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args* args);

// Arguments of PJRT_Client_FulfillAliasBuffer. [since 0.77]
struct PJRT_Client_FulfillAliasBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.77]
  PJRT_Client* client;
  // The buffer that the alias stands for; null if it failed. [in, since 0.77, may be null]
  PJRT_Buffer* buffer;
  // OK, or why there is no buffer. [in, since 0.77]
  PJRT_Error_Code status_code;
  // Text of the error; lives for the call. [in, since 0.77, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.77]
  size_t error_message_size;
  // What names the other buffer; used once. [in, since 0.77]
  PJRT_FulfillAliasBufferCallback* fulfill_alias_buffer_cb;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_FulfillAliasBuffer_Args, fulfill_alias_buffer_cb);

// Says which buffer an alias stands for, or that it failed. [slot 116, since 0.77, answers
// UNIMPLEMENTED if absent, clients call it from minor 76 on]
typedef PJRT_Error* PJRT_Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args* args);

// Arguments of PJRT_Client_CreateErrorBuffer. [since 0.82]
struct PJRT_Client_CreateErrorBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.82]
  PJRT_Client* client;
  // Code of the error; OK for success where that is allowed. [in, since 0.82]
  PJRT_Error_Code error_code;
  // Text of the error; lives for the call. [in, since 0.82, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.82]
  size_t error_message_size;
  // Dimensions of the array. [in, since 0.82, length shape_num_dims, lives for the call]
  const int64_t* shape_dims;
  // Number of dimensions. [in, since 0.82]
  size_t shape_num_dims;
  // Element type. [in, since 0.82]
  PJRT_Buffer_Type shape_element_type;
  // Layout, or null for the default. [in, since 0.82, may be null, lives for the call]
  PJRT_Buffer_MemoryLayout* shape_layout;
  // The memory. [in, since 0.82]
  PJRT_Memory* memory;
  // The new buffer. [out, since 0.82, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* buffer;
  // Payloads of the error. [in, since 0.103, length num_payload, may be null, lives for the call,
  // if absent: null]
  const PJRT_NamedValue* payload;
  // Number of `payload`. [in, since 0.103, if absent: 0]
  size_t num_payload;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateErrorBuffer_Args, num_payload);

// Makes a buffer that carries an error instead of data. Whoever executes with it receives the
// error. [slot 118, since 0.82, answers UNIMPLEMENTED if absent, clients call it from minor 82 on]
typedef PJRT_Error* PJRT_Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args* args);

// Arguments of PJRT_Buffer_CopyRawToHostFuture. [since 0.84]
struct PJRT_Buffer_CopyRawToHostFuture_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.84]
  PJRT_Buffer* buffer;
  // First byte on the device. [in, since 0.84]
  int64_t offset;
  // Number of bytes. [in, since 0.84]
  int64_t transfer_size;
  // Completes when the copy is done. [out, since 0.84, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
  // To be passed back to the callback. [out, since 0.84, lives until: buffer]
  void* callback_data;
  // The caller calls it once, with the destination or an error. [out, since 0.84]
  void (*future_ready_callback)(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_CopyRawToHostFuture_Args, future_ready_callback);

// Prepares a copy of raw bytes whose destination the caller names later, through the callback that
// it receives. [slot 120, since 0.84, answers UNIMPLEMENTED if absent, clients call it from minor
// 84 on]
typedef PJRT_Error* PJRT_Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args* args);

// Arguments of PJRT_Buffer_DonateWithControlDependency. [since 0.88]
struct PJRT_Buffer_DonateWithControlDependency_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.88]
  PJRT_Buffer* buffer;
  // To be passed back to the callback. [out, since 0.88, lives until: buffer]
  void* callback_data;
  // The caller calls it once, when the new buffer may be used or has failed. [out, since 0.88]
  void (*dependency_ready_callback)(PJRT_Buffer_DonateWithControlDependency_Callback_Args* args);
  // The new buffer. [out, since 0.88, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* out_buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_DonateWithControlDependency_Args, out_buffer);

// Gives the memory to a new buffer that becomes ready only when the caller says so through the
// callback that it receives. [slot 125, since 0.88, answers UNIMPLEMENTED if absent, clients call
// it from minor 88 on]
typedef PJRT_Error* PJRT_Buffer_DonateWithControlDependency(
    PJRT_Buffer_DonateWithControlDependency_Args* args);

// Arguments of PJRT_Buffer_Bitcast. [since 0.98]
struct PJRT_Buffer_Bitcast_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.98]
  PJRT_Buffer* buffer;
  // The new element type. [in, since 0.98]
  PJRT_Buffer_Type element_type;
  // The new dimensions. [in, since 0.98, length num_dims, lives for the call]
  const int64_t* dims;
  // Number of dimensions. [in, since 0.98]
  size_t num_dims;
  // The new layout, or null for the default (not the source's). [in, since 0.98, may be null, lives
  // for the call]
  PJRT_Buffer_MemoryLayout* device_layout;
  // The new buffer. [out, since 0.98, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* out_buffer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Buffer_Bitcast_Args, out_buffer);

// Makes a buffer that sees the same bytes as another type, shape or layout. [slot 131, since 0.98,
// null if absent, clients call it from minor 98 on]
typedef PJRT_Error* PJRT_Buffer_Bitcast(PJRT_Buffer_Bitcast_Args* args);

// ---- Transfers from the host, piece by piece ----------------------------------------------------

// Buffers that are filled from the host piece by piece.

// Type and dimensions of an array to be made. Arrays of it are indexed with its size, so it never
// grows. Never grows. [since 0.60]
struct PJRT_ShapeSpec {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Dimensions. [in, since 0.60, length num_dims, lives for the call]
  const int64_t* dims;
  // Number of dimensions. [in, since 0.60]
  size_t num_dims;
  // Element type. [in, since 0.60]
  PJRT_Buffer_Type element_type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ShapeSpec, element_type);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_Destroy. [since 0.60]
struct PJRT_AsyncHostToDeviceTransferManager_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The manager to free, or null. [in, since 0.60, may be null]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager);

// Frees a transfer manager. Null is allowed. Buffers not completed by then fail. [slot 101, since
// 0.60, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_TransferData. [since 0.60]
struct PJRT_AsyncHostToDeviceTransferManager_TransferData_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.60]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Which buffer, from 0. [in, since 0.60]
  int buffer_index;
  // Host bytes; kept unchanged until `done_with_h2d_transfer` completes. [in, since 0.60, length
  // transfer_size, lives until: done_with_h2d_transfer]
  const void* data;
  // First byte on the device. [in, since 0.60]
  int64_t offset;
  // Number of bytes. [in, since 0.60]
  int64_t transfer_size;
  // True if nothing more comes for this buffer. [in, since 0.60]
  bool is_last_transfer;
  // Completes when the host memory is no longer read. [out, since 0.60, freed by the caller:
  // PJRT_Event_Destroy]
  PJRT_Event* done_with_h2d_transfer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args, done_with_h2d_transfer);

// Copies host bytes to a place in one of the manager's buffers. [slot 102, since 0.60, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args);

// Arguments of PJRT_Client_CreateBuffersForAsyncHostToDevice. [since 0.60]
struct PJRT_Client_CreateBuffersForAsyncHostToDevice_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.60]
  PJRT_Client* client;
  // Type and dimensions of each buffer. [in, since 0.60, length num_shape_specs, lives for the
  // call]
  PJRT_ShapeSpec* shape_specs;
  // Number of buffers. [in, since 0.60]
  size_t num_shape_specs;
  // Layout of each buffer, or null for the default. [in, since 0.60, length num_device_layouts, may
  // be null, lives for the call]
  PJRT_Buffer_MemoryLayout** device_layouts;
  // Number of `device_layouts`: as many as buffers, or 0. [in, since 0.60]
  size_t num_device_layouts;
  // The memory. [in, since 0.60]
  PJRT_Memory* memory;
  // The new manager. [out, since 0.60, freed by the caller:
  // PJRT_AsyncHostToDeviceTransferManager_Destroy]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager);

// Makes buffers that are filled piece by piece later, and the manager that fills them. [slot 103,
// since 0.60, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer. [since 0.62]
struct PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.62]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Which buffer, from 0. [in, since 0.62]
  int buffer_index;
  // The buffer. [out, since 0.62, freed by the caller: PJRT_Buffer_Destroy]
  PJRT_Buffer* buffer_out;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer_out);

// Hands out one of the manager's buffers, also before its data has arrived. [slot 104, since 0.62,
// answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_Device. [since 0.62]
struct PJRT_AsyncHostToDeviceTransferManager_Device_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.62]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // The device. [out, since 0.62, lives until: transfer_manager]
  PJRT_Device* device_out;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_Device_Args, device_out);

// Gives the device that the manager transfers to. [slot 105, since 0.62, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_BufferCount. [since 0.62]
struct PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.62]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // The number of buffers. [out, since 0.62]
  size_t buffer_count;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count);

// Gives the number of buffers. [slot 106, since 0.62, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_BufferSize. [since 0.62]
struct PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.62]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Which buffer, from 0. [in, since 0.62]
  int buffer_index;
  // The size in bytes. [out, since 0.62]
  size_t buffer_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_size);

// Gives the size of one buffer on the device. [slot 107, since 0.62, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_SetBufferError. [since 0.62]
struct PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.62]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Which buffer, from 0. [in, since 0.62]
  int buffer_index;
  // Code of the error; OK for success where that is allowed. [in, since 0.62]
  PJRT_Error_Code error_code;
  // Text of the error; lives for the call. [in, since 0.62, length error_message_size, may be null,
  // lives for the call]
  const char* error_message;
  // Bytes of `error_message`. [in, since 0.62]
  size_t error_message_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message_size);

// Completes one buffer with an error instead of data. [slot 108, since 0.62, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_AddMetadata. [since 0.62]
struct PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.62]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // The values. [in, since 0.62, length num_metadata, may be null, lives for the call]
  const PJRT_NamedValue* transfer_metadata;
  // Number of `transfer_metadata`. [in, since 0.62]
  size_t num_metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata);

// Attaches named values to the transfers of this manager. [slot 109, since 0.62, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args* args);

// Arguments of PJRT_AsyncHostToDeviceTransferManager_TransferLiteral. [since 0.83]
struct PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The transfer manager. [in, since 0.83]
  PJRT_AsyncHostToDeviceTransferManager* transfer_manager;
  // Which buffer, from 0. [in, since 0.83]
  int buffer_index;
  // The array in host memory; kept unchanged until `done_with_h2d_transfer` completes. [in, since
  // 0.83, length: the array that the shape spans, lives until: done_with_h2d_transfer]
  const void* data;
  // Dimensions of the array. [in, since 0.83, length shape_num_dims, lives for the call]
  const int64_t* shape_dims;
  // Number of dimensions. [in, since 0.83]
  size_t shape_num_dims;
  // Element type. [in, since 0.83]
  PJRT_Buffer_Type shape_element_type;
  // Layout, or null for the default. [in, since 0.83, may be null, lives for the call]
  PJRT_Buffer_MemoryLayout* shape_layout;
  // Completes when the host memory is no longer read. [out, since 0.83, freed by the caller:
  // PJRT_Event_Destroy]
  PJRT_Event* done_with_h2d_transfer;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args, done_with_h2d_transfer);

// Copies a whole array of a given shape into one of the manager's buffers. [slot 119, since 0.83,
// answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args);

// ---- Programs and compilation -------------------------------------------------------------------

// From a program to something that can be loaded.

// A program as bytes, with the name of their format: `hlo`, `hlo_with_config` or `mlir`. [since
// 0.1]
struct PJRT_Program {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The bytes. Input of a compilation; for PJRT_Executable_OptimizedProgram the caller's buffer, or
  // null to ask for the size. [inout, since 0.1, length code_size, may be null]
  char* code;
  // Bytes of `code`. [inout, since 0.1]
  size_t code_size;
  // Name of the format. Owned by the caller on input, by the plugin on output. [inout, since 0.1,
  // length format_size]
  const char* format;
  // Bytes of `format`. [inout, since 0.1]
  size_t format_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Program, format_size);

// How to load a program. [since 0.111]
struct PJRT_LoadOptions {
  size_t struct_size;
  // Coordinates of the first device to use. [in, since 0.111, length computation_origin_size, may
  // be null, lives for the call]
  const int32_t* computation_origin;
  // Number of coordinates. [in, since 0.111]
  size_t computation_origin_size;
  // How the program spreads over slices, or null. [in, since 0.111, may be null]
  PJRT_MultiSlice_Config* multi_slice_config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadOptions, multi_slice_config);

// Arguments of PJRT_Client_Compile. [since 0.1]
struct PJRT_Client_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The program; lives for the call. [in, since 0.1, lives for the call]
  const PJRT_Program* program;
  // A serialized CompileOptionsProto. [in, since 0.1, length compile_options_size, lives for the
  // call]
  const char* compile_options;
  // Bytes of `compile_options`. [in, since 0.1]
  size_t compile_options_size;
  // The loaded executable. [out, since 0.1, freed by the caller: PJRT_LoadedExecutable_Destroy]
  PJRT_LoadedExecutable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Compile_Args, executable);

// Compiles a program and loads it onto the client's devices, in one step. [slot 20, since 0.1,
// always implemented]
typedef PJRT_Error* PJRT_Client_Compile(PJRT_Client_Compile_Args* args);

// Arguments of PJRT_Client_DefaultDeviceAssignment. [since 0.1]
struct PJRT_Client_DefaultDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The number of replicas. [in, since 0.1]
  int num_replicas;
  // The number of partitions. [in, since 0.1]
  int num_partitions;
  // Number of elements of `default_assignment`; at least replicas times partitions. [in, since 0.1]
  size_t default_assignment_size;
  // Receives replicas times partitions device ids, replica by replica. [inout, since 0.1, length
  // default_assignment_size, may be null]
  int* default_assignment;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_DefaultDeviceAssignment_Args, default_assignment);

// Writes the device ids that a program with these replica and partition counts would run on. [slot
// 21, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Client_DefaultDeviceAssignment(
    PJRT_Client_DefaultDeviceAssignment_Args* args);

// Arguments of PJRT_Executable_DeserializeAndLoad. [since 0.1]
struct PJRT_Executable_DeserializeAndLoad_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.1]
  PJRT_Client* client;
  // The bytes. [in, since 0.1, length serialized_executable_size, lives for the call]
  const char* serialized_executable;
  // Bytes of `serialized_executable`. [in, since 0.1]
  size_t serialized_executable_size;
  // The loaded executable. [out, since 0.1, freed by the caller: PJRT_LoadedExecutable_Destroy]
  PJRT_LoadedExecutable* loaded_executable;
  // A serialized CompileOptionsProto that replaces the stored one, or null. [in, since 0.71, length
  // overridden_serialized_compile_options_size, may be null, lives for the call, if absent: null]
  const char* overridden_serialized_compile_options;
  // Bytes of it. [in, since 0.71, if absent: 0]
  size_t overridden_serialized_compile_options_size;
  // How to load, or null. [in, since 0.111, may be null, lives for the call, if absent: null]
  PJRT_LoadOptions* load_options;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_DeserializeAndLoad_Args, load_options);

// Loads bytes that PJRT_Executable_Serialize made on the same platform and version. [slot 56, since
// 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_DeserializeAndLoad(
    PJRT_Executable_DeserializeAndLoad_Args* args);

// Arguments of PJRT_Compile. [since 0.1]
struct PJRT_Compile_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.1]
  const PJRT_TopologyDescription* topology;
  // The program; lives for the call. [in, since 0.1, lives for the call]
  const PJRT_Program* program;
  // A serialized CompileOptionsProto. [in, since 0.1, length compile_options_size, lives for the
  // call]
  const char* compile_options;
  // Bytes of `compile_options`. [in, since 0.1]
  size_t compile_options_size;
  // A client whose hardware the compiler may measure, or null. [in, since 0.1, may be null]
  PJRT_Client* client;
  // The compiled program. [out, since 0.1, freed by the caller: PJRT_Executable_Destroy]
  PJRT_Executable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Compile_Args, executable);

// Compiles a program for a topology, with no device at hand. A client must load the result before
// it can run. [slot 89, since 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Compile(PJRT_Compile_Args* args);

// Arguments of PJRT_Client_Load. [since 0.95]
struct PJRT_Client_Load_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.95]
  PJRT_Client* client;
  // What to load. [in, since 0.95]
  PJRT_Executable* executable;
  // A serialized CompileOptionsProto. [in, since 0.95, length compile_options_size, lives for the
  // call]
  const char* compile_options;
  // Bytes of `compile_options`. [in, since 0.95]
  size_t compile_options_size;
  // The loaded executable. [out, since 0.95, freed by the caller: PJRT_LoadedExecutable_Destroy]
  PJRT_LoadedExecutable* loaded_executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_Load_Args, loaded_executable);

// Loads an executable onto the client's devices. [slot 129, since 0.95, null if absent]
typedef PJRT_Error* PJRT_Client_Load(PJRT_Client_Load_Args* args);

// ---- Executables --------------------------------------------------------------------------------

// A compiled program: what is known about it, and saving it.

// The place of a device in the program. Never grows. [since 0.96]
struct PJRT_LogicalDeviceIds {
  // Replica. [in, since 0.96]
  int replica;
  // Partition. [in, since 0.96]
  int partition;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LogicalDeviceIds, partition);

// Arguments of PJRT_Executable_Destroy. [since 0.1]
struct PJRT_Executable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable to free, or null. [in, since 0.1, may be null]
  PJRT_Executable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Destroy_Args, executable);

// Frees an executable. Null is allowed. [slot 40, since 0.1, always implemented, threads:
// exclusive]
typedef PJRT_Error* PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args* args);

// Arguments of PJRT_Executable_Name. [since 0.1]
struct PJRT_Executable_Name_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_Executable* executable;
  // The name; lives as long as the executable. [out, since 0.1, length executable_name_size, lives
  // until: executable]
  const char* executable_name;
  // Bytes of `executable_name`. [out, since 0.1]
  size_t executable_name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Name_Args, executable_name_size);

// Gives the name of the program. [slot 41, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Executable_Name(PJRT_Executable_Name_Args* args);

// Arguments of PJRT_Executable_NumReplicas. [since 0.1]
struct PJRT_Executable_NumReplicas_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_Executable* executable;
  // The number of replicas. [out, since 0.1]
  size_t num_replicas;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumReplicas_Args, num_replicas);

// Gives the number of replicas the program was compiled for. [slot 42, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args* args);

// Arguments of PJRT_Executable_NumPartitions. [since 0.1]
struct PJRT_Executable_NumPartitions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_Executable* executable;
  // The number of partitions. [out, since 0.1]
  size_t num_partitions;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumPartitions_Args, num_partitions);

// Gives the number of partitions the program was compiled for. [slot 43, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args* args);

// Arguments of PJRT_Executable_NumOutputs. [since 0.1]
struct PJRT_Executable_NumOutputs_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_Executable* executable;
  // The number of outputs. [out, since 0.1]
  size_t num_outputs;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_NumOutputs_Args, num_outputs);

// Gives the number of outputs that one device produces. [slot 44, since 0.1, always implemented]
typedef PJRT_Error* PJRT_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args* args);

// Arguments of PJRT_Executable_SizeOfGeneratedCodeInBytes. [since 0.1]
struct PJRT_Executable_SizeOfGeneratedCodeInBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_Executable* executable;
  // The size in bytes. [out, since 0.1]
  int64_t size_in_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args, size_in_bytes);

// Gives the size of the generated code. [slot 45, since 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args* args);

// Arguments of PJRT_Executable_GetCostAnalysis. [since 0.2]
struct PJRT_Executable_GetCostAnalysis_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.2]
  PJRT_Executable* executable;
  // Number of `properties`. [out, since 0.2]
  size_t num_properties;
  // The estimates. [out, since 0.2, length num_properties, lives until: executable]
  const PJRT_NamedValue* properties;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCostAnalysis_Args, properties);

// Lists what the compiler estimates the program costs: operations, bytes moved, and whatever else
// the platform knows. [slot 46, since 0.2, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args* args);

// Arguments of PJRT_Executable_OutputMemoryKinds. [since 0.18]
struct PJRT_Executable_OutputMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.18]
  PJRT_Executable* executable;
  // The number of outputs. [out, since 0.18]
  size_t num_outputs;
  // The kind of each. [out, since 0.18, length num_outputs, lives until: executable]
  const char* const* memory_kinds;
  // Bytes of each text in `memory_kinds`. [out, since 0.18, length num_outputs, lives until:
  // executable]
  const size_t* memory_kind_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputMemoryKinds_Args, memory_kind_sizes);

// Gives the memory kind of each output. [slot 47, since 0.18, always implemented]
typedef PJRT_Error* PJRT_Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args* args);

// Arguments of PJRT_Executable_OptimizedProgram. [since 0.1]
struct PJRT_Executable_OptimizedProgram_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_Executable* executable;
  // Receives the program; see the function. [inout, since 0.1]
  PJRT_Program* program;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OptimizedProgram_Args, program);

// Returns the program after optimization. Called twice: with a null `code` for the size, then with
// a buffer of that size. [slot 48, since 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args* args);

// Arguments of PJRT_Executable_Serialize. [since 0.1]
struct PJRT_Executable_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  const PJRT_Executable* executable;
  // The bytes; live until the holder is freed. [out, since 0.20, length serialized_bytes_size,
  // lives until: serialized_executable_deleter(serialized_executable)]
  const char* serialized_bytes;
  // Number of bytes. [out, since 0.20]
  size_t serialized_bytes_size;
  // Holds the bytes. [out, since 0.20, freed by the caller: serialized_executable_deleter]
  PJRT_SerializedExecutable* serialized_executable;
  // Frees the holder; called once. [out, since 0.20]
  void (*serialized_executable_deleter)(PJRT_SerializedExecutable* exec);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Serialize_Args, serialized_executable_deleter);

// Turns an executable into bytes that the same platform and version can load again. [slot 49, since
// 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_Serialize(PJRT_Executable_Serialize_Args* args);

// Arguments of PJRT_LoadedExecutable_Destroy. [since 0.1]
struct PJRT_LoadedExecutable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable to free, or null. [in, since 0.1, may be null]
  PJRT_LoadedExecutable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Destroy_Args, executable);

// Frees a loaded executable, and unloads it first if that has not been done. Null is allowed. [slot
// 50, since 0.1, always implemented, threads: exclusive]
typedef PJRT_Error* PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args* args);

// Arguments of PJRT_LoadedExecutable_GetExecutable. [since 0.1]
struct PJRT_LoadedExecutable_GetExecutable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The loaded executable. [in, since 0.1]
  PJRT_LoadedExecutable* loaded_executable;
  // A new handle for the program. [out, since 0.1, freed by the caller: PJRT_Executable_Destroy]
  PJRT_Executable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_GetExecutable_Args, executable);

// Makes an executable handle for what was loaded. The caller frees it. [slot 51, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_LoadedExecutable_GetExecutable(
    PJRT_LoadedExecutable_GetExecutable_Args* args);

// Arguments of PJRT_LoadedExecutable_AddressableDevices. [since 0.1]
struct PJRT_LoadedExecutable_AddressableDevices_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_LoadedExecutable* executable;
  // The devices. [out, since 0.1, length num_addressable_devices, lives until: executable]
  PJRT_Device* const* addressable_devices;
  // Number of `addressable_devices`. [out, since 0.1]
  size_t num_addressable_devices;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_AddressableDevices_Args, num_addressable_devices);

// Lists the devices of this client that the program runs on. [slot 52, since 0.1, always
// implemented]
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args* args);

// Arguments of PJRT_LoadedExecutable_Delete. [since 0.1]
struct PJRT_LoadedExecutable_Delete_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_LoadedExecutable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Delete_Args, executable);

// Unloads the program and keeps the handle. Executions already started finish. [slot 53, since 0.1,
// always implemented]
typedef PJRT_Error* PJRT_LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args* args);

// Arguments of PJRT_LoadedExecutable_IsDeleted. [since 0.1]
struct PJRT_LoadedExecutable_IsDeleted_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_LoadedExecutable* executable;
  // True once dropped. [out, since 0.1]
  bool is_deleted;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_IsDeleted_Args, is_deleted);

// Tells whether the program has been unloaded. [slot 54, since 0.1, always implemented]
typedef PJRT_Error* PJRT_LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args* args);

// Arguments of PJRT_LoadedExecutable_Fingerprint. [since 0.28]
struct PJRT_LoadedExecutable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.28]
  PJRT_LoadedExecutable* executable;
  // The fingerprint; lives as long as the executable. [out, since 0.28, length
  // executable_fingerprint_size, lives until: executable]
  const char* executable_fingerprint;
  // Bytes of `executable_fingerprint`. [out, since 0.28]
  size_t executable_fingerprint_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Fingerprint_Args, executable_fingerprint_size);

// Gives a text that is equal for equal programs. Superseded by PJRT_Executable_Fingerprint. [slot
// 57, since 0.28, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args* args);

// Arguments of PJRT_Executable_OutputElementTypes. [since 0.29]
struct PJRT_Executable_OutputElementTypes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.29]
  PJRT_Executable* executable;
  // The types. [out, since 0.29, length num_output_types, lives until: executable]
  PJRT_Buffer_Type* output_types;
  // Number of `output_types`. [out, since 0.29]
  size_t num_output_types;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputElementTypes_Args, num_output_types);

// Gives the element type of each output. [slot 90, since 0.29, always implemented]
typedef PJRT_Error* PJRT_Executable_OutputElementTypes(
    PJRT_Executable_OutputElementTypes_Args* args);

// Arguments of PJRT_Executable_OutputDimensions. [since 0.29]
struct PJRT_Executable_OutputDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.29]
  PJRT_Executable* executable;
  // The number of outputs. [out, since 0.29]
  size_t num_outputs;
  // Dimensions of all outputs, one output after the other. [out, since 0.29, length: the sum of
  // dim_sizes, lives until: executable]
  const int64_t* dims;
  // Rank of each output. [out, since 0.29, length num_outputs, lives until: executable]
  const size_t* dim_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_OutputDimensions_Args, dim_sizes);

// Gives the dimensions of all outputs, one after the other. [slot 91, since 0.29, always
// implemented]
typedef PJRT_Error* PJRT_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args* args);

// Arguments of PJRT_Executable_Fingerprint. [since 0.35]
struct PJRT_Executable_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.35]
  PJRT_Executable* executable;
  // The fingerprint; lives as long as the executable. [out, since 0.35, length
  // executable_fingerprint_size, lives until: executable]
  const char* executable_fingerprint;
  // Bytes of `executable_fingerprint`. [out, since 0.35]
  size_t executable_fingerprint_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_Fingerprint_Args, executable_fingerprint_size);

// Gives a text that is equal for equal program, options and compiler. [slot 94, since 0.35, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_Fingerprint(PJRT_Executable_Fingerprint_Args* args);

// Arguments of PJRT_Executable_GetCompiledMemoryStats. [since 0.40]
struct PJRT_Executable_GetCompiledMemoryStats_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.40]
  PJRT_Executable* executable;
  // Code. [out, since 0.40]
  int64_t generated_code_size_in_bytes;
  // Arguments. [out, since 0.40]
  int64_t argument_size_in_bytes;
  // Outputs. [out, since 0.40]
  int64_t output_size_in_bytes;
  // Outputs that reuse arguments. [out, since 0.40]
  int64_t alias_size_in_bytes;
  // Temporaries. [out, since 0.40]
  int64_t temp_size_in_bytes;
  // Code in host memory. [out, since 0.43, if absent: 0]
  int64_t host_generated_code_size_in_bytes;
  // Arguments in host memory. [out, since 0.43, if absent: 0]
  int64_t host_argument_size_in_bytes;
  // Outputs in host memory. [out, since 0.43, if absent: 0]
  int64_t host_output_size_in_bytes;
  // Outputs that reuse arguments in host memory. [out, since 0.43, if absent: 0]
  int64_t host_alias_size_in_bytes;
  // Temporaries in host memory. [out, since 0.43, if absent: 0]
  int64_t host_temp_size_in_bytes;
  // Most memory in use at one time. [out, since 0.72, if absent: 0]
  int64_t peak_memory_in_bytes;
  // All of the device's default memory that is needed. [out, since 0.90, if absent: 0]
  int64_t total_size_in_bytes;
  // Bytes of all allocations. [out, since 0.104, if absent: 0]
  int64_t total_allocation_bytes;
  // Bytes of allocations that stay for the whole run. [out, since 0.104, if absent: 0]
  int64_t indefinite_allocations;
  // Peak of the heap, without padding. [out, since 0.104, if absent: 0]
  int64_t peak_unpadded_heap_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCompiledMemoryStats_Args, peak_unpadded_heap_bytes);

// Gives the memory that one execution needs, by purpose. [slot 96, since 0.40, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_GetCompiledMemoryStats(
    PJRT_Executable_GetCompiledMemoryStats_Args* args);

// Arguments of PJRT_LoadedExecutable_GetDeviceAssignment. [since 0.79]
struct PJRT_LoadedExecutable_GetDeviceAssignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.79]
  PJRT_LoadedExecutable* executable;
  // The bytes; live until the holder is freed. [out, since 0.79, length serialized_bytes_size,
  // lives until: serialized_device_assignment_deleter(serialized_device_assignment)]
  const char* serialized_bytes;
  // Number of bytes. [out, since 0.79]
  size_t serialized_bytes_size;
  // Holds the bytes. [out, since 0.79, freed by the caller: serialized_device_assignment_deleter]
  PJRT_DeviceAssignmentSerialized* serialized_device_assignment;
  // Frees the holder; called once. [out, since 0.79]
  void (*serialized_device_assignment_deleter)(PJRT_DeviceAssignmentSerialized* da);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_GetDeviceAssignment_Args, serialized_device_assignment_deleter);

// Gives the device assignment as a serialized DeviceAssignmentProto. [slot 117, since 0.79, answers
// UNIMPLEMENTED if absent, clients call it from minor 79 on]
typedef PJRT_Error* PJRT_LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args* args);

// Arguments of PJRT_Executable_GetCompileOptions. [since 0.87]
struct PJRT_Executable_GetCompileOptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.87]
  PJRT_Executable* executable;
  // The bytes; live until the holder is freed. [out, since 0.87, length serialized_bytes_size,
  // lives until: serialized_compile_options_deleter(serialized_compile_options)]
  const char* serialized_bytes;
  // Number of bytes. [out, since 0.87]
  size_t serialized_bytes_size;
  // Holds the bytes. [out, since 0.87, freed by the caller: serialized_compile_options_deleter]
  PJRT_SerializedCompileOptions* serialized_compile_options;
  // Frees the holder; called once. [out, since 0.87]
  void (*serialized_compile_options_deleter)(PJRT_SerializedCompileOptions* options);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetCompileOptions_Args, serialized_compile_options_deleter);

// Gives the options that the program was compiled with, as a serialized CompileOptionsProto. [slot
// 124, since 0.87, answers UNIMPLEMENTED if absent, clients call it from minor 87 on]
typedef PJRT_Error* PJRT_Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args* args);

// Arguments of PJRT_LoadedExecutable_AddressableDeviceLogicalIds. [since 0.96]
struct PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.96]
  PJRT_LoadedExecutable* executable;
  // Replica and partition of each device. [out, since 0.96, length
  // num_addressable_device_logical_ids, lives until: executable]
  PJRT_LogicalDeviceIds* addressable_device_logical_ids;
  // Number of them. [out, since 0.96]
  size_t num_addressable_device_logical_ids;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args, num_addressable_device_logical_ids);

// Lists replica and partition of each addressable device, in the order of
// PJRT_LoadedExecutable_AddressableDevices. [slot 130, since 0.96, null if absent, clients call it
// from minor 96 on]
typedef PJRT_Error* PJRT_LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args* args);

// Arguments of PJRT_Executable_ParameterMemoryKinds. [since 0.102]
struct PJRT_Executable_ParameterMemoryKinds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.102]
  PJRT_Executable* executable;
  // The number of parameters. [out, since 0.102]
  size_t num_parameters;
  // The kind of each. [out, since 0.102, length num_parameters, lives until: executable]
  const char* const* memory_kinds;
  // Bytes of each text in `memory_kinds`. [out, since 0.102, length num_parameters, lives until:
  // executable]
  const size_t* memory_kind_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_ParameterMemoryKinds_Args, memory_kind_sizes);

// Gives the memory kind of each parameter. [slot 134, since 0.102, answers UNIMPLEMENTED if absent,
// clients call it from minor 102 on]
typedef PJRT_Error* PJRT_Executable_ParameterMemoryKinds(
    PJRT_Executable_ParameterMemoryKinds_Args* args);

// ---- Execution ----------------------------------------------------------------------------------

// Running a program.

// Receives data that a send operation gives to the host. It frees the chunk with its deleter. The
// result is null, or an error made with `callback_error`. [since 0.1]
// chunk: The data; owned by the callback.
// callback_error: Makes errors for the plugin.
// total_size_in_bytes: Size of the whole transfer.
// done: True for the last chunk.
// user_arg: As in PJRT_SendCallbackInfo.
typedef PJRT_Error* (*PJRT_SendCallback)(
    PJRT_Chunk* chunk, PJRT_CallbackError* callback_error, size_t total_size_in_bytes, bool done,
    void* user_arg);

// Is asked for the data of a recv operation. It owns the stream and frees it with
// PJRT_CopyToDeviceStream_Destroy. [since 0.1, called exactly once]
// stream: Where to put the data.
// user_arg: As in PJRT_RecvCallbackInfo.
typedef void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream* stream, void* user_arg);

// Receives one array that the program hands to the host while it runs. [since 0.112]
// replica_id: Replica that produced it.
// partition_id: Partition that produced it.
// data: The array's bytes; live for the call.
// shape_dims: Dimensions.
// shape_num_dims: Number of dimensions.
// shape_element_type: Element type.
// operand_index: Which operand of the output operation.
// user_arg: As in PJRT_HloOutputCallbackInfo.
typedef void (*PJRT_HloOutputCallback)(
    int64_t replica_id, int64_t partition_id, const void* data, const int64_t* shape_dims, size_t
    shape_num_dims, PJRT_Buffer_Type shape_element_type, int64_t operand_index, void* user_arg);

// Which callback serves which send operation. Never grows. [since 0.1]
struct PJRT_SendCallbackInfo {
  // Channel of the operation. [in, since 0.1]
  int64_t channel_id;
  // Passed on to the callback, untouched. [in, since 0.1, may be null]
  void* user_arg;
  // Receives the data. [in, since 0.1]
  PJRT_SendCallback send_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_SendCallbackInfo, send_callback);

// Which callback serves which recv operation. Never grows. [since 0.1]
struct PJRT_RecvCallbackInfo {
  // Channel of the operation. [in, since 0.1]
  int64_t channel_id;
  // Passed on to the callback, untouched. [in, since 0.1, may be null]
  void* user_arg;
  // Delivers the data. [in, since 0.1]
  PJRT_RecvCallback recv_callback;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RecvCallbackInfo, recv_callback);

// Which callback serves which output operation of the program. Never grows. [since 0.112]
struct PJRT_HloOutputCallbackInfo {
  // Passed on to the callback, untouched. [in, since 0.112, may be null]
  void* user_arg;
  // Receives the arrays. [in, since 0.112]
  PJRT_HloOutputCallback callback;
  // Which output operation. [in, since 0.112]
  int64_t callback_id;
  // Number of operands of the operation. [in, since 0.112]
  size_t num_operands;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HloOutputCallbackInfo, num_operands);

// How to run one execution. [since 0.1]
struct PJRT_ExecuteOptions {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // For each device, one entry for each send operation. The functions outlive the execution, the
  // lists do not have to. [in, since 0.1, length num_send_ops, may be null, lives for the call]
  PJRT_SendCallbackInfo** send_callbacks;
  // For each device, one entry for each recv operation. As `send_callbacks`. [in, since 0.1, length
  // num_recv_ops, may be null, lives for the call]
  PJRT_RecvCallbackInfo** recv_callbacks;
  // Entries for each device in `send_callbacks`. [in, since 0.1]
  size_t num_send_ops;
  // Entries for each device in `recv_callbacks`. [in, since 0.1]
  size_t num_recv_ops;
  // Identifies one launch over all processes; 0 for none. [in, since 0.1]
  int launch_id;
  // Arguments that must not be donated though the program allows it. [in, since 0.39, length
  // num_non_donatable_input_indices, may be null, lives for the call, if absent: null]
  const int64_t* non_donatable_input_indices;
  // Number of them. [in, since 0.39, if absent: 0]
  size_t num_non_donatable_input_indices;
  // Extra data for the execution, or null. [in, since 0.64, may be null, lives until: the
  // execution, if absent: null]
  PJRT_ExecuteContext* context;
  // Where in the user's source the call was made; NUL-terminated, lives for the call. Null if
  // unknown. [in, since 0.76, length: NUL-terminated, may be null, lives for the call, if absent:
  // null]
  const char* call_location;
  // Number of `task_ids` and `incarnation_ids`. [in, since 0.78, if absent: 0]
  size_t num_tasks;
  // The processes that take part. [in, since 0.78, length num_tasks, may be null, lives for the
  // call, if absent: null]
  int* task_ids;
  // The life of each process in `task_ids`. [in, since 0.78, length num_tasks, may be null, lives
  // for the call, if absent: null]
  int64_t* incarnation_ids;
  // How the program spreads over slices, or null. [in, since 0.97, may be null, if absent: null]
  PJRT_MultiSlice_Config* multi_slice_config;
  // True to hand arrays to callbacks in row-major order instead of the device's own. [in, since
  // 0.108, if absent: false]
  bool use_major_to_minor_data_layout_for_callbacks;
  // Callbacks for output operations, for all replicas and partitions. Outlive the execution. [in,
  // since 0.112, length num_hlo_output_callbacks, may be null, lives until: the execution, if
  // absent: null]
  PJRT_HloOutputCallbackInfo* hlo_output_callbacks;
  // Number of `hlo_output_callbacks`. [in, since 0.112, if absent: 0]
  size_t num_hlo_output_callbacks;
  // Options of the platform for this execution. [in, since 0.116, length num_custom_options, may be
  // null, lives for the call, if absent: null, source: binary]
  const PJRT_NamedValue* custom_options;
  // Number of `custom_options`. [in, since 0.116, if absent: 0, source: binary, name from
  // convention]
  size_t num_custom_options;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteOptions, num_custom_options);

// Arguments of PJRT_LoadedExecutable_Execute. [since 0.1]
struct PJRT_LoadedExecutable_Execute_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.1]
  PJRT_LoadedExecutable* executable;
  // How to run; lives for the call. [in, since 0.1, lives for the call]
  PJRT_ExecuteOptions* options;
  // For each device, its arguments in order. [in, since 0.1, length num_devices times num_args,
  // lives for the call]
  PJRT_Buffer* const* const* argument_lists;
  // Number of devices to run on. [in, since 0.1]
  size_t num_devices;
  // Number of arguments of each device. [in, since 0.1]
  size_t num_args;
  // For each device, room for its outputs. The lists are the caller's; the buffers put into them
  // become the caller's. [inout, since 0.1, length num_devices]
  PJRT_Buffer** const* output_lists;
  // Room for one event for each device, or null if not wanted. Each completes when its device is
  // done. Not filled when the call fails. [inout, since 0.1, length num_devices, may be null]
  PJRT_Event** device_complete_events;
  // Run on this addressable device alone; then `num_devices` is 1. Null for the devices given at
  // compile time. [in, since 0.1, may be null]
  PJRT_Device* execute_device;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_LoadedExecutable_Execute_Args, execute_device);

// Runs the program on its devices. Outputs exist when the call returns; their contents arrive
// later. [slot 55, since 0.1, always implemented]
typedef PJRT_Error* PJRT_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args);

// Arguments of PJRT_ExecuteContext_Create. [since 0.52]
struct PJRT_ExecuteContext_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The context. [out, since 0.52, freed by the caller: PJRT_ExecuteContext_Destroy]
  PJRT_ExecuteContext* context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteContext_Create_Args, context);

// Makes a context that carries extra data, for example for FFI handlers, into executions. [slot 98,
// since 0.52, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_ExecuteContext_Create(PJRT_ExecuteContext_Create_Args* args);

// Arguments of PJRT_ExecuteContext_Destroy. [since 0.52]
struct PJRT_ExecuteContext_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The context to free, or null. [in, since 0.52, may be null]
  PJRT_ExecuteContext* context;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecuteContext_Destroy_Args, context);

// Frees a context. Null is allowed. [slot 99, since 0.52, answers UNIMPLEMENTED if absent, threads:
// exclusive]
typedef PJRT_Error* PJRT_ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args* args);

// ---- Streams from the host ----------------------------------------------------------------------

// How the host feeds a recv operation.

// A piece of host memory with the function that frees it. Never grows. [since 0.1]
struct PJRT_Chunk {
  // The bytes. [in, since 0.1, length size]
  void* data;
  // Number of bytes. [in, since 0.1]
  size_t size;
  // Frees the bytes; called once with `data` and `deleter_arg`. [in, since 0.1]
  void (*deleter)(void* data, void* deleter_arg);
  // Passed to `deleter`. [in, since 0.1, may be null]
  void* deleter_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Chunk, deleter_arg);

// Arguments of PJRT_CopyToDeviceStream_Destroy. [since 0.11]
struct PJRT_CopyToDeviceStream_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The stream to free, or null. [in, since 0.11, may be null]
  PJRT_CopyToDeviceStream* stream;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_Destroy_Args, stream);

// Frees a stream. Null is allowed. [slot 77, since 0.11, answers UNIMPLEMENTED if absent, threads:
// exclusive]
typedef PJRT_Error* PJRT_CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args* args);

// Arguments of PJRT_CopyToDeviceStream_AddChunk. [since 0.1]
struct PJRT_CopyToDeviceStream_AddChunk_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The stream. [in, since 0.1]
  PJRT_CopyToDeviceStream* stream;
  // The data; the plugin takes it over and calls its deleter. [in, since 0.1, lives until: the
  // deleter of the chunk]
  PJRT_Chunk* chunk;
  // Completes when the chunk has arrived or failed. [out, since 0.1, freed by the caller:
  // PJRT_Event_Destroy]
  PJRT_Event* transfer_complete;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_AddChunk_Args, transfer_complete);

// Adds a chunk and starts its transfer. The event fails if the chunk is too much, too late or not a
// multiple of the granule. [slot 78, since 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args* args);

// Arguments of PJRT_CopyToDeviceStream_TotalBytes. [since 0.1]
struct PJRT_CopyToDeviceStream_TotalBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The stream. [in, since 0.1]
  PJRT_CopyToDeviceStream* stream;
  // The number of bytes. [out, since 0.1]
  int64_t total_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_TotalBytes_Args, total_bytes);

// Gives the number of bytes the stream expects in all. [slot 79, since 0.1, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_CopyToDeviceStream_TotalBytes(
    PJRT_CopyToDeviceStream_TotalBytes_Args* args);

// Arguments of PJRT_CopyToDeviceStream_GranuleSize. [since 0.1]
struct PJRT_CopyToDeviceStream_GranuleSize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The stream. [in, since 0.1]
  PJRT_CopyToDeviceStream* stream;
  // The granule in bytes. [out, since 0.1]
  int64_t granule_size_in_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_GranuleSize_Args, granule_size_in_bytes);

// Gives the granule; every chunk's size is a multiple of it. [slot 80, since 0.1, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_CopyToDeviceStream_GranuleSize(
    PJRT_CopyToDeviceStream_GranuleSize_Args* args);

// Arguments of PJRT_CopyToDeviceStream_CurrentBytes. [since 0.1]
struct PJRT_CopyToDeviceStream_CurrentBytes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The stream. [in, since 0.1]
  PJRT_CopyToDeviceStream* stream;
  // The number of bytes. [out, since 0.1]
  int64_t current_bytes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CopyToDeviceStream_CurrentBytes_Args, current_bytes);

// Gives the number of bytes transferred or buffered until now. [slot 81, since 0.1, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_CopyToDeviceStream_CurrentBytes(
    PJRT_CopyToDeviceStream_CurrentBytes_Args* args);

// ---- Topologies ---------------------------------------------------------------------------------

// Descriptions of hardware, with or without it.

// Arguments of PJRT_TopologyDescription_Create. [since 0.1]
struct PJRT_TopologyDescription_Create_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Name of the topology, as the platform defines it. [in, since 0.1, length topology_name_size,
  // lives for the call]
  const char* topology_name;
  // Bytes of `topology_name`. [in, since 0.1]
  size_t topology_name_size;
  // Options of the platform; unknown names are refused by INVALID_ARGUMENT. [in, since 0.1, length
  // num_options, may be null, lives for the call]
  const PJRT_NamedValue* create_options;
  // Number of `create_options`. [in, since 0.1]
  size_t num_options;
  // The new topology. [out, since 0.1, freed by the caller: PJRT_TopologyDescription_Destroy]
  PJRT_TopologyDescription* topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Create_Args, topology);

// Makes a topology without hardware, to compile for. [slot 82, since 0.1, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TopologyDescription_Create(PJRT_TopologyDescription_Create_Args* args);

// Arguments of PJRT_TopologyDescription_Destroy. [since 0.1]
struct PJRT_TopologyDescription_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology to free, or null. [in, since 0.1, may be null]
  PJRT_TopologyDescription* topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Destroy_Args, topology);

// Frees a topology that the caller owns. Null is allowed. [slot 83, since 0.1, answers
// UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args* args);

// Arguments of PJRT_TopologyDescription_PlatformName. [since 0.1]
struct PJRT_TopologyDescription_PlatformName_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.1]
  const PJRT_TopologyDescription* topology;
  // The name; lives as long as the queried object. [out, since 0.1, length platform_name_size,
  // lives until: topology]
  const char* platform_name;
  // Bytes of `platform_name`. [out, since 0.1]
  size_t platform_name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_PlatformName_Args, platform_name_size);

// Gives the name of the topology's platform. [slot 84, since 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TopologyDescription_PlatformName(
    PJRT_TopologyDescription_PlatformName_Args* args);

// Arguments of PJRT_TopologyDescription_PlatformVersion. [since 0.1]
struct PJRT_TopologyDescription_PlatformVersion_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.1]
  PJRT_TopologyDescription* topology;
  // The version text; lives as long as the queried object. [out, since 0.1, length
  // platform_version_size, lives until: topology]
  const char* platform_version;
  // Bytes of `platform_version`. [out, since 0.1]
  size_t platform_version_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size);

// Gives a version text for people. [slot 85, since 0.1, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TopologyDescription_PlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args* args);

// Arguments of PJRT_TopologyDescription_GetDeviceDescriptions. [since 0.1]
struct PJRT_TopologyDescription_GetDeviceDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.1]
  const PJRT_TopologyDescription* topology;
  // The descriptions. [out, since 0.1, length num_descriptions, lives until: topology]
  PJRT_DeviceDescription* const* descriptions;
  // Number of `descriptions`. [out, since 0.1]
  size_t num_descriptions;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions);

// Lists the devices of the topology, in one order for the whole process. [slot 86, since 0.1,
// answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args* args);

// Arguments of PJRT_TopologyDescription_Serialize. [since 0.22]
struct PJRT_TopologyDescription_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.22]
  PJRT_TopologyDescription* topology;
  // The bytes; live until the holder is freed. [out, since 0.22, length serialized_bytes_size,
  // lives until: serialized_topology_deleter(serialized_topology)]
  const char* serialized_bytes;
  // Number of bytes. [out, since 0.22]
  size_t serialized_bytes_size;
  // Holds the bytes. [out, since 0.22, freed by the caller: serialized_topology_deleter]
  PJRT_SerializedTopology* serialized_topology;
  // Frees the holder; called once. [out, since 0.22]
  void (*serialized_topology_deleter)(PJRT_SerializedTopology* serialized_topology);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Serialize_Args, serialized_topology_deleter);

// Turns a topology into bytes, for cache keys and for PJRT_TopologyDescription_Deserialize. [slot
// 87, since 0.22, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TopologyDescription_Serialize(
    PJRT_TopologyDescription_Serialize_Args* args);

// Arguments of PJRT_TopologyDescription_Attributes. [since 0.27]
struct PJRT_TopologyDescription_Attributes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.27]
  PJRT_TopologyDescription* topology;
  // The facts. [out, since 0.27, length num_attributes, lives until: topology]
  const PJRT_NamedValue* attributes;
  // Number of `attributes`. [out, since 0.27]
  size_t num_attributes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Attributes_Args, num_attributes);

// Lists facts about the topology. [slot 88, since 0.27, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TopologyDescription_Attributes(
    PJRT_TopologyDescription_Attributes_Args* args);

// Arguments of PJRT_TopologyDescription_Deserialize. [since 0.75]
struct PJRT_TopologyDescription_Deserialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The bytes. [in, since 0.75, length serialized_topology_size, lives for the call]
  const char* serialized_topology;
  // Bytes of `serialized_topology`. [in, since 0.75]
  size_t serialized_topology_size;
  // The new topology. [out, since 0.75, freed by the caller: PJRT_TopologyDescription_Destroy]
  PJRT_TopologyDescription* topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Deserialize_Args, topology);

// Makes a topology from bytes that PJRT_TopologyDescription_Serialize wrote. [slot 114, since 0.75,
// answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TopologyDescription_Deserialize(
    PJRT_TopologyDescription_Deserialize_Args* args);

// Arguments of PJRT_TopologyDescription_Fingerprint. [since 0.101]
struct PJRT_TopologyDescription_Fingerprint_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.101]
  const PJRT_TopologyDescription* topology;
  // The number. [out, since 0.101]
  uint64_t fingerprint;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_Fingerprint_Args, fingerprint);

// Gives a number that is equal for equal topologies. [slot 133, since 0.101, answers UNIMPLEMENTED
// if absent, clients call it from minor 101 on]
typedef PJRT_Error* PJRT_TopologyDescription_Fingerprint(
    PJRT_TopologyDescription_Fingerprint_Args* args);

// Arguments of PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace. [since 0.109]
struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.109]
  const PJRT_TopologyDescription* topology;
  // Id of the memory kind. [in, since 0.109]
  int memory_space_kind_id;
  // Dimensions. [in, since 0.109, length num_dims, lives for the call]
  const int64_t* dims;
  // Number of dimensions. [in, since 0.109]
  size_t num_dims;
  // Element type. [in, since 0.109]
  PJRT_Buffer_Type element_type;
  // Layout, or null for the default. [in, since 0.109, may be null, lives for the call]
  const PJRT_Buffer_MemoryLayout* layout;
  // A serialized ShapeProto. [out, since 0.109, length serialized_shape_size, lives until:
  // serialized_shape_deleter]
  const char* serialized_shape;
  // Bytes of `serialized_shape`. [out, since 0.109]
  size_t serialized_shape_size;
  // Frees `serialized_shape`; called once. [out, since 0.109]
  void (*serialized_shape_deleter)(const char* serialized_shape);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape_deleter);

// Gives the shape, with layout, that an array has in a memory of this kind, as a serialized
// ShapeProto. [slot 136, since 0.109, null if absent, clients call it from minor 109 on]
typedef PJRT_Error* PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args* args);

// Arguments of PJRT_TopologyDescription_GetMemorySpaceKindIds. [since 0.110]
struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.110]
  const PJRT_TopologyDescription* topology;
  // The ids. [out, since 0.110, length num_memory_space_kind_ids, lives until: topology]
  const int* memory_space_kind_ids;
  // Number of ids. [out, since 0.110]
  size_t num_memory_space_kind_ids;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, num_memory_space_kind_ids);

// Lists the ids of the memory kinds of the topology. [slot 137, since 0.110, null if absent,
// clients call it from minor 110 on]
typedef PJRT_Error* PJRT_TopologyDescription_GetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args);

// ---- The table ----------------------------------------------------------------------------------

// What GetPjrtApi returns. The table only grows; how far it goes, struct_size says.
typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;

  PJRT_API_SLOT(PJRT_Error_Destroy);  // 0, since 0.1
  PJRT_API_SLOT(PJRT_Error_Message);  // 1, since 0.1
  PJRT_API_SLOT(PJRT_Error_GetCode);  // 2, since 0.1
  PJRT_API_SLOT(PJRT_Plugin_Initialize);  // 3, since 0.13
  PJRT_API_SLOT(PJRT_Plugin_Attributes);  // 4, since 0.9
  PJRT_API_SLOT(PJRT_Event_Destroy);  // 5, since 0.1
  PJRT_API_SLOT(PJRT_Event_IsReady);  // 6, since 0.1
  PJRT_API_SLOT(PJRT_Event_Error);  // 7, since 0.1
  PJRT_API_SLOT(PJRT_Event_Await);  // 8, since 0.1
  PJRT_API_SLOT(PJRT_Event_OnReady);  // 9, since 0.1
  PJRT_API_SLOT(PJRT_Client_Create);  // 10, since 0.1
  PJRT_API_SLOT(PJRT_Client_Destroy);  // 11, since 0.1
  PJRT_API_SLOT(PJRT_Client_PlatformName);  // 12, since 0.1
  PJRT_API_SLOT(PJRT_Client_ProcessIndex);  // 13, since 0.1
  PJRT_API_SLOT(PJRT_Client_PlatformVersion);  // 14, since 0.1
  PJRT_API_SLOT(PJRT_Client_Devices);  // 15, since 0.1
  PJRT_API_SLOT(PJRT_Client_AddressableDevices);  // 16, since 0.1
  PJRT_API_SLOT(PJRT_Client_LookupDevice);  // 17, since 0.1
  PJRT_API_SLOT(PJRT_Client_LookupAddressableDevice);  // 18, since 0.1
  PJRT_API_SLOT(PJRT_Client_AddressableMemories);  // 19, since 0.20
  PJRT_API_SLOT(PJRT_Client_Compile);  // 20, since 0.1
  PJRT_API_SLOT(PJRT_Client_DefaultDeviceAssignment);  // 21, since 0.1
  PJRT_API_SLOT(PJRT_Client_BufferFromHostBuffer);  // 22, since 0.1
  PJRT_API_SLOT(PJRT_DeviceDescription_Id);  // 23, since 0.1
  PJRT_API_SLOT(PJRT_DeviceDescription_ProcessIndex);  // 24, since 0.1
  PJRT_API_SLOT(PJRT_DeviceDescription_Attributes);  // 25, since 0.1
  PJRT_API_SLOT(PJRT_DeviceDescription_Kind);  // 26, since 0.1
  PJRT_API_SLOT(PJRT_DeviceDescription_DebugString);  // 27, since 0.1
  PJRT_API_SLOT(PJRT_DeviceDescription_ToString);  // 28, since 0.1
  PJRT_API_SLOT(PJRT_Device_GetDescription);  // 29, since 0.1
  PJRT_API_SLOT(PJRT_Device_IsAddressable);  // 30, since 0.1
  PJRT_API_SLOT(PJRT_Device_LocalHardwareId);  // 31, since 0.1
  PJRT_API_SLOT(PJRT_Device_AddressableMemories);  // 32, since 0.13
  PJRT_API_SLOT(PJRT_Device_DefaultMemory);  // 33, since 0.17
  PJRT_API_SLOT(PJRT_Device_MemoryStats);  // 34, since 0.1
  PJRT_API_SLOT(PJRT_Memory_Id);  // 35, since 0.16
  PJRT_API_SLOT(PJRT_Memory_Kind);  // 36, since 0.14
  PJRT_API_SLOT(PJRT_Memory_DebugString);  // 37, since 0.15
  PJRT_API_SLOT(PJRT_Memory_ToString);  // 38, since 0.15
  PJRT_API_SLOT(PJRT_Memory_AddressableByDevices);  // 39, since 0.20
  PJRT_API_SLOT(PJRT_Executable_Destroy);  // 40, since 0.1
  PJRT_API_SLOT(PJRT_Executable_Name);  // 41, since 0.1
  PJRT_API_SLOT(PJRT_Executable_NumReplicas);  // 42, since 0.1
  PJRT_API_SLOT(PJRT_Executable_NumPartitions);  // 43, since 0.1
  PJRT_API_SLOT(PJRT_Executable_NumOutputs);  // 44, since 0.1
  PJRT_API_SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes);  // 45, since 0.1
  PJRT_API_SLOT(PJRT_Executable_GetCostAnalysis);  // 46, since 0.2
  PJRT_API_SLOT(PJRT_Executable_OutputMemoryKinds);  // 47, since 0.18
  PJRT_API_SLOT(PJRT_Executable_OptimizedProgram);  // 48, since 0.1
  PJRT_API_SLOT(PJRT_Executable_Serialize);  // 49, since 0.1
  PJRT_API_SLOT(PJRT_LoadedExecutable_Destroy);  // 50, since 0.1
  PJRT_API_SLOT(PJRT_LoadedExecutable_GetExecutable);  // 51, since 0.1
  PJRT_API_SLOT(PJRT_LoadedExecutable_AddressableDevices);  // 52, since 0.1
  PJRT_API_SLOT(PJRT_LoadedExecutable_Delete);  // 53, since 0.1
  PJRT_API_SLOT(PJRT_LoadedExecutable_IsDeleted);  // 54, since 0.1
  PJRT_API_SLOT(PJRT_LoadedExecutable_Execute);  // 55, since 0.1
  PJRT_API_SLOT(PJRT_Executable_DeserializeAndLoad);  // 56, since 0.1
  PJRT_API_SLOT(PJRT_LoadedExecutable_Fingerprint);  // 57, since 0.28
  PJRT_API_SLOT(PJRT_Buffer_Destroy);  // 58, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_ElementType);  // 59, since 0.5
  PJRT_API_SLOT(PJRT_Buffer_Dimensions);  // 60, since 0.6
  PJRT_API_SLOT(PJRT_Buffer_UnpaddedDimensions);  // 61, since 0.7
  PJRT_API_SLOT(PJRT_Buffer_DynamicDimensionIndices);  // 62, since 0.11
  PJRT_API_SLOT(PJRT_Buffer_GetMemoryLayout);  // 63, since 0.10
  PJRT_API_SLOT(PJRT_Buffer_OnDeviceSizeInBytes);  // 64, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_Device);  // 65, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_Memory);  // 66, since 0.24
  PJRT_API_SLOT(PJRT_Buffer_Delete);  // 67, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_IsDeleted);  // 68, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_CopyToDevice);  // 69, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_ToHostBuffer);  // 70, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_IsOnCpu);  // 71, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_ReadyEvent);  // 72, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_UnsafePointer);  // 73, since 0.1
  PJRT_API_SLOT(PJRT_Buffer_IncreaseExternalReferenceCount);  // 74, since 0.19
  PJRT_API_SLOT(PJRT_Buffer_DecreaseExternalReferenceCount);  // 75, since 0.19
  PJRT_API_SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer);  // 76, since 0.19
  PJRT_API_SLOT(PJRT_CopyToDeviceStream_Destroy);  // 77, since 0.11
  PJRT_API_SLOT(PJRT_CopyToDeviceStream_AddChunk);  // 78, since 0.1
  PJRT_API_SLOT(PJRT_CopyToDeviceStream_TotalBytes);  // 79, since 0.1
  PJRT_API_SLOT(PJRT_CopyToDeviceStream_GranuleSize);  // 80, since 0.1
  PJRT_API_SLOT(PJRT_CopyToDeviceStream_CurrentBytes);  // 81, since 0.1
  PJRT_API_SLOT(PJRT_TopologyDescription_Create);  // 82, since 0.1
  PJRT_API_SLOT(PJRT_TopologyDescription_Destroy);  // 83, since 0.1
  PJRT_API_SLOT(PJRT_TopologyDescription_PlatformName);  // 84, since 0.1
  PJRT_API_SLOT(PJRT_TopologyDescription_PlatformVersion);  // 85, since 0.1
  PJRT_API_SLOT(PJRT_TopologyDescription_GetDeviceDescriptions);  // 86, since 0.1
  PJRT_API_SLOT(PJRT_TopologyDescription_Serialize);  // 87, since 0.22
  PJRT_API_SLOT(PJRT_TopologyDescription_Attributes);  // 88, since 0.27
  PJRT_API_SLOT(PJRT_Compile);  // 89, since 0.1
  PJRT_API_SLOT(PJRT_Executable_OutputElementTypes);  // 90, since 0.29
  PJRT_API_SLOT(PJRT_Executable_OutputDimensions);  // 91, since 0.29
  PJRT_API_SLOT(PJRT_Buffer_CopyToMemory);  // 92, since 0.32
  PJRT_API_SLOT(PJRT_Client_CreateViewOfDeviceBuffer);  // 93, since 0.33
  PJRT_API_SLOT(PJRT_Executable_Fingerprint);  // 94, since 0.35
  PJRT_API_SLOT(PJRT_Client_TopologyDescription);  // 95, since 0.36
  PJRT_API_SLOT(PJRT_Executable_GetCompiledMemoryStats);  // 96, since 0.40
  PJRT_API_SLOT(PJRT_Memory_Kind_Id);  // 97, since 0.48
  PJRT_API_SLOT(PJRT_ExecuteContext_Create);  // 98, since 0.52
  PJRT_API_SLOT(PJRT_ExecuteContext_Destroy);  // 99, since 0.52
  PJRT_API_SLOT(PJRT_Buffer_CopyRawToHost);  // 100, since 0.56
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy);  // 101, since 0.60
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData);  // 102, since 0.60
  PJRT_API_SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice);  // 103, since 0.60
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer);  // 104, since 0.62
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_Device);  // 105, since 0.62
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferCount);  // 106, since 0.62
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferSize);  // 107, since 0.62
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError);  // 108, since 0.62
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata);  // 109, since 0.62
  PJRT_API_SLOT(PJRT_Client_DmaMap);  // 110, since 0.67
  PJRT_API_SLOT(PJRT_Client_DmaUnmap);  // 111, since 0.67
  PJRT_API_SLOT(PJRT_Client_CreateUninitializedBuffer);  // 112, since 0.69
  PJRT_API_SLOT(PJRT_Client_UpdateGlobalProcessInfo);  // 113, since 0.73
  PJRT_API_SLOT(PJRT_TopologyDescription_Deserialize);  // 114, since 0.75
  PJRT_API_SLOT(PJRT_Client_CreateAliasBuffer);  // 115, since 0.77
  PJRT_API_SLOT(PJRT_Client_FulfillAliasBuffer);  // 116, since 0.77
  PJRT_API_SLOT(PJRT_LoadedExecutable_GetDeviceAssignment);  // 117, since 0.79
  PJRT_API_SLOT(PJRT_Client_CreateErrorBuffer);  // 118, since 0.82
  PJRT_API_SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral);  // 119, since 0.83
  PJRT_API_SLOT(PJRT_Buffer_CopyRawToHostFuture);  // 120, since 0.84
  PJRT_API_SLOT(PJRT_Device_PoisonExecution);  // 121, since 0.85
  PJRT_API_SLOT(PJRT_Device_CreateAsyncTrackingEvent);  // 122, since 0.86
  PJRT_API_SLOT(PJRT_AsyncTrackingEvent_Destroy);  // 123, since 0.86
  PJRT_API_SLOT(PJRT_Executable_GetCompileOptions);  // 124, since 0.87
  PJRT_API_SLOT(PJRT_Buffer_DonateWithControlDependency);  // 125, since 0.88
  PJRT_API_SLOT(PJRT_Event_Create);  // 126, since 0.89
  PJRT_API_SLOT(PJRT_Event_Set);  // 127, since 0.89
  PJRT_API_SLOT(PJRT_Device_GetAttributes);  // 128, since 0.92
  PJRT_API_SLOT(PJRT_Client_Load);  // 129, since 0.95
  PJRT_API_SLOT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds);  // 130, since 0.96
  PJRT_API_SLOT(PJRT_Buffer_Bitcast);  // 131, since 0.98
  PJRT_API_SLOT(PJRT_Error_ForEachPayload);  // 132, since 0.99
  PJRT_API_SLOT(PJRT_TopologyDescription_Fingerprint);  // 133, since 0.101
  PJRT_API_SLOT(PJRT_Executable_ParameterMemoryKinds);  // 134, since 0.102
  PJRT_API_SLOT(PJRT_Device_ClearMemoryStats);  // 135, since 0.106
  PJRT_API_SLOT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace);  // 136, since 0.109
  PJRT_API_SLOT(PJRT_TopologyDescription_GetMemorySpaceKindIds);  // 137, since 0.110
} PJRT_Api;

enum {
  PJRT_Api_STRUCT_SIZE = PJRT_STRUCT_SIZE(PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds)
};
#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_H_

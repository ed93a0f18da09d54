// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry/ffi/xla_ffi.toml by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// The XLA FFI C API, 0.5: How a runtime calls handlers of custom calls, and what handlers may ask of it.
// Names and layout are those that published handlers speak; the text is generated from the registry.
// "since 0.3" means that 0.3, the oldest revision recorded, has it.
//
// A struct begins with struct_size, set by whoever fills it to X_STRUCT_SIZE; the other side reads and
// writes a field only if struct_size reaches its end. Null is success; whoever receives an error
// destroys it.

#ifndef XLA_FFI_C_API_H_
#define XLA_FFI_C_API_H_

#include <stddef.h>
#include <stdint.h>

// Where a field of a struct ends; X_STRUCT_SIZE names it for the last one.
#define XLA_FFI_STRUCT_SIZE(struct_type, last_field) \
  (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))
#define XLA_FFI_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                            \
  enum { sname##_STRUCT_SIZE = XLA_FFI_STRUCT_SIZE(sname, last_field) }

// A slot of a function table: a pointer called as its function type. C++ wants the type qualified.
#ifdef __cplusplus
#define XLA_FFI_API_SLOT(function_type) ::function_type* function_type
#else
#define XLA_FFI_API_SLOT(function_type) function_type* function_type
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Raised when the layout breaks.
#define XLA_FFI_API_MAJOR 0

// Raised when something is added.
#define XLA_FFI_API_MINOR 5

// The id of no type yet. A C++ expression.
#define XLA_FFI_UNKNOWN_TYPE_ID XLA_FFI_TypeId{0}

// ---- Names --------------------------------------------------------------------------------------

// Names that things had up to 0.3.
#define XLA_FFI_Extension_Type XLA_FFI_InternalExtension_Type
#define XLA_FFI_Extension_Base XLA_FFI_InternalExtension
#define XLA_FFI_Extension_Base_STRUCT_SIZE XLA_FFI_InternalExtension_STRUCT_SIZE
#define XLA_FFI_Error_GetMessage XLA_FFI_Error_GetDetails
#define XLA_FFI_Error_GetMessage_Args XLA_FFI_Error_GetDetails_Args
#define XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE
#define XLA_FFI_ExecutionContext XLA_FFI_InvokeContext
#define XLA_FFI_ExecutionContext_Get XLA_FFI_InvokeContext_Get
#define XLA_FFI_ExecutionContext_Get_Args XLA_FFI_InvokeContext_Get_Args
#define XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE

typedef struct XLA_FFI_Api XLA_FFI_Api;
// What handlers built with the runtime itself get; null for all others. [since 0.3]
typedef struct XLA_FFI_InternalApi XLA_FFI_InternalApi;
// An error. Whoever receives one destroys it; null is success. [since 0.3]
typedef struct XLA_FFI_Error XLA_FFI_Error;
// What a runtime knows about the call under way. Lives for the call, or until its future is
// complete. [since 0.3]
typedef struct XLA_FFI_InvokeContext XLA_FFI_InvokeContext;
// The end of a call that goes on after its handler has returned. [since 0.3]
typedef struct XLA_FFI_Future XLA_FFI_Future;
typedef struct XLA_FFI_InternalExtension XLA_FFI_InternalExtension;
typedef struct XLA_FFI_ExtensionId XLA_FFI_ExtensionId;
typedef struct XLA_FFI_Extension XLA_FFI_Extension;
typedef struct XLA_FFI_Api_Version XLA_FFI_Api_Version;
typedef struct XLA_FFI_Buffer XLA_FFI_Buffer;
typedef struct XLA_FFI_ByteSpan XLA_FFI_ByteSpan;
typedef struct XLA_FFI_Scalar XLA_FFI_Scalar;
typedef struct XLA_FFI_Array XLA_FFI_Array;
typedef struct XLA_FFI_TypeId XLA_FFI_TypeId;
typedef struct XLA_FFI_TypeInfo XLA_FFI_TypeInfo;
typedef struct XLA_FFI_Args XLA_FFI_Args;
typedef struct XLA_FFI_Rets XLA_FFI_Rets;
typedef struct XLA_FFI_Attrs XLA_FFI_Attrs;
typedef struct XLA_FFI_CallFrame XLA_FFI_CallFrame;
typedef struct XLA_FFI_Handler_Bundle XLA_FFI_Handler_Bundle;
typedef struct XLA_FFI_Metadata XLA_FFI_Metadata;
typedef struct XLA_FFI_Metadata_Extension XLA_FFI_Metadata_Extension;

// ---- Types --------------------------------------------------------------------------------------

// Identifies a node on the extension chain of a struct. [since 0.3]
typedef enum {
  // The call asks for the handler's metadata and does nothing else. [since 0.3]
  XLA_FFI_Extension_Metadata = 1
} XLA_FFI_InternalExtension_Type;

// Kinds of errors; the numbers are those of PJRT_Error_Code. [since 0.3]
typedef enum {
  // No error. [since 0.3]
  XLA_FFI_Error_Code_OK = 0,
  // Given up on request. [since 0.3]
  XLA_FFI_Error_Code_CANCELLED = 1,
  // None of the others. [since 0.3]
  XLA_FFI_Error_Code_UNKNOWN = 2,
  // An argument is wrong, whatever the state. [since 0.3]
  XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
  // It took too long. [since 0.3]
  XLA_FFI_Error_Code_DEADLINE_EXCEEDED = 4,
  // Something that was named does not exist. [since 0.3]
  XLA_FFI_Error_Code_NOT_FOUND = 5,
  // Something that was to be made exists. [since 0.3]
  XLA_FFI_Error_Code_ALREADY_EXISTS = 6,
  // Not allowed. [since 0.3]
  XLA_FFI_Error_Code_PERMISSION_DENIED = 7,
  // Memory or another resource is used up. [since 0.3]
  XLA_FFI_Error_Code_RESOURCE_EXHAUSTED = 8,
  // The state does not allow it. [since 0.3]
  XLA_FFI_Error_Code_FAILED_PRECONDITION = 9,
  // Ended by a conflict. [since 0.3]
  XLA_FFI_Error_Code_ABORTED = 10,
  // Beyond the valid range. [since 0.3]
  XLA_FFI_Error_Code_OUT_OF_RANGE = 11,
  // Not implemented. [since 0.3]
  XLA_FFI_Error_Code_UNIMPLEMENTED = 12,
  // Something that must hold does not. [since 0.3]
  XLA_FFI_Error_Code_INTERNAL = 13,
  // Not reachable at the moment. [since 0.3]
  XLA_FFI_Error_Code_UNAVAILABLE = 14,
  // Data is damaged. [since 0.3]
  XLA_FFI_Error_Code_DATA_LOSS = 15,
  // The caller is not known. [since 0.3]
  XLA_FFI_Error_Code_UNAUTHENTICATED = 16
} XLA_FFI_Error_Code;

// Element types. The numbers are not those of PJRT_Buffer_Type. [since 0.3]
typedef enum {
  // No type. [since 0.3]
  XLA_FFI_DataType_INVALID = 0,
  // Truth value, one byte. [since 0.3]
  XLA_FFI_DataType_PRED = 1,
  // Signed integer of 1 bit. [since 0.3]
  XLA_FFI_DataType_S1 = 30,
  // Signed integer of 2 bits. [since 0.3]
  XLA_FFI_DataType_S2 = 26,
  // Signed integer of 4 bits. [since 0.3]
  XLA_FFI_DataType_S4 = 21,
  // Signed integer of 8 bits. [since 0.3]
  XLA_FFI_DataType_S8 = 2,
  // Signed integer of 16 bits. [since 0.3]
  XLA_FFI_DataType_S16 = 3,
  // Signed integer of 32 bits. [since 0.3]
  XLA_FFI_DataType_S32 = 4,
  // Signed integer of 64 bits. [since 0.3]
  XLA_FFI_DataType_S64 = 5,
  // Unsigned integer of 1 bit. [since 0.3]
  XLA_FFI_DataType_U1 = 31,
  // Unsigned integer of 2 bits. [since 0.3]
  XLA_FFI_DataType_U2 = 27,
  // Unsigned integer of 4 bits. [since 0.3]
  XLA_FFI_DataType_U4 = 22,
  // Unsigned integer of 8 bits. [since 0.3]
  XLA_FFI_DataType_U8 = 6,
  // Unsigned integer of 16 bits. [since 0.3]
  XLA_FFI_DataType_U16 = 7,
  // Unsigned integer of 32 bits. [since 0.3]
  XLA_FFI_DataType_U32 = 8,
  // Unsigned integer of 64 bits. [since 0.3]
  XLA_FFI_DataType_U64 = 9,
  // IEEE float of 16 bits. [since 0.3]
  XLA_FFI_DataType_F16 = 10,
  // IEEE float of 32 bits. [since 0.3]
  XLA_FFI_DataType_F32 = 11,
  // IEEE float of 64 bits. [since 0.3]
  XLA_FFI_DataType_F64 = 12,
  // The upper half of an F32. [since 0.3]
  XLA_FFI_DataType_BF16 = 16,
  // Complex number of two F32. [since 0.3]
  XLA_FFI_DataType_C64 = 15,
  // Complex number of two F64. [since 0.3]
  XLA_FFI_DataType_C128 = 18,
  // Order of effects; no bytes. [since 0.3]
  XLA_FFI_DataType_TOKEN = 17,
  // Float of 8 bits. [since 0.3]
  XLA_FFI_DataType_F8E5M2 = 19,
  // Float of 8 bits. [since 0.3]
  XLA_FFI_DataType_F8E3M4 = 29,
  // Float of 8 bits. [since 0.3]
  XLA_FFI_DataType_F8E4M3 = 28,
  // Float of 8 bits without infinities. [since 0.3]
  XLA_FFI_DataType_F8E4M3FN = 20,
  // Float of 8 bits, bias 11, without infinities and negative zero. [since 0.3]
  XLA_FFI_DataType_F8E4M3B11FNUZ = 23,
  // Float of 8 bits without infinities and negative zero. [since 0.3]
  XLA_FFI_DataType_F8E5M2FNUZ = 24,
  // Float of 8 bits without infinities and negative zero. [since 0.3]
  XLA_FFI_DataType_F8E4M3FNUZ = 25,
  // Float of 4 bits. [since 0.3]
  XLA_FFI_DataType_F4E2M1FN = 32,
  // Power of two, of 8 bits. [since 0.3]
  XLA_FFI_DataType_F8E8M0FNU = 33
} XLA_FFI_DataType;

// What an argument is. [since 0.3]
typedef enum {
  // An XLA_FFI_Buffer. [since 0.3]
  XLA_FFI_ArgType_BUFFER = 1
} XLA_FFI_ArgType;

// What a result is. [since 0.3]
typedef enum {
  // An XLA_FFI_Buffer, for the handler to fill. [since 0.3]
  XLA_FFI_RetType_BUFFER = 1
} XLA_FFI_RetType;

// What an attribute is. [since 0.3]
typedef enum {
  // An XLA_FFI_Array. [since 0.3]
  XLA_FFI_AttrType_ARRAY = 1,
  // An XLA_FFI_Attrs. [since 0.3]
  XLA_FFI_AttrType_DICTIONARY = 2,
  // An XLA_FFI_Scalar. [since 0.3]
  XLA_FFI_AttrType_SCALAR = 3,
  // An XLA_FFI_ByteSpan. [since 0.3]
  XLA_FFI_AttrType_STRING = 4
} XLA_FFI_AttrType;

// When a handler is called. Buffers hold data in the last stage only. [since 0.3]
typedef enum {
  // Once per call site, when the program is compiled. What it sets as state belongs to the
  // executable. [since 0.3]
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  // Before an execution: says what it will need. [since 0.3]
  XLA_FFI_ExecutionStage_PREPARE = 1,
  // Before an execution, when it has what it needs. [since 0.3]
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  // The call itself. [since 0.3]
  XLA_FFI_ExecutionStage_EXECUTE = 3,
  // While a command buffer is recorded, on platforms with those. Buffers may hold no data. [since
  // 0.4]
  XLA_FFI_ExecutionStage_RECORD = 4
} XLA_FFI_ExecutionStage;

// Properties of a handler, as bits. [since 0.3]
typedef enum {
  // Starts the same work every time, so that it may be recorded and played back. [since 0.3]
  XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1
} XLA_FFI_Handler_TraitsBits;

// Bits of the enum of that name.
typedef uint32_t XLA_FFI_Handler_Traits;

// Work for the runtime's threads. No order, and no other task, may be relied on. [since 0.3, called
// exactly once]
// data: As it was given with the task.
typedef void XLA_FFI_Task(void* data);

// A foreign function. [since 0.3]
// call_frame: The call. Lives until the return, or until the future is complete.
typedef XLA_FFI_Error* XLA_FFI_Handler(XLA_FFI_CallFrame* call_frame);

// Head of every node on the extension chain of a struct. [since 0.3]
struct XLA_FFI_InternalExtension {
  // Size of the node. [in, since 0.3]
  size_t struct_size;
  // Which extension it is; unknown ones are skipped. [in, since 0.3]
  XLA_FFI_InternalExtension_Type type;
  // The next node. [in, since 0.3, may be null]
  XLA_FFI_InternalExtension* next;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InternalExtension, next);

// Which extension of an invocation it is, and its version. Never grows. [since 0.4]
struct XLA_FFI_ExtensionId {
  // The extension's number, which its author chose. [in, since 0.4]
  int64_t extension_type;
  // Of the extension. Raised when its layout breaks. [in, since 0.4]
  int32_t major_version;
  // Of the extension. Raised when something is added. [in, since 0.4]
  int32_t minor_version;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ExtensionId, minor_version);

// Head of what a runtime hands to handlers beyond this API. One of each type at most. [since 0.4]
struct XLA_FFI_Extension {
  // Size of the extension. [in, since 0.4]
  size_t struct_size;
  // Which extension it is. [in, since 0.4]
  XLA_FFI_ExtensionId id;
  // The next extension. [in, since 0.4, may be null]
  const XLA_FFI_Extension* next;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Extension, next);

// The version that a table or a handler was built with. [since 0.3]
struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // Raised when the layout breaks. [out, since 0.3]
  int major_version;
  // Raised when something is added. [out, since 0.3]
  int minor_version;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_Version, minor_version);

// An operand or a result: dense elements in the order that the program asked for. [since 0.3]
struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // Type of the elements. [in, since 0.3]
  XLA_FFI_DataType dtype;
  // The first element. Null for tokens. [in, since 0.3, may be null]
  void* data;
  // How many dimensions. [in, since 0.3]
  int64_t rank;
  // Sizes, as the program counts the dimensions. [in, since 0.3, length rank]
  int64_t* dims;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Buffer, dims);

// Text, without a NUL at its end. Never grows. [since 0.3]
struct XLA_FFI_ByteSpan {
  // The first byte. [in, since 0.3, length len]
  const char* ptr;
  // How many bytes. [in, since 0.3]
  size_t len;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ByteSpan, len);

// An attribute that is one number. Never grows. [since 0.3]
struct XLA_FFI_Scalar {
  // Its type. [in, since 0.3]
  XLA_FFI_DataType dtype;
  // Its bytes. [in, since 0.3]
  void* value;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Scalar, value);

// An attribute that is a list of numbers. Never grows. [since 0.3]
struct XLA_FFI_Array {
  // Their type. [in, since 0.3]
  XLA_FFI_DataType dtype;
  // How many. [in, since 0.3]
  size_t size;
  // The first. [in, since 0.3, length size]
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Array, data);

// Names a type of data or state within the process; 0 is none yet. Never grows. [since 0.3]
struct XLA_FFI_TypeId {
  // The number. [inout, since 0.3]
  int64_t type_id;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_TypeId, type_id);

// How to handle objects of a type. [since 0.3]
struct XLA_FFI_TypeInfo {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // Frees an object; null where nothing is to be freed. [in, since 0.3, may be null]
  void (*deleter)(void* object);
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_TypeInfo, deleter);

// The operands of a call. [since 0.3]
struct XLA_FFI_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // How many. [in, since 0.3]
  int64_t size;
  // What each is. [in, since 0.3, length size]
  XLA_FFI_ArgType* types;
  // The operands. [in, since 0.3, length size]
  void** args;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Args, args);

// The results of a call. [since 0.3]
struct XLA_FFI_Rets {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // How many. [in, since 0.3]
  int64_t size;
  // What each is. [in, since 0.3, length size]
  XLA_FFI_RetType* types;
  // The results. [in, since 0.3, length size]
  void** rets;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Rets, rets);

// The attributes of a call, or a dictionary among them, sorted by name. [since 0.3]
struct XLA_FFI_Attrs {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // How many. [in, since 0.3]
  int64_t size;
  // What each is. [in, since 0.3, length size]
  XLA_FFI_AttrType* types;
  // Their names. [in, since 0.3, length size]
  XLA_FFI_ByteSpan** names;
  // The attributes. [in, since 0.3, length size]
  void** attrs;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Attrs, attrs);

// One call of a handler. [since 0.3]
struct XLA_FFI_CallFrame {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The runtime's table. [in, since 0.3]
  const XLA_FFI_Api* api;
  // What to hand back to the runtime's functions. Null when metadata is asked for. [in, since 0.3,
  // may be null]
  XLA_FFI_InvokeContext* ctx;
  // Which stage it is. [in, since 0.3]
  XLA_FFI_ExecutionStage stage;
  // Operands; none while instantiating. [in, since 0.3]
  XLA_FFI_Args args;
  // Results; none while instantiating. [in, since 0.3]
  XLA_FFI_Rets rets;
  // Attributes. [in, since 0.3]
  XLA_FFI_Attrs attrs;
  // Set by a handler that has not finished when it returns; the runtime owns it from then on. [out,
  // since 0.3, may be null]
  XLA_FFI_Future* future;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_CallFrame, attrs);

// The functions of one handler, by stage. [since 0.3]
struct XLA_FFI_Handler_Bundle {
  // May be null. [in, since 0.3, may be null]
  XLA_FFI_Handler* instantiate;
  // May be null. [in, since 0.3, may be null]
  XLA_FFI_Handler* prepare;
  // May be null. [in, since 0.3, may be null]
  XLA_FFI_Handler* initialize;
  // The call itself. [in, since 0.3]
  XLA_FFI_Handler* execute;
  // May be null. [in, since 0.4, may be null]
  XLA_FFI_Handler* record;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Handler_Bundle, record);

// What a handler says about itself. [since 0.3]
struct XLA_FFI_Metadata {
  size_t struct_size;
  // The version it was built with. [out, since 0.3]
  XLA_FFI_Api_Version api_version;
  // XLA_FFI_Handler_TraitsBits. [out, since 0.3]
  XLA_FFI_Handler_Traits traits;
  // The type of the state it makes, or 0. [out, since 0.3]
  XLA_FFI_TypeId state_type_id;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Metadata, traits);

// On a call frame: fill this in and do nothing else. [since 0.3]
struct XLA_FFI_Metadata_Extension {
  XLA_FFI_InternalExtension extension_base;
  // To be filled in. [in, since 0.3]
  XLA_FFI_Metadata* metadata;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Metadata_Extension, metadata);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of XLA_FFI_Error_Create. [since 0.3]
struct XLA_FFI_Error_Create_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // NUL-terminated text. Copied. [in, since 0.3, lives for the call]
  const char* message;
  // Its kind. [in, since 0.3]
  XLA_FFI_Error_Code errc;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_Create_Args, errc);

// Makes an error. [slot 0, since 0.3, always implemented]
typedef XLA_FFI_Error* XLA_FFI_Error_Create(XLA_FFI_Error_Create_Args* args);

// Arguments of XLA_FFI_Error_GetDetails. [since 0.3]
struct XLA_FFI_Error_GetDetails_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The error. [in, since 0.3]
  XLA_FFI_Error* error;
  // NUL-terminated. [out, since 0.3, lives until: error]
  const char* message;
  // Its kind. [out, since 0.4, if absent: 0]
  XLA_FFI_Error_Code errc;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_GetDetails_Args, errc);

// The text and the kind of an error. [slot 1, since 0.3, always implemented]
typedef void XLA_FFI_Error_GetDetails(XLA_FFI_Error_GetDetails_Args* args);

// Arguments of XLA_FFI_Error_Destroy. [since 0.3]
struct XLA_FFI_Error_Destroy_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The error, or null. [in, since 0.3, may be null]
  XLA_FFI_Error* error;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_Destroy_Args, error);

// Frees an error. [slot 2, since 0.3, always implemented, threads: exclusive]
typedef void XLA_FFI_Error_Destroy(XLA_FFI_Error_Destroy_Args* args);

// Arguments of XLA_FFI_Handler_Register. [since 0.3]
struct XLA_FFI_Handler_Register_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // What programs call it. [in, since 0.3, lives for the call]
  XLA_FFI_ByteSpan name;
  // The platform it is for. [in, since 0.3, lives for the call]
  XLA_FFI_ByteSpan platform;
  // Its functions. [in, since 0.3]
  XLA_FFI_Handler_Bundle bundle;
  // XLA_FFI_Handler_TraitsBits. [in, since 0.3]
  XLA_FFI_Handler_Traits traits;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Handler_Register_Args, traits);

// Registers a handler for the life of the process. The same again is no error. [slot 3, since 0.3,
// always implemented]
typedef XLA_FFI_Error* XLA_FFI_Handler_Register(XLA_FFI_Handler_Register_Args* args);

// Arguments of XLA_FFI_Stream_Get. [since 0.3]
struct XLA_FFI_Stream_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // The platform's own handle. [out, since 0.3, lives for the call]
  void* stream;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Stream_Get_Args, stream);

// The stream that the call belongs to, on platforms with streams. [slot 4, since 0.3, answers
// UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_Stream_Get(XLA_FFI_Stream_Get_Args* args);

// Arguments of XLA_FFI_Type_Register. [since 0.3]
struct XLA_FFI_Type_Register_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // Its name. [in, since 0.3, lives for the call]
  XLA_FFI_ByteSpan name;
  // Its number; 0 asks for one. [inout, since 0.3]
  XLA_FFI_TypeId* type_id;
  // How to handle its objects. [in, since 0.3, may be null, lives for the call]
  const XLA_FFI_TypeInfo* type_info;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Type_Register_Args, type_id);

// Registers a type of user data or state, for the life of the process. [slot 5, since 0.3, always
// implemented]
typedef XLA_FFI_Error* XLA_FFI_Type_Register(XLA_FFI_Type_Register_Args* args);

// Arguments of XLA_FFI_InvokeContext_Get. [since 0.3]
struct XLA_FFI_InvokeContext_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // The type. [in, since 0.3]
  XLA_FFI_TypeId* type_id;
  // The data. [out, since 0.3, lives for the call]
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InvokeContext_Get_Args, data);

// The data of a type that the framework gave the execution. [slot 6, since 0.3, always implemented]
typedef XLA_FFI_Error* XLA_FFI_InvokeContext_Get(XLA_FFI_InvokeContext_Get_Args* args);

// Arguments of XLA_FFI_State_Set. [since 0.3]
struct XLA_FFI_State_Set_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // Whose state: that of the stage under way. [in, since 0.3]
  XLA_FFI_ExecutionStage stage;
  // Its type. [in, since 0.3]
  XLA_FFI_TypeId* type_id;
  // The object. [in, since 0.3]
  void* state;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Set_Args, state);

// Keeps an object for later stages. The runtime owns it from then on; an error if there is one
// already. [slot 7, since 0.3, always implemented]
typedef XLA_FFI_Error* XLA_FFI_State_Set(XLA_FFI_State_Set_Args* args);

// Arguments of XLA_FFI_State_Get. [since 0.3]
struct XLA_FFI_State_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // The stage that kept it. [in, since 0.3]
  XLA_FFI_ExecutionStage stage;
  // Its type. [in, since 0.3]
  XLA_FFI_TypeId* type_id;
  // The object. [out, since 0.3, lives for the call]
  void* state;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Get_Args, state);

// The object that an earlier stage kept. An error if there is none, or of another type. [slot 8,
// since 0.3, always implemented]
typedef XLA_FFI_Error* XLA_FFI_State_Get(XLA_FFI_State_Get_Args* args);

// Arguments of XLA_FFI_DeviceMemory_Allocate. [since 0.3]
struct XLA_FFI_DeviceMemory_Allocate_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // How many bytes. [in, since 0.3]
  size_t size;
  // A power of two. [in, since 0.3]
  size_t alignment;
  // The memory; null for no bytes. [out, since 0.3, may be null, lives until:
  // XLA_FFI_DeviceMemory_Free]
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceMemory_Allocate_Args, data);

// Memory of the device. [slot 9, since 0.3, answers UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_DeviceMemory_Allocate(XLA_FFI_DeviceMemory_Allocate_Args* args);

// Arguments of XLA_FFI_DeviceMemory_Free. [since 0.3]
struct XLA_FFI_DeviceMemory_Free_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // How many bytes it was. [in, since 0.3]
  size_t size;
  // The memory. [in, since 0.3, may be null]
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceMemory_Free_Args, data);

// Gives memory of the device back. [slot 10, since 0.3, answers UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_DeviceMemory_Free(XLA_FFI_DeviceMemory_Free_Args* args);

// Arguments of XLA_FFI_ThreadPool_Schedule. [since 0.3]
struct XLA_FFI_ThreadPool_Schedule_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // What to run. [in, since 0.3]
  XLA_FFI_Task* task;
  // What to give it. [in, since 0.3, may be null]
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ThreadPool_Schedule_Args, data);

// Runs a task on one of the runtime's threads, or on the caller's. [slot 11, since 0.3, answers
// UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_ThreadPool_Schedule(XLA_FFI_ThreadPool_Schedule_Args* args);

// Arguments of XLA_FFI_ThreadPool_NumThreads. [since 0.3]
struct XLA_FFI_ThreadPool_NumThreads_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // Written through. [out, since 0.3]
  int64_t* num_threads;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ThreadPool_NumThreads_Args, num_threads);

// How many threads run tasks. [slot 12, since 0.3, answers UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_ThreadPool_NumThreads(XLA_FFI_ThreadPool_NumThreads_Args* args);

// Arguments of XLA_FFI_Future_Create. [since 0.3]
struct XLA_FFI_Future_Create_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The future. Completed exactly once. [out, since 0.3]
  XLA_FFI_Future* future;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_Create_Args, extension_start);

// Makes a future, for XLA_FFI_CallFrame.future. [slot 13, since 0.3, always implemented]
typedef XLA_FFI_Error* XLA_FFI_Future_Create(XLA_FFI_Future_Create_Args* args);

// Arguments of XLA_FFI_Future_SetAvailable. [since 0.3]
struct XLA_FFI_Future_SetAvailable_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The future. [in, since 0.3]
  XLA_FFI_Future* future;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_SetAvailable_Args, future);

// Completes a future with success. [slot 14, since 0.3, always implemented]
typedef XLA_FFI_Error* XLA_FFI_Future_SetAvailable(XLA_FFI_Future_SetAvailable_Args* args);

// Arguments of XLA_FFI_Future_SetError. [since 0.3]
struct XLA_FFI_Future_SetError_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // The future. [in, since 0.3]
  XLA_FFI_Future* future;
  // The error; the runtime owns it from then on. [in, since 0.3]
  XLA_FFI_Error* error;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_SetError_Args, error);

// Completes a future with an error. [slot 15, since 0.3, always implemented]
typedef XLA_FFI_Error* XLA_FFI_Future_SetError(XLA_FFI_Future_SetError_Args* args);

// Arguments of XLA_FFI_RunId_Get. [since 0.3]
struct XLA_FFI_RunId_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // The number. [out, since 0.3]
  int64_t run_id;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_RunId_Get_Args, run_id);

// A number that all parts of one execution share, and no other. [slot 16, since 0.3, answers
// UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_RunId_Get(XLA_FFI_RunId_Get_Args* args);

// Arguments of XLA_FFI_DeviceOrdinal_Get. [since 0.3]
struct XLA_FFI_DeviceOrdinal_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.3]
  XLA_FFI_InvokeContext* ctx;
  // Its number. [out, since 0.3]
  int32_t device_ordinal;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal);

// The device that the call runs on. [slot 17, since 0.3, answers UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_DeviceOrdinal_Get(XLA_FFI_DeviceOrdinal_Get_Args* args);

// Arguments of XLA_FFI_InvokeContext_FindExtension. [since 0.4]
struct XLA_FFI_InvokeContext_FindExtension_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.4]
  XLA_FFI_InvokeContext* ctx;
  // The extension's number. [in, since 0.4]
  int64_t extension_type;
  // The extension; null if the invocation has none of that type. [out, since 0.4, may be null,
  // lives for the call]
  const XLA_FFI_Extension* extension;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InvokeContext_FindExtension_Args, extension);

// An extension of the invocation, by its type. [slot 18, since 0.4, answers UNIMPLEMENTED if
// absent]
typedef XLA_FFI_Error* XLA_FFI_InvokeContext_FindExtension(
    XLA_FFI_InvokeContext_FindExtension_Args* args);

// Arguments of XLA_FFI_CustomOptions_Get. [since 0.5]
struct XLA_FFI_CustomOptions_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  // From the call frame. [in, since 0.5]
  XLA_FFI_InvokeContext* ctx;
  // The options; empty if there are none. [out, since 0.5, lives for the call]
  const XLA_FFI_Attrs* attrs;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_CustomOptions_Get_Args, attrs);

// Options that the framework gave to this execution, beside the attributes of the program. [slot
// 19, since 0.5, answers UNIMPLEMENTED if absent]
typedef XLA_FFI_Error* XLA_FFI_CustomOptions_Get(XLA_FFI_CustomOptions_Get_Args* args);

// ---- The table ----------------------------------------------------------------------------------

// What a call frame carries. It only grows; how far it goes, struct_size says.
struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;

  XLA_FFI_API_SLOT(XLA_FFI_Error_Create);  // 0
  XLA_FFI_API_SLOT(XLA_FFI_Error_GetDetails);  // 1
  XLA_FFI_API_SLOT(XLA_FFI_Error_Destroy);  // 2
  XLA_FFI_API_SLOT(XLA_FFI_Handler_Register);  // 3
  XLA_FFI_API_SLOT(XLA_FFI_Stream_Get);  // 4
  XLA_FFI_API_SLOT(XLA_FFI_Type_Register);  // 5
  XLA_FFI_API_SLOT(XLA_FFI_InvokeContext_Get);  // 6
  XLA_FFI_API_SLOT(XLA_FFI_State_Set);  // 7
  XLA_FFI_API_SLOT(XLA_FFI_State_Get);  // 8
  XLA_FFI_API_SLOT(XLA_FFI_DeviceMemory_Allocate);  // 9
  XLA_FFI_API_SLOT(XLA_FFI_DeviceMemory_Free);  // 10
  XLA_FFI_API_SLOT(XLA_FFI_ThreadPool_Schedule);  // 11
  XLA_FFI_API_SLOT(XLA_FFI_ThreadPool_NumThreads);  // 12
  XLA_FFI_API_SLOT(XLA_FFI_Future_Create);  // 13
  XLA_FFI_API_SLOT(XLA_FFI_Future_SetAvailable);  // 14
  XLA_FFI_API_SLOT(XLA_FFI_Future_SetError);  // 15
  XLA_FFI_API_SLOT(XLA_FFI_RunId_Get);  // 16
  XLA_FFI_API_SLOT(XLA_FFI_DeviceOrdinal_Get);  // 17
  XLA_FFI_API_SLOT(XLA_FFI_InvokeContext_FindExtension);  // 18
  XLA_FFI_API_SLOT(XLA_FFI_CustomOptions_Get);  // 19
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api, XLA_FFI_CustomOptions_Get);

// Where a runtime exports it; handlers get it with every call frame.
const XLA_FFI_Api* XLA_FFI_GetApi(void);

#ifdef __cplusplus
}
#endif

#endif  // XLA_FFI_C_API_H_

// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_FFI_EXTENSION_H_
#define PJRT_C_API_FFI_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers XLA FFI handlers, their types and the data that executions carry to them.
// Extension 5, PJRT_Extension_Type_FFI.

#define PJRT_API_FFI_EXTENSION_VERSION 3

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_FFI_Type_Info PJRT_FFI_Type_Info;
typedef struct PJRT_FFI_UserData PJRT_FFI_UserData;

// Properties of a handler, as bits. [since 0.53]
typedef enum {
  // May run inside a command buffer. [since 0.53]
  PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1
} PJRT_FFI_Handler_TraitsBits;

// How to handle objects of a registered type. Never grows. [since 0.80]
struct PJRT_FFI_Type_Info {
  // Frees the memory. [in, since 0.80]
  void (*deleter)(void* object);
  // Reserved. [in, since 0.80]
  void (*serialize)(void);
  // Reserved. [in, since 0.80]
  void (*deserialize)(void);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Type_Info, deserialize);

// Data with its registered type. Never grows. [since 0.53]
struct PJRT_FFI_UserData {
  // Id of the type; 0 asks for a new one. [in, since 0.53]
  int64_t type_id;
  // The data. [in, since 0.53]
  void* data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_UserData, data);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_FFI_Type_Register. [since 0.80]
struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // Name of the type. [in, since 0.80, length type_name_size, lives for the call]
  const char* type_name;
  // Bytes of `type_name`. [in, since 0.80]
  size_t type_name_size;
  // Id of the type; 0 asks for a new one. [inout, since 0.80]
  int64_t type_id;
  // How to handle objects of the type, or null. [in, since 0.80, may be null, lives for the call]
  PJRT_FFI_Type_Info* type_info;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Type_Register_Args, type_info);

// Registers a type of data that handlers use. A `type_id` of 0 asks for a new id. [since 0.80,
// answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_FFI_Type_Register(PJRT_FFI_Type_Register_Args* args);

// Arguments of PJRT_FFI_UserData_Add. [since 0.53]
struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The context. [in, since 0.53, may be null]
  PJRT_ExecuteContext* context;
  // The data with its type. [in, since 0.81, if absent: 0]
  PJRT_FFI_UserData user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_UserData_Add_Args, user_data);

// Adds data to an execute context; handlers find it by its type. [since 0.53, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_FFI_UserData_Add(PJRT_FFI_UserData_Add_Args* args);

// Arguments of PJRT_FFI_Register_Handler. [since 0.73]
struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  // The name that programs call. [in, since 0.73, length target_name_size, lives for the call]
  const char* target_name;
  // Bytes of `target_name`. [in, since 0.73]
  size_t target_name_size;
  // The handler. [in, since 0.73]
  void* handler;
  // The platform. [in, since 0.73, length platform_name_size, lives for the call]
  const char* platform_name;
  // Bytes of `platform_name`. [in, since 0.73]
  size_t platform_name_size;
  // Properties, as bits. [in, since 0.73]
  PJRT_FFI_Handler_TraitsBits traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Register_Handler_Args, traits);

// Registers a typed handler under the name that programs call. [since 0.73, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_FFI_Register_Handler(PJRT_FFI_Register_Handler_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Registers XLA FFI handlers, their types and the data that executions carry to
// them. [since 0.53]
struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  // Registers a type of data that handlers use. A `type_id` of 0 asks for a new id. [since 0.80,
  // answers UNIMPLEMENTED if absent]
  PJRT_FFI_Type_Register* type_register;
  // Adds data to an execute context; handlers find it by its type. [since 0.54, answers
  // UNIMPLEMENTED if absent]
  PJRT_FFI_UserData_Add* user_data_add;
  // Registers a typed handler under the name that programs call. [since 0.73, answers UNIMPLEMENTED
  // if absent]
  PJRT_FFI_Register_Handler* register_handler;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_FFI_Extension, register_handler);
typedef struct PJRT_FFI_Extension PJRT_FFI;

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_FFI_EXTENSION_H_

// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_GPU_EXTENSION_H_
#define PJRT_C_API_GPU_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Registers custom calls with a GPU plugin.
// Extension 0, PJRT_Extension_Type_Gpu_Custom_Call.

#define PJRT_API_GPU_EXTENSION_VERSION 3

// ---- Types --------------------------------------------------------------------------------------


// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Gpu_Register_Custom_Call. [since 0.31]
struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;
  // Name of the custom call. [in, since 0.31, length function_name_size, lives for the call]
  const char* function_name;
  // Bytes of `function_name`. [in, since 0.31]
  size_t function_name_size;
  // 0 for the old form, 1 for the typed form. [in, since 0.40, if absent: 0]
  int api_version;
  // Handler of the instantiate stage, or null. [in, since 0.54, if absent: null]
  void* handler_instantiate;
  // Handler of the prepare stage, or null. [in, since 0.54, if absent: null]
  void* handler_prepare;
  // Handler of the initialize stage, or null. [in, since 0.54, if absent: null]
  void* handler_initialize;
  // The function, or the handler of the execute stage. [in, since 0.54, if absent: null]
  void* handler_execute;
  // Properties, as bits. [in, since 0.114, if absent: 0]
  uint32_t traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Gpu_Register_Custom_Call_Args, traits);

// Registers a custom call, of the old form (one function) or of the typed form (four handlers).
// [since 0.31, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Gpu_Register_Custom_Call(PJRT_Gpu_Register_Custom_Call_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Registers custom calls with a GPU plugin. [since 0.31]
struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;
  // Registers a custom call, of the old form (one function) or of the typed form (four handlers).
  // [since 0.45, answers UNIMPLEMENTED if absent]
  PJRT_Gpu_Register_Custom_Call* custom_call;
  // True if `traits` is read. [in, since 0.114, if absent: false]
  bool custom_call_handles_traits;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Gpu_Custom_Call, custom_call_handles_traits);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_GPU_EXTENSION_H_

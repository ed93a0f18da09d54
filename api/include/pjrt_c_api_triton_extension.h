// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_TRITON_EXTENSION_H_
#define PJRT_C_API_TRITON_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Compiles Triton programs. Plugins dropped it in 0.115.
// Extension 7, PJRT_Extension_Type_Triton.

#define PJRT_API_TRITON_EXTENSION_VERSION 2

// ---- Types --------------------------------------------------------------------------------------


// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Triton_Compile. [since 0.65]
struct PJRT_Triton_Compile_Args {
  size_t struct_size;
  // The Triton module. [in, since 0.65, length module_size, lives for the call]
  const char* module;
  // Bytes of `module`. [in, since 0.65]
  size_t module_size;
  // Name of the architecture. [in, since 0.65, length arch_name_size, lives for the call]
  const char* arch_name;
  // Bytes of `arch_name`. [in, since 0.65]
  size_t arch_name_size;
  // Warps of a thread block. [in, since 0.65]
  int num_warps;
  // Thread blocks of a cluster. [in, since 0.65]
  int num_ctas;
  // Stages of software pipelining. [in, since 0.65]
  int num_stages;
  // The code. [out, since 0.65, length out_asm_size, lives until: process]
  const char* out_asm;
  // Bytes of `out_asm`. [out, since 0.65]
  size_t out_asm_size;
  // Bytes of shared memory that the code needs. [out, since 0.65]
  int64_t out_smem_bytes;
  // Path of the file with the code. [out, since 0.90, length out_path_size, lives until: process,
  // if absent: null]
  const char* out_path;
  // Bytes of `out_path`. [out, since 0.90, if absent: 0]
  size_t out_path_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Triton_Compile_Args, out_path_size);

// Compiles a Triton module. [since 0.65, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Triton_Compile(PJRT_Triton_Compile_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Compiles Triton programs. Plugins dropped it in 0.115. [since 0.65]
struct PJRT_Triton_Extension {
  PJRT_Extension_Base base;
  // Compiles a Triton module. [since 0.65, answers UNIMPLEMENTED if absent]
  PJRT_Triton_Compile* compile;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Triton_Extension, compile);
typedef struct PJRT_Triton_Extension PJRT_Triton;

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_TRITON_EXTENSION_H_

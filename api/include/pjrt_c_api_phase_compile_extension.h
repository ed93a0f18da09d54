// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_PHASE_COMPILE_EXTENSION_H_
#define PJRT_C_API_PHASE_COMPILE_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs the compiler phase by phase. Experimental.
// Extension 9, PJRT_Extension_Type_PhaseCompile.

#define PJRT_API_PHASE_COMPILE_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------


// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_PhaseCompile_Get_Compiler. [since 0.70]
struct PJRT_PhaseCompile_Get_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [out, since 0.70, lives until: process]
  const PJRT_PhaseCompiler* phase_compiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Get_Compiler_Args, phase_compiler);

// Makes a compiler. [since 0.70, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_PhaseCompile_Get_Compiler(PJRT_PhaseCompile_Get_Compiler_Args* args);

// Arguments of PJRT_PhaseCompile_Destroy_Compiler. [since 0.70]
struct PJRT_PhaseCompile_Destroy_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [in, since 0.70]
  const PJRT_PhaseCompiler* phase_compiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Destroy_Compiler_Args, phase_compiler);

// Frees a compiler. [since 0.70, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef void PJRT_PhaseCompile_Destroy_Compiler(PJRT_PhaseCompile_Destroy_Compiler_Args* args);

// Arguments of PJRT_PhaseCompile_Run_Phase. [since 0.70]
struct PJRT_PhaseCompile_Run_Phase_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [in, since 0.70]
  const PJRT_PhaseCompiler* phase_compiler;
  // The programs, serialized. [in, since 0.70, length num_input_programs, lives for the call]
  const char** input_programs;
  // Bytes of each of `input_programs`. [in, since 0.70, lives for the call]
  const size_t* input_programs_sizes;
  // Number of `input_programs`. [in, since 0.70]
  size_t num_input_programs;
  // Names of the phases to run. [in, since 0.70, length num_phases_to_run, lives for the call]
  const char** phases_to_run;
  // Bytes of each of `phases_to_run`. [in, since 0.70, lives for the call]
  const size_t* phases_to_run_sizes;
  // Number of `phases_to_run`. [in, since 0.70]
  size_t num_phases_to_run;
  // A serialized CompileOptionsProto. [in, since 0.70, length compile_options_size, lives for the
  // call]
  const char* compile_options;
  // Bytes of `compile_options`. [in, since 0.70]
  size_t compile_options_size;
  // The topology. [in, since 0.70]
  PJRT_TopologyDescription* topology;
  // The programs after the phases, serialized. [out, since 0.70, length num_output_programs, lives
  // until: phase_compiler]
  const char** output_programs;
  // Bytes of each of `output_programs`. [out, since 0.70, lives until: phase_compiler]
  const size_t* output_programs_sizes;
  // Number of `output_programs`. [out, since 0.70]
  size_t num_output_programs;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Run_Phase_Args, num_output_programs);

// Runs phases on programs and returns the programs after them. [since 0.70, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_PhaseCompile_Run_Phase(PJRT_PhaseCompile_Run_Phase_Args* args);

// Arguments of PJRT_PhaseCompile_Get_PhaseNames. [since 0.70]
struct PJRT_PhaseCompile_Get_PhaseNames_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [in, since 0.70]
  const PJRT_PhaseCompiler* phase_compiler;
  // Names of the phases in order. [out, since 0.70, length num_phase_names, lives until:
  // phase_compiler]
  const char** phase_names;
  // Bytes of each of `phase_names`. [out, since 0.70, lives until: phase_compiler]
  const size_t* phase_names_sizes;
  // Number of `phase_names`. [out, since 0.70]
  size_t num_phase_names;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Get_PhaseNames_Args, num_phase_names);

// Lists the phases in order. [since 0.70, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_PhaseCompile_Get_PhaseNames(PJRT_PhaseCompile_Get_PhaseNames_Args* args);

// Arguments of PJRT_PhaseCompile_C_Buffers_Destroy. [since 0.72]
struct PJRT_PhaseCompile_C_Buffers_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The texts to free. [in, since 0.72, length num_char_buffers, lives for the call]
  const char** char_buffers;
  // Bytes of each of `char_buffers`. [in, since 0.72, lives for the call]
  const size_t* char_buffer_sizes;
  // Number of `char_buffers`. [in, since 0.72]
  size_t num_char_buffers;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_C_Buffers_Destroy_Args, num_char_buffers);

// Frees texts that another function of the extension returned. [since 0.72, answers UNIMPLEMENTED
// if absent, threads: exclusive]
typedef void PJRT_PhaseCompile_C_Buffers_Destroy(PJRT_PhaseCompile_C_Buffers_Destroy_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Runs the compiler phase by phase. Experimental. [since 0.70]
struct PJRT_PhaseCompile_Extension {
  PJRT_Extension_Base base;
  // Makes a compiler. [since 0.70, answers UNIMPLEMENTED if absent]
  PJRT_PhaseCompile_Get_Compiler* phase_compile_get_compiler;
  // Frees a compiler. [since 0.70, answers UNIMPLEMENTED if absent]
  PJRT_PhaseCompile_Destroy_Compiler* phase_compile_destroy_compiler;
  // Runs phases on programs and returns the programs after them. [since 0.72, answers UNIMPLEMENTED
  // if absent]
  PJRT_PhaseCompile_Run_Phase* phase_compile_run_phases;
  // Lists the phases in order. [since 0.70, answers UNIMPLEMENTED if absent]
  PJRT_PhaseCompile_Get_PhaseNames* phase_compile_get_phase_names;
  // Frees texts that another function of the extension returned. [since 0.72, answers UNIMPLEMENTED
  // if absent]
  PJRT_PhaseCompile_C_Buffers_Destroy* phase_compile_c_buffers_destroy;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Extension, phase_compile_c_buffers_destroy);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_PHASE_COMPILE_EXTENSION_H_

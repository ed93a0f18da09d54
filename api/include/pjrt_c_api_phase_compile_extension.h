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

typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
// A compiled part of a program, to be linked with others. [since 0.117]
typedef struct PJRT_Relocatable PJRT_Relocatable;
// Holds the bytes of a relocatable. [since 0.117]
typedef struct PJRT_SerializedRelocatable PJRT_SerializedRelocatable;

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_PhaseCompile_Get_Compiler. [since 0.70]
struct PJRT_PhaseCompile_Get_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [out, since 0.70, lives until: process]
  const PJRT_PhaseCompiler* phase_compiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Get_Compiler_Args, phase_compiler);

// Makes a compiler. [since 0.70, null if absent]
typedef PJRT_Error* PJRT_PhaseCompile_Get_Compiler(PJRT_PhaseCompile_Get_Compiler_Args* args);

// Arguments of PJRT_PhaseCompile_Destroy_Compiler. [since 0.70]
struct PJRT_PhaseCompile_Destroy_Compiler_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [in, since 0.70]
  const PJRT_PhaseCompiler* phase_compiler;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Destroy_Compiler_Args, phase_compiler);

// Frees a compiler. [since 0.70, null if absent, threads: exclusive]
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

// Arguments of PJRT_Relocatable_Destroy. [since 0.117]
struct PJRT_Relocatable_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable to free, or null. [in, since 0.117, may be null, source: binary, name from
  // convention]
  PJRT_Relocatable* relocatable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_Destroy_Args, relocatable);

// Frees a relocatable. Null is allowed. [since 0.117, answers UNIMPLEMENTED if absent, threads:
// exclusive]
typedef PJRT_Error* PJRT_Relocatable_Destroy(PJRT_Relocatable_Destroy_Args* args);

// Arguments of PJRT_Relocatable_Name. [since 0.117]
struct PJRT_Relocatable_Name_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The name. [out, since 0.117, length name_size, lives until: relocatable, source: binary, name
  // from convention]
  const char* name;
  // Bytes of `name`. [out, since 0.117, source: binary, name from convention]
  size_t name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_Name_Args, name_size);

// Gives the name of a relocatable. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_Name(PJRT_Relocatable_Name_Args* args);

// Arguments of PJRT_Relocatable_BuildId. [since 0.117]
struct PJRT_Relocatable_BuildId_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The build id. [out, since 0.117, length build_id_size, lives until: relocatable, source:
  // binary, name from convention]
  const char* build_id;
  // Bytes of `build_id`. [out, since 0.117, source: binary, name from convention]
  size_t build_id_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_BuildId_Args, build_id_size);

// Gives the build id, by which calls of other programs name the relocatable. [since 0.117, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_BuildId(PJRT_Relocatable_BuildId_Args* args);

// Arguments of PJRT_Relocatable_CallBackendConfig. [since 0.117]
struct PJRT_Relocatable_CallBackendConfig_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The backend config. [out, since 0.117, length call_backend_config_size, lives until:
  // relocatable, source: binary, name from convention]
  const char* call_backend_config;
  // Bytes of `call_backend_config`. [out, since 0.117, source: binary, name from convention]
  size_t call_backend_config_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_CallBackendConfig_Args, call_backend_config_size);

// Gives the backend config that a call of the relocatable has to have. [since 0.117, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_CallBackendConfig(
    PJRT_Relocatable_CallBackendConfig_Args* args);

// Arguments of PJRT_Relocatable_HasSideEffects. [since 0.117]
struct PJRT_Relocatable_HasSideEffects_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // Whether it has. [out, since 0.117, source: binary, name from convention]
  bool has_side_effects;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_HasSideEffects_Args, has_side_effects);

// Tells whether a call of the relocatable has effects besides its results. [since 0.117, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_HasSideEffects(PJRT_Relocatable_HasSideEffects_Args* args);

// Arguments of PJRT_Relocatable_Serialize. [since 0.117]
struct PJRT_Relocatable_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The bytes; live until the holder is freed. [out, since 0.117, length serialized_bytes_size,
  // lives until: serialized_relocatable_deleter(serialized_relocatable), source: binary, name from
  // convention]
  const char* serialized_bytes;
  // Number of bytes. [out, since 0.117, source: binary, name from convention]
  size_t serialized_bytes_size;
  // Holds the bytes. [out, since 0.117, freed by the caller: serialized_relocatable_deleter,
  // source: binary, name from convention]
  PJRT_SerializedRelocatable* serialized_relocatable;
  // Frees the holder; called once. [out, since 0.117, source: binary, name from convention]
  void (*serialized_relocatable_deleter)(PJRT_SerializedRelocatable* relocatable);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_Serialize_Args, serialized_relocatable_deleter);

// Gives a relocatable as bytes. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_Serialize(PJRT_Relocatable_Serialize_Args* args);

// Arguments of PJRT_Relocatable_ParameterElementTypes. [since 0.117]
struct PJRT_Relocatable_ParameterElementTypes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The types. [out, since 0.117, length num_parameter_types, lives until: relocatable, source:
  // binary, name from convention]
  PJRT_Buffer_Type* parameter_types;
  // Number of `parameter_types`. [out, since 0.117, source: binary, name from convention]
  size_t num_parameter_types;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_ParameterElementTypes_Args, num_parameter_types);

// Gives the element type of each parameter. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_ParameterElementTypes(
    PJRT_Relocatable_ParameterElementTypes_Args* args);

// Arguments of PJRT_Relocatable_OutputElementTypes. [since 0.117]
struct PJRT_Relocatable_OutputElementTypes_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The types. [out, since 0.117, length num_output_types, lives until: relocatable, source:
  // binary, name from convention]
  PJRT_Buffer_Type* output_types;
  // Number of `output_types`. [out, since 0.117, source: binary, name from convention]
  size_t num_output_types;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_OutputElementTypes_Args, num_output_types);

// Gives the element type of each output. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_OutputElementTypes(
    PJRT_Relocatable_OutputElementTypes_Args* args);

// Arguments of PJRT_Relocatable_ParameterDimensions. [since 0.117]
struct PJRT_Relocatable_ParameterDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The number of parameters. [out, since 0.117, source: binary, name from convention]
  size_t num_parameters;
  // Dimensions of all parameters, one parameter after the other. [out, since 0.117, length: the sum
  // of dim_sizes, lives until: relocatable, source: binary, name from convention]
  const int64_t* dims;
  // Rank of each parameter. [out, since 0.117, length num_parameters, lives until: relocatable,
  // source: binary, name from convention]
  const size_t* dim_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_ParameterDimensions_Args, dim_sizes);

// Gives the dimensions of all parameters, one after the other. [since 0.117, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_Relocatable_ParameterDimensions(
    PJRT_Relocatable_ParameterDimensions_Args* args);

// Arguments of PJRT_Relocatable_OutputDimensions. [since 0.117]
struct PJRT_Relocatable_OutputDimensions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The number of outputs. [out, since 0.117, source: binary, name from convention]
  size_t num_outputs;
  // Dimensions of all outputs, one output after the other. [out, since 0.117, length: the sum of
  // dim_sizes, lives until: relocatable, source: binary, name from convention]
  const int64_t* dims;
  // Rank of each output. [out, since 0.117, length num_outputs, lives until: relocatable, source:
  // binary, name from convention]
  const size_t* dim_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_OutputDimensions_Args, dim_sizes);

// Gives the dimensions of all outputs, one after the other. [since 0.117, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Relocatable_OutputDimensions(PJRT_Relocatable_OutputDimensions_Args* args);

// Arguments of PJRT_Relocatable_ParameterLayouts. [since 0.117]
struct PJRT_Relocatable_ParameterLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The number of parameters. [out, since 0.117, source: binary, name from convention]
  size_t num_parameters;
  // The layouts. [out, since 0.117, length num_parameters, lives until: relocatable, source:
  // binary, name from convention]
  PJRT_Layouts_MemoryLayout** layouts;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_ParameterLayouts_Args, layouts);

// Gives the layout of each parameter. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_ParameterLayouts(PJRT_Relocatable_ParameterLayouts_Args* args);

// Arguments of PJRT_Relocatable_OutputLayouts. [since 0.117]
struct PJRT_Relocatable_OutputLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // The number of outputs. [out, since 0.117, source: binary, name from convention]
  size_t num_outputs;
  // The layouts. [out, since 0.117, length num_outputs, lives until: relocatable, source: binary,
  // name from convention]
  PJRT_Layouts_MemoryLayout** layouts;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_OutputLayouts_Args, layouts);

// Gives the layout of each output. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_OutputLayouts(PJRT_Relocatable_OutputLayouts_Args* args);

// Arguments of PJRT_Relocatable_ParameterOutputAliases. [since 0.117]
struct PJRT_Relocatable_ParameterOutputAliases_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The relocatable. [in, since 0.117, source: binary, name from convention]
  PJRT_Relocatable* relocatable;
  // Number of pairs. [out, since 0.117, source: binary, name from convention]
  size_t num_aliases;
  // The parameter of each pair, by number. [out, since 0.117, length num_aliases, lives until:
  // relocatable, source: binary, name from convention]
  const int64_t* parameters;
  // The output of each pair, by number. [out, since 0.117, length num_aliases, lives until:
  // relocatable, source: binary, name from convention]
  const int64_t* outputs;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Relocatable_ParameterOutputAliases_Args, outputs);

// Lists the pairs of a parameter and an output that share memory. [since 0.117, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Relocatable_ParameterOutputAliases(
    PJRT_Relocatable_ParameterOutputAliases_Args* args);

// Arguments of PJRT_PhaseCompile_CompileToRelocatable. [since 0.117]
struct PJRT_PhaseCompile_CompileToRelocatable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [in, since 0.117, source: binary, name from convention]
  const PJRT_PhaseCompiler* phase_compiler;
  // The topology. [in, since 0.117, source: binary, name from convention]
  const PJRT_TopologyDescription* topology;
  // The program. [in, since 0.117, lives for the call, source: binary, name from convention]
  const PJRT_Program* program;
  // A serialized CompileOptionsProto. [in, since 0.117, length compile_options_size, lives for the
  // call, source: binary, name from convention]
  const char* compile_options;
  // Bytes of `compile_options`. [in, since 0.117, source: binary, name from convention]
  size_t compile_options_size;
  // Name of the relocatable. [in, since 0.117, length name_size, lives for the call, source:
  // binary, name from convention]
  const char* name;
  // Bytes of `name`. [in, since 0.117, source: binary, name from convention]
  size_t name_size;
  // Whether the linked program begins with it, instead of calling it. [in, since 0.117, source:
  // binary, name from convention]
  bool is_entrypoint;
  // A client of the devices, or null. [in, since 0.117, may be null, source: binary, name from
  // convention]
  PJRT_Client* client;
  // The relocatable. [out, since 0.117, freed by the caller: PJRT_Relocatable_Destroy, source:
  // binary, name from convention]
  PJRT_Relocatable* relocatable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_CompileToRelocatable_Args, relocatable);

// Compiles a program to a part that is linked later. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_PhaseCompile_CompileToRelocatable(
    PJRT_PhaseCompile_CompileToRelocatable_Args* args);

// Arguments of PJRT_PhaseCompile_DeserializeRelocatable. [since 0.117]
struct PJRT_PhaseCompile_DeserializeRelocatable_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [in, since 0.117, source: binary, name from convention]
  const PJRT_PhaseCompiler* phase_compiler;
  // The bytes. [in, since 0.117, length serialized_bytes_size, lives for the call, source: binary,
  // name from convention]
  const char* serialized_bytes;
  // Number of bytes. [in, since 0.117, source: binary, name from convention]
  size_t serialized_bytes_size;
  // The relocatable. [out, since 0.117, freed by the caller: PJRT_Relocatable_Destroy, source:
  // binary, name from convention]
  PJRT_Relocatable* relocatable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_DeserializeRelocatable_Args, relocatable);

// Makes a relocatable of bytes that PJRT_Relocatable_Serialize gave. [since 0.117, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_PhaseCompile_DeserializeRelocatable(
    PJRT_PhaseCompile_DeserializeRelocatable_Args* args);

// Arguments of PJRT_PhaseCompile_LinkRelocatables. [since 0.117]
struct PJRT_PhaseCompile_LinkRelocatables_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The compiler. [in, since 0.117, source: binary, name from convention]
  const PJRT_PhaseCompiler* phase_compiler;
  // The topology. [in, since 0.117, source: binary, name from convention]
  const PJRT_TopologyDescription* topology;
  // A serialized CompileOptionsProto. [in, since 0.117, length compile_options_size, lives for the
  // call, source: binary, name from convention]
  const char* compile_options;
  // Bytes of `compile_options`. [in, since 0.117, source: binary, name from convention]
  size_t compile_options_size;
  // What the program begins with, or null. [in, since 0.117, may be null, source: binary, name from
  // convention]
  PJRT_Relocatable* entrypoint;
  // What it calls. [in, since 0.117, length num_relocatables, lives for the call, source: binary,
  // name from convention]
  PJRT_Relocatable** relocatables;
  // Number of `relocatables`. [in, since 0.117, source: binary, name from convention]
  size_t num_relocatables;
  // The executable. [out, since 0.117, freed by the caller: PJRT_Executable_Destroy, source:
  // binary, name from convention]
  PJRT_Executable* executable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_LinkRelocatables_Args, executable);

// Makes an executable of relocatables. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_PhaseCompile_LinkRelocatables(
    PJRT_PhaseCompile_LinkRelocatables_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Runs the compiler phase by phase. Experimental. [since 0.70]
struct PJRT_PhaseCompile_Extension {
  PJRT_Extension_Base base;
  // Makes a compiler; null where the compiler has no phases. [since 0.70, null if absent]
  PJRT_PhaseCompile_Get_Compiler* phase_compile_get_compiler;
  // Frees a compiler; null as the slot before. [since 0.70, null if absent]
  PJRT_PhaseCompile_Destroy_Compiler* phase_compile_destroy_compiler;
  // Runs phases on programs and returns the programs after them. [since 0.72, answers UNIMPLEMENTED
  // if absent]
  PJRT_PhaseCompile_Run_Phase* phase_compile_run_phases;
  // Lists the phases in order. [since 0.70, answers UNIMPLEMENTED if absent]
  PJRT_PhaseCompile_Get_PhaseNames* phase_compile_get_phase_names;
  // Frees texts that another function of the extension returned. [since 0.72, answers UNIMPLEMENTED
  // if absent]
  PJRT_PhaseCompile_C_Buffers_Destroy* phase_compile_c_buffers_destroy;
  // Frees a relocatable. Null is allowed. [since 0.117, answers UNIMPLEMENTED if absent, source:
  // binary, name from convention]
  PJRT_Relocatable_Destroy* relocatable_destroy;
  // Gives the name of a relocatable. [since 0.117, answers UNIMPLEMENTED if absent, source: binary,
  // name from convention]
  PJRT_Relocatable_Name* relocatable_name;
  // Gives the build id, by which calls of other programs name the relocatable. [since 0.117,
  // answers UNIMPLEMENTED if absent, source: binary, name from convention]
  PJRT_Relocatable_BuildId* relocatable_build_id;
  // Gives the backend config that a call of the relocatable has to have. [since 0.117, answers
  // UNIMPLEMENTED if absent, source: binary, name from convention]
  PJRT_Relocatable_CallBackendConfig* relocatable_call_backend_config;
  // Tells whether a call of the relocatable has effects besides its results. [since 0.117, answers
  // UNIMPLEMENTED if absent, source: binary, name from convention]
  PJRT_Relocatable_HasSideEffects* relocatable_has_side_effects;
  // Gives a relocatable as bytes. [since 0.117, answers UNIMPLEMENTED if absent, source: binary,
  // name from convention]
  PJRT_Relocatable_Serialize* relocatable_serialize;
  // Gives the element type of each parameter. [since 0.117, answers UNIMPLEMENTED if absent,
  // source: binary, name from convention]
  PJRT_Relocatable_ParameterElementTypes* relocatable_parameter_element_types;
  // Gives the element type of each output. [since 0.117, answers UNIMPLEMENTED if absent, source:
  // binary, name from convention]
  PJRT_Relocatable_OutputElementTypes* relocatable_output_element_types;
  // Gives the dimensions of all parameters, one after the other. [since 0.117, answers
  // UNIMPLEMENTED if absent, source: binary, name from convention]
  PJRT_Relocatable_ParameterDimensions* relocatable_parameter_dimensions;
  // Gives the dimensions of all outputs, one after the other. [since 0.117, answers UNIMPLEMENTED
  // if absent, source: binary, name from convention]
  PJRT_Relocatable_OutputDimensions* relocatable_output_dimensions;
  // Gives the layout of each parameter. [since 0.117, answers UNIMPLEMENTED if absent, source:
  // binary, name from convention]
  PJRT_Relocatable_ParameterLayouts* relocatable_parameter_layouts;
  // Gives the layout of each output. [since 0.117, answers UNIMPLEMENTED if absent, source: binary,
  // name from convention]
  PJRT_Relocatable_OutputLayouts* relocatable_output_layouts;
  // Lists the pairs of a parameter and an output that share memory. [since 0.117, answers
  // UNIMPLEMENTED if absent, source: binary, name from convention]
  PJRT_Relocatable_ParameterOutputAliases* relocatable_parameter_output_aliases;
  // Compiles a program to a part that is linked later. [since 0.117, answers UNIMPLEMENTED if
  // absent, source: binary, name from convention]
  PJRT_PhaseCompile_CompileToRelocatable* phase_compile_compile_to_relocatable;
  // Makes a relocatable of bytes that PJRT_Relocatable_Serialize gave. [since 0.117, answers
  // UNIMPLEMENTED if absent, source: binary, name from convention]
  PJRT_PhaseCompile_DeserializeRelocatable* phase_compile_deserialize_relocatable;
  // Makes an executable of relocatables. [since 0.117, answers UNIMPLEMENTED if absent, source:
  // binary, name from convention]
  PJRT_PhaseCompile_LinkRelocatables* phase_compile_link_relocatables;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_PhaseCompile_Extension, phase_compile_link_relocatables);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_PHASE_COMPILE_EXTENSION_H_

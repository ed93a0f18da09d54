// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_TPU_EXECUTABLE_EXTENSION_H_
#define PJRT_C_API_TPU_EXECUTABLE_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads serialized TPU executables.
// Extension 17, PJRT_Extension_Type_TpuExecutable.

#define PJRT_API_TPU_EXECUTABLE_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

// Holds a serialized result. [since 0.90]
typedef struct PJRT_TpuExecutable_CompilationEnvironments PJRT_TpuExecutable_CompilationEnvironments;
// Holds a serialized result. [since 0.90]
typedef struct PJRT_TpuExecutable_CompiledMemoryStats PJRT_TpuExecutable_CompiledMemoryStats;
// Holds the estimates. [since 0.90]
typedef struct PJRT_TpuExecutable_CostAnalysisResult PJRT_TpuExecutable_CostAnalysisResult;
// Holds the text. [since 0.90]
typedef struct PJRT_TpuExecutable_FieldValue PJRT_TpuExecutable_FieldValue;
// Holds a serialized result. [since 0.90]
typedef struct PJRT_TpuExecutable_HloModuleWithConfig PJRT_TpuExecutable_HloModuleWithConfig;
// Holds a serialized result. [since 0.90]
typedef struct PJRT_TpuExecutable_TargetArguments PJRT_TpuExecutable_TargetArguments;

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_TpuExecutable_GetTargetArguments. [since 0.90]
struct PJRT_TpuExecutable_GetTargetArguments_Args {
  size_t struct_size;
  // The bytes. [in, since 0.90, length serialized_executable_size, lives for the call]
  const char* serialized_executable;
  // Bytes of `serialized_executable`. [in, since 0.90]
  size_t serialized_executable_size;
  // The target arguments, serialized. [out, since 0.90, length target_arguments_size, freed by the
  // caller: target_arguments_deleter]
  const char* target_arguments;
  // Bytes of `target_arguments`. [out, since 0.90]
  size_t target_arguments_size;
  // Holds the result. [out, since 0.90, lives until: target_arguments_deleter(target_arguments)]
  PJRT_TpuExecutable_TargetArguments* target_arguments_ptr;
  // Frees the holder; called once. [out, since 0.90]
  void (*target_arguments_deleter)(PJRT_TpuExecutable_TargetArguments* args);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_GetTargetArguments_Args, target_arguments_deleter);

// Gives the target arguments of a serialized executable. [since 0.90, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuExecutable_GetTargetArguments(
    PJRT_TpuExecutable_GetTargetArguments_Args* args);

// Arguments of PJRT_TpuExecutable_GetHloModuleWithConfig. [since 0.90]
struct PJRT_TpuExecutable_GetHloModuleWithConfig_Args {
  size_t struct_size;
  // The bytes. [in, since 0.90, length serialized_executable_size, lives for the call]
  const char* serialized_executable;
  // Bytes of `serialized_executable`. [in, since 0.90]
  size_t serialized_executable_size;
  // Holds the result. [out, since 0.90, length hlo_module_with_config_size, freed by the caller:
  // hlo_module_with_config_deleter]
  const char* hlo_module_with_config;
  // Bytes of `hlo_module_with_config`. [out, since 0.90]
  size_t hlo_module_with_config_size;
  // Holds the result. [out, since 0.90, lives until:
  // hlo_module_with_config_deleter(hlo_module_with_config)]
  PJRT_TpuExecutable_HloModuleWithConfig* hlo_module_with_config_ptr;
  // Frees the holder; called once. [out, since 0.90]
  void (*hlo_module_with_config_deleter)(PJRT_TpuExecutable_HloModuleWithConfig* module);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_GetHloModuleWithConfig_Args, hlo_module_with_config_deleter);

// Gives the HLO module of a serialized executable. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuExecutable_GetHloModuleWithConfig(
    PJRT_TpuExecutable_GetHloModuleWithConfig_Args* args);

// Arguments of PJRT_TpuExecutable_RunHloCostAnalysis. [since 0.97]
struct PJRT_TpuExecutable_RunHloCostAnalysis_Args {
  size_t struct_size;
  // The target arguments, serialized. [in, since 0.97, length target_arguments_size, lives for the
  // call]
  const char* target_arguments;
  // Bytes of `target_arguments`. [in, since 0.97]
  size_t target_arguments_size;
  // The HLO module, serialized. [in, since 0.97, length hlo_module_size, lives for the call]
  const char** hlo_module;
  // Bytes of `hlo_module`. [in, since 0.97, lives for the call]
  size_t* hlo_module_size;
  // Number of modules. [in, since 0.97]
  size_t num_hlo_modules;
  // Holds the result. [out, since 0.97, length num_analysis_results, freed by the caller:
  // analysis_results_deleter]
  const PJRT_NamedValue* analysis_results;
  // Number of `analysis_results`. [out, since 0.97]
  size_t num_analysis_results;
  // Holds the result. [out, since 0.97, lives until: analysis_results_deleter(analysis_results)]
  PJRT_TpuExecutable_CostAnalysisResult* analysis_results_ptr;
  // Frees the holder; called once. [out, since 0.97]
  void (*analysis_results_deleter)(PJRT_TpuExecutable_CostAnalysisResult* results);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_RunHloCostAnalysis_Args, analysis_results_deleter);

// Estimates the cost of HLO modules. [since 0.97, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuExecutable_RunHloCostAnalysis(
    PJRT_TpuExecutable_RunHloCostAnalysis_Args* args);

// Arguments of PJRT_TpuExecutable_GetCompiledMemoryStats. [since 0.97]
struct PJRT_TpuExecutable_GetCompiledMemoryStats_Args {
  size_t struct_size;
  // The bytes. [in, since 0.97, length serialized_executable_size, lives for the call]
  const char* serialized_executable;
  // Bytes of `serialized_executable`. [in, since 0.97]
  size_t serialized_executable_size;
  // Holds the result. [out, since 0.97, length compiled_memory_stats_size, freed by the caller:
  // compiled_memory_stats_deleter]
  const char* compiled_memory_stats;
  // Bytes of `compiled_memory_stats`. [out, since 0.97]
  size_t compiled_memory_stats_size;
  // Holds the result. [out, since 0.97, lives until:
  // compiled_memory_stats_deleter(compiled_memory_stats)]
  PJRT_TpuExecutable_CompiledMemoryStats* compiled_memory_stats_ptr;
  // Frees the holder; called once. [out, since 0.97]
  void (*compiled_memory_stats_deleter)(PJRT_TpuExecutable_CompiledMemoryStats* stats);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_GetCompiledMemoryStats_Args, compiled_memory_stats_deleter);

// Gives the memory that a serialized executable needs. [since 0.97, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuExecutable_GetCompiledMemoryStats(
    PJRT_TpuExecutable_GetCompiledMemoryStats_Args* args);

// Arguments of PJRT_TpuExecutable_SetTpuCompilationEnv. [since 0.97]
struct PJRT_TpuExecutable_SetTpuCompilationEnv_Args {
  size_t struct_size;
  // The compilation environments, serialized. [in, since 0.97, length
  // serialized_compilation_environments_size, lives for the call]
  const char* serialized_compilation_environments;
  // Bytes of `serialized_compilation_environments`. [in, since 0.97]
  size_t serialized_compilation_environments_size;
  // Holds the result. [out, since 0.97, length result_compilation_environments_size, freed by the
  // caller: result_compilation_environments_deleter]
  const char* result_compilation_environments;
  // Bytes of `result_compilation_environments`. [out, since 0.97]
  size_t result_compilation_environments_size;
  // Holds the result. [out, since 0.97, lives until:
  // result_compilation_environments_deleter(result_compilation_environments)]
  PJRT_TpuExecutable_CompilationEnvironments* result_compilation_environments_ptr;
  // Frees the holder; called once. [out, since 0.97]
  void (*result_compilation_environments_deleter)(PJRT_TpuExecutable_CompilationEnvironments* envs);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_SetTpuCompilationEnv_Args, result_compilation_environments_deleter);

// Fills in the compilation environment of the platform. [since 0.97, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuExecutable_SetTpuCompilationEnv(
    PJRT_TpuExecutable_SetTpuCompilationEnv_Args* args);

// Arguments of PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString. [since 0.97]
struct PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args {
  size_t struct_size;
  // The compilation environments, serialized. [in, since 0.97, length
  // serialized_compilation_environments_size, lives for the call]
  const char* serialized_compilation_environments;
  // Bytes of `serialized_compilation_environments`. [in, since 0.97]
  size_t serialized_compilation_environments_size;
  // Name of the setting. [in, since 0.97, length field_name_size, lives for the call]
  const char* field_name;
  // Bytes of `field_name`. [in, since 0.97]
  size_t field_name_size;
  // Holds the result. [out, since 0.97, length field_value_size, freed by the caller:
  // field_value_deleter]
  const char* field_value;
  // Bytes of `field_value`. [out, since 0.97]
  size_t field_value_size;
  // Holds the result. [out, since 0.97, lives until: field_value_deleter(field_value)]
  PJRT_TpuExecutable_FieldValue* field_value_ptr;
  // Frees the holder; called once. [out, since 0.97]
  void (*field_value_deleter)(PJRT_TpuExecutable_FieldValue* value);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args, field_value_deleter);

// Gives one setting of the compilation environment as text. [since 0.97, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString(
    PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args* args);

// Arguments of PJRT_TpuExecutable_IsTpuPredeterminedError. [since 0.98]
struct PJRT_TpuExecutable_IsTpuPredeterminedError_Args {
  size_t struct_size;
  // The status, serialized. [in, since 0.98, length serialized_status_size, lives for the call]
  const char* serialized_status;
  // Bytes of `serialized_status`. [in, since 0.98]
  size_t serialized_status_size;
  // True if it is of that kind. [out, since 0.98]
  bool is_predetermined;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_IsTpuPredeterminedError_Args, is_predetermined);

// Tells whether a serialized status is of the predetermined kind. [since 0.98, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuExecutable_IsTpuPredeterminedError(
    PJRT_TpuExecutable_IsTpuPredeterminedError_Args* args);

// Arguments of PJRT_TpuExecutable_IsTpuCancellationPlaceholderError. [since 0.114]
struct PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args {
  size_t struct_size;
  // The status, serialized. [in, since 0.114, length serialized_status_size, lives for the call]
  const char* serialized_status;
  // Bytes of `serialized_status`. [in, since 0.114]
  size_t serialized_status_size;
  // True if it stands for a cancellation. [out, since 0.114]
  bool is_cancellation_placeholder;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args, is_cancellation_placeholder);

// Tells whether a serialized status stands for a cancellation. [since 0.114, answers UNIMPLEMENTED
// if absent]
typedef PJRT_Error* PJRT_TpuExecutable_IsTpuCancellationPlaceholderError(
    PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Reads serialized TPU executables. [since 0.90]
struct PJRT_TpuExecutable_Extension {
  PJRT_Extension_Base base;
  // Gives the target arguments of a serialized executable. [since 0.90, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuExecutable_GetTargetArguments* get_target_arguments;
  // Gives the HLO module of a serialized executable. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_TpuExecutable_GetHloModuleWithConfig* get_hlo_module_with_config;
  // Slot that is no longer used. [since 0.90, null if absent]
  void* get_core_program_abi_version;
  // Gives the memory that a serialized executable needs. [since 0.97, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuExecutable_GetCompiledMemoryStats* get_compiled_memory_stats;
  // Estimates the cost of HLO modules. [since 0.97, answers UNIMPLEMENTED if absent]
  PJRT_TpuExecutable_RunHloCostAnalysis* run_hlo_cost_analysis;
  // Fills in the compilation environment of the platform. [since 0.97, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuExecutable_SetTpuCompilationEnv* set_tpu_compilation_env;
  // Gives one setting of the compilation environment as text. [since 0.97, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString* get_tpu_compilation_env_field_as_string;
  // Tells whether a serialized status is of the predetermined kind. [since 0.98, answers
  // UNIMPLEMENTED if absent]
  PJRT_TpuExecutable_IsTpuPredeterminedError* is_tpu_predetermined_error;
  // Tells whether a serialized status stands for a cancellation. [since 0.114, answers
  // UNIMPLEMENTED if absent]
  PJRT_TpuExecutable_IsTpuCancellationPlaceholderError* is_tpu_cancellation_placeholder_error;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuExecutable_Extension, is_tpu_cancellation_placeholder_error);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_TPU_EXECUTABLE_EXTENSION_H_

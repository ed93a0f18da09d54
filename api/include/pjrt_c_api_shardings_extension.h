// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_SHARDINGS_EXTENSION_H_
#define PJRT_C_API_SHARDINGS_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tells the shardings of parameters and outputs.
// Extension 19, PJRT_Extension_Type_Shardings.

#define PJRT_API_SHARDINGS_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------


// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Shardings_PJRT_Executable_ParameterShardings. [since 0.91]
struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.91]
  PJRT_Executable* executable;
  // Number of parameters. [out, since 0.91]
  size_t num_parameters;
  // One serialized OpSharding for each; null if the plugin does not know them. [out, since 0.91,
  // length num_parameters, may be null, lives until: executable]
  const char* const* shardings;
  // Bytes of each sharding; null if the plugin does not know them. [out, since 0.91, length
  // num_parameters, may be null, lives until: executable]
  const size_t* sharding_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, sharding_sizes);

// Gives the sharding of each parameter as a serialized OpSharding. [since 0.91, null if absent]
typedef PJRT_Error* PJRT_Shardings_PJRT_Executable_ParameterShardings(
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args);

// Arguments of PJRT_Shardings_PJRT_Executable_OutputShardings. [since 0.91]
struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.91]
  PJRT_Executable* executable;
  // Number of outputs. [out, since 0.91]
  size_t num_outputs;
  // One serialized OpSharding for each; null if the plugin does not know them. [out, since 0.91,
  // length num_outputs, may be null, lives until: executable]
  const char* const* shardings;
  // Bytes of each sharding; null if the plugin does not know them. [out, since 0.91, length
  // num_outputs, may be null, lives until: executable]
  const size_t* sharding_sizes;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, sharding_sizes);

// Gives the sharding of each output as a serialized OpSharding. [since 0.91, null if absent]
typedef PJRT_Error* PJRT_Shardings_PJRT_Executable_OutputShardings(
    PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Tells the shardings of parameters and outputs. [since 0.91]
struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  // Gives the sharding of each parameter as a serialized OpSharding. [since 0.91, null if absent]
  PJRT_API_SLOT(PJRT_Shardings_PJRT_Executable_ParameterShardings);
  // Gives the sharding of each output as a serialized OpSharding. [since 0.91, null if absent]
  PJRT_API_SLOT(PJRT_Shardings_PJRT_Executable_OutputShardings);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Shardings_Extension, PJRT_Shardings_PJRT_Executable_OutputShardings);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_SHARDINGS_EXTENSION_H_

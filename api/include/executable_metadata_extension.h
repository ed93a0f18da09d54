// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef EXECUTABLE_METADATA_EXTENSION_H_
#define EXECUTABLE_METADATA_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gives serialized metadata of an executable.
// Extension 13, PJRT_Extension_Type_ExecutableMetadata.

#define PJRT_API_EXECUTABLE_METADATA_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_ExecutableMetadata PJRT_ExecutableMetadata;
typedef struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args PJRT_ExecutableMetadata_GetExecutableMetadata_Args;
typedef struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args PJRT_ExecutableMetadata_DestroySerializedMetadata_Args;

// Gives the metadata of an executable. [since 0.75]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_ExecutableMetadata_GetExecutableMetadata)(
    PJRT_ExecutableMetadata_GetExecutableMetadata_Args* args);

// Frees metadata. [since 0.75]
// args: Arguments and results.
typedef void (*PJRT_ExecutableMetadata_DestroySerializedMetadata)(
    PJRT_ExecutableMetadata_DestroySerializedMetadata_Args* args);

// Serialized metadata. Never grows. [since 0.75]
struct PJRT_ExecutableMetadata {
  // The metadata, serialized. [in, since 0.75, length serialized_metadata_size, lives for the call]
  const char* serialized_metadata;
  // Bytes of `serialized_metadata`. [in, since 0.75]
  size_t serialized_metadata_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata, serialized_metadata_size);

// Arguments of PJRT_ExecutableMetadata_GetExecutableMetadata. Never grows. [since 0.75]
struct PJRT_ExecutableMetadata_GetExecutableMetadata_Args {
  // The executable. [in, since 0.75]
  PJRT_Executable* executable;
  // The metadata. [out, since 0.75, lives until: executable]
  PJRT_ExecutableMetadata* metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_GetExecutableMetadata_Args, metadata);

// Arguments of PJRT_ExecutableMetadata_DestroySerializedMetadata. Never grows. [since 0.75]
struct PJRT_ExecutableMetadata_DestroySerializedMetadata_Args {
  // The metadata. [in, since 0.75, lives for the call]
  PJRT_ExecutableMetadata* metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_DestroySerializedMetadata_Args, metadata);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Gives serialized metadata of an executable. [since 0.75]
struct PJRT_ExecutableMetadata_Extension {
  PJRT_Extension_Base base;
  // Gives the metadata of an executable. [since 0.75, answers UNIMPLEMENTED if absent]
  PJRT_ExecutableMetadata_GetExecutableMetadata get_executable_metadata;
  // Frees metadata. [since 0.75, answers UNIMPLEMENTED if absent]
  PJRT_ExecutableMetadata_DestroySerializedMetadata destroy_serialized_metadata;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableMetadata_Extension, destroy_serialized_metadata);

#ifdef __cplusplus
}
#endif

#endif  // EXECUTABLE_METADATA_EXTENSION_H_

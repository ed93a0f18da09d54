// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_ABI_VERSION_EXTENSION_H_
#define PJRT_C_API_ABI_VERSION_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tells whether runtimes and executables fit together.
// Extension 20, PJRT_Extension_Type_AbiVersion.

#define PJRT_API_ABI_VERSION_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

// The version that an executable needs. [since 0.91]
typedef struct PJRT_ExecutableAbiVersion PJRT_ExecutableAbiVersion;
// The version of a runtime. [since 0.91]
typedef struct PJRT_RuntimeAbiVersion PJRT_RuntimeAbiVersion;
// Holds a serialized proto. [since 0.91]
typedef struct PJRT_SerializedProto PJRT_SerializedProto;

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Client_RuntimeAbiVersion. [since 0.91]
struct PJRT_Client_RuntimeAbiVersion_Args {
  size_t struct_size;
  // The client. [in, since 0.91]
  PJRT_Client* client;
  // The version. [out, since 0.91, freed by the caller: PJRT_RuntimeAbiVersion_Destroy]
  PJRT_RuntimeAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Client_RuntimeAbiVersion_Args, abi_version);

// Gives the version of a client's runtime. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Client_RuntimeAbiVersion(PJRT_Client_RuntimeAbiVersion_Args* args);

// Arguments of PJRT_Executable_GetAbiVersion. [since 0.91]
struct PJRT_Executable_GetAbiVersion_Args {
  size_t struct_size;
  // The executable. [in, since 0.91]
  PJRT_Executable* executable;
  // The version. [out, since 0.91, freed by the caller: PJRT_ExecutableAbiVersion_Destroy]
  PJRT_ExecutableAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Executable_GetAbiVersion_Args, abi_version);

// Gives the version that an executable needs. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Executable_GetAbiVersion(PJRT_Executable_GetAbiVersion_Args* args);

// Arguments of PJRT_RuntimeAbiVersion_Destroy. [since 0.91]
struct PJRT_RuntimeAbiVersion_Destroy_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  PJRT_RuntimeAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_Destroy_Args, abi_version);

// Frees a runtime version. [since 0.91, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_RuntimeAbiVersion_Destroy(PJRT_RuntimeAbiVersion_Destroy_Args* args);

// Arguments of PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime. [since 0.91]
struct PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  const PJRT_RuntimeAbiVersion* abi_version;
  // The version to compare with. [in, since 0.91]
  const PJRT_RuntimeAbiVersion* other_abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args, other_abi_version);

// Returns an error unless two runtimes fit together. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime(
    PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args* args);

// Arguments of PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable. [since 0.91]
struct PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  const PJRT_RuntimeAbiVersion* abi_version;
  // The version that the executable needs. [in, since 0.91]
  const PJRT_ExecutableAbiVersion* executable_abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args, executable_abi_version);

// Returns an error unless an executable runs on a runtime. [since 0.91, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable(
    PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args* args);

// Arguments of PJRT_RuntimeAbiVersion_ToProto. [since 0.91]
struct PJRT_RuntimeAbiVersion_ToProto_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  const PJRT_RuntimeAbiVersion* abi_version;
  // The proto. [out, since 0.91, length serialized_proto_size, freed by the caller:
  // serialized_proto_deleter]
  const char* serialized_proto;
  // Bytes of `serialized_proto`. [out, since 0.91]
  size_t serialized_proto_size;
  // Holds the result. [out, since 0.91, lives until: serialized_proto_deleter(serialized_proto)]
  PJRT_SerializedProto* serialized_proto_holder;
  // Frees the holder; called once. [out, since 0.91]
  void (*serialized_proto_deleter)(PJRT_SerializedProto* holder);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_ToProto_Args, serialized_proto_deleter);

// Gives a runtime version as a serialized proto. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RuntimeAbiVersion_ToProto(PJRT_RuntimeAbiVersion_ToProto_Args* args);

// Arguments of PJRT_RuntimeAbiVersion_PlatformId. [since 0.91]
struct PJRT_RuntimeAbiVersion_PlatformId_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  const PJRT_RuntimeAbiVersion* abi_version;
  // The platform. [out, since 0.91]
  uint64_t platform_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_PlatformId_Args, platform_id);

// Gives the platform of a runtime version. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RuntimeAbiVersion_PlatformId(PJRT_RuntimeAbiVersion_PlatformId_Args* args);

// Arguments of PJRT_ExecutableAbiVersion_Destroy. [since 0.91]
struct PJRT_ExecutableAbiVersion_Destroy_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  PJRT_ExecutableAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_Destroy_Args, abi_version);

// Frees an executable version. [since 0.91, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_ExecutableAbiVersion_Destroy(PJRT_ExecutableAbiVersion_Destroy_Args* args);

// Arguments of PJRT_ExecutableAbiVersion_ToProto. [since 0.91]
struct PJRT_ExecutableAbiVersion_ToProto_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  const PJRT_ExecutableAbiVersion* abi_version;
  // The proto. [out, since 0.91, length serialized_proto_size, freed by the caller:
  // serialized_proto_deleter]
  const char* serialized_proto;
  // Bytes of `serialized_proto`. [out, since 0.91]
  size_t serialized_proto_size;
  // Holds the result. [out, since 0.91, lives until: serialized_proto_deleter(serialized_proto)]
  PJRT_SerializedProto* serialized_proto_holder;
  // Frees the holder; called once. [out, since 0.91]
  void (*serialized_proto_deleter)(PJRT_SerializedProto* holder);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_ToProto_Args, serialized_proto_deleter);

// Gives an executable version as a serialized proto. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_ExecutableAbiVersion_ToProto(PJRT_ExecutableAbiVersion_ToProto_Args* args);

// Arguments of PJRT_ExecutableAbiVersion_PlatformId. [since 0.91]
struct PJRT_ExecutableAbiVersion_PlatformId_Args {
  size_t struct_size;
  // The version. [in, since 0.91]
  const PJRT_ExecutableAbiVersion* abi_version;
  // The platform. [out, since 0.91]
  uint64_t platform_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_PlatformId_Args, platform_id);

// Gives the platform of an executable version. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_ExecutableAbiVersion_PlatformId(
    PJRT_ExecutableAbiVersion_PlatformId_Args* args);

// Arguments of PJRT_RuntimeAbiVersion_FromProto. [since 0.91]
struct PJRT_RuntimeAbiVersion_FromProto_Args {
  size_t struct_size;
  // The proto. [in, since 0.91, length serialized_proto_size, lives for the call]
  const char* serialized_proto;
  // Bytes of `serialized_proto`. [in, since 0.91]
  size_t serialized_proto_size;
  // The version. [out, since 0.91, freed by the caller: PJRT_RuntimeAbiVersion_Destroy]
  PJRT_RuntimeAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_RuntimeAbiVersion_FromProto_Args, abi_version);

// Makes a runtime version from a serialized proto. [since 0.91, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_RuntimeAbiVersion_FromProto(PJRT_RuntimeAbiVersion_FromProto_Args* args);

// Arguments of PJRT_ExecutableAbiVersion_FromProto. [since 0.91]
struct PJRT_ExecutableAbiVersion_FromProto_Args {
  size_t struct_size;
  // The proto. [in, since 0.91, length serialized_proto_size, lives for the call]
  const char* serialized_proto;
  // Bytes of `serialized_proto`. [in, since 0.91]
  size_t serialized_proto_size;
  // The version. [out, since 0.91, freed by the caller: PJRT_ExecutableAbiVersion_Destroy]
  PJRT_ExecutableAbiVersion* abi_version;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_ExecutableAbiVersion_FromProto_Args, abi_version);

// Makes an executable version from a serialized proto. [since 0.91, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_ExecutableAbiVersion_FromProto(
    PJRT_ExecutableAbiVersion_FromProto_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Tells whether runtimes and executables fit together. [since 0.91]
struct PJRT_AbiVersion_Extension {
  PJRT_Extension_Base base;
  // Gives the version of a client's runtime. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_Client_RuntimeAbiVersion* client_runtime_abi_version;
  // Gives the version that an executable needs. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_Executable_GetAbiVersion* executable_get_abi_version;
  // Frees a runtime version. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_RuntimeAbiVersion_Destroy* runtime_abi_version_destroy;
  // Returns an error unless two runtimes fit together. [since 0.91, answers UNIMPLEMENTED if
  // absent]
  PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime* runtime_abi_version_is_compatible_with_runtime;
  // Returns an error unless an executable runs on a runtime. [since 0.91, answers UNIMPLEMENTED if
  // absent]
  PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable* runtime_abi_version_is_compatible_with_executable;
  // Gives a runtime version as a serialized proto. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_RuntimeAbiVersion_ToProto* runtime_abi_version_to_proto;
  // Gives the platform of a runtime version. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_RuntimeAbiVersion_PlatformId* runtime_abi_version_platform_id;
  // Frees an executable version. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_ExecutableAbiVersion_Destroy* executable_abi_version_destroy;
  // Gives an executable version as a serialized proto. [since 0.91, answers UNIMPLEMENTED if
  // absent]
  PJRT_ExecutableAbiVersion_ToProto* executable_abi_version_to_proto;
  // Gives the platform of an executable version. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_ExecutableAbiVersion_PlatformId* executable_abi_version_platform_id;
  // Makes a runtime version from a serialized proto. [since 0.91, answers UNIMPLEMENTED if absent]
  PJRT_RuntimeAbiVersion_FromProto* runtime_abi_version_from_proto;
  // Makes an executable version from a serialized proto. [since 0.91, answers UNIMPLEMENTED if
  // absent]
  PJRT_ExecutableAbiVersion_FromProto* executable_abi_version_from_proto;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_AbiVersion_Extension, executable_abi_version_from_proto);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_ABI_VERSION_EXTENSION_H_

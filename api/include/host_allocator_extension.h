// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef HOST_ALLOCATOR_EXTENSION_H_
#define HOST_ALLOCATOR_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Allocated host memory through the plugin. Withdrawn in 0.113; the id stays reserved.
// Extension 15, PJRT_Extension_Type_HostAllocator.
// Withdrawn in 0.113.

#define PJRT_API_HOST_ALLOCATOR_EXTENSION_VERSION 0

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_HostAllocator_GetPreferredAlignment_Args PJRT_HostAllocator_GetPreferredAlignment_Args;
typedef struct PJRT_HostAllocator_Allocate_Args PJRT_HostAllocator_Allocate_Args;
typedef struct PJRT_HostAllocator_Free_Args PJRT_HostAllocator_Free_Args;

// Gives the alignment that transfers like best. [since 0.80]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_HostAllocator_GetPreferredAlignment)(
    PJRT_HostAllocator_GetPreferredAlignment_Args* args);

// Allocates host memory. [since 0.80]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_HostAllocator_Allocate)(PJRT_HostAllocator_Allocate_Args* args);

// Frees host memory. [since 0.80]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_HostAllocator_Free)(PJRT_HostAllocator_Free_Args* args);

// Arguments of PJRT_HostAllocator_GetPreferredAlignment. [since 0.80]
struct PJRT_HostAllocator_GetPreferredAlignment_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.80]
  PJRT_Client* client;
  // The alignment in bytes. [out, since 0.80]
  size_t preferred_alignment;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostAllocator_GetPreferredAlignment_Args, preferred_alignment);

// Arguments of PJRT_HostAllocator_Allocate. [since 0.80]
struct PJRT_HostAllocator_Allocate_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.80]
  PJRT_Client* client;
  // Number of bytes. [in, since 0.80]
  size_t size;
  // Alignment in bytes. [in, since 0.80]
  size_t alignment;
  // The memory. [out, since 0.80, lives until: client]
  void* ptr;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostAllocator_Allocate_Args, ptr);

// Arguments of PJRT_HostAllocator_Free. [since 0.80]
struct PJRT_HostAllocator_Free_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.80]
  PJRT_Client* client;
  // The memory. [in, since 0.80]
  void* ptr;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostAllocator_Free_Args, ptr);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Allocated host memory through the plugin. Withdrawn in 0.113; the id stays
// reserved. [since 0.80]
struct PJRT_HostAllocator_Extension {
  PJRT_Extension_Base base;
  // Gives the alignment that transfers like best. [since 0.80, answers UNIMPLEMENTED if absent]
  PJRT_HostAllocator_GetPreferredAlignment get_preferred_alignment;
  // Allocates host memory. [since 0.80, answers UNIMPLEMENTED if absent]
  PJRT_HostAllocator_Allocate allocate;
  // Frees host memory. [since 0.80, answers UNIMPLEMENTED if absent]
  PJRT_HostAllocator_Free free;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostAllocator_Extension, free);

#ifdef __cplusplus
}
#endif

#endif  // HOST_ALLOCATOR_EXTENSION_H_

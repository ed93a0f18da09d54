// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef HOST_MEMORY_ALLOCATOR_EXTENSION_H_
#define HOST_MEMORY_ALLOCATOR_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lets the framework allocate the host memory that the plugin uses.
// Extension 23, PJRT_Extension_Type_HostMemoryAllocator.

#define PJRT_API_HOST_MEMORY_ALLOCATOR_EXTENSION_VERSION 0

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_HostMemoryAllocator_Allocate_Args PJRT_HostMemoryAllocator_Allocate_Args;

// Allocates host memory for the plugin and gives the function that frees it. [since 0.103]
// args: Arguments and results.
typedef PJRT_Error* (*PJRT_HostMemoryAllocator_Allocate)(
    PJRT_HostMemoryAllocator_Allocate_Args* args);

// Arguments of PJRT_HostMemoryAllocator_Allocate. [since 0.103]
struct PJRT_HostMemoryAllocator_Allocate_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.103]
  PJRT_Client* client;
  // Number of bytes. [in, since 0.103]
  size_t size;
  // Preferred node, or -1. [in, since 0.103]
  int numa_node;
  // The memory. [out, since 0.103, lives until: client]
  uint8_t* ptr;
  // Frees the memory. [out, since 0.103]
  void (*deleter)(void* ptr, void* arg);
  // Passed to `deleter`. [out, since 0.103, lives until: client]
  void* deleter_arg;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostMemoryAllocator_Allocate_Args, deleter_arg);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Lets the framework allocate the host memory that the plugin uses. [since 0.103]
struct PJRT_HostMemoryAllocator_Extension {
  PJRT_Extension_Base base;
  // Allocates host memory for the plugin and gives the function that frees it. [since 0.103,
  // answers UNIMPLEMENTED if absent]
  PJRT_HostMemoryAllocator_Allocate allocate;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_HostMemoryAllocator_Extension, allocate);

#ifdef __cplusplus
}
#endif

#endif  // HOST_MEMORY_ALLOCATOR_EXTENSION_H_

// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_
#define PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tells the memories of a device that is only described.
// Extension 6, PJRT_Extension_Type_MemoryDescriptions.

#define PJRT_API_MEMORY_DESCRIPTIONS_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

// A memory of a described device. [since 0.59]
typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_DeviceDescription_MemoryDescriptions. [since 0.59]
struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The device description. [in, since 0.59]
  PJRT_DeviceDescription* device_description;
  // The memories. [out, since 0.59, length num_memory_descriptions, lives until:
  // device_description]
  const PJRT_MemoryDescription* const* memory_descriptions;
  // Number of `memory_descriptions`. [out, since 0.59]
  size_t num_memory_descriptions;
  // Index of the default memory in `memory_descriptions`. [out, since 0.61, if absent: 0]
  size_t default_memory_index;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_DeviceDescription_MemoryDescriptions_Args, default_memory_index);

// Lists the memories of a described device. [since 0.59, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_DeviceDescription_MemoryDescriptions(
    PJRT_DeviceDescription_MemoryDescriptions_Args* args);

// Arguments of PJRT_MemoryDescription_Kind. [since 0.59]
struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The memory. [in, since 0.59]
  const PJRT_MemoryDescription* memory_description;
  // The kind. [out, since 0.59, length kind_size, lives until: memory_description]
  const char* kind;
  // Bytes of `kind`. [out, since 0.59]
  size_t kind_size;
  // Kind of the memory as a number. [out, since 0.59]
  int kind_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MemoryDescription_Kind_Args, kind_id);

// Gives the kind of a described memory. [since 0.59, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_MemoryDescription_Kind(PJRT_MemoryDescription_Kind_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Tells the memories of a device that is only described. [since 0.59]
struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  // Lists the memories of a described device. [since 0.59, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_DeviceDescription_MemoryDescriptions);
  // Gives the kind of a described memory. [since 0.59, answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_MemoryDescription_Kind);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MemoryDescriptions_Extension, PJRT_MemoryDescription_Kind);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_MEMORY_DESCRIPTIONS_EXTENSION_H_

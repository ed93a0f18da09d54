// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_LAYOUTS_EXTENSION_H_
#define PJRT_C_API_LAYOUTS_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tells the layouts of buffers, parameters and outputs.
// Extension 4, PJRT_Extension_Type_Layouts.

#define PJRT_API_LAYOUTS_EXTENSION_VERSION 4

// ---- Types --------------------------------------------------------------------------------------

// A layout. The caller frees each one it receives from a buffer, client or topology. [since 0.51]
typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
// Holds the text of a layout. [since 0.51]
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Layouts_MemoryLayout_Destroy. [since 0.51]
struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The layout. [in, since 0.51]
  PJRT_Layouts_MemoryLayout* layout;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_MemoryLayout_Destroy_Args, layout);

// Frees a layout. [since 0.51, always implemented, threads: exclusive]
typedef PJRT_Error* PJRT_Layouts_MemoryLayout_Destroy(PJRT_Layouts_MemoryLayout_Destroy_Args* args);

// Arguments of PJRT_Layouts_MemoryLayout_Serialize. [since 0.51]
struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The layout. [in, since 0.51]
  PJRT_Layouts_MemoryLayout* layout;
  // The bytes; live until the holder is freed. [out, since 0.51, length serialized_bytes_size,
  // lives until: serialized_layout_deleter(serialized_layout)]
  const char* serialized_bytes;
  // Bytes of `serialized_bytes`. [out, since 0.51]
  size_t serialized_bytes_size;
  // Holds the text. [out, since 0.51, freed by the caller: serialized_layout_deleter]
  PJRT_Layouts_SerializedLayout* serialized_layout;
  // Frees the holder; called once. [out, since 0.51]
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout* s_layout);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_layout_deleter);

// Gives a layout as text. [since 0.51, always implemented]
typedef PJRT_Error* PJRT_Layouts_MemoryLayout_Serialize(
    PJRT_Layouts_MemoryLayout_Serialize_Args* args);

// Arguments of PJRT_Layouts_PJRT_Buffer_MemoryLayout. [since 0.51]
struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The buffer. [in, since 0.51]
  PJRT_Buffer* buffer;
  // The layout. [out, since 0.51, freed by the caller: PJRT_Layouts_MemoryLayout_Destroy]
  PJRT_Layouts_MemoryLayout* layout;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, layout);

// Gives the layout of a buffer. [since 0.51, always implemented]
typedef PJRT_Error* PJRT_Layouts_PJRT_Buffer_MemoryLayout(
    PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args);

// Arguments of PJRT_Layouts_PJRT_Client_GetDefaultLayout. [since 0.51]
struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The client. [in, since 0.51]
  PJRT_Client* client;
  // Element type. [in, since 0.51]
  PJRT_Buffer_Type type;
  // Dimensions. [in, since 0.51, length num_dims, lives for the call]
  const int64_t* dims;
  // Number of `dims`. [in, since 0.51]
  size_t num_dims;
  // The layout. [out, since 0.51, freed by the caller: PJRT_Layouts_MemoryLayout_Destroy]
  PJRT_Layouts_MemoryLayout* layout;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, layout);

// Gives the layout that a client uses for an array when nothing is said. [since 0.51, always
// implemented]
typedef PJRT_Error* PJRT_Layouts_PJRT_Client_GetDefaultLayout(
    PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args);

// Arguments of PJRT_Layouts_PJRT_Topology_GetDefaultLayout. [since 0.75]
struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The topology. [in, since 0.75]
  PJRT_TopologyDescription* topology_description;
  // Element type. [in, since 0.75]
  PJRT_Buffer_Type type;
  // Dimensions. [in, since 0.75, length num_dims, lives for the call]
  const int64_t* dims;
  // Number of `dims`. [in, since 0.75]
  size_t num_dims;
  // The layout. [out, since 0.75, freed by the caller: PJRT_Layouts_MemoryLayout_Destroy]
  PJRT_Layouts_MemoryLayout* layout;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, layout);

// Gives the layout that devices of a topology use for an array when nothing is said. [since 0.75,
// answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Layouts_PJRT_Topology_GetDefaultLayout(
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args);

// Arguments of PJRT_Layouts_PJRT_Executable_GetOutputLayouts. [since 0.80]
struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.80]
  PJRT_Executable* executable;
  // Number of outputs. [out, since 0.80]
  size_t num_outputs;
  // One layout for each, owned by the executable: the caller does not free them. [out, since 0.80,
  // length num_outputs, lives until: executable]
  PJRT_Layouts_MemoryLayout** layouts;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, layouts);

// Gives the layout of each output. [since 0.80, null if absent]
typedef PJRT_Error* PJRT_Layouts_PJRT_Executable_GetOutputLayouts(
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args);

// Arguments of PJRT_Layouts_PJRT_Executable_GetParameterLayouts. [since 0.93]
struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // The executable. [in, since 0.93]
  PJRT_Executable* executable;
  // Number of parameters. [out, since 0.93]
  size_t num_parameters;
  // One layout for each, owned by the executable: the caller does not free them. [out, since 0.93,
  // length num_parameters, lives until: executable]
  PJRT_Layouts_MemoryLayout** layouts;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, layouts);

// Gives the layout of each parameter. [since 0.93, null if absent]
typedef PJRT_Error* PJRT_Layouts_PJRT_Executable_GetParameterLayouts(
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Tells the layouts of buffers, parameters and outputs. [since 0.51]
struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  // Frees a layout. [since 0.51, always implemented]
  PJRT_API_SLOT(PJRT_Layouts_MemoryLayout_Destroy);
  // Gives a layout as text. [since 0.51, always implemented]
  PJRT_API_SLOT(PJRT_Layouts_MemoryLayout_Serialize);
  // Gives the layout that a client uses for an array when nothing is said. [since 0.51, always
  // implemented]
  PJRT_API_SLOT(PJRT_Layouts_PJRT_Client_GetDefaultLayout);
  // Gives the layout of a buffer. [since 0.51, always implemented]
  PJRT_API_SLOT(PJRT_Layouts_PJRT_Buffer_MemoryLayout);
  // Gives the layout that devices of a topology use for an array when nothing is said. [since 0.75,
  // answers UNIMPLEMENTED if absent]
  PJRT_API_SLOT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout);
  // Gives the layout of each output. [since 0.81, null if absent]
  PJRT_API_SLOT(PJRT_Layouts_PJRT_Executable_GetOutputLayouts);
  // Gives the layout of each parameter. [since 0.93, null if absent]
  PJRT_API_SLOT(PJRT_Layouts_PJRT_Executable_GetParameterLayouts);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Executable_GetParameterLayouts);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_LAYOUTS_EXTENSION_H_

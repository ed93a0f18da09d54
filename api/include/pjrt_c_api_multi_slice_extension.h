// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_MULTI_SLICE_EXTENSION_H_
#define PJRT_C_API_MULTI_SLICE_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Describes how a program spreads over several slices.
// Extension 22, PJRT_Extension_Type_MultiSlice.

#define PJRT_API_MULTI_SLICE_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

// Holds the numbers. [since 0.96]
typedef struct PJRT_MultiSlice_NumDevicesPerSlice PJRT_MultiSlice_NumDevicesPerSlice;
// Holds the bytes. [since 0.96]
typedef struct PJRT_MultiSlice_SerializedConfig PJRT_MultiSlice_SerializedConfig;

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_MultiSlice_Config_Destroy. [since 0.96]
struct PJRT_MultiSlice_Config_Destroy_Args {
  size_t struct_size;
  // The configuration. [in, since 0.96]
  PJRT_MultiSlice_Config* config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_Destroy_Args, config);

// Frees a configuration. [since 0.96, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_MultiSlice_Config_Destroy(PJRT_MultiSlice_Config_Destroy_Args* args);

// Arguments of PJRT_MultiSlice_Config_NumSlices. [since 0.96]
struct PJRT_MultiSlice_Config_NumSlices_Args {
  size_t struct_size;
  // The configuration. [in, since 0.96]
  PJRT_MultiSlice_Config* config;
  // Number of slices. [out, since 0.96]
  int32_t num_slices;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_NumSlices_Args, num_slices);

// Gives the number of slices. [since 0.96, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_MultiSlice_Config_NumSlices(PJRT_MultiSlice_Config_NumSlices_Args* args);

// Arguments of PJRT_MultiSlice_Config_SliceId. [since 0.96]
struct PJRT_MultiSlice_Config_SliceId_Args {
  size_t struct_size;
  // The configuration. [in, since 0.96]
  PJRT_MultiSlice_Config* config;
  // The slice. [out, since 0.96]
  int32_t slice_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_SliceId_Args, slice_id);

// Gives the slice of this process. [since 0.96, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_MultiSlice_Config_SliceId(PJRT_MultiSlice_Config_SliceId_Args* args);

// Arguments of PJRT_MultiSlice_Config_NumDevicesPerSlice. [since 0.96]
struct PJRT_MultiSlice_Config_NumDevicesPerSlice_Args {
  size_t struct_size;
  // The configuration. [in, since 0.96]
  PJRT_MultiSlice_Config* config;
  // Number of slices in the lists. [out, since 0.96]
  size_t num_devices_per_slice_map;
  // The slices. [out, since 0.96, lives until:
  // devices_per_slice_map_deleter(devices_per_slice_map)]
  const int32_t* slice_ids;
  // Devices of each slice in `slice_ids`. [out, since 0.96, lives until:
  // devices_per_slice_map_deleter(devices_per_slice_map)]
  const int32_t* num_devices;
  // Holds the result. [out, since 0.96, length num_devices_per_slice_map, freed by the caller:
  // devices_per_slice_map_deleter]
  PJRT_MultiSlice_NumDevicesPerSlice* devices_per_slice_map;
  // Frees the holder; called once. [out, since 0.96]
  void (*devices_per_slice_map_deleter)(PJRT_MultiSlice_NumDevicesPerSlice* ptr);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, devices_per_slice_map_deleter);

// Gives the number of devices of each slice. [since 0.96, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_MultiSlice_Config_NumDevicesPerSlice(
    PJRT_MultiSlice_Config_NumDevicesPerSlice_Args* args);

// Arguments of PJRT_MultiSlice_Config_Serialize. [since 0.96]
struct PJRT_MultiSlice_Config_Serialize_Args {
  size_t struct_size;
  // The configuration. [in, since 0.96]
  PJRT_MultiSlice_Config* config;
  // The configuration, serialized. [out, since 0.96, lives until:
  // serialized_config_deleter(serialized_config)]
  const char* serialized;
  // Number of bytes. [out, since 0.96]
  size_t size;
  // Holds the result. [out, since 0.96, freed by the caller: serialized_config_deleter]
  PJRT_MultiSlice_SerializedConfig* serialized_config;
  // Frees the holder; called once. [out, since 0.96]
  void (*serialized_config_deleter)(PJRT_MultiSlice_SerializedConfig* ptr);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Config_Serialize_Args, serialized_config_deleter);

// Gives the configuration as bytes. [since 0.96, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_MultiSlice_Config_Serialize(PJRT_MultiSlice_Config_Serialize_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Describes how a program spreads over several slices. [since 0.96]
struct PJRT_MultiSlice_Extension {
  PJRT_Extension_Base base;
  // Frees a configuration. [since 0.96, answers UNIMPLEMENTED if absent]
  PJRT_MultiSlice_Config_Destroy* config_destroy;
  // Gives the number of slices. [since 0.96, answers UNIMPLEMENTED if absent]
  PJRT_MultiSlice_Config_NumSlices* config_num_slices;
  // Gives the slice of this process. [since 0.96, answers UNIMPLEMENTED if absent]
  PJRT_MultiSlice_Config_SliceId* config_slice_id;
  // Gives the number of devices of each slice. [since 0.96, answers UNIMPLEMENTED if absent]
  PJRT_MultiSlice_Config_NumDevicesPerSlice* config_num_devices_per_slice;
  // Gives the configuration as bytes. [since 0.96, answers UNIMPLEMENTED if absent]
  PJRT_MultiSlice_Config_Serialize* config_serialize;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_MultiSlice_Extension, config_serialize);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_MULTI_SLICE_EXTENSION_H_

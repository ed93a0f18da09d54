// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_TPU_TOPOLOGY_EXTENSION_H_
#define PJRT_C_API_TPU_TOPOLOGY_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Tells the shape of a TPU topology and cuts slices from it.
// Extension 16, PJRT_Extension_Type_TpuTopology.

#define PJRT_API_TPU_TOPOLOGY_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

typedef struct PJRT_TpuTopology_SliceConfig PJRT_TpuTopology_SliceConfig;

// The shape of a slice. Never grows. [since 0.90]
struct PJRT_TpuTopology_SliceConfig {
  // Number of dimensions. [in, since 0.90]
  size_t dim_size;
  // Size of each dimension. [in, since 0.90]
  int32_t dimensions[4];
  // Whether each dimension wraps around. [in, since 0.90]
  bool wrap[4];
  // Whether the torus is twisted. [in, since 0.90]
  bool twist;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_SliceConfig, twist);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_TpuTopology_Subslice. [since 0.81]
struct PJRT_TpuTopology_Subslice_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // Chips of a host in each dimension. [in, since 0.81, lives for the call]
  const int32_t* chips_per_host_bounds;
  // Number of `chips_per_host_bounds`. [in, since 0.81]
  size_t chips_per_host_bounds_num_dims;
  // Hosts in each dimension. [in, since 0.81, lives for the call]
  const int32_t* host_bounds;
  // Number of `host_bounds`. [in, since 0.81]
  size_t host_bounds_num_dims;
  // The slice. [out, since 0.81, freed by the caller: PJRT_TopologyDescription_Destroy]
  PJRT_TopologyDescription* subslice_topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_Subslice_Args, subslice_topology);

// Cuts a slice from a topology. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_Subslice(PJRT_TpuTopology_Subslice_Args* args);

// Arguments of PJRT_TpuTopology_IsSubsliceTopology. [since 0.81]
struct PJRT_TpuTopology_IsSubsliceTopology_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // True if it is a slice. [out, since 0.81]
  bool is_subslice_topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_IsSubsliceTopology_Args, is_subslice_topology);

// Tells whether a topology is a slice of a larger one. [since 0.81, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuTopology_IsSubsliceTopology(
    PJRT_TpuTopology_IsSubsliceTopology_Args* args);

// Arguments of PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId. [since 0.81]
struct PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args {
  size_t struct_size;
  // The whole topology. [in, since 0.81]
  const PJRT_TopologyDescription* client_topology;
  // The slice. [in, since 0.81]
  const PJRT_TopologyDescription* subslice_topology;
  // Coordinates at which the slice begins. [in, since 0.81, lives for the call]
  const int32_t* subslice_origin;
  // Number of `subslice_origin`. [in, since 0.81]
  size_t subslice_origin_dim_num;
  // Id of the device in the whole topology. [in, since 0.81]
  int32_t full_device_id;
  // Id of the device in the slice. [out, since 0.81]
  int32_t subslice_device_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args, subslice_device_id);

// Translates a device id of the whole into one of the slice. [since 0.81, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId(
    PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args* args);

// Arguments of PJRT_TpuTopology_ReplaceHostBounds. [since 0.81]
struct PJRT_TpuTopology_ReplaceHostBounds_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // Hosts in each dimension. [in, since 0.81, lives for the call]
  const int32_t* host_bounds;
  // Number of `host_bounds`. [in, since 0.81]
  size_t host_bounds_dim_num;
  // The new topology. [out, since 0.81, freed by the caller: PJRT_TopologyDescription_Destroy]
  PJRT_TopologyDescription* new_topology;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ReplaceHostBounds_Args, new_topology);

// Makes a topology with other host bounds. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ReplaceHostBounds(
    PJRT_TpuTopology_ReplaceHostBounds_Args* args);

// Arguments of PJRT_TpuTopology_IsEnhancedBarrierEnabled. [since 0.81]
struct PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // True if the barrier is on. [out, since 0.81]
  bool is_enhanced_barrier_enabled;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args, is_enhanced_barrier_enabled);

// Tells whether the enhanced barrier is on. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_IsEnhancedBarrierEnabled(
    PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args* args);

// Arguments of PJRT_TpuTopology_HasLimitedIciConnectivity. [since 0.81]
struct PJRT_TpuTopology_HasLimitedIciConnectivity_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // True if connections are limited. [out, since 0.81]
  bool has_limited_ici_connectivity;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_HasLimitedIciConnectivity_Args, has_limited_ici_connectivity);

// Tells whether the chips are not all connected directly. [since 0.81, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuTopology_HasLimitedIciConnectivity(
    PJRT_TpuTopology_HasLimitedIciConnectivity_Args* args);

// Arguments of PJRT_TpuTopology_IsReachableOverLimitedIci. [since 0.81]
struct PJRT_TpuTopology_IsReachableOverLimitedIci_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The sending chip. [in, since 0.81]
  int32_t source_chip_id;
  // The receiving chip. [in, since 0.81]
  int32_t dest_chip_id;
  // True if it is reachable. [out, since 0.81]
  bool is_reachable_over_limited_ici;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_IsReachableOverLimitedIci_Args, is_reachable_over_limited_ici);

// Tells whether one chip reaches another over the limited interconnect. [since 0.81, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_IsReachableOverLimitedIci(
    PJRT_TpuTopology_IsReachableOverLimitedIci_Args* args);

// Arguments of PJRT_TpuTopology_ProcessCount. [since 0.81]
struct PJRT_TpuTopology_ProcessCount_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of processes. [out, since 0.81]
  int32_t process_count;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessCount_Args, process_count);

// Gives the number of processes. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ProcessCount(PJRT_TpuTopology_ProcessCount_Args* args);

// Arguments of PJRT_TpuTopology_ChipsPerProcess. [since 0.81]
struct PJRT_TpuTopology_ChipsPerProcess_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of chips of a process. [out, since 0.81]
  int32_t chips_per_process;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipsPerProcess_Args, chips_per_process);

// Gives the number of chips of a process. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ChipsPerProcess(PJRT_TpuTopology_ChipsPerProcess_Args* args);

// Arguments of PJRT_TpuTopology_CoreCountPerChip. [since 0.81]
struct PJRT_TpuTopology_CoreCountPerChip_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of cores of a chip. [out, since 0.81]
  int32_t core_count_of_default_type_per_chip;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_CoreCountPerChip_Args, core_count_of_default_type_per_chip);

// Gives the number of cores of a chip. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_CoreCountPerChip(PJRT_TpuTopology_CoreCountPerChip_Args* args);

// Arguments of PJRT_TpuTopology_ChipCount. [since 0.81]
struct PJRT_TpuTopology_ChipCount_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of chips. [out, since 0.81]
  int32_t chip_count;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipCount_Args, chip_count);

// Gives the number of chips. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ChipCount(PJRT_TpuTopology_ChipCount_Args* args);

// Arguments of PJRT_TpuTopology_CoreCount. [since 0.81]
struct PJRT_TpuTopology_CoreCount_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of cores. [out, since 0.81]
  int32_t core_count_of_default_type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_CoreCount_Args, core_count_of_default_type);

// Gives the number of cores. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_CoreCount(PJRT_TpuTopology_CoreCount_Args* args);

// Arguments of PJRT_TpuTopology_LogiDeviceCount. [since 0.81]
struct PJRT_TpuTopology_LogiDeviceCount_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of logical devices. [out, since 0.81]
  int32_t logical_device_count_of_default_type;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceCount_Args, logical_device_count_of_default_type);

// Gives the number of logical devices. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCount(PJRT_TpuTopology_LogiDeviceCount_Args* args);

// Arguments of PJRT_TpuTopology_LogiDeviceCountPerProcess. [since 0.81]
struct PJRT_TpuTopology_LogiDeviceCountPerProcess_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of logical devices of a process. [out, since 0.81]
  int32_t logical_device_count_of_default_type_per_process;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceCountPerProcess_Args, logical_device_count_of_default_type_per_process);

// Gives the number of logical devices of a process. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCountPerProcess(
    PJRT_TpuTopology_LogiDeviceCountPerProcess_Args* args);

// Arguments of PJRT_TpuTopology_LogiDeviceCountPerChip. [since 0.81]
struct PJRT_TpuTopology_LogiDeviceCountPerChip_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of logical devices of a chip. [out, since 0.81]
  int32_t logical_device_count_of_default_type_per_chip;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceCountPerChip_Args, logical_device_count_of_default_type_per_chip);

// Gives the number of logical devices of a chip. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCountPerChip(
    PJRT_TpuTopology_LogiDeviceCountPerChip_Args* args);

// Arguments of PJRT_TpuTopology_CoreCountPerProcess. [since 0.81]
struct PJRT_TpuTopology_CoreCountPerProcess_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The number of cores of a process. [out, since 0.81]
  int32_t core_count_of_default_type_per_process;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_CoreCountPerProcess_Args, core_count_of_default_type_per_process);

// Gives the number of cores of a process. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_CoreCountPerProcess(
    PJRT_TpuTopology_CoreCountPerProcess_Args* args);

// Arguments of PJRT_TpuTopology_ProcessIds. [since 0.81]
struct PJRT_TpuTopology_ProcessIds_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // Room in `process_ids`. [in, since 0.81]
  int32_t max_process_ids;
  // Receives the ids. [inout, since 0.81, length num_process_ids]
  int32_t* process_ids;
  // Number of ids written. [out, since 0.81]
  size_t num_process_ids;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessIds_Args, num_process_ids);

// Lists the processes. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ProcessIds(PJRT_TpuTopology_ProcessIds_Args* args);

// Arguments of PJRT_TpuTopology_LogiDeviceIdsOnProcess. [since 0.81]
struct PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The process. [in, since 0.81]
  int32_t process_id;
  // Room in `logical_device_of_default_type_ids`. [in, since 0.81]
  int32_t max_logical_device_ids;
  // Receives the ids. [inout, since 0.81]
  int32_t* logical_device_of_default_type_ids;
  // Number of ids written. [out, since 0.81]
  size_t num_logical_device_ids;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args, num_logical_device_ids);

// Lists the logical devices of a process. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceIdsOnProcess(
    PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args* args);

// Arguments of PJRT_TpuTopology_ProcIdAndIdxOnProcForChip. [since 0.81]
struct PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The chip. [in, since 0.81]
  int32_t chip_id;
  // The process. [out, since 0.81]
  int32_t process_id;
  // Place on the process. [out, since 0.81]
  int32_t index_on_process;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args, index_on_process);

// Finds the process of a chip and the chip's place on it. [since 0.81, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuTopology_ProcIdAndIdxOnProcForChip(
    PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args* args);

// Arguments of PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice. [since 0.81]
struct PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The logical device. [in, since 0.81]
  int32_t device_id;
  // The process. [out, since 0.81]
  int32_t process_id;
  // Place on the process. [out, since 0.81]
  int32_t index_on_process;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args, index_on_process);

// Finds the process of a logical device and the device's place on it. [since 0.81, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice(
    PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args* args);

// Arguments of PJRT_TpuTopology_ProcessCoordFromId. [since 0.81]
struct PJRT_TpuTopology_ProcessCoordFromId_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The process. [in, since 0.81]
  int32_t process_id;
  // Room in `coords`. [in, since 0.81]
  size_t coords_max_dims;
  // The coordinates. [inout, since 0.81]
  int32_t* coords;
  // Number of `coords`. [out, since 0.81]
  size_t coords_num_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessCoordFromId_Args, coords_num_dims);

// Gives the coordinates of a process. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ProcessCoordFromId(
    PJRT_TpuTopology_ProcessCoordFromId_Args* args);

// Arguments of PJRT_TpuTopology_ChipIdFromCoord. [since 0.81]
struct PJRT_TpuTopology_ChipIdFromCoord_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The coordinates. [in, since 0.81, lives for the call]
  const int32_t* coords;
  // Number of `coords`. [in, since 0.81]
  size_t coords_num_dims;
  // The chip. [out, since 0.81]
  int32_t chip_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipIdFromCoord_Args, chip_id);

// Finds the chip at some coordinates. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ChipIdFromCoord(PJRT_TpuTopology_ChipIdFromCoord_Args* args);

// Arguments of PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx. [since 0.81]
struct PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // Coordinates of the chip. [in, since 0.81, lives for the call]
  const int32_t* chip_coords;
  // Number of `chip_coords`. [in, since 0.81]
  size_t chip_coords_num_dims;
  // Place of the device on its chip. [in, since 0.81]
  int32_t logical_device_index_on_chip;
  // Id of the logical device. [out, since 0.81]
  int32_t logical_device_of_default_type_id;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args, logical_device_of_default_type_id);

// Finds a logical device by chip and place on it. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx(
    PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args* args);

// Arguments of PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice. [since 0.81]
struct PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // The logical device. [in, since 0.81]
  int32_t device_id;
  // Room in `chip_coords`. [in, since 0.81]
  size_t chip_coords_max_dims;
  // Coordinates of the chip. [inout, since 0.81]
  int32_t* chip_coords;
  // Number of `chip_coords`. [out, since 0.81]
  size_t chip_coords_num_dims;
  // Place of the device on its chip. [out, since 0.81]
  int32_t device_index_on_chip;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args, device_index_on_chip);

// Finds the chip of a logical device and the device's place on it. [since 0.81, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice(
    PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args* args);

// Arguments of PJRT_TpuTopology_ChipsPerProcessBounds. [since 0.81]
struct PJRT_TpuTopology_ChipsPerProcessBounds_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // Room in `chip_per_process_bounds`. [in, since 0.81]
  size_t chip_per_process_bounds_max_dims;
  // Receives the chips of a process in each dimension. [inout, since 0.81]
  int32_t* chip_per_process_bounds;
  // Number of `chip_per_process_bounds`. [out, since 0.81]
  size_t chip_per_process_bounds_num_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipsPerProcessBounds_Args, chip_per_process_bounds_num_dims);

// Gives the chips of a process in each dimension. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ChipsPerProcessBounds(
    PJRT_TpuTopology_ChipsPerProcessBounds_Args* args);

// Arguments of PJRT_TpuTopology_ChipBounds. [since 0.81]
struct PJRT_TpuTopology_ChipBounds_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // Room in `chip_bounds`. [in, since 0.81]
  size_t chip_bounds_max_dims;
  // Receives the chips in each dimension. [inout, since 0.81]
  int32_t* chip_bounds;
  // Number of `chip_bounds`. [out, since 0.81]
  size_t chip_bounds_num_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ChipBounds_Args, chip_bounds_num_dims);

// Gives the chips in each dimension. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ChipBounds(PJRT_TpuTopology_ChipBounds_Args* args);

// Arguments of PJRT_TpuTopology_ProcessBounds. [since 0.81]
struct PJRT_TpuTopology_ProcessBounds_Args {
  size_t struct_size;
  // The topology. [in, since 0.81]
  const PJRT_TopologyDescription* topology;
  // Room in `process_bounds`. [in, since 0.81]
  size_t process_bounds_max_dims;
  // Receives the processes in each dimension. [inout, since 0.81]
  int32_t* process_bounds;
  // Number of `process_bounds`. [out, since 0.81]
  size_t process_bounds_num_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ProcessBounds_Args, process_bounds_num_dims);

// Gives the processes in each dimension. [since 0.81, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ProcessBounds(PJRT_TpuTopology_ProcessBounds_Args* args);

// Arguments of PJRT_TpuTopology_GetRoutingStrategy. [since 0.90]
struct PJRT_TpuTopology_GetRoutingStrategy_Args {
  size_t struct_size;
  // The topology. [in, since 0.90]
  const PJRT_TopologyDescription* topology;
  // Receives the name. [inout, since 0.90]
  char* routing_strategy;
  // Bytes of `routing_strategy`. [inout, since 0.90]
  size_t routing_strategy_len;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetRoutingStrategy_Args, routing_strategy_len);

// Gives the name of the routing strategy. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_GetRoutingStrategy(
    PJRT_TpuTopology_GetRoutingStrategy_Args* args);

// Arguments of PJRT_TpuTopology_GetSliceConfig. [since 0.90]
struct PJRT_TpuTopology_GetSliceConfig_Args {
  size_t struct_size;
  // Name of the platform. [in, since 0.90, lives for the call]
  const char* platform_type_name;
  // Bytes of `platform_type_name`. [in, since 0.90]
  size_t platform_type_name_len;
  // Name of the slice. [in, since 0.90, lives for the call]
  const char* slice_name;
  // Bytes of `slice_name`. [in, since 0.90]
  size_t slice_name_len;
  // Receives the shape. [out, since 0.90, lives until: process]
  PJRT_TpuTopology_SliceConfig* slice_config;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetSliceConfig_Args, slice_config);

// Gives the shape of a slice by its name. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_GetSliceConfig(PJRT_TpuTopology_GetSliceConfig_Args* args);

// Arguments of PJRT_TpuTopology_GetSliceConfigs. [since 0.90]
struct PJRT_TpuTopology_GetSliceConfigs_Args {
  size_t struct_size;
  // Name of the platform. [in, since 0.90, lives for the call]
  const char* platform_type_name;
  // Bytes of `platform_type_name`. [in, since 0.90]
  size_t platform_type_name_len;
  // Receives the shapes. [inout, since 0.90, length num_slice_configs]
  PJRT_TpuTopology_SliceConfig* slice_configs;
  // Room in `slice_configs`. [in, since 0.90]
  size_t max_slice_configs;
  // Number of `slice_configs`. [out, since 0.90]
  size_t num_slice_configs;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetSliceConfigs_Args, num_slice_configs);

// Lists the shapes that slices of a platform can have. [since 0.90, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_TpuTopology_GetSliceConfigs(PJRT_TpuTopology_GetSliceConfigs_Args* args);

// Arguments of PJRT_TpuTopology_GetDefaultPlatformConfig. [since 0.90]
struct PJRT_TpuTopology_GetDefaultPlatformConfig_Args {
  size_t struct_size;
  // Name of the platform. [in, since 0.90, lives for the call]
  const char* platform_type_name;
  // Bytes of `platform_type_name`. [in, since 0.90]
  size_t platform_type_name_len;
  // Chips on a tray. [out, since 0.90]
  int64_t num_chips_per_tray;
  // Trays of the platform. [out, since 0.90]
  int64_t num_trays;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_GetDefaultPlatformConfig_Args, num_trays);

// Gives how many chips and trays a platform has. [since 0.90, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_GetDefaultPlatformConfig(
    PJRT_TpuTopology_GetDefaultPlatformConfig_Args* args);

// Arguments of PJRT_TpuTopology_ComputeSubsliceForDevices. [since 0.117]
struct PJRT_TpuTopology_ComputeSubsliceForDevices_Args {
  size_t struct_size;
  // The topology. [in, since 0.117, source: binary, name from convention]
  const PJRT_TopologyDescription* topology;
  // Ids of the devices. [in, since 0.117, length num_device_ids, lives for the call, source:
  // binary, name from convention]
  const int32_t* device_ids;
  // Number of `device_ids`. [in, since 0.117, source: binary, name from convention]
  size_t num_device_ids;
  // Room in each of the three arrays that follow. [in, since 0.117, source: binary, name from
  // convention]
  size_t max_dims;
  // Receives where the slice begins. [inout, since 0.117, source: binary, name from convention]
  int32_t* subslice_origin;
  // Receives the chips of a host in each dimension. [inout, since 0.117, source: binary, name from
  // convention]
  int32_t* chips_per_host_bounds;
  // Receives the hosts in each dimension. [inout, since 0.117, source: binary, name from
  // convention]
  int32_t* host_bounds;
  // Number of dimensions. [out, since 0.117, source: binary, name from convention]
  size_t num_dims;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_ComputeSubsliceForDevices_Args, num_dims);

// Finds the smallest slice that holds some devices. [since 0.117, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_TpuTopology_ComputeSubsliceForDevices(
    PJRT_TpuTopology_ComputeSubsliceForDevices_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Tells the shape of a TPU topology and cuts slices from it. [since 0.81]
struct PJRT_TpuTopology_Extension {
  PJRT_Extension_Base base;
  // Cuts a slice from a topology. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_Subslice* subslice;
  // Tells whether a topology is a slice of a larger one. [since 0.81, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuTopology_IsSubsliceTopology* is_subslice_topology;
  // Translates a device id of the whole into one of the slice. [since 0.81, answers UNIMPLEMENTED
  // if absent]
  PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId* subslice_device_id_from_full_device_id;
  // Makes a topology with other host bounds. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ReplaceHostBounds* replace_host_bounds;
  // Tells whether the enhanced barrier is on. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_IsEnhancedBarrierEnabled* is_enhanced_barrier_enabled;
  // Tells whether the chips are not all connected directly. [since 0.81, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuTopology_HasLimitedIciConnectivity* has_limited_ici_connectivity;
  // Tells whether one chip reaches another over the limited interconnect. [since 0.81, answers
  // UNIMPLEMENTED if absent]
  PJRT_TpuTopology_IsReachableOverLimitedIci* is_reachable_over_limited_ici;
  // Gives the number of processes. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ProcessCount* process_count;
  // Gives the number of chips of a process. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ChipsPerProcess* chips_per_process;
  // Gives the number of cores of a chip. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_CoreCountPerChip* core_count_per_chip;
  // Gives the number of chips. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ChipCount* chip_count;
  // Gives the number of cores. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_CoreCount* core_count;
  // Gives the number of logical devices of a process. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_LogiDeviceCountPerProcess* logical_device_count_per_process;
  // Gives the number of logical devices. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_LogiDeviceCount* logical_device_count;
  // Gives the number of logical devices of a chip. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_LogiDeviceCountPerChip* logical_device_count_per_chip;
  // Gives the number of cores of a process. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_CoreCountPerProcess* core_count_per_process;
  // Lists the processes. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ProcessIds* process_ids;
  // Lists the logical devices of a process. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_LogiDeviceIdsOnProcess* logical_device_ids_on_process;
  // Finds the process of a chip and the chip's place on it. [since 0.81, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuTopology_ProcIdAndIdxOnProcForChip* proc_id_and_idx_on_proc_for_chip;
  // Finds the process of a logical device and the device's place on it. [since 0.81, answers
  // UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice* proc_id_and_idx_on_proc_for_logi_device;
  // Gives the coordinates of a process. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ProcessCoordFromId* process_coord_from_id;
  // Finds the chip at some coordinates. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ChipIdFromCoord* chip_id_from_coord;
  // Finds a logical device by chip and place on it. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx* logical_device_id_from_chip_coord_and_idx;
  // Finds the chip of a logical device and the device's place on it. [since 0.81, answers
  // UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice* chip_coord_and_idx_for_logi_device;
  // Gives the chips of a process in each dimension. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ChipsPerProcessBounds* chips_per_process_bounds;
  // Gives the chips in each dimension. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ChipBounds* chip_bounds;
  // Gives the processes in each dimension. [since 0.81, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_ProcessBounds* process_bounds;
  // Gives the name of the routing strategy. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_GetRoutingStrategy* get_routing_strategy;
  // Gives the shape of a slice by its name. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_GetSliceConfig* get_slice_config;
  // Lists the shapes that slices of a platform can have. [since 0.90, answers UNIMPLEMENTED if
  // absent]
  PJRT_TpuTopology_GetSliceConfigs* get_slice_configs;
  // Gives how many chips and trays a platform has. [since 0.90, answers UNIMPLEMENTED if absent]
  PJRT_TpuTopology_GetDefaultPlatformConfig* get_default_platform_config;
  // Finds the smallest slice that holds some devices. [since 0.117, answers UNIMPLEMENTED if
  // absent, source: binary, name from convention]
  PJRT_TpuTopology_ComputeSubsliceForDevices* compute_subslice_for_devices;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_TpuTopology_Extension, compute_subslice_for_devices);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_TPU_TOPOLOGY_EXTENSION_H_

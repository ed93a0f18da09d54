// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_
#define PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lets a framework decide how a custom call is partitioned.
// Extension 2, PJRT_Extension_Type_Custom_Partitioner.

#define PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

typedef struct JAX_CustomCallPartitioner_string JAX_CustomCallPartitioner_string;
typedef struct JAX_CustomCallPartitioner_aval JAX_CustomCallPartitioner_aval;
typedef struct JAX_CustomCallPartitioner_version_and_error JAX_CustomCallPartitioner_version_and_error;
typedef struct JAX_CustomCallPartitioner_Partition_Args JAX_CustomCallPartitioner_Partition_Args;
typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args JAX_CustomCallPartitioner_InferShardingFromOperands_Args;
typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args JAX_CustomCallPartitioner_PropagateUserSharding_Args;
typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;

// A text with its size. Never grows. [since 0.47]
struct JAX_CustomCallPartitioner_string {
  // The data. [in, since 0.47, lives for the call]
  const char* data;
  // Number of bytes. [in, since 0.47]
  size_t size;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_string, size);

// Shape and sharding of one value. Never grows. [since 0.47]
struct JAX_CustomCallPartitioner_aval {
  // The shape. [in, since 0.47]
  JAX_CustomCallPartitioner_string shape;
  // True if `sharding` is set. [in, since 0.47]
  bool has_sharding;
  // The sharding. [in, since 0.47]
  JAX_CustomCallPartitioner_string sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_aval, sharding);

// Head of every partitioner call: version in, error out. Never grows. [since 0.47]
struct JAX_CustomCallPartitioner_version_and_error {
  // 0 for the old form, 1 for the typed form. [in, since 0.47]
  int64_t api_version;
  // The data. [out, since 0.47, lives until: process]
  void* data;
  // Frees `data`. [out, since 0.47]
  void (*cleanup_fn)(void* data);
  // True if there is an error. [in, since 0.47]
  bool has_error;
  // The code. [out, since 0.47]
  PJRT_Error_Code code;
  // Text of the error. [out, since 0.47]
  JAX_CustomCallPartitioner_string error_msg;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_version_and_error, error_msg);

// Arguments of `partition`. Never grows. [since 0.47]
struct JAX_CustomCallPartitioner_Partition_Args {
  // Version in, error out. [in, since 0.47]
  JAX_CustomCallPartitioner_version_and_error header;
  // Number of operands. [in, since 0.47]
  size_t num_args;
  // Shape and sharding of each operand. [in, since 0.47, lives for the call]
  JAX_CustomCallPartitioner_aval* op_args;
  // Shape and sharding of the result. [in, since 0.47]
  JAX_CustomCallPartitioner_aval op_result;
  // The call's backend configuration. [in, since 0.47]
  JAX_CustomCallPartitioner_string backend_config;
  // The call as an MLIR module. [in, since 0.47]
  JAX_CustomCallPartitioner_string mlir_module;
  // Sharding of each argument. [in, since 0.47, lives for the call]
  JAX_CustomCallPartitioner_string* args_sharding;
  // Sharding of the result. [in, since 0.47]
  JAX_CustomCallPartitioner_string result_sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_Partition_Args, result_sharding);

// Arguments of `infer_sharding`. Never grows. [since 0.47]
struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
  // Version in, error out. [in, since 0.47]
  JAX_CustomCallPartitioner_version_and_error header;
  // Number of operands. [in, since 0.47]
  size_t num_args;
  // Shape and sharding of each operand. [in, since 0.47, lives for the call]
  JAX_CustomCallPartitioner_aval* op_args;
  // Shape of the result. [in, since 0.47]
  JAX_CustomCallPartitioner_string result_shape;
  // The call's backend configuration. [in, since 0.47]
  JAX_CustomCallPartitioner_string backend_config;
  // True if `result_sharding` is set. [in, since 0.47]
  bool has_result_sharding;
  // Sharding of the result. [in, since 0.47]
  JAX_CustomCallPartitioner_string result_sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_InferShardingFromOperands_Args, result_sharding);

// Arguments of `propagate_user_sharding`. Never grows. [since 0.47]
struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
  // Version in, error out. [in, since 0.47]
  JAX_CustomCallPartitioner_version_and_error header;
  // The call's backend configuration. [in, since 0.47]
  JAX_CustomCallPartitioner_string backend_config;
  // Shape of the result. [in, since 0.47]
  JAX_CustomCallPartitioner_string result_shape;
  // Sharding of the result. [in, since 0.47]
  JAX_CustomCallPartitioner_string result_sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_PropagateUserSharding_Args, result_sharding);

// The callbacks of one partitioner. Never grows. [since 0.47]
struct JAX_CustomCallPartitioner_Callbacks {
  // Version of this struct. [in, since 0.47]
  int64_t version;
  // For the owner of the callbacks. [in, since 0.47]
  void* private_data;
  // Frees the callbacks. [in, since 0.47]
  void (*dtor)(JAX_CustomCallPartitioner_Callbacks* data);
  // Partitions one call. [in, since 0.47]
  void (*partition)(JAX_CustomCallPartitioner_Callbacks* data, JAX_CustomCallPartitioner_Partition_Args* args);
  // Infers the sharding of the result. [in, since 0.47]
  void (*infer_sharding)(JAX_CustomCallPartitioner_Callbacks* data, JAX_CustomCallPartitioner_InferShardingFromOperands_Args* args);
  // Passes the sharding that the user asked for on to the operands. [in, since 0.47]
  void (*propagate_user_sharding)(JAX_CustomCallPartitioner_Callbacks* data, JAX_CustomCallPartitioner_PropagateUserSharding_Args* args);
  // True if a call with side effects may be replicated. [in, since 0.47]
  bool can_side_effecting_have_replicated_sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(JAX_CustomCallPartitioner_Callbacks, can_side_effecting_have_replicated_sharding);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Register_Custom_Partitioner. [since 0.47]
struct PJRT_Register_Custom_Partitioner_Args {
  size_t struct_size;
  // Name of the custom calls. [in, since 0.47, length name_size, lives for the call]
  const char* name;
  // Bytes of `name`. [in, since 0.47]
  size_t name_size;
  // The callbacks; owned by the plugin from now on, which frees them with `dtor`. [in, since 0.47,
  // lives for the call]
  JAX_CustomCallPartitioner_Callbacks* callbacks;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Custom_Partitioner_Args, callbacks);

// Registers the callbacks that partition the custom calls of one name. [since 0.47, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Register_Custom_Partitioner(PJRT_Register_Custom_Partitioner_Args* args);

// Arguments of PJRT_Register_Batch_Partitionable. [since 0.67]
struct PJRT_Register_Batch_Partitionable_Args {
  size_t struct_size;
  // Name of the custom calls. [in, since 0.67, length name_size, lives for the call]
  const char* name;
  // Bytes of `name`. [in, since 0.67]
  size_t name_size;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Register_Batch_Partitionable_Args, name_size);

// Says that the custom calls of one name may be split along batch dimensions. [since 0.67, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Register_Batch_Partitionable(PJRT_Register_Batch_Partitionable_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Lets a framework decide how a custom call is partitioned. [since 0.47]
struct PJRT_Custom_Partitioner_Extension {
  PJRT_Extension_Base base;
  // Registers the callbacks that partition the custom calls of one name. [since 0.47, answers
  // UNIMPLEMENTED if absent]
  PJRT_Register_Custom_Partitioner* register_custom_partitioner;
  // Says that the custom calls of one name may be split along batch dimensions. [since 0.67,
  // answers UNIMPLEMENTED if absent]
  PJRT_Register_Batch_Partitionable* register_batch_partitionable;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Custom_Partitioner_Extension, register_batch_partitionable);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_CUSTOM_PARTITIONER_EXTENSION_H_

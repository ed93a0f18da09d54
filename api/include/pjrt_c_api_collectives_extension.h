// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PJRT_C_API_COLLECTIVES_EXTENSION_H_
#define PJRT_C_API_COLLECTIVES_EXTENSION_H_

#include "pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// Runs collective operations between hosts on host memory.
// Extension 21, PJRT_Extension_Type_Collectives.

#define PJRT_API_COLLECTIVES_EXTENSION_VERSION 1

// ---- Types --------------------------------------------------------------------------------------

// Makes communicators. [since 0.94]
typedef struct PJRT_Collectives PJRT_Collectives;
// One rank's end of a group. [since 0.94]
typedef struct PJRT_Collectives_Communicator PJRT_Collectives_Communicator;
// Holds the array of communicators. [since 0.94]
typedef struct PJRT_Collectives_Communicators PJRT_Collectives_Communicators;
// Holds the text. [since 0.94]
typedef struct PJRT_Collectives_ToString_Holder PJRT_Collectives_ToString_Holder;
typedef struct PJRT_Collectives_CpuExecutor PJRT_Collectives_CpuExecutor;

// How values are reduced. [since 0.94]
typedef enum {
  // Sum. [since 0.94]
  PJRT_COLLECTIVES_REDUCTION_SUM = 0,
  // Product. [since 0.94]
  PJRT_COLLECTIVES_REDUCTION_PRODUCT = 1,
  // Minimum. [since 0.94]
  PJRT_COLLECTIVES_REDUCTION_MIN = 2,
  // Maximum. [since 0.94]
  PJRT_COLLECTIVES_REDUCTION_MAX = 3
} PJRT_Collectives_ReductionKind;

// How ranks are counted. [since 0.94]
typedef enum {
  // Over all partitions and replicas. [since 0.94]
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_MODULE = 0,
  // Over replicas. [since 0.94]
  PJRT_COLLECTIVES_COLLECTIVE_OP_KIND_CROSS_REPLICA = 1
} PJRT_Collectives_CollectiveOpKind;

// The run that a collective belongs to, when the host executes it. Never grows. [since 0.94]
struct PJRT_Collectives_CpuExecutor {
  // Id of the run. [in, since 0.94]
  int64_t run_id;
  // Global id of each device. [in, since 0.94, length num_global_device_ids, lives for the call]
  int64_t* global_device_ids;
  // Number of `global_device_ids`. [in, since 0.94]
  size_t num_global_device_ids;
  // Ranks of this process. [in, since 0.94]
  int32_t num_local_participants;
  // How ranks are counted. [in, since 0.94]
  PJRT_Collectives_CollectiveOpKind collective_op_kind;
  // Id of the operation. [in, since 0.94]
  int64_t op_id;
  // How long to wait, in nanoseconds. [in, since 0.94]
  int64_t timeout_in_ns;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_CpuExecutor, timeout_in_ns);

// ---- Functions ----------------------------------------------------------------------------------

// Arguments of PJRT_Collectives_Destroy. [since 0.94]
struct PJRT_Collectives_Destroy_Args {
  size_t struct_size;
  // The collectives. [in, since 0.94]
  PJRT_Collectives* collectives;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Destroy_Args, collectives);

// Frees collectives. [since 0.94, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_Collectives_Destroy(PJRT_Collectives_Destroy_Args* args);

// Arguments of PJRT_Collectives_CreateCommunicators. [since 0.94]
struct PJRT_Collectives_CreateCommunicators_Args {
  size_t struct_size;
  // The collectives. [in, since 0.94]
  PJRT_Collectives* collectives;
  // Device of each rank. [in, since 0.94, length num_device_ids, lives for the call]
  const int64_t* device_ids;
  // Number of `device_ids`. [in, since 0.94]
  size_t num_device_ids;
  // Id of each clique. [in, since 0.94, length num_clique_ids, lives for the call]
  const char** clique_ids;
  // Bytes of each of `clique_ids`. [in, since 0.94, lives for the call]
  const size_t* clique_id_sizes;
  // Number of `clique_ids`. [in, since 0.94]
  size_t num_clique_ids;
  // Rank of each device. [in, since 0.94, lives for the call]
  int64_t* rank_ids;
  // Number of `rank_ids`. [in, since 0.94]
  size_t num_device_ranks;
  // The communicators, one for each rank of this process. [out, since 0.94, length
  // num_communicators, lives until: communicators_holder_deleter(communicators_holder)]
  PJRT_Collectives_Communicator** communicators;
  // Number of `communicators`. [out, since 0.94]
  size_t num_communicators;
  // Holds the result. [out, since 0.94, freed by the caller: communicators_holder_deleter]
  PJRT_Collectives_Communicators* communicators_holder;
  // Frees the holder; called once. [out, since 0.94]
  void (*communicators_holder_deleter)(PJRT_Collectives_Communicators* ptr);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_CreateCommunicators_Args, communicators_holder_deleter);

// Makes one communicator for each rank of this process. [since 0.94, answers UNIMPLEMENTED if
// absent]
typedef PJRT_Error* PJRT_Collectives_CreateCommunicators(
    PJRT_Collectives_CreateCommunicators_Args* args);

// Arguments of PJRT_Collectives_Communicator_Destroy. [since 0.94]
struct PJRT_Collectives_Communicator_Destroy_Args {
  size_t struct_size;
  // The communicator. [in, since 0.94]
  PJRT_Collectives_Communicator* communicator;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_Destroy_Args, communicator);

// Frees a communicator. [since 0.94, answers UNIMPLEMENTED if absent, threads: exclusive]
typedef PJRT_Error* PJRT_Collectives_Communicator_Destroy(
    PJRT_Collectives_Communicator_Destroy_Args* args);

// Arguments of PJRT_Collectives_Communicator_AllReduce. [since 0.94]
struct PJRT_Collectives_Communicator_AllReduce_Args {
  size_t struct_size;
  // The communicator. [in, since 0.94]
  PJRT_Collectives_Communicator* communicator;
  // The data of this rank. [in, since 0.94]
  void* send_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t send_buffer_size;
  // Where to put the result. [in, since 0.94]
  void* recv_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t recv_buffer_size;
  // Element type. [in, since 0.94]
  PJRT_Buffer_Type primitive_type;
  // Number of elements. [in, since 0.94]
  size_t count;
  // How values are reduced. [in, since 0.94]
  PJRT_Collectives_ReductionKind reduction_kind;
  // The run that the collective belongs to. [in, since 0.94, lives for the call]
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // The event. [out, since 0.94, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_AllReduce_Args, event);

// Reduces over all ranks; every rank gets the result. [since 0.94, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Collectives_Communicator_AllReduce(
    PJRT_Collectives_Communicator_AllReduce_Args* args);

// Arguments of PJRT_Collectives_Communicator_ReduceScatter. [since 0.94]
struct PJRT_Collectives_Communicator_ReduceScatter_Args {
  size_t struct_size;
  // The communicator. [in, since 0.94]
  PJRT_Collectives_Communicator* communicator;
  // The data of this rank. [in, since 0.94]
  void* send_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t send_buffer_size;
  // Where to put the result. [in, since 0.94]
  void* recv_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t recv_buffer_size;
  // Element type. [in, since 0.94]
  PJRT_Buffer_Type primitive_type;
  // Number of elements. [in, since 0.94]
  size_t count;
  // How values are reduced. [in, since 0.94]
  PJRT_Collectives_ReductionKind reduction_kind;
  // The run that the collective belongs to. [in, since 0.94, lives for the call]
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // The event. [out, since 0.94, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_ReduceScatter_Args, event);

// Reduces over all ranks; every rank gets its part of the result. [since 0.94, answers
// UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Collectives_Communicator_ReduceScatter(
    PJRT_Collectives_Communicator_ReduceScatter_Args* args);

// Arguments of PJRT_Collectives_Communicator_AllGather. [since 0.94]
struct PJRT_Collectives_Communicator_AllGather_Args {
  size_t struct_size;
  // The communicator. [in, since 0.94]
  PJRT_Collectives_Communicator* communicator;
  // The data of this rank. [in, since 0.94]
  void* send_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t send_buffer_size;
  // Where to put the result. [in, since 0.94]
  void* recv_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t recv_buffer_size;
  // Element type. [in, since 0.94]
  PJRT_Buffer_Type primitive_type;
  // Number of elements. [in, since 0.94]
  size_t count;
  // The run that the collective belongs to. [in, since 0.94, lives for the call]
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // The event. [out, since 0.94, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_AllGather_Args, event);

// Gives every rank the data of all ranks. [since 0.94, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Collectives_Communicator_AllGather(
    PJRT_Collectives_Communicator_AllGather_Args* args);

// Arguments of PJRT_Collectives_Communicator_CollectivePermute. [since 0.94]
struct PJRT_Collectives_Communicator_CollectivePermute_Args {
  size_t struct_size;
  // The communicator. [in, since 0.94]
  PJRT_Collectives_Communicator* communicator;
  // The data of this rank. [in, since 0.94]
  void* send_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t send_buffer_size;
  // Where to put the result. [in, since 0.94]
  void* recv_buffer_ptr;
  // Bytes of it. [in, since 0.94]
  size_t recv_buffer_size;
  // Element type. [in, since 0.94]
  PJRT_Buffer_Type primitive_type;
  // Number of elements. [in, since 0.94]
  size_t count;
  // True if `source_rank` is set. [in, since 0.94]
  bool has_source_rank;
  // The rank that data comes from. [in, since 0.94]
  int64_t source_rank;
  // The ranks that data goes to. [in, since 0.94, length num_target_ranks, lives for the call]
  int64_t* target_ranks;
  // Number of `target_ranks`. [in, since 0.94]
  size_t num_target_ranks;
  // The run that the collective belongs to. [in, since 0.94, lives for the call]
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // The event. [out, since 0.94, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_CollectivePermute_Args, event);

// Sends data from rank to rank. [since 0.94, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Collectives_Communicator_CollectivePermute(
    PJRT_Collectives_Communicator_CollectivePermute_Args* args);

// Arguments of PJRT_Collectives_Communicator_AllToAll. [since 0.94]
struct PJRT_Collectives_Communicator_AllToAll_Args {
  size_t struct_size;
  // The communicator. [in, since 0.94]
  PJRT_Collectives_Communicator* communicator;
  // The data for each rank. [in, since 0.94, lives for the call]
  void** send_buffers_ptrs;
  // Bytes of each. [in, since 0.94, lives for the call]
  const size_t* send_buffers_sizes;
  // Number of places to send from. [in, since 0.94]
  size_t num_send_buffers;
  // Where to put what comes from each rank. [in, since 0.94, lives for the call]
  void** recv_buffers_ptrs;
  // Bytes of each. [in, since 0.94, lives for the call]
  const size_t* recv_buffers_sizes;
  // Number of places to receive into. [in, since 0.94]
  size_t num_recv_buffers;
  // Element type. [in, since 0.94]
  PJRT_Buffer_Type primitive_type;
  // Number of elements. [in, since 0.94]
  size_t count;
  // The run that the collective belongs to. [in, since 0.94, lives for the call]
  PJRT_Collectives_CpuExecutor* cpu_executor;
  // The event. [out, since 0.94, freed by the caller: PJRT_Event_Destroy]
  PJRT_Event* event;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_AllToAll_Args, event);

// Exchanges one piece with every rank. [since 0.94, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Collectives_Communicator_AllToAll(
    PJRT_Collectives_Communicator_AllToAll_Args* args);

// Arguments of PJRT_Collectives_Communicator_ToString. [since 0.94]
struct PJRT_Collectives_Communicator_ToString_Args {
  size_t struct_size;
  // The communicator. [in, since 0.94]
  PJRT_Collectives_Communicator* communicator;
  // The text. [out, since 0.94, length str_size, lives until: str_holder_deleter(str_holder)]
  const char* str;
  // Bytes of `str`. [out, since 0.94]
  size_t str_size;
  // Holds the result. [out, since 0.94, freed by the caller: str_holder_deleter]
  PJRT_Collectives_ToString_Holder* str_holder;
  // Frees the holder; called once. [out, since 0.94]
  void (*str_holder_deleter)(PJRT_Collectives_ToString_Holder* ptr);
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Communicator_ToString_Args, str_holder_deleter);

// Gives a text for people. [since 0.94, answers UNIMPLEMENTED if absent]
typedef PJRT_Error* PJRT_Collectives_Communicator_ToString(
    PJRT_Collectives_Communicator_ToString_Args* args);

// ---- The extension ------------------------------------------------------------------------------

// The extension. Runs collective operations between hosts on host memory. [since 0.94]
struct PJRT_Collectives_Extension {
  PJRT_Extension_Base base;
  // Frees collectives. [since 0.94, answers UNIMPLEMENTED if absent]
  PJRT_Collectives_Destroy* collectives_destroy;
  // Makes one communicator for each rank of this process. [since 0.94, answers UNIMPLEMENTED if
  // absent]
  PJRT_Collectives_CreateCommunicators* collectives_create_communicators;
  // Frees a communicator. [since 0.94, answers UNIMPLEMENTED if absent]
  PJRT_Collectives_Communicator_Destroy* communicator_destroy;
  // Reduces over all ranks; every rank gets the result. [since 0.94, answers UNIMPLEMENTED if
  // absent]
  PJRT_Collectives_Communicator_AllReduce* communicator_all_reduce;
  // Reduces over all ranks; every rank gets its part of the result. [since 0.94, answers
  // UNIMPLEMENTED if absent]
  PJRT_Collectives_Communicator_ReduceScatter* communicator_reduce_scatter;
  // Gives every rank the data of all ranks. [since 0.94, answers UNIMPLEMENTED if absent]
  PJRT_Collectives_Communicator_AllGather* communicator_all_gather;
  // Sends data from rank to rank. [since 0.94, answers UNIMPLEMENTED if absent]
  PJRT_Collectives_Communicator_CollectivePermute* communicator_collective_permute;
  // Exchanges one piece with every rank. [since 0.94, answers UNIMPLEMENTED if absent]
  PJRT_Collectives_Communicator_AllToAll* communicator_all_to_all;
  // Gives a text for people. [since 0.94, answers UNIMPLEMENTED if absent]
  PJRT_Collectives_Communicator_ToString* communicator_to_string;
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Collectives_Extension, communicator_to_string);

#ifdef __cplusplus
}
#endif

#endif  // PJRT_C_API_COLLECTIVES_EXTENSION_H_

// SPDX-License-Identifier: Apache-2.0
// Generated from api/registry/libplinth/plinth_ifrt.toml by `python3 api/generate --write`. Do not edit.
// clang-format off
//
// libplinth_ifrt: Arrays over the devices of any PJRT plugin: shardings, copies, resharding,
// programs, futures. Every function that takes arrays takes several. What is wrong when a function
// is called is its status; what fails later is in the arrays, whose users receive the error. A
// handle that a function gives belongs to the caller, who releases it; handles keep what they need
// alive, the client too. Functions for what is not there yet (an executable that compiles) wait.
// Functions without a status never fail, if their handles are not null.
//
// Rules for everything: C11 and C++17. Structs begin with struct_size, set by whoever fills the struct
// to X_STRUCT_SIZE; the other side reads a field only if struct_size reaches its end, and takes the
// default for the rest. Null is success; whoever receives a status frees it. Texts are UTF-8 and
// NUL-terminated. Any function may be called from any thread; only freeing a handle excludes other uses of
// it. Nothing throws, aborts, exits or writes to standard error.

#ifndef PLINTH_IFRT_H_
#define PLINTH_IFRT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pjrt_c_api.h"
#include "plinth.h"

// Linked dynamically; define it as empty before the first include to link statically.
#ifndef PLINTH_EXPORT
#define PLINTH_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Types --------------------------------------------------------------------------------------

// A plugin's client, counted. Any thread. [since 0.1]
typedef struct plinth_ifrt_client plinth_ifrt_client;
// A device of a client, also one of another process. Borrowed: lives as long as its client.
// Immutable. [since 0.1]
typedef struct plinth_ifrt_device plinth_ifrt_device;
// Which part of an array each device has, counted. Immutable. [since 0.1]
typedef struct plinth_ifrt_sharding plinth_ifrt_sharding;
// An array over devices, counted. Immutable but for being deleted. [since 0.1]
typedef struct plinth_ifrt_array plinth_ifrt_array;
// A program on devices, counted; perhaps not compiled yet. [since 0.1]
typedef struct plinth_ifrt_executable plinth_ifrt_executable;
// Something that completes once, with success or an error; counted. [since 0.1]
typedef struct plinth_ifrt_future plinth_ifrt_future;

// What happens to the inputs of an operation on arrays. [since 0.1]
typedef enum {
  // No output shares memory with an input. [since 0.1]
  PLINTH_IFRT_ALWAYS_COPY = 0,
  // An output may share memory with an input. [since 0.1]
  PLINTH_IFRT_REUSE_INPUT = 1,
  // Inputs are deleted at once, also where only a part was used; outputs may take over their
  // memory. [since 0.1]
  PLINTH_IFRT_DONATE_INPUT = 2
} plinth_ifrt_copy_semantics;

// How long the host's memory of a new array is used. [since 0.1]
typedef enum {
  // Read only before the call returns. [since 0.1]
  PLINTH_IFRT_DURING_CALL = 0,
  // Read until the transfer completes. [since 0.1]
  PLINTH_IFRT_UNTIL_TRANSFERRED = 1,
  // The array may use the memory itself, read-only, while it lives. [since 0.1]
  PLINTH_IFRT_ZERO_COPY = 2,
  // As before, and may write it, for example as a donated output. [since 0.1]
  PLINTH_IFRT_MUTABLE_ZERO_COPY = 3
} plinth_ifrt_host_semantics;

// How far down its ladder a reshard may go. [since 0.1]
typedef enum {
  // The first rung that works: sharing; one program over all devices, where they are the same
  // before and after; copies from device to device and small programs; windows in host memory.
  // [since 0.1]
  PLINTH_IFRT_ANY_RUNG = 0,
  // Copies from device to device and small programs. [since 0.1]
  PLINTH_IFRT_PROGRAMS_RUNG = 1,
  // Host memory for everything. [since 0.1]
  PLINTH_IFRT_HOST_RUNG = 2,
  // One program over all devices, which has both shardings. [since 0.1]
  PLINTH_IFRT_IDENTITY_RUNG = 3
} plinth_ifrt_reshard_rung;

// Receives the outcome of a future. It may call anything and release the last reference to
// anything. Must not throw. [since 0.1, called exactly once]
// status: Null for success. The callback frees it.
// user_data: As given.
typedef void (*plinth_ifrt_ready_callback)(plinth_status* status, void* user_data);

// Tells that host memory is no longer used. It may call anything. Must not throw. [since 0.1,
// called exactly once]
// user_data: As given.
typedef void (*plinth_ifrt_done_callback)(void* user_data);

// Reads a key of the store that the processes of a run share. Must not throw. [since 0.3]
// key: Not terminated.
// key_size: Its bytes.
// timeout_ms: Waits for at most that long for the key, then DEADLINE_EXCEEDED. 0: NOT_FOUND at
// once.
// value: Out: memory of malloc, which libplinth_ifrt frees.
// value_size: Out: its bytes.
// user_data: As given.
typedef plinth_status* (*plinth_ifrt_key_value_get_callback)(
    const char* key, size_t key_size, int64_t timeout_ms, char** value, size_t* value_size, void*
    user_data);

// Sets a key of that store. Must not throw. [since 0.3]
// key: Not terminated.
// key_size: Its bytes.
// value: Not terminated.
// value_size: Its bytes.
// user_data: As given.
typedef plinth_status* (*plinth_ifrt_key_value_put_callback)(
    const char* key, size_t key_size, const char* value, size_t value_size, void* user_data);

// Which plugin, and how its client is made. Set struct_size to
// plinth_ifrt_client_options_STRUCT_SIZE and everything else to zero, then fill in what differs.
// [since 0.1]
struct plinth_ifrt_client_options {
  size_t struct_size;
  // A path (anything with a slash), else the name of a plugin, as in plinth_load_options. Null:
  // PLINTH_PLUGIN, or the only plugin that is found. [in, since 0.1, may be null, lives for the
  // call, if absent: null]
  const char* plugin;
  // As in plinth_load_options. [in, since 0.1, may be null, lives for the call, if absent: null]
  const char* layers;
  // A table that the caller has, which outlives the process; then `plugin` and `layers` mean
  // nothing, and the caller has called PJRT_Plugin_Initialize. [in, since 0.1, may be null, lives
  // for the call, if absent: null]
  const PJRT_Api* api;
  // Options of the client, each as `name=value`: integers, true and false, lists such as [1,2],
  // floats, and texts, which may be in double quotes. They go over those that the manifest asks
  // for. [in, since 0.1, length num_options, may be null, lives for the call, if absent: null]
  const char* const* options;
  // Number of `options`. [in, since 0.1, if absent: 0]
  size_t num_options;
  // For a run of several processes: reads what they share, from any thread, several at once. Given
  // with `key_value_put` or not at all. [in, since 0.3, if absent: null]
  plinth_ifrt_key_value_get_callback key_value_get;
  // Sets what they share. [in, since 0.3, if absent: null]
  plinth_ifrt_key_value_put_callback key_value_put;
  // Null, or called when the client and what was made from it are gone, and at once if it cannot be
  // made: the store is no longer used. [in, since 0.3, if absent: null]
  plinth_ifrt_done_callback key_value_done;
  // For the three callbacks. [in, since 0.3, may be null, if absent: null]
  void* key_value_user_data;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_client_options, key_value_user_data);

// Devices along the axes of a mesh, and the axes along which each dimension of an array is cut.
// Device i of the sharding is at place i of the mesh, counted row-major. [since 0.1]
struct plinth_ifrt_named_sharding {
  size_t struct_size;
  // For messages; null: numbers. [in, since 0.1, length num_axes, may be null, lives for the call]
  const char* const* axis_names;
  // Their product is the number of devices. [in, since 0.1, length num_axes, lives for the call]
  const int64_t* axis_sizes;
  // Number of axes of the mesh. [in, since 0.1]
  size_t num_axes;
  // Dimensions of the arrays. [in, since 0.1]
  size_t rank;
  // For each dimension the number of axes along which it is cut. [in, since 0.1, length rank, lives
  // for the call]
  const size_t* num_dim_axes;
  // The indices of these axes, those of dimension 0 first, the slowest of a dimension first. Axes
  // that are not here replicate. [in, since 0.1, may be null, lives for the call]
  const size_t* dim_axes;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_named_sharding, dim_axes);

// An array in host memory that becomes one over devices. Elements of a list of such structs lie
// struct_size apart, as for all structs of this library. Types of less than a byte take a byte an
// element. [since 0.1]
struct plinth_ifrt_host_array {
  size_t struct_size;
  // Element type, a PJRT_Buffer_Type. [in, since 0.1]
  int32_t type;
  // Shape of the whole array. [in, since 0.1, length num_dims, may be null, lives for the call]
  const int64_t* dims;
  // Number of `dims`. [in, since 0.1]
  size_t num_dims;
  // Where it goes. [in, since 0.1, lives for the call]
  const plinth_ifrt_sharding* sharding;
  // Its first element. Used as long as the host semantics say. [in, since 0.1, may be null, lives
  // for the call]
  const void* data;
  // Bytes to step in each dimension; null for dense row-major. [in, since 0.1, length num_dims, may
  // be null, lives for the call]
  const int64_t* byte_strides;
  // Instead of `data`: the contents of each addressable shard, dense row-major. [in, since 0.1,
  // length num_shard_data, may be null, lives for the call]
  const void* const* shard_data;
  // Number of `shard_data`. [in, since 0.1]
  size_t num_shard_data;
  // How each shard is to lie on its device: the dimensions, the one that varies fastest first.
  // Null: the plugin's default. The memory of the host lies as `byte_strides` says, whatever this
  // is. [in, since 0.4, length num_dims, may be null, lives for the call, if absent: null]
  const int64_t* minor_to_major;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_host_array, minor_to_major);

// An array without contents. [since 0.1]
struct plinth_ifrt_array_spec {
  size_t struct_size;
  // Element type, a PJRT_Buffer_Type. [in, since 0.1]
  int32_t type;
  // Shape of the whole array. [in, since 0.1, length num_dims, may be null, lives for the call]
  const int64_t* dims;
  // Number of `dims`. [in, since 0.1]
  size_t num_dims;
  // Where it is. [in, since 0.1, lives for the call]
  const plinth_ifrt_sharding* sharding;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_array_spec, sharding);

// Host memory that an array is copied to. [since 0.1]
struct plinth_ifrt_host_destination {
  size_t struct_size;
  // The first element. Stays valid until the future completes. [in, since 0.1, may be null, lives
  // for the call]
  void* data;
  // Bytes to step in each dimension of the array, not overlapping; null for dense row-major. [in,
  // since 0.1, may be null, lives for the call]
  const int64_t* byte_strides;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_host_destination, byte_strides);

// Shards start, start + step, ... below end. Counts all shards of an array, also those on devices
// of other processes. [since 0.1]
struct plinth_ifrt_shard_interval {
  size_t struct_size;
  // The first. [in, since 0.1]
  int64_t start;
  // Behind the last. [in, since 0.1]
  int64_t end;
  // At least 1. [in, since 0.1]
  int64_t step;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_shard_interval, step);

// Shards of an input that become shards of an output, one after the other. [since 0.1]
struct plinth_ifrt_shard_mapping {
  size_t struct_size;
  // Which input. [in, since 0.1]
  size_t input;
  // Which output. [in, since 0.1]
  size_t output;
  // Shards of the input. [in, since 0.1, length num_from, may be null, lives for the call]
  const plinth_ifrt_shard_interval* from;
  // Number of `from`. [in, since 0.1]
  size_t num_from;
  // As many shards of the output. [in, since 0.1, length num_to, may be null, lives for the call]
  const plinth_ifrt_shard_interval* to;
  // Number of `to`. [in, since 0.1]
  size_t num_to;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_shard_mapping, num_to);

// Arrays made of the shards of others, on the devices where those are. Nothing is copied. [since
// 0.1]
struct plinth_ifrt_remap_plan {
  size_t struct_size;
  // What the inputs are. [in, since 0.1, length num_inputs, may be null, lives for the call]
  const plinth_ifrt_array_spec* inputs;
  // Number of `inputs`. [in, since 0.1]
  size_t num_inputs;
  // What the outputs are. [in, since 0.1, length num_outputs, may be null, lives for the call]
  const plinth_ifrt_array_spec* outputs;
  // Number of `outputs`. [in, since 0.1]
  size_t num_outputs;
  // Together they name every output shard once, and no input shard twice. [in, since 0.1, length
  // num_mappings, may be null, lives for the call]
  const plinth_ifrt_shard_mapping* mappings;
  // Number of `mappings`. [in, since 0.1]
  size_t num_mappings;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_remap_plan, num_mappings);

// A program and how it is compiled. Set struct_size to plinth_ifrt_compile_options_STRUCT_SIZE and
// everything else to zero, then fill in what differs. [since 0.1]
struct plinth_ifrt_compile_options {
  size_t struct_size;
  // StableHLO as text or bytecode, an HLO module, or what plinth_ifrt_executable_serialize gave.
  // [in, since 0.1, length code_size, lives for the call]
  const char* code;
  // Bytes of `code`. [in, since 0.1]
  size_t code_size;
  // `mlir`, `hlo`, or `serialized`. Null: mlir. [in, since 0.1, may be null, lives for the call, if
  // absent: null]
  const char* format;
  // Where it runs: one partition of one replica on each, replica by replica. Null: the default of
  // the plugin. [in, since 0.1, length num_devices, may be null, lives for the call, if absent:
  // null]
  const plinth_ifrt_device* const* devices;
  // Number of `devices`. [in, since 0.1, if absent: 0]
  size_t num_devices;
  // 0 means 1. [in, since 0.1, if absent: 0]
  int32_t num_replicas;
  // It may run on any one device, which each execution names; then `devices` mean nothing. [in,
  // since 0.1, if absent: false]
  bool portable;
  // Shardy propagates the shardings of a program over several devices. [in, since 0.1, if absent:
  // false]
  bool use_shardy;
  // Compile before the call returns. [in, since 0.1, if absent: false]
  bool serial;
  // Options of the compiler of the plugin, each as `name=value`. [in, since 0.1, length
  // num_overrides, may be null, lives for the call, if absent: null]
  const char* const* overrides;
  // Number of `overrides`. [in, since 0.1, if absent: 0]
  size_t num_overrides;
  // More fields of a serialized xla.CompileOptionsProto, passed on as they are. [in, since 0.1,
  // length extra_proto_size, may be null, lives for the call, if absent: null]
  const char* extra_proto;
  // Bytes of `extra_proto`. [in, since 0.1, if absent: 0]
  size_t extra_proto_size;
  // How the outputs are cut, where the plugin does not tell (before the Shardings extension). Null:
  // opaque. [in, since 0.1, length num_output_shardings, may be null, lives for the call, if
  // absent: null]
  const plinth_ifrt_sharding* const* output_shardings;
  // Number of `output_shardings`. [in, since 0.1, if absent: 0]
  size_t num_output_shardings;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_compile_options, num_output_shardings);

// How to execute. A null pointer means all defaults. [since 0.1]
struct plinth_ifrt_execute_options {
  size_t struct_size;
  // Identifies the launch over all processes, and for plinth_ifrt_executable_cancel; 0 for none.
  // [in, since 0.1, if absent: 0]
  int32_t launch_id;
  // Arguments that stay, though the program allows to donate them. [in, since 0.1, length
  // num_non_donatable, may be null, lives for the call, if absent: null]
  const int64_t* non_donatable;
  // Number of `non_donatable`. [in, since 0.1, if absent: 0]
  size_t num_non_donatable;
  // Of a portable program: where it runs. [in, since 0.1, may be null, lives for the call, if
  // absent: null]
  const plinth_ifrt_device* device;
  // Where in the source of the user the call is, for traces. [in, since 0.1, may be null, lives for
  // the call, if absent: null]
  const char* call_location;
};
PJRT_DEFINE_STRUCT_TRAITS(plinth_ifrt_execute_options, call_location);

// ---- Functions ----------------------------------------------------------------------------------

// Loads a plugin, initializes it, and makes a client of it. [since 0.1]
// options: May be null: all defaults.
// client: Out: the client; null on failure.
// INVALID_ARGUMENT: An option that cannot be read or that the plugin refuses.
// NOT_FOUND: No such plugin. The message lists every place that was tried.
// FAILED_PRECONDITION: It is no plugin, or finds no hardware.
PLINTH_EXPORT plinth_status* plinth_ifrt_client_create(
    const plinth_ifrt_client_options* options, plinth_ifrt_client** client);

// Adds a reference. Does nothing for null. [since 0.1]
// client: May be null.
PLINTH_EXPORT void plinth_ifrt_client_retain(plinth_ifrt_client* client);

// Drops a reference; the last frees it. Does nothing for null. [since 0.1]
// client: May be null.
PLINTH_EXPORT void plinth_ifrt_client_release(plinth_ifrt_client* client);

// The name of the platform, for example `cpu`. Lives as long as the client. [since 0.1]
// client: Not null.
PLINTH_EXPORT const char* plinth_ifrt_client_platform_name(const plinth_ifrt_client* client);

// For people. Lives as long as the client. [since 0.1]
// client: Not null.
PLINTH_EXPORT const char* plinth_ifrt_client_platform_version(const plinth_ifrt_client* client);

// The plugin's function table as this library calls it, with layers and adaptations. Valid until
// the process ends. [since 0.1]
// client: Not null.
PLINTH_EXPORT const PJRT_Api* plinth_ifrt_client_api(const plinth_ifrt_client* client);

// What each operation rests on with this plugin, found by small trials on its first devices: a JSON
// list of objects with `operation`, `rung` (what it takes), and `why` (what the plugin answered to
// the rungs before). [since 0.1]
// client: Not null.
// json: Out: freed with plinth_string_free.
// FAILED_PRECONDITION: No device of this process.
PLINTH_EXPORT plinth_status* plinth_ifrt_client_ladder(plinth_ifrt_client* client, char** json);

// Which process of the run this is. [since 0.1]
// client: Not null.
PLINTH_EXPORT int32_t plinth_ifrt_client_process_index(const plinth_ifrt_client* client);

// Every device of the run, in the order of the plugin, also those of other processes. Lives as long
// as the client. [since 0.1]
// client: Not null.
// num_devices: Out: how many.
PLINTH_EXPORT const plinth_ifrt_device* const* plinth_ifrt_client_devices(
    const plinth_ifrt_client* client, size_t* num_devices);

// The device with that id; null if there is none. [since 0.1]
// client: Not null.
// id: Unique among all devices of the run.
PLINTH_EXPORT const plinth_ifrt_device* plinth_ifrt_client_find_device(
    const plinth_ifrt_client* client, int32_t id);

// Unique among all devices of the run. [since 0.1]
// device: Not null.
PLINTH_EXPORT int32_t plinth_ifrt_device_id(const plinth_ifrt_device* device);

// The process that drives it. [since 0.1]
// device: Not null.
PLINTH_EXPORT int32_t plinth_ifrt_device_process_index(const plinth_ifrt_device* device);

// Whether this process drives it. [since 0.1]
// device: Not null.
PLINTH_EXPORT bool plinth_ifrt_device_is_addressable(const plinth_ifrt_device* device);

// The name that the vendor gave this kind of device. Lives as long as the client. [since 0.1]
// device: Not null.
PLINTH_EXPORT const char* plinth_ifrt_device_kind(const plinth_ifrt_device* device);

// A short description, for people. Lives as long as the client. [since 0.1]
// device: Not null.
PLINTH_EXPORT const char* plinth_ifrt_device_text(const plinth_ifrt_device* device);

// Memories that it reaches. PJRT does not tell those of devices of other processes: they have those
// of a device of the same kind in this process. 0 where a plugin knows no memories. [since 0.1]
// device: Not null.
PLINTH_EXPORT size_t plinth_ifrt_device_num_memories(const plinth_ifrt_device* device);

// The kind of a memory, for example `device` or `pinned_host`; that of the default memory is the
// first. Null if `index` is not below their number. Lives as long as the client. [since 0.1]
// device: Not null.
// index: From 0.
PLINTH_EXPORT const char* plinth_ifrt_device_memory_kind(
    const plinth_ifrt_device* device, size_t index);

// Every device has the whole array. With one device: a single device. [since 0.1]
// client: Not null.
// devices: One for each shard.
// num_devices: Number of `devices`.
// memory_kind: Null: the default memory of each device.
// sharding: Out: the sharding; null on failure.
// INVALID_ARGUMENT: A device is null, twice there, or of another client; no such memory; too many
// devices.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_replicated(
    plinth_ifrt_client* client, const plinth_ifrt_device* const* devices, size_t num_devices, const
    char* memory_kind, plinth_ifrt_sharding** sharding);

// Cut along the axes of a mesh, as JAX and Shardy say it. [since 0.1]
// client: Not null.
// devices: One for each shard.
// num_devices: Number of `devices`.
// memory_kind: Null: the default memory of each device.
// named: Mesh and axes.
// sharding: Out: the sharding; null on failure.
// INVALID_ARGUMENT: A device is null, twice there, or of another client; no such memory; too many
// devices.
// INVALID_ARGUMENT: Axes whose sizes do not multiply to the number of devices, used twice, or that
// the mesh lacks.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_named(
    plinth_ifrt_client* client, const plinth_ifrt_device* const* devices, size_t num_devices, const
    char* memory_kind, const plinth_ifrt_named_sharding* named, plinth_ifrt_sharding** sharding);

// Cut as a serialized xla.OpSharding says, which counts the devices given. [since 0.1]
// client: Not null.
// devices: One for each shard.
// num_devices: Number of `devices`.
// memory_kind: Null: the default memory of each device.
// bytes: The message.
// size: Its bytes.
// sharding: Out: the sharding; null on failure.
// INVALID_ARGUMENT: A device is null, twice there, or of another client; no such memory; too many
// devices.
// INVALID_ARGUMENT: Bytes that contradict themselves or the number of devices.
// UNIMPLEMENTED: Manual, unreduced and unknown shardings, tuples, and one of several devices.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_from_op_sharding(
    plinth_ifrt_client* client, const plinth_ifrt_device* const* devices, size_t num_devices, const
    char* memory_kind, const char* bytes, size_t size, plinth_ifrt_sharding** sharding);

// Any boxes, for arrays of one shape: equal or disjoint, and together everything. [since 0.1]
// client: Not null.
// devices: One for each shard.
// num_devices: Number of `devices`.
// memory_kind: Null: the default memory of each device.
// dims: Shape of the arrays.
// num_dims: Number of `dims`.
// origins: For each device `num_dims` numbers: where its box begins.
// extents: For each device `num_dims` numbers: how large its box is.
// sharding: Out: the sharding; null on failure.
// INVALID_ARGUMENT: A device is null, twice there, or of another client; no such memory; too many
// devices.
// INVALID_ARGUMENT: Boxes outside of the array, that overlap, or that leave elements out.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_concrete(
    plinth_ifrt_client* client, const plinth_ifrt_device* const* devices, size_t num_devices, const
    char* memory_kind, const int64_t* dims, size_t num_dims, const int64_t* origins, const int64_t*
    extents, plinth_ifrt_sharding** sharding);

// Nobody knows which device has what. [since 0.1]
// client: Not null.
// devices: One for each shard.
// num_devices: Number of `devices`.
// memory_kind: Null: the default memory of each device.
// sharding: Out: the sharding; null on failure.
// INVALID_ARGUMENT: A device is null, twice there, or of another client; no such memory; too many
// devices.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_opaque(
    plinth_ifrt_client* client, const plinth_ifrt_device* const* devices, size_t num_devices, const
    char* memory_kind, plinth_ifrt_sharding** sharding);

// The same cut on other devices or in another memory. [since 0.1]
// sharding: Not null.
// devices: One for each shard.
// num_devices: Number of `devices`.
// memory_kind: Null: the default memory of each device.
// moved: Out: the new sharding; null on failure.
// INVALID_ARGUMENT: A device is null, twice there, or of another client; no such memory; too many
// devices.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_with_devices(
    const plinth_ifrt_sharding* sharding, const plinth_ifrt_device* const* devices, size_t
    num_devices, const char* memory_kind, plinth_ifrt_sharding** moved);

// Adds a reference. Does nothing for null. [since 0.1]
// sharding: May be null.
PLINTH_EXPORT void plinth_ifrt_sharding_retain(plinth_ifrt_sharding* sharding);

// Drops a reference; the last frees it. Does nothing for null. [since 0.1]
// sharding: May be null.
PLINTH_EXPORT void plinth_ifrt_sharding_release(plinth_ifrt_sharding* sharding);

// The device of each shard. Lives as long as the sharding. [since 0.1]
// sharding: Not null.
// num_devices: Out: how many.
PLINTH_EXPORT const plinth_ifrt_device* const* plinth_ifrt_sharding_devices(
    const plinth_ifrt_sharding* sharding, size_t* num_devices);

// Shards on devices of this process. [since 0.1]
// sharding: Not null.
PLINTH_EXPORT size_t plinth_ifrt_sharding_num_addressable(const plinth_ifrt_sharding* sharding);

// Kind of the memories, also where the default was asked for; empty if the plugin names none. Lives
// as long as the sharding. [since 0.1]
// sharding: Not null.
PLINTH_EXPORT const char* plinth_ifrt_sharding_memory_kind(const plinth_ifrt_sharding* sharding);

// Whether every device has the whole array; true for a single device. [since 0.1]
// sharding: Not null.
PLINTH_EXPORT bool plinth_ifrt_sharding_is_fully_replicated(const plinth_ifrt_sharding* sharding);

// Which box of an array each shard has. Of an uneven dimension the last pieces are smaller, perhaps
// empty. [since 0.1]
// sharding: Not null.
// dims: Shape of the whole array.
// num_dims: Number of `dims`.
// addressable_only: Only the shards on devices of this process.
// origins: Out: for each shard `num_dims` numbers.
// extents: Out: for each shard `num_dims` numbers.
// INVALID_ARGUMENT: An array of another rank (named) or shape (concrete).
// FAILED_PRECONDITION: An opaque sharding.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_index_domains(
    const plinth_ifrt_sharding* sharding, const int64_t* dims, size_t num_dims, bool
    addressable_only, int64_t* origins, int64_t* extents);

// The shape that all shards have. [since 0.1]
// sharding: Not null.
// dims: Shape of the whole array.
// num_dims: Number of `dims`.
// shape: Out: `num_dims` numbers.
// INVALID_ARGUMENT: Shards of different shapes; an array of another rank or shape.
// FAILED_PRECONDITION: An opaque sharding.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_shard_shape(
    const plinth_ifrt_sharding* sharding, const int64_t* dims, size_t num_dims, int64_t* shape);

// Whether two shardings mean the same: for arrays of one shape, whatever they were made of, or, if
// `dims` is null, for every shape. Opaque ones equal only themselves. [since 0.1]
// a: Not null.
// b: Not null.
// dims: May be null.
// num_dims: Number of `dims`.
PLINTH_EXPORT bool plinth_ifrt_sharding_equal(
    const plinth_ifrt_sharding* a, const plinth_ifrt_sharding* b, const int64_t* dims, size_t
    num_dims);

// Equal for shardings that are equal for every shape. [since 0.1]
// sharding: Not null.
PLINTH_EXPORT uint64_t plinth_ifrt_sharding_hash(const plinth_ifrt_sharding* sharding);

// A serialized xla.OpSharding for arrays of that rank. [since 0.1]
// sharding: Not null.
// rank: Dimensions of the arrays; SIZE_MAX for those that the sharding is cut for.
// bytes: Out: the message, NUL-terminated too; freed with plinth_string_free.
// size: Out: its bytes.
// INVALID_ARGUMENT: A sharding for another rank.
// UNIMPLEMENTED: Concrete shardings; opaque ones, but for those of which a plugin told an
// OpSharding, such as an unreduced one.
PLINTH_EXPORT plinth_status* plinth_ifrt_sharding_to_op_sharding(
    const plinth_ifrt_sharding* sharding, size_t rank, char** bytes, size_t* size);

// For people; freed with plinth_string_free. Null without memory. [since 0.1]
// sharding: Not null.
PLINTH_EXPORT char* plinth_ifrt_sharding_text(const plinth_ifrt_sharding* sharding);

// Arrays with what the host has; each shard reads its own window. [since 0.1]
// client: Not null.
// arrays: What the host has.
// num_arrays: Number of arrays.
// semantics: For all of them.
// done: Called once when nothing uses the memory any more, with PLINTH_IFRT_DURING_CALL before the
// return; not called on failure. May be null.
// user_data: For `done`.
// outputs: Out: room for as many arrays; null on failure.
// INVALID_ARGUMENT: Null data, strides or shards of a wrong number, a sharding that does not go
// with the shape or is of another client.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_from_host(
    plinth_ifrt_client* client, const plinth_ifrt_host_array* arrays, size_t num_arrays,
    plinth_ifrt_host_semantics semantics, plinth_ifrt_done_callback done, void* user_data,
    plinth_ifrt_array** outputs);

// Arrays whose contents are not set. [since 0.1]
// client: Not null.
// specs: What they are.
// num_arrays: Number of arrays.
// outputs: Out: room for as many arrays; null on failure.
// INVALID_ARGUMENT: A sharding that does not go with the shape.
// UNIMPLEMENTED: The plugin cannot (before 0.69).
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_uninitialized(
    plinth_ifrt_client* client, const plinth_ifrt_array_spec* specs, size_t num_arrays,
    plinth_ifrt_array** outputs);

// Arrays that have an error in place of contents: what reads them receives it. [since 0.1]
// client: Not null.
// specs: What they are.
// num_arrays: Number of arrays.
// code: Not OK.
// message: Not null.
// outputs: Out: room for as many arrays; null on failure.
// INVALID_ARGUMENT: A code that is none; a null sharding.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_error(
    plinth_ifrt_client* client, const plinth_ifrt_array_spec* specs, size_t num_arrays,
    PJRT_Error_Code code, const char* message, plinth_ifrt_array** outputs);

// The memory of a shard as a tensor of DLPack, read-only and without a copy. Waits for the
// contents. The memory stays until the tensor's deleter was called, whatever becomes of the array.
// [since 0.3]
// array: Not null.
// shard: Which of the shards on devices of this process. Below 0: the whole array, which every
// shard has to be.
// tensor: Out: a DLManagedTensorVersioned of DLPack 1.x, freed by its deleter; null on failure.
// INVALID_ARGUMENT: No such shard; an array that is cut where the whole is asked for; deleted. What
// made the contents fail has codes of its own.
// UNIMPLEMENTED: Types of less than a byte, tiled layouts, devices that DLPack has no number for; a
// plugin that does not tell where a buffer is.
PLINTH_EXPORT plinth_status* plinth_ifrt_array_to_dlpack(
    plinth_ifrt_array* array, int64_t shard, void** tensor);

// An array with the memory of tensors of DLPack: one with the whole array, or one for each shard on
// devices of this process, these dense row-major. A plugin that can leaves the elements where they
// are. The tensors are the array's, and their deleters are called when nothing uses them; on
// failure they stay the caller's. [since 0.3]
// client: Not null.
// spec: What the array is.
// tensors: DLManagedTensorVersioned of DLPack 1.x, with what they have to compute done. None null.
// num_tensors: Number of tensors.
// array: Out: the array; null on failure.
// INVALID_ARGUMENT: Tensors of another major version, type, shape or number; shards with strides; a
// sharding that does not go with the shape.
// UNIMPLEMENTED: Tensors that are not in host memory; types of less than a byte.
PLINTH_EXPORT plinth_status* plinth_ifrt_array_from_dlpack(
    plinth_ifrt_client* client, const plinth_ifrt_array_spec* spec, void* const* tensors, size_t
    num_tensors, plinth_ifrt_array** array);

// Starts to copy whole arrays to the host, of all shards at once. [since 0.1]
// client: Not null.
// arrays: None null.
// num_arrays: Number of arrays.
// destinations: One for each array.
// ready: Out: completes when everything is there, or has failed; null on failure.
// INVALID_ARGUMENT: Null memory, strides that overlap, deleted arrays, elements on devices of other
// processes only.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_to_host(
    plinth_ifrt_client* client, plinth_ifrt_array* const* arrays, size_t num_arrays, const
    plinth_ifrt_host_destination* destinations, plinth_ifrt_future** ready);

// Adds a reference. Does nothing for null. [since 0.1]
// array: May be null.
PLINTH_EXPORT void plinth_ifrt_array_retain(plinth_ifrt_array* array);

// Drops a reference; the last frees it. Does nothing for null. [since 0.1]
// array: May be null.
PLINTH_EXPORT void plinth_ifrt_array_release(plinth_ifrt_array* array);

// Drops a reference of each. Nulls are left out. [since 0.1]
// arrays: May be null if there are none.
// num_arrays: Number of arrays.
PLINTH_EXPORT void plinth_ifrt_arrays_release(plinth_ifrt_array* const* arrays, size_t num_arrays);

// Element type. [since 0.1]
// array: Not null.
PLINTH_EXPORT PJRT_Buffer_Type plinth_ifrt_array_type(const plinth_ifrt_array* array);

// Shape of the whole array. Lives as long as the array. [since 0.1]
// array: Not null.
// num_dims: Out: how many.
PLINTH_EXPORT const int64_t* plinth_ifrt_array_dims(
    const plinth_ifrt_array* array, size_t* num_dims);

// Borrowed: lives as long as the array. [since 0.1]
// array: Not null.
PLINTH_EXPORT const plinth_ifrt_sharding* plinth_ifrt_array_sharding(
    const plinth_ifrt_array* array);

// How its shards lie in the memory of their devices, as XLA writes it: `{1,0}` is row-major. [since
// 0.4]
// array: Not null.
// layout: Out: freed with plinth_string_free.
// INVALID_ARGUMENT: A deleted array; one without shards on devices of this process. Other codes are
// those of an error that the array has.
// UNIMPLEMENTED: The plugin does not tell.
PLINTH_EXPORT plinth_status* plinth_ifrt_array_layout(plinth_ifrt_array* array, char** layout);

// Completes when the contents of all arrays are there or have failed; then with one of the errors.
// [since 0.1]
// client: Not null.
// arrays: None null.
// num_arrays: Number of arrays.
// ready: Out: the future; null on failure.
// INVALID_ARGUMENT: A null array, or one of another client.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_ready(
    plinth_ifrt_client* client, plinth_ifrt_array* const* arrays, size_t num_arrays,
    plinth_ifrt_future** ready);

// Drops the contents, at once for the caller. Memory that other arrays share goes with the last of
// them. Again: nothing. [since 0.1]
// arrays: None null.
// num_arrays: Number of arrays.
PLINTH_EXPORT void plinth_ifrt_arrays_delete(plinth_ifrt_array* const* arrays, size_t num_arrays);

// Deleted, or donated. [since 0.1]
// array: Not null.
PLINTH_EXPORT bool plinth_ifrt_array_is_deleted(const plinth_ifrt_array* array);

// One array out of arrays on single devices. [since 0.1]
// client: Not null.
// spec: What it is.
// shards: One for each shard on a device of this process, in their order; perhaps none.
// num_shards: Number of `shards`.
// semantics: For all inputs.
// output: Out: the array; null on failure.
// INVALID_ARGUMENT: A wrong number; a shard of another type, shape, device or memory; a deleted
// one.
PLINTH_EXPORT plinth_status* plinth_ifrt_array_assemble(
    plinth_ifrt_client* client, const plinth_ifrt_array_spec* spec, plinth_ifrt_array* const*
    shards, size_t num_shards, plinth_ifrt_copy_semantics semantics, plinth_ifrt_array** output);

// The shards on devices of this process as arrays of their own. [since 0.1]
// array: Not null.
// semantics: For all inputs.
// outputs: Out: room for plinth_ifrt_sharding_num_addressable arrays.
// INVALID_ARGUMENT: A deleted array.
PLINTH_EXPORT plinth_status* plinth_ifrt_array_disassemble(
    plinth_ifrt_array* array, plinth_ifrt_copy_semantics semantics, plinth_ifrt_array** outputs);

// One shard of an array that every device has whole. [since 0.1]
// array: Not null.
// semantics: For all inputs.
// output: Out: the array; null on failure.
// INVALID_ARGUMENT: An array that is cut, deleted, or on other processes only.
PLINTH_EXPORT plinth_status* plinth_ifrt_array_replicated_shard(
    plinth_ifrt_array* array, plinth_ifrt_copy_semantics semantics, plinth_ifrt_array** output);

// Copies to other devices or another memory, cut in the same way: shard i goes to device i. All
// arrays are in the same places. Where shards go from process to process, all processes make the
// same copies in the same order; who receives may wait for who sends. [since 0.1]
// client: Not null.
// arrays: None null.
// num_arrays: Number of arrays.
// devices: Null: those where they are.
// num_devices: Number of `devices`.
// memory_kind: Null: that where they are; empty: the default.
// semantics: For all inputs.
// outputs: Out: room for as many arrays; null on failure.
// INVALID_ARGUMENT: Arrays in different places, deleted ones; a wrong number of devices; no such
// memory.
// UNIMPLEMENTED: A shard would go to another process, and the plugin has no extension
// CrossHostTransfers of 0.81.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_copy(
    plinth_ifrt_client* client, plinth_ifrt_array* const* arrays, size_t num_arrays, const
    plinth_ifrt_device* const* devices, size_t num_devices, const char* memory_kind,
    plinth_ifrt_copy_semantics semantics, plinth_ifrt_array** outputs);

// Whether a remap plan is sound. Where a sharding is opaque, the shapes of shards are compared when
// the plan is followed. [since 0.1]
// client: Not null.
// plan: Not null.
// INVALID_ARGUMENT: What is wrong: a shard used twice or left out, types, shapes, devices or
// memories that differ, intervals that run outside.
PLINTH_EXPORT plinth_status* plinth_ifrt_remap_validate(
    plinth_ifrt_client* client, const plinth_ifrt_remap_plan* plan);

// Follows a remap plan, which is validated. [since 0.1]
// client: Not null.
// plan: Not null.
// arrays: None null.
// num_arrays: Number of arrays.
// semantics: For all inputs.
// outputs: Out: room for the outputs of the plan.
// INVALID_ARGUMENT: As plinth_ifrt_remap_validate; other arrays than the plan says; always-copy;
// reuse where an output has shards of several inputs.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_remap(
    plinth_ifrt_client* client, const plinth_ifrt_remap_plan* plan, plinth_ifrt_array* const*
    arrays, size_t num_arrays, plinth_ifrt_copy_semantics semantics, plinth_ifrt_array** outputs);

// The same arrays with other shardings: any cut, devices and memory. Returns when the copies are
// started; where they go through host memory, when they are done. [since 0.1]
// client: Not null.
// arrays: None null.
// num_arrays: Number of arrays.
// shardings: One for each array.
// semantics: For all inputs.
// rung: How far down the ladder it may go.
// outputs: Out: room for as many arrays; null on failure.
// INVALID_ARGUMENT: Deleted arrays; shardings that do not go with the shape or are of another
// client.
// FAILED_PRECONDITION: An opaque sharding.
// UNIMPLEMENTED: Elements that other processes have; PLINTH_IFRT_PROGRAMS_RUNG where the plugin
// compiles no StableHLO.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_reshard(
    plinth_ifrt_client* client, plinth_ifrt_array* const* arrays, size_t num_arrays, const
    plinth_ifrt_sharding* const* shardings, plinth_ifrt_copy_semantics semantics,
    plinth_ifrt_reshard_rung rung, plinth_ifrt_array** outputs);

// As plinth_ifrt_arrays_reshard, with a word on how the shards are to lie on their devices. A shard
// that lies so already is shared if `semantics` lets it. [since 0.5]
// client: Not null.
// arrays: None null.
// num_arrays: Number of arrays.
// shardings: One for each array.
// minor_to_major: For each array its dimensions, the one that varies fastest first, or null: as the
// plugin likes. The list may be null too.
// semantics: For all inputs.
// rung: How far down the ladder it may go.
// outputs: Out: room for as many arrays; null on failure.
// INVALID_ARGUMENT: As there; a layout that is no order of the dimensions.
// FAILED_PRECONDITION: An opaque sharding.
// UNIMPLEMENTED: As there; a forced rung where programs of the plugin lay nothing out.
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_reshard_to_layouts(
    plinth_ifrt_client* client, plinth_ifrt_array* const* arrays, size_t num_arrays, const
    plinth_ifrt_sharding* const* shardings, const int64_t* const* minor_to_major,
    plinth_ifrt_copy_semantics semantics, plinth_ifrt_reshard_rung rung, plinth_ifrt_array**
    outputs);

// The bytes of each shard seen with another type and shape, on the same devices. Copies only what
// is not donated, and where the plugin has no PJRT_Buffer_Bitcast. [since 0.1]
// client: Not null.
// arrays: None null.
// num_arrays: Number of arrays.
// specs: What each of them becomes.
// semantics: For all inputs.
// outputs: Out: room for as many arrays; null on failure.
// INVALID_ARGUMENT: Deleted arrays; other devices, memories or bytes in a shard; a sharding that
// does not go with the shape.
// FAILED_PRECONDITION: An opaque sharding.
// UNIMPLEMENTED: Types of less than a byte where the plugin has no PJRT_Buffer_Bitcast (before
// 0.98).
PLINTH_EXPORT plinth_status* plinth_ifrt_arrays_bitcast(
    plinth_ifrt_client* client, plinth_ifrt_array* const* arrays, size_t num_arrays, const
    plinth_ifrt_array_spec* specs, plinth_ifrt_copy_semantics semantics, plinth_ifrt_array**
    outputs);

// Starts to compile a program, or to load a serialized one. Its errors are those of the executable.
// [since 0.1]
// client: Not null.
// options: Not null.
// executable: Out: the executable; null on failure.
// INVALID_ARGUMENT: Options that cannot be read; null code.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_compile(
    plinth_ifrt_client* client, const plinth_ifrt_compile_options* options, plinth_ifrt_executable**
    executable);

// Adds a reference. Does nothing for null. [since 0.1]
// executable: May be null.
PLINTH_EXPORT void plinth_ifrt_executable_retain(plinth_ifrt_executable* executable);

// Drops a reference; the last frees it. Does nothing for null. [since 0.1]
// executable: May be null.
PLINTH_EXPORT void plinth_ifrt_executable_release(plinth_ifrt_executable* executable);

// Completes when it is compiled, or has failed. [since 0.1]
// executable: Not null.
// ready: Out: the future; null on failure.
// INVALID_ARGUMENT: A null pointer.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_ready(
    plinth_ifrt_executable* executable, plinth_ifrt_future** ready);

// Its name. [since 0.1]
// executable: Not null.
// name: Out: freed with plinth_string_free.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_name(
    plinth_ifrt_executable* executable, char** name);

// Where it runs, also on devices of other processes; none if it is portable. Lives as long as the
// executable. [since 0.1]
// executable: Not null.
// devices: Out: the devices.
// num_devices: Out: how many.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_devices(
    plinth_ifrt_executable* executable, const plinth_ifrt_device* const** devices, size_t*
    num_devices);

// How many arrays an execution gives. [since 0.1]
// executable: Not null.
// num_outputs: Out: how many.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_num_outputs(
    plinth_ifrt_executable* executable, size_t* num_outputs);

// What an output will be. Lives as long as the executable; the sharding is null if it is portable.
// [since 0.1]
// executable: Not null.
// index: Which output.
// type: Out: its element type.
// dims: Out: its shape; of an opaque one of which the plugin told nothing, that of a shard.
// num_dims: Out: number of `dims`.
// sharding: Out: its sharding.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// INVALID_ARGUMENT: No such output.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_output(
    plinth_ifrt_executable* executable, size_t index, PJRT_Buffer_Type* type, const int64_t** dims,
    size_t* num_dims, const plinth_ifrt_sharding** sharding);

// How many arrays an execution takes. [since 0.1]
// executable: Not null.
// num_parameters: Out: how many.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// UNIMPLEMENTED: The plugin does not tell (before 0.102).
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_num_parameters(
    plinth_ifrt_executable* executable, size_t* num_parameters);

// How an argument is to be cut. Lives as long as the executable; null if it is portable. [since
// 0.1]
// executable: Not null.
// index: Which parameter.
// sharding: Out: its sharding.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// INVALID_ARGUMENT: No such parameter.
// UNIMPLEMENTED: The plugin does not tell (no Shardings extension; before 0.102 on one device).
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_parameter_sharding(
    plinth_ifrt_executable* executable, size_t index, const plinth_ifrt_sharding** sharding);

// How an argument lies in the memory of a device, as XLA writes it, for example `{1,0}`. [since
// 0.1]
// executable: Not null.
// index: Which parameter.
// layout: Out: freed with plinth_string_free.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// INVALID_ARGUMENT: No such parameter.
// UNIMPLEMENTED: The plugin does not tell (no Layouts extension, or one before 0.93).
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_parameter_layout(
    plinth_ifrt_executable* executable, size_t index, char** layout);

// How an output lies in the memory of a device, as XLA writes it. [since 0.1]
// executable: Not null.
// index: Which output.
// layout: Out: freed with plinth_string_free.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// INVALID_ARGUMENT: No such output.
// UNIMPLEMENTED: The plugin does not tell (no Layouts extension, or one before 0.81).
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_output_layout(
    plinth_ifrt_executable* executable, size_t index, char** layout);

// Bytes that the same platform and version can load again. [since 0.1]
// executable: Not null.
// bytes: Out: the bytes; freed with plinth_string_free.
// size: Out: how many.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// UNIMPLEMENTED: The plugin cannot.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_serialize(
    plinth_ifrt_executable* executable, char** bytes, size_t* size);

// Equal for equal program, options and compiler. [since 0.1]
// executable: Not null.
// fingerprint: Out: freed with plinth_string_free.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// UNIMPLEMENTED: The plugin does not tell.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_fingerprint(
    plinth_ifrt_executable* executable, char** fingerprint);

// The program after optimization. [since 0.1]
// executable: Not null.
// code: Out: freed with plinth_string_free.
// size: Out: its bytes.
// format: Out: name of the format; freed with plinth_string_free.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// UNIMPLEMENTED: The plugin does not tell.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_text(
    plinth_ifrt_executable* executable, char** code, size_t* size, char** format);

// Estimates of the plugin as a JSON object: `flops`, `bytes accessed`, and others. [since 0.1]
// executable: Not null.
// json: Out: freed with plinth_string_free.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// UNIMPLEMENTED: The plugin does not tell.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_cost(
    plinth_ifrt_executable* executable, char** json);

// Bytes that one execution needs on a device, by purpose, as a JSON object: `generated_code`,
// `arguments`, `outputs`, `aliases`, `temporaries`, `peak`. [since 0.1]
// executable: Not null.
// json: Out: freed with plinth_string_free.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// UNIMPLEMENTED: The plugin does not tell.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_memory(
    plinth_ifrt_executable* executable, char** json);

// Starts it. Returns when it is enqueued; outputs complete later, with data or an error, and an
// error that an argument has becomes that of every output. What the program takes of its arguments
// is deleted at once. [since 0.1]
// executable: Not null.
// arguments: On the devices of the program.
// num_arguments: Number of `arguments`.
// options: May be null: all defaults.
// outputs: Out: room for `num_outputs` arrays; null on failure.
// num_outputs: As plinth_ifrt_executable_num_outputs says.
// status: Out: completes when every device is done. Null if nobody wants it, which costs less.
// INVALID_ARGUMENT: Arguments that are deleted or donated, of another number, on other devices, cut
// in another way; another number of outputs.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_execute(
    plinth_ifrt_executable* executable, plinth_ifrt_array* const* arguments, size_t num_arguments,
    const plinth_ifrt_execute_options* options, plinth_ifrt_array** outputs, size_t num_outputs,
    plinth_ifrt_future** status);

// Lets the unfinished execution with a launch id fail. Does nothing if there is none. [since 0.1]
// executable: Not null.
// launch_id: As in the options.
// code: The error that the outputs get.
// message: Its text.
// INVALID_ARGUMENT: It did not compile: the code and text of the plugin.
// UNIMPLEMENTED: The plugin cannot (before 0.85).
PLINTH_EXPORT plinth_status* plinth_ifrt_executable_cancel(
    plinth_ifrt_executable* executable, int32_t launch_id, PJRT_Error_Code code, const char*
    message);

// Whether it has completed, with success or an error. [since 0.1]
// future: Not null.
PLINTH_EXPORT bool plinth_ifrt_future_is_ready(plinth_ifrt_future* future);

// Waits, and returns the outcome. [since 0.1]
// future: Not null.
// timeout_ms: Below 0: without end.
// DEADLINE_EXCEEDED: Not complete in time; it goes on. Other codes are those of what failed.
PLINTH_EXPORT plinth_status* plinth_ifrt_future_await(
    plinth_ifrt_future* future, int64_t timeout_ms);

// Calls back once: before this returns if it is complete, else on the thread that completes it,
// also when the future was released. [since 0.1]
// future: Not null.
// callback: Not null.
// user_data: For the callback.
PLINTH_EXPORT void plinth_ifrt_future_on_ready(
    plinth_ifrt_future* future, plinth_ifrt_ready_callback callback, void* user_data);

// Adds a reference. Does nothing for null. [since 0.1]
// future: May be null.
PLINTH_EXPORT void plinth_ifrt_future_retain(plinth_ifrt_future* future);

// Drops a reference; the last frees it. Does nothing for null. [since 0.1]
// future: May be null.
PLINTH_EXPORT void plinth_ifrt_future_release(plinth_ifrt_future* future);

#ifdef __cplusplus
}
#endif

#endif  // PLINTH_IFRT_H_

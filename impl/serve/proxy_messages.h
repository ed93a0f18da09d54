// SPDX-License-Identifier: Apache-2.0
// Generated from api/messages by `python3 api/generate --write`. Do not edit.
// clang-format off

#ifndef PLINTH_IMPL_SERVE_PROXY_MESSAGES_H_
#define PLINTH_IMPL_SERVE_PROXY_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plinth/support/status.h"

// The messages of IFRT's proxy protocol. Read returns INVALID_ARGUMENT, with the name of the message,
// for bytes that are none; fields that have no row are skipped. Write leaves out what is zero.
namespace plinth::serve::proxy {

// A value with the name of its type.
struct Serialized {
  std::string type_name;
  std::string data;
};
Status Read(std::string_view bytes, Serialized* message);
std::string Write(const Serialized& message);

// An element type; kinds are those of XLA's PrimitiveType.
struct DTypeProto {
  int32_t kind = {};
};
Status Read(std::string_view bytes, DTypeProto* message);
std::string Write(const DTypeProto& message);

// A shape.
struct ShapeProto {
  std::vector<int64_t> dims;
};
Status Read(std::string_view bytes, ShapeProto* message);
std::string Write(const ShapeProto& message);

// Devices by id.
struct DeviceListProto {
  std::vector<int32_t> device_ids;
};
Status Read(std::string_view bytes, DeviceListProto* message);
std::string Write(const DeviceListProto& message);

// A sharding, by one of the messages below.
struct ShardingProto {
  Serialized serialized_sharding;
};
Status Read(std::string_view bytes, ShardingProto* message);
std::string Write(const ShardingProto& message);

// xla::ifrt::SingleDeviceSharding.
struct SingleDeviceShardingProto {
  int32_t device_id = {};
  std::optional<std::string> memory_kind;
};
Status Read(std::string_view bytes, SingleDeviceShardingProto* message);
std::string Write(const SingleDeviceShardingProto& message);

// xla::ifrt::OpaqueSharding.
struct OpaqueShardingProto {
  DeviceListProto devices;
  std::optional<std::string> memory_kind;
};
Status Read(std::string_view bytes, OpaqueShardingProto* message);
std::string Write(const OpaqueShardingProto& message);

// xla::ifrt::ConcreteSharding: shard shapes without origins.
struct ConcreteShardingProto {
  DeviceListProto devices;
  ShapeProto shape;
  std::vector<ShapeProto> shard_shapes;
  std::optional<std::string> memory_kind;
};
Status Read(std::string_view bytes, ConcreteShardingProto* message);
std::string Write(const ConcreteShardingProto& message);

// xla::ifrt::ConcreteEvenSharding.
struct ConcreteEvenShardingProto {
  DeviceListProto devices;
  ShapeProto shape;
  ShapeProto shard_shape;
  std::optional<std::string> memory_kind;
  bool is_fully_replicated = {};
};
Status Read(std::string_view bytes, ConcreteEvenShardingProto* message);
std::string Write(const ConcreteEvenShardingProto& message);

// xla::ifrt::HloSharding; xla_op_sharding is an OpShardingProto.
struct HloShardingProto {
  DeviceListProto devices;
  std::string xla_op_sharding;
  std::optional<std::string> memory_kind;
};
Status Read(std::string_view bytes, HloShardingProto* message);
std::string Write(const HloShardingProto& message);

// An array without contents.
struct ArraySpecProto {
  DTypeProto dtype;
  ShapeProto shape;
  ShardingProto sharding;
  std::optional<std::string> layout;
};
Status Read(std::string_view bytes, ArraySpecProto* message);
std::string Write(const ArraySpecProto& message);

// A list as the value of an attribute.
struct AttributeInts {
  std::vector<int64_t> elements;
};
Status Read(std::string_view bytes, AttributeInts* message);
std::string Write(const AttributeInts& message);

// The value of an attribute, one of these.
struct AttributeValue {
  std::variant<std::monostate, std::string, bool, int64_t, AttributeInts, float> value;
  // Names of the alternatives of `value`, by index.
  static constexpr std::string_view kValueNames[] = {"", "string_value", "bool_value", "int64_value", "int64_list_value", "float_value"};
};
Status Read(std::string_view bytes, AttributeValue* message);
std::string Write(const AttributeValue& message);

// An entry of the map attributes.
struct AttributeEntry {
  std::string key;
  AttributeValue value;
};
Status Read(std::string_view bytes, AttributeEntry* message);
std::string Write(const AttributeEntry& message);

// Attributes by name.
struct AttributeMapProto {
  std::vector<AttributeEntry> attributes;
};
Status Read(std::string_view bytes, AttributeMapProto* message);
std::string Write(const AttributeMapProto& message);

// A code of absl::Status, which is one of PJRT, and a text.
struct StatusProto {
  int32_t code = {};
  std::string message;
};
Status Read(std::string_view bytes, StatusProto* message);
std::string Write(const StatusProto& message);

// xla::ifrt::Layout.
struct LayoutProto {
  Serialized serialized_layout;
};
Status Read(std::string_view bytes, LayoutProto* message);
std::string Write(const LayoutProto& message);

// xla::ifrt::CompactLayout: an order of the dimensions.
struct CompactLayoutProto {
  std::vector<int32_t> major_to_minor;
  int32_t version_number = {};
};
Status Read(std::string_view bytes, CompactLayoutProto* message);
std::string Write(const CompactLayoutProto& message);

// Bytes to step in each dimension.
struct ByteStrides {
  std::vector<int64_t> strides;
};
Status Read(std::string_view bytes, ByteStrides* message);
std::string Write(const ByteStrides& message);

// xla::ifrt::XlaCompileOptions; compile_options is a CompileOptionsProto.
struct XlaCompileOptionsProto {
  std::string compile_options;
};
Status Read(std::string_view bytes, XlaCompileOptionsProto* message);
std::string Write(const XlaCompileOptionsProto& message);

// How to execute.
struct ExecuteOptionsProto {
  int32_t launch_id = {};
  std::vector<int32_t> non_donatable_input_indices;
  bool fill_status = {};
  AttributeMapProto custom_options;
  int64_t execution_stream_id = {};
};
Status Read(std::string_view bytes, ExecuteOptionsProto* message);
std::string Write(const ExecuteOptionsProto& message);

// Shards of an input that become shards of an output.
struct RemapMapping {
  int32_t in_array = {};
  int32_t out_array = {};
  std::vector<int64_t> from_start;
  std::vector<int64_t> from_end;
  std::vector<int64_t> from_step;
  std::vector<int64_t> to_start;
  std::vector<int64_t> to_end;
  std::vector<int64_t> to_step;
};
Status Read(std::string_view bytes, RemapMapping* message);
std::string Write(const RemapMapping& message);

// Arrays made of the shards of others.
struct RemapPlanProto {
  std::vector<ArraySpecProto> input_specs;
  std::vector<ArraySpecProto> output_specs;
  std::vector<RemapMapping> mappings;
};
Status Read(std::string_view bytes, RemapPlanProto* message);
std::string Write(const RemapPlanProto& message);

// Bytes that one execution needs on a device.
struct CompiledMemoryStatsProto {
  int64_t generated_code_size_in_bytes = {};
  int64_t argument_size_in_bytes = {};
  int64_t output_size_in_bytes = {};
  int64_t alias_size_in_bytes = {};
  int64_t temp_size_in_bytes = {};
  int64_t peak_memory_in_bytes = {};
};
Status Read(std::string_view bytes, CompiledMemoryStatsProto* message);
std::string Write(const CompiledMemoryStatsProto& message);

// A version of the protocol and one of how values are serialized.
struct IfrtProxyVersion {
  int32_t protocol_version = {};
  int32_t ifrt_serdes_version_number = {};
};
Status Read(std::string_view bytes, IfrtProxyVersion* message);
std::string Write(const IfrtProxyVersion& message);

// What the client speaks.
struct GrpcGetVersionRequest {
  IfrtProxyVersion min_version;
  IfrtProxyVersion max_version;
};
Status Read(std::string_view bytes, GrpcGetVersionRequest* message);
std::string Write(const GrpcGetVersionRequest& message);

// What is spoken from now on.
struct GrpcGetVersionResponse {
  IfrtProxyVersion version;
};
Status Read(std::string_view bytes, GrpcGetVersionResponse* message);
std::string Write(const GrpcGetVersionResponse& message);

// A header of IfrtSession.
struct GrpcIfrtSessionMetadata {
  IfrtProxyVersion version;
  AttributeMapProto initialization_data;
};
Status Read(std::string_view bytes, GrpcIfrtSessionMetadata* message);
std::string Write(const GrpcIfrtSessionMetadata& message);

// A header of HostBufferStore.
struct GrpcHostBufferStoreMetadata {
  uint64_t session_id = {};
  uint64_t handle = {};
  int64_t buffer_size = {};
};
Status Read(std::string_view bytes, GrpcHostBufferStoreMetadata* message);
std::string Write(const GrpcHostBufferStoreMetadata& message);

// A piece of a host buffer.
struct GrpcHostBufferStoreRequest {
  std::string data;
};
Status Read(std::string_view bytes, GrpcHostBufferStoreRequest* message);
std::string Write(const GrpcHostBufferStoreRequest& message);

// A host buffer in a file that both sides see.
struct GrpcHostBufferReadFromDiskRequest {
  GrpcHostBufferStoreMetadata metadata;
};
Status Read(std::string_view bytes, GrpcHostBufferReadFromDiskRequest* message);
std::string Write(const GrpcHostBufferReadFromDiskRequest& message);

// Which host buffer to send.
struct GrpcHostBufferLookupRequest {
  uint64_t session_id = {};
  uint64_t handle = {};
};
Status Read(std::string_view bytes, GrpcHostBufferLookupRequest* message);
std::string Write(const GrpcHostBufferLookupRequest& message);

// A piece of a host buffer.
struct GrpcHostBufferLookupResponse {
  std::string data;
};
Status Read(std::string_view bytes, GrpcHostBufferLookupResponse* message);
std::string Write(const GrpcHostBufferLookupResponse& message);

// Which host buffer to forget.
struct GrpcHostBufferDeleteRequest {
  uint64_t session_id = {};
  uint64_t handle = {};
};
Status Read(std::string_view bytes, GrpcHostBufferDeleteRequest* message);
std::string Write(const GrpcHostBufferDeleteRequest& message);

// Of every request.
struct RequestMetadata {
  uint64_t op_id = {};
  uint64_t user_context_id = {};
};
Status Read(std::string_view bytes, RequestMetadata* message);
std::string Write(const RequestMetadata& message);

// Of every answer; status is absent for success.
struct ResponseMetadata {
  uint64_t op_id = {};
  std::optional<StatusProto> status;
  int64_t seq_num = {};
  std::vector<uint64_t> destroyed_user_context_ids;
};
Status Read(std::string_view bytes, ResponseMetadata* message);
std::string Write(const ResponseMetadata& message);

// The first request of a session.
struct InitRequest {
};
Status Read(std::string_view bytes, InitRequest* message);
std::string Write(const InitRequest& message);

// A device.
struct InitDevice {
  int32_t id = {};
  int32_t local_hardware_id = {};
  std::string device_kind;
  std::string debug_string;
  std::string to_string;
  std::optional<int32_t> default_memory_id;
  std::vector<int32_t> memory_ids;
  int32_t local_device_id = {};
  AttributeMapProto attributes;
  std::string platform_name;
};
Status Read(std::string_view bytes, InitDevice* message);
std::string Write(const InitDevice& message);

// A memory.
struct InitMemory {
  int32_t id = {};
  std::string memory_space_kind;
  std::vector<int32_t> device_ids;
  std::string debug_string;
  std::string to_string;
  int32_t kind_id = {};
};
Status Read(std::string_view bytes, InitMemory* message);
std::string Write(const InitMemory& message);

// What the client is told about the devices.
struct InitResponse {
  std::string platform_name;
  std::string platform_version;
  uint64_t platform_id = {};
  uint64_t process_index = {};
  std::string runtime_type;
  std::vector<InitDevice> all_devices;
  std::vector<int32_t> addressable_device_ids;
  uint64_t session_id = {};
  std::vector<InitMemory> memories;
  std::vector<int32_t> primary_device_ids;
  AttributeMapProto client_attributes;
};
Status Read(std::string_view bytes, InitResponse* message);
std::string Write(const InitResponse& message);

// Waits for a future, which is gone then.
struct CheckFutureRequest {
  uint64_t future_handle = {};
};
Status Read(std::string_view bytes, CheckFutureRequest* message);
std::string Write(const CheckFutureRequest& message);

// It is complete.
struct CheckFutureResponse {
};
Status Read(std::string_view bytes, CheckFutureResponse* message);
std::string Write(const CheckFutureResponse& message);

// Waits for arrays.
struct CheckValueReadyRequest {
  std::vector<uint64_t> value_handles;
};
Status Read(std::string_view bytes, CheckValueReadyRequest* message);
std::string Write(const CheckValueReadyRequest& message);

// They are there.
struct CheckValueReadyResponse {
};
Status Read(std::string_view bytes, CheckValueReadyResponse* message);
std::string Write(const CheckValueReadyResponse& message);

// An array with what a host buffer has.
struct MakeArrayFromHostBufferRequest {
  DTypeProto dtype;
  ShapeProto shape;
  ShardingProto sharding;
  uint64_t host_buffer_handle = {};
  std::optional<ByteStrides> byte_strides;
  uint64_t array_handle = {};
  std::optional<LayoutProto> layout;
};
Status Read(std::string_view bytes, MakeArrayFromHostBufferRequest* message);
std::string Write(const MakeArrayFromHostBufferRequest& message);

// Its handle.
struct MakeArrayFromHostBufferResponse {
  uint64_t array_handle = {};
};
Status Read(std::string_view bytes, MakeArrayFromHostBufferResponse* message);
std::string Write(const MakeArrayFromHostBufferResponse& message);

// A host buffer for some shards.
struct ShardsHostBuffer {
  DTypeProto dtype;
  ShapeProto shape;
  uint64_t host_buffer_handle = {};
  std::optional<ByteStrides> byte_strides;
};
Status Read(std::string_view bytes, ShardsHostBuffer* message);
std::string Write(const ShardsHostBuffer& message);

// Which shards.
struct ShardIndices {
  std::vector<int64_t> indices;
};
Status Read(std::string_view bytes, ShardIndices* message);
std::string Write(const ShardIndices& message);

// An array, and a host buffer for each group of its shards.
struct ShardsSpec {
  std::vector<ShardIndices> addressable_shard_indices;
  std::vector<ShardsHostBuffer> host_buffers;
  ArraySpecProto array_spec;
};
Status Read(std::string_view bytes, ShardsSpec* message);
std::string Write(const ShardsSpec& message);

// Arrays with what host buffers have, shard by shard.
struct MakeArraysFromHostBufferShardsRequest {
  std::vector<ShardsSpec> specs;
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, MakeArraysFromHostBufferShardsRequest* message);
std::string Write(const MakeArraysFromHostBufferShardsRequest& message);

// Their handles.
struct MakeArraysFromHostBufferShardsResponse {
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, MakeArraysFromHostBufferShardsResponse* message);
std::string Write(const MakeArraysFromHostBufferShardsResponse& message);

// Arrays that have an error in place of contents.
struct MakeErrorArraysRequest {
  StatusProto error;
  std::vector<ArraySpecProto> array_specs;
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, MakeErrorArraysRequest* message);
std::string Write(const MakeErrorArraysRequest& message);

// Their handles.
struct MakeErrorArraysResponse {
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, MakeErrorArraysResponse* message);
std::string Write(const MakeErrorArraysResponse& message);

// One array out of shards.
struct AssembleArrayFromSingleDeviceArraysRequest {
  ShapeProto shape;
  ShardingProto sharding;
  std::vector<uint64_t> single_device_array_handles;
  int32_t copy_semantics = {};
  int32_t single_device_shard_semantics = {};
  uint64_t result_handle = {};
  DTypeProto dtype;
};
Status Read(std::string_view bytes, AssembleArrayFromSingleDeviceArraysRequest* message);
std::string Write(const AssembleArrayFromSingleDeviceArraysRequest& message);

// Its handle.
struct AssembleArrayFromSingleDeviceArraysResponse {
  uint64_t array_handle = {};
};
Status Read(std::string_view bytes, AssembleArrayFromSingleDeviceArraysResponse* message);
std::string Write(const AssembleArrayFromSingleDeviceArraysResponse& message);

// Follows a plan.
struct RemapArraysRequest {
  RemapPlanProto plan;
  std::vector<uint64_t> array_handles;
  int32_t copy_semantics = {};
  std::vector<uint64_t> result_handles;
};
Status Read(std::string_view bytes, RemapArraysRequest* message);
std::string Write(const RemapArraysRequest& message);

// Handles of the outputs.
struct RemapArraysResponse {
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, RemapArraysResponse* message);
std::string Write(const RemapArraysResponse& message);

// The same bytes as other types and shapes.
struct BitcastArraysRequest {
  std::vector<uint64_t> array_handles;
  std::vector<ArraySpecProto> array_specs;
  int32_t copy_semantics = {};
  std::vector<uint64_t> result_handles;
};
Status Read(std::string_view bytes, BitcastArraysRequest* message);
std::string Write(const BitcastArraysRequest& message);

// Handles of the outputs.
struct BitcastArraysResponse {
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, BitcastArraysResponse* message);
std::string Write(const BitcastArraysResponse& message);

// The same arrays with other shardings.
struct ReshardArraysRequest {
  std::vector<uint64_t> array_handles;
  std::vector<ArraySpecProto> array_specs;
  int32_t copy_semantics = {};
  std::vector<uint64_t> result_handles;
};
Status Read(std::string_view bytes, ReshardArraysRequest* message);
std::string Write(const ReshardArraysRequest& message);

// Handles of the outputs.
struct ReshardArraysResponse {
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, ReshardArraysResponse* message);
std::string Write(const ReshardArraysResponse& message);

// Makes a host buffer of an array.
struct CopyToHostBufferRequest {
  uint64_t host_buffer_handle = {};
  uint64_t array_handle = {};
  std::optional<ByteStrides> byte_strides;
};
Status Read(std::string_view bytes, CopyToHostBufferRequest* message);
std::string Write(const CopyToHostBufferRequest& message);

// It is there.
struct CopyToHostBufferResponse {
};
Status Read(std::string_view bytes, CopyToHostBufferResponse* message);
std::string Write(const CopyToHostBufferResponse& message);

// The shards as arrays of their own.
struct DisassembleIntoSingleDeviceArraysRequest {
  uint64_t array_handle = {};
  int32_t copy_semantics = {};
  int32_t single_device_shard_semantics = {};
  std::vector<uint64_t> result_handles;
};
Status Read(std::string_view bytes, DisassembleIntoSingleDeviceArraysRequest* message);
std::string Write(const DisassembleIntoSingleDeviceArraysRequest& message);

// Their handles.
struct DisassembleIntoSingleDeviceArraysResponse {
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, DisassembleIntoSingleDeviceArraysResponse* message);
std::string Write(const DisassembleIntoSingleDeviceArraysResponse& message);

// To other devices or another memory.
struct CopyArraysRequest {
  std::vector<uint64_t> array_handles;
  std::vector<int32_t> device_ids;
  std::optional<std::string> memory_kind;
  int32_t copy_semantics = {};
  std::vector<uint64_t> result_handles;
};
Status Read(std::string_view bytes, CopyArraysRequest* message);
std::string Write(const CopyArraysRequest& message);

// Handles of the copies.
struct CopyArraysResponse {
  std::vector<uint64_t> array_handles;
};
Status Read(std::string_view bytes, CopyArraysResponse* message);
std::string Write(const CopyArraysResponse& message);

// One shard of an array that every device has whole.
struct FullyReplicatedShardRequest {
  uint64_t array_handle = {};
  int32_t copy_semantics = {};
  uint64_t result_handle = {};
};
Status Read(std::string_view bytes, FullyReplicatedShardRequest* message);
std::string Write(const FullyReplicatedShardRequest& message);

// Its handle.
struct FullyReplicatedShardResponse {
  uint64_t array_handle = {};
};
Status Read(std::string_view bytes, FullyReplicatedShardResponse* message);
std::string Write(const FullyReplicatedShardResponse& message);

// Drops the contents.
struct DeleteArrayRequest {
  std::vector<uint64_t> array_handle;
};
Status Read(std::string_view bytes, DeleteArrayRequest* message);
std::string Write(const DeleteArrayRequest& message);

// A future that completes when they are gone.
struct DeleteArrayResponse {
  uint64_t deletion_future_handle = {};
};
Status Read(std::string_view bytes, DeleteArrayResponse* message);
std::string Write(const DeleteArrayResponse& message);

// Asks whether the contents are gone.
struct IsArrayDeletedRequest {
  uint64_t array_handle = {};
};
Status Read(std::string_view bytes, IsArrayDeletedRequest* message);
std::string Write(const IsArrayDeletedRequest& message);

// Whether they are.
struct IsArrayDeletedResponse {
  bool deleted = {};
};
Status Read(std::string_view bytes, IsArrayDeletedResponse* message);
std::string Write(const IsArrayDeletedResponse& message);

// Forgets handles.
struct DestructArrayRequest {
  std::vector<uint64_t> array_handle;
};
Status Read(std::string_view bytes, DestructArrayRequest* message);
std::string Write(const DestructArrayRequest& message);

// They are forgotten.
struct DestructArrayResponse {
};
Status Read(std::string_view bytes, DestructArrayResponse* message);
std::string Write(const DestructArrayResponse& message);

// Compiles a program.
struct CompileRequest {
  Serialized program;
  Serialized compile_options;
  std::vector<std::string> host_callbacks;
};
Status Read(std::string_view bytes, CompileRequest* message);
std::string Write(const CompileRequest& message);

// The executable.
struct CompileResponse {
  uint64_t loaded_executable_handle = {};
  std::string name;
  int32_t num_devices = {};
  std::vector<int32_t> addressable_device_ids;
  std::variant<std::monostate, std::string, StatusProto> fingerprint;
  std::vector<uint64_t> loaded_host_callback_handles;
  std::optional<uint64_t> ready_future_handle;
  std::vector<int32_t> device_ids;
  // Names of the alternatives of `fingerprint`, by index.
  static constexpr std::string_view kFingerprintNames[] = {"", "fingerprint_value", "fingerprint_error"};
};
Status Read(std::string_view bytes, CompileResponse* message);
std::string Write(const CompileResponse& message);

// Asks how an executable cuts and places arrays.
struct LoadedExecutableMetadataRequest {
  uint64_t loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableMetadataRequest* message);
std::string Write(const LoadedExecutableMetadataRequest& message);

// Each an OpShardingProto.
struct ShardingList {
  std::vector<std::string> shardings;
};
Status Read(std::string_view bytes, ShardingList* message);
std::string Write(const ShardingList& message);

// xla.LayoutProto; tiles are Tile messages.
struct XlaLayoutProto {
  std::vector<int64_t> minor_to_major;
  std::vector<std::string> tiles;
};
Status Read(std::string_view bytes, XlaLayoutProto* message);
std::string Write(const XlaLayoutProto& message);

// xla::ifrt::PjRtLayout.
struct PjRtLayoutProto {
  XlaLayoutProto xla_layout;
  int32_t version_number = {};
};
Status Read(std::string_view bytes, PjRtLayoutProto* message);
std::string Write(const PjRtLayoutProto& message);

// Each an xla.LayoutProto.
struct LayoutList {
  std::vector<XlaLayoutProto> layouts;
};
Status Read(std::string_view bytes, LayoutList* message);
std::string Write(const LayoutList& message);

// Memory kinds.
struct MemoryKindList {
  std::vector<std::string> memory_kinds;
};
Status Read(std::string_view bytes, MemoryKindList* message);
std::string Write(const MemoryKindList& message);

// Memory kinds of the outputs, for each module.
struct OutputMemoryKind {
  std::optional<StatusProto> status;
  std::vector<MemoryKindList> memory_kind_lists;
};
Status Read(std::string_view bytes, OutputMemoryKind* message);
std::string Write(const OutputMemoryKind& message);

// Parameters that an execution may take.
struct DonatedInputIndices {
  std::vector<uint32_t> donated_input_indices;
};
Status Read(std::string_view bytes, DonatedInputIndices* message);
std::string Write(const DonatedInputIndices& message);

// How an executable cuts and places arrays.
struct LoadedExecutableMetadataResponse {
  std::optional<ShardingList> parameter_shardings;
  std::optional<ShardingList> output_shardings;
  OutputMemoryKind output_memory_kinds;
  std::variant<std::monostate, LayoutList, StatusProto> parameter_layouts;
  std::variant<std::monostate, LayoutList, StatusProto> output_layouts;
  std::variant<std::monostate, DonatedInputIndices, StatusProto> donated;
  std::variant<std::monostate, CompiledMemoryStatsProto, StatusProto> memory_stats;
  int64_t size_of_generated_code_in_bytes = {};
  // Names of the alternatives of `parameter_layouts`, by index.
  static constexpr std::string_view kParameter_layoutsNames[] = {"", "parameter_layouts_list", "parameter_layouts_error"};
  // Names of the alternatives of `output_layouts`, by index.
  static constexpr std::string_view kOutput_layoutsNames[] = {"", "output_layouts_list", "output_layouts_error"};
  // Names of the alternatives of `donated`, by index.
  static constexpr std::string_view kDonatedNames[] = {"", "donated_input_indices", "donated_input_indices_error"};
  // Names of the alternatives of `memory_stats`, by index.
  static constexpr std::string_view kMemory_statsNames[] = {"", "compiled_memory_stats", "compiled_memory_stats_error"};
};
Status Read(std::string_view bytes, LoadedExecutableMetadataResponse* message);
std::string Write(const LoadedExecutableMetadataResponse& message);

// Asks for estimates.
struct LoadedExecutableCostAnalysisRequest {
  uint64_t loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableCostAnalysisRequest* message);
std::string Write(const LoadedExecutableCostAnalysisRequest& message);

// Estimates.
struct LoadedExecutableCostAnalysisResponse {
  std::variant<std::monostate, StatusProto, AttributeMapProto> result;
  // Names of the alternatives of `result`, by index.
  static constexpr std::string_view kResultNames[] = {"", "status", "attributes"};
};
Status Read(std::string_view bytes, LoadedExecutableCostAnalysisResponse* message);
std::string Write(const LoadedExecutableCostAnalysisResponse& message);

// Asks for the program after optimization.
struct LoadedExecutableHumanReadableProgramTextRequest {
  uint64_t loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableHumanReadableProgramTextRequest* message);
std::string Write(const LoadedExecutableHumanReadableProgramTextRequest& message);

// Its text.
struct LoadedExecutableHumanReadableProgramTextResponse {
  std::variant<std::monostate, StatusProto, std::string> result;
  // Names of the alternatives of `result`, by index.
  static constexpr std::string_view kResultNames[] = {"", "status", "human_readable_program_text"};
};
Status Read(std::string_view bytes, LoadedExecutableHumanReadableProgramTextResponse* message);
std::string Write(const LoadedExecutableHumanReadableProgramTextResponse& message);

// Executes.
struct LoadedExecutableExecuteRequest {
  uint64_t loaded_executable_handle = {};
  std::vector<uint64_t> args_handles;
  ExecuteOptionsProto execute_options;
  std::vector<int32_t> device_ids;
  std::vector<uint64_t> result_array_handle;
  uint64_t result_status_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableExecuteRequest* message);
std::string Write(const LoadedExecutableExecuteRequest& message);

// What an output is.
struct ExecuteOutput {
  DTypeProto dtype;
  ShapeProto shape;
  ShardingProto sharding;
  uint64_t array_handle = {};
};
Status Read(std::string_view bytes, ExecuteOutput* message);
std::string Write(const ExecuteOutput& message);

// Handles of the outputs, if the client brought none.
struct LoadedExecutableExecuteResponse {
  uint64_t status_handle = {};
  std::vector<ExecuteOutput> outputs;
};
Status Read(std::string_view bytes, LoadedExecutableExecuteResponse* message);
std::string Write(const LoadedExecutableExecuteResponse& message);

// Waits for an execution.
struct LoadedExecutableFetchExecuteResultRequest {
  uint64_t result_status_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableFetchExecuteResultRequest* message);
std::string Write(const LoadedExecutableFetchExecuteResultRequest& message);

// It is done.
struct LoadedExecutableFetchExecuteResultResponse {
};
Status Read(std::string_view bytes, LoadedExecutableFetchExecuteResultResponse* message);
std::string Write(const LoadedExecutableFetchExecuteResultResponse& message);

// Of old clients.
struct LoadedExecutableDeleteRequest {
  uint64_t loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableDeleteRequest* message);
std::string Write(const LoadedExecutableDeleteRequest& message);

// Of old clients.
struct LoadedExecutableIsDeletedRequest {
  uint64_t loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableIsDeletedRequest* message);
std::string Write(const LoadedExecutableIsDeletedRequest& message);

// Whether it is.
struct LoadedExecutableIsDeletedResponse {
  bool is_deleted = {};
};
Status Read(std::string_view bytes, LoadedExecutableIsDeletedResponse* message);
std::string Write(const LoadedExecutableIsDeletedResponse& message);

// Forgets an executable.
struct LoadedExecutableDestructRequest {
  uint64_t loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableDestructRequest* message);
std::string Write(const LoadedExecutableDestructRequest& message);

// It is forgotten.
struct LoadedExecutableDestructResponse {
};
Status Read(std::string_view bytes, LoadedExecutableDestructResponse* message);
std::string Write(const LoadedExecutableDestructResponse& message);

// Of programs in several parts.
struct LoadedExecutableMpmdMetadataRequest {
  uint64_t mpmd_loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableMpmdMetadataRequest* message);
std::string Write(const LoadedExecutableMpmdMetadataRequest& message);

// Of programs in several parts.
struct LoadedExecutableMpmdCostAnalysisRequest {
  uint64_t loaded_executable_handle = {};
};
Status Read(std::string_view bytes, LoadedExecutableMpmdCostAnalysisRequest* message);
std::string Write(const LoadedExecutableMpmdCostAnalysisRequest& message);

// Waits for a call of a host callback.
struct LoadedHostCallbackPollRequest {
  uint64_t loaded_host_callback_handle = {};
  uint64_t operand_host_buffer_handle = {};
};
Status Read(std::string_view bytes, LoadedHostCallbackPollRequest* message);
std::string Write(const LoadedHostCallbackPollRequest& message);

// The results of a host callback.
struct LoadedHostCallbackReturnRequest {
  uint64_t host_callback_execution_handle = {};
};
Status Read(std::string_view bytes, LoadedHostCallbackReturnRequest* message);
std::string Write(const LoadedHostCallbackReturnRequest& message);

// Asks where programs run.
struct GetDefaultDeviceAssignmentRequest {
  uint64_t num_replicas = {};
  uint64_t num_partitions = {};
};
Status Read(std::string_view bytes, GetDefaultDeviceAssignmentRequest* message);
std::string Write(const GetDefaultDeviceAssignmentRequest& message);

// A DeviceAssignmentProto.
struct GetDefaultDeviceAssignmentResponse {
  std::string device_assignment;
};
Status Read(std::string_view bytes, GetDefaultDeviceAssignmentResponse* message);
std::string Write(const GetDefaultDeviceAssignmentResponse& message);

// Asks how an array lies in a memory.
struct GetDefaultLayoutRequest {
  DTypeProto dtype;
  std::vector<int64_t> dims;
  int32_t device_id = {};
  std::string memory_kind;
};
Status Read(std::string_view bytes, GetDefaultLayoutRequest* message);
std::string Write(const GetDefaultLayoutRequest& message);

// The layout as XLA writes it.
struct GetDefaultLayoutResponse {
  std::string serialized_pjrt_layout;
};
Status Read(std::string_view bytes, GetDefaultLayoutResponse* message);
std::string Write(const GetDefaultLayoutResponse& message);

// A request of a session.
struct IfrtRequest {
  RequestMetadata request_metadata;
  struct Request : std::variant<std::monostate, InitRequest, CheckFutureRequest, MakeArrayFromHostBufferRequest, AssembleArrayFromSingleDeviceArraysRequest, CopyToHostBufferRequest, DisassembleIntoSingleDeviceArraysRequest, CheckValueReadyRequest, DeleteArrayRequest, IsArrayDeletedRequest, DestructArrayRequest, CompileRequest, LoadedExecutableMetadataRequest, LoadedExecutableExecuteRequest, LoadedExecutableDeleteRequest, LoadedExecutableIsDeletedRequest, LoadedExecutableDestructRequest, GetDefaultDeviceAssignmentRequest, FullyReplicatedShardRequest, LoadedHostCallbackPollRequest, LoadedHostCallbackReturnRequest, RemapArraysRequest, CopyArraysRequest, MakeArraysFromHostBufferShardsRequest, MakeErrorArraysRequest, GetDefaultLayoutRequest, LoadedExecutableCostAnalysisRequest, LoadedExecutableHumanReadableProgramTextRequest, LoadedExecutableMpmdMetadataRequest, LoadedExecutableMpmdCostAnalysisRequest, LoadedExecutableFetchExecuteResultRequest, ReshardArraysRequest, BitcastArraysRequest> {
    using variant::variant;
    Request();
    Request(const Request&);
    Request(Request&&) noexcept;
    Request& operator=(const Request&);
    Request& operator=(Request&&) noexcept;
    ~Request();
  } request;
  // Names of the alternatives of `request`, by index.
  static constexpr std::string_view kRequestNames[] = {"", "init_request", "check_future_request", "make_array_from_host_buffer_request", "assemble_array_from_single_device_arrays_request", "copy_to_host_buffer_request", "disassemble_into_single_device_arrays_request", "check_value_ready_request", "delete_array_request", "is_array_deleted_request", "destruct_array_request", "compile_request", "loaded_executable_metadata_request", "loaded_executable_execute_request", "loaded_executable_delete_request", "loaded_executable_is_deleted_request", "loaded_executable_destruct_request", "get_default_device_assignment_request", "fully_replicated_shard_request", "loaded_host_callback_poll_request", "loaded_host_callback_return_request", "remap_arrays_request", "copy_arrays_request", "make_arrays_from_host_buffer_shards_request", "make_error_arrays_request", "get_default_layout_request", "loaded_executable_cost_analysis_request", "loaded_executable_human_readable_program_text_request", "loaded_executable_mpmd_metadata_request", "loaded_executable_mpmd_cost_analysis_request", "loaded_executable_fetch_execute_result_request", "reshard_arrays_request", "bitcast_arrays_request"};
};
Status Read(std::string_view bytes, IfrtRequest* message);
std::string Write(const IfrtRequest& message);

// An answer of a session.
struct IfrtResponse {
  ResponseMetadata response_metadata;
  struct Response : std::variant<std::monostate, InitResponse, CheckFutureResponse, MakeArrayFromHostBufferResponse, AssembleArrayFromSingleDeviceArraysResponse, CopyToHostBufferResponse, DisassembleIntoSingleDeviceArraysResponse, CheckValueReadyResponse, DeleteArrayResponse, IsArrayDeletedResponse, DestructArrayResponse, CompileResponse, LoadedExecutableMetadataResponse, LoadedExecutableExecuteResponse, LoadedExecutableIsDeletedResponse, LoadedExecutableDestructResponse, GetDefaultDeviceAssignmentResponse, FullyReplicatedShardResponse, RemapArraysResponse, CopyArraysResponse, MakeArraysFromHostBufferShardsResponse, MakeErrorArraysResponse, GetDefaultLayoutResponse, LoadedExecutableCostAnalysisResponse, LoadedExecutableHumanReadableProgramTextResponse, LoadedExecutableFetchExecuteResultResponse, ReshardArraysResponse, BitcastArraysResponse> {
    using variant::variant;
    Response();
    Response(const Response&);
    Response(Response&&) noexcept;
    Response& operator=(const Response&);
    Response& operator=(Response&&) noexcept;
    ~Response();
  } response;
  // Names of the alternatives of `response`, by index.
  static constexpr std::string_view kResponseNames[] = {"", "init_response", "check_future_response", "make_array_from_host_buffer_response", "assemble_array_from_single_device_arrays_response", "copy_to_host_buffer_response", "disassemble_into_single_device_arrays_response", "check_value_ready_response", "delete_array_response", "is_array_deleted_response", "destruct_array_response", "compile_response", "loaded_executable_metadata_response", "loaded_executable_execute_response", "loaded_executable_is_deleted_response", "loaded_executable_destruct_response", "get_default_device_assignment_response", "fully_replicated_shard_response", "remap_arrays_response", "copy_arrays_response", "make_arrays_from_host_buffer_shards_response", "make_error_arrays_response", "get_default_layout_response", "loaded_executable_cost_analysis_response", "loaded_executable_human_readable_program_text_response", "loaded_executable_fetch_execute_result_response", "reshard_arrays_response", "bitcast_arrays_response"};
};
Status Read(std::string_view bytes, IfrtResponse* message);
std::string Write(const IfrtResponse& message);
}  // namespace plinth::serve::proxy

#endif  // PLINTH_IMPL_SERVE_PROXY_MESSAGES_H_

// SPDX-License-Identifier: Apache-2.0
// Generated from api/messages by `python3 api/generate --write`. Do not edit.
// clang-format off
#include "impl/serve/proxy_messages.h"

#include "impl/serve/wire.h"

namespace plinth::serve::proxy {

using protozero::pbf_writer;

// Also an empty one, which a nested writer would leave out.
template <typename Message>
static void PutMessage(pbf_writer& out, uint32_t number, const Message& message) {
  out.add_message(number, Write(message));
}

static void ReadFields(wire::Reader in, Serialized& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetString(in, out.type_name); break;
      case 2: wire::GetBytes(in, out.data); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const Serialized& in) {
  wire::PutString(out, 1, in.type_name);
  wire::PutBytes(out, 2, in.data);
}
Status Read(std::string_view bytes, Serialized* message) {
  return wire::Guard("Serialized", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const Serialized& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DTypeProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt32(in, out.kind); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DTypeProto& in) {
  wire::PutInt32(out, 1, in.kind);
}
Status Read(std::string_view bytes, DTypeProto* message) {
  return wire::Guard("DTypeProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DTypeProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ShapeProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddInt64(in, out.dims); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ShapeProto& in) {
  wire::PutAllInt64(out, 1, in.dims);
}
Status Read(std::string_view bytes, ShapeProto* message) {
  return wire::Guard("ShapeProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ShapeProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DeviceListProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddInt32(in, out.device_ids); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DeviceListProto& in) {
  wire::PutAllInt32(out, 1, in.device_ids);
}
Status Read(std::string_view bytes, DeviceListProto* message) {
  return wire::Guard("DeviceListProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DeviceListProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ShardingProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.serialized_sharding); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ShardingProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.serialized_sharding); }
}
Status Read(std::string_view bytes, ShardingProto* message) {
  return wire::Guard("ShardingProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ShardingProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, SingleDeviceShardingProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt32(in, out.device_id); break;
      case 2: wire::GetString(in, out.memory_kind.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const SingleDeviceShardingProto& in) {
  wire::PutInt32(out, 1, in.device_id);
  if (in.memory_kind.has_value()) wire::PutString(out, 2, *in.memory_kind, true);
}
Status Read(std::string_view bytes, SingleDeviceShardingProto* message) {
  return wire::Guard("SingleDeviceShardingProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const SingleDeviceShardingProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, OpaqueShardingProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.devices); break;
      case 2: wire::GetString(in, out.memory_kind.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const OpaqueShardingProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.devices); }
  if (in.memory_kind.has_value()) wire::PutString(out, 2, *in.memory_kind, true);
}
Status Read(std::string_view bytes, OpaqueShardingProto* message) {
  return wire::Guard("OpaqueShardingProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const OpaqueShardingProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ConcreteShardingProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.devices); break;
      case 2: ReadFields(wire::Enter(in), out.shape); break;
      case 3: ReadFields(wire::Enter(in), wire::Append(in, out.shard_shapes)); break;
      case 4: wire::GetString(in, out.memory_kind.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ConcreteShardingProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.devices); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.shape); }
  for (const auto& one : in.shard_shapes) PutMessage(out, 3, one);
  if (in.memory_kind.has_value()) wire::PutString(out, 4, *in.memory_kind, true);
}
Status Read(std::string_view bytes, ConcreteShardingProto* message) {
  return wire::Guard("ConcreteShardingProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ConcreteShardingProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ConcreteEvenShardingProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.devices); break;
      case 2: ReadFields(wire::Enter(in), out.shape); break;
      case 3: ReadFields(wire::Enter(in), out.shard_shape); break;
      case 4: wire::GetString(in, out.memory_kind.emplace()); break;
      case 5: wire::GetBool(in, out.is_fully_replicated); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ConcreteEvenShardingProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.devices); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.shape); }
  { pbf_writer inner(out, 3); WriteFields(inner, in.shard_shape); }
  if (in.memory_kind.has_value()) wire::PutString(out, 4, *in.memory_kind, true);
  wire::PutBool(out, 5, in.is_fully_replicated);
}
Status Read(std::string_view bytes, ConcreteEvenShardingProto* message) {
  return wire::Guard("ConcreteEvenShardingProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ConcreteEvenShardingProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, HloShardingProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.devices); break;
      case 2: wire::GetBytes(in, out.xla_op_sharding); break;
      case 3: wire::GetString(in, out.memory_kind.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const HloShardingProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.devices); }
  wire::PutBytes(out, 2, in.xla_op_sharding);
  if (in.memory_kind.has_value()) wire::PutString(out, 3, *in.memory_kind, true);
}
Status Read(std::string_view bytes, HloShardingProto* message) {
  return wire::Guard("HloShardingProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const HloShardingProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ArraySpecProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.dtype); break;
      case 2: ReadFields(wire::Enter(in), out.shape); break;
      case 3: ReadFields(wire::Enter(in), out.sharding); break;
      case 4: wire::GetBytes(in, out.layout.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ArraySpecProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.dtype); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.shape); }
  { pbf_writer inner(out, 3); WriteFields(inner, in.sharding); }
  if (in.layout.has_value()) wire::PutBytes(out, 4, *in.layout, true);
}
Status Read(std::string_view bytes, ArraySpecProto* message) {
  return wire::Guard("ArraySpecProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ArraySpecProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, AttributeInts& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddSfixed64(in, out.elements); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const AttributeInts& in) {
  wire::PutAllSfixed64(out, 1, in.elements);
}
Status Read(std::string_view bytes, AttributeInts* message) {
  return wire::Guard("AttributeInts", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const AttributeInts& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, AttributeValue& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBytes(in, out.value.emplace<std::string>()); break;
      case 2: wire::GetBool(in, out.value.emplace<bool>()); break;
      case 3: wire::GetSfixed64(in, out.value.emplace<int64_t>()); break;
      case 4: ReadFields(wire::Enter(in), out.value.emplace<AttributeInts>()); break;
      case 5: wire::GetFloat(in, out.value.emplace<float>()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const AttributeValue& in) {
  if (const auto* one = std::get_if<std::string>(&in.value)) wire::PutBytes(out, 1, *one, true);
  if (const auto* one = std::get_if<bool>(&in.value)) wire::PutBool(out, 2, *one, true);
  if (const auto* one = std::get_if<int64_t>(&in.value)) wire::PutSfixed64(out, 3, *one, true);
  if (const auto* one = std::get_if<AttributeInts>(&in.value)) PutMessage(out, 4, *one);
  if (const auto* one = std::get_if<float>(&in.value)) wire::PutFloat(out, 5, *one, true);
}
Status Read(std::string_view bytes, AttributeValue* message) {
  return wire::Guard("AttributeValue", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const AttributeValue& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, AttributeEntry& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetString(in, out.key); break;
      case 2: ReadFields(wire::Enter(in), out.value); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const AttributeEntry& in) {
  wire::PutString(out, 1, in.key);
  { pbf_writer inner(out, 2); WriteFields(inner, in.value); }
}
Status Read(std::string_view bytes, AttributeEntry* message) {
  return wire::Guard("AttributeEntry", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const AttributeEntry& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, AttributeMapProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), wire::Append(in, out.attributes)); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const AttributeMapProto& in) {
  for (const auto& one : in.attributes) PutMessage(out, 1, one);
}
Status Read(std::string_view bytes, AttributeMapProto* message) {
  return wire::Guard("AttributeMapProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const AttributeMapProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, StatusProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt32(in, out.code); break;
      case 2: wire::GetString(in, out.message); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const StatusProto& in) {
  wire::PutInt32(out, 1, in.code);
  wire::PutString(out, 2, in.message);
}
Status Read(std::string_view bytes, StatusProto* message) {
  return wire::Guard("StatusProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const StatusProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LayoutProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.serialized_layout); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LayoutProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.serialized_layout); }
}
Status Read(std::string_view bytes, LayoutProto* message) {
  return wire::Guard("LayoutProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LayoutProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CompactLayoutProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddInt32(in, out.major_to_minor); break;
      case 2: wire::GetInt32(in, out.version_number); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CompactLayoutProto& in) {
  wire::PutAllInt32(out, 1, in.major_to_minor);
  wire::PutInt32(out, 2, in.version_number);
}
Status Read(std::string_view bytes, CompactLayoutProto* message) {
  return wire::Guard("CompactLayoutProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CompactLayoutProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ByteStrides& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddInt64(in, out.strides); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ByteStrides& in) {
  wire::PutAllInt64(out, 1, in.strides);
}
Status Read(std::string_view bytes, ByteStrides* message) {
  return wire::Guard("ByteStrides", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ByteStrides& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, XlaCompileOptionsProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBytes(in, out.compile_options); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const XlaCompileOptionsProto& in) {
  wire::PutBytes(out, 1, in.compile_options);
}
Status Read(std::string_view bytes, XlaCompileOptionsProto* message) {
  return wire::Guard("XlaCompileOptionsProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const XlaCompileOptionsProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ExecuteOptionsProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 3: wire::GetInt32(in, out.launch_id); break;
      case 7: wire::AddInt32(in, out.non_donatable_input_indices); break;
      case 9: wire::GetBool(in, out.fill_status); break;
      case 10: ReadFields(wire::Enter(in), out.custom_options); break;
      case 11: wire::GetInt64(in, out.execution_stream_id); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ExecuteOptionsProto& in) {
  wire::PutInt32(out, 3, in.launch_id);
  wire::PutAllInt32(out, 7, in.non_donatable_input_indices);
  wire::PutBool(out, 9, in.fill_status);
  { pbf_writer inner(out, 10); WriteFields(inner, in.custom_options); }
  wire::PutInt64(out, 11, in.execution_stream_id);
}
Status Read(std::string_view bytes, ExecuteOptionsProto* message) {
  return wire::Guard("ExecuteOptionsProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ExecuteOptionsProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, RemapMapping& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt32(in, out.in_array); break;
      case 2: wire::GetInt32(in, out.out_array); break;
      case 3: wire::AddInt64(in, out.from_start); break;
      case 4: wire::AddInt64(in, out.from_end); break;
      case 5: wire::AddInt64(in, out.from_step); break;
      case 6: wire::AddInt64(in, out.to_start); break;
      case 7: wire::AddInt64(in, out.to_end); break;
      case 8: wire::AddInt64(in, out.to_step); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const RemapMapping& in) {
  wire::PutInt32(out, 1, in.in_array);
  wire::PutInt32(out, 2, in.out_array);
  wire::PutAllInt64(out, 3, in.from_start);
  wire::PutAllInt64(out, 4, in.from_end);
  wire::PutAllInt64(out, 5, in.from_step);
  wire::PutAllInt64(out, 6, in.to_start);
  wire::PutAllInt64(out, 7, in.to_end);
  wire::PutAllInt64(out, 8, in.to_step);
}
Status Read(std::string_view bytes, RemapMapping* message) {
  return wire::Guard("RemapMapping", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const RemapMapping& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, RemapPlanProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), wire::Append(in, out.input_specs)); break;
      case 2: ReadFields(wire::Enter(in), wire::Append(in, out.output_specs)); break;
      case 3: ReadFields(wire::Enter(in), wire::Append(in, out.mappings)); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const RemapPlanProto& in) {
  for (const auto& one : in.input_specs) PutMessage(out, 1, one);
  for (const auto& one : in.output_specs) PutMessage(out, 2, one);
  for (const auto& one : in.mappings) PutMessage(out, 3, one);
}
Status Read(std::string_view bytes, RemapPlanProto* message) {
  return wire::Guard("RemapPlanProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const RemapPlanProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CompiledMemoryStatsProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt64(in, out.generated_code_size_in_bytes); break;
      case 2: wire::GetInt64(in, out.argument_size_in_bytes); break;
      case 3: wire::GetInt64(in, out.output_size_in_bytes); break;
      case 4: wire::GetInt64(in, out.alias_size_in_bytes); break;
      case 5: wire::GetInt64(in, out.temp_size_in_bytes); break;
      case 14: wire::GetInt64(in, out.peak_memory_in_bytes); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CompiledMemoryStatsProto& in) {
  wire::PutInt64(out, 1, in.generated_code_size_in_bytes);
  wire::PutInt64(out, 2, in.argument_size_in_bytes);
  wire::PutInt64(out, 3, in.output_size_in_bytes);
  wire::PutInt64(out, 4, in.alias_size_in_bytes);
  wire::PutInt64(out, 5, in.temp_size_in_bytes);
  wire::PutInt64(out, 14, in.peak_memory_in_bytes);
}
Status Read(std::string_view bytes, CompiledMemoryStatsProto* message) {
  return wire::Guard("CompiledMemoryStatsProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CompiledMemoryStatsProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, IfrtProxyVersion& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt32(in, out.protocol_version); break;
      case 2: wire::GetInt32(in, out.ifrt_serdes_version_number); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const IfrtProxyVersion& in) {
  wire::PutInt32(out, 1, in.protocol_version);
  wire::PutInt32(out, 2, in.ifrt_serdes_version_number);
}
Status Read(std::string_view bytes, IfrtProxyVersion* message) {
  return wire::Guard("IfrtProxyVersion", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const IfrtProxyVersion& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcGetVersionRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.min_version); break;
      case 2: ReadFields(wire::Enter(in), out.max_version); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcGetVersionRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.min_version); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.max_version); }
}
Status Read(std::string_view bytes, GrpcGetVersionRequest* message) {
  return wire::Guard("GrpcGetVersionRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcGetVersionRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcGetVersionResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.version); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcGetVersionResponse& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.version); }
}
Status Read(std::string_view bytes, GrpcGetVersionResponse* message) {
  return wire::Guard("GrpcGetVersionResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcGetVersionResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcIfrtSessionMetadata& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.version); break;
      case 2: ReadFields(wire::Enter(in), out.initialization_data); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcIfrtSessionMetadata& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.version); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.initialization_data); }
}
Status Read(std::string_view bytes, GrpcIfrtSessionMetadata* message) {
  return wire::Guard("GrpcIfrtSessionMetadata", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcIfrtSessionMetadata& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcHostBufferStoreMetadata& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.session_id); break;
      case 2: wire::GetFixed64(in, out.handle); break;
      case 3: wire::GetInt64(in, out.buffer_size); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcHostBufferStoreMetadata& in) {
  wire::PutFixed64(out, 1, in.session_id);
  wire::PutFixed64(out, 2, in.handle);
  wire::PutInt64(out, 3, in.buffer_size);
}
Status Read(std::string_view bytes, GrpcHostBufferStoreMetadata* message) {
  return wire::Guard("GrpcHostBufferStoreMetadata", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcHostBufferStoreMetadata& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcHostBufferStoreRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBytes(in, out.data); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcHostBufferStoreRequest& in) {
  wire::PutBytes(out, 1, in.data);
}
Status Read(std::string_view bytes, GrpcHostBufferStoreRequest* message) {
  return wire::Guard("GrpcHostBufferStoreRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcHostBufferStoreRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcHostBufferReadFromDiskRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.metadata); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcHostBufferReadFromDiskRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.metadata); }
}
Status Read(std::string_view bytes, GrpcHostBufferReadFromDiskRequest* message) {
  return wire::Guard("GrpcHostBufferReadFromDiskRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcHostBufferReadFromDiskRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcHostBufferLookupRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.session_id); break;
      case 2: wire::GetFixed64(in, out.handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcHostBufferLookupRequest& in) {
  wire::PutFixed64(out, 1, in.session_id);
  wire::PutFixed64(out, 2, in.handle);
}
Status Read(std::string_view bytes, GrpcHostBufferLookupRequest* message) {
  return wire::Guard("GrpcHostBufferLookupRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcHostBufferLookupRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcHostBufferLookupResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBytes(in, out.data); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcHostBufferLookupResponse& in) {
  wire::PutBytes(out, 1, in.data);
}
Status Read(std::string_view bytes, GrpcHostBufferLookupResponse* message) {
  return wire::Guard("GrpcHostBufferLookupResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcHostBufferLookupResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GrpcHostBufferDeleteRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.session_id); break;
      case 2: wire::GetFixed64(in, out.handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GrpcHostBufferDeleteRequest& in) {
  wire::PutFixed64(out, 1, in.session_id);
  wire::PutFixed64(out, 2, in.handle);
}
Status Read(std::string_view bytes, GrpcHostBufferDeleteRequest* message) {
  return wire::Guard("GrpcHostBufferDeleteRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GrpcHostBufferDeleteRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, RequestMetadata& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.op_id); break;
      case 5: wire::GetFixed64(in, out.user_context_id); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const RequestMetadata& in) {
  wire::PutFixed64(out, 1, in.op_id);
  wire::PutFixed64(out, 5, in.user_context_id);
}
Status Read(std::string_view bytes, RequestMetadata* message) {
  return wire::Guard("RequestMetadata", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const RequestMetadata& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ResponseMetadata& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.op_id); break;
      case 2: ReadFields(wire::Enter(in), out.status.emplace()); break;
      case 3: wire::GetInt64(in, out.seq_num); break;
      case 4: wire::AddFixed64(in, out.destroyed_user_context_ids); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ResponseMetadata& in) {
  wire::PutFixed64(out, 1, in.op_id);
  if (in.status.has_value()) PutMessage(out, 2, *in.status);
  wire::PutInt64(out, 3, in.seq_num);
  wire::PutAllFixed64(out, 4, in.destroyed_user_context_ids);
}
Status Read(std::string_view bytes, ResponseMetadata* message) {
  return wire::Guard("ResponseMetadata", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ResponseMetadata& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, InitRequest&) {
  while (in.next()) in.skip();
}
static void WriteFields(pbf_writer&, const InitRequest&) {}
Status Read(std::string_view bytes, InitRequest* message) {
  return wire::Guard("InitRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const InitRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, InitDevice& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt32(in, out.id); break;
      case 2: wire::GetInt32(in, out.local_hardware_id); break;
      case 3: wire::GetString(in, out.device_kind); break;
      case 4: wire::GetString(in, out.debug_string); break;
      case 5: wire::GetString(in, out.to_string); break;
      case 7: wire::GetInt32(in, out.default_memory_id.emplace()); break;
      case 8: wire::AddInt32(in, out.memory_ids); break;
      case 9: wire::GetInt32(in, out.local_device_id); break;
      case 10: ReadFields(wire::Enter(in), out.attributes); break;
      case 11: wire::GetString(in, out.platform_name); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const InitDevice& in) {
  wire::PutInt32(out, 1, in.id);
  wire::PutInt32(out, 2, in.local_hardware_id);
  wire::PutString(out, 3, in.device_kind);
  wire::PutString(out, 4, in.debug_string);
  wire::PutString(out, 5, in.to_string);
  if (in.default_memory_id.has_value()) wire::PutInt32(out, 7, *in.default_memory_id, true);
  wire::PutAllInt32(out, 8, in.memory_ids);
  wire::PutInt32(out, 9, in.local_device_id);
  { pbf_writer inner(out, 10); WriteFields(inner, in.attributes); }
  wire::PutString(out, 11, in.platform_name);
}
Status Read(std::string_view bytes, InitDevice* message) {
  return wire::Guard("InitDevice", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const InitDevice& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, InitMemory& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetInt32(in, out.id); break;
      case 2: wire::GetString(in, out.memory_space_kind); break;
      case 3: wire::AddInt32(in, out.device_ids); break;
      case 4: wire::GetString(in, out.debug_string); break;
      case 5: wire::GetString(in, out.to_string); break;
      case 6: wire::GetInt32(in, out.kind_id); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const InitMemory& in) {
  wire::PutInt32(out, 1, in.id);
  wire::PutString(out, 2, in.memory_space_kind);
  wire::PutAllInt32(out, 3, in.device_ids);
  wire::PutString(out, 4, in.debug_string);
  wire::PutString(out, 5, in.to_string);
  wire::PutInt32(out, 6, in.kind_id);
}
Status Read(std::string_view bytes, InitMemory* message) {
  return wire::Guard("InitMemory", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const InitMemory& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, InitResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetString(in, out.platform_name); break;
      case 2: wire::GetString(in, out.platform_version); break;
      case 3: wire::GetUint64(in, out.platform_id); break;
      case 4: wire::GetUint64(in, out.process_index); break;
      case 5: wire::GetString(in, out.runtime_type); break;
      case 6: ReadFields(wire::Enter(in), wire::Append(in, out.all_devices)); break;
      case 7: wire::AddInt32(in, out.addressable_device_ids); break;
      case 8: wire::GetUint64(in, out.session_id); break;
      case 9: ReadFields(wire::Enter(in), wire::Append(in, out.memories)); break;
      case 10: wire::AddInt32(in, out.primary_device_ids); break;
      case 11: ReadFields(wire::Enter(in), out.client_attributes); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const InitResponse& in) {
  wire::PutString(out, 1, in.platform_name);
  wire::PutString(out, 2, in.platform_version);
  wire::PutUint64(out, 3, in.platform_id);
  wire::PutUint64(out, 4, in.process_index);
  wire::PutString(out, 5, in.runtime_type);
  for (const auto& one : in.all_devices) PutMessage(out, 6, one);
  wire::PutAllInt32(out, 7, in.addressable_device_ids);
  wire::PutUint64(out, 8, in.session_id);
  for (const auto& one : in.memories) PutMessage(out, 9, one);
  wire::PutAllInt32(out, 10, in.primary_device_ids);
  { pbf_writer inner(out, 11); WriteFields(inner, in.client_attributes); }
}
Status Read(std::string_view bytes, InitResponse* message) {
  return wire::Guard("InitResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const InitResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CheckFutureRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.future_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CheckFutureRequest& in) {
  wire::PutFixed64(out, 1, in.future_handle);
}
Status Read(std::string_view bytes, CheckFutureRequest* message) {
  return wire::Guard("CheckFutureRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CheckFutureRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CheckFutureResponse&) {
  while (in.next()) in.skip();
}
static void WriteFields(pbf_writer&, const CheckFutureResponse&) {}
Status Read(std::string_view bytes, CheckFutureResponse* message) {
  return wire::Guard("CheckFutureResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CheckFutureResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CheckValueReadyRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.value_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CheckValueReadyRequest& in) {
  wire::PutAllFixed64(out, 1, in.value_handles);
}
Status Read(std::string_view bytes, CheckValueReadyRequest* message) {
  return wire::Guard("CheckValueReadyRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CheckValueReadyRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CheckValueReadyResponse&) {
  while (in.next()) in.skip();
}
static void WriteFields(pbf_writer&, const CheckValueReadyResponse&) {}
Status Read(std::string_view bytes, CheckValueReadyResponse* message) {
  return wire::Guard("CheckValueReadyResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CheckValueReadyResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, MakeArrayFromHostBufferRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.dtype); break;
      case 2: ReadFields(wire::Enter(in), out.shape); break;
      case 3: ReadFields(wire::Enter(in), out.sharding); break;
      case 4: wire::GetFixed64(in, out.host_buffer_handle); break;
      case 5: ReadFields(wire::Enter(in), out.byte_strides.emplace()); break;
      case 6: wire::GetFixed64(in, out.array_handle); break;
      case 7: ReadFields(wire::Enter(in), out.layout.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const MakeArrayFromHostBufferRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.dtype); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.shape); }
  { pbf_writer inner(out, 3); WriteFields(inner, in.sharding); }
  wire::PutFixed64(out, 4, in.host_buffer_handle);
  if (in.byte_strides.has_value()) PutMessage(out, 5, *in.byte_strides);
  wire::PutFixed64(out, 6, in.array_handle);
  if (in.layout.has_value()) PutMessage(out, 7, *in.layout);
}
Status Read(std::string_view bytes, MakeArrayFromHostBufferRequest* message) {
  return wire::Guard("MakeArrayFromHostBufferRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const MakeArrayFromHostBufferRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, MakeArrayFromHostBufferResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.array_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const MakeArrayFromHostBufferResponse& in) {
  wire::PutFixed64(out, 1, in.array_handle);
}
Status Read(std::string_view bytes, MakeArrayFromHostBufferResponse* message) {
  return wire::Guard("MakeArrayFromHostBufferResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const MakeArrayFromHostBufferResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ShardsHostBuffer& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.dtype); break;
      case 2: ReadFields(wire::Enter(in), out.shape); break;
      case 3: wire::GetFixed64(in, out.host_buffer_handle); break;
      case 4: ReadFields(wire::Enter(in), out.byte_strides.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ShardsHostBuffer& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.dtype); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.shape); }
  wire::PutFixed64(out, 3, in.host_buffer_handle);
  if (in.byte_strides.has_value()) PutMessage(out, 4, *in.byte_strides);
}
Status Read(std::string_view bytes, ShardsHostBuffer* message) {
  return wire::Guard("ShardsHostBuffer", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ShardsHostBuffer& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ShardIndices& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddInt64(in, out.indices); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ShardIndices& in) {
  wire::PutAllInt64(out, 1, in.indices);
}
Status Read(std::string_view bytes, ShardIndices* message) {
  return wire::Guard("ShardIndices", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ShardIndices& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ShardsSpec& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), wire::Append(in, out.addressable_shard_indices)); break;
      case 2: ReadFields(wire::Enter(in), wire::Append(in, out.host_buffers)); break;
      case 3: ReadFields(wire::Enter(in), out.array_spec); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ShardsSpec& in) {
  for (const auto& one : in.addressable_shard_indices) PutMessage(out, 1, one);
  for (const auto& one : in.host_buffers) PutMessage(out, 2, one);
  { pbf_writer inner(out, 3); WriteFields(inner, in.array_spec); }
}
Status Read(std::string_view bytes, ShardsSpec* message) {
  return wire::Guard("ShardsSpec", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ShardsSpec& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, MakeArraysFromHostBufferShardsRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), wire::Append(in, out.specs)); break;
      case 2: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const MakeArraysFromHostBufferShardsRequest& in) {
  for (const auto& one : in.specs) PutMessage(out, 1, one);
  wire::PutAllFixed64(out, 2, in.array_handles);
}
Status Read(std::string_view bytes, MakeArraysFromHostBufferShardsRequest* message) {
  return wire::Guard("MakeArraysFromHostBufferShardsRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const MakeArraysFromHostBufferShardsRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, MakeArraysFromHostBufferShardsResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const MakeArraysFromHostBufferShardsResponse& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
}
Status Read(std::string_view bytes, MakeArraysFromHostBufferShardsResponse* message) {
  return wire::Guard("MakeArraysFromHostBufferShardsResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const MakeArraysFromHostBufferShardsResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, MakeErrorArraysRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.error); break;
      case 2: ReadFields(wire::Enter(in), wire::Append(in, out.array_specs)); break;
      case 3: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const MakeErrorArraysRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.error); }
  for (const auto& one : in.array_specs) PutMessage(out, 2, one);
  wire::PutAllFixed64(out, 3, in.array_handles);
}
Status Read(std::string_view bytes, MakeErrorArraysRequest* message) {
  return wire::Guard("MakeErrorArraysRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const MakeErrorArraysRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, MakeErrorArraysResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const MakeErrorArraysResponse& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
}
Status Read(std::string_view bytes, MakeErrorArraysResponse* message) {
  return wire::Guard("MakeErrorArraysResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const MakeErrorArraysResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, AssembleArrayFromSingleDeviceArraysRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.shape); break;
      case 2: ReadFields(wire::Enter(in), out.sharding); break;
      case 3: wire::AddFixed64(in, out.single_device_array_handles); break;
      case 4: wire::GetInt32(in, out.copy_semantics); break;
      case 5: wire::GetInt32(in, out.single_device_shard_semantics); break;
      case 6: wire::GetFixed64(in, out.result_handle); break;
      case 7: ReadFields(wire::Enter(in), out.dtype); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const AssembleArrayFromSingleDeviceArraysRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.shape); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.sharding); }
  wire::PutAllFixed64(out, 3, in.single_device_array_handles);
  wire::PutInt32(out, 4, in.copy_semantics);
  wire::PutInt32(out, 5, in.single_device_shard_semantics);
  wire::PutFixed64(out, 6, in.result_handle);
  { pbf_writer inner(out, 7); WriteFields(inner, in.dtype); }
}
Status Read(std::string_view bytes, AssembleArrayFromSingleDeviceArraysRequest* message) {
  return wire::Guard("AssembleArrayFromSingleDeviceArraysRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const AssembleArrayFromSingleDeviceArraysRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, AssembleArrayFromSingleDeviceArraysResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.array_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const AssembleArrayFromSingleDeviceArraysResponse& in) {
  wire::PutFixed64(out, 1, in.array_handle);
}
Status Read(std::string_view bytes, AssembleArrayFromSingleDeviceArraysResponse* message) {
  return wire::Guard("AssembleArrayFromSingleDeviceArraysResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const AssembleArrayFromSingleDeviceArraysResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, RemapArraysRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.plan); break;
      case 2: wire::AddFixed64(in, out.array_handles); break;
      case 3: wire::GetInt32(in, out.copy_semantics); break;
      case 4: wire::AddFixed64(in, out.result_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const RemapArraysRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.plan); }
  wire::PutAllFixed64(out, 2, in.array_handles);
  wire::PutInt32(out, 3, in.copy_semantics);
  wire::PutAllFixed64(out, 4, in.result_handles);
}
Status Read(std::string_view bytes, RemapArraysRequest* message) {
  return wire::Guard("RemapArraysRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const RemapArraysRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, RemapArraysResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const RemapArraysResponse& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
}
Status Read(std::string_view bytes, RemapArraysResponse* message) {
  return wire::Guard("RemapArraysResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const RemapArraysResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, BitcastArraysRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      case 2: ReadFields(wire::Enter(in), wire::Append(in, out.array_specs)); break;
      case 3: wire::GetInt32(in, out.copy_semantics); break;
      case 4: wire::AddFixed64(in, out.result_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const BitcastArraysRequest& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
  for (const auto& one : in.array_specs) PutMessage(out, 2, one);
  wire::PutInt32(out, 3, in.copy_semantics);
  wire::PutAllFixed64(out, 4, in.result_handles);
}
Status Read(std::string_view bytes, BitcastArraysRequest* message) {
  return wire::Guard("BitcastArraysRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const BitcastArraysRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, BitcastArraysResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const BitcastArraysResponse& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
}
Status Read(std::string_view bytes, BitcastArraysResponse* message) {
  return wire::Guard("BitcastArraysResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const BitcastArraysResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ReshardArraysRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      case 2: ReadFields(wire::Enter(in), wire::Append(in, out.array_specs)); break;
      case 3: wire::GetInt32(in, out.copy_semantics); break;
      case 4: wire::AddFixed64(in, out.result_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ReshardArraysRequest& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
  for (const auto& one : in.array_specs) PutMessage(out, 2, one);
  wire::PutInt32(out, 3, in.copy_semantics);
  wire::PutAllFixed64(out, 4, in.result_handles);
}
Status Read(std::string_view bytes, ReshardArraysRequest* message) {
  return wire::Guard("ReshardArraysRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ReshardArraysRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ReshardArraysResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ReshardArraysResponse& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
}
Status Read(std::string_view bytes, ReshardArraysResponse* message) {
  return wire::Guard("ReshardArraysResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ReshardArraysResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CopyToHostBufferRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.host_buffer_handle); break;
      case 2: wire::GetFixed64(in, out.array_handle); break;
      case 3: ReadFields(wire::Enter(in), out.byte_strides.emplace()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CopyToHostBufferRequest& in) {
  wire::PutFixed64(out, 1, in.host_buffer_handle);
  wire::PutFixed64(out, 2, in.array_handle);
  if (in.byte_strides.has_value()) PutMessage(out, 3, *in.byte_strides);
}
Status Read(std::string_view bytes, CopyToHostBufferRequest* message) {
  return wire::Guard("CopyToHostBufferRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CopyToHostBufferRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CopyToHostBufferResponse&) {
  while (in.next()) in.skip();
}
static void WriteFields(pbf_writer&, const CopyToHostBufferResponse&) {}
Status Read(std::string_view bytes, CopyToHostBufferResponse* message) {
  return wire::Guard("CopyToHostBufferResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CopyToHostBufferResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DisassembleIntoSingleDeviceArraysRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.array_handle); break;
      case 2: wire::GetInt32(in, out.copy_semantics); break;
      case 3: wire::GetInt32(in, out.single_device_shard_semantics); break;
      case 4: wire::AddFixed64(in, out.result_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DisassembleIntoSingleDeviceArraysRequest& in) {
  wire::PutFixed64(out, 1, in.array_handle);
  wire::PutInt32(out, 2, in.copy_semantics);
  wire::PutInt32(out, 3, in.single_device_shard_semantics);
  wire::PutAllFixed64(out, 4, in.result_handles);
}
Status Read(std::string_view bytes, DisassembleIntoSingleDeviceArraysRequest* message) {
  return wire::Guard("DisassembleIntoSingleDeviceArraysRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DisassembleIntoSingleDeviceArraysRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DisassembleIntoSingleDeviceArraysResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DisassembleIntoSingleDeviceArraysResponse& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
}
Status Read(std::string_view bytes, DisassembleIntoSingleDeviceArraysResponse* message) {
  return wire::Guard("DisassembleIntoSingleDeviceArraysResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DisassembleIntoSingleDeviceArraysResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CopyArraysRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      case 2: wire::AddInt32(in, out.device_ids); break;
      case 3: wire::GetString(in, out.memory_kind.emplace()); break;
      case 4: wire::GetInt32(in, out.copy_semantics); break;
      case 5: wire::AddFixed64(in, out.result_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CopyArraysRequest& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
  wire::PutAllInt32(out, 2, in.device_ids);
  if (in.memory_kind.has_value()) wire::PutString(out, 3, *in.memory_kind, true);
  wire::PutInt32(out, 4, in.copy_semantics);
  wire::PutAllFixed64(out, 5, in.result_handles);
}
Status Read(std::string_view bytes, CopyArraysRequest* message) {
  return wire::Guard("CopyArraysRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CopyArraysRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CopyArraysResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed64(in, out.array_handles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CopyArraysResponse& in) {
  wire::PutAllFixed64(out, 1, in.array_handles);
}
Status Read(std::string_view bytes, CopyArraysResponse* message) {
  return wire::Guard("CopyArraysResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CopyArraysResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, FullyReplicatedShardRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.array_handle); break;
      case 2: wire::GetInt32(in, out.copy_semantics); break;
      case 3: wire::GetFixed64(in, out.result_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const FullyReplicatedShardRequest& in) {
  wire::PutFixed64(out, 1, in.array_handle);
  wire::PutInt32(out, 2, in.copy_semantics);
  wire::PutFixed64(out, 3, in.result_handle);
}
Status Read(std::string_view bytes, FullyReplicatedShardRequest* message) {
  return wire::Guard("FullyReplicatedShardRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const FullyReplicatedShardRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, FullyReplicatedShardResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.array_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const FullyReplicatedShardResponse& in) {
  wire::PutFixed64(out, 1, in.array_handle);
}
Status Read(std::string_view bytes, FullyReplicatedShardResponse* message) {
  return wire::Guard("FullyReplicatedShardResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const FullyReplicatedShardResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DeleteArrayRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 2: wire::AddFixed64(in, out.array_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DeleteArrayRequest& in) {
  wire::PutAllFixed64(out, 2, in.array_handle);
}
Status Read(std::string_view bytes, DeleteArrayRequest* message) {
  return wire::Guard("DeleteArrayRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DeleteArrayRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DeleteArrayResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.deletion_future_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DeleteArrayResponse& in) {
  wire::PutFixed64(out, 1, in.deletion_future_handle);
}
Status Read(std::string_view bytes, DeleteArrayResponse* message) {
  return wire::Guard("DeleteArrayResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DeleteArrayResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, IsArrayDeletedRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.array_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const IsArrayDeletedRequest& in) {
  wire::PutFixed64(out, 1, in.array_handle);
}
Status Read(std::string_view bytes, IsArrayDeletedRequest* message) {
  return wire::Guard("IsArrayDeletedRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const IsArrayDeletedRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, IsArrayDeletedResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBool(in, out.deleted); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const IsArrayDeletedResponse& in) {
  wire::PutBool(out, 1, in.deleted);
}
Status Read(std::string_view bytes, IsArrayDeletedResponse* message) {
  return wire::Guard("IsArrayDeletedResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const IsArrayDeletedResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DestructArrayRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 2: wire::AddFixed64(in, out.array_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DestructArrayRequest& in) {
  wire::PutAllFixed64(out, 2, in.array_handle);
}
Status Read(std::string_view bytes, DestructArrayRequest* message) {
  return wire::Guard("DestructArrayRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DestructArrayRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DestructArrayResponse&) {
  while (in.next()) in.skip();
}
static void WriteFields(pbf_writer&, const DestructArrayResponse&) {}
Status Read(std::string_view bytes, DestructArrayResponse* message) {
  return wire::Guard("DestructArrayResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DestructArrayResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CompileRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.program); break;
      case 2: ReadFields(wire::Enter(in), out.compile_options); break;
      case 3: wire::AddBytes(in, out.host_callbacks); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CompileRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.program); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.compile_options); }
  for (const auto& one : in.host_callbacks) wire::PutBytes(out, 3, one, true);
}
Status Read(std::string_view bytes, CompileRequest* message) {
  return wire::Guard("CompileRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CompileRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, CompileResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      case 2: wire::GetString(in, out.name); break;
      case 3: wire::GetInt32(in, out.num_devices); break;
      case 5: wire::AddInt32(in, out.addressable_device_ids); break;
      case 6: wire::GetBytes(in, out.fingerprint.emplace<std::string>()); break;
      case 7: ReadFields(wire::Enter(in), out.fingerprint.emplace<StatusProto>()); break;
      case 8: wire::AddFixed64(in, out.loaded_host_callback_handles); break;
      case 9: wire::GetFixed64(in, out.ready_future_handle.emplace()); break;
      case 10: wire::AddInt32(in, out.device_ids); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const CompileResponse& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
  wire::PutString(out, 2, in.name);
  wire::PutInt32(out, 3, in.num_devices);
  wire::PutAllInt32(out, 5, in.addressable_device_ids);
  if (const auto* one = std::get_if<std::string>(&in.fingerprint)) wire::PutBytes(out, 6, *one, true);
  if (const auto* one = std::get_if<StatusProto>(&in.fingerprint)) PutMessage(out, 7, *one);
  wire::PutAllFixed64(out, 8, in.loaded_host_callback_handles);
  if (in.ready_future_handle.has_value()) wire::PutFixed64(out, 9, *in.ready_future_handle, true);
  wire::PutAllInt32(out, 10, in.device_ids);
}
Status Read(std::string_view bytes, CompileResponse* message) {
  return wire::Guard("CompileResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const CompileResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableMetadataRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableMetadataRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableMetadataRequest* message) {
  return wire::Guard("LoadedExecutableMetadataRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableMetadataRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ShardingList& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddBytes(in, out.shardings); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ShardingList& in) {
  for (const auto& one : in.shardings) wire::PutBytes(out, 1, one, true);
}
Status Read(std::string_view bytes, ShardingList* message) {
  return wire::Guard("ShardingList", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ShardingList& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, XlaLayoutProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddInt64(in, out.minor_to_major); break;
      case 6: wire::AddBytes(in, out.tiles); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const XlaLayoutProto& in) {
  wire::PutAllInt64(out, 1, in.minor_to_major);
  for (const auto& one : in.tiles) wire::PutBytes(out, 6, one, true);
}
Status Read(std::string_view bytes, XlaLayoutProto* message) {
  return wire::Guard("XlaLayoutProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const XlaLayoutProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, PjRtLayoutProto& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.xla_layout); break;
      case 2: wire::GetInt32(in, out.version_number); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const PjRtLayoutProto& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.xla_layout); }
  wire::PutInt32(out, 2, in.version_number);
}
Status Read(std::string_view bytes, PjRtLayoutProto* message) {
  return wire::Guard("PjRtLayoutProto", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const PjRtLayoutProto& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LayoutList& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), wire::Append(in, out.layouts)); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LayoutList& in) {
  for (const auto& one : in.layouts) PutMessage(out, 1, one);
}
Status Read(std::string_view bytes, LayoutList* message) {
  return wire::Guard("LayoutList", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LayoutList& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, MemoryKindList& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddString(in, out.memory_kinds); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const MemoryKindList& in) {
  for (const auto& one : in.memory_kinds) wire::PutString(out, 1, one, true);
}
Status Read(std::string_view bytes, MemoryKindList* message) {
  return wire::Guard("MemoryKindList", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const MemoryKindList& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, OutputMemoryKind& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.status.emplace()); break;
      case 2: ReadFields(wire::Enter(in), wire::Append(in, out.memory_kind_lists)); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const OutputMemoryKind& in) {
  if (in.status.has_value()) PutMessage(out, 1, *in.status);
  for (const auto& one : in.memory_kind_lists) PutMessage(out, 2, one);
}
Status Read(std::string_view bytes, OutputMemoryKind* message) {
  return wire::Guard("OutputMemoryKind", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const OutputMemoryKind& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, DonatedInputIndices& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::AddFixed32(in, out.donated_input_indices); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const DonatedInputIndices& in) {
  wire::PutAllFixed32(out, 1, in.donated_input_indices);
}
Status Read(std::string_view bytes, DonatedInputIndices* message) {
  return wire::Guard("DonatedInputIndices", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const DonatedInputIndices& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableMetadataResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.parameter_shardings.emplace()); break;
      case 2: ReadFields(wire::Enter(in), out.output_shardings.emplace()); break;
      case 3: ReadFields(wire::Enter(in), out.output_memory_kinds); break;
      case 4: ReadFields(wire::Enter(in), out.parameter_layouts.emplace<LayoutList>()); break;
      case 5: ReadFields(wire::Enter(in), out.parameter_layouts.emplace<StatusProto>()); break;
      case 6: ReadFields(wire::Enter(in), out.output_layouts.emplace<LayoutList>()); break;
      case 7: ReadFields(wire::Enter(in), out.output_layouts.emplace<StatusProto>()); break;
      case 8: ReadFields(wire::Enter(in), out.donated.emplace<DonatedInputIndices>()); break;
      case 9: ReadFields(wire::Enter(in), out.donated.emplace<StatusProto>()); break;
      case 10: ReadFields(wire::Enter(in), out.memory_stats.emplace<CompiledMemoryStatsProto>()); break;
      case 11: ReadFields(wire::Enter(in), out.memory_stats.emplace<StatusProto>()); break;
      case 12: wire::GetInt64(in, out.size_of_generated_code_in_bytes); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableMetadataResponse& in) {
  if (in.parameter_shardings.has_value()) PutMessage(out, 1, *in.parameter_shardings);
  if (in.output_shardings.has_value()) PutMessage(out, 2, *in.output_shardings);
  { pbf_writer inner(out, 3); WriteFields(inner, in.output_memory_kinds); }
  if (const auto* one = std::get_if<LayoutList>(&in.parameter_layouts)) PutMessage(out, 4, *one);
  if (const auto* one = std::get_if<StatusProto>(&in.parameter_layouts)) PutMessage(out, 5, *one);
  if (const auto* one = std::get_if<LayoutList>(&in.output_layouts)) PutMessage(out, 6, *one);
  if (const auto* one = std::get_if<StatusProto>(&in.output_layouts)) PutMessage(out, 7, *one);
  if (const auto* one = std::get_if<DonatedInputIndices>(&in.donated)) PutMessage(out, 8, *one);
  if (const auto* one = std::get_if<StatusProto>(&in.donated)) PutMessage(out, 9, *one);
  if (const auto* one = std::get_if<CompiledMemoryStatsProto>(&in.memory_stats)) PutMessage(out, 10, *one);
  if (const auto* one = std::get_if<StatusProto>(&in.memory_stats)) PutMessage(out, 11, *one);
  wire::PutInt64(out, 12, in.size_of_generated_code_in_bytes);
}
Status Read(std::string_view bytes, LoadedExecutableMetadataResponse* message) {
  return wire::Guard("LoadedExecutableMetadataResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableMetadataResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableCostAnalysisRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableCostAnalysisRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableCostAnalysisRequest* message) {
  return wire::Guard("LoadedExecutableCostAnalysisRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableCostAnalysisRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableCostAnalysisResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.result.emplace<StatusProto>()); break;
      case 2: ReadFields(wire::Enter(in), out.result.emplace<AttributeMapProto>()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableCostAnalysisResponse& in) {
  if (const auto* one = std::get_if<StatusProto>(&in.result)) PutMessage(out, 1, *one);
  if (const auto* one = std::get_if<AttributeMapProto>(&in.result)) PutMessage(out, 2, *one);
}
Status Read(std::string_view bytes, LoadedExecutableCostAnalysisResponse* message) {
  return wire::Guard("LoadedExecutableCostAnalysisResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableCostAnalysisResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableHumanReadableProgramTextRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableHumanReadableProgramTextRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableHumanReadableProgramTextRequest* message) {
  return wire::Guard("LoadedExecutableHumanReadableProgramTextRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableHumanReadableProgramTextRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableHumanReadableProgramTextResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.result.emplace<StatusProto>()); break;
      case 2: wire::GetString(in, out.result.emplace<std::string>()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableHumanReadableProgramTextResponse& in) {
  if (const auto* one = std::get_if<StatusProto>(&in.result)) PutMessage(out, 1, *one);
  if (const auto* one = std::get_if<std::string>(&in.result)) wire::PutString(out, 2, *one, true);
}
Status Read(std::string_view bytes, LoadedExecutableHumanReadableProgramTextResponse* message) {
  return wire::Guard("LoadedExecutableHumanReadableProgramTextResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableHumanReadableProgramTextResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableExecuteRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      case 2: wire::AddFixed64(in, out.args_handles); break;
      case 3: ReadFields(wire::Enter(in), out.execute_options); break;
      case 4: wire::AddInt32(in, out.device_ids); break;
      case 5: wire::AddFixed64(in, out.result_array_handle); break;
      case 6: wire::GetFixed64(in, out.result_status_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableExecuteRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
  wire::PutAllFixed64(out, 2, in.args_handles);
  { pbf_writer inner(out, 3); WriteFields(inner, in.execute_options); }
  wire::PutAllInt32(out, 4, in.device_ids);
  wire::PutAllFixed64(out, 5, in.result_array_handle);
  wire::PutFixed64(out, 6, in.result_status_handle);
}
Status Read(std::string_view bytes, LoadedExecutableExecuteRequest* message) {
  return wire::Guard("LoadedExecutableExecuteRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableExecuteRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, ExecuteOutput& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.dtype); break;
      case 2: ReadFields(wire::Enter(in), out.shape); break;
      case 3: ReadFields(wire::Enter(in), out.sharding); break;
      case 4: wire::GetFixed64(in, out.array_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const ExecuteOutput& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.dtype); }
  { pbf_writer inner(out, 2); WriteFields(inner, in.shape); }
  { pbf_writer inner(out, 3); WriteFields(inner, in.sharding); }
  wire::PutFixed64(out, 4, in.array_handle);
}
Status Read(std::string_view bytes, ExecuteOutput* message) {
  return wire::Guard("ExecuteOutput", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const ExecuteOutput& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableExecuteResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.status_handle); break;
      case 2: ReadFields(wire::Enter(in), wire::Append(in, out.outputs)); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableExecuteResponse& in) {
  wire::PutFixed64(out, 1, in.status_handle);
  for (const auto& one : in.outputs) PutMessage(out, 2, one);
}
Status Read(std::string_view bytes, LoadedExecutableExecuteResponse* message) {
  return wire::Guard("LoadedExecutableExecuteResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableExecuteResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableFetchExecuteResultRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.result_status_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableFetchExecuteResultRequest& in) {
  wire::PutFixed64(out, 1, in.result_status_handle);
}
Status Read(std::string_view bytes, LoadedExecutableFetchExecuteResultRequest* message) {
  return wire::Guard("LoadedExecutableFetchExecuteResultRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableFetchExecuteResultRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableFetchExecuteResultResponse&) {
  while (in.next()) in.skip();
}
static void WriteFields(pbf_writer&, const LoadedExecutableFetchExecuteResultResponse&) {}
Status Read(std::string_view bytes, LoadedExecutableFetchExecuteResultResponse* message) {
  return wire::Guard("LoadedExecutableFetchExecuteResultResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableFetchExecuteResultResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableDeleteRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableDeleteRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableDeleteRequest* message) {
  return wire::Guard("LoadedExecutableDeleteRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableDeleteRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableIsDeletedRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableIsDeletedRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableIsDeletedRequest* message) {
  return wire::Guard("LoadedExecutableIsDeletedRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableIsDeletedRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableIsDeletedResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBool(in, out.is_deleted); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableIsDeletedResponse& in) {
  wire::PutBool(out, 1, in.is_deleted);
}
Status Read(std::string_view bytes, LoadedExecutableIsDeletedResponse* message) {
  return wire::Guard("LoadedExecutableIsDeletedResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableIsDeletedResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableDestructRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableDestructRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableDestructRequest* message) {
  return wire::Guard("LoadedExecutableDestructRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableDestructRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableDestructResponse&) {
  while (in.next()) in.skip();
}
static void WriteFields(pbf_writer&, const LoadedExecutableDestructResponse&) {}
Status Read(std::string_view bytes, LoadedExecutableDestructResponse* message) {
  return wire::Guard("LoadedExecutableDestructResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableDestructResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableMpmdMetadataRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.mpmd_loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableMpmdMetadataRequest& in) {
  wire::PutFixed64(out, 1, in.mpmd_loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableMpmdMetadataRequest* message) {
  return wire::Guard("LoadedExecutableMpmdMetadataRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableMpmdMetadataRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedExecutableMpmdCostAnalysisRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_executable_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedExecutableMpmdCostAnalysisRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_executable_handle);
}
Status Read(std::string_view bytes, LoadedExecutableMpmdCostAnalysisRequest* message) {
  return wire::Guard("LoadedExecutableMpmdCostAnalysisRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedExecutableMpmdCostAnalysisRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedHostCallbackPollRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.loaded_host_callback_handle); break;
      case 2: wire::GetFixed64(in, out.operand_host_buffer_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedHostCallbackPollRequest& in) {
  wire::PutFixed64(out, 1, in.loaded_host_callback_handle);
  wire::PutFixed64(out, 2, in.operand_host_buffer_handle);
}
Status Read(std::string_view bytes, LoadedHostCallbackPollRequest* message) {
  return wire::Guard("LoadedHostCallbackPollRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedHostCallbackPollRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, LoadedHostCallbackReturnRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.host_callback_execution_handle); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const LoadedHostCallbackReturnRequest& in) {
  wire::PutFixed64(out, 1, in.host_callback_execution_handle);
}
Status Read(std::string_view bytes, LoadedHostCallbackReturnRequest* message) {
  return wire::Guard("LoadedHostCallbackReturnRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const LoadedHostCallbackReturnRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GetDefaultDeviceAssignmentRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetFixed64(in, out.num_replicas); break;
      case 2: wire::GetFixed64(in, out.num_partitions); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GetDefaultDeviceAssignmentRequest& in) {
  wire::PutFixed64(out, 1, in.num_replicas);
  wire::PutFixed64(out, 2, in.num_partitions);
}
Status Read(std::string_view bytes, GetDefaultDeviceAssignmentRequest* message) {
  return wire::Guard("GetDefaultDeviceAssignmentRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GetDefaultDeviceAssignmentRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GetDefaultDeviceAssignmentResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBytes(in, out.device_assignment); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GetDefaultDeviceAssignmentResponse& in) {
  wire::PutBytes(out, 1, in.device_assignment);
}
Status Read(std::string_view bytes, GetDefaultDeviceAssignmentResponse* message) {
  return wire::Guard("GetDefaultDeviceAssignmentResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GetDefaultDeviceAssignmentResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GetDefaultLayoutRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.dtype); break;
      case 2: wire::AddInt64(in, out.dims); break;
      case 3: wire::GetInt32(in, out.device_id); break;
      case 4: wire::GetString(in, out.memory_kind); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GetDefaultLayoutRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.dtype); }
  wire::PutAllInt64(out, 2, in.dims);
  wire::PutInt32(out, 3, in.device_id);
  wire::PutString(out, 4, in.memory_kind);
}
Status Read(std::string_view bytes, GetDefaultLayoutRequest* message) {
  return wire::Guard("GetDefaultLayoutRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GetDefaultLayoutRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

static void ReadFields(wire::Reader in, GetDefaultLayoutResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: wire::GetBytes(in, out.serialized_pjrt_layout); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const GetDefaultLayoutResponse& in) {
  wire::PutBytes(out, 1, in.serialized_pjrt_layout);
}
Status Read(std::string_view bytes, GetDefaultLayoutResponse* message) {
  return wire::Guard("GetDefaultLayoutResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const GetDefaultLayoutResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

IfrtRequest::Request::Request() = default;
IfrtRequest::Request::Request(const Request&) = default;
IfrtRequest::Request::Request(Request&&) noexcept = default;
IfrtRequest::Request& IfrtRequest::Request::operator=(const Request&) = default;
IfrtRequest::Request& IfrtRequest::Request::operator=(Request&&) noexcept = default;
IfrtRequest::Request::~Request() = default;
static void ReadFields(wire::Reader in, IfrtRequest& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.request_metadata); break;
      case 2: ReadFields(wire::Enter(in), out.request.emplace<InitRequest>()); break;
      case 3: ReadFields(wire::Enter(in), out.request.emplace<CheckFutureRequest>()); break;
      case 4: ReadFields(wire::Enter(in), out.request.emplace<MakeArrayFromHostBufferRequest>()); break;
      case 5: ReadFields(wire::Enter(in), out.request.emplace<AssembleArrayFromSingleDeviceArraysRequest>()); break;
      case 6: ReadFields(wire::Enter(in), out.request.emplace<CopyToHostBufferRequest>()); break;
      case 7: ReadFields(wire::Enter(in), out.request.emplace<DisassembleIntoSingleDeviceArraysRequest>()); break;
      case 8: ReadFields(wire::Enter(in), out.request.emplace<CheckValueReadyRequest>()); break;
      case 9: ReadFields(wire::Enter(in), out.request.emplace<DeleteArrayRequest>()); break;
      case 11: ReadFields(wire::Enter(in), out.request.emplace<IsArrayDeletedRequest>()); break;
      case 12: ReadFields(wire::Enter(in), out.request.emplace<DestructArrayRequest>()); break;
      case 13: ReadFields(wire::Enter(in), out.request.emplace<CompileRequest>()); break;
      case 14: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableMetadataRequest>()); break;
      case 15: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableExecuteRequest>()); break;
      case 16: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableDeleteRequest>()); break;
      case 17: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableIsDeletedRequest>()); break;
      case 18: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableDestructRequest>()); break;
      case 19: ReadFields(wire::Enter(in), out.request.emplace<GetDefaultDeviceAssignmentRequest>()); break;
      case 20: ReadFields(wire::Enter(in), out.request.emplace<FullyReplicatedShardRequest>()); break;
      case 21: ReadFields(wire::Enter(in), out.request.emplace<LoadedHostCallbackPollRequest>()); break;
      case 22: ReadFields(wire::Enter(in), out.request.emplace<LoadedHostCallbackReturnRequest>()); break;
      case 23: ReadFields(wire::Enter(in), out.request.emplace<RemapArraysRequest>()); break;
      case 24: ReadFields(wire::Enter(in), out.request.emplace<CopyArraysRequest>()); break;
      case 25: ReadFields(wire::Enter(in), out.request.emplace<MakeArraysFromHostBufferShardsRequest>()); break;
      case 26: ReadFields(wire::Enter(in), out.request.emplace<MakeErrorArraysRequest>()); break;
      case 27: ReadFields(wire::Enter(in), out.request.emplace<GetDefaultLayoutRequest>()); break;
      case 28: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableCostAnalysisRequest>()); break;
      case 29: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableHumanReadableProgramTextRequest>()); break;
      case 30: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableMpmdMetadataRequest>()); break;
      case 31: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableMpmdCostAnalysisRequest>()); break;
      case 32: ReadFields(wire::Enter(in), out.request.emplace<LoadedExecutableFetchExecuteResultRequest>()); break;
      case 33: ReadFields(wire::Enter(in), out.request.emplace<ReshardArraysRequest>()); break;
      case 34: ReadFields(wire::Enter(in), out.request.emplace<BitcastArraysRequest>()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const IfrtRequest& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.request_metadata); }
  if (const auto* one = std::get_if<InitRequest>(&in.request)) PutMessage(out, 2, *one);
  if (const auto* one = std::get_if<CheckFutureRequest>(&in.request)) PutMessage(out, 3, *one);
  if (const auto* one = std::get_if<MakeArrayFromHostBufferRequest>(&in.request)) PutMessage(out, 4, *one);
  if (const auto* one = std::get_if<AssembleArrayFromSingleDeviceArraysRequest>(&in.request)) PutMessage(out, 5, *one);
  if (const auto* one = std::get_if<CopyToHostBufferRequest>(&in.request)) PutMessage(out, 6, *one);
  if (const auto* one = std::get_if<DisassembleIntoSingleDeviceArraysRequest>(&in.request)) PutMessage(out, 7, *one);
  if (const auto* one = std::get_if<CheckValueReadyRequest>(&in.request)) PutMessage(out, 8, *one);
  if (const auto* one = std::get_if<DeleteArrayRequest>(&in.request)) PutMessage(out, 9, *one);
  if (const auto* one = std::get_if<IsArrayDeletedRequest>(&in.request)) PutMessage(out, 11, *one);
  if (const auto* one = std::get_if<DestructArrayRequest>(&in.request)) PutMessage(out, 12, *one);
  if (const auto* one = std::get_if<CompileRequest>(&in.request)) PutMessage(out, 13, *one);
  if (const auto* one = std::get_if<LoadedExecutableMetadataRequest>(&in.request)) PutMessage(out, 14, *one);
  if (const auto* one = std::get_if<LoadedExecutableExecuteRequest>(&in.request)) PutMessage(out, 15, *one);
  if (const auto* one = std::get_if<LoadedExecutableDeleteRequest>(&in.request)) PutMessage(out, 16, *one);
  if (const auto* one = std::get_if<LoadedExecutableIsDeletedRequest>(&in.request)) PutMessage(out, 17, *one);
  if (const auto* one = std::get_if<LoadedExecutableDestructRequest>(&in.request)) PutMessage(out, 18, *one);
  if (const auto* one = std::get_if<GetDefaultDeviceAssignmentRequest>(&in.request)) PutMessage(out, 19, *one);
  if (const auto* one = std::get_if<FullyReplicatedShardRequest>(&in.request)) PutMessage(out, 20, *one);
  if (const auto* one = std::get_if<LoadedHostCallbackPollRequest>(&in.request)) PutMessage(out, 21, *one);
  if (const auto* one = std::get_if<LoadedHostCallbackReturnRequest>(&in.request)) PutMessage(out, 22, *one);
  if (const auto* one = std::get_if<RemapArraysRequest>(&in.request)) PutMessage(out, 23, *one);
  if (const auto* one = std::get_if<CopyArraysRequest>(&in.request)) PutMessage(out, 24, *one);
  if (const auto* one = std::get_if<MakeArraysFromHostBufferShardsRequest>(&in.request)) PutMessage(out, 25, *one);
  if (const auto* one = std::get_if<MakeErrorArraysRequest>(&in.request)) PutMessage(out, 26, *one);
  if (const auto* one = std::get_if<GetDefaultLayoutRequest>(&in.request)) PutMessage(out, 27, *one);
  if (const auto* one = std::get_if<LoadedExecutableCostAnalysisRequest>(&in.request)) PutMessage(out, 28, *one);
  if (const auto* one = std::get_if<LoadedExecutableHumanReadableProgramTextRequest>(&in.request)) PutMessage(out, 29, *one);
  if (const auto* one = std::get_if<LoadedExecutableMpmdMetadataRequest>(&in.request)) PutMessage(out, 30, *one);
  if (const auto* one = std::get_if<LoadedExecutableMpmdCostAnalysisRequest>(&in.request)) PutMessage(out, 31, *one);
  if (const auto* one = std::get_if<LoadedExecutableFetchExecuteResultRequest>(&in.request)) PutMessage(out, 32, *one);
  if (const auto* one = std::get_if<ReshardArraysRequest>(&in.request)) PutMessage(out, 33, *one);
  if (const auto* one = std::get_if<BitcastArraysRequest>(&in.request)) PutMessage(out, 34, *one);
}
Status Read(std::string_view bytes, IfrtRequest* message) {
  return wire::Guard("IfrtRequest", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const IfrtRequest& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}

IfrtResponse::Response::Response() = default;
IfrtResponse::Response::Response(const Response&) = default;
IfrtResponse::Response::Response(Response&&) noexcept = default;
IfrtResponse::Response& IfrtResponse::Response::operator=(const Response&) = default;
IfrtResponse::Response& IfrtResponse::Response::operator=(Response&&) noexcept = default;
IfrtResponse::Response::~Response() = default;
static void ReadFields(wire::Reader in, IfrtResponse& out) {
  while (in.next()) {
    switch (in.tag()) {
      case 1: ReadFields(wire::Enter(in), out.response_metadata); break;
      case 2: ReadFields(wire::Enter(in), out.response.emplace<InitResponse>()); break;
      case 3: ReadFields(wire::Enter(in), out.response.emplace<CheckFutureResponse>()); break;
      case 4: ReadFields(wire::Enter(in), out.response.emplace<MakeArrayFromHostBufferResponse>()); break;
      case 5: ReadFields(wire::Enter(in), out.response.emplace<AssembleArrayFromSingleDeviceArraysResponse>()); break;
      case 6: ReadFields(wire::Enter(in), out.response.emplace<CopyToHostBufferResponse>()); break;
      case 7: ReadFields(wire::Enter(in), out.response.emplace<DisassembleIntoSingleDeviceArraysResponse>()); break;
      case 8: ReadFields(wire::Enter(in), out.response.emplace<CheckValueReadyResponse>()); break;
      case 9: ReadFields(wire::Enter(in), out.response.emplace<DeleteArrayResponse>()); break;
      case 11: ReadFields(wire::Enter(in), out.response.emplace<IsArrayDeletedResponse>()); break;
      case 12: ReadFields(wire::Enter(in), out.response.emplace<DestructArrayResponse>()); break;
      case 13: ReadFields(wire::Enter(in), out.response.emplace<CompileResponse>()); break;
      case 14: ReadFields(wire::Enter(in), out.response.emplace<LoadedExecutableMetadataResponse>()); break;
      case 15: ReadFields(wire::Enter(in), out.response.emplace<LoadedExecutableExecuteResponse>()); break;
      case 17: ReadFields(wire::Enter(in), out.response.emplace<LoadedExecutableIsDeletedResponse>()); break;
      case 18: ReadFields(wire::Enter(in), out.response.emplace<LoadedExecutableDestructResponse>()); break;
      case 19: ReadFields(wire::Enter(in), out.response.emplace<GetDefaultDeviceAssignmentResponse>()); break;
      case 20: ReadFields(wire::Enter(in), out.response.emplace<FullyReplicatedShardResponse>()); break;
      case 23: ReadFields(wire::Enter(in), out.response.emplace<RemapArraysResponse>()); break;
      case 24: ReadFields(wire::Enter(in), out.response.emplace<CopyArraysResponse>()); break;
      case 25: ReadFields(wire::Enter(in), out.response.emplace<MakeArraysFromHostBufferShardsResponse>()); break;
      case 26: ReadFields(wire::Enter(in), out.response.emplace<MakeErrorArraysResponse>()); break;
      case 27: ReadFields(wire::Enter(in), out.response.emplace<GetDefaultLayoutResponse>()); break;
      case 28: ReadFields(wire::Enter(in), out.response.emplace<LoadedExecutableCostAnalysisResponse>()); break;
      case 29: ReadFields(wire::Enter(in), out.response.emplace<LoadedExecutableHumanReadableProgramTextResponse>()); break;
      case 32: ReadFields(wire::Enter(in), out.response.emplace<LoadedExecutableFetchExecuteResultResponse>()); break;
      case 33: ReadFields(wire::Enter(in), out.response.emplace<ReshardArraysResponse>()); break;
      case 34: ReadFields(wire::Enter(in), out.response.emplace<BitcastArraysResponse>()); break;
      default: in.skip();
    }
  }
}
static void WriteFields(pbf_writer& out, const IfrtResponse& in) {
  { pbf_writer inner(out, 1); WriteFields(inner, in.response_metadata); }
  if (const auto* one = std::get_if<InitResponse>(&in.response)) PutMessage(out, 2, *one);
  if (const auto* one = std::get_if<CheckFutureResponse>(&in.response)) PutMessage(out, 3, *one);
  if (const auto* one = std::get_if<MakeArrayFromHostBufferResponse>(&in.response)) PutMessage(out, 4, *one);
  if (const auto* one = std::get_if<AssembleArrayFromSingleDeviceArraysResponse>(&in.response)) PutMessage(out, 5, *one);
  if (const auto* one = std::get_if<CopyToHostBufferResponse>(&in.response)) PutMessage(out, 6, *one);
  if (const auto* one = std::get_if<DisassembleIntoSingleDeviceArraysResponse>(&in.response)) PutMessage(out, 7, *one);
  if (const auto* one = std::get_if<CheckValueReadyResponse>(&in.response)) PutMessage(out, 8, *one);
  if (const auto* one = std::get_if<DeleteArrayResponse>(&in.response)) PutMessage(out, 9, *one);
  if (const auto* one = std::get_if<IsArrayDeletedResponse>(&in.response)) PutMessage(out, 11, *one);
  if (const auto* one = std::get_if<DestructArrayResponse>(&in.response)) PutMessage(out, 12, *one);
  if (const auto* one = std::get_if<CompileResponse>(&in.response)) PutMessage(out, 13, *one);
  if (const auto* one = std::get_if<LoadedExecutableMetadataResponse>(&in.response)) PutMessage(out, 14, *one);
  if (const auto* one = std::get_if<LoadedExecutableExecuteResponse>(&in.response)) PutMessage(out, 15, *one);
  if (const auto* one = std::get_if<LoadedExecutableIsDeletedResponse>(&in.response)) PutMessage(out, 17, *one);
  if (const auto* one = std::get_if<LoadedExecutableDestructResponse>(&in.response)) PutMessage(out, 18, *one);
  if (const auto* one = std::get_if<GetDefaultDeviceAssignmentResponse>(&in.response)) PutMessage(out, 19, *one);
  if (const auto* one = std::get_if<FullyReplicatedShardResponse>(&in.response)) PutMessage(out, 20, *one);
  if (const auto* one = std::get_if<RemapArraysResponse>(&in.response)) PutMessage(out, 23, *one);
  if (const auto* one = std::get_if<CopyArraysResponse>(&in.response)) PutMessage(out, 24, *one);
  if (const auto* one = std::get_if<MakeArraysFromHostBufferShardsResponse>(&in.response)) PutMessage(out, 25, *one);
  if (const auto* one = std::get_if<MakeErrorArraysResponse>(&in.response)) PutMessage(out, 26, *one);
  if (const auto* one = std::get_if<GetDefaultLayoutResponse>(&in.response)) PutMessage(out, 27, *one);
  if (const auto* one = std::get_if<LoadedExecutableCostAnalysisResponse>(&in.response)) PutMessage(out, 28, *one);
  if (const auto* one = std::get_if<LoadedExecutableHumanReadableProgramTextResponse>(&in.response)) PutMessage(out, 29, *one);
  if (const auto* one = std::get_if<LoadedExecutableFetchExecuteResultResponse>(&in.response)) PutMessage(out, 32, *one);
  if (const auto* one = std::get_if<ReshardArraysResponse>(&in.response)) PutMessage(out, 33, *one);
  if (const auto* one = std::get_if<BitcastArraysResponse>(&in.response)) PutMessage(out, 34, *one);
}
Status Read(std::string_view bytes, IfrtResponse* message) {
  return wire::Guard("IfrtResponse", bytes, [&](wire::Reader in) { ReadFields(in, *message); });
}
std::string Write(const IfrtResponse& message) {
  std::string bytes;
  pbf_writer out(bytes);
  WriteFields(out, message);
  return bytes;
}
}  // namespace plinth::serve::proxy

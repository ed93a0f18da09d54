// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/xla_messages.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>

#include "api/support/xla_mesh.h"
#include "api/support/xla_message_fields.h"

namespace plinth::messages {
namespace {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

using Options = CompileOptionsProto;
using Build = ExecutableBuildOptionsProto;
using Entry = OptionOverrideEntry;
using Override = OptionOverrideProto;
using Assignment = DeviceAssignmentProto;
using Sharding = OpShardingProto;

// Tuples of tuples of shardings are read by recursion.
constexpr int kMaxTupleDepth = 32;

// protozero reports malformed bytes by exceptions; none leaves this file.
template <typename Result, typename Read>
Expected<Result> Guard(std::string_view message, std::span<const std::byte> proto, Read read) {
  Result result;
  try {
    Status status =
        read(pbf_reader(reinterpret_cast<const char*>(proto.data()), proto.size()), &result);
    if (!status.ok()) return status.WithContext(message);
  } catch (const protozero::exception& error) {
    return InvalidArgument(message, ": malformed protocol buffer of ", proto.size(), " bytes (",
                           error.what(), ")");
  }
  return result;
}

Status Wrong(uint32_t field, std::string_view wanted) {
  return InvalidArgument("field ", field, " must be ", wanted);
}

// Keeps the field that the reader stands at, tag and all.
void Keep(pbf_reader& message, std::vector<UnknownField>* unknown) {
  UnknownField field;
  field.number = message.tag();
  const pbf_wire_type type = message.wire_type();
  pbf_writer writer(field.bytes);
  switch (type) {
    case pbf_wire_type::varint:
      writer.add_uint64(field.number, message.get_uint64());
      break;
    case pbf_wire_type::fixed64:
      writer.add_fixed64(field.number, message.get_fixed64());
      break;
    case pbf_wire_type::fixed32:
      writer.add_fixed32(field.number, message.get_fixed32());
      break;
    default: {
      const data_view data = message.get_view();
      writer.add_bytes(field.number, data.data(), data.size());
      break;
    }
  }
  unknown->push_back(std::move(field));
}

bool IsVarint(const pbf_reader& message) { return message.wire_type() == pbf_wire_type::varint; }
bool IsBytes(const pbf_reader& message) {
  return message.wire_type() == pbf_wire_type::length_delimited;
}

// A repeated number, packed or one at a time.
template <typename T>
Status ReadInts(pbf_reader& message, std::vector<T>* values) {
  if (IsVarint(message)) {
    values->push_back(static_cast<T>(message.get_int64()));
    return {};
  }
  if (!IsBytes(message)) return Wrong(message.tag(), "a list of integers");
  for (int64_t value : message.get_packed_int64()) values->push_back(static_cast<T>(value));
  return {};
}

struct IntField {
  uint32_t number;
  int64_t CompileOptions::*member;
};
struct BoolField {
  uint32_t number;
  bool CompileOptions::*member;
};

constexpr IntField kOptionInts[] = {{Options::kProfileVersion, &CompileOptions::profile_version}};
constexpr BoolField kOptionBools[] = {
    {Options::kParameterIsTupledArguments, &CompileOptions::parameter_is_tupled_arguments},
    {Options::kCompilePortableExecutable, &CompileOptions::compile_portable_executable},
    {Options::kAllowInPlaceMlirModification, &CompileOptions::allow_in_place_mlir_modification},
};
constexpr IntField kBuildInts[] = {
    {Build::kDeviceOrdinal, &CompileOptions::device_ordinal},
    {Build::kNumReplicas, &CompileOptions::num_replicas},
    {Build::kNumPartitions, &CompileOptions::num_partitions},
    {Build::kDeviceMemorySize, &CompileOptions::device_memory_size},
    {Build::kProcessIndex, &CompileOptions::process_index},
};
constexpr BoolField kBuildBools[] = {
    {Build::kUseSpmdPartitioning, &CompileOptions::use_spmd_partitioning},
    {Build::kDeduplicateHlo, &CompileOptions::deduplicate_hlo},
    {Build::kAliasPassthroughParams, &CompileOptions::alias_passthrough_params},
    {Build::kRunBackendOnly, &CompileOptions::run_backend_only},
    {Build::kUseShardyPartitioner, &CompileOptions::use_shardy_partitioner},
};

// Reads the field if it is one of the plain ones; false if it is not.
Expected<bool> ReadPlain(pbf_reader& message, std::span<const IntField> ints,
                         std::span<const BoolField> bools, CompileOptions* options) {
  const uint32_t number = message.tag();
  for (const IntField& field : ints) {
    if (field.number != number) continue;
    if (!IsVarint(message)) return Wrong(number, "an integer");
    options->*field.member = message.get_int64();
    return true;
  }
  for (const BoolField& field : bools) {
    if (field.number != number) continue;
    if (!IsVarint(message)) return Wrong(number, "a boolean");
    options->*field.member = message.get_int64() != 0;
    return true;
  }
  return false;
}

// The message has a list of replicas for each computation, which is a partition.
Status ReadAssignmentMessage(pbf_reader message, DeviceAssignment* assignment) {
  int32_t replica_count = 0, computation_count = 0;
  std::vector<std::vector<int64_t>> computations;
  while (message.next()) {
    const uint32_t number = message.tag();
    if (number == Assignment::kComputationDevices) {
      if (!IsBytes(message)) return Wrong(number, "a message");
      pbf_reader computation = message.get_message();
      std::vector<int64_t>& devices = computations.emplace_back();
      while (computation.next()) {
        if (computation.tag() == ComputationDevice::kReplicaDeviceIds) {
          PLINTH_RETURN_IF_ERROR(ReadInts(computation, &devices));
        } else {
          computation.skip();
        }
      }
    } else if (number == Assignment::kReplicaCount || number == Assignment::kComputationCount) {
      if (!IsVarint(message)) return Wrong(number, "an integer");
      (number == Assignment::kReplicaCount ? replica_count : computation_count) =
          message.get_int32();
    } else {
      message.skip();
    }
  }
  if (computation_count < 0 || replica_count < 0 ||
      computations.size() != static_cast<size_t>(computation_count)) {
    return InvalidArgument("computation_count is ", computation_count, ", but ",
                           computations.size(), " computations have devices");
  }
  if ((replica_count == 0) != (computation_count == 0)) {
    return InvalidArgument("replica_count is ", replica_count, " and computation_count ",
                           computation_count, "; none or both are zero");
  }
  for (const std::vector<int64_t>& devices : computations) {
    if (devices.size() != static_cast<size_t>(replica_count)) {
      return InvalidArgument("replica_count is ", replica_count, ", but a computation has ",
                             devices.size(), " devices");
    }
  }
  *assignment = {replica_count, computation_count, {}};
  for (int32_t replica = 0; replica < replica_count; ++replica) {
    for (const std::vector<int64_t>& devices : computations) {
      assignment->devices.push_back(devices[static_cast<size_t>(replica)]);
    }
  }
  return {};
}

Status ReadOverride(pbf_reader entry, CompileOptions* options) {
  std::string key;
  CompileOptions::OptionValue value;
  while (entry.next()) {
    if (entry.tag() == Entry::kKey) {
      if (!IsBytes(entry)) return Wrong(Entry::kKey, "a string");
      key = entry.get_string();
    } else if (entry.tag() == Entry::kValue) {
      if (!IsBytes(entry)) return Wrong(Entry::kValue, "a message");
      pbf_reader message = entry.get_message();
      while (message.next()) {
        switch (message.tag()) {
          case Override::kStringField:
            if (!IsBytes(message)) return Wrong(Override::kStringField, "a string");
            value = message.get_string();
            break;
          case Override::kBoolField:
            if (!IsVarint(message)) return Wrong(Override::kBoolField, "a boolean");
            value = message.get_int64() != 0;
            break;
          case Override::kIntField:
            if (!IsVarint(message)) return Wrong(Override::kIntField, "an integer");
            value = message.get_int64();
            break;
          case Override::kDoubleField:
            if (message.wire_type() != pbf_wire_type::fixed64)
              return Wrong(Override::kDoubleField, "a double");
            value = message.get_double();
            break;
          default:
            message.skip();
        }
      }
    } else {
      entry.skip();
    }
  }
  options->env_option_overrides[std::move(key)] = std::move(value);
  return {};
}

Status ReadBuild(pbf_reader message, CompileOptions* options) {
  while (message.next()) {
    PLINTH_ASSIGN_OR_RETURN(const bool plain, ReadPlain(message, kBuildInts, kBuildBools, options));
    if (plain) continue;
    switch (message.tag()) {
      case Build::kResultLayout:
        if (!IsBytes(message)) return Wrong(Build::kResultLayout, "a message");
        options->result_layout = message.get_string();
        break;
      case Build::kDebugOptions:
        if (!IsBytes(message)) return Wrong(Build::kDebugOptions, "a message");
        options->debug_options = message.get_string();
        break;
      case Build::kDeviceAssignment: {
        if (!IsBytes(message)) return Wrong(Build::kDeviceAssignment, "a message");
        DeviceAssignment assignment;
        Status status = ReadAssignmentMessage(message.get_message(), &assignment);
        if (!status.ok()) return status.WithContext("device_assignment");
        options->device_assignment = std::move(assignment);
        break;
      }
      case Build::kProcessCount:
        if (!IsVarint(message)) return Wrong(Build::kProcessCount, "an integer");
        options->process_count = message.get_int64();
        break;
      case Build::kAllowSpmdShardingPropagationToOutput:
        PLINTH_RETURN_IF_ERROR(
            ReadInts(message, &options->allow_spmd_sharding_propagation_to_output));
        break;
      case Build::kAllowSpmdShardingPropagationToParameters:
        PLINTH_RETURN_IF_ERROR(
            ReadInts(message, &options->allow_spmd_sharding_propagation_to_parameters));
        break;
      default:
        Keep(message, &options->unknown_build_fields);
    }
  }
  return {};
}

Status ReadOptions(pbf_reader message, CompileOptions* options) {
  while (message.next()) {
    PLINTH_ASSIGN_OR_RETURN(const bool plain,
                            ReadPlain(message, kOptionInts, kOptionBools, options));
    if (plain) continue;
    const uint32_t number = message.tag();
    if (number == Options::kExecutableBuildOptions || number == Options::kEnvOptionOverrides) {
      if (!IsBytes(message)) return Wrong(number, "a message");
      Status status = number == Options::kExecutableBuildOptions
                          ? ReadBuild(message.get_message(), options)
                          : ReadOverride(message.get_message(), options);
      if (!status.ok()) {
        return status.WithContext(number == Options::kExecutableBuildOptions
                                      ? "executable_build_options"
                                      : "env_option_overrides");
      }
    } else if (number == Options::kArgumentLayouts) {
      if (!IsBytes(message)) return Wrong(number, "a message");
      options->argument_layouts.push_back(message.get_string());
    } else {
      Keep(message, &options->unknown_fields);
    }
  }
  return {};
}

void WritePlain(std::span<const IntField> ints, std::span<const BoolField> bools,
                const CompileOptions& options, pbf_writer& writer) {
  // Readers may take an absent number as 0 or as the default here: both are left out only if equal.
  const CompileOptions absent;
  for (const IntField& field : ints) {
    if (options.*field.member != 0 || absent.*field.member != 0) {
      writer.add_int64(field.number, options.*field.member);
    }
  }
  for (const BoolField& field : bools) {
    if (options.*field.member) writer.add_bool(field.number, true);
  }
}

void WriteFlags(uint32_t number, const std::vector<bool>& flags, pbf_writer& writer) {
  if (flags.empty()) return;
  std::string packed;
  for (bool flag : flags) packed.push_back(flag ? 1 : 0);
  writer.add_bytes(number, packed);
}

std::string WriteBuild(const CompileOptions& options) {
  std::string out;
  pbf_writer writer(out);
  WritePlain(kBuildInts, kBuildBools, options, writer);
  if (options.process_count.has_value()) {
    writer.add_int64(Build::kProcessCount, *options.process_count);
  }
  if (!options.result_layout.empty()) writer.add_bytes(Build::kResultLayout, options.result_layout);
  if (!options.debug_options.empty()) writer.add_bytes(Build::kDebugOptions, options.debug_options);
  if (options.device_assignment.has_value()) {
    writer.add_bytes(Build::kDeviceAssignment, WriteDeviceAssignment(*options.device_assignment));
  }
  WriteFlags(Build::kAllowSpmdShardingPropagationToOutput,
             options.allow_spmd_sharding_propagation_to_output, writer);
  WriteFlags(Build::kAllowSpmdShardingPropagationToParameters,
             options.allow_spmd_sharding_propagation_to_parameters, writer);
  for (const UnknownField& field : options.unknown_build_fields) out += field.bytes;
  return out;
}

std::string WriteOverride(const std::string& key, const CompileOptions::OptionValue& value) {
  std::string held;
  pbf_writer held_writer(held);
  if (const auto* text = std::get_if<std::string>(&value))
    held_writer.add_string(Override::kStringField, *text);
  if (const auto* flag = std::get_if<bool>(&value))
    held_writer.add_bool(Override::kBoolField, *flag);
  if (const auto* number = std::get_if<int64_t>(&value))
    held_writer.add_int64(Override::kIntField, *number);
  if (const auto* number = std::get_if<double>(&value))
    held_writer.add_double(Override::kDoubleField, *number);
  std::string entry;
  pbf_writer writer(entry);
  writer.add_string(Entry::kKey, key);
  writer.add_bytes(Entry::kValue, held);
  return entry;
}

Expected<OpSharding::Kind> ShardingKind(int64_t kind) {
  if (kind < 0 || kind > static_cast<int64_t>(OpSharding::Kind::kUnreduced)) {
    return Unimplemented("sharding type ", kind, " is not known");
  }
  return static_cast<OpSharding::Kind>(kind);
}

Status ReadShardingMessage(pbf_reader message, int depth, OpSharding* sharding) {
  if (depth > kMaxTupleDepth) return InvalidArgument("tuples nested deeper than ", kMaxTupleDepth);
  while (message.next()) {
    const uint32_t number = message.tag();
    switch (number) {
      case Sharding::kType: {
        if (!IsVarint(message)) return Wrong(number, "an integer");
        PLINTH_ASSIGN_OR_RETURN(sharding->kind, ShardingKind(message.get_int32()));
        break;
      }
      case Sharding::kTileAssignmentDimensions:
        PLINTH_RETURN_IF_ERROR(ReadInts(message, &sharding->tile_dimensions));
        break;
      case Sharding::kTileAssignmentDevices:
        PLINTH_RETURN_IF_ERROR(ReadInts(message, &sharding->devices));
        break;
      case Sharding::kReplicateOnLastTileDim:
        if (!IsVarint(message)) return Wrong(number, "a boolean");
        sharding->replicate_on_last_tile_dim = message.get_int64() != 0;
        break;
      case Sharding::kLastTileDims: {
        std::vector<int64_t> kinds;
        PLINTH_RETURN_IF_ERROR(ReadInts(message, &kinds));
        for (const int64_t kind : kinds) {
          PLINTH_ASSIGN_OR_RETURN(const OpSharding::Kind known, ShardingKind(kind));
          sharding->last_tile_dims.push_back(known);
        }
        break;
      }
      case Sharding::kIotaReshapeDims:
        PLINTH_RETURN_IF_ERROR(ReadInts(message, &sharding->iota_reshape_dims));
        break;
      case Sharding::kIotaTransposePerm:
        PLINTH_RETURN_IF_ERROR(ReadInts(message, &sharding->iota_transpose_perm));
        break;
      case Sharding::kTupleShardings:
        if (!IsBytes(message)) return Wrong(number, "a message");
        PLINTH_RETURN_IF_ERROR(ReadShardingMessage(message.get_message(), depth + 1,
                                                   &sharding->elements.emplace_back()));
        break;
      case Sharding::kNamedSharding:
        if (!IsBytes(message)) return Wrong(number, "a message");
        PLINTH_RETURN_IF_ERROR(ReadNamedSharding(message.get_message(), sharding));
        break;
      default:
        message.skip();
    }
  }
  return {};
}

}  // namespace

Expected<CompileOptions> ReadCompileOptions(std::span<const std::byte> proto) {
  return Guard<CompileOptions>("CompileOptionsProto", proto, ReadOptions);
}

std::string WriteCompileOptions(const CompileOptions& options) {
  std::string out;
  pbf_writer writer(out);
  WritePlain(kOptionInts, kOptionBools, options, writer);
  for (const std::string& layout : options.argument_layouts) {
    writer.add_bytes(Options::kArgumentLayouts, layout);
  }
  if (const std::string build = WriteBuild(options); !build.empty()) {
    writer.add_bytes(Options::kExecutableBuildOptions, build);
  }
  for (const auto& [key, value] : options.env_option_overrides) {
    writer.add_bytes(Options::kEnvOptionOverrides, WriteOverride(key, value));
  }
  for (const UnknownField& field : options.unknown_fields) out += field.bytes;
  return out;
}

Expected<DeviceAssignment> ReadDeviceAssignment(std::span<const std::byte> proto) {
  return Guard<DeviceAssignment>("DeviceAssignmentProto", proto, ReadAssignmentMessage);
}

std::string WriteDeviceAssignment(const DeviceAssignment& assignment) {
  std::string out;
  pbf_writer writer(out);
  writer.add_int32(Assignment::kReplicaCount, assignment.num_replicas);
  writer.add_int32(Assignment::kComputationCount, assignment.num_partitions);
  for (int partition = 0; partition < assignment.num_partitions; ++partition) {
    std::vector<int64_t> replicas;
    for (int replica = 0; replica < assignment.num_replicas; ++replica) {
      const size_t index = assignment.IndexOf(replica, partition);
      replicas.push_back(index < assignment.devices.size() ? assignment.devices[index] : 0);
    }
    pbf_writer computation(writer, Assignment::kComputationDevices);
    computation.add_packed_int64(ComputationDevice::kReplicaDeviceIds, replicas.begin(),
                                 replicas.end());
  }
  return out;
}

std::string WriteOpSharding(const OpSharding& sharding) {
  std::string out;
  pbf_writer writer(out);
  // The type is always written: an empty message would be no sharding at all to some readers.
  writer.add_int32(Sharding::kType, static_cast<int32_t>(sharding.kind));
  writer.add_packed_int64(Sharding::kTileAssignmentDimensions, sharding.tile_dimensions.begin(),
                          sharding.tile_dimensions.end());
  writer.add_packed_int64(Sharding::kTileAssignmentDevices, sharding.devices.begin(),
                          sharding.devices.end());
  for (const OpSharding& element : sharding.elements) {
    writer.add_bytes(Sharding::kTupleShardings, WriteOpSharding(element));
  }
  if (sharding.replicate_on_last_tile_dim) writer.add_bool(Sharding::kReplicateOnLastTileDim, true);
  std::vector<int32_t> last_tile_dims;
  for (const OpSharding::Kind kind : sharding.last_tile_dims) {
    last_tile_dims.push_back(static_cast<int32_t>(kind));
  }
  writer.add_packed_int32(Sharding::kLastTileDims, last_tile_dims.begin(), last_tile_dims.end());
  writer.add_packed_int64(Sharding::kIotaReshapeDims, sharding.iota_reshape_dims.begin(),
                          sharding.iota_reshape_dims.end());
  writer.add_packed_int64(Sharding::kIotaTransposePerm, sharding.iota_transpose_perm.begin(),
                          sharding.iota_transpose_perm.end());
  return out;
}

Expected<OpSharding> ReadOpSharding(std::span<const std::byte> proto) {
  return Guard<OpSharding>("OpSharding", proto, [](pbf_reader message, OpSharding* sharding) {
    return ReadShardingMessage(message, 0, sharding);
  });
}

}  // namespace plinth::messages

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/compile_options.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>

namespace plinth::program {
namespace {

using protozero::data_view;
using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

// CompileOptionsProto.
enum Options : uint32_t {
  kParameterIsTupled = 2,
  kBuildOptions = 3,
  kPortable = 4,
  kProfileVersion = 5,
  kOverrides = 7,
  kAllowInPlace = 9,
};
// ExecutableBuildOptionsProto.
enum Build : uint32_t {
  kDeviceOrdinal = 1,
  kDebugOptions = 3,
  kNumReplicas = 4,
  kNumPartitions = 5,
  kUseSpmd = 6,
  kDeduplicate = 8,
  kDeviceAssignment = 9,
  kAliasPassthrough = 10,
  kRunBackendOnly = 11,
  kPropagateToOutput = 12,
  kDeviceMemorySize = 15,
  kPropagateToParameters = 18,
  kUseShardy = 19,
  kProcessIndex = 22,
  kProcessCount = 23,
};
// An entry of env_option_overrides, and OptionOverrideProto.
enum Override : uint32_t { kKey = 1, kValue = 2 };
enum OverrideValue : uint32_t { kString = 1, kBool = 2, kInt = 3, kDouble = 4 };
// DeviceAssignmentProto and its ComputationDevice.
enum Assignment : uint32_t { kReplicaCount = 1, kComputationCount = 2, kComputations = 3 };
enum Computation : uint32_t { kReplicaDevices = 1 };
// OpSharding.
enum Sharding : uint32_t {
  kType = 1,
  kTileDimensions = 3,
  kTileDevices = 4,
  kTupleShardings = 5,
  kReplicateLastDim = 6,
};

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

constexpr IntField kOptionInts[] = {{kProfileVersion, &CompileOptions::profile_version}};
constexpr BoolField kOptionBools[] = {
    {kParameterIsTupled, &CompileOptions::parameter_is_tupled_arguments},
    {kPortable, &CompileOptions::compile_portable_executable},
    {kAllowInPlace, &CompileOptions::allow_in_place_mlir_modification},
};
constexpr IntField kBuildInts[] = {
    {kDeviceOrdinal, &CompileOptions::device_ordinal},
    {kNumReplicas, &CompileOptions::num_replicas},
    {kNumPartitions, &CompileOptions::num_partitions},
    {kDeviceMemorySize, &CompileOptions::device_memory_size},
    {kProcessIndex, &CompileOptions::process_index},
    {kProcessCount, &CompileOptions::process_count},
};
constexpr BoolField kBuildBools[] = {
    {kUseSpmd, &CompileOptions::use_spmd_partitioning},
    {kDeduplicate, &CompileOptions::deduplicate_hlo},
    {kAliasPassthrough, &CompileOptions::alias_passthrough_params},
    {kRunBackendOnly, &CompileOptions::run_backend_only},
    {kUseShardy, &CompileOptions::use_shardy_partitioner},
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

Status ReadAssignmentMessage(pbf_reader message, DeviceAssignment* assignment) {
  while (message.next()) {
    const uint32_t number = message.tag();
    if (number == kComputations) {
      if (!IsBytes(message)) return Wrong(number, "a message");
      pbf_reader computation = message.get_message();
      std::vector<int64_t>& devices = assignment->devices.emplace_back();
      while (computation.next()) {
        if (computation.tag() == kReplicaDevices) {
          PLINTH_RETURN_IF_ERROR(ReadInts(computation, &devices));
        } else {
          computation.skip();
        }
      }
    } else if (number == kReplicaCount || number == kComputationCount) {
      if (!IsVarint(message)) return Wrong(number, "an integer");
      (number == kReplicaCount ? assignment->replica_count : assignment->computation_count) =
          message.get_int32();
    } else {
      message.skip();
    }
  }
  if (assignment->computation_count < 0 || assignment->replica_count < 0 ||
      assignment->devices.size() != static_cast<size_t>(assignment->computation_count)) {
    return InvalidArgument("computation_count is ", assignment->computation_count, ", but ",
                           assignment->devices.size(), " computations have devices");
  }
  if ((assignment->replica_count == 0) != (assignment->computation_count == 0)) {
    return InvalidArgument("replica_count is ", assignment->replica_count,
                           " and computation_count ", assignment->computation_count,
                           "; none or both are zero");
  }
  for (const std::vector<int64_t>& devices : assignment->devices) {
    if (devices.size() != static_cast<size_t>(assignment->replica_count)) {
      return InvalidArgument("replica_count is ", assignment->replica_count,
                             ", but a computation has ", devices.size(), " devices");
    }
  }
  return {};
}

Status ReadOverride(pbf_reader entry, CompileOptions* options) {
  std::string key;
  CompileOptions::OptionValue value;
  while (entry.next()) {
    if (entry.tag() == kKey) {
      if (!IsBytes(entry)) return Wrong(kKey, "a string");
      key = entry.get_string();
    } else if (entry.tag() == kValue) {
      if (!IsBytes(entry)) return Wrong(kValue, "a message");
      pbf_reader message = entry.get_message();
      while (message.next()) {
        switch (message.tag()) {
          case kString:
            if (!IsBytes(message)) return Wrong(kString, "a string");
            value = message.get_string();
            break;
          case kBool:
            if (!IsVarint(message)) return Wrong(kBool, "a boolean");
            value = message.get_int64() != 0;
            break;
          case kInt:
            if (!IsVarint(message)) return Wrong(kInt, "an integer");
            value = message.get_int64();
            break;
          case kDouble:
            if (message.wire_type() != pbf_wire_type::fixed64) return Wrong(kDouble, "a double");
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
      case kDebugOptions:
        if (!IsBytes(message)) return Wrong(kDebugOptions, "a message");
        options->debug_options = message.get_string();
        break;
      case kDeviceAssignment: {
        if (!IsBytes(message)) return Wrong(kDeviceAssignment, "a message");
        DeviceAssignment assignment;
        Status status = ReadAssignmentMessage(message.get_message(), &assignment);
        if (!status.ok()) return status.WithContext("device_assignment");
        options->device_assignment = std::move(assignment);
        break;
      }
      case kPropagateToOutput:
        PLINTH_RETURN_IF_ERROR(
            ReadInts(message, &options->allow_spmd_sharding_propagation_to_output));
        break;
      case kPropagateToParameters:
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
    if (number == kBuildOptions || number == kOverrides) {
      if (!IsBytes(message)) return Wrong(number, "a message");
      Status status = number == kBuildOptions ? ReadBuild(message.get_message(), options)
                                              : ReadOverride(message.get_message(), options);
      if (!status.ok()) {
        return status.WithContext(number == kBuildOptions ? "executable_build_options"
                                                          : "env_option_overrides");
      }
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
  if (!options.debug_options.empty()) writer.add_bytes(kDebugOptions, options.debug_options);
  if (options.device_assignment.has_value()) {
    writer.add_bytes(kDeviceAssignment, WriteDeviceAssignment(*options.device_assignment));
  }
  WriteFlags(kPropagateToOutput, options.allow_spmd_sharding_propagation_to_output, writer);
  WriteFlags(kPropagateToParameters, options.allow_spmd_sharding_propagation_to_parameters, writer);
  for (const UnknownField& field : options.unknown_build_fields) out += field.bytes;
  return out;
}

std::string WriteOverride(const std::string& key, const CompileOptions::OptionValue& value) {
  std::string held;
  pbf_writer held_writer(held);
  if (const auto* text = std::get_if<std::string>(&value)) held_writer.add_string(kString, *text);
  if (const auto* flag = std::get_if<bool>(&value)) held_writer.add_bool(kBool, *flag);
  if (const auto* number = std::get_if<int64_t>(&value)) held_writer.add_int64(kInt, *number);
  if (const auto* number = std::get_if<double>(&value)) held_writer.add_double(kDouble, *number);
  std::string entry;
  pbf_writer writer(entry);
  writer.add_string(kKey, key);
  writer.add_bytes(kValue, held);
  return entry;
}

Status ReadShardingMessage(pbf_reader message, int depth, OpSharding* sharding) {
  if (depth > kMaxTupleDepth) return InvalidArgument("tuples nested deeper than ", kMaxTupleDepth);
  while (message.next()) {
    const uint32_t number = message.tag();
    switch (number) {
      case kType: {
        if (!IsVarint(message)) return Wrong(number, "an integer");
        const int32_t kind = message.get_int32();
        if (kind < 0 || kind > static_cast<int32_t>(OpSharding::Kind::kManual)) {
          return Unimplemented("sharding type ", kind, " is not known");
        }
        sharding->kind = static_cast<OpSharding::Kind>(kind);
        break;
      }
      case kTileDimensions:
        PLINTH_RETURN_IF_ERROR(ReadInts(message, &sharding->tile_dimensions));
        break;
      case kTileDevices:
        PLINTH_RETURN_IF_ERROR(ReadInts(message, &sharding->devices));
        break;
      case kReplicateLastDim:
        if (!IsVarint(message)) return Wrong(number, "a boolean");
        sharding->replicate_on_last_tile_dim = message.get_int64() != 0;
        break;
      case kTupleShardings:
        if (!IsBytes(message)) return Wrong(number, "a message");
        PLINTH_RETURN_IF_ERROR(ReadShardingMessage(message.get_message(), depth + 1,
                                                   &sharding->elements.emplace_back()));
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
  if (const std::string build = WriteBuild(options); !build.empty()) {
    writer.add_bytes(kBuildOptions, build);
  }
  for (const auto& [key, value] : options.env_option_overrides) {
    writer.add_bytes(kOverrides, WriteOverride(key, value));
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
  writer.add_int32(kReplicaCount, assignment.replica_count);
  writer.add_int32(kComputationCount, assignment.computation_count);
  for (const std::vector<int64_t>& devices : assignment.devices) {
    pbf_writer computation(writer, kComputations);
    computation.add_packed_int64(kReplicaDevices, devices.begin(), devices.end());
  }
  return out;
}

std::string WriteOpSharding(const OpSharding& sharding) {
  std::string out;
  pbf_writer writer(out);
  // The type is always written: an empty message would be no sharding at all to some readers.
  writer.add_int32(kType, static_cast<int32_t>(sharding.kind));
  writer.add_packed_int64(kTileDimensions, sharding.tile_dimensions.begin(),
                          sharding.tile_dimensions.end());
  writer.add_packed_int64(kTileDevices, sharding.devices.begin(), sharding.devices.end());
  for (const OpSharding& element : sharding.elements) {
    writer.add_bytes(kTupleShardings, WriteOpSharding(element));
  }
  if (sharding.replicate_on_last_tile_dim) writer.add_bool(kReplicateLastDim, true);
  return out;
}

Expected<OpSharding> ReadOpSharding(std::span<const std::byte> proto) {
  return Guard<OpSharding>("OpSharding", proto, [](pbf_reader message, OpSharding* sharding) {
    return ReadShardingMessage(message, 0, sharding);
  });
}

}  // namespace plinth::program

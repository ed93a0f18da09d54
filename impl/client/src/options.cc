// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/options.h"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <type_traits>

#include "plinth/support/parse_number.h"
#include "plinth/support/str_cat.h"

namespace plinth::client {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

// xla.CompileOptionsProto.
enum OptionsField : uint32_t { kTupleArguments = 2, kBuild = 3, kPortable = 4, kOverrides = 7 };
// xla.ExecutableBuildOptionsProto.
enum BuildField : uint32_t {
  kDeviceOrdinal = 1,
  kNumReplicas = 4,
  kNumPartitions = 5,
  kUseSpmd = 6,
  kAssignment = 9,
  kUseShardy = 19,
};
// A map entry, and xla.OptionOverrideProto.
enum EntryField : uint32_t { kKey = 1, kValue = 2 };
enum OverrideField : uint32_t { kString = 1, kBool = 2, kInt = 3, kDouble = 4 };
// xla.DeviceAssignmentProto and its ComputationDevice: lists of replicas for each partition.
enum AssignmentField : uint32_t { kReplicaCount = 1, kComputationCount = 2, kComputations = 3 };
enum ComputationField : uint32_t { kReplicaDevices = 1 };

// More devices than any run has: a larger count in a message is garbage.
constexpr int64_t kMaxDevices = 1 << 20;

struct WriteOverride {
  pbf_writer& out;
  void operator()(const std::string& value) const { out.add_string(kString, value); }
  void operator()(bool value) const { out.add_bool(kBool, value); }
  void operator()(int64_t value) const { out.add_int64(kInt, value); }
  void operator()(double value) const { out.add_double(kDouble, value); }
};

bool IsInteger(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The alternatives of Value, with the floating-point type of the caller.
template <typename Real>
using Typed = std::variant<std::string, int64_t, std::vector<int64_t>, Real, bool>;

template <typename Real>
Expected<Typed<Real>> ParseValue(std::string_view text) {
  using Result = Typed<Real>;
  if (text == "true") return Result(true);
  if (text == "false") return Result(false);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return Result(std::string(text.substr(1, text.size() - 2)));
  }
  int64_t integer;
  if (ParseNumber(text, &integer)) return Result(integer);
  if (IsInteger(text)) {
    return InvalidArgument(text.substr(0, 40),
                           " does not fit into 64 bits; a float has a point, "
                           "and a string stands in double quotes");
  }
  const bool is_list = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  std::vector<int64_t> list;
  if (is_list && ParseNumbers(text.substr(1, text.size() - 2), &list)) return Result(list);
  Real number;
  if (ParseNumber(text, &number)) return Result(number);
  return Result(std::string(text));
}

template <typename Real>
struct Assignment {
  std::string name;
  Typed<Real> value;
};

// "name=value".
template <typename Real>
Expected<Assignment<Real>> ParseAssignment(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return InvalidArgument("the option \"", text, "\" is not of the form name=value");
  }
  Assignment<Real> result{std::string(text.substr(0, equals)), {}};
  Expected<Typed<Real>> value = ParseValue<Real>(text.substr(equals + 1));
  if (!value.ok()) return value.status().WithContext(StrCat("the option ", result.name));
  result.value = *std::move(value);
  return result;
}

}  // namespace

Options& Options::Put(std::string name, Value value) {
  for (NamedValue& one : values_) {
    if (one.name == name) {
      one.value = std::move(value);
      return *this;
    }
  }
  values_.push_back({std::move(name), std::move(value)});
  return *this;
}

Status Options::Parse(std::string_view text) {
  PLINTH_ASSIGN_OR_RETURN(Assignment<float> option, ParseAssignment<float>(text));
  Put(std::move(option.name), std::move(option.value));
  return {};
}

std::string DeviceAssignment::Serialize() const {
  std::string proto;
  pbf_writer out(proto);
  out.add_int32(kReplicaCount, num_replicas);
  out.add_int32(kComputationCount, num_partitions);
  for (int partition = 0; partition < num_partitions; ++partition) {
    std::vector<int64_t> replicas;
    for (int replica = 0; replica < num_replicas; ++replica) {
      const size_t index = static_cast<size_t>(replica) * num_partitions + partition;
      replicas.push_back(index < devices.size() ? devices[index] : 0);
    }
    pbf_writer computation(out, kComputations);
    computation.add_packed_int64(kReplicaDevices, replicas.begin(), replicas.end());
  }
  return proto;
}

Expected<DeviceAssignment> DeviceAssignment::Deserialize(std::string_view proto) {
  DeviceAssignment result;
  result.num_replicas = result.num_partitions = 0;
  std::vector<std::vector<int64_t>> computations;
  // protozero reports malformed bytes by exceptions; none leaves this function.
  try {
    pbf_reader in(proto.data(), proto.size());
    while (in.next()) {
      if (in.tag() == kReplicaCount && in.wire_type() == pbf_wire_type::varint) {
        result.num_replicas = in.get_int32();
      } else if (in.tag() == kComputationCount && in.wire_type() == pbf_wire_type::varint) {
        result.num_partitions = in.get_int32();
      } else if (in.tag() == kComputations && in.wire_type() == pbf_wire_type::length_delimited) {
        std::vector<int64_t>& replicas = computations.emplace_back();
        pbf_reader computation = in.get_message();
        while (computation.next()) {
          if (computation.tag() != kReplicaDevices) {
            computation.skip();
          } else if (computation.wire_type() == pbf_wire_type::varint) {
            replicas.push_back(computation.get_int64());
          } else {
            for (int64_t device : computation.get_packed_int64()) replicas.push_back(device);
          }
        }
      } else {
        in.skip();
      }
    }
  } catch (const protozero::exception& error) {
    return InvalidArgument("a device assignment of ", proto.size(),
                           " bytes is no protocol buffer: ", error.what());
  }
  bool is_consistent = result.num_replicas >= 0 && result.num_partitions >= 0 &&
                       int64_t{result.num_replicas} * result.num_partitions <= kMaxDevices &&
                       computations.size() == static_cast<size_t>(result.num_partitions);
  for (const auto& replicas : computations) {
    is_consistent &= replicas.size() == static_cast<size_t>(result.num_replicas);
  }
  if (!is_consistent) {
    return InvalidArgument("a device assignment says ", result.num_replicas, " replicas and ",
                           result.num_partitions, " partitions and lists others");
  }
  for (int replica = 0; replica < result.num_replicas; ++replica) {
    for (const auto& replicas : computations) result.devices.push_back(replicas[replica]);
  }
  return result;
}

Status CompileOptions::ParseOverride(std::string_view text) {
  PLINTH_ASSIGN_OR_RETURN(const Assignment<double> option, ParseAssignment<double>(text));
  return std::visit(
      [&](const auto& value) -> Status {
        if constexpr (std::is_constructible_v<Override, decltype(value)>) {
          overrides[option.name] = value;
          return {};
        } else {
          return InvalidArgument("the compile option ", option.name, " cannot be a list");
        }
      },
      option.value);
}

std::string CompileOptions::Serialize() const {
  std::string proto;
  pbf_writer out(proto);
  if (tuple_arguments) out.add_bool(kTupleArguments, true);
  {
    pbf_writer build(out, kBuild);
    // Zero is the first device and the default of the field; -1 leaves the choice.
    build.add_int64(kDeviceOrdinal, device_ordinal);
    build.add_int64(kNumReplicas, num_replicas);
    build.add_int64(kNumPartitions, num_partitions);
    if (use_spmd_partitioning) build.add_bool(kUseSpmd, true);
    if (device_assignment) build.add_message(kAssignment, device_assignment->Serialize());
    if (use_shardy_partitioner) build.add_bool(kUseShardy, true);
  }
  if (portable) out.add_bool(kPortable, true);
  for (const auto& [name, value] : overrides) {
    pbf_writer entry(out, kOverrides);
    entry.add_string(kKey, name);
    pbf_writer override_value(entry, kValue);
    std::visit(WriteOverride{override_value}, value);
  }
  proto += extra_fields;
  return proto;
}

}  // namespace plinth::client

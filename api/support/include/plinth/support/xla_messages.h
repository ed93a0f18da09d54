// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_XLA_MESSAGES_H_
#define PLINTH_SUPPORT_XLA_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "plinth/support/device_assignment.h"
#include "plinth/support/status.h"

// The protocol buffers of XLA that cross the C API, as values: the one reader and writer. Their
// fields are rows of api/messages.
namespace plinth::messages {

// A protobuf field that has no place in the struct that carries it, as it was written (tag
// included), so that writing the message back loses nothing.
struct UnknownField {
  uint32_t number = 0;
  std::string bytes;
  friend bool operator==(const UnknownField&, const UnknownField&) = default;
};

// What CompileOptionsProto says. Defaults are those of an absent field.
struct CompileOptions {
  using OptionValue = std::variant<std::string, bool, int64_t, double>;

  // Serialized xla.ShapeProto, one per parameter; not looked into.
  std::vector<std::string> argument_layouts;
  bool parameter_is_tupled_arguments = false;
  bool compile_portable_executable = false;
  int64_t profile_version = 0;
  bool allow_in_place_mlir_modification = false;
  // jit(compiler_options=...): what the user gave, with its type.
  std::map<std::string, OptionValue> env_option_overrides;

  // executable_build_options:
  int64_t device_ordinal = -1;  // -1: the default device.
  std::string result_layout;    // A serialized xla.ShapeProto, or empty.
  int64_t num_replicas = 1;
  int64_t num_partitions = 1;
  bool use_spmd_partitioning = false;
  bool use_shardy_partitioner = false;
  bool deduplicate_hlo = false;
  bool alias_passthrough_params = false;
  bool run_backend_only = false;
  std::optional<DeviceAssignment> device_assignment;
  std::vector<bool> allow_spmd_sharding_propagation_to_output;
  std::vector<bool> allow_spmd_sharding_propagation_to_parameters;
  int64_t device_memory_size = 0;
  int64_t process_index = 0;
  std::optional<int64_t> process_count;  // Readers differ in what an absent one means.
  // Serialized xla.DebugOptions; XLA's own flags, not looked into.
  std::string debug_options;

  std::vector<UnknownField> unknown_fields;        // Of CompileOptionsProto.
  std::vector<UnknownField> unknown_build_fields;  // Of ExecutableBuildOptionsProto.
};

// INVALID_ARGUMENT, with the field, for bytes that are no such message. An empty input is a
// message with all defaults.
Expected<CompileOptions> ReadCompileOptions(std::span<const std::byte> proto);
// The same message again; unknown fields after the known ones.
std::string WriteCompileOptions(const CompileOptions& options);

// An assignment of no devices has 0 replicas and 0 partitions.
Expected<DeviceAssignment> ReadDeviceAssignment(std::span<const std::byte> proto);
// A device that `devices` lacks is written as 0.
std::string WriteDeviceAssignment(const DeviceAssignment& assignment);

// xla.OpSharding, as the Shardings extension of PJRT hands out.
struct OpSharding {
  enum class Kind : int32_t {
    kReplicated = 0,
    kMaximal = 1,
    kTuple = 2,
    kTiled = 3,
    kManual = 4,
    kUnknown = 5,
    kUnreduced = 6,
  };
  Kind kind = Kind::kReplicated;
  std::vector<int64_t> tile_dimensions;  // kTiled: tiles per dimension (+1 if the last replicates).
  std::vector<int64_t> devices;          // kTiled: row-major; kMaximal: the one device.
  bool replicate_on_last_tile_dim = false;
  std::vector<OpSharding> elements;  // kTuple.
  // kTiled: what the last of tile_dimensions stand for, instead of a dimension of the array.
  std::vector<Kind> last_tile_dims = {};
  // kTiled, instead of `devices`: 0, 1, 2, ... in this shape, transposed by the permutation.
  std::vector<int64_t> iota_reshape_dims = {};
  std::vector<int64_t> iota_transpose_perm = {};
  friend bool operator==(const OpSharding&, const OpSharding&) = default;
};
std::string WriteOpSharding(const OpSharding& sharding);
Expected<OpSharding> ReadOpSharding(std::span<const std::byte> proto);

}  // namespace plinth::messages

#endif  // PLINTH_SUPPORT_XLA_MESSAGES_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_OPTIONS_H_
#define PLINTH_CLIENT_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plinth/support/device_assignment.h"
#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::client {

// Named options of a client, topology or execution:
//   Options().Set("num_devices", 4).Set("name", "left")
// Setting a name again replaces its value. A plain value type.
class Options {
 public:
  Options& Set(std::string name, std::string value) & {
    return Put(std::move(name), std::move(value));
  }
  Options& Set(std::string name, const char* value) & {
    return Put(std::move(name), std::string(value));
  }
  Options& Set(std::string name, int64_t value) & { return Put(std::move(name), value); }
  Options& Set(std::string name, int value) & { return Put(std::move(name), int64_t{value}); }
  Options& Set(std::string name, float value) & { return Put(std::move(name), value); }
  Options& Set(std::string name, bool value) & { return Put(std::move(name), value); }
  Options& Set(std::string name, std::vector<int64_t> value) & {
    return Put(std::move(name), std::move(value));
  }
  template <typename T>
  Options&& Set(std::string name, T&& value) && {
    return std::move(Set(std::move(name), std::forward<T>(value)));
  }

  // Sets "name=value" as a person types it: true and false are booleans, then integers, lists of
  // integers "[1,2]", floats; everything else, and a text in double quotes, is a string.
  // INVALID_ARGUMENT without a name, and for integers of more than 64 bits.
  Status Parse(std::string_view text);
  // Several of them with ";" between, as in the environment variable PLINTH_CLIENT_OPTIONS.
  Status ParseList(std::string_view text);

  const std::vector<NamedValue>& values() const { return values_; }
  bool empty() const { return values_.empty(); }

 private:
  Options& Put(std::string name, Value value);
  std::vector<NamedValue> values_;
};

// A program as bytes that the caller owns during the call.
struct Program {
  std::string_view code;             // MLIR bytecode or text, or a serialized HLO module.
  std::string_view format = "mlir";  // Or "hlo".
};

using plinth::DeviceAssignment;

// How to compile; the plugin decides what is not set. A plain value type.
struct CompileOptions {
  using Override = std::variant<std::string, bool, int64_t, double>;

  int num_replicas = 1;
  int num_partitions = 1;
  // Several partitions are one SPMD program; Shardy propagates shardings.
  bool use_spmd_partitioning = false;
  bool use_shardy_partitioner = false;
  // Default: the plugin's DefaultDeviceAssignment.
  std::optional<DeviceAssignment> device_assignment;
  int device_ordinal = -1;  // -1: the default device.
  // May run on any one device, chosen by ExecuteOptions::device.
  bool portable = false;
  bool tuple_arguments = false;
  // The plugin's own options by name, for example "xla_cpu_enable_fast_math".
  std::map<std::string, Override> overrides;
  // Sets one as a person types it, "name=value": as Options::Parse reads it, but floats are doubles
  // and lists are refused.
  Status ParseOverride(std::string_view text);
  // More fields of CompileOptionsProto, serialized; appended as they are.
  std::string extra_fields;

  // A serialized xla.CompileOptionsProto.
  std::string Serialize() const;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_OPTIONS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_OPTIONS_H_
#define PLINTH_SDK_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/named_value.h"
#include "plinth/support/status.h"

namespace plinth::sdk {

using plinth::NamedValue;
using plinth::ToString;  // Beside that of shapes, which would hide it.
using plinth::Value;

// One option of PJRT_Client_Create (or PJRT_TopologyDescription_Create): its name, type and default
// (the type is that of the default), the range or the choices, and a sentence for users.
struct OptionSpec {
  std::string name = {};
  Value default_value = {};
  std::string doc = {};
  // Range of int64, elements of int64 lists and float; both ends are allowed.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  // Allowed strings; empty for any.
  std::vector<std::string> choices = {};
};

// The options of one call: every known name has a value, given or default.
class Options {
 public:
  Options() = default;

  // Checks `given` against `specs`. Values may come as their own type or as a string ("4", "true",
  // "1,2,3"): JAX_PJRT_CLIENT_CREATE_OPTIONS has only strings. Unknown names, wrong types and
  // values out of range are INVALID_ARGUMENT; the message lists the known ones.
  static Expected<Options> Parse(std::span<const OptionSpec> specs,
                                 std::span<const NamedValue> given);

  // The value of an option of that type. A name that no OptionSpec has, or a wrong type, is a
  // mistake in the plugin; the answer is then the type's zero.
  const std::string& GetString(std::string_view name) const;
  int64_t GetInt64(std::string_view name) const;
  const std::vector<int64_t>& GetInt64List(std::string_view name) const;
  float GetFloat(std::string_view name) const;
  bool GetBool(std::string_view name) const;
  // Whether the caller gave it.
  bool IsSet(std::string_view name) const;

 private:
  struct Entry {
    std::string name;
    Value value;
    bool is_set = false;
  };
  const Entry* Find(std::string_view name) const;
  std::vector<Entry> entries_;
};

// A table of the options with type, default, range and doc, one per line; for listings and errors.
std::string Describe(std::span<const OptionSpec> specs);

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_OPTIONS_H_

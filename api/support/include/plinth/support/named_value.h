// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_NAMED_VALUE_H_
#define PLINTH_SUPPORT_NAMED_VALUE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth {

// The value of a PJRT_NamedValue. The alternatives are in the order of PJRT_NamedValue_Type.
using Value = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;

// "string", "int64", "list of int64", "float" or "bool".
std::string_view TypeName(const Value& value);
// The value as an error message or a listing shows it.
std::string ToString(const Value& value);

struct NamedValue {
  std::string name;
  Value value;
};

// Copies an array of the C ABI. INVALID_ARGUMENT for nulls with a size and for unknown types.
Expected<std::vector<NamedValue>> NamedValuesFromC(const PJRT_NamedValue* values, size_t size);

// The C form of a list of named values, at addresses that stay as long as this object.
class NamedValueArray {
 public:
  NamedValueArray() = default;
  explicit NamedValueArray(std::vector<NamedValue> values);
  NamedValueArray(const NamedValueArray&) = delete;
  NamedValueArray& operator=(const NamedValueArray&) = delete;

  const PJRT_NamedValue* data() const { return c_values_.data(); }
  size_t size() const { return c_values_.size(); }
  const std::vector<NamedValue>& values() const { return values_; }

 private:
  std::vector<NamedValue> values_;
  std::vector<PJRT_NamedValue> c_values_;
};

}  // namespace plinth

#endif  // PLINTH_SUPPORT_NAMED_VALUE_H_

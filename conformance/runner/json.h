#ifndef PLINTH_CONFORMANCE_RUNNER_JSON_H_
#define PLINTH_CONFORMANCE_RUNNER_JSON_H_

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::conformance {

// A JSON value. The suite has its own reader and writer because it runs on vendors' machines with
// nothing else installed, and Debian has cJSON as a shared library only.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json>;

  Json() = default;                                             // null
  Json(bool value) : value_(value) {}                           // NOLINT: implicit by design
  Json(double value) : value_(value) {}                         // NOLINT
  Json(int value) : value_(static_cast<double>(value)) {}       // NOLINT
  Json(size_t value) : value_(static_cast<double>(value)) {}    // NOLINT
  Json(const char* value) : value_(std::string(value)) {}       // NOLINT
  Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Json(std::string value) : value_(std::move(value)) {}         // NOLINT
  Json(Array value) : value_(std::move(value)) {}               // NOLINT
  Json(Object value) : value_(std::move(value)) {}              // NOLINT

  // INVALID_ARGUMENT with line and column. Nesting is limited to 64, text to valid escapes.
  static Expected<Json> Parse(std::string_view text);

  // Null if it is of another kind.
  const bool* AsBool() const { return std::get_if<bool>(&value_); }
  const double* AsNumber() const { return std::get_if<double>(&value_); }
  const std::string* AsString() const { return std::get_if<std::string>(&value_); }
  const Array* AsArray() const { return std::get_if<Array>(&value_); }
  const Object* AsObject() const { return std::get_if<Object>(&value_); }
  // The member of that name, or null.
  const Json* Find(std::string_view key) const;

  // On one line; bytes that are no UTF-8 come out as U+FFFD.
  std::string ToString() const;

 private:
  void Write(std::string& out) const;

  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value_;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_JSON_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_JSON_H_
#define PLINTH_SUPPORT_JSON_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plinth/support/status.h"

namespace plinth {

// A JSON value. Integers of 64 bits are exact; objects keep the order of their members.
class Json {
 public:
  using Array = std::vector<Json>;

  // Looking up a member takes time in proportion to their number.
  class Object {
   public:
    using Member = std::pair<std::string, Json>;

    Object() = default;
    Object(std::initializer_list<Member> members);

    // The member of that name, added as null if there was none.
    Json& operator[](std::string_view key);
    // Null if there is none.
    const Json* Find(std::string_view key) const;
    // The member, or JSON's null.
    const Json& At(std::string_view key) const;
    void Erase(std::string_view key);

    std::vector<Member>::const_iterator begin() const { return members_.begin(); }
    std::vector<Member>::const_iterator end() const { return members_.end(); }
    size_t size() const { return members_.size(); }
    bool empty() const { return members_.empty(); }

   private:
    friend class JsonParser;
    std::vector<Member> members_;
  };

  // NOLINTBEGIN(google-explicit-constructor): values become JSON unasked.
  Json() = default;  // null
  template <std::same_as<bool> Bool>
  Json(Bool value) : value_(value) {}
  template <std::signed_integral Integer>
  Json(Integer value) : value_(static_cast<int64_t>(value)) {}
  template <std::unsigned_integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value) : Json(FromUnsigned(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  // INVALID_ARGUMENT with line and column. Refused are also: nesting deeper than 32, a key that
  // occurs twice in an object, NUL characters, and bytes that are not UTF-8.
  static Expected<Json> Parse(std::string_view text);
  // The same, of a text that must be an object.
  static Expected<Object> ParseObject(std::string_view text);

  // Null if it is of another kind.
  const bool* AsBool() const { return std::get_if<bool>(&value_); }
  const std::string* AsString() const { return std::get_if<std::string>(&value_); }
  const Array* AsArray() const { return std::get_if<Array>(&value_); }
  const Object* AsObject() const { return std::get_if<Object>(&value_); }
  // Any number; integers of more than 53 bits are rounded.
  std::optional<double> AsNumber() const;
  // A number that is whole (3, 3.0 and 3e0 are) and in the range of the type. Of those written with
  // a point or an exponent only up to 2^53, where they are exact.
  std::optional<int64_t> AsInteger() const;
  std::optional<uint64_t> AsUnsigned() const;

  // Empty, or false, if it is of another kind.
  const Array& Elements() const;
  const Object& Members() const;
  std::string_view Text() const;
  bool IsTrue() const;

  // The member of that name; null if there is none or this is no object.
  const Json* Find(std::string_view key) const { return Members().Find(key); }
  // The same; JSON's null if there is none.
  const Json& At(std::string_view key) const { return Members().At(key); }

  // "a text", "an object" and so on.
  std::string_view KindName() const;

  // On one line, without spaces. NUL characters and bytes that are no UTF-8 come out as U+FFFD,
  // infinities and NaNs as null.
  std::string ToString() const;
  // For people: a line for each member of an object, indented by tabs.
  std::string ToIndentedString() const;

 private:
  static Json FromUnsigned(uint64_t value);

  // uint64_t is for what int64_t cannot hold.
  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> value_;
};

}  // namespace plinth

#endif  // PLINTH_SUPPORT_JSON_H_

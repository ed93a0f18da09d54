// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plinth/support/text.h"

namespace plinth {
namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

const Json& Null() {
  static const auto* const kNull = new Json();  // Never destroyed: used until the process ends.
  return *kNull;
}

void WriteText(std::string_view text, std::string& out) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  out += '"';
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    if (size_t escape = kEscaped.find(text[0]); escape != std::string_view::npos) {
      out += '\\';
      out += kLetters[escape];
    } else if (length == 0 || text[0] == '\0') {
      out += "\xEF\xBF\xBD";
    } else if (static_cast<unsigned char>(text[0]) < 0x20) {
      constexpr char kDigits[] = "0123456789abcdef";
      out += "\\u00";
      out += kDigits[text[0] >> 4];
      out += kDigits[text[0] & 15];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

// `indent`: tabs in front of the members; -1 on one line.
void Write(const Json& value, int indent, std::string& out) {
  if (const bool* truth = value.AsBool()) {
    out += *truth ? "true" : "false";
  } else if (const std::string* text = value.AsString()) {
    WriteText(*text, out);
  } else if (const Json::Array* array = value.AsArray()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += indent < 0 ? "," : ", ";
      Write((*array)[i], indent, out);
    }
    out += ']';
  } else if (const Json::Object* object = value.AsObject()) {
    const int inner = indent < 0 ? -1 : indent + 1;
    const auto new_line = [&](int tabs) {
      if (indent >= 0) out += "\n" + std::string(static_cast<size_t>(tabs), '\t');
    };
    out += '{';
    bool is_first = true;
    for (const auto& [key, member] : *object) {
      if (!is_first) out += ',';
      is_first = false;
      new_line(inner);
      WriteText(key, out);
      out += indent < 0 ? ":" : ":\t";
      Write(member, inner, out);
    }
    if (!is_first) new_line(indent);
    out += '}';
  } else if (auto integer = value.AsInteger()) {
    // Zero has a sign in a double.
    out += *integer == 0 && std::signbit(*value.AsNumber()) ? "-0" : StrCat(*integer);
  } else if (auto whole = value.AsUnsigned()) {
    out += StrCat(*whole);
  } else if (auto number = value.AsNumber(); number && std::isfinite(*number)) {
    out += StrCat(*number);
  } else {
    out += "null";
  }
}

}  // namespace

Json::Object::Object(std::initializer_list<Member> members) {
  for (const Member& member : members) (*this)[member.first] = member.second;
}

Json& Json::Object::operator[](std::string_view key) {
  for (Member& member : members_) {
    if (member.first == key) return member.second;
  }
  return members_.emplace_back(std::string(key), Json()).second;
}

const Json* Json::Object::Find(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

const Json& Json::Object::At(std::string_view key) const {
  const Json* found = Find(key);
  return found == nullptr ? Null() : *found;
}

void Json::Object::Erase(std::string_view key) {
  std::erase_if(members_, [&](const Member& member) { return member.first == key; });
}

Json Json::FromUnsigned(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Json(static_cast<int64_t>(value));
  }
  Json json;
  json.value_ = value;
  return json;
}

std::optional<double> Json::AsNumber() const {
  if (auto* number = std::get_if<double>(&value_)) return *number;
  if (auto* integer = std::get_if<int64_t>(&value_)) return static_cast<double>(*integer);
  if (auto* integer = std::get_if<uint64_t>(&value_)) return static_cast<double>(*integer);
  return std::nullopt;
}

std::optional<int64_t> Json::AsInteger() const {
  if (auto* integer = std::get_if<int64_t>(&value_)) return *integer;
  auto* number = std::get_if<double>(&value_);
  if (number == nullptr || std::trunc(*number) != *number || std::fabs(*number) > kLargestExact) {
    return std::nullopt;
  }
  return static_cast<int64_t>(*number);
}

std::optional<uint64_t> Json::AsUnsigned() const {
  if (auto* integer = std::get_if<uint64_t>(&value_)) return *integer;
  std::optional<int64_t> integer = AsInteger();
  if (!integer || *integer < 0) return std::nullopt;
  return static_cast<uint64_t>(*integer);
}

const Json::Array& Json::Elements() const {
  static const auto* const kNone = new Array();
  const Array* array = AsArray();
  return array == nullptr ? *kNone : *array;
}

const Json::Object& Json::Members() const {
  static const auto* const kNone = new Object();
  const Object* object = AsObject();
  return object == nullptr ? *kNone : *object;
}

std::string_view Json::Text() const {
  const std::string* text = AsString();
  return text == nullptr ? std::string_view() : *text;
}

bool Json::IsTrue() const {
  const bool* truth = AsBool();
  return truth != nullptr && *truth;
}

std::string_view Json::KindName() const {
  // In the order of the alternatives.
  constexpr std::string_view kNames[] = {"null",     "a boolean", "a number", "a number",
                                         "a number", "a text",    "a list",   "an object"};
  static_assert(std::size(kNames) == std::variant_size_v<decltype(value_)>);
  return kNames[value_.index()];
}

std::string Json::ToString() const {
  std::string out;
  Write(*this, -1, out);
  return out;
}

std::string Json::ToIndentedString() const {
  std::string out;
  Write(*this, 0, out);
  return out;
}

}  // namespace plinth

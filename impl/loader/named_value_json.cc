// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/named_value_json.h"

#include "plinth/support/parse_number.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

Expected<Value> ValueFromJson(std::string_view name, const Json& json) {
  if (const std::string* text = json.AsString()) return Value(*text);
  if (const bool* flag = json.AsBool()) return Value(*flag);
  if (auto integer = json.AsInteger()) return Value(*integer);
  if (auto number = json.AsNumber()) return Value(static_cast<float>(*number));
  if (json.AsArray() == nullptr) {
    return InvalidArgument("the option '", name, "' is ", json.KindName());
  }
  std::vector<int64_t> list;
  for (const Json& element : json.Elements()) {
    const auto integer = element.AsInteger();
    if (!integer) return InvalidArgument("the option '", name, "' is no list of whole numbers");
    list.push_back(*integer);
  }
  return Value(std::move(list));
}

// As the float's shortest text: 0.1 is to be 0.1, not 0.10000000149011612.
Json FloatToJson(float value) {
  double same;
  return ParseNumber(StrCat(value), &same) ? Json(same) : Json(value);
}

}  // namespace

Json ValueToJson(const Value& value) {
  if (auto* text = std::get_if<std::string>(&value)) return *text;
  if (auto* integer = std::get_if<int64_t>(&value)) return *integer;
  if (auto* number = std::get_if<float>(&value)) return FloatToJson(*number);
  if (auto* flag = std::get_if<bool>(&value)) return *flag;
  const auto& list = std::get<std::vector<int64_t>>(value);
  return Json::Array(list.begin(), list.end());
}

Expected<std::vector<NamedValue>> OptionsFromJson(std::string_view text) {
  std::vector<NamedValue> options;
  if (text.empty()) return options;
  PLINTH_ASSIGN_OR_RETURN(const Json::Object object, Json::ParseObject(text));
  for (const auto& [name, json] : object) {
    PLINTH_ASSIGN_OR_RETURN(Value value, ValueFromJson(name, json));
    options.push_back({name, std::move(value)});
  }
  return options;
}

}  // namespace plinth::loader

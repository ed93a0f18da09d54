// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/named_value.h"

#include <cstring>
#include <utility>

#include "plinth/support/args.h"
#include "plinth/support/float_text.h"

namespace plinth {

std::string_view TypeName(const Value& value) {
  static constexpr std::string_view kNames[] = {"string", "int64", "list of int64", "float",
                                                "bool"};
  return kNames[value.index()];
}

std::string ToString(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return StrCat('"', *text, '"');
  if (const auto* number = std::get_if<int64_t>(&value)) return StrCat(*number);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    return StrCat('[', StrJoin(*list), ']');
  }
  if (const auto* number = std::get_if<float>(&value)) return FloatText(*number);
  return StrCat(std::get<bool>(value));
}

namespace {

Expected<Value> ValueFromC(const PJRT_NamedValue& value, std::string_view name) {
  switch (RawEnum(value.type)) {
    case PJRT_NamedValue_kString:
      if (value.string_value == nullptr && value.value_size != 0) break;
      return Value(value.value_size == 0 ? std::string()
                                         : std::string(value.string_value, value.value_size));
    case PJRT_NamedValue_kInt64:
      return Value(value.int64_value);
    case PJRT_NamedValue_kInt64List:
      if (value.int64_array_value == nullptr && value.value_size != 0) break;
      return Value(std::vector<int64_t>(value.int64_array_value,
                                        value.int64_array_value + value.value_size));
    case PJRT_NamedValue_kFloat:
      return Value(value.float_value);
    case PJRT_NamedValue_kBool:
      return Value(RawBool(value.bool_value));
    default:
      return InvalidArgument("the value named \"", name, "\" has type ", RawEnum(value.type),
                             "; known types are 0 to 4 (string, int64, int64 list, float, bool)");
  }
  return InvalidArgument("the value named \"", name, "\" is null with size ", value.value_size);
}

}  // namespace

Expected<std::vector<NamedValue>> NamedValuesFromC(const PJRT_NamedValue* values, size_t size) {
  std::vector<NamedValue> result;
  if (size == 0) return result;
  if (values == nullptr) return InvalidArgument("a list of ", size, " named values is null");
  for (size_t i = 0; i < size; ++i) {
    if (values[i].name == nullptr && values[i].name_size != 0) {
      return InvalidArgument("named value ", i, " has a null name of size ", values[i].name_size);
    }
    std::string name(values[i].name_size == 0 ? "" : values[i].name, values[i].name_size);
    PLINTH_ASSIGN_OR_RETURN(Value value, ValueFromC(values[i], name));
    result.push_back({std::move(name), std::move(value)});
  }
  return result;
}

NamedValueArray::NamedValueArray(std::vector<NamedValue> values) : values_(std::move(values)) {
  c_values_.reserve(values_.size());
  for (const NamedValue& named : values_) {
    PJRT_NamedValue c;
    std::memset(&c, 0, sizeof(c));
    c.struct_size = PJRT_NamedValue_STRUCT_SIZE;
    c.name = named.name.data();
    c.name_size = named.name.size();
    c.type = static_cast<PJRT_NamedValue_Type>(named.value.index());
    c.value_size = 1;
    if (const auto* text = std::get_if<std::string>(&named.value)) {
      c.string_value = text->data();
      c.value_size = text->size();
    } else if (const auto* number = std::get_if<int64_t>(&named.value)) {
      c.int64_value = *number;
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&named.value)) {
      c.int64_array_value = list->data();
      c.value_size = list->size();
    } else if (const auto* real = std::get_if<float>(&named.value)) {
      c.float_value = *real;
    } else {
      c.bool_value = std::get<bool>(named.value);
    }
    c_values_.push_back(c);
  }
}

}  // namespace plinth

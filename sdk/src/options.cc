// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/options.h"

#include <cmath>

#include "plinth/support/parse_number.h"

namespace plinth::sdk {
namespace {

// The value that a string stands for, in the type of the option; nothing if it is none.
std::optional<Value> FromString(std::string_view text, const Value& type) {
  if (std::holds_alternative<std::string>(type)) return Value(std::string(text));
  if (std::holds_alternative<int64_t>(type)) {
    int64_t number = 0;
    if (ParseNumber(Trim(text), &number)) return Value(number);
  } else if (std::holds_alternative<float>(type)) {
    float number = 0;
    if (ParseNumber(Trim(text), &number)) return Value(number);
  } else if (std::holds_alternative<bool>(type)) {
    for (std::string_view yes : {"true", "True", "1"}) {
      if (text == yes) return Value(true);
    }
    for (std::string_view no : {"false", "False", "0"}) {
      if (text == no) return Value(false);
    }
  } else {
    std::vector<int64_t> list;
    if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
      text = text.substr(1, text.size() - 2);
    }
    if (!ParseNumbers(text, &list)) return std::nullopt;
    return Value(std::move(list));
  }
  return std::nullopt;
}

Status CheckRange(const OptionSpec& spec, const Value& value) {
  auto outside = [&](double number) {
    return std::isnan(number) || number < spec.min || number > spec.max;
  };
  bool bad = false;
  if (const auto* number = std::get_if<int64_t>(&value)) {
    bad = outside(static_cast<double>(*number));
  } else if (const auto* real = std::get_if<float>(&value)) {
    bad = outside(*real);
  } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    for (int64_t element : *list) bad = bad || outside(static_cast<double>(element));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    if (!spec.choices.empty()) {
      bad = true;
      for (const std::string& choice : spec.choices) bad = bad && choice != *text;
      if (bad) {
        return InvalidArgument("option \"", spec.name, "\" is ", ToString(value),
                               "; it may be one of: ", StrJoin(spec.choices));
      }
    }
  }
  if (!bad) return {};
  return InvalidArgument("option \"", spec.name, "\" is ", ToString(value), "; it must be from ",
                         spec.min, " to ", spec.max);
}

const OptionSpec* FindSpec(std::span<const OptionSpec> specs, std::string_view name) {
  for (const OptionSpec& spec : specs) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

// The given value in the option's own type.
Expected<Value> Convert(const OptionSpec& spec, const Value& given) {
  const Value& type = spec.default_value;
  if (given.index() == type.index()) return given;
  if (const auto* text = std::get_if<std::string>(&given)) {
    if (std::optional<Value> value = FromString(*text, type)) return *std::move(value);
    return InvalidArgument("option \"", spec.name, "\" is ", ToString(given), ", which is no ",
                           TypeName(type));
  }
  // A whole number does for a float.
  if (std::holds_alternative<float>(type) && std::holds_alternative<int64_t>(given)) {
    return Value(static_cast<float>(std::get<int64_t>(given)));
  }
  return InvalidArgument("option \"", spec.name, "\" is ", ToString(given), " (", TypeName(given),
                         "); it must be of type ", TypeName(type));
}

}  // namespace

Expected<Options> Options::Parse(std::span<const OptionSpec> specs,
                                 std::span<const NamedValue> given) {
  Options options;
  for (const OptionSpec& spec : specs) {
    options.entries_.push_back({spec.name, spec.default_value, false});
  }
  for (const NamedValue& named : given) {
    const OptionSpec* spec = FindSpec(specs, named.name);
    if (spec == nullptr) {
      return InvalidArgument("unknown option \"", named.name, "\"; known options:\n",
                             Describe(specs));
    }
    PLINTH_ASSIGN_OR_RETURN(Value value, Convert(*spec, named.value));
    PLINTH_RETURN_IF_ERROR(CheckRange(*spec, value));
    Entry& entry = options.entries_[static_cast<size_t>(spec - specs.data())];
    if (entry.is_set) {
      return InvalidArgument("option \"", named.name, "\" is given twice: ", ToString(entry.value),
                             ", then ", ToString(named.value));
    }
    entry.value = std::move(value);
    entry.is_set = true;
  }
  return options;
}

const Options::Entry* Options::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

bool Options::IsSet(std::string_view name) const {
  const Entry* entry = Find(name);
  return entry != nullptr && entry->is_set;
}

const std::string& Options::GetString(std::string_view name) const {
  static const auto* const kNone = new std::string();
  const Entry* entry = Find(name);
  const auto* value = entry == nullptr ? nullptr : std::get_if<std::string>(&entry->value);
  return value == nullptr ? *kNone : *value;
}

int64_t Options::GetInt64(std::string_view name) const {
  const Entry* entry = Find(name);
  const auto* value = entry == nullptr ? nullptr : std::get_if<int64_t>(&entry->value);
  return value == nullptr ? 0 : *value;
}

const std::vector<int64_t>& Options::GetInt64List(std::string_view name) const {
  static const auto* const kNone = new std::vector<int64_t>();
  const Entry* entry = Find(name);
  const auto* value = entry == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(&entry->value);
  return value == nullptr ? *kNone : *value;
}

float Options::GetFloat(std::string_view name) const {
  const Entry* entry = Find(name);
  const auto* value = entry == nullptr ? nullptr : std::get_if<float>(&entry->value);
  return value == nullptr ? 0 : *value;
}

bool Options::GetBool(std::string_view name) const {
  const Entry* entry = Find(name);
  const auto* value = entry == nullptr ? nullptr : std::get_if<bool>(&entry->value);
  return value != nullptr && *value;
}

std::string Describe(std::span<const OptionSpec> specs) {
  if (specs.empty()) return "  (none)";
  std::string out;
  for (const OptionSpec& spec : specs) {
    if (!out.empty()) out.push_back('\n');
    out.append(StrCat("  ", spec.name, " (", TypeName(spec.default_value), ", default ",
                      ToString(spec.default_value)));
    if (std::isfinite(spec.min) || std::isfinite(spec.max)) {
      out.append(StrCat(", from ", spec.min, " to ", spec.max));
    }
    if (!spec.choices.empty()) out.append(StrCat(", one of ", StrJoin(spec.choices, "|")));
    out.append(StrCat("): ", spec.doc));
  }
  return out;
}

}  // namespace plinth::sdk

// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/options.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "plinth/support/parse_number.h"
#include "plinth/support/str_cat.h"
#include "plinth/support/xla_messages.h"

namespace plinth::client {
namespace {

bool IsInteger(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The alternatives of Value, with the floating-point type of the caller.
template <typename Real>
using Typed = std::variant<std::string, int64_t, std::vector<int64_t>, Real, bool>;

template <typename Real>
Expected<Typed<Real>> ParseValue(std::string_view text) {
  using Result = Typed<Real>;
  if (text == "true") return Result(true);
  if (text == "false") return Result(false);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return Result(std::string(text.substr(1, text.size() - 2)));
  }
  int64_t integer;
  if (ParseNumber(text, &integer)) return Result(integer);
  if (IsInteger(text)) {
    return InvalidArgument(text.substr(0, 40),
                           " does not fit into 64 bits; a float has a point, "
                           "and a string stands in double quotes");
  }
  const bool is_list = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  std::vector<int64_t> list;
  if (is_list && ParseNumbers(text.substr(1, text.size() - 2), &list)) return Result(list);
  Real number;
  if (ParseNumber(text, &number)) return Result(number);
  return Result(std::string(text));
}

template <typename Real>
struct Assignment {
  std::string name;
  Typed<Real> value;
};

// "name=value".
template <typename Real>
Expected<Assignment<Real>> ParseAssignment(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return InvalidArgument("the option \"", text, "\" is not of the form name=value");
  }
  Assignment<Real> result{std::string(text.substr(0, equals)), {}};
  Expected<Typed<Real>> value = ParseValue<Real>(text.substr(equals + 1));
  if (!value.ok()) return value.status().WithContext(StrCat("the option ", result.name));
  result.value = *std::move(value);
  return result;
}

}  // namespace

Options& Options::Put(std::string name, Value value) {
  for (NamedValue& one : values_) {
    if (one.name == name) {
      one.value = std::move(value);
      return *this;
    }
  }
  values_.push_back({std::move(name), std::move(value)});
  return *this;
}

Status Options::Parse(std::string_view text) {
  PLINTH_ASSIGN_OR_RETURN(Assignment<float> option, ParseAssignment<float>(text));
  Put(std::move(option.name), std::move(option.value));
  return {};
}

Status Options::ParseList(std::string_view text) {
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(';'));
    if (!one.empty()) PLINTH_RETURN_IF_ERROR(Parse(one));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
  }
  return {};
}

Status CompileOptions::ParseOverride(std::string_view text) {
  PLINTH_ASSIGN_OR_RETURN(const Assignment<double> option, ParseAssignment<double>(text));
  return std::visit(
      [&](const auto& value) -> Status {
        if constexpr (std::is_constructible_v<Override, decltype(value)>) {
          overrides[option.name] = value;
          return {};
        } else {
          return InvalidArgument("the compile option ", option.name, " cannot be a list");
        }
      },
      option.value);
}

std::string CompileOptions::Serialize() const {
  messages::CompileOptions message;
  message.parameter_is_tupled_arguments = tuple_arguments;
  message.compile_portable_executable = portable;
  message.env_option_overrides = overrides;
  message.device_ordinal = device_ordinal;
  message.num_replicas = num_replicas;
  message.num_partitions = num_partitions;
  message.use_spmd_partitioning = use_spmd_partitioning;
  message.use_shardy_partitioner = use_shardy_partitioner;
  message.device_assignment = device_assignment;
  return messages::WriteCompileOptions(message) + extra_fields;
}

}  // namespace plinth::client

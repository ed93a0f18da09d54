#include "reference_plugin/cpu/pjrt/compile_flags.h"

#include <optional>
#include <variant>

namespace plinth::cpu {
namespace {

struct Flag {
  const char* name;
  bool compiler::PipelineOptions::*field;
  const char* doc;
};

constexpr Flag kFlags[] = {
    {"fusion", &compiler::PipelineOptions::fusion, "false runs every op as a step of its own"},
    {"simplify", &compiler::PipelineOptions::simplify, "false keeps every op of the program"},
};

std::optional<bool> AsBool(const program::CompileOptions::OptionValue& value) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean;
  if (const int64_t* number = std::get_if<int64_t>(&value)) {
    if (*number == 0 || *number == 1) return *number == 1;
  }
  if (const std::string* text = std::get_if<std::string>(&value)) {
    if (*text == "on" || *text == "true" || *text == "1") return true;
    if (*text == "off" || *text == "false" || *text == "0") return false;
  }
  return std::nullopt;
}

}  // namespace

Status ApplyCompileFlags(const std::map<std::string, program::CompileOptions::OptionValue>& flags,
                         compiler::PipelineOptions& options) {
  for (const auto& [name, value] : flags) {
    const Flag* known = nullptr;
    std::string names;
    for (const Flag& flag : kFlags) {
      if (name == flag.name) known = &flag;
      names += StrCat(names.empty() ? "" : ", ", flag.name, " (", flag.doc, ")");
    }
    if (known == nullptr) {
      return InvalidArgument("unknown compiler option \"", name, "\"; known are: ", names);
    }
    std::optional<bool> boolean = AsBool(value);
    if (!boolean.has_value()) {
      return InvalidArgument("compiler option \"", name,
                             "\" takes a boolean, \"on\" or \"off\", not what was given");
    }
    options.*known->field = *boolean;
  }
  return Status();
}

}  // namespace plinth::cpu

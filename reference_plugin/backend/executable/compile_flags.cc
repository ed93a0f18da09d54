// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/compile_flags.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "plinth/support/float_text.h"
#include "plinth/support/str_cat.h"

namespace plinth::backend {
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

// What the partitioner does with ops that it cannot spread.
constexpr std::string_view kPartitionerFallback = "partitioner_fallback";
constexpr std::pair<std::string_view, compiler::partition::Fallback> kFallbacks[] = {
    {"allow", compiler::partition::Fallback::kAllow},
    {"warn", compiler::partition::Fallback::kWarn},
    {"error", compiler::partition::Fallback::kError},
};

// XLA's own debugging options. Programs that tune XLA run here as well, and what they ask for
// changes nothing, but for the folder of dumps; a name that XLA does not know is a mistake here as
// there.
constexpr std::string_view kXlaPrefix = "xla_";
constexpr std::string_view kXlaNames =  // without the prefix, each on a line
#include "reference_plugin/backend/executable/xla_option_names.inc"
    ;

bool IsXlaOption(std::string_view name) {
  if (!name.starts_with(kXlaPrefix)) return false;
  name.remove_prefix(kXlaPrefix.size());
  return name.find('\n') == name.npos && kXlaNames.find(StrCat("\n", name, "\n")) != kXlaNames.npos;
}

// Those whose values are known to be truth values.
constexpr std::string_view kXlaBooleans[] = {
    "xla_cpu_enable_concurrency_optimized_scheduler",
    "xla_cpu_enable_fast_math",
    "xla_cpu_enable_fast_min_max",
    "xla_dump_hlo_as_text",
    "xla_embed_ir_in_executable",
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

std::string TextOf(const program::CompileOptions::OptionValue& value) {
  constexpr size_t kMostText = 100;
  if (const auto* text = std::get_if<std::string>(&value)) {
    size_t end = std::min(text->size(), kMostText);
    // Not within a character of UTF-8: languages refuse such messages.
    while (end > 0 && end < text->size() && ((*text)[end] & 0xC0) == 0x80) --end;
    return StrCat("'", std::string_view(*text).substr(0, end), end < text->size() ? "...'" : "'");
  }
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return FloatText(*number);
  return StrCat(std::get<int64_t>(value));
}

// With the words of XLA's own complaint, which programs look for.
Status NoBoolean(std::string_view name, const program::CompileOptions::OptionValue& value) {
  return InvalidArgument(
      "compiler option \"", name, "\": ", TextOf(value),
      " is not a valid bool value. Expected one of true, false, 1, 0, \"on\", \"off\"");
}

Status ApplyFallback(const program::CompileOptions::OptionValue& value,
                     compiler::PipelineOptions& options) {
  const auto* text = std::get_if<std::string>(&value);
  for (const auto& [name, fallback] : kFallbacks) {
    if (text == nullptr || *text != name) continue;
    options.fallback = fallback;
    return Status();
  }
  return InvalidArgument("compiler option \"", kPartitionerFallback, "\": ", TextOf(value),
                         "; expected allow, warn or error");
}

}  // namespace

Status ApplyCompileFlags(const std::map<std::string, program::CompileOptions::OptionValue>& flags,
                         compiler::PipelineOptions& options) {
  for (const auto& [name, value] : flags) {
    if (name == kPartitionerFallback) {
      PLINTH_RETURN_IF_ERROR(ApplyFallback(value, options));
      continue;
    }
    const Flag* known = nullptr;
    std::string names;
    for (const Flag& flag : kFlags) {
      if (name == flag.name) known = &flag;
      names += StrCat(names.empty() ? "" : ", ", flag.name, " (", flag.doc, ")");
    }
    const std::optional<bool> boolean = AsBool(value);
    if (known == nullptr && IsXlaOption(name)) {
      if (std::ranges::find(kXlaBooleans, name) != std::end(kXlaBooleans) && !boolean.has_value()) {
        return NoBoolean(name, value);
      }
      if (name == kXlaDumpTo) {
        const auto* folder = std::get_if<std::string>(&value);
        if (folder == nullptr) {
          return InvalidArgument("compiler option \"", name, "\": ", TextOf(value),
                                 " is not the name of a folder");
        }
        // "-" is XLA's name of the standard output, to which nothing is written here.
        if (*folder != "-") options.dump_to = *folder;
      }
      continue;
    }
    if (known == nullptr) {
      return InvalidArgument("No such compile option: '", name, "' (", TextOf(value),
                             " was given). Known are: ", names, ", ", kPartitionerFallback,
                             " (allow, warn or error), and the debugging options of XLA (",
                             kXlaPrefix, "...), of which only ", kXlaDumpTo, " has an effect here");
    }
    if (!boolean.has_value()) return NoBoolean(name, value);
    options.*known->field = *boolean;
  }
  return Status();
}

}  // namespace plinth::backend

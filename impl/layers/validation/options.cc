// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/options.h"

#include "impl/layers/option_list.h"
#include "plinth/support/parse_number.h"

namespace plinth::layers::validation {
namespace {

constexpr std::string_view kKnown =
    "mode=log|error|break, limit=<number of reports>, leaks=true|false";

Status SetOption(std::string_view name, std::string_view value, Options* options) {
  if (name == "mode") {
    if (value == "log") {
      options->mode = Mode::kLog;
    } else if (value == "error") {
      options->mode = Mode::kError;
    } else if (value == "break") {
      options->mode = Mode::kBreak;
    } else {
      return InvalidArgument("mode=", value, " is none of log, error and break");
    }
    return {};
  }
  if (name == "leaks") {
    if (value != "true" && value != "false") {
      return InvalidArgument("leaks=", value, " is neither true nor false");
    }
    options->leaks = value == "true";
    return {};
  }
  if (name == "limit") {
    if (ParseNumber(value, &options->limit)) return {};
    return InvalidArgument("limit=", value, " is not a number of reports");
  }
  return InvalidArgument("there is no option `", name, "`; the options are ", kKnown);
}

}  // namespace

Expected<Options> ParseOptions(std::string_view text) {
  Options options;
  const Status status = ForEachOption(text, [&](std::string_view name, std::string_view value) {
    if (value.empty()) {
      return InvalidArgument("`", name, "` has no value; the options are ", kKnown);
    }
    return SetOption(name, value, &options);
  });
  if (!status.ok()) return status.WithContext("layer validation");
  return options;
}

}  // namespace plinth::layers::validation

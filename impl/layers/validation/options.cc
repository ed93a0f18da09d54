#include "impl/layers/validation/options.h"

#include <charconv>

#include "plinth/support/text.h"

namespace plinth::layers::validation {
namespace {

constexpr std::string_view kKnown =
    "mode=log|error|break, limit=<number of reports>, leaks=true|false";

Status SetOption(std::string_view name, std::string_view value, Options* options) {
  if (name == "mode") {
    if (value == "log")
      options->mode = Mode::kLog;
    else if (value == "error")
      options->mode = Mode::kError;
    else if (value == "break")
      options->mode = Mode::kBreak;
    else
      return InvalidArgument("mode=", value, " is none of log, error and break");
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
    const char* end = value.data() + value.size();
    auto [last, error] = std::from_chars(value.data(), end, options->limit);
    if (error != std::errc() || last != end) {
      return InvalidArgument("limit=", value, " is not a number of reports");
    }
    return {};
  }
  return InvalidArgument("there is no option `", name, "`; the options are ", kKnown);
}

}  // namespace

Expected<Options> ParseOptions(std::string_view text) {
  Options options;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view item = Trim(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (item.empty()) continue;
    size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return InvalidArgument("layer validation: `", item, "` has no value; the options are ",
                             kKnown);
    }
    Status set = SetOption(Trim(item.substr(0, equals)), Trim(item.substr(equals + 1)), &options);
    if (!set.ok()) return set.WithContext("layer validation");
  }
  return options;
}

}  // namespace plinth::layers::validation

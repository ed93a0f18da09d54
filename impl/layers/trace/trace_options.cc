// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/trace_options.h"

#include <unistd.h>

#include "impl/layers/option_list.h"
#include "plinth/support/parse_number.h"

namespace plinth::layers {
namespace {

constexpr std::string_view kOptions =
    "Options, separated by commas: file=PATH (timeline), capture=PATH (for plinth replay), "
    "limit=MB "
    "(largest timeline, 1024), outputs=read, all or none (arrays in the capture). `%p` in a path "
    "stands for the process id";

Status NotUnderstood(std::string_view part, std::string_view why) {
  return InvalidArgument("trace: `", part.substr(0, 200), "` was not understood: ", why, ". ",
                         kOptions);
}

std::string Path(std::string_view text) {
  std::string path(text);
  size_t place = path.find("%p");
  if (place != std::string::npos) path.replace(place, 2, StrCat(getpid()));
  return path;
}

Status SetOption(std::string_view name, std::string_view value, TraceOptions& options) {
  if (value.empty()) return NotUnderstood(name, "it has no value");
  const std::string part = StrCat(name, "=", value);
  if (name == "file") {
    options.file = Path(value);
  } else if (name == "capture") {
    options.capture = Path(value);
  } else if (name == "limit") {
    uint64_t megabytes = 0;
    if (!ParseNumber(value, &megabytes) || megabytes == 0 || megabytes > (uint64_t{1} << 24)) {
      return NotUnderstood(part, "the limit is a whole number of megabytes from 1");
    }
    options.limit_bytes = megabytes << 20;
  } else if (name == "outputs") {
    if (value == "read") {
      options.outputs = CapturedOutputs::kRead;
    } else if (value == "all") {
      options.outputs = CapturedOutputs::kAll;
    } else if (value == "none") {
      options.outputs = CapturedOutputs::kNone;
    } else {
      return NotUnderstood(part, "outputs are read, all or none");
    }
  } else {
    return NotUnderstood(part, "there is no such option");
  }
  return Status();
}

}  // namespace

Expected<TraceOptions> ParseTraceOptions(std::string_view text) {
  TraceOptions options;
  PLINTH_RETURN_IF_ERROR(ForEachOption(text, [&](std::string_view name, std::string_view value) {
    return SetOption(name, value, options);
  }));
  if (options.file.empty() && options.capture.empty()) {
    return InvalidArgument("trace: neither file nor capture is given. ", kOptions);
  }
  return options;
}

}  // namespace plinth::layers

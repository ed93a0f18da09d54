#include "impl/layers/trace/trace_options.h"

#include <unistd.h>

#include <charconv>

#include "plinth/support/text.h"

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

Status ParsePart(std::string_view part, TraceOptions& options) {
  size_t equals = part.find('=');
  std::string_view name = Trim(part.substr(0, equals));
  std::string_view value =
      equals == std::string_view::npos ? std::string_view() : Trim(part.substr(equals + 1));
  if (value.empty()) return NotUnderstood(part, "it has no value");
  if (name == "file") {
    options.file = Path(value);
  } else if (name == "capture") {
    options.capture = Path(value);
  } else if (name == "limit") {
    uint64_t megabytes = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), megabytes);
    if (error != std::errc() || end != value.data() + value.size() || megabytes == 0 ||
        megabytes > (uint64_t{1} << 24)) {
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
  while (!text.empty()) {
    size_t end = text.find(',');
    std::string_view part = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (part.empty()) continue;
    PLINTH_RETURN_IF_ERROR(ParsePart(part, options));
  }
  if (options.file.empty() && options.capture.empty()) {
    return InvalidArgument("trace: neither file nor capture is given. ", kOptions);
  }
  return options;
}

}  // namespace plinth::layers

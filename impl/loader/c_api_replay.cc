// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "impl/layers/replay/replay.h"
#include "impl/layers/replay/report_json.h"
#include "impl/loader/c_api.h"
#include "impl/loader/files.h"
#include "impl/loader/named_value_json.h"
#include "plinth/support/args.h"

namespace plinth::loader {
namespace {

using Given = plinth_replay_options;

Expected<layers::ReplayOptions> ReadReplayOptions(const Given* given) {
  layers::ReplayOptions options;
  if (given == nullptr) return options;
  if (given->struct_size < sizeof(size_t)) {
    return InvalidArgument("plinth_replay_options: struct_size is ", given->struct_size,
                           "; set it to plinth_replay_options_STRUCT_SIZE, which is ",
                           static_cast<size_t>(plinth_replay_options_STRUCT_SIZE));
  }
  const double relative = GetField(*given, &Given::relative_tolerance, 0.0);
  const double absolute = GetField(*given, &Given::absolute_tolerance, 0.0);
  const bool exact = HasField(*given, &Given::exact) && RawBool(given->exact);
  if (!(relative >= 0) || !(absolute >= 0)) {
    return InvalidArgument("plinth_replay_options: a tolerance of ",
                           relative >= 0 ? absolute : relative, "; it must be 0 or more");
  }
  if (exact && (relative > 0 || absolute > 0)) {
    return InvalidArgument("plinth_replay_options: exact, and a tolerance; give one of them");
  }
  if (exact || relative > 0 || absolute > 0) {
    options.relative_tolerance = relative;
    options.absolute_tolerance = absolute;
  }
  options.keep_going = HasField(*given, &Given::keep_going) && RawBool(given->keep_going);
  const int32_t timeout = GetField(*given, &Given::timeout_ms, 0);
  const int64_t limit = GetField(*given, &Given::memory_limit, int64_t{0});
  if (timeout < 0 || limit < 0) {
    return InvalidArgument("plinth_replay_options: timeout_ms is ", timeout, " and memory_limit ",
                           limit, "; 0 means the default");
  }
  if (timeout > 0) options.wait_seconds = timeout / 1000.0;
  if (limit > 0) options.memory_limit = static_cast<uint64_t>(limit);
  const char* json = GetField(*given, &Given::create_options_json, nullptr);
  if (json != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(options.create_options, OptionsFromJson(json));
  }
  return options;
}

}  // namespace
}  // namespace plinth::loader

using plinth::InvalidArgument;
using plinth::Status;

plinth_status* plinth_replay(const PJRT_Api* api, const char* capture,
                             const plinth_replay_options* options, char** result) {
  return plinth::loader::Guarded([&]() -> Status {
    if (result == nullptr) return InvalidArgument("plinth_replay: result is null");
    *result = nullptr;
    if (api == nullptr) return InvalidArgument("plinth_replay: api is null");
    if (capture == nullptr) return InvalidArgument("plinth_replay: capture is null");
    PLINTH_ASSIGN_OR_RETURN(plinth::layers::ReplayOptions replay,
                            plinth::loader::ReadReplayOptions(options));
    replay.path = capture;
    // PLINTH_RETURN_IF_ERROR would hide plinth_status.
    if (Status regular = plinth::loader::CheckRegularFile(replay.path); !regular.ok()) {
      return regular;
    }
    plinth::layers::ReplayReport report;
    Status status = plinth::layers::Replay(replay, api, &report);
    if (status.ok() || report.calls > 0) {
      const std::string json = plinth::Json(plinth::layers::ReportToJson(report)).ToString();
      *result = strdup(json.c_str());
      if (*result == nullptr) return plinth::ResourceExhausted("out of host memory");
    }
    return status;
  });
}

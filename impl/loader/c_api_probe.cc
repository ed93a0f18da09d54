// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "impl/loader/c_api.h"
#include "impl/loader/probe.h"
#include "plinth/support/args.h"

namespace plinth::loader {
namespace {

Expected<ProbeOptions> ReadProbeOptions(const plinth_probe_options* given) {
  ProbeOptions options;
  if (given == nullptr) return options;
  if (given->struct_size < sizeof(size_t)) {
    return InvalidArgument("plinth_probe_options: struct_size is ", given->struct_size,
                           "; set it to plinth_probe_options_STRUCT_SIZE, which is ",
                           static_cast<size_t>(plinth_probe_options_STRUCT_SIZE));
  }
  int timeout = GetField(*given, &plinth_probe_options::timeout_ms, 0);
  if (timeout < 0) {
    return InvalidArgument("plinth_probe_options: timeout_ms is ", timeout,
                           "; 0 means the default");
  }
  if (timeout > 0) options.timeout = std::chrono::milliseconds(timeout);
  options.create_client =
      HasField(*given, &plinth_probe_options::create_client) && RawBool(given->create_client);
  const char* json = GetField(*given, &plinth_probe_options::create_options_json, nullptr);
  if (json != nullptr) options.create_options_json = json;
  return options;
}

}  // namespace
}  // namespace plinth::loader

using plinth::InvalidArgument;
using plinth::Status;

plinth_status* plinth_probe(const plinth_load_options* options, const plinth_probe_options* probe,
                            char** result) {
  return plinth::loader::Guarded([&]() -> Status {
    if (result == nullptr) return InvalidArgument("plinth_probe: result is null");
    *result = nullptr;
    PLINTH_ASSIGN_OR_RETURN(plinth::loader::Request request, plinth::loader::ReadOptions(options));
    PLINTH_ASSIGN_OR_RETURN(plinth::loader::ProbeOptions probe_options,
                            plinth::loader::ReadProbeOptions(probe));
    PLINTH_ASSIGN_OR_RETURN(std::string json, plinth::loader::Probe(request.load, probe_options));
    *result = strdup(json.c_str());
    if (*result == nullptr) return plinth::ResourceExhausted("out of host memory");
    return {};
  });
}

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_PROBE_H_
#define PLINTH_IMPL_LOADER_PROBE_H_

#include <chrono>
#include <string>

#include "impl/loader/load.h"
#include "plinth/support/status.h"

namespace plinth::loader {

struct ProbeOptions {
  std::chrono::milliseconds timeout{30000};
  bool create_client = false;
  std::string create_options_json;  // Empty: those of the manifest.
};

// Opens and questions a plugin in a spawned child, which is this library run as a program. The
// result is JSON, described in docs/using/loader.md; a plugin that fails, aborts or hangs is a
// result.
Expected<std::string> Probe(const LoadRequest& request, const ProbeOptions& options);

// What the child does: reads the request from `request_file`, writes a line of JSON to
// `result_file` before and after each step. Does not return while the plugin hangs.
void RunProbeChild(int request_file, int result_file);

// The argument that makes this library, run as a program, such a child.
inline constexpr char kProbeArgument[] = "--plinth-probe-child";
// Its descriptors.
inline constexpr int kProbeRequestFile = 0;
inline constexpr int kProbeResultFile = 3;

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_PROBE_H_

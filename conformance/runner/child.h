// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_CHILD_H_
#define PLINTH_CONFORMANCE_RUNNER_CHILD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/context.h"
#include "conformance/runner/profile.h"

namespace plinth::conformance {

struct ChildOptions {
  std::string plugin_path;
  Profile profile;
  uint64_t seed = 1;
  // One JSON object per line: {"start": name}, {"row": text} of a case that tries many, and then
  // {"result": {...}}.
  int report_fd = -1;
  Depth depth = Depth::kDefault;
};

// Runs cases in this process, in order, with one client for all that share one. Returns the exit
// status: 0 if every case was run, whatever its verdict.
int RunChild(const ChildOptions& options, const std::vector<const Case*>& cases);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_CHILD_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_SUPERVISOR_H_
#define PLINTH_CONFORMANCE_RUNNER_SUPERVISOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/profile.h"
#include "conformance/runner/verdict.h"

namespace plinth::conformance {

struct SupervisorOptions {
  // The command of a child; it runs the cases whose names it reads from standard input, one per
  // line, and reports on file descriptor 3.
  std::vector<std::string> child_command;
  Profile profile;
  int jobs = 1;
  // Told each result as it comes, on the calling thread.
  std::function<void(const Result&)> on_result;
};

struct SupervisorOutcome {
  std::vector<Result> results;  // in the order of the cases
  std::string error;            // why the plugin could not be used at all; empty otherwise
};

// Runs every case in child processes: a child that dies or does not answer in time gives its case
// the verdict CRASH or HANG, and another goes on with the next case.
SupervisorOutcome RunCases(const SupervisorOptions& options, const std::vector<const Case*>& cases);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_SUPERVISOR_H_

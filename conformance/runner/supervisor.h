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
  // An area ("L2/event") whose cases hung so often is given up: what is left of it hangs too, as
  // far as the report goes, but is not run. Cases of class robust count apart. 0: never.
  int max_hangs = 3;
  // Told each case that begins, on the calling thread.
  std::function<void(const std::string&)> on_start;
  bool stops_at_first = false;  // when a case has failed
  // Told each result as it comes, on the calling thread.
  std::function<void(const Result&)> on_result;
};

struct SupervisorOutcome {
  std::vector<Result> results;  // in the order of the cases
  std::string error;            // why the plugin could not be used at all; empty otherwise
  std::string version;  // "0.114", as the table says, if it was opened, even if there is an error
};

// Runs every case in child processes: a child that dies or does not answer in time gives its case
// the verdict CRASH or HANG, and another goes on with the next case. Children end with this
// process, however it ends. Call it on the thread that lives as long as the process.
SupervisorOutcome RunCases(const SupervisorOptions& options, const std::vector<const Case*>& cases);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_SUPERVISOR_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_RUN_SUITE_H_
#define PLINTH_CONFORMANCE_RUNNER_RUN_SUITE_H_

#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/options.h"
#include "conformance/runner/profile.h"
#include "plinth/support/status.h"

namespace plinth::conformance {

// The cases that the options ask for, in the order of `cases`, which outlives them.
std::vector<const Case*> Select(const std::vector<Case>& cases, const Options& options);

// The profile that they name, with what else they say about the plugin.
Expected<Profile> ReadProfile(const Options& options);

// Runs the suite, prints what it finds, writes what is asked for. An exit code of exit_code.h.
int RunSuite(const Options& options, const std::vector<Case>& cases);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_RUN_SUITE_H_

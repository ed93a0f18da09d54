// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_SUMMARY_H_
#define PLINTH_CONFORMANCE_RUNNER_SUMMARY_H_

#include <string>

#include "conformance/runner/report.h"

// What a run prints, for people.
namespace plinth::conformance {

struct SummaryOptions {
  bool shows_all = false;        // every result, not one for each cause
  std::string asked_level = {};  // "L2" if no higher one was asked for; empty: all
  bool is_selection = false;     // only some cases were asked for by name
};

// One result with its findings, requirements and the command that repeats it.
std::string ResultText(const Report& report, const Result& result);

// Causes with more than one case, a line each.
std::string CausesText(const Report& report);

// What class robust found, by function; empty if all passed.
std::string RobustText(const Report& report, const SummaryOptions& options);

// "PASS 12  FAIL 0 ... (robust: PASS 3, FAIL 0, CRASH 0, HANG 0)".
std::string CountsText(const Report& report);

// The level, and what the next one needs. Nothing about levels that were not looked at.
std::string LevelText(const Report& report, const SummaryOptions& options);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_SUMMARY_H_

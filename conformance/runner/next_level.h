// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_NEXT_LEVEL_H_
#define PLINTH_CONFORMANCE_RUNNER_NEXT_LEVEL_H_

#include <string>
#include <vector>

#include "conformance/runner/report.h"

// What keeps a plugin from the level above the one that it reaches.
namespace plinth::conformance {

// Cases for one reason.
struct Lack {
  std::string verdict;                // "FAIL", "UNSUPPORTED", "not run" and so on
  std::string reason;                 // of the first
  std::string requirement, sentence;  // its number and what it says; both may be empty
  std::vector<std::string> cases;     // not empty
};

struct NextLevel {
  std::string level;      // empty if every level is reached
  bool is_asked = false;  // whether any case of it was run
  size_t cases = 0;       // that it needs beyond those that passed
  std::vector<Lack> lacks;
};

// The cases of the next level that must pass and did not, whether they failed, are not supported or
// were not run, and those of the others that failed; those with one reason together.
NextLevel WhatIsNext(const Report& report);

// Whether every case that must pass at the level has a result.
bool IsLookedAt(const Report& report, std::string_view level);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_NEXT_LEVEL_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_OPTIONS_H_
#define PLINTH_CONFORMANCE_RUNNER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace plinth::conformance {

// What the command line says about a run.
struct Options {
  std::string plugin;
  std::string level;                                        // the highest; empty: all
  std::string cases = "*";                                  // a glob, or "@FILE" with names
  std::string profile, waivers, resume, loader, statement;  // files to read
  std::string json, junit, html, bundle, suggested_profile, sign_with;  // files to write; a key
  uint64_t seed = 1;
  int jobs = 1;
  int max_hangs = 3;
  double case_seconds = 0;                   // 0: as the profile says
  bool is_one_row = false, is_full = false;  // how many rows cases try that generate them
  bool stops_at_first = false;
  bool lists = false, is_quiet = false, shows_all = false, leaves_robust_out = false;
  std::string command;  // as it was typed, for the report
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_OPTIONS_H_

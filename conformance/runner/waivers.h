// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_WAIVERS_H_
#define PLINTH_CONFORMANCE_RUNNER_WAIVERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/verdict.h"
#include "plinth/support/status.h"

namespace plinth::conformance {

// A failure that is known and tolerated until the plugin reports a later minor than `until_minor`.
struct Waiver {
  std::string cases;  // glob over names
  std::string reason;
  std::string address;  // where it is tracked
  int until_minor = 0;
};

// Reads `{"waivers": [{"cases": ..., "reason": ..., "address": ..., "until_minor": ...}]}`; all
// four are needed.
Expected<std::vector<Waiver>> ParseWaivers(std::string_view json);

// Turns FAIL, CRASH and HANG into WAIVED where a waiver applies to a plugin of that minor. What was
// waived before is what it was again where none does.
void ApplyWaivers(const std::vector<Waiver>& waivers, int minor, Result& result);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_WAIVERS_H_

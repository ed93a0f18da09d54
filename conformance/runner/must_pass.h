// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_MUST_PASS_H_
#define PLINTH_CONFORMANCE_RUNNER_MUST_PASS_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/report.h"

namespace plinth::conformance {

// The lists of conformance/must_pass, one for each level, as text: a line "MINOR CASE" says that a
// plugin that reports this minor or a later one passes the case at that level. UNSUPPORTED is not
// enough. Empty for a level without a list.
std::string_view MustPassText(std::string_view level);

// The cases that a plugin of that minor passes at that level.
std::vector<std::string> MustPass(std::string_view level, int minor);

// Those of them that the report says were neither passed nor waived, though they could be asked.
std::vector<std::string> MissingMustPass(const Report& report, std::string_view level);

// How many of them need more devices, or programs of more partitions, than there are. A plugin of
// one device reaches a level without them, and whatever names its level names their number.
size_t LackingDevices(const Report& report, std::string_view level);

// The highest level whose cases and whose list, and those of all below, hold. Empty if none.
std::string ConformingLevel(const Report& report);
// It, and how many cases of it and of those below needed more devices. Empty if there is none.
std::string ConformingLevelText(const Report& report);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_MUST_PASS_H_

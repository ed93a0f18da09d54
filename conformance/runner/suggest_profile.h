// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_SUGGEST_PROFILE_H_
#define PLINTH_CONFORMANCE_RUNNER_SUGGEST_PROFILE_H_

#include <string>
#include <string_view>

#include "conformance/runner/report.h"

namespace plinth::conformance {

// A profile under which the same plugin fails nothing for want of what it answered with
// UNIMPLEMENTED: `profile` (JSON, empty: none) with the ops, op and type pairs, and programs that
// it lacks added to `unsupported_ops`. An op all of whose programs were refused stands alone;
// otherwise the types all of whose programs were. What is left, a single program of a type that
// works elsewhere, is a bug and no fact about the plugin.
Expected<std::string> SuggestProfile(const Report& report, std::string_view profile);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_SUGGEST_PROFILE_H_

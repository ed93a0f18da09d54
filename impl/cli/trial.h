// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_TRIAL_H_
#define PLINTH_IMPL_CLI_TRIAL_H_

#include <string>

#include "impl/cli/commands.h"
#include "impl/cli/output.h"
#include "plinth/support/json.h"

namespace plinth::cli {

// Has the plugin of the options compile a program and, if its text says what it takes, run it on
// random arguments, in processes of their own that end with the deadline of the options. Says how
// long that took, or what went wrong, and what the host ran in the place of the device, which the
// plugin's cost analysis tells (plinth_fallback.<op>, plinth_fallback_bytes). Whether it worked.
bool Try(const ProbeOptions& options, const std::string& program, Json::Array& list,
         Output& output);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_TRIAL_H_

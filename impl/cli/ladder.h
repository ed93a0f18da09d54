// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_LADDER_H_
#define PLINTH_IMPL_CLI_LADDER_H_

#include "impl/cli/output.h"
#include "impl/cli/session.h"
#include "plinth/support/json.h"

namespace plinth::cli {

// What each operation on arrays of libplinth_ifrt rests on with a plugin, as
// plinth_ifrt_client_ladder tells it. UNAVAILABLE without that library, which is opened for this.
Expected<Json> IfrtLadder(const PluginChoice& choice);

// A line for each operation; `in_full`: with what the plugin answered to the rungs before.
void PrintIfrtLadder(const Json& ladder, bool in_full, Output& output);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_LADDER_H_

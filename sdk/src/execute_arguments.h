// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_EXECUTE_ARGUMENTS_H_
#define PLINTH_SDK_SRC_EXECUTE_ARGUMENTS_H_

#include "plinth/sdk/executable.h"
#include "plinth/support/status.h"
#include "sdk/src/execute_donations.h"

namespace plinth::sdk::internal {

// Checks everything that a caller can get wrong in PJRT_LoadedExecutable_Execute and fills in the
// request. ExecuteOptions may have any size from 0.28 on. What the execution takes away is claimed,
// last of all.
Status ReadExecuteArguments(const PJRT_LoadedExecutable_Execute_Args& args,
                            const LoadedExecutable& loaded, ExecuteRequest& request,
                            ExecuteDonations& donations);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_EXECUTE_ARGUMENTS_H_

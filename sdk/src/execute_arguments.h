// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_EXECUTE_ARGUMENTS_H_
#define PLINTH_SDK_SRC_EXECUTE_ARGUMENTS_H_

#include "plinth/sdk/executable.h"
#include "plinth/support/status.h"

namespace plinth::sdk::internal {

// Checks everything that a caller can get wrong in PJRT_LoadedExecutable_Execute and fills in the
// request. ExecuteOptions may have any size from 0.28 on.
Status ReadExecuteArguments(const PJRT_LoadedExecutable_Execute_Args& args,
                            const LoadedExecutable& loaded, ExecuteRequest& request);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_EXECUTE_ARGUMENTS_H_

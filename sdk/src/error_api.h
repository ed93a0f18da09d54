// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_ERROR_API_H_
#define PLINTH_SDK_SRC_ERROR_API_H_

#include "pjrt_c_api.h"

namespace plinth::sdk::internal {

// The two functions of the table that return nothing.
void ErrorDestroy(PJRT_Error_Destroy_Args* args);
void ErrorMessage(PJRT_Error_Message_Args* args);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_ERROR_API_H_

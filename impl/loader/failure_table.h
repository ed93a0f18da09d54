// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_FAILURE_TABLE_H_
#define PLINTH_IMPL_LOADER_FAILURE_TABLE_H_

#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// The table that stands for a plugin that could not be loaded: full-size, and every function says
// why; PJRT_Plugin_Initialize and PJRT_Client_Create with the whole report. Called once in the life
// of a process, because a table carries no data of its own.
const PJRT_Api* MakeFailureTable(const Status& failure);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_FAILURE_TABLE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_ERROR_H_
#define PLINTH_SUPPORT_ERROR_H_

#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth {

// An error object of the C ABI with the function-table head of 0.107; null for a success. The
// receiver destroys it, through its head. Never throws: without memory for the object it is a
// static RESOURCE_EXHAUSTED that Destroy leaves alone.
PJRT_Error* MakeError(const Status& status) noexcept;

// Reads an error through its head and destroys it; success for null. Only for errors that are known
// to have a head: ours, and those of plugins and frameworks from 0.107 on.
Status TakeError(PJRT_Error* error);

// Given to key-value and send callbacks, which make their errors with it.
PJRT_Error* MakeCallbackError(PJRT_Error_Code code, const char* message,
                              size_t message_size) noexcept;

// A status from the parts that calls of the C ABI carry. A code that is none becomes UNKNOWN, OK
// stays OK; a null message is empty.
Status StatusFromParts(int code, const char* message, size_t message_size);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_ERROR_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_INPUTS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_INPUTS_H_

#include "impl/layers/validation/call_state.h"

namespace plinth::layers::validation {

// Checks the argument struct as the rows of its function says, notes the handles and counts them as
// in use. False if there is no struct to go on with.
bool CheckInputs(CallState& state);

// Ends the life of the handle that the function frees, if it frees one (`checks.frees`).
void FreeInput(CallState& state);
// Takes that back, because the function failed.
void RestoreInput(CallState& state);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_INPUTS_H_

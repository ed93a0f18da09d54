// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_READY_CALLBACKS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_READY_CALLBACKS_H_

#include "impl/layers/validation/call_state.h"

namespace plinth::layers::validation {

// PJRT_Event_OnReady with a callback of ours in front of the caller's, which notes that the event
// is ready and the error that the caller now owns, and sees whether it runs once.
PJRT_Error* CallOnReady(CallState& state);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_READY_CALLBACKS_H_

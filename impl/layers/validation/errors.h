// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_ERRORS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_ERRORS_H_

#include "impl/layers/validation/call_state.h"

namespace plinth::layers::validation {

// Notes an error that a call gave to the caller, and checks it. The result goes to the caller in
// place of `error`: from 0.107 on an error may be freed through its own head, which no layer sees,
// so there the caller gets an error of ours that holds the plugin's. Null for null.
PJRT_Error* TrackError(LayerState& layer, PJRT_Error* error, Origin origin, HandleRef client);

// The functions whose argument is an error.
PJRT_Error* OnErrorCall(CallState& state);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_ERRORS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_BUFFER_CHECKS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_BUFFER_CHECKS_H_

#include "impl/layers/validation/call_state.h"

namespace plinth::layers::validation {

// Tells of the use of a deleted or donated buffer. False if it is one.
bool CheckHasContents(CallState& state, const Sight& buffer, const char* name,
                      const reflection::Requirement& requirement);

// The plugin's own word on whether a buffer is deleted; false if it gives none.
bool IsDeleted(const CallState& state, const Handle* buffer);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_BUFFER_CHECKS_H_

#ifndef PLINTH_IMPL_LAYERS_VALIDATION_OUTPUTS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_OUTPUTS_H_

#include "impl/layers/validation/call_state.h"

namespace plinth::layers::validation {

// Makes output handles and lists null, so that one that the plugin does not write is seen.
void ClearOutputs(CallState& state);

// After success: checks what the plugin wrote, notes new handles, compares with earlier answers.
void CheckOutputs(CallState& state);

// Notes a handle that the call gave to the caller to free, and tells if it is not a new one.
Sight AddOwned(CallState& state, int kind, const void* address, const char* name);

// Notes a handle that the plugin keeps.
Sight AddBorrowed(CallState& state, int kind, const void* address, const HandleRef& parent,
                  const char* name);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_OUTPUTS_H_

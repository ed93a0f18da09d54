// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_OUTPUTS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_OUTPUTS_H_

#include "impl/layers/validation/call_state.h"

namespace plinth::layers::validation {

// Makes output handles and lists null, so that one that the plugin does not write is seen.
inline void ClearOutputs(const CallChecks& checks, char* args, size_t size) {
  for (uint16_t offset : checks.cleared) {
    if (offset + sizeof(void*) <= size) std::memset(args + offset, 0, sizeof(void*));
  }
}

// After success: checks what the plugin wrote, notes new handles, compares with earlier answers.
void CheckOutputs(CallState& state);

// Notes a handle that the call gave to the caller to free, and tells if it is not a new one.
void AddOwned(CallState& state, int kind, const void* address, const char* name);

// Notes a handle that the plugin keeps, if it is not known.
void AddBorrowed(CallState& state, int kind, const void* address, const HandleRef& parent,
                 const char* name);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_OUTPUTS_H_

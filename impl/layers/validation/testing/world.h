// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_TESTING_WORLD_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_TESTING_WORLD_H_

#include "impl/layers/validation/misuse/misuse.h"

namespace plinth::layers::validation {

// The table of the CPU plugin that was built with the tests; null if it does not load.
const PJRT_Api* CpuPlugin();

// Two clients with all that a program may use, and their end. A test fails if a call does.
World MakeWorld(const PJRT_Api* api);
void FreeWorld(World* world);

// Calls a function of the table: `f(&args)` with its struct_size set, expecting success.
void ExpectSuccess(const PJRT_Api* api, PJRT_Error* error, const char* what);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_TESTING_WORLD_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_CLOSURES_H_
#define PLINTH_IMPL_LOADER_CLOSURES_H_

#include "impl/loader/thunks.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// Thunks made at run time by libffi, for the chains after those that the compiler made functions
// for. They are never freed, as the table that holds them is not. RESOURCE_EXHAUSTED where the
// system refuses memory, or memory that can be executed. Any thread.
Expected<Thunks> MakeClosures();

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_CLOSURES_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_
#define PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_

#include <cstddef>

#include "pjrt_c_api.h"

namespace plinth::loader {

// Where the thunks of one instance jump to. One function for each, so that a thunk is as small as
// can be: a number and a jump; `offset` is that of its slot. Apart from the thunks, because those
// are built without unwind tables.
template <int kInstance>
PJRT_Error* Dispatch(void* args, size_t offset) noexcept;

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_

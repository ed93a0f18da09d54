#ifndef PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_
#define PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_

#include "pjrt_c_api.h"

namespace plinth::loader {

// Where the thunks of one instance jump to. One function for each, so that a thunk is as small as
// can be: a number and a jump. Apart from the thunks, because those are built without unwind
// tables.
template <int kInstance>
PJRT_Error* Dispatch(void* args, int function) noexcept;

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_

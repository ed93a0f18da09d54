// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_FROZEN_HANDLES_H_
#define PLINTH_CONFORMANCE_WINDOWS_FROZEN_HANDLES_H_

#include <cstddef>

#include "pjrt_c_api.h"

namespace plinth::windows {

// Handles as callers of the frozen revision see them: as they are where the revision gave them a
// head, else opaque. All are thread-safe; null stays null.

// The caller frees it with the frozen PJRT_Error_Destroy.
PJRT_Error* ErrorToCaller(PJRT_Error* error);
PJRT_Error* ErrorFromCaller(const PJRT_Error* error);
// The caller gives it up.
PJRT_Error* TakeFromCaller(const PJRT_Error* error);

PJRT_Memory* MemoryToCaller(PJRT_Memory* memory);
PJRT_Memory* MemoryFromCaller(const PJRT_Memory* memory);
// Lives until the process ends; the same array for the same memories.
PJRT_Memory* const* MemoriesToCaller(PJRT_Memory* const* memories, size_t count);

}  // namespace plinth::windows

#endif  // PLINTH_CONFORMANCE_WINDOWS_FROZEN_HANDLES_H_

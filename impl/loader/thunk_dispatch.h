// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_
#define PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_

#include <cstddef>
#include <cstring>

#include "impl/loader/plugin_chain.h"
#include "impl/loader/thunks.h"
#include "pjrt_c_api.h"

namespace plinth::loader {

// `offset`: in bytes, of the function's slot: what a thunk can say in one instruction.
inline PJRT_Error* DispatchTo(const ThunkInstance& instance, void* args, size_t offset) noexcept {
  const auto* slot = reinterpret_cast<const ThunkInstance::Slot*>(
      reinterpret_cast<const char*>(instance.slots.data()) + offset);
  if (args != nullptr) [[likely]] {
    size_t size;
    std::memcpy(&size, args, sizeof(size));
    if (size == slot->direct_size) [[likely]] {
      return slot->target(args);
    }
  }
  return instance.chain->CallFromThunk(static_cast<int>(offset / sizeof(*slot)), args);
}

// Where the thunks of one compiled instance jump to. One function for each, so that a thunk is as
// small as can be: a number and a jump. Apart from the thunks, because those are built without
// unwind tables.
template <int kInstance>
PJRT_Error* Dispatch(void* args, size_t offset) noexcept;

ThunkInstance& CompiledInstance(int index);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_THUNK_DISPATCH_H_

// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/thunk_dispatch.h"

#include <cstring>

#include "impl/loader/plugin_chain.h"
#include "impl/loader/thunks.h"

namespace plinth::loader {
namespace {

constinit std::array<ThunkInstance, kThunkInstances> instances;

}  // namespace

// The slot is found by its offset in bytes: what a thunk can say in one instruction.
template <int kInstance>
PJRT_Error* Dispatch(void* args, size_t offset) noexcept {
  ThunkInstance& instance = instances[kInstance];
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

ThunkInstance& GetThunkInstance(int index) { return instances[static_cast<size_t>(index)]; }

template PJRT_Error* Dispatch<0>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<1>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<2>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<3>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<4>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<5>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<6>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<7>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<8>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<9>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<10>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<11>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<12>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<13>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<14>(void*, size_t) noexcept;
template PJRT_Error* Dispatch<15>(void*, size_t) noexcept;
static_assert(kThunkInstances == 16);

}  // namespace plinth::loader

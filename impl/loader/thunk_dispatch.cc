#include "impl/loader/thunk_dispatch.h"

#include <cstring>

#include "impl/loader/plugin_chain.h"
#include "impl/loader/thunks.h"

namespace plinth::loader {
namespace {

constinit std::array<ThunkInstance, kThunkInstances> instances;

}  // namespace

template <int kInstance>
PJRT_Error* Dispatch(void* args, int function) noexcept {
  ThunkInstance& instance = instances[kInstance];
  ThunkInstance::Slot& slot = instance.slots[static_cast<size_t>(function)];
  if (args != nullptr) [[likely]] {
    size_t size;
    std::memcpy(&size, args, sizeof(size));
    RawFunction target = slot.direct_target;
    if (size == slot.direct_size && target != nullptr) [[likely]] {
      PJRT_Error* error = target(args);
      if (error == nullptr) [[likely]]
        return nullptr;
      return instance.chain->AfterDirectError(function, args, error);
    }
  }
  return instance.chain->CallFromThunk(function, args);
}

ThunkInstance& GetThunkInstance(int index) { return instances[static_cast<size_t>(index)]; }

template PJRT_Error* Dispatch<0>(void*, int) noexcept;
template PJRT_Error* Dispatch<1>(void*, int) noexcept;
template PJRT_Error* Dispatch<2>(void*, int) noexcept;
template PJRT_Error* Dispatch<3>(void*, int) noexcept;
template PJRT_Error* Dispatch<4>(void*, int) noexcept;
template PJRT_Error* Dispatch<5>(void*, int) noexcept;
template PJRT_Error* Dispatch<6>(void*, int) noexcept;
template PJRT_Error* Dispatch<7>(void*, int) noexcept;
template PJRT_Error* Dispatch<8>(void*, int) noexcept;
template PJRT_Error* Dispatch<9>(void*, int) noexcept;
template PJRT_Error* Dispatch<10>(void*, int) noexcept;
template PJRT_Error* Dispatch<11>(void*, int) noexcept;
template PJRT_Error* Dispatch<12>(void*, int) noexcept;
template PJRT_Error* Dispatch<13>(void*, int) noexcept;
template PJRT_Error* Dispatch<14>(void*, int) noexcept;
template PJRT_Error* Dispatch<15>(void*, int) noexcept;
static_assert(kThunkInstances == 16);

}  // namespace plinth::loader

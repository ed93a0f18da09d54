// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/thunk_dispatch.h"

namespace plinth::loader {
namespace {

constinit std::array<ThunkInstance, kThunkInstances> instances;

}  // namespace

template <int kInstance>
PJRT_Error* Dispatch(void* args, size_t offset) noexcept {
  return DispatchTo(instances[kInstance], args, offset);
}

ThunkInstance& CompiledInstance(int index) { return instances[static_cast<size_t>(index)]; }

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

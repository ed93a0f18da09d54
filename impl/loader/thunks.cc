#include "impl/loader/thunks.h"

#include <cstring>
#include <utility>

#include "impl/loader/plugin_chain.h"

namespace plinth::loader {
namespace {

constinit std::array<ThunkInstance, kThunkInstances> instances;

// One for each instance, so that a thunk is as small as can be: a number and a jump.
template <int kInstance>
PJRT_Error* Dispatch(void* args, int function) noexcept {
  ThunkInstance::Slot& slot = instances[kInstance].slots[static_cast<size_t>(function)];
  size_t size = 0;
  if (args != nullptr) [[likely]] {
    std::memcpy(&size, args, sizeof(size));
    if (size == slot.direct_size.load(std::memory_order_relaxed) && size != 0) [[likely]] {
      PJRT_Error* error = slot.target(args);
      if (error == nullptr) [[likely]]
        return nullptr;
      return instances[kInstance].chain->AfterDirectError(function, args, error);
    }
  }
  return instances[kInstance].chain->CallFromThunk(function, args);
}

template <int kInstance, int kFunction>
PJRT_Error* Thunk(void* args) noexcept {
  return Dispatch<kInstance>(args, kFunction);
}

template <int kInstance, int... kFunctions>
void Fill(ThunkTable& thunks, std::integer_sequence<int, kFunctions...>) {
  ((thunks[kFunctions] = reinterpret_cast<void*>(&Thunk<kInstance, kFunctions>)), ...);
}

template <int... kInstances>
void FillAt(int index, ThunkTable& thunks, std::integer_sequence<int, kInstances...>) {
  using AllFunctions = std::make_integer_sequence<int, reflection::kFunctionCount>;
  ((kInstances == index ? Fill<kInstances>(thunks, AllFunctions()) : void()), ...);
}

}  // namespace

ThunkInstance& GetThunkInstance(int index) { return instances[static_cast<size_t>(index)]; }

ThunkTable ThunksOf(int index) {
  ThunkTable thunks;
  FillAt(index, thunks, std::make_integer_sequence<int, kThunkInstances>());
  return thunks;
}

}  // namespace plinth::loader

#include "impl/loader/thunks.h"

#include <utility>

#include "impl/loader/thunk_dispatch.h"

namespace plinth::loader {
namespace {

template <int kInstance, int kFunction>
PJRT_Error* Thunk(void* args) noexcept {
  return Dispatch<kInstance>(args, kFunction * sizeof(ThunkInstance::Slot));
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

ThunkTable ThunksOf(int index) {
  ThunkTable thunks;
  FillAt(index, thunks, std::make_integer_sequence<int, kThunkInstances>());
  return thunks;
}

}  // namespace plinth::loader

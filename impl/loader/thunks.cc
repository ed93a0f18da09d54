// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/thunks.h"

#include <utility>

#include "impl/loader/thunk_dispatch.h"

namespace plinth::loader {
namespace {

template <int kInstance, int kFunction>
PJRT_Error* Thunk(void* args) noexcept {
  return Dispatch<kInstance>(args, kFunction * sizeof(ThunkInstance::Slot));
}

// Compilers limit how many terms one expression has.
constexpr int kBlock = 64;

template <int kInstance, int kBegin, int... kOffsets>
void FillBlock(ThunkTable& thunks, std::integer_sequence<int, kOffsets...>) {
  ((thunks[kBegin + kOffsets] = reinterpret_cast<void*>(&Thunk<kInstance, kBegin + kOffsets>)),
   ...);
}

template <int kInstance, int kBegin = 0>
void Fill(ThunkTable& thunks) {
  constexpr int kLeft = reflection::kFunctionCount - kBegin;
  constexpr int kSize = kLeft < kBlock ? kLeft : kBlock;
  FillBlock<kInstance, kBegin>(thunks, std::make_integer_sequence<int, kSize>());
  if constexpr (kLeft > kBlock) Fill<kInstance, kBegin + kBlock>(thunks);
}

template <int... kInstances>
void FillAt(int index, ThunkTable& thunks, std::integer_sequence<int, kInstances...>) {
  ((kInstances == index ? Fill<kInstances>(thunks) : void()), ...);
}

}  // namespace

Thunks CompiledThunks(int index) {
  Thunks thunks;
  thunks.instance = &CompiledInstance(index);
  FillAt(index, thunks.functions, std::make_integer_sequence<int, kThunkInstances>());
  return thunks;
}

}  // namespace plinth::loader

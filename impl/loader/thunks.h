// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_THUNKS_H_
#define PLINTH_IMPL_LOADER_THUNKS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "impl/loader/adapter.h"
#include "plinth/reflection/reflection.h"

// The C table has no room for a pointer of ours, so every chain that is handed out has functions of
// its own, made by the compiler.
namespace plinth::loader {

class PluginChain;

inline constexpr int kThunkInstances = 16;

// Where the calls of one chain go. Filled before its thunks are handed out, and not changed then.
struct ThunkInstance {
  struct Slot {
    // A call with this struct_size jumps to `target`, and its result is the plugin's own.
    size_t direct_size = 0;
    RawFunction target = nullptr;
  };
  static constexpr size_t kNeverDirect = SIZE_MAX;
  std::array<Slot, reflection::kFunctionCount> slots;
  const PluginChain* chain = nullptr;
};

using ThunkTable = std::array<void*, reflection::kFunctionCount>;

struct Thunks {
  ThunkInstance* instance = nullptr;
  ThunkTable functions{};  // in the order of reflection::Functions()
};

// Those of the compiler; the chains after kThunkInstances have closures.h.
Thunks CompiledThunks(int index);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_THUNKS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_EMULATION_H_
#define PLINTH_IMPL_LOADER_EMULATION_H_

#include <span>

#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"

namespace plinth::loader {

class Adapter;

// A function that can be answered for a plugin that lacks it, with exactly what the plugin would
// have said, from other functions that it has.
struct Emulation {
  reflection::function::Id function;
  std::span<const reflection::function::Id> needs;
  // `args` is the caller's, not null and of any size.
  PJRT_Error* (*call)(const Adapter& adapter, void* args);
  const char* how;  // One sentence, for people.
};

std::span<const Emulation> Emulations();

// Null if there is none, or if the plugin lacks what it needs.
const Emulation* FindEmulation(const Adapter& adapter, int function);

// The caller's arguments of that function, or null if they are too small; the error says so.
void* CheckedArgs(reflection::function::Id function, void* raw, PJRT_Error** error);
template <typename Args>
Args* Checked(reflection::function::Id function, void* raw, PJRT_Error** error) {
  return static_cast<Args*>(CheckedArgs(function, raw, error));
}

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_EMULATION_H_

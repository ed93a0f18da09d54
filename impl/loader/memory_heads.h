// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_MEMORY_HEADS_H_
#define PLINTH_IMPL_LOADER_MEMORY_HEADS_H_

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"

namespace plinth::loader {

// Callers that are told 0.105 or later read the head of a PJRT_Memory, which those of older plugins
// do not have. So callers get objects of ours in their place, in every struct that carries a
// memory; their head says that no data can be attached. Any thread.
class MemoryHeads {
 public:
  // Whether arguments of the function carry a memory.
  static bool Concerns(const reflection::Function& function);

  // Calls `next` with a copy of `args` in which memories are the plugin's, and gives the caller
  // ours. `args` is the caller's, not null and of any size.
  PJRT_Error* Call(const reflection::Function& function, void* args,
                   const std::function<PJRT_Error*(void* args)>& next);

 private:
  struct Head : PJRT_Memory {
    PJRT_Memory* plugin;
  };

  PJRT_Memory* HeadOf(PJRT_Memory* plugin);
  PJRT_Memory* const* HeadsOf(PJRT_Memory* const* plugin, size_t count);
  PJRT_Memory* HeadLocked(PJRT_Memory* plugin);

  std::shared_mutex mutex_;
  // Kept for the life of the process: a later memory at the same address has the same head.
  std::map<PJRT_Memory*, std::unique_ptr<Head>> heads_;
  std::map<std::vector<PJRT_Memory*>, std::unique_ptr<PJRT_Memory*[]>> lists_;
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_MEMORY_HEADS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_PROCESS_GENERATION_H_
#define PLINTH_IMPL_LAYERS_PROCESS_GENERATION_H_

#include <atomic>
#include <cstdint>

namespace plinth::layers {

// Counts the forks between the process that loaded libplinth and this one. What a layer made in an
// earlier generation is of no use here: its helper threads are gone, its locks may be held for
// ever, and its files belong to the parent. Counting begins with the first call, so a layer calls
// it when it is made. Any thread; never blocks.
uint32_t ProcessGeneration();

namespace internal {
extern constinit std::atomic<uint32_t> process_generation;
}

// Whether `generation`, which ProcessGeneration gave, is still that of this process. For the way of
// every call.
inline bool IsProcessGeneration(uint32_t generation) {
  return internal::process_generation.load(std::memory_order_relaxed) == generation;
}

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_PROCESS_GENERATION_H_

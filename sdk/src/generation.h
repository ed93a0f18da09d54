// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_GENERATION_H_
#define PLINTH_SDK_SRC_GENERATION_H_

#include <atomic>
#include <cstdint>

namespace plinth::sdk::internal {

// Counts the forks that lie between the process that loaded the plugin and this one. A handle whose
// generation differs was made before a fork: its threads and locks are not here.
extern std::atomic<uint32_t> process_generation;

inline uint32_t CurrentGeneration() { return process_generation.load(std::memory_order_relaxed); }

// Starts counting; further calls do nothing.
void WatchForks();

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_GENERATION_H_

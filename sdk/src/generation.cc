// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/generation.h"

#include <pthread.h>

#include "plinth/sdk/handle.h"

namespace plinth::sdk::internal {

std::atomic<uint32_t> process_generation{1};

void WatchForks() {
  static const int registered = pthread_atfork(
      nullptr, nullptr, [] { process_generation.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

bool Handle::IsFromBeforeFork() const {
  return generation != 0 && generation != CurrentGeneration();
}

}  // namespace plinth::sdk::internal

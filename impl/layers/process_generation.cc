// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/process_generation.h"

#include <pthread.h>

namespace plinth::layers {

constinit std::atomic<uint32_t> internal::process_generation{1};

uint32_t ProcessGeneration() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    internal::process_generation.fetch_add(1, std::memory_order_relaxed);
  });
  static_cast<void>(registered);
  return internal::process_generation.load(std::memory_order_relaxed);
}

}  // namespace plinth::layers

#include "impl/layers/process_generation.h"

#include <pthread.h>

#include <atomic>

namespace plinth::layers {
namespace {

constinit std::atomic<uint32_t> generation{1};

}  // namespace

uint32_t ProcessGeneration() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  return generation.load(std::memory_order_relaxed);
}

}  // namespace plinth::layers

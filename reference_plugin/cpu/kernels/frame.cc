// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/frame.h"

#include <cstdlib>

namespace plinth::cpu::kernels {
namespace {

struct ThreadMemory {
  std::byte* data = nullptr;
  int64_t size = 0;
  ~ThreadMemory() { std::free(data); }
};

}  // namespace

std::byte* ThreadFrame(int64_t bytes) {
  static thread_local ThreadMemory memory;
  if (bytes > memory.size) {
    constexpr int64_t kStep = 16 << 10;
    const int64_t size = (bytes + kStep - 1) / kStep * kStep;
    void* data = std::aligned_alloc(math::kTileAlignment, static_cast<size_t>(size));
    if (data == nullptr) return nullptr;
    std::free(memory.data);
    memory.data = static_cast<std::byte*>(data);
    memory.size = size;
  }
  return memory.data;
}

}  // namespace plinth::cpu::kernels

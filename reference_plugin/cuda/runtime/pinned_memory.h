// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_PINNED_MEMORY_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_PINNED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::cuda {

class Gpu;

// A block of pinned memory; with its last reference it goes back to the pool, which outlives it.
using PinnedPtr = std::shared_ptr<std::byte>;

// Host memory that a device reads and writes by itself. Blocks are powers of two, large ones
// multiples of 2 MB, and kept for the next copy, up to a limit. Any thread.
class PinnedMemory {
 public:
  explicit PinnedMemory(Gpu& gpu) : gpu_(gpu) {}
  // All blocks are back. Needs the device's context.
  ~PinnedMemory();

  // RESOURCE_EXHAUSTED when the system has no more. Needs the device's context.
  Expected<PinnedPtr> Allocate(int64_t size);

 private:
  void GiveBack(std::byte* block, int64_t size);

  Gpu& gpu_;
  std::mutex mutex_;
  std::map<int64_t, std::vector<std::byte*>> idle_;  // by size; guarded
  int64_t idle_bytes_ = 0;                           // guarded
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_PINNED_MEMORY_H_

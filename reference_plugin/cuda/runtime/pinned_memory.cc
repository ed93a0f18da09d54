// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/pinned_memory.h"

#include <algorithm>
#include <bit>

#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {
namespace {

constexpr int64_t kSmallest = 4096;
constexpr int64_t kLarge = 16 << 20, kLargeUnit = 2 << 20;
constexpr int64_t kKept = 256 << 20;

int64_t BlockSize(int64_t size) {
  if (size > kLarge) return (size + kLargeUnit - 1) / kLargeUnit * kLargeUnit;
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(size, kSmallest))));
}

}  // namespace

PinnedMemory::~PinnedMemory() {
  for (const auto& [size, blocks] : idle_) {
    for (std::byte* block : blocks) gpu_.api().cuMemFreeHost(block);
  }
}

Expected<PinnedPtr> PinnedMemory::Allocate(int64_t size) {
  const int64_t rounded = BlockSize(size);
  std::byte* block = nullptr;
  {
    const std::lock_guard lock(mutex_);
    std::vector<std::byte*>& idle = idle_[rounded];
    if (!idle.empty()) {
      block = idle.back();
      idle.pop_back();
      idle_bytes_ -= rounded;
    }
  }
  if (block == nullptr) {
    void* made = nullptr;
    PLINTH_RETURN_IF_ERROR(
        gpu_.Check(gpu_.api().cuMemHostAlloc(&made, static_cast<size_t>(rounded), 0),
                   StrCat("cuMemHostAlloc of ", rounded, " bytes of pinned host memory")));
    block = static_cast<std::byte*>(made);
  }
  return PinnedPtr(block, [this, rounded](std::byte* done) { GiveBack(done, rounded); });
}

void PinnedMemory::GiveBack(std::byte* block, int64_t size) {
  {
    const std::lock_guard lock(mutex_);
    if (idle_bytes_ + size <= kKept) {
      idle_[size].push_back(block);
      idle_bytes_ += size;
      return;
    }
  }
  const Gpu::Current current(gpu_);
  gpu_.api().cuMemFreeHost(block);
}

}  // namespace plinth::cuda

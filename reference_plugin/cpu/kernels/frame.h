// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_FRAME_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference_plugin/cpu/math/tile_functions.h"

// The memory one thread works in while it runs a kernel.
namespace plinth::cpu::kernels {

// Fixes where everything lies, when the kernel is prepared. A slot is a pointer that instructions
// name: to a register (a tile in the frame), or to memory, set tile by tile.
class FrameLayout {
 public:
  static constexpr int64_t kSetWhileRunning = -1;

  // The offset of `bytes` bytes of the frame, aligned for tiles.
  int64_t AddRegion(int64_t bytes) {
    const int64_t offset = size_;
    size_ += (bytes + static_cast<int64_t>(math::kTileAlignment) - 1) /
             static_cast<int64_t>(math::kTileAlignment) *
             static_cast<int64_t>(math::kTileAlignment);
    return offset;
  }
  int32_t AddSlot(int64_t offset) {
    slot_offsets_.push_back(offset);
    return static_cast<int32_t>(slot_offsets_.size() - 1);
  }
  int32_t AddRegister(int64_t bytes) { return AddSlot(AddRegion(bytes)); }

  int64_t size() const { return size_; }
  const std::vector<int64_t>& slot_offsets() const { return slot_offsets_; }

 private:
  int64_t size_ = 0;
  std::vector<int64_t> slot_offsets_;
};

// At least `bytes` bytes, aligned for tiles, that belong to this thread until it asks again; null
// when memory is exhausted. They are kept for the next caller until the thread ends.
std::byte* ThreadFrame(int64_t bytes);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_FRAME_H_

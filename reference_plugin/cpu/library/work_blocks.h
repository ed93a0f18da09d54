// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_WORK_BLOCKS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_WORK_BLOCKS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "plinth/support/status.h"
#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/backend/host/thread_scratch.h"
#include "reference_plugin/backend/run/prepared_step.h"

namespace plinth::cpu::library {

// Memory in which a step works on its items (rows, lines, matrices), one item to a block at a time.
// Small blocks stay with the threads. Large ones are a part of the step's scratch memory, a few of
// them, so that they count against the client's limit before anything runs. Immutable.
class WorkBlocks {
 public:
  WorkBlocks() = default;
  // `offset`: where the part may begin in the scratch memory, in bytes.
  WorkBlocks(int64_t block_bytes, int64_t num_items, int64_t offset = 0)
      : block_bytes_((block_bytes + 63) / 64 * 64),
        num_items_(num_items),
        offset_((offset + 63) / 64 * 64) {
    if (block_bytes_ <= backend::TaskMemory::kKeptBytes || num_items <= 0) return;
    num_planned_ = std::clamp<int64_t>(kMostPlannedBytes / block_bytes_, 1,
                                       std::min<int64_t>(num_items, kMostPlanned));
  }

  // Where the part of the scratch memory ends; 0 if there is none.
  int64_t scratch_end() const {
    return num_planned_ == 0 ? 0 : offset_ + num_planned_ * block_bytes_;
  }

  // Calls body(first, end, stride, block) in parallel, so that every item belongs to one call:
  // first, first + stride, ... below end. Threads get `grain` small items at least. Blocks are
  // aligned to 64 bytes, of unspecified contents, and null if they have no bytes.
  template <typename Body>
  Status ForEach(const backend::RunContext& context, int64_t grain, const Body& body) const {
    if (num_planned_ > 0) {
      backend::ParallelFor(context.pool, num_planned_, 1, [&](int64_t begin, int64_t end) {
        // One block for all that comes to this thread at once.
        std::byte* const block = context.scratch.data() + offset_ + begin * block_bytes_;
        for (int64_t i = begin; i < end; ++i) body(i, num_items_, num_planned_, block);
      });
      return Status();
    }
    std::atomic<bool> no_memory{false};
    backend::ParallelFor(context.pool, num_items_, grain, [&](int64_t begin, int64_t end) {
      backend::TaskMemory memory;
      std::byte* const block = block_bytes_ == 0 ? nullptr : memory.Get(block_bytes_);
      if (block == nullptr && block_bytes_ > 0) {
        no_memory = true;
      } else {
        body(begin, end, int64_t{1}, block);
      }
    });
    if (no_memory) {
      return ResourceExhausted("the system gave no ", block_bytes_, " bytes to work in");
    }
    return Status();
  }

 private:
  // More than one large block at a time, as long as they stay below so many bytes together.
  static constexpr int64_t kMostPlannedBytes = int64_t{256} << 20;
  static constexpr int64_t kMostPlanned = 16;

  int64_t block_bytes_ = 0, num_items_ = 0, offset_ = 0;
  int64_t num_planned_ = 0;  // 0: blocks stay with the threads
};

// Memory that the tasks of one step share, filled before they run. Small ones stay with the calling
// thread, one at a time; large ones are a part of the step's scratch memory, from its begin.
class SharedBlock {
 public:
  SharedBlock() = default;
  explicit SharedBlock(int64_t bytes) : bytes_(bytes) {}

  int64_t scratch_end() const { return bytes_ <= backend::TaskMemory::kKeptBytes ? 0 : bytes_; }
  // Aligned to 64 bytes, contents unspecified; null when there is no memory.
  std::byte* Get(const backend::RunContext& context) const {
    if (scratch_end() > 0) return context.scratch.data();
    thread_local backend::ThreadScratch kept;
    return kept.Get(bytes_);
  }

 private:
  int64_t bytes_ = 0;
};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_WORK_BLOCKS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_MEMORY_POOL_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_MEMORY_POOL_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/backend/host/storage.h"

namespace plinth::backend {

struct MemoryPoolStats {
  int64_t bytes_in_use = 0;  // asked for and not given back
  int64_t peak_bytes_in_use = 0;
  int64_t num_allocations = 0;  // since the pool was made
  int64_t largest_allocation = 0;
  int64_t limit = 0;
  int64_t pooled_bytes = 0;  // kept for the next allocation
};

// Memory for arrays. Fresh pages, not arithmetic, are what large results cost on a CPU, so blocks
// of 64 KB and more are kept for the next allocation of their size class, and those of 2 MB and
// more are huge pages. What was in use in the last second is kept, at most half of what is free.
// Thread-safe. Storages keep their pool alive.
class MemoryPool {
 public:
  // `limit` in bytes of all that is in use at once, as it was asked for: blocks are up to an eighth
  // larger. 0 for the memory that this process may use; then the pool also asks `available` (by
  // default AvailableMemory) whenever it took 64 MB from the system, so that it fails where the
  // kernel would end the process. What it took and nobody has written yet is not missing from what
  // the system calls available; the pool counts these pages and subtracts them. It knows those of
  // its own only: not what another pool or process was promised, nor what others take meanwhile.
  // `available` is called with the pool locked. Blocks that were idle for `idle_age` are given back
  // when others become idle.
  //
  // Devices in [0, num_devices) share the pool, which counts the bytes of each. `device_limit`, if
  // it is not 0, is what each may have in use.
  static std::shared_ptr<MemoryPool> Create(
      int64_t limit = 0, std::function<int64_t()> available = nullptr,
      std::chrono::milliseconds idle_age = std::chrono::seconds(1), int num_devices = 1,
      int64_t device_limit = 0);

  // `reminder` is called, by any thread, when so much is idle that somebody should call ReleaseIdle
  // once the process is. Set it before anything else is asked of the pool.
  void SetReminder(std::function<void()> reminder) { reminder_ = std::move(reminder); }

  // Uninitialized bytes. RESOURCE_EXHAUSTED if a limit or the system forbids it; nothing is
  // asked of the system before the limits were checked.
  Expected<StoragePtr> Allocate(int64_t size, int32_t device = 0);

  // Gives back blocks that nobody used for `age`; called when the process is idle.
  void ReleaseIdle(std::chrono::milliseconds age);

  // Of all devices together, and of one; `pooled_bytes` are those of all.
  MemoryPoolStats stats() const;
  MemoryPoolStats stats(int32_t device) const;
  void ResetPeak(int32_t device);

 private:
  friend class Storage;
  class Reservation;
  struct IdleBlock;

  // What was asked for and not given back.
  struct Count {
    std::atomic<int64_t> bytes_in_use{0}, peak_bytes_in_use{0}, num_allocations{0},
        largest_allocation{0};
    MemoryPoolStats stats(int64_t limit) const;
  };

  MemoryPool(int64_t limit, std::function<int64_t()> available, std::chrono::milliseconds idle_age,
             int num_devices, int64_t device_limit)
      : limit_(limit),
        device_limit_(device_limit),
        available_(std::move(available)),
        idle_age_(idle_age),
        devices_(num_devices > 1 ? static_cast<size_t>(num_devices) : 0),
        most_memory_(limit) {}
  ~MemoryPool();
  // Null where one device is all there is.
  Count* CountOf(int32_t device) {
    return devices_.empty() ? nullptr : &devices_[static_cast<size_t>(device)];
  }
  Status Reserve(int64_t size, int32_t device);
  void Unreserve(int64_t size, int32_t device) {
    all_.bytes_in_use.fetch_sub(size, std::memory_order_relaxed);
    if (Count* const own = CountOf(device)) {
      own->bytes_in_use.fetch_sub(size, std::memory_order_relaxed);
    }
  }
  // At the end of a storage, a reservation, and once of whoever made the pool. The last ends it:
  // allocations are counted anyway, so that a storage costs no reference besides.
  void Leave() {
    const int64_t before = num_gone_.fetch_add(1, std::memory_order_acq_rel);
    if (before == all_.num_allocations.load(std::memory_order_relaxed)) delete this;
  }
  Expected<std::byte*> TakeBlock(int64_t block_size);
  void GiveBlock(std::byte* data, int64_t block_size) noexcept;
  bool AddIdle(std::byte* data, int64_t block_size) noexcept;  // whether to remind

  // With the lock held.
  // Makes room for a new block: idle ones count against the limit, too.
  Status MakeRoom(int64_t block_size);
  // The oldest idle blocks, until so many bytes are left, or while is_cut(block): they are no
  // longer the pool's, and linked for Unmap.
  IdleBlock* CutTo(int64_t idle_bytes);
  IdleBlock* CutWhile(const auto& is_cut);
  void Unlink(IdleBlock* block);
  void CountUntouched();  // microseconds per block, or per 16 MB of a large one

  // With or without it.
  static void Unmap(IdleBlock* blocks);

  const int64_t limit_;
  const int64_t device_limit_;                // 0: none
  const std::function<int64_t()> available_;  // null: nobody is asked
  const std::chrono::milliseconds idle_age_;
  std::function<void()> reminder_;
  Count all_;
  std::atomic<int64_t> num_gone_{0};  // see Leave
  std::vector<Count> devices_;        // empty if there is one
  mutable std::mutex mutex_;
  // Lists through the idle blocks themselves, so that giving one back needs no memory: the newest
  // of every size class, and all by age.
  std::array<IdleBlock*, 8 * 48> newest_of_class_{};
  IdleBlock* newest_ = nullptr;
  IdleBlock* oldest_ = nullptr;
  int64_t idle_bytes_ = 0;
  bool is_reminded_ = false;  // and nobody came since
  // What the pool could have altogether: the limit, or less as far as the system last said.
  int64_t most_memory_;
  int64_t unchecked_bytes_ = 0;  // taken from the system since it was asked
  // At least what the blocks have of pages without memory behind them: what was so when it was
  // counted, and all that was taken since.
  int64_t perhaps_untouched_ = 0;
  int64_t mapping_bytes_ = 0;  // of blocks that threads are about to have from the system
  std::unordered_map<std::byte*, int64_t> mapped_;  // all blocks, idle or not, if somebody is asked
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_MEMORY_POOL_H_

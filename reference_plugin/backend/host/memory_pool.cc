// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/memory_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include "plinth/support/integer_math.h"
#include "reference_plugin/backend/host/block_cache.h"
#include "reference_plugin/backend/host/machine_memory.h"

namespace plinth::backend {
namespace {

constexpr int64_t kPooledSize = 64 << 10;  // smaller blocks are malloc's business
constexpr int64_t kHugePage = 2 << 20;
// Idle bytes beyond which somebody has to come by when the process is idle.
constexpr int64_t kRemindedBytes = 64 << 20;
// The system is asked once per so many bytes: that takes a hundredth of the time of touching them.
constexpr int64_t kUncheckedBytes = 64 << 20;

// What a block has behind its bytes: vector code may read whole vectors. It is no part of the size,
// so that 2^n bytes are a block of 2^n.
constexpr int64_t kTail = kStorageAlignment;

// From memory that is aligned as malloc's to the next boundary of a storage.
constexpr int64_t kMostBeforeAlignment =
    kStorageAlignment - static_cast<int64_t>(alignof(std::max_align_t));

// Eight classes per power of two: at most an eighth of a block is unused.
int64_t BlockSize(int64_t size) {
  int64_t unit = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(size))) / 8;
  size = RoundUp(size, unit);
  return size >= kHugePage ? RoundUp(size, kHugePage) : size;
}

size_t ClassOf(int64_t block_size) {
  const auto size = static_cast<uint64_t>(block_size);
  const int power = std::bit_width(size) - 1;  // at least 16: smaller ones have no blocks
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
  return static_cast<size_t>(power - 16) * 8 + (size >> (power - 3)) % 8;
}

int64_t PageSize() { return sysconf(_SC_PAGE_SIZE); }

std::byte* MapBlock(int64_t size) {
  if (size < kHugePage) {
    return static_cast<std::byte*>(std::aligned_alloc(kStorageAlignment, size + kTail));
  }
  // Mapped with room to cut a block out at a huge-page boundary. The page of the tail is never
  // written, and so has no memory of its own.
  size += PageSize();
  int64_t mapped = size + kHugePage;
  void* map = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(map);
  uintptr_t data = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (data > begin) munmap(map, data - begin);
  uintptr_t end = begin + mapped, data_end = data + size;
  if (end > data_end) munmap(reinterpret_cast<void*>(data_end), end - data_end);
  auto* block = reinterpret_cast<std::byte*>(data);
  madvise(block, size, MADV_HUGEPAGE);  // Only a hint: without it the block works as well.
  return block;
}

void UnmapBlock(std::byte* data, int64_t size) {
  if (size < kHugePage) {
    std::free(data);
  } else {
    munmap(data, size + PageSize());
  }
}

// How many bytes of the whole pages of a block have no memory behind them yet. Where the system
// does not tell, none. What is swapped out counts, too: reading it takes memory again.
int64_t UntouchedBytes(const std::byte* data, int64_t size) {
  const auto page = static_cast<uintptr_t>(PageSize());
  const auto begin = reinterpret_cast<uintptr_t>(data);
  uintptr_t at = (begin + page - 1) / page * page;
  const uintptr_t end = (begin + size) / page * page;
  std::array<unsigned char, 4096> resident;
  int64_t untouched = 0;
  while (at < end) {
    const size_t pages = std::min<size_t>((end - at) / page, resident.size());
    if (mincore(reinterpret_cast<void*>(at), pages * page, resident.data()) == 0) {
      const auto touched = std::count_if(resident.begin(), resident.begin() + pages,
                                         [](unsigned char state) { return (state & 1) != 0; });
      untouched += static_cast<int64_t>((pages - touched) * page);
    }
    at += pages * page;
  }
  return untouched;
}

}  // namespace

// At the start of the block's own memory.
struct MemoryPool::IdleBlock {
  int64_t size;
  std::chrono::steady_clock::time_point since;
  IdleBlock* older;
  IdleBlock* newer;
  IdleBlock* older_of_class;
  IdleBlock* newer_of_class;
};

// Bytes that count as in use until the storage that has them is made.
class MemoryPool::Reservation {
 public:
  Reservation(MemoryPool* pool, int64_t size, int32_t device)
      : pool_(pool), size_(size), device_(device) {}
  ~Reservation() {
    if (pool_ == nullptr) return;
    pool_->Unreserve(size_, device_);
    pool_->Leave();
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  void Release() { pool_ = nullptr; }

 private:
  MemoryPool* pool_;
  const int64_t size_;
  const int32_t device_;
};

void Storage::Free() {
  MemoryPool* const pool = pool_;
  const int64_t block_size = block_size_;
  std::byte* const data = data_;
  if (pool != nullptr) pool->Unreserve(size_, device_);
  const size_t header_size = header_size_;
  this->~Storage();
  BlockCache::Give(this, header_size);
  if (pool == nullptr) return;
  if (block_size > 0) pool->GiveBlock(data, block_size);
  pool->Leave();
}

StoragePtr StoragePtr::Borrow(const void* data, int64_t size, std::shared_ptr<const void> owner) {
  void* memory = BlockCache::Take(sizeof(Storage));
  if (memory == nullptr) throw std::bad_alloc();
  auto* storage = new (memory) Storage();
  storage->data_ = static_cast<std::byte*>(const_cast<void*>(data));
  storage->size_ = size;
  storage->owner_ = std::move(owner);
  return Adopt(storage);
}

StoragePtr StoragePtr::Own(void* data, int64_t size, std::shared_ptr<const void> block) {
  StoragePtr storage = Borrow(data, size, std::move(block));
  storage->is_own_block_ = true;
  return storage;
}

std::shared_ptr<MemoryPool> MemoryPool::Create(int64_t limit, std::function<int64_t()> available,
                                               std::chrono::milliseconds idle_age, int num_devices,
                                               int64_t device_limit) {
  if (limit <= 0) {
    limit = TotalMemory();
    if (available == nullptr) available = [] { return AvailableMemory(); };
  }
  return std::shared_ptr<MemoryPool>(
      new MemoryPool(limit, std::move(available), idle_age, num_devices, device_limit),
      [](MemoryPool* pool) { pool->Leave(); });
}

MemoryPool::~MemoryPool() { Unmap(CutTo(0)); }

namespace {

// False, and `*in_use` says how much there is, if so much more exceeds the limit.
bool Add(std::atomic<int64_t>& bytes, int64_t size, int64_t limit, int64_t* in_use) {
  *in_use = bytes.load(std::memory_order_relaxed);
  do {
    if (size > limit - *in_use) return false;
  } while (!bytes.compare_exchange_weak(*in_use, *in_use + size, std::memory_order_relaxed));
  return true;
}

void Raise(std::atomic<int64_t>& maximum, int64_t value) {
  int64_t seen = maximum.load(std::memory_order_relaxed);
  while (seen < value && !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

Status MemoryPool::Reserve(int64_t size, int32_t device) {
  int64_t in_use = 0;
  if (!Add(all_.bytes_in_use, size, limit_, &in_use)) {
    return ResourceExhausted("out of memory: ", size, " bytes were asked for, ", in_use,
                             " are in use and the limit is ", limit_,
                             "; free arrays, use a smaller batch, or raise the client option "
                             "memory_limit_bytes");
  }
  Count* const own = CountOf(device);
  int64_t own_in_use = in_use;
  const int64_t own_limit = device_limit_ > 0 ? device_limit_ : limit_;
  const bool fits = own != nullptr ? Add(own->bytes_in_use, size, own_limit, &own_in_use)
                                   : size <= own_limit - in_use;
  if (!fits) {
    all_.bytes_in_use.fetch_sub(size, std::memory_order_relaxed);
    return ResourceExhausted("out of memory on device ", device, ": ", size,
                             " bytes were asked for, ", own_in_use,
                             " are in use there and its limit is ", own_limit,
                             "; free arrays, use a smaller batch, or raise the client option "
                             "device_memory_limit_bytes");
  }
  for (auto [count, before] : {std::pair(&all_, in_use), std::pair(own, own_in_use)}) {
    if (count == nullptr) continue;
    Raise(count->peak_bytes_in_use, before + size);
    Raise(count->largest_allocation, size);
    count->num_allocations.fetch_add(1, std::memory_order_relaxed);
  }
  return Status();
}

Expected<StoragePtr> MemoryPool::Allocate(int64_t size, int32_t device) {
  if (size < 0) return ResourceExhausted("an array of more than 2^63 bytes was asked for");
  PLINTH_RETURN_IF_ERROR(Reserve(size, device));
  Reservation reservation(this, size, device);
  int64_t padded = RoundUp(size, kStorageAlignment);
  int64_t block_size = padded < kPooledSize ? 0 : BlockSize(padded);
  std::byte* data = nullptr;
  if (block_size > 0) {
    PLINTH_ASSIGN_OR_RETURN(data, TakeBlock(block_size));
  }
  // Small: header and data in one block, so that a small result costs one allocation.
  const auto own_size =
      sizeof(Storage) +
      static_cast<size_t>(block_size > 0 ? 0 : padded + kTail + kMostBeforeAlignment);
  void* memory = BlockCache::Take(own_size);
  if (memory == nullptr) {
    if (data != nullptr) GiveBlock(data, block_size);
    return ResourceExhausted("out of memory: the system gave no ", size, " bytes");
  }
  if (block_size == 0) {
    auto after_header = reinterpret_cast<uintptr_t>(memory) + sizeof(Storage);
    data = reinterpret_cast<std::byte*>((after_header + kStorageAlignment - 1) / kStorageAlignment *
                                        kStorageAlignment);
  }
  auto* storage = new (memory) Storage();
  storage->data_ = data;
  storage->size_ = size;
  storage->device_ = device;
  storage->block_size_ = block_size;
  storage->header_size_ = static_cast<uint32_t>(own_size);
  storage->pool_ = this;
  reservation.Release();
  return StoragePtr::Adopt(storage);
}

Expected<std::byte*> MemoryPool::TakeBlock(int64_t block_size) {
  {
    std::lock_guard lock(mutex_);
    if (IdleBlock* const found = newest_of_class_[ClassOf(block_size)]; found != nullptr) {
      Unlink(found);
      return reinterpret_cast<std::byte*>(found);
    }
    PLINTH_RETURN_IF_ERROR(MakeRoom(block_size));
    mapping_bytes_ += block_size;
    perhaps_untouched_ += block_size;
  }
  // The system may take its time: other threads need not wait for it.
  std::byte* data = MapBlock(block_size);
  std::lock_guard lock(mutex_);
  mapping_bytes_ -= block_size;
  if (data == nullptr) {
    perhaps_untouched_ -= block_size;
    return ResourceExhausted("out of memory: the system gave no ", block_size, " bytes");
  }
  if (available_ != nullptr) {
    try {
      mapped_.emplace(data, block_size);
    } catch (...) {
      perhaps_untouched_ -= block_size;
      UnmapBlock(data, block_size);
      throw;
    }
  }
  return data;
}

Status MemoryPool::MakeRoom(int64_t block_size) {
  int64_t in_use = all_.bytes_in_use.load(std::memory_order_relaxed);  // the new block's, too
  Unmap(CutTo(std::max<int64_t>(limit_ - in_use, 0)));
  if (available_ == nullptr) return Status();
  unchecked_bytes_ = std::min(unchecked_bytes_ + block_size, kUncheckedBytes);
  if (unchecked_bytes_ < kUncheckedBytes) return Status();
  int64_t available = 0;
  auto fits = [&] {
    available = available_();
    // The new block counts as in use already. Those that nobody has written yet count twice: if
    // they are kept, that takes no memory.
    most_memory_ = available + idle_bytes_ + in_use - block_size;
    if (available - perhaps_untouched_ < block_size) return false;
    unchecked_bytes_ = 0;
    return true;
  };
  if (fits()) return Status();
  // Pages are counted before the system is asked: what is touched in between counts twice, not
  // never.
  CountUntouched();
  if (fits()) return Status();
  Unmap(CutTo(0));
  CountUntouched();
  if (fits()) return Status();
  return ResourceExhausted(
      "out of memory: a block of ", block_size, " bytes was asked for, and ", available,
      " bytes of the machine's or the container's memory are free, of which ", perhaps_untouched_,
      " are promised to blocks that are not written yet; free arrays or use a smaller batch (the "
      "client option memory_limit_bytes sets a limit that does not look at what is free)");
}

void MemoryPool::CountUntouched() {
  perhaps_untouched_ = mapping_bytes_;
  for (auto [data, size] : mapped_) perhaps_untouched_ += UntouchedBytes(data, size);
}

void MemoryPool::Unmap(IdleBlock* blocks) {
  while (blocks != nullptr) {
    IdleBlock* const block = blocks;
    blocks = block->older;
    UnmapBlock(reinterpret_cast<std::byte*>(block), block->size);
  }
}

void MemoryPool::Unlink(IdleBlock* block) {
  (block->older == nullptr ? oldest_ : block->older->newer) = block->newer;
  (block->newer == nullptr ? newest_ : block->newer->older) = block->older;
  if (block->older_of_class != nullptr) {
    block->older_of_class->newer_of_class = block->newer_of_class;
  }
  (block->newer_of_class == nullptr ? newest_of_class_[ClassOf(block->size)]
                                    : block->newer_of_class->older_of_class) =
      block->older_of_class;
  idle_bytes_ -= block->size;
}

void MemoryPool::GiveBlock(std::byte* data, int64_t block_size) noexcept {
  const bool reminds = AddIdle(data, block_size);
  if (reminds && reminder_ != nullptr) reminder_();
}

bool MemoryPool::AddIdle(std::byte* data, int64_t block_size) noexcept {
  const auto now = std::chrono::steady_clock::now();
  std::lock_guard lock(mutex_);
  IdleBlock*& newest_of_class = newest_of_class_[ClassOf(block_size)];
  auto* const block =
      new (data) IdleBlock{block_size, now, newest_, nullptr, newest_of_class, nullptr};
  (newest_ == nullptr ? oldest_ : newest_->newer) = block;
  newest_ = block;
  if (newest_of_class != nullptr) newest_of_class->newer_of_class = block;
  newest_of_class = block;
  idle_bytes_ += block_size;
  // With the lock: who is asked for memory meanwhile has to wait for what is unmapped here.
  Unmap(CutWhile([&](const IdleBlock& idle) { return now - idle.since > idle_age_; }));
  const int64_t free = most_memory_ - all_.bytes_in_use.load(std::memory_order_relaxed);
  Unmap(CutTo(std::max<int64_t>(free / 2, 0)));
  if (idle_bytes_ <= kRemindedBytes || is_reminded_) return false;
  is_reminded_ = true;
  return true;
}

MemoryPool::IdleBlock* MemoryPool::CutWhile(const auto& is_cut) {
  IdleBlock* cut = nullptr;
  while (oldest_ != nullptr && is_cut(*oldest_)) {
    IdleBlock* const block = oldest_;
    Unlink(block);
    mapped_.erase(reinterpret_cast<std::byte*>(block));
    block->older = std::exchange(cut, block);
  }
  return cut;
}

MemoryPool::IdleBlock* MemoryPool::CutTo(int64_t idle_bytes) {
  return CutWhile([&](const IdleBlock&) { return idle_bytes_ > idle_bytes; });
}

void MemoryPool::ReleaseIdle(std::chrono::milliseconds age) {
  const auto limit = std::chrono::steady_clock::now() - age;
  {
    std::lock_guard lock(mutex_);
    Unmap(CutWhile([&](const IdleBlock& block) { return block.since <= limit; }));
    is_reminded_ = idle_bytes_ > kRemindedBytes;
    if (!is_reminded_) return;
  }
  if (reminder_ != nullptr) reminder_();
}

MemoryPoolStats MemoryPool::Count::stats(int64_t limit) const {
  MemoryPoolStats stats;
  stats.bytes_in_use = bytes_in_use.load(std::memory_order_relaxed);
  stats.peak_bytes_in_use = peak_bytes_in_use.load(std::memory_order_relaxed);
  stats.num_allocations = num_allocations.load(std::memory_order_relaxed);
  stats.largest_allocation = largest_allocation.load(std::memory_order_relaxed);
  stats.limit = limit;
  return stats;
}

MemoryPoolStats MemoryPool::stats() const {
  MemoryPoolStats stats = all_.stats(limit_);
  std::lock_guard lock(mutex_);
  stats.pooled_bytes = idle_bytes_;
  return stats;
}

MemoryPoolStats MemoryPool::stats(int32_t device) const {
  const Count& count = devices_.empty() ? all_ : devices_[static_cast<size_t>(device)];
  MemoryPoolStats stats = count.stats(device_limit_ > 0 ? std::min(device_limit_, limit_) : limit_);
  std::lock_guard lock(mutex_);
  stats.pooled_bytes = idle_bytes_;
  return stats;
}

void MemoryPool::ResetPeak(int32_t device) {
  for (Count* count : {&all_, CountOf(device)}) {
    if (count == nullptr) continue;
    count->peak_bytes_in_use.store(count->bytes_in_use.load(std::memory_order_relaxed),
                                   std::memory_order_relaxed);
  }
}

}  // namespace plinth::backend

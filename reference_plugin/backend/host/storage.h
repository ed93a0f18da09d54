// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_STORAGE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_STORAGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace plinth::backend {

class MemoryPool;

// Every storage that the pool makes starts at such a boundary.
inline constexpr int64_t kStorageAlignment = 64;

// Bytes with a reference count. Owned storage comes from a MemoryPool and goes back to it, or from
// an allocator of a back end, whose block goes with the last reference; borrowed storage belongs to
// somebody else, is never written, and gives its owner back with the last reference. Reference
// counting is thread-safe; the bytes are not guarded.
class Storage {
 public:
  std::byte* data() const { return data_; }
  int64_t size() const { return size_; }
  bool is_borrowed() const { return pool_ == nullptr && !is_own_block_; }
  // The block of an allocator, or whoever the bytes were borrowed from; may be null.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  // Whether the caller, who holds a reference, holds the only one.
  bool IsExclusive() const { return references_.load(std::memory_order_acquire) == 1; }

  void Ref() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    // Nobody can add a reference where there is no other.
    if (IsExclusive() || references_.fetch_sub(1, std::memory_order_acq_rel) == 1) Free();
  }

 private:
  friend class MemoryPool;
  friend class StoragePtr;
  Storage() = default;
  ~Storage() = default;
  void Free();

  // One line of a cache.
  std::atomic<int32_t> references_{1};
  int32_t device_ = 0;  // whose memory it counts as
  std::byte* data_ = nullptr;
  int64_t size_ = 0;
  int64_t block_size_ = 0;                  // of the pooled block; 0: data lie behind this header
  uint32_t header_size_ = sizeof(Storage);  // with such data, which are smaller than a block
  bool is_own_block_ = false;
  MemoryPool* pool_ = nullptr;         // which waits for this storage; null: borrowed
  std::shared_ptr<const void> owner_;  // borrowed, or own block: keeps the bytes alive
};

// A counted reference to a Storage, or null.
class StoragePtr {
 public:
  StoragePtr() = default;
  StoragePtr(const StoragePtr& other) : storage_(other.storage_) {
    if (storage_ != nullptr) storage_->Ref();
  }
  StoragePtr(StoragePtr&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StoragePtr& operator=(StoragePtr other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StoragePtr() {
    if (storage_ != nullptr) storage_->Unref();
  }

  // Takes over the reference that a new storage starts with.
  static StoragePtr Adopt(Storage* storage) {
    StoragePtr pointer;
    pointer.storage_ = storage;
    return pointer;
  }
  // Memory of somebody else; dropping the last reference drops `owner`.
  static StoragePtr Borrow(const void* data, int64_t size, std::shared_ptr<const void> owner);
  // Memory that an allocator made for this storage alone: it may be written. `data` may be an
  // address that the host cannot read.
  static StoragePtr Own(void* data, int64_t size, std::shared_ptr<const void> block);

  Storage* operator->() const { return storage_; }
  Storage& operator*() const { return *storage_; }
  explicit operator bool() const { return storage_ != nullptr; }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_STORAGE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/host/block_cache.h"
#include "reference_plugin/backend/host/storage.h"

namespace plinth::backend {

// What a buffer refers to; shared by buffers and by the executions that read it. `storage` is
// written before `ready` and read after it; it stays null if `ready` is an error.
//
// On devices that work through queues it is written before `placed`: from then on work may be
// enqueued that reads the storage, which it does after what makes the contents ready. On the host
// nobody looks at `placed`.
struct Contents {
  sdk::Event ready;
  sdk::Event placed;
  StoragePtr storage;

  // Every output of every execution has one.
  static void* operator new(size_t size) {
    void* const memory = BlockCache::Take(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  static void operator delete(void* memory, size_t size) noexcept {
    BlockCache::Give(memory, size);
  }

 private:
  friend class ContentsPtr;
  std::atomic<int32_t> references_{1};
};

// A counted reference to contents, or null.
class ContentsPtr {
 public:
  ContentsPtr() = default;
  ContentsPtr(std::nullptr_t) {}  // NOLINT: as other pointers
  explicit ContentsPtr(Contents* contents) : contents_(contents) {
    if (contents_ != nullptr) contents_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  ContentsPtr(const ContentsPtr& other) : ContentsPtr(other.contents_) {}
  ContentsPtr(ContentsPtr&& other) noexcept : contents_(other.Release()) {}
  ContentsPtr& operator=(ContentsPtr other) noexcept {
    std::swap(contents_, other.contents_);
    return *this;
  }
  ~ContentsPtr() {
    if (contents_ == nullptr) return;
    // Nobody can add a reference where there is no other.
    if (IsExclusive() || contents_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete contents_;
    }
  }

  static ContentsPtr Make() { return Adopt(new Contents()); }
  // Takes over a reference; gives it away.
  static ContentsPtr Adopt(Contents* contents) {
    ContentsPtr pointer;
    pointer.contents_ = contents;
    return pointer;
  }
  Contents* Release() { return std::exchange(contents_, nullptr); }

  Contents* operator->() const { return contents_; }
  Contents& operator*() const { return *contents_; }
  friend bool operator==(const ContentsPtr& a, const ContentsPtr& b) = default;
  // Whether the caller, who holds a reference, holds the only one.
  bool IsExclusive() const { return contents_->references_.load(std::memory_order_acquire) == 1; }

 private:
  Contents* contents_ = nullptr;
};

// The storage of a token, which has no bytes.
inline StoragePtr TokenStorage() {
  static std::byte nowhere{};
  return StoragePtr::Borrow(&nowhere, 0, nullptr);
}

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CONTENTS_H_

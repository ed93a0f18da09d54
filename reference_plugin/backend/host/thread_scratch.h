// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_THREAD_SCRATCH_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_THREAD_SCRATCH_H_

#include <cstddef>
#include <cstdint>
#include <new>

namespace plinth::backend {

// Memory of one thread that only grows, so that the steady state asks for none. Freed when the
// thread ends. Keep one per use: Get() of the same object invalidates what it gave before.
class ThreadScratch {
 public:
  ThreadScratch() = default;
  ~ThreadScratch() { Free(); }
  ThreadScratch(const ThreadScratch&) = delete;
  ThreadScratch& operator=(const ThreadScratch&) = delete;

  // At least `bytes` of memory aligned to 64, contents unspecified; null when there is none.
  std::byte* Get(int64_t bytes) {
    if (bytes > size_) {
      Free();
      data_ = static_cast<std::byte*>(
          ::operator new(static_cast<size_t>(bytes), std::align_val_t(64), std::nothrow));
      size_ = data_ != nullptr ? bytes : 0;
    }
    return data_;
  }

 private:
  void Free() {
    ::operator delete(data_, std::align_val_t(64));
    data_ = nullptr;
    size_ = 0;
  }
  std::byte* data_ = nullptr;
  int64_t size_ = 0;
};

// Memory for one task of a parallel step: up to kKeptBytes stay with the thread for its next task,
// more is given back at once. One at a time per thread. Steps that may need more use WorkBlocks.
class TaskMemory {
 public:
  static constexpr int64_t kKeptBytes = 4 << 20;

  // As ThreadScratch::Get.
  std::byte* Get(int64_t bytes) {
    thread_local ThreadScratch kept;
    return (bytes <= kKeptBytes ? kept : own_).Get(bytes);
  }

 private:
  ThreadScratch own_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_THREAD_SCRATCH_H_

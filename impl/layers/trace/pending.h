// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_PENDING_H_
#define PLINTH_IMPL_LAYERS_TRACE_PENDING_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace plinth::layers {

// Counts what is under way on threads of the plugin, so that the end of the last client can wait
// for it. Any thread.
class Pending {
 public:
  // False, and nothing is counted, if there would be more than `limit` bytes under way.
  bool Begin(uint64_t bytes, uint64_t limit) {
    std::lock_guard lock(mutex_);
    if (bytes > limit || bytes_ > limit - bytes) return false;
    ++count_;
    bytes_ += bytes;
    return true;
  }
  // The last thing that a callback does: whoever waited may destroy this object.
  void End(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    bytes_ -= bytes;
    if (--count_ == 0) none_.notify_all();
  }
  // Until nothing is under way, at most for that time: some events never become ready.
  void Wait(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    none_.wait_for(lock, timeout, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  uint64_t count_ = 0, bytes_ = 0;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_PENDING_H_

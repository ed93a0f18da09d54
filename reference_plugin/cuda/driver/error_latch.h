// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_ERROR_LATCH_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_ERROR_LATCH_H_

#include <atomic>
#include <mutex>

#include "plinth/support/status.h"

namespace plinth::cuda {

// After some errors (an illegal address, a fault of the memory) a context answers every call with
// the same error, which says nothing of its cause. The latch keeps the first message. Thread-safe.
class ErrorLatch {
 public:
  // The first error that was set, or success.
  Status status() const {
    if (!is_set_.load(std::memory_order_acquire)) return Status();
    const std::lock_guard lock(mutex_);
    return status_;
  }
  bool is_set() const { return is_set_.load(std::memory_order_acquire); }
  // Returns what the latch holds from now on.
  Status Set(const Status& error) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = error;
    is_set_.store(true, std::memory_order_release);
    return status_;
  }

 private:
  std::atomic<bool> is_set_{false};
  mutable std::mutex mutex_;
  Status status_;  // guarded
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_ERROR_LATCH_H_

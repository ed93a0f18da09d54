// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_FUTURE_H_
#define PLINTH_IMPL_IFRT_FUTURE_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "impl/ifrt/counted.h"
#include "plinth/support/status.h"

namespace plinth::ifrt {

// Something that completes once, with success or an error. Any thread.
class Future : public Counted {
 public:
  using Callback = std::function<void(const Status&)>;

  // Pending; `keep` lives as long as the future.
  explicit Future(Ref<const Counted> keep) : keep_(std::move(keep)) {}

  // The first call counts. Runs the callbacks on this thread, without a lock.
  void Complete(const Status& outcome);
  bool IsReady() const;
  // Waits for at most that long, without end if it is negative. DEADLINE_EXCEEDED if it did not
  // complete; else its outcome.
  Status Await(int64_t timeout_ms) const;
  // Runs the callback once: at once if it is complete, else on the thread that completes it. A
  // callback may drop the last reference to anything, this future too.
  void OnReady(Callback callback);

 private:
  Ref<const Counted> keep_;
  mutable std::mutex mutex_;
  mutable std::condition_variable completed_;
  std::atomic<bool> is_ready_{false};  // Set when `outcome_` is final.
  Status outcome_;
  std::vector<Callback> callbacks_;
};

// Completes a future when everything that it waits for has, also when one failed; then with the
// error that came first. Shared by the callbacks of what it waits for.
class Join {
 public:
  // Waits for one arrival: that of its maker.
  explicit Join(Ref<Future> future) : future_(std::move(future)) {}
  void Add() { remaining_.fetch_add(1, std::memory_order_relaxed); }
  void Arrive(const Status& outcome);

 private:
  Ref<Future> future_;
  std::atomic<size_t> remaining_{1};
  std::mutex mutex_;
  Status first_error_;
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_FUTURE_H_

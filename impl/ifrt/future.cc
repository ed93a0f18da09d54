// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/future.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace plinth::ifrt {

void Future::Complete(const Status& outcome) {
  const Ref<Future> self = Ref<Future>::Share(this);
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (is_ready_) return;
    outcome_ = outcome;
    is_ready_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
  }
  completed_.notify_all();
  for (Callback& callback : callbacks) {
    // What it holds goes before the next one runs.
    const Callback run = std::move(callback);
    run(outcome);
  }
}

bool Future::IsReady() const { return is_ready_.load(std::memory_order_acquire); }

Status Future::Await(int64_t timeout_ms) const {
  if (IsReady()) return outcome_;
  std::unique_lock lock(mutex_);
  const auto is_ready = [this] { return is_ready_.load(); };
  if (timeout_ms < 0) {
    completed_.wait(lock, is_ready);
  } else {
    // Longer ones would overflow the clock.
    constexpr int64_t kLongest = int64_t{1} << 40;
    const auto timeout = std::chrono::milliseconds(std::min(timeout_ms, kLongest));
    if (!completed_.wait_for(lock, timeout, is_ready)) {
      return Status(StatusCode::kDeadlineExceeded,
                    StrCat("not ready within ", timeout_ms, " ms; it goes on"));
    }
  }
  return outcome_;
}

void Future::OnReady(Callback callback) {
  Status outcome;
  {
    const std::lock_guard lock(mutex_);
    if (!is_ready_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
    outcome = outcome_;
  }
  callback(outcome);
}

void Join::Arrive(const Status& outcome) {
  if (!outcome.ok()) {
    const std::lock_guard lock(mutex_);
    if (first_error_.ok()) first_error_ = outcome;
  }
  if (remaining_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // Nobody else is there any more.
  const Ref<Future> future = std::move(future_);
  future->Complete(first_error_);
}

}  // namespace plinth::ifrt

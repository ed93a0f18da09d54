// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/event.h"

#include <cxxabi.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace plinth::sdk {
namespace internal {
namespace {

// How deep waiters that complete events may run inside of one another on a thread. Nested calls
// keep the usual order (all callbacks have run when Set returns); this many fit on any stack.
constexpr int kDeepest = 32;

struct Nesting {
  int depth = 0;
  // Waiters of events that were completed at kDeepest; the frame there runs them.
  EventWaiter* first = nullptr;
  EventWaiter* last = nullptr;
};
thread_local constinit Nesting nesting;
thread_local constinit CallbackRunner* callback_runner = nullptr;

void RunWaiter(EventWaiter* waiter, const Status& status) {
  try {
    waiter->run(waiter, status);
  } catch (...) {
    // Whoever completes an event is not to blame for a callback that throws, and the other waiters
    // still have to run. What the callback owned is gone, and with it the events that it was to
    // make ready: they fail.
  }
}

// On a thread that only runs callbacks.
void RunCallback(const std::function<void(const Status&)>& callback, const Status& status) {
  try {
    callback(status);
  } catch (const abi::__forced_unwind&) {
    throw;  // Python ends the threads of others so when it exits.
  } catch (...) {
    // As in RunWaiter.
  }
}

}  // namespace

void EventState::Subscribe(EventWaiter* waiter) {
  uintptr_t head = waiters_.load(std::memory_order_acquire);
  while (head != kReady) {
    waiter->next = reinterpret_cast<EventWaiter*>(head);
    if (waiters_.compare_exchange_weak(head, reinterpret_cast<uintptr_t>(waiter),
                                       std::memory_order_release, std::memory_order_acquire)) {
      return;
    }
  }
  // The callback may drop the last reference to this state.
  Status status = status_;
  waiter->run(waiter, status);
}

void EventState::Complete(Status status) {
  status_ = std::move(status);
  uintptr_t head = waiters_.exchange(kReady, std::memory_order_acq_rel);
  // The stack has the last subscriber on top. What may block must not keep back what it waits for.
  EventWaiter* in_order = nullptr;
  EventWaiter* foreign = nullptr;
  EventWaiter** end = &in_order;
  for (auto* waiter = reinterpret_cast<EventWaiter*>(head); waiter != nullptr;) {
    EventWaiter* next = waiter->next;
    EventWaiter*& list = waiter->is_foreign ? foreign : in_order;
    if (!waiter->is_foreign && in_order == nullptr) end = &waiter->next;
    waiter->next = list;
    list = waiter;
    waiter = next;
  }
  *end = foreign;
  if (nesting.depth == kDeepest) {
    while (in_order != nullptr) {
      EventWaiter* waiter = in_order;
      in_order = waiter->next;
      Postpone(waiter);
    }
    return;
  }
  ++nesting.depth;
  while (in_order != nullptr) {
    EventWaiter* next = in_order->next;
    RunWaiter(in_order, status_);
    in_order = next;
  }
  if (nesting.depth == kDeepest) RunPostponed();
  --nesting.depth;
}

void EventState::Postpone(EventWaiter* waiter) {
  Ref();
  waiter->postponed_by = this;
  waiter->next = nullptr;
  (nesting.last == nullptr ? nesting.first : nesting.last->next) = waiter;
  nesting.last = waiter;
}

void EventState::RunPostponed() {
  while (EventWaiter* waiter = nesting.first) {
    nesting.first = waiter->next;
    if (nesting.first == nullptr) nesting.last = nullptr;
    EventState* state = waiter->postponed_by;
    RunWaiter(waiter, state->status_);
    state->Unref();
  }
}

}  // namespace internal

Event Event::Ready(Status status) {
  if (status.ok()) return Event();
  return Event(new internal::EventState(std::move(status)));
}

Status Event::status() const {
  if (state_ == nullptr) return {};
  if (!state_->IsReady()) return Internal("the status of a pending event was asked for");
  return state_->status();
}

void Event::OnReadyForeign(std::function<void(const Status&)> callback) const {
  if (IsReady()) {
    callback(Status(status()));  // It may drop this event.
    return;
  }
  struct Waiter : internal::EventWaiter {
    std::function<void(const Status&)> callback;
  };
  auto* waiter = new Waiter;
  waiter->callback = std::move(callback);
  waiter->is_foreign = true;
  waiter->run = [](internal::EventWaiter* self, const Status& status) {
    std::unique_ptr<Waiter> own(static_cast<Waiter*>(self));
    if (internal::callback_runner == nullptr) {
      own->callback(status);
    } else {
      internal::callback_runner->Run([callback = std::move(own->callback), status] {
        internal::RunCallback(callback, status);
      });
    }
  };
  state_->Subscribe(waiter);
}

CallbackScope::CallbackScope(CallbackRunner& runner)
    : outer_(std::exchange(internal::callback_runner, &runner)) {}

CallbackScope::~CallbackScope() { internal::callback_runner = outer_; }

Status Event::Await() const {
  if (IsReady()) return status();
  struct Blocked : internal::EventWaiter {
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false;
  } blocked;
  blocked.run = [](internal::EventWaiter* self, const Status&) {
    auto* waiter = static_cast<Blocked*>(self);
    // Notified under the lock, because the waiting thread frees this object once it sees `done`.
    std::lock_guard lock(waiter->mutex);
    waiter->done = true;
    waiter->wake.notify_one();
  };
  Event self = *this;  // Another thread may drop *this while we wait.
  self.state_->Subscribe(&blocked);
  std::unique_lock lock(blocked.mutex);
  blocked.wake.wait(lock, [&] { return blocked.done; });
  lock.unlock();
  return self.status();
}

Event Event::All(std::span<const Event> events) {
  struct Join {
    std::vector<Event> events;
    std::atomic<size_t> pending;
    EventSource source;
  };
  bool all_ready = true;
  for (const Event& event : events) all_ready = all_ready && event.IsReady();
  if (all_ready) {
    for (const Event& event : events) {
      if (event.state_ != nullptr && !event.state_->status().ok()) return event;
    }
    return Event();
  }
  auto join = std::make_shared<Join>();
  join->events.assign(events.begin(), events.end());
  join->pending.store(events.size(), std::memory_order_relaxed);
  Event result = join->source.event();
  for (const Event& event : events) {
    event.OnReady([join](const Status&) {
      if (join->pending.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
      // The list holds the events and their callbacks hold the join: the circle ends here.
      std::vector<Event> finished = std::move(join->events);
      Status first_error;
      for (const Event& done : finished) {
        if (first_error.ok()) first_error = done.status();
      }
      join->source.Set(std::move(first_error));
    });
  }
  return result;
}

EventSource::~EventSource() {
  if (state_ == nullptr) return;
  Set(Internal("the work behind an event was abandoned before it was done"));
  state_->Unref();
}

bool EventSource::Set(Status status) {
  if (state_ == nullptr || !state_->Claim()) return false;
  // A callback may drop this source.
  internal::EventState* state = state_;
  state->Ref();
  state->Complete(std::move(status));
  state->Unref();
  return true;
}

}  // namespace plinth::sdk

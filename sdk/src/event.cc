// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/event.h"

#include <cxxabi.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace plinth::sdk {
namespace internal {
namespace {

// How deep waiters that complete events may run inside of one another on a thread. Nested calls
// keep the usual order (all callbacks of OnReady have run when Set returns); this many fit on any
// stack.
constexpr int kDeepest = 32;

// Waiters whose turn comes later. Each has a reference to its event.
struct Queue {
  void Push(EventWaiter* waiter) {
    waiter->next = nullptr;
    (last == nullptr ? first : last->next) = waiter;
    last = waiter;
  }
  EventWaiter* Pop() {
    EventWaiter* const waiter = first;
    if (waiter == nullptr) return nullptr;
    first = waiter->next;
    if (first == nullptr) last = nullptr;
    return waiter;
  }

  EventWaiter* first = nullptr;
  EventWaiter* last = nullptr;
};

// The calls of Complete that are under way on a thread.
struct Nesting {
  int depth = 0;
  // Where the outermost of them began that waits for no callback of OnReadyForeign.
  int base = 0;
  Queue own;      // of events that were completed at kDeepest; the frame there runs them
  Queue foreign;  // of all these events; the outermost runs them: its own waiters come first
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
template <typename Callback>
void RunCallback(const Callback& callback) {
  try {
    callback();
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
  // The stack has the last subscriber on top.
  EventWaiter* in_order = nullptr;
  for (auto* waiter = reinterpret_cast<EventWaiter*>(head); waiter != nullptr;) {
    EventWaiter* next = waiter->next;
    waiter->next = in_order;
    in_order = waiter;
    waiter = next;
  }
  const bool is_outermost = nesting.depth == nesting.base;
  const bool is_too_deep = nesting.depth == kDeepest;
  // What may block must not keep back what it waits for: neither other waiters of this event, nor
  // those of an event whose waiter completes this one.
  EventWaiter* own = nullptr;
  EventWaiter** end = &own;
  for (EventWaiter* waiter = in_order; waiter != nullptr;) {
    EventWaiter* next = waiter->next;
    if (waiter->is_foreign || is_too_deep) {
      Ref();
      waiter->state = this;
      (waiter->is_foreign ? nesting.foreign : nesting.own).Push(waiter);
    } else {
      *end = waiter;
      end = &waiter->next;
    }
    waiter = next;
  }
  *end = nullptr;
  if (is_too_deep) return;
  ++nesting.depth;
  while (own != nullptr) {
    EventWaiter* next = own->next;
    RunWaiter(own, status_);
    own = next;
  }
  if (nesting.depth == kDeepest) RunOwn();
  if (is_outermost) RunForeign();
  --nesting.depth;
}

void EventState::RunPostponed(EventWaiter* waiter) {
  EventState* const state = waiter->state;
  RunWaiter(waiter, state->status_);
  state->Unref();
}

void EventState::RunOwn() {
  while (EventWaiter* waiter = nesting.own.Pop()) RunPostponed(waiter);
}

void EventState::RunForeign() {
  while (EventWaiter* waiter = nesting.foreign.Pop()) {
    if (nesting.depth == kDeepest) {
      RunPostponed(waiter);
      RunOwn();
      continue;
    }
    // Events that the callback makes ready are not ours to postpone: it may wait for theirs.
    const Nesting outer = std::exchange(nesting, {nesting.depth, nesting.depth, {}, {}});
    RunPostponed(waiter);
    nesting = outer;
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
    static void Call(Waiter* self, const Status& status) {
      const std::unique_ptr<Waiter> own(self);
      own->callback(status);
    }
    std::function<void(const Status&)> callback;
  };
  auto* waiter = new Waiter;
  waiter->callback = std::move(callback);
  waiter->is_foreign = true;
  waiter->run = [](internal::EventWaiter* self, const Status& status) {
    auto* const own = static_cast<Waiter*>(self);
    internal::EventState* const state = own->state;
    if (internal::callback_runner != nullptr && state != nullptr) {
      state->Ref();
      try {
        // Two pointers fit into the function: nothing is allocated here.
        internal::callback_runner->Run([own, state] {
          internal::RunCallback([&] { Waiter::Call(own, state->status()); });
          state->Unref();
        });
        return;
      } catch (const std::exception&) {
        state->Unref();  // Better on this thread than lost.
      }
    }
    Waiter::Call(own, status);
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

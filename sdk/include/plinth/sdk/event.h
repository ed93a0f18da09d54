// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_EVENT_H_
#define PLINTH_SDK_EVENT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "plinth/support/status.h"

namespace plinth::sdk {

class EventSource;

namespace internal {

class EventState;

// One callback waiting for an event. `run` is called exactly once and frees the waiter if need be.
struct EventWaiter {
  EventWaiter* next = nullptr;
  EventState* state = nullptr;  // Set, with a reference, if `run` has to wait its turn.
  bool is_foreign = false;      // It may block: it goes after those that may not.
  void (*run)(EventWaiter* self, const Status& status) = nullptr;
};

// The state that the copies of an Event and its EventSource share. `waiters_` is a stack of waiters
// while the event is pending and the mark `kReady` from then on: no lock is ever taken or held.
class EventState {
 public:
  EventState() = default;
  explicit EventState(Status status) : waiters_(kReady), status_(std::move(status)) {}
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  bool IsReady() const { return waiters_.load(std::memory_order_acquire) == kReady; }
  const Status& status() const { return status_; }  // Only once IsReady().
  // Runs the waiter inline if the event is ready.
  void Subscribe(EventWaiter* waiter);
  // Stores the status and runs every waiter. Those that may block are left to the outermost call
  // on this thread, all of them to a call further up if waiters are nested too deep. Only the
  // caller that wins `claimed_` may call it.
  void Complete(Status status);
  bool Claim() { return !claimed_.exchange(true, std::memory_order_acq_rel); }

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  ~EventState() = default;
  static void RunPostponed(EventWaiter* waiter);
  static void RunOwn();
  static void RunForeign();
  static constexpr uintptr_t kReady = 1;

  std::atomic<uintptr_t> waiters_{0};
  std::atomic<uint32_t> refs_{1};
  std::atomic<bool> claimed_{false};
  Status status_;
};

}  // namespace internal

// The completion of an asynchronous action: pending, then ready for ever with a Status. One word;
// copies share the state, and an event that is ready with success owns no memory at all. Every
// function may be called from any thread.
class Event {
 public:
  // Ready, with success.
  Event() = default;
  // Ready, with `status`.
  static Event Ready(Status status);
  // Ready when all of `events` are; its status is that of the first in the list that failed.
  static Event All(std::span<const Event> events);

  Event(const Event& other) : state_(other.state_) {
    if (state_ != nullptr) state_->Ref();
  }
  Event(Event&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Event& operator=(Event other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Event() {
    if (state_ != nullptr) state_->Unref();
  }

  bool IsReady() const { return state_ == nullptr || state_->IsReady(); }
  // The outcome; INTERNAL while the event is pending.
  Status status() const;
  // Blocks until the event is ready. Never call it from a thread that has to make the event ready.
  Status Await() const;
  // Calls `callback(const Status&)` exactly once: inline if the event is ready, else on the thread
  // that makes it ready, with no lock held. It may drop this event, but must not block: others wait
  // for the same event, and for the thread.
  template <typename Callback>
  void OnReady(Callback&& callback) const;
  // The same for code that may block, as that of frameworks: it runs after the callbacks of
  // OnReady, also of the event whose callback makes this one ready, and where the thread's
  // CallbackScope says.
  void OnReadyForeign(std::function<void(const Status&)> callback) const;

 private:
  friend class EventSource;
  // Takes over one reference.
  explicit Event(internal::EventState* state) : state_(state) {}

  internal::EventState* state_ = nullptr;  // Null: ready, with success.
};

// The side that makes an event ready. Movable. Dropping it unset makes the event fail with
// INTERNAL, so nobody waits for ever.
class EventSource {
 public:
  EventSource() : state_(new internal::EventState()) {}
  EventSource(EventSource&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  EventSource& operator=(EventSource&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~EventSource();

  // The event that this source makes ready.
  Event event() const {
    state_->Ref();
    return Event(state_);
  }
  // Makes the event ready and runs the callbacks on this thread, in the order they were added
  // (those of OnReady before those of OnReadyForeign), before it returns. (What a callback of
  // OnReady makes ready calls those of OnReadyForeign after it has returned, and after all others
  // that wait for the same event as it. If callbacks that make events ready are nested dozens deep,
  // the innermost run after the one that called Set, so that a chain of any length fits on the
  // stack.) The first call counts: later ones, from any thread, return false and change nothing.
  bool Set(Status status = {});

 private:
  internal::EventState* state_;
};

// A thread for which others wait, one of a pool that runs programs, must not run callbacks that may
// block: one that waits for another program would wait for itself. While a scope lives, those that
// become due on its thread are handed to its runner. Scopes of a thread nest.
class CallbackRunner {
 public:
  virtual ~CallbackRunner() = default;
  // Calls `callback`, which does not throw, exactly once and soon, on a thread for which nothing
  // waits. A callback that blocks must not keep the next one waiting for ever. If it throws, it has
  // not taken the callback, which then runs on this thread.
  virtual void Run(std::function<void()> callback) = 0;
};

class CallbackScope {
 public:
  explicit CallbackScope(CallbackRunner& runner);
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  CallbackRunner* const outer_;
};

template <typename Callback>
void Event::OnReady(Callback&& callback) const {
  if (IsReady()) {
    if (state_ == nullptr) {
      callback(Status());
    } else {
      // The callback may drop this event, and with it the last reference to its status.
      Status status = state_->status();
      callback(status);
    }
    return;
  }
  struct Waiter : internal::EventWaiter {
    explicit Waiter(Callback&& c) : callback(std::forward<Callback>(c)) {}
    std::decay_t<Callback> callback;
  };
  auto* waiter = new Waiter(std::forward<Callback>(callback));
  waiter->run = [](internal::EventWaiter* self, const Status& status) {
    auto* typed = static_cast<Waiter*>(self);
    auto run = std::move(typed->callback);
    delete typed;
    run(status);
  };
  state_->Subscribe(waiter);
}

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_EVENT_H_

// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/fault/delayed_events.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include "impl/layers/process_generation.h"
#include "plinth/support/args.h"

namespace plinth::layers {
namespace {

namespace fn = reflection::function;
using Clock = std::chrono::steady_clock;

// A callback of the client whose event is ready but not seen yet.
struct Delivery {
  Clock::time_point due;
  uint64_t number;  // keeps callbacks of one time in order
  PJRT_Event_OnReadyCallback callback;
  void* user_arg;
  PJRT_Error* error;

  bool operator>(const Delivery& other) const {
    return due != other.due ? due > other.due : number > other.number;
  }
};

constexpr Clock::time_point kNotReady = Clock::time_point::max();

struct Known {
  uint64_t number;            // tells events at the same address apart
  Clock::time_point seen_at;  // when clients may see that it is ready; kNotReady: not known to be
};

// The event of a call, or null where the struct is too short to have what the function needs.
template <typename Args, typename Last>
PJRT_Event* EventOf(void* args, Last Args::*last) {
  if (args == nullptr) return nullptr;
  const Args& event_args = *static_cast<const Args*>(args);
  return HasField(event_args, last) ? event_args.event : nullptr;
}

}  // namespace

struct DelayedEvents::State {
  const uint32_t generation = ProcessGeneration();
  std::mutex mutex;
  std::condition_variable more;
  std::unordered_map<PJRT_Event*, Known> events;  // that are alive and were asked about
  std::priority_queue<Delivery, std::vector<Delivery>, std::greater<>> deliveries;
  uint64_t next_number = 0;
  uint64_t next_event = 0;
  bool has_thread = false;

  Known& Find(PJRT_Event* event) {
    auto [found, is_new] = events.try_emplace(event, Known{next_event, kNotReady});
    if (is_new) ++next_event;
    return found->second;
  }

  // When clients may see an event that is ready now.
  Clock::time_point SeenAt(PJRT_Event* event, std::chrono::microseconds delay) {
    std::lock_guard lock(mutex);
    Known& known = Find(event);
    if (known.seen_at == kNotReady) known.seen_at = Clock::now() + delay;
    return known.seen_at;
  }

  void Deliver(Delivery delivery) {
    {
      std::lock_guard lock(mutex);
      if (!has_thread) {
        try {
          std::thread(&State::Run, this).detach();
          has_thread = true;
        } catch (const std::system_error&) {
          // Without a helper the callback is not delayed; it comes below.
        }
      }
      if (has_thread) {
        delivery.number = next_number++;
        deliveries.push(delivery);
        more.notify_one();
        return;
      }
    }
    delivery.callback(delivery.error, delivery.user_arg);
  }

  void Run() {
    std::unique_lock lock(mutex);
    while (true) {
      if (deliveries.empty()) {
        more.wait(lock);
      } else if (deliveries.top().due > Clock::now()) {
        more.wait_until(lock, deliveries.top().due);
      } else {
        Delivery delivery = deliveries.top();
        deliveries.pop();
        lock.unlock();
        delivery.callback(delivery.error, delivery.user_arg);
        lock.lock();
      }
    }
  }

  // What the layer registers in place of the client's callback. Freed by the callback.
  struct Pending {
    State* state;
    std::chrono::microseconds delay;
    PJRT_Event* event;
    uint64_t number;  // of the event
    PJRT_Event_OnReadyCallback callback;
    void* user_arg;
  };

  static void WhenReady(PJRT_Error* error, void* user_arg) {
    std::unique_ptr<Pending> pending(static_cast<Pending*>(user_arg));
    State& state = *pending->state;
    Clock::time_point due = Clock::now() + pending->delay;
    {
      // The client may have destroyed the event meanwhile, and another may have its address.
      std::lock_guard lock(state.mutex);
      auto found = state.events.find(pending->event);
      if (found != state.events.end() && found->second.number == pending->number) {
        Clock::time_point& seen_at = found->second.seen_at;
        due = seen_at = std::min(seen_at, due);
      }
    }
    state.Deliver({due, 0, pending->callback, pending->user_arg, error});
  }
};

DelayedEvents::DelayedEvents(std::chrono::microseconds delay) : delay_(delay), state_(new State) {}

DelayedEvents::~DelayedEvents() {
  State* state = state_.load();
  bool has_thread;
  {
    std::lock_guard lock(state->mutex);
    has_thread = state->has_thread;
  }
  if (!has_thread) delete state;
}

DelayedEvents::State& DelayedEvents::CurrentState() {
  State* state = state_.load();
  if (IsProcessGeneration(state->generation)) return *state;
  State* fresh = new State;
  if (!state_.compare_exchange_strong(state, fresh)) {
    delete fresh;
    return *state;
  }
  return *fresh;
}

DelayedEvents::Handler DelayedEvents::HandlerOf(fn::Id id) {
  switch (id) {
    case fn::kPJRT_Event_OnReady:
      return &DelayedEvents::OnReady;
    case fn::kPJRT_Event_IsReady:
      return &DelayedEvents::IsReady;
    case fn::kPJRT_Event_Await:
      return &DelayedEvents::Await;
    case fn::kPJRT_Event_Destroy:
      return &DelayedEvents::Destroy;
    default:
      return nullptr;
  }
}

PJRT_Error* DelayedEvents::OnReady(const Call& call) {
  PJRT_Event* event = EventOf(call.args(), &PJRT_Event_OnReady_Args::user_arg);
  if (event == nullptr) return call.Next();
  auto& args = *static_cast<PJRT_Event_OnReady_Args*>(call.args());
  if (args.callback == nullptr) return call.Next();
  State& state = CurrentState();
  auto* pending = new State::Pending{&state, delay_, event, 0, args.callback, args.user_arg};
  {
    std::lock_guard lock(state.mutex);
    pending->number = state.Find(event).number;
  }
  PJRT_Event_OnReady_Args below = {};
  below.struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE;
  below.extension_start = args.extension_start;
  below.event = event;
  below.callback = &State::WhenReady;
  below.user_arg = pending;
  PJRT_Error* error = call.Below(call.id(), &below);
  if (error != nullptr) delete pending;
  return error;
}

PJRT_Error* DelayedEvents::IsReady(const Call& call) {
  PJRT_Error* error = call.Next();
  PJRT_Event* event = EventOf(call.args(), &PJRT_Event_IsReady_Args::is_ready);
  if (error != nullptr || event == nullptr) return error;
  auto& args = *static_cast<PJRT_Event_IsReady_Args*>(call.args());
  if (args.is_ready && CurrentState().SeenAt(event, delay_) > Clock::now()) args.is_ready = false;
  return nullptr;
}

PJRT_Error* DelayedEvents::Await(const Call& call) {
  PJRT_Event* event = EventOf(call.args(), &PJRT_Event_Await_Args::event);
  PJRT_Error* error = call.Next();
  if (event != nullptr) std::this_thread::sleep_until(CurrentState().SeenAt(event, delay_));
  return error;
}

PJRT_Error* DelayedEvents::Destroy(const Call& call) {
  if (PJRT_Event* event = EventOf(call.args(), &PJRT_Event_Destroy_Args::event)) {
    State& state = CurrentState();
    std::lock_guard lock(state.mutex);
    state.events.erase(event);
  }
  return call.Next();
}

}  // namespace plinth::layers

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_FAULT_DELAYED_EVENTS_H_
#define PLINTH_IMPL_LAYERS_FAULT_DELAYED_EVENTS_H_

#include <atomic>
#include <chrono>

#include "impl/layers/layer.h"

namespace plinth::layers {

// Lets clients see events later than the plugin makes them ready: an event is seen a fixed time
// after the layer first learned that it is ready, through whichever function that was.
class DelayedEvents {
 public:
  explicit DelayedEvents(std::chrono::microseconds delay);
  ~DelayedEvents();
  DelayedEvents(const DelayedEvents&) = delete;
  DelayedEvents& operator=(const DelayedEvents&) = delete;

  // OnReady, IsReady, Await and Destroy of PJRT_Event; null for other functions' ids.
  using Handler = PJRT_Error* (DelayedEvents::*)(const Call& call);
  static Handler HandlerOf(reflection::function::Id id);

 private:
  struct State;

  PJRT_Error* OnReady(const Call& call);
  PJRT_Error* IsReady(const Call& call);
  PJRT_Error* Await(const Call& call);
  PJRT_Error* Destroy(const Call& call);

  // Of this process: a forked child has none of the threads of its parent. Never freed once it has
  // a helper thread, which uses it until the process ends.
  State& CurrentState();

  std::chrono::microseconds delay_;
  std::atomic<State*> state_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_FAULT_DELAYED_EVENTS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_REPLAY_API_CALLS_H_
#define PLINTH_IMPL_LAYERS_REPLAY_API_CALLS_H_

#include <chrono>

#include "pjrt_c_api.h"
#include "plinth/support/args.h"
#include "plinth/support/status.h"

namespace plinth::layers {

// Calls through a plugin's table.
class ApiCalls {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ApiCalls(const PJRT_Api* api) : api_(api) {}

  // A function of the core table by its slot. UNIMPLEMENTED if the table has none.
  Status Call(int slot, void* args) const;

  template <typename Args>
  Status operator()(Args& args) const {
    return Call(FunctionOf<Args>::kSlot, &args);
  }

  // Waits until an event is ready; false if it is not by `end`.
  bool WaitUntilReady(PJRT_Event* event, Clock::time_point end) const;

  // The error of an event that is ready, which is destroyed.
  Status TakeEvent(PJRT_Event* event) const;

 private:
  const PJRT_Api* api_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_API_CALLS_H_

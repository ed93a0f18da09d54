// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_NATIVE_LOOP_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_NATIVE_LOOP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "reference_plugin/backend/run/prepared_step.h"

namespace plinth::backend {

// What a loop's machine code works on during one run. The code knows the places of the members.
struct NativeFrame {
  std::byte* const* bases = nullptr;  // of the plan's allocations
  std::byte** slots = nullptr;        // of bound steps
  // When either is true, the loop stops.
  const std::atomic<bool>* stop = nullptr;
  const std::atomic<bool>* stop_too = nullptr;
  // Runs a step that was not bound; false if it failed, which ends the loop.
  bool (*run_step)(void* run, int32_t step) = nullptr;
  void* run = nullptr;
};

// What a back end may know of the steps when it translates loops.
struct NativeStep {
  const Bindable* bindable = nullptr;  // of a step in a loop that is bound, once a run
  int32_t first_slot = 0;
  bool runs_through = true;  // it never waits for anything
};

// A loop of a plan as machine code of its own. Immutable: any number of runs at once.
class NativeLoop {
 public:
  static constexpr int32_t kStopped = -1, kFailed = -2;

  virtual ~NativeLoop() = default;
  // The loop is entered there, and nowhere else.
  virtual int32_t first_step() const = 0;
  // Returns the step of the plan that is next, or one of the above.
  virtual int32_t Run(const NativeFrame& frame) const = 0;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_NATIVE_LOOP_H_

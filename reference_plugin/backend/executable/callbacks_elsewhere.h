// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CALLBACKS_ELSEWHERE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CALLBACKS_ELSEWHERE_H_

#include <functional>
#include <utility>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/host/runtime.h"

namespace plinth::cpu {

// While it lives, the framework's callbacks that become due on this thread run on threads of their
// own. For all that the threads of a runtime do: a callback may execute a program and wait for it.
class CallbacksElsewhere final : public sdk::CallbackRunner {
 public:
  // `runtime` must outlive it.
  explicit CallbacksElsewhere(Runtime& runtime) : runtime_(runtime), scope_(*this) {}

  void Run(std::function<void()> callback) override {
    runtime_.callbacks.Enqueue(std::move(callback));
  }

 private:
  Runtime& runtime_;
  const sdk::CallbackScope scope_;
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CALLBACKS_ELSEWHERE_H_

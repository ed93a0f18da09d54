// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CALLBACKS_ELSEWHERE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CALLBACKS_ELSEWHERE_H_

#include <functional>
#include <optional>
#include <utility>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/host/runtime.h"

namespace plinth::backend {

// For all that the threads of a runtime do: a callback of the framework may execute a program and
// wait for it. Those that become due on this thread while this lives run afterwards, when every
// event of the work is set: the last of them here, if a worker besides this one stays for programs,
// the others on threads of their own.
class CallbacksElsewhere final : public sdk::CallbackRunner {
 public:
  // `runtime` must outlive it.
  explicit CallbacksElsewhere(Runtime& runtime) : runtime_(runtime) { scope_.emplace(*this); }
  ~CallbacksElsewhere() override {
    scope_.reset();
    if (last_ != nullptr) runtime_.RunForeign(std::move(last_));
  }

  void Run(std::function<void()> callback) override {
    if (last_ != nullptr) runtime_.callbacks.Enqueue(std::move(last_));
    last_ = std::move(callback);
  }

 private:
  Runtime& runtime_;
  std::function<void()> last_;
  std::optional<sdk::CallbackScope> scope_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_CALLBACKS_ELSEWHERE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMPLETIONS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMPLETIONS_H_

#include <functional>
#include <memory>

#include "plinth/support/status.h"

namespace plinth::cuda {

// A thread that waits for one stream's events, in their order, and tells who asked. It may be
// destroyed on its own thread; what was added before still runs.
class Completions {
 public:
  Completions();
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  // Calls `then(wait())` on the thread. Neither throws. Both are dropped on the thread.
  void Add(std::function<Status()> wait, std::function<void(const Status&)> then);

 private:
  struct State;
  const std::shared_ptr<State> state_;  // shared with the thread
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMPLETIONS_H_

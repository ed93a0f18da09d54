// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMPLETIONS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMPLETIONS_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

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

  // Calls `then(wait())` on the thread. Neither throws. Both are dropped on the thread. `program`:
  // whose work it is, for UnderWay; empty: no program's. It lives as long as `then`.
  void Add(std::function<Status()> wait, std::function<void(const Status&)> then,
           std::string_view program = {});
  // The program that the stream has to finish first, of those that were added; empty: none.
  std::string UnderWay() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;  // shared with the thread
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_COMPLETIONS_H_

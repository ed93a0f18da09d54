// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_WORK_QUEUE_H_
#define PLINTH_IMPL_IFRT_WORK_QUEUE_H_

#include <functional>
#include <memory>

namespace plinth::ifrt {

// Runs long work on threads of its own, at most kMaxThreads at once; they end when there is none.
// What is queued runs also after the queue is gone. Any thread.
class WorkQueue {
 public:
  static constexpr int kMaxThreads = 4;
  WorkQueue();
  ~WorkQueue();
  // `work` does not throw. Runs it here if no thread can be made.
  void Run(std::function<void()> work);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_WORK_QUEUE_H_

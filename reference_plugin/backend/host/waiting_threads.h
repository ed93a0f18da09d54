// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_WAITING_THREADS_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_WAITING_THREADS_H_

#include <functional>
#include <memory>

namespace plinth::backend {

// Threads for executions that enter foreign code, and for callbacks of the framework, which may
// wait for whatever they like: Python's lock, a future, the result of another program. Tasks start
// in the order they were given, one after another while they go on; when nothing has for a while,
// the next one gets a thread of its own, so that no task waits for ever for another. A task that a
// task asks for starts at once, unless very many such run already; then it takes its turn.
//
// Any thread may call Run. Threads end when they were idle for some seconds, and never hinder the
// end of the process.
class WaitingThreads {
 public:
  WaitingThreads();
  ~WaitingThreads();  // tasks that have not started still do
  WaitingThreads(const WaitingThreads&) = delete;
  WaitingThreads& operator=(const WaitingThreads&) = delete;

  void Run(std::function<void()> task);
  // As Run, but the task takes its turn whoever asks: one that only became ready because the task
  // that asks is over, which does not wait for it.
  void Enqueue(std::function<void()> task);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the threads
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_WAITING_THREADS_H_

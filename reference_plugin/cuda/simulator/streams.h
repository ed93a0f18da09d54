// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_STREAMS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_STREAMS_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "reference_plugin/cuda/simulator/memory.h"

namespace plinth::cuda::simulator {

// One recording of an event: done when the stream gets there.
struct Mark {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  Clock clock;  // what happened before it

  void Finish();
  void Wait();
  bool IsDone();
};

// A CUevent.
struct Event {
  std::mutex mutex;
  std::shared_ptr<Mark> mark;  // null: never recorded
};

// What the host has waited for. Any thread.
void HostWaitedFor(const Clock& clock);

// A CUstream: a thread that does what was enqueued, in order.
class Stream {
 public:
  Stream(uint64_t seed, int delay);
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  size_t number() const { return number_; }

  // The next operation of the stream as a user of memory; what happened before goes to *before.
  User Begin(std::string what, Clock* before);
  void Enqueue(std::function<void()> operation);

  std::shared_ptr<Mark> Record();
  void WaitFor(std::shared_ptr<Mark> mark);
  // Lets the thread end when all is done. Nothing may be enqueued any more.
  void Finish();

 private:
  struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> operations;
    bool ends = false;
  };
  static void Run(const std::shared_ptr<Queue>& queue, uint64_t seed, int delay);

  const size_t number_;
  const std::shared_ptr<Queue> queue_;
  std::mutex mutex_;
  Clock clock_;        // guarded
  uint64_t time_ = 0;  // guarded
};

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_STREAMS_H_

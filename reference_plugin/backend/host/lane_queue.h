// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_LANE_QUEUE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_LANE_QUEUE_H_

#include <cstdint>
#include <memory>
#include <span>

#include "reference_plugin/backend/host/thread_pool.h"

namespace plinth::backend {

// Work in lanes, each of which one thread at a time runs.
class LaneSource {
 public:
  virtual ~LaneSource() = default;
  virtual void RunLane(int32_t lane) = 0;
};

// The lanes that are ready to run, run by the threads of a pool: those of older work first, so that
// what was begun ends, and gives its memory back, before more is begun. Any thread may call Push.
class LaneQueue {
 public:
  // The pool outlives all work that is pushed; the work keeps it alive.
  explicit LaneQueue(ThreadPool& threads);
  ~LaneQueue();
  LaneQueue(const LaneQueue&) = delete;
  LaneQueue& operator=(const LaneQueue&) = delete;

  // `order` is the less, the older the work is, and its own.
  void Push(uint64_t order, const std::shared_ptr<LaneSource>& source,
            std::span<const int32_t> lanes);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the pool's tasks
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_LANE_QUEUE_H_

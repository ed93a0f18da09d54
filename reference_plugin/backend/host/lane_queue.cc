// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/lane_queue.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace plinth::backend {
namespace {

// After so long a thread lets the pool's other tasks go before the next lane.
constexpr auto kTurn = std::chrono::milliseconds(1);

}  // namespace

struct LaneQueue::State : std::enable_shared_from_this<LaneQueue::State> {
  explicit State(ThreadPool& pool) : threads(pool) {}

  struct Work {
    std::shared_ptr<LaneSource> source;
    std::deque<int32_t> lanes;
  };
  struct Ready {
    std::shared_ptr<LaneSource> source;
    int32_t lane = 0;
  };

  // Nothing is left: this task is none any more.
  bool Take(Ready& ready) {
    std::lock_guard lock(mutex);
    if (waiting.empty()) {
      --tasks;
      return false;
    }
    auto oldest = waiting.begin();
    Work& work = oldest->second;
    ready = {work.source, work.lanes.front()};
    work.lanes.pop_front();
    if (work.lanes.empty()) waiting.erase(oldest);
    return true;
  }

  void Run() {
    Ready ready;
    const auto end = std::chrono::steady_clock::now() + kTurn;
    while (Take(ready)) {
      ready.source->RunLane(ready.lane);
      // What is taken keeps the pool alive, nothing else does.
      if (std::chrono::steady_clock::now() < end) {
        ready.source = nullptr;
        continue;
      }
      threads.Schedule([self = shared_from_this()] { self->Run(); });
      return;
    }
  }

  ThreadPool& threads;
  std::mutex mutex;
  std::map<uint64_t, Work> waiting;  // by order
  int tasks = 0;                     // of the pool that run lanes, or are about to
};

LaneQueue::LaneQueue(ThreadPool& threads) : state_(std::make_shared<State>(threads)) {}
LaneQueue::~LaneQueue() = default;

void LaneQueue::Push(uint64_t order, const std::shared_ptr<LaneSource>& source,
                     std::span<const int32_t> lanes) {
  int added = 0;
  {
    std::lock_guard lock(state_->mutex);
    State::Work& work = state_->waiting[order];
    work.source = source;
    work.lanes.insert(work.lanes.end(), lanes.begin(), lanes.end());
    added = std::min(state_->threads.parallelism() - state_->tasks, static_cast<int>(lanes.size()));
    added = std::max(added, 0);
    state_->tasks += added;
  }
  for (int i = 0; i < added; ++i) {
    state_->threads.Schedule([state = state_] { state->Run(); });
  }
}

}  // namespace plinth::backend

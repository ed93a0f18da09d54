// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/work_queue.h"

#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace plinth::ifrt {

struct WorkQueue::State {
  std::mutex mutex;
  std::deque<std::function<void()>> waiting;
  int threads = 0;

  // Until nothing waits; with the thread's place taken.
  static void Work(const std::shared_ptr<State>& state) {
    while (true) {
      std::function<void()> work;
      {
        const std::lock_guard lock(state->mutex);
        if (state->waiting.empty()) {
          --state->threads;
          return;
        }
        work = std::move(state->waiting.front());
        state->waiting.pop_front();
      }
      work();
    }
  }
};

WorkQueue::WorkQueue() : state_(std::make_shared<State>()) {}
WorkQueue::~WorkQueue() = default;

void WorkQueue::Run(std::function<void()> work) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->waiting.push_back(std::move(work));
    if (state_->threads == kMaxThreads) return;
    ++state_->threads;
  }
  try {
    std::thread([state = state_] { State::Work(state); }).detach();
  } catch (const std::system_error&) {
    // `work` may drop the client, and this queue with it.
    State::Work(std::shared_ptr<State>(state_));
  }
}

}  // namespace plinth::ifrt

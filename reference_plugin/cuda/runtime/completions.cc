// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/completions.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace plinth::cuda {

struct Completions::State {
  struct Item {
    std::function<Status()> wait;
    std::function<void(const Status&)> then;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Item> items;
  bool ends = false;

  void Run() {
    while (true) {
      Item item;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return ends || !items.empty(); });
        if (items.empty()) return;
        item = std::move(items.front());
        items.pop_front();
      }
      item.then(item.wait());
    }
  }
};

Completions::Completions() : state_(std::make_shared<State>()) {
  std::thread([state = state_] { state->Run(); }).detach();
}

Completions::~Completions() {
  const std::lock_guard lock(state_->mutex);
  state_->ends = true;
  state_->changed.notify_one();
}

void Completions::Add(std::function<Status()> wait, std::function<void(const Status&)> then) {
  const std::lock_guard lock(state_->mutex);
  state_->items.push_back({std::move(wait), std::move(then)});
  state_->changed.notify_one();
}

}  // namespace plinth::cuda

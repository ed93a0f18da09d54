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
    std::string_view program;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Item> items;
  std::string_view first;  // of the item that the thread has taken
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
        first = item.program;
      }
      const Status status = item.wait();
      {
        const std::lock_guard lock(mutex);
        first = {};
      }
      item.then(status);
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

void Completions::Add(std::function<Status()> wait, std::function<void(const Status&)> then,
                      std::string_view program) {
  const std::lock_guard lock(state_->mutex);
  state_->items.push_back({std::move(wait), std::move(then), program});
  state_->changed.notify_one();
}

std::string Completions::UnderWay() const {
  const std::lock_guard lock(state_->mutex);
  if (!state_->first.empty()) return std::string(state_->first);
  for (const State::Item& item : state_->items) {
    if (!item.program.empty()) return std::string(item.program);
  }
  return {};
}

}  // namespace plinth::cuda

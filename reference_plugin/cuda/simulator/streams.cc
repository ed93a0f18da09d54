// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/streams.h"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

namespace plinth::cuda::simulator {
namespace {

struct Host {
  std::mutex mutex;
  Clock clock;
};
Host& TheHost() {
  static Host& host = *new Host();
  return host;
}

std::atomic<size_t> num_streams{0};

constexpr uint64_t kOneIn = 8;  // operations that are delayed

}  // namespace

void Mark::Finish() {
  const std::lock_guard lock(mutex);
  is_done = true;
  changed.notify_all();
}
void Mark::Wait() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return is_done; });
}
bool Mark::IsDone() {
  const std::lock_guard lock(mutex);
  return is_done;
}

void HostWaitedFor(const Clock& clock) {
  const std::lock_guard lock(TheHost().mutex);
  TheHost().clock.Merge(clock);
}

Stream::Stream(uint64_t seed, int delay)
    : number_(num_streams.fetch_add(1) + 1), queue_(std::make_shared<Queue>()) {
  std::thread(&Stream::Run, queue_, seed + number_, delay).detach();
}

User Stream::Begin(std::string what, Clock* before) {
  const std::lock_guard lock(mutex_);
  {
    const std::lock_guard host(TheHost().mutex);
    clock_.Merge(TheHost().clock);
  }
  clock_.Set(number_, ++time_);
  *before = clock_;
  return {number_, time_, std::move(what)};
}

void Stream::Enqueue(std::function<void()> operation) {
  const std::lock_guard lock(queue_->mutex);
  queue_->operations.push_back(std::move(operation));
  queue_->changed.notify_one();
}

std::shared_ptr<Mark> Stream::Record() {
  auto mark = std::make_shared<Mark>();
  {
    const std::lock_guard lock(mutex_);
    mark->clock = clock_;
  }
  Enqueue([mark] { mark->Finish(); });
  return mark;
}

void Stream::WaitFor(std::shared_ptr<Mark> mark) {
  {
    const std::lock_guard lock(mutex_);
    clock_.Merge(mark->clock);
  }
  Enqueue([mark = std::move(mark)] { mark->Wait(); });
}

void Stream::Finish() {
  const std::lock_guard lock(queue_->mutex);
  queue_->ends = true;
  queue_->changed.notify_one();
}

void Stream::Run(const std::shared_ptr<Queue>& queue, uint64_t seed, int delay) {
  std::mt19937_64 random(seed);
  while (true) {
    std::function<void()> operation;
    {
      std::unique_lock lock(queue->mutex);
      queue->changed.wait(lock, [&] { return queue->ends || !queue->operations.empty(); });
      if (queue->operations.empty()) return;
      operation = std::move(queue->operations.front());
      queue->operations.pop_front();
    }
    if (delay > 0 && random() % kOneIn == 0) {
      const auto longest = static_cast<uint64_t>(delay);
      std::this_thread::sleep_for(std::chrono::microseconds(random() % longest));
    }
    operation();
  }
}

}  // namespace plinth::cuda::simulator

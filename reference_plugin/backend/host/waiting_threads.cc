// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/waiting_threads.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace plinth::backend {
namespace {

using Clock = std::chrono::steady_clock;

// How long the tasks under way may show no progress before another is started beside them.
constexpr auto kPatience = std::chrono::milliseconds(10);
constexpr auto kIdleTime = std::chrono::seconds(5);
// Tasks of tasks that run at once, without a turn.
constexpr int kMostNested = 64;

thread_local bool runs_task = false;

}  // namespace

struct WaitingThreads::State : std::enable_shared_from_this<WaitingThreads::State> {
  const pid_t process = getpid();
  std::mutex mutex;
  std::condition_variable changed;
  struct Task {
    std::function<void()> run;
    bool is_nested;  // Another task asked for it, and may wait for it.
  };
  std::deque<Task> tasks;
  int busy = 0;          // threads within a task that had its turn
  int nested = 0;        // threads within tasks that had none
  int idle = 0;          // threads that wait for one
  uint64_t started = 0;  // and finished tasks: progress
  bool stopping = false;

  void Work();
  // With the lock held. False if the system gives no thread.
  bool Start();
  bool StartNested(const std::function<void()>& task);
  void WorkNested(std::function<void()> task);
  void Enqueue(std::function<void()> task, bool is_nested);
  static void RunOne(const std::function<void()>& task) {
    runs_task = true;
    task();
    runs_task = false;
  }
};

// One task at a time while there is progress. A thread that finds others busy watches for it.
void WaitingThreads::State::Work() {
  std::unique_lock lock(mutex);
  while (true) {
    ++idle;
    const auto idle_until = Clock::now() + kIdleTime;
    while (tasks.empty() || busy > 0) {
      if (tasks.empty()) {
        if (stopping || changed.wait_until(lock, idle_until) == std::cv_status::timeout) {
          if (!tasks.empty()) continue;
          --idle;
          return;
        }
        continue;
      }
      const uint64_t seen = started;
      const bool is_moving = changed.wait_for(
          lock, kPatience, [&] { return started != seen || tasks.empty() || busy == 0; });
      if (!is_moving) break;
    }
    --idle;
    std::function<void()> task = std::move(tasks.front().run);
    tasks.pop_front();
    ++busy;
    ++started;
    if (idle == 0 && !tasks.empty()) Start();  // This task may wait for those behind it.
    lock.unlock();
    RunOne(task);
    task = nullptr;  // What it holds must not go with the lock held.
    lock.lock();
    --busy;
    ++started;
    changed.notify_all();
  }
}

bool WaitingThreads::State::Start() {
  try {
    std::thread([self = shared_from_this()] { self->Work(); }).detach();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool WaitingThreads::State::StartNested(const std::function<void()>& task) {
  const std::lock_guard lock(mutex);
  if (nested >= kMostNested) return false;
  try {
    std::thread([self = shared_from_this(), task = task]() mutable {
      self->WorkNested(std::move(task));
    }).detach();
  } catch (const std::exception&) {
    return false;
  }
  ++nested;
  return true;
}

// What it does is no progress: the task that asks could go on so while others wait for their turn.
void WaitingThreads::State::WorkNested(std::function<void()> task) {
  while (task != nullptr) {
    RunOne(task);
    task = nullptr;
    const std::lock_guard lock(mutex);
    const auto next = std::find_if(tasks.begin(), tasks.end(),
                                   [](const Task& waiting) { return waiting.is_nested; });
    if (next == tasks.end()) {
      --nested;
    } else {
      task = std::move(next->run);
      tasks.erase(next);
    }
  }
}

void WaitingThreads::State::Enqueue(std::function<void()> task, bool is_nested) {
  Task last{std::move(task), is_nested};
  std::unique_lock lock(mutex);
  try {
    tasks.push_back(std::move(last));
  } catch (const std::bad_alloc&) {
    // No room for it, and it is as it was: the caller does it.
    lock.unlock();
    last.run();
    return;
  }
  // One thread works and one watches it.
  if (idle == 0 && !Start() && busy == 0) {
    // No thread at all: the caller does it.
    last = std::move(tasks.back());
    tasks.pop_back();
    lock.unlock();
    last.run();
    return;
  }
  changed.notify_all();  // One may be the watcher, who cannot take it.
}

WaitingThreads::WaitingThreads() : state_(std::make_shared<State>()) {}

WaitingThreads::~WaitingThreads() {
  // A forked child has none of the threads, and the lock may be held for ever: give the state up.
  if (state_->process != getpid()) {
    new (std::nothrow) std::shared_ptr<State>(std::move(state_));
    return;
  }
  const std::lock_guard lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
}

void WaitingThreads::Run(std::function<void()> task) {
  // The task that asks may wait for this one.
  if (runs_task && state_->StartNested(task)) return;
  state_->Enqueue(std::move(task), runs_task);
}

void WaitingThreads::Enqueue(std::function<void()> task) {
  state_->Enqueue(std::move(task), false);
}

}  // namespace plinth::backend

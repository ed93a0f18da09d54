// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/waiting_threads.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace {
// While it is set, this thread gets no memory.
thread_local bool is_out_of_memory = false;
}  // namespace

// Visible to libstdc++, which gives back what it got here.
[[gnu::visibility("default")]] void* operator new(size_t size) {
  void* const memory = is_out_of_memory ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::visibility("default")]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::visibility("default")]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace plinth::backend {
namespace {

TEST(WaitingThreads, StartsInOrderWhileThereIsProgress) {
  WaitingThreads threads;
  std::mutex mutex;
  std::vector<int> order;
  std::promise<void> done;
  for (int i = 0; i < 200; ++i) {
    threads.Run([&, i] {
      const std::lock_guard lock(mutex);
      order.push_back(i);
      if (i == 199) done.set_value();
    });
  }
  done.get_future().wait();
  const std::lock_guard lock(mutex);
  ASSERT_EQ(order.size(), 200u);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(order[i], i);
}

TEST(WaitingThreads, ATaskMayWaitForLaterOnes) {
  WaitingThreads threads;
  constexpr int kTasks = 6;
  std::vector<std::promise<void>> done(kTasks + 1);
  std::vector<std::shared_future<void>> futures;
  for (auto& promise : done) futures.push_back(promise.get_future().share());
  for (int i = 0; i < kTasks; ++i) {
    threads.Run([&, i] {
      futures[i + 1].wait();
      done[i].set_value();
    });
  }
  threads.Run([&] { done[kTasks].set_value(); });
  futures[0].wait();
}

TEST(WaitingThreads, ATaskMayWaitForTasksOfItsOwn) {
  WaitingThreads threads;
  std::promise<int> result;
  threads.Run([&] {
    std::promise<int> outer;
    threads.Run([&] {
      std::promise<int> inner;
      threads.Run([&] { inner.set_value(7); });
      outer.set_value(inner.get_future().get());
    });
    result.set_value(outer.get_future().get());
  });
  EXPECT_EQ(result.get_future().get(), 7);
}

TEST(WaitingThreads, TasksOfTasksMayGoVeryDeep) {
  WaitingThreads threads;
  std::function<int(int)> depth_below = [&](int level) {
    if (level == 100) return 0;
    auto inner = std::make_shared<std::promise<int>>();
    threads.Run([&, inner, level] { inner->set_value(depth_below(level + 1)); });
    return 1 + inner->get_future().get();
  };
  auto depth = std::make_shared<std::promise<int>>();
  threads.Run([&, depth] { depth->set_value(depth_below(0)); });
  EXPECT_EQ(depth->get_future().get(), 100);
}

TEST(WaitingThreads, ATaskDoesNotGetAThreadForEachOfManyOthers) {
  constexpr int kTasks = 1000;
  WaitingThreads threads;
  std::atomic<int> now = 0, most = 0, left = kTasks;
  threads.Run([&] {
    for (int i = 0; i < kTasks; ++i) {
      threads.Run([&] {
        const int count = ++now;
        for (int seen = most; seen < count && !most.compare_exchange_weak(seen, count);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        --now;
        --left;
      });
    }
  });
  while (left > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LE(most, 200);
  EXPECT_GT(most, 1);
}

TEST(WaitingThreads, WhatWasAskedForHappensAfterTheEnd) {
  std::promise<void> first, go, last;
  {
    WaitingThreads threads;
    threads.Run([&first, gone = go.get_future().share()] {
      first.set_value();
      gone.wait();
    });
    threads.Run([&] { last.set_value(); });
    first.get_future().wait();
  }
  go.set_value();
  last.get_future().wait();
}

// The callback of an event would never come.
TEST(WaitingThreads, LosesNoTaskWithoutMemory) {
  constexpr int kTasks = 100;
  WaitingThreads threads;
  std::promise<void> go_on, all_done;
  std::atomic<int> calls{0};
  // It may begin after the end of this test.
  threads.Run([gone_on = go_on.get_future().share()] { gone_on.wait(); });
  is_out_of_memory = true;
  for (int i = 0; i < kTasks; ++i) {
    threads.Enqueue([&] {
      if (++calls == kTasks) all_done.set_value();
    });
  }
  is_out_of_memory = false;
  go_on.set_value();
  EXPECT_EQ(all_done.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready)
      << calls;
}

}  // namespace
}  // namespace plinth::backend

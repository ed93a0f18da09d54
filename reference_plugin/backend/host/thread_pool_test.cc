// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "reference_plugin/backend/host/floating_point_modes.h"

namespace plinth::backend {
namespace {

TEST(ThreadPoolTest, CoversEveryIndexOnceInGrainMultiples) {
  ThreadPool pool(4);
  for (int64_t size : {0, 1, 7, 64, 1000, 4097}) {
    std::vector<std::atomic<int>> seen(size);
    std::atomic<bool> aligned = true;
    pool.ParallelFor(size, 16, [&](int64_t begin, int64_t end) {
      if (begin % 16 != 0 || (end % 16 != 0 && end != size)) aligned = false;
      for (int64_t i = begin; i < end; ++i) ++seen[i];
    });
    for (auto& count : seen) EXPECT_EQ(count, 1);
    EXPECT_TRUE(aligned);
  }
}

// Few long pieces: who is late finds some left, and the last to work has one.
TEST(ThreadPoolTest, ChunksBecomeSmaller) {
  ThreadPool pool(2);
  std::mutex mutex;
  std::multiset<int64_t> lengths;
  pool.ParallelFor(10, 1, [&](int64_t begin, int64_t end) {
    const std::lock_guard lock(mutex);
    lengths.insert(end - begin);
  });
  EXPECT_LE(*lengths.rbegin(), 2);
  EXPECT_GE(lengths.count(1), 6u);
}

TEST(ThreadPoolTest, NestedCallsRunInline) {
  ThreadPool pool(3);
  std::atomic<int> calls = 0, others = 0;
  pool.ParallelFor(30, 1, [&](int64_t begin, int64_t end) {
    const std::thread::id outer = std::this_thread::get_id();
    for (int64_t i = begin; i < end; ++i) {
      pool.ParallelFor(10, 1, [&](int64_t b, int64_t e) {
        ++calls;
        if (b != 0 || e != 10 || std::this_thread::get_id() != outer) ++others;
      });
    }
  });
  EXPECT_EQ(calls, 30);
  EXPECT_EQ(others, 0);
}

TEST(ThreadPoolTest, WhatABodyThrowsReachesTheCaller) {
  ThreadPool pool(4);
  for (int64_t bad : {int64_t{0}, int64_t{17}, int64_t{99}}) {
    auto body = [&](int64_t begin, int64_t end) {
      if (begin <= bad && bad < end) throw std::bad_alloc();
    };
    EXPECT_THROW(pool.ParallelFor(100, 1, body), std::bad_alloc);
  }
  std::atomic<int64_t> total = 0;
  pool.ParallelFor(100, 1, [&](int64_t begin, int64_t end) { total += end - begin; });
  EXPECT_EQ(total, 100);
}

TEST(ThreadPoolTest, ManyThreadsShareOnePool) {
  ThreadPool pool(2);
  std::vector<std::thread> threads;
  std::atomic<int64_t> total = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        pool.ParallelFor(100, 1, [&](int64_t begin, int64_t end) { total += end - begin; });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(total, 4 * 200 * 100);
}

TEST(ThreadPoolTest, TasksRunAndMayUseThePool) {
  std::atomic<int> done = 0;
  {
    ThreadPool pool(2);
    for (int i = 0; i < 50; ++i) {
      pool.Schedule([&] { pool.ParallelFor(10, 1, [&](int64_t b, int64_t e) { done += e - b; }); });
    }
  }  // Destruction finishes what was scheduled.
  EXPECT_EQ(done, 500);
}

// Helpers that finish long after the caller, and just when it gives up looking.
TEST(ThreadPoolTest, CallerWaitsForItsHelpers) {
  ThreadPool pool(3);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> done = 0;
    const std::thread::id caller = std::this_thread::get_id();
    pool.ParallelFor(3, 1, [&](int64_t begin, int64_t end) {
      if (std::this_thread::get_id() != caller) {
        std::this_thread::sleep_for(std::chrono::microseconds(round));
      }
      done += static_cast<int>(end - begin);
    });
    ASSERT_EQ(done, 3);
  }
}

TEST(ThreadPoolTest, IdleHookIsCalledWhenReminded) {
  std::promise<void> called;
  std::atomic<int> calls = 0;
  std::function<void()> reminder;
  {
    ThreadPool pool(1);
    pool.SetIdleHook([&] {
      if (++calls == 1) called.set_value();
    });
    reminder = pool.IdleReminder();
    reminder();
    EXPECT_EQ(called.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  }
  reminder();
  EXPECT_EQ(calls, 1);
}

#if defined(__x86_64__)
TEST(ThreadPoolTest, TasksMayLeaveOtherFloatingPointModes) {
  ThreadPool pool(1);
  std::promise<unsigned> modes;
  pool.Schedule([] { _mm_setcsr(_mm_getcsr() | 0x8040); });
  pool.Schedule([&] { modes.set_value(_mm_getcsr()); });
  EXPECT_EQ(modes.get_future().get() | 0x3f, 0x1fbfu);
}

// As the number of threads must not change a program's results.
TEST(ThreadPoolTest, HelpersFlushSubnormalsAsTheCallerDoes) {
  ThreadPool pool(4);
  for (int round = 0; round < 20; ++round) {
    const Subnormals wanted = round % 2 == 0 ? Subnormals::kFlushed : Subnormals::kKept;
    const DefaultFloatingPoint modes(wanted);
    std::atomic<int> others = 0;
    pool.ParallelFor(64, 1, [&](int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));  // so that helpers come
      if (DefaultFloatingPoint::Current() != wanted) ++others;
    });
    ASSERT_EQ(others, 0);
  }
}
#endif

TEST(ThreadPoolTest, LastReferenceMayBeDroppedByATask) {
  auto pool = std::make_shared<ThreadPool>(2);
  std::atomic<bool> done = false;
  pool->Schedule([pool, &done]() mutable {
    pool.reset();
    done = true;
  });
  pool.reset();
  while (!done) std::this_thread::yield();
}

}  // namespace
}  // namespace plinth::backend

// SPDX-License-Identifier: Apache-2.0
#include "conformance/bench/in_turn.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

namespace plinth::bench {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

void Spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(InTurnTest, MeasuresBothAndKeepsTheLeast) {
  int calls_a = 0, calls_b = 0;
  Times times = {kNever, kNever};
  const Effort effort{.clock = Clock::kWall, .seconds = 0.001, .calls = 4};
  auto a = [&] {
    ++calls_a;
    EXPECT_LE(std::abs(calls_a - calls_b), 1000);
    Spin(std::chrono::microseconds(200));
    return Status();
  };
  auto b = [&] {
    ++calls_b;
    Spin(std::chrono::microseconds(800));
    return Status();
  };
  ASSERT_TRUE(MeasureInTurn(a, b, effort, &times).ok());
  EXPECT_GE(calls_a, 4);
  EXPECT_GE(calls_b, 4);
  EXPECT_GE(times.a, 200e-6);
  EXPECT_GE(times.b, 800e-6);
  const Times before = times;
  ASSERT_TRUE(MeasureInTurn(a, b, effort, &times).ok());
  EXPECT_LE(times.a, before.a);
  EXPECT_LE(times.b, before.b);
}

// The work of other threads counts; time asleep does not.
TEST(InTurnTest, CpuTimeIsThatOfAllThreads) {
  Times times = {kNever, kNever};
  auto elsewhere = [] {
    std::thread([] { Spin(std::chrono::milliseconds(10)); }).join();
    return Status();
  };
  auto asleep = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return Status();
  };
  ASSERT_TRUE(MeasureInTurn(elsewhere, asleep, {.seconds = 0, .calls = 1}, &times).ok());
  EXPECT_GT(times.a, times.b);
  EXPECT_LT(times.b, 5e-3);
}

// Of a thread's own time, whatever else runs.
void Compute(double seconds) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  for (const double end = now() + seconds; now() < end;) {
  }
}

// A program may run here for long, and then by a helper alone.
TEST(InTurnTest, WhoRunsAProgramMayChange) {
  Times times = {kNever, kNever};
  int calls = 0;
  auto changes = [&] {
    const auto work = [] { Compute(300e-6); };
    if (++calls % 100 < 90) {
      work();
    } else {
      std::thread(work).join();
    }
    return Status();
  };
  ASSERT_TRUE(MeasureInTurn(changes, changes, {.seconds = 0.02, .calls = 200}, &times).ok());
  EXPECT_GT(std::min(times.a, times.b), 200e-6);
}

TEST(InTurnTest, SlowProgramsAreCalledLessOften) {
  Times times = {kNever, kNever};
  int calls = 0;
  auto slow = [&] {
    ++calls;
    Spin(std::chrono::milliseconds(2));
    return Status();
  };
  ASSERT_TRUE(
      MeasureInTurn(slow, slow, {.seconds = 0.001, .calls = 1000, .most_seconds = 0.01}, &times)
          .ok());
  EXPECT_LT(calls, 100);
}

TEST(InTurnTest, AFailureEndsIt) {
  Times times = {kNever, kNever};
  const Status status =
      MeasureInTurn([] { return Status(); }, [] { return Internal("broken"); }, {}, &times);
  EXPECT_EQ(status.message(), "B: broken");
}

TEST(InTurnTest, Mean) {
  EXPECT_EQ(MeanRatio({}), 1);
  EXPECT_NEAR(MeanRatio(std::vector<Times>{{1, 2}, {4, 2}}), 1, 1e-12);
  EXPECT_NEAR(MeanRatio(std::vector<Times>{{1, 4}, {1, 1}}), 2, 1e-12);
}

}  // namespace
}  // namespace plinth::bench

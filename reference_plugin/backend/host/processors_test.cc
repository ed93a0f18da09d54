// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <thread>

namespace plinth::backend {
namespace {

// `taskset` and containers leave a process some processors of the machine's.
TEST(ProcessorsTest, AreThoseThatTheThreadMayUse) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
  EXPECT_EQ(UsableProcessors(), CPU_COUNT(&all));
  int of_thread = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    of_thread = UsableProcessors();
  }).join();
  EXPECT_EQ(of_thread, 1);
  EXPECT_EQ(UsableProcessors(), CPU_COUNT(&all));
}

TEST(ProcessorsTest, AreNumberedFromZero) {
  const ProcessorNumbers numbers;
  std::set<int> seen;
  std::thread([&] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &all)) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
      EXPECT_EQ(numbers.Here(), static_cast<int>(seen.size()));
      seen.insert(numbers.Here());
    }
  }).join();
  EXPECT_EQ(static_cast<int>(seen.size()), UsableProcessors());
}

}  // namespace
}  // namespace plinth::backend

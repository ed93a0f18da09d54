// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/lane_queue.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

namespace plinth::backend {
namespace {

// What was run, in order; the first lane of all waits until it is told to go on.
struct Record {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<int32_t> lanes;
  bool started = false, go_on = false;

  void Add(int32_t lane) {
    std::unique_lock lock(mutex);
    const bool is_first = !started;
    started = true;
    changed.notify_all();
    if (is_first) changed.wait(lock, [&] { return go_on; });
    lanes.push_back(lane);
    changed.notify_all();
  }
  void AwaitStart() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return started; });
  }
  std::vector<int32_t> Await(size_t count) {
    std::unique_lock lock(mutex);
    go_on = true;
    changed.notify_all();
    changed.wait(lock, [&] { return lanes.size() == count; });
    return lanes;
  }
};

class Source final : public LaneSource {
 public:
  Source(Record& record, int32_t first) : record_(record), first_(first) {}
  void RunLane(int32_t lane) override { record_.Add(first_ + lane); }

 private:
  Record& record_;
  const int32_t first_;
};

TEST(LaneQueue, RunsTheOldestFirst) {
  Record record;
  ThreadPool threads(1);
  LaneQueue queue(threads);
  const std::vector<int32_t> lanes = {0, 1};
  queue.Push(5, std::make_shared<Source>(record, 50), lanes);
  record.AwaitStart();
  queue.Push(7, std::make_shared<Source>(record, 70), lanes);
  queue.Push(6, std::make_shared<Source>(record, 60), lanes);
  EXPECT_EQ(record.Await(6), (std::vector<int32_t>{50, 51, 60, 61, 70, 71}));
}

TEST(LaneQueue, RunsEachLaneOnce) {
  Record record;
  record.started = true;
  {
    ThreadPool threads(4);
    LaneQueue queue(threads);
    std::vector<int32_t> lanes(100);
    std::iota(lanes.begin(), lanes.end(), 0);
    for (int i = 0; i < 50; ++i) {
      queue.Push(static_cast<uint64_t>(i), std::make_shared<Source>(record, 100 * i), lanes);
    }
    record.Await(5000);
  }
  std::vector<bool> seen(5000, false);
  for (int32_t lane : record.lanes) {
    EXPECT_FALSE(seen[static_cast<size_t>(lane)]);
    seen[static_cast<size_t>(lane)] = true;
  }
}

// What is left when the queue goes still runs.
TEST(LaneQueue, MayGoBeforeItsLanes) {
  Record record;
  record.started = true;
  ThreadPool threads(2);
  const std::vector<int32_t> lanes = {0, 1, 2};
  { LaneQueue(threads).Push(0, std::make_shared<Source>(record, 0), lanes); }
  EXPECT_EQ(record.Await(3).size(), 3u);
}

}  // namespace
}  // namespace plinth::backend

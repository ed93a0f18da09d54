// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/work_shares.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace plinth::backend {
namespace {

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

Ranges TakeAll(WorkShares& work, int share) {
  Ranges ranges;
  while (const auto range = work.Take(share)) ranges.emplace_back(range->begin, range->end);
  return ranges;
}

// Its own share from the begin by halves, then the others from their ends by quarters.
TEST(WorkSharesTest, RangesBecomeShorter) {
  WorkShares work(16, 1, 2);
  EXPECT_EQ(TakeAll(work, 0), (Ranges{{0, 4},
                                      {4, 6},
                                      {6, 7},
                                      {7, 8},
                                      {14, 16},
                                      {13, 14},
                                      {12, 13},
                                      {11, 12},
                                      {10, 11},
                                      {9, 10},
                                      {8, 9}}));
  EXPECT_FALSE(work.HasWork());
}

TEST(WorkSharesTest, RangesAreMultiplesOfTheGrainButTheLast) {
  WorkShares work(100, 16, 3);
  EXPECT_EQ(TakeAll(work, 2),
            (Ranges{{64, 80}, {80, 96}, {96, 100}, {16, 32}, {0, 16}, {48, 64}, {32, 48}}));
}

TEST(WorkSharesTest, EveryThreadBeginsWithAShareOfItsOwn) {
  WorkShares work(100, 1, 4);
  EXPECT_EQ(work.Claim(2), 2);
  EXPECT_EQ(work.Claim(2), 3);
  EXPECT_EQ(work.Claim(6), 0);
  EXPECT_EQ(work.Claim(1), 1);
  EXPECT_EQ(work.Claim(7), 3);  // more threads than shares
}

TEST(WorkSharesTest, FewPiecesAmongManyThreads) {
  WorkShares work(3, 1, 1000);
  EXPECT_EQ(TakeAll(work, work.Claim(999)).size(), 3u);
}

TEST(WorkSharesTest, NothingIsLeftOfWhatIsDropped) {
  WorkShares work(10, 1, 2);
  EXPECT_TRUE(work.Take(1).has_value());
  work.Drop();
  EXPECT_FALSE(work.HasWork());
  EXPECT_FALSE(work.Take(0).has_value());
  EXPECT_FALSE(work.Take(1).has_value());
}

TEST(WorkSharesTest, ThreadsTakeEveryPieceOnce) {
  constexpr int64_t kSize = 20000;
  for (int round = 0; round < 20; ++round) {
    WorkShares work(kSize, 1, 3);
    std::vector<std::atomic<int>> taken(kSize);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const int share = work.Claim(t);
        while (const auto range = work.Take(share)) {
          for (int64_t i = range->begin; i < range->end; ++i) ++taken[static_cast<size_t>(i)];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::atomic<int>& count : taken) ASSERT_EQ(count, 1);
  }
}

}  // namespace
}  // namespace plinth::backend

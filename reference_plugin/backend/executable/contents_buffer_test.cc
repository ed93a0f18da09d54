// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/contents_buffer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "reference_plugin/backend/host/memory_pool.h"

namespace plinth::backend {
namespace {

class TestBuffer final : public ContentsBuffer {
 public:
  explicit TestBuffer(ContentsPtr contents)
      : ContentsBuffer(DType::kF32, {}, nullptr, nullptr, std::move(contents)) {}
  Expected<sdk::Event> CopyToHost(const sdk::HostDestination&) override {
    return Unimplemented("not tested");
  }
};

class ContentsBufferTest : public testing::Test {
 protected:
  ContentsPtr MakeContents() {
    ContentsPtr contents = ContentsPtr::Make();
    contents->storage = *pool_->Allocate(64);
    return contents;
  }
  bool IsInUse() const { return pool_->stats().bytes_in_use != 0; }

  const std::shared_ptr<MemoryPool> pool_ = MemoryPool::Create();
};

TEST_F(ContentsBufferTest, DeleteGivesTheMemoryBack) {
  TestBuffer buffer(MakeContents());
  EXPECT_FALSE(buffer.IsDeleted());
  buffer.Delete();
  EXPECT_FALSE(IsInUse());
  EXPECT_TRUE(buffer.IsDeleted());
  EXPECT_EQ(buffer.contents(), nullptr);
  EXPECT_EQ(buffer.Borrow(), nullptr);
  EXPECT_EQ(buffer.Donate(), nullptr);
  buffer.Delete();
}

TEST_F(ContentsBufferTest, WhatIsBorrowedStaysUntilTheLastReturn) {
  TestBuffer buffer(MakeContents());
  Contents* const borrowed = buffer.Borrow();
  ASSERT_NE(borrowed, nullptr);
  EXPECT_EQ(buffer.Borrow(), borrowed);
  buffer.Delete();
  EXPECT_TRUE(buffer.IsDeleted());
  EXPECT_EQ(buffer.Borrow(), nullptr);
  buffer.Return();
  EXPECT_TRUE(IsInUse());
  buffer.Return();
  EXPECT_FALSE(IsInUse());
}

TEST_F(ContentsBufferTest, DonatedContentsAreExclusiveUnlessTheyAreBorrowed) {
  TestBuffer buffer(MakeContents());
  EXPECT_TRUE(buffer.Donate().IsExclusive());
  EXPECT_FALSE(IsInUse());

  TestBuffer other(MakeContents());
  ASSERT_NE(other.Borrow(), nullptr);
  ContentsPtr donated = other.Donate();
  ASSERT_NE(donated, nullptr);
  EXPECT_FALSE(donated.IsExclusive());
  other.Return();
  EXPECT_TRUE(donated.IsExclusive());
}

// Those who read find them whole or not at all; one of those who take them away gets them.
TEST_F(ContentsBufferTest, ManyThreads) {
  for (int round = 0; round < 200; ++round) {
    TestBuffer buffer(MakeContents());
    std::atomic<int> num_ready{0}, num_donated{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        ++num_ready;
        while (num_ready < 4) std::this_thread::yield();
        for (int i = 0; i < 20; ++i) {
          if (const Contents* const borrowed = buffer.Borrow()) {
            EXPECT_EQ(borrowed->storage->size(), 64);
            buffer.Return();
          }
          if (const ContentsPtr contents = buffer.contents(); contents != nullptr) {
            EXPECT_EQ(contents->storage->size(), 64);
          }
          if (i == 5 + 3 * t && buffer.Donate() != nullptr) ++num_donated;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(num_donated, 1);
    EXPECT_FALSE(IsInUse());
  }
}

}  // namespace
}  // namespace plinth::backend

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/memory_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "reference_plugin/backend/host/runtime.h"

namespace plinth::backend {
namespace {

TEST(MemoryPoolTest, AlignedWritableAndCounted) {
  auto pool = MemoryPool::Create();
  for (int64_t size : {0, 1, 63, 64, 4096, 65536, 100000, 2 << 20, (5 << 20) + 1}) {
    auto storage = pool->Allocate(size);
    ASSERT_TRUE(storage.ok()) << storage.status().ToString();
    EXPECT_EQ((*storage)->size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*storage)->data()) % kStorageAlignment, 0u);
    std::memset((*storage)->data(), 1, size);
    EXPECT_EQ(pool->stats().bytes_in_use, size);
    EXPECT_TRUE((*storage)->IsExclusive());
    StoragePtr second = *storage;
    EXPECT_FALSE((*storage)->IsExclusive());
  }
  EXPECT_EQ(pool->stats().bytes_in_use, 0);
  EXPECT_EQ(pool->stats().peak_bytes_in_use, (5 << 20) + 1);
  EXPECT_EQ(pool->stats().num_allocations, 9);
}

TEST(MemoryPoolTest, LargeBlocksAreReused) {
  auto pool = MemoryPool::Create();
  std::byte* data = (*pool->Allocate(3 << 20))->data();
  EXPECT_GT(pool->stats().pooled_bytes, 0);
  EXPECT_EQ((*pool->Allocate(3 << 20))->data(), data);
  pool->ReleaseIdle(std::chrono::milliseconds(0));
  EXPECT_EQ(pool->stats().pooled_bytes, 0);
}

TEST(MemoryPoolTest, NewestBlockOfItsSizeIsReused) {
  auto pool = MemoryPool::Create();
  std::vector<StoragePtr> storages;
  for (int64_t size : {1, 3, 1, 3, 1}) storages.push_back(*pool->Allocate(size << 20));
  std::vector<std::byte*> data;
  for (StoragePtr& storage : storages) {
    data.push_back(storage->data());
    storage = StoragePtr();
  }
  // From the end of the list of all, from its middle, and its begin.
  for (size_t i : {4, 2, 3, 0, 1}) {
    storages.push_back(*pool->Allocate((i % 2 == 0 ? 1 : 3) << 20));
    EXPECT_EQ(storages.back()->data(), data[i]) << i;
  }
  EXPECT_EQ(pool->stats().pooled_bytes, 0);
  storages.clear();
  EXPECT_GT(pool->stats().pooled_bytes, 9 << 20);
}

TEST(MemoryPoolTest, OldestBlockIsGivenBackFirst) {
  auto pool = MemoryPool::Create(100 << 20);
  StoragePtr old = *pool->Allocate(30 << 20), middle = *pool->Allocate(20 << 20);
  const std::byte* const middle_data = middle->data();
  old = StoragePtr();
  middle = StoragePtr();
  // Beside 60 MB there is room for the 20, not for the 30 as well.
  StoragePtr large = *pool->Allocate(60 << 20);
  EXPECT_LT(pool->stats().pooled_bytes, 30 << 20);
  EXPECT_EQ((*pool->Allocate(20 << 20))->data(), middle_data);
}

TEST(MemoryPoolTest, AtMostHalfOfWhatIsFreeIsKept) {
  for (bool asks : {false, true}) {
    int64_t free = 400 << 20;
    auto pool = asks ? MemoryPool::Create(int64_t{1} << 40, [&] { return free; })
                     : MemoryPool::Create(free);
    auto take = [&](int64_t size) {
      StoragePtr storage = *pool->Allocate(size);
      std::memset(storage->data(), 1, storage->size());
      free -= size;
      return storage;
    };
    StoragePtr in_use = take(100 << 20);
    {
      std::vector<StoragePtr> storages;
      for (int i = 0; i < 125; ++i) storages.push_back(take(2 << 20));
    }
    EXPECT_LE(pool->stats().pooled_bytes, 150 << 20) << asks;
    EXPECT_GT(pool->stats().pooled_bytes, 120 << 20);
    in_use = StoragePtr();
  }
}

TEST(MemoryPoolTest, WhatNobodyUsedForSoLongIsGivenBack) {
  constexpr auto kKept = std::chrono::milliseconds(20);
  auto pool = MemoryPool::Create(0, nullptr, kKept);
  // Again where this thread did not run for so long between the two.
  for (auto start = std::chrono::steady_clock::time_point();
       std::chrono::steady_clock::now() - start >= kKept;) {
    pool->ReleaseIdle(std::chrono::milliseconds(0));
    start = std::chrono::steady_clock::now();
    (void)pool->Allocate(5 << 20);
    (void)pool->Allocate(3 << 20);
  }
  EXPECT_EQ(pool->stats().pooled_bytes, 10 << 20);  // 6 and 4
  std::this_thread::sleep_for(kKept * 3 / 2);
  (void)pool->Allocate(3 << 20);
  EXPECT_EQ(pool->stats().pooled_bytes, 4 << 20);
}

// Not what vectors may read behind the bytes, either.
TEST(MemoryPoolTest, PowersOfTwoAreBlocksOfTheirSize) {
  auto pool = MemoryPool::Create();
  for (int64_t size = 64 << 10; size <= 64 << 20; size *= 2) {
    std::byte behind{};
    {
      StoragePtr storage = *pool->Allocate(size);
      for (int64_t i = 0; i < kStorageAlignment; ++i) behind |= storage->data()[size + i];
    }
    EXPECT_EQ(pool->stats().pooled_bytes, size) << int(behind);
    pool->ReleaseIdle(std::chrono::milliseconds(0));
  }
}

int64_t PageFaults() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// As a program's arena and its results do.
TEST(MemoryPoolTest, SecondRunHasNoPageFaults) {
  constexpr int64_t kArena = 300 << 20, kResult = 64 << 20;
  auto pool = MemoryPool::Create();
  auto run = [&] {
    StoragePtr arena = *pool->Allocate(kArena), result = *pool->Allocate(kResult);
    for (StoragePtr* storage : {&arena, &result}) {
      for (int64_t i = 0; i < (*storage)->size(); i += 4096) (*storage)->data()[i] = std::byte{1};
    }
  };
  const int64_t before_first = PageFaults();
  run();
  const int64_t before_second = PageFaults();
  run();
  EXPECT_GT(before_second - before_first, 100);
  EXPECT_LT(PageFaults() - before_second, 10);
}

// Somebody comes by when the process is idle, though no thread of the pool did anything.
TEST(MemoryPoolTest, LargeIdleBlocksGoWhenNothingHappens) {
  Runtime runtime(1, 0);
  for (int64_t size : {300, 1}) (void)runtime.memory->Allocate(size << 20);
  EXPECT_GT(runtime.memory->stats().pooled_bytes, 300 << 20);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (runtime.memory->stats().pooled_bytes > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(runtime.memory->stats().pooled_bytes, 0);
}

TEST(MemoryPoolTest, LimitIsCheckedFirst) {
  auto pool = MemoryPool::Create(1000);
  auto first = pool->Allocate(600);
  ASSERT_TRUE(first.ok());
  auto second = pool->Allocate(600);
  EXPECT_EQ(second.status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(pool->Allocate(int64_t{1} << 60).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(pool->Allocate(-1).status().code(), StatusCode::kResourceExhausted);
  first = Status(StatusCode::kCancelled, "given back");
  EXPECT_TRUE(pool->Allocate(600).ok());
}

TEST(MemoryPoolTest, IdleBlocksCountAgainstTheLimit) {
  auto pool = MemoryPool::Create(100 << 20);
  (void)pool->Allocate(40 << 20);
  EXPECT_GE(pool->stats().pooled_bytes, 40 << 20);
  auto large = pool->Allocate(70 << 20);
  ASSERT_TRUE(large.ok());
  EXPECT_EQ(pool->stats().pooled_bytes, 0);
}

TEST(MemoryPoolTest, FailsWhereTheKernelWouldEndTheProcess) {
  int64_t available = 200 << 20;
  auto pool = MemoryPool::Create(int64_t{1} << 40, [&] { return available; });
  auto large = pool->Allocate(100 << 20);
  ASSERT_TRUE(large.ok());
  std::memset((*large)->data(), 1, (*large)->size());
  available = 90 << 20;
  auto refused = pool->Allocate(100 << 20);
  EXPECT_EQ(refused.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(refused.status().message().find("94371840 bytes of"), std::string::npos);
  available = 200 << 20;
  EXPECT_TRUE(pool->Allocate(100 << 20).ok());
}

TEST(MemoryPoolTest, SmallBlocksAddUp) {
  auto pool = MemoryPool::Create(int64_t{1} << 40, [] { return 0; });
  std::vector<StoragePtr> storages;
  while (storages.size() < 100) {
    auto small = pool->Allocate(4 << 20);
    if (!small.ok()) break;
    storages.push_back(*small);
  }
  EXPECT_GT(storages.size(), 2u);
  EXPECT_LE(storages.size(), 16u);
  // What is idle serves without asking, and is given back when others need it.
  storages.clear();
  EXPECT_TRUE(pool->Allocate(4 << 20).ok());
  EXPECT_GT(pool->stats().pooled_bytes, 0);
  EXPECT_FALSE(pool->Allocate(64 << 20).ok());
  EXPECT_EQ(pool->stats().pooled_bytes, 0);
  EXPECT_EQ(pool->stats().bytes_in_use, 0);
}

// What is mapped and not touched is not missing from what the system calls free.
TEST(MemoryPoolTest, WhatWasGrantedAndNotTouchedIsTaken) {
  constexpr int64_t kSize = 96 << 20;
  std::atomic<int64_t> available = 400 << 20;
  auto pool = MemoryPool::Create(int64_t{1} << 40, [&] { return available.load(); });
  std::vector<StoragePtr> storages;
  for (int i = 0; i < 12; ++i) {
    auto storage = pool->Allocate(kSize);
    if (!storage.ok()) {
      EXPECT_NE(storage.status().message().find("promised to blocks"), std::string::npos)
          << storage.status().ToString();
      break;
    }
    storages.push_back(*storage);
  }
  ASSERT_EQ(storages.size(), 4u);
  // Written, they are missing from what is free, and are not counted twice.
  for (StoragePtr& storage : storages) std::memset(storage->data(), 1, kSize);
  available = 100 << 20;
  auto fifth = pool->Allocate(kSize);
  EXPECT_TRUE(fifth.ok()) << fifth.status().ToString();
  EXPECT_FALSE(pool->Allocate(kSize).ok());
  // Given back, a block is neither.
  storages.clear();
  fifth = Status(StatusCode::kCancelled, "given back");
  pool->ReleaseIdle(std::chrono::milliseconds(0));
  EXPECT_TRUE(pool->Allocate(kSize).ok());
}

TEST(MemoryPoolTest, SmallGrantsThatAreNotTouchedAddUp) {
  auto pool = MemoryPool::Create(int64_t{1} << 40, [] { return int64_t{200} << 20; });
  std::vector<StoragePtr> storages;
  while (storages.size() < 4000) {
    auto storage = pool->Allocate(200 << 10);
    if (!storage.ok()) break;
    storages.push_back(*storage);
  }
  // 200 MB, and at most 64 MB before the system is asked again.
  EXPECT_GT(storages.size(), 600u);
  EXPECT_LT(storages.size(), 1400u);
}

TEST(MemoryPoolTest, PooledBlocksAreServedWithoutAsking) {
  int asked = 0;
  auto pool = MemoryPool::Create(int64_t{1} << 40, [&] {
    ++asked;
    return int64_t{1} << 40;
  });
  EXPECT_TRUE(pool->Allocate(70 << 20).ok());
  EXPECT_EQ(asked, 1);
  for (int i = 0; i < 100; ++i) {
    StoragePtr small = *pool->Allocate(1 << 20);
    EXPECT_TRUE(pool->Allocate(1000).ok());
  }
  EXPECT_EQ(asked, 1);
}

TEST(MemoryPoolTest, NothingIsInUseAfterACheckThatThrows) {
  auto pool = MemoryPool::Create(int64_t{1} << 40, []() -> int64_t { throw std::bad_alloc(); });
  EXPECT_THROW((void)pool->Allocate(100 << 20), std::bad_alloc);
  EXPECT_EQ(pool->stats().bytes_in_use, 0);
}

TEST(MemoryPoolTest, EndsWithItsOwnerAndItsStorages) {
  for (const bool is_owner_last : {false, true}) {
    const auto token = std::make_shared<int64_t>(int64_t{1} << 40);
    std::shared_ptr<MemoryPool> pool = MemoryPool::Create(
        10 << 20, [token] { return *token; }, std::chrono::seconds(1), 2, 6 << 20);
    std::vector<StoragePtr> storages;
    for (const int64_t size : {0, 100, 1 << 20}) storages.push_back(*pool->Allocate(size, 1));
    EXPECT_FALSE(pool->Allocate(6 << 20, 1).ok());
    EXPECT_FALSE(pool->Allocate(20 << 20).ok());
    if (!is_owner_last) pool = nullptr;
    while (!storages.empty()) {
      EXPECT_EQ(token.use_count(), 2);
      std::memset(storages.back()->data(), 0, storages.back()->size());
      storages.pop_back();
    }
    EXPECT_EQ(token.use_count(), is_owner_last ? 2 : 1);
    pool = nullptr;
    EXPECT_EQ(token.use_count(), 1);
  }
}

// A thread of a pool that is gone may be just about to call it.
TEST(MemoryPoolTest, IdleHookOutlivesThePool) {
  std::function<void()> hook;
  std::weak_ptr<MemoryPool> pool;
  {
    Runtime runtime(1, 0);
    pool = runtime.memory;
    hook = Runtime::IdleHook(runtime.memory);
    hook();
  }
  EXPECT_TRUE(pool.expired());
  hook();
}

TEST(MemoryPoolTest, BorrowedStorageGivesItsOwnerBack) {
  auto owner = std::make_shared<int>(7);
  {
    StoragePtr storage = StoragePtr::Borrow(owner.get(), sizeof(int), owner);
    EXPECT_TRUE(storage->is_borrowed());
    EXPECT_EQ(owner.use_count(), 2);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(MemoryPoolTest, ManyThreads) {
  auto pool = MemoryPool::Create();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        StoragePtr storage = *pool->Allocate((i * 7919 + t) % (3 << 20));
        if (storage->size() > 0) storage->data()[0] = std::byte{1};
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(pool->stats().bytes_in_use, 0);
}

TEST(MemoryPool, CountsTheBytesOfEachDevice) {
  const auto pool = MemoryPool::Create(10'000, nullptr, std::chrono::seconds(1), 3, 6000);
  auto first = pool->Allocate(1000, 0), second = pool->Allocate(5000, 2);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(pool->stats().bytes_in_use, 6000);
  EXPECT_EQ(pool->stats(0).bytes_in_use, 1000);
  EXPECT_EQ(pool->stats(1).bytes_in_use, 0);
  EXPECT_EQ(pool->stats(2).bytes_in_use, 5000);
  EXPECT_EQ(pool->stats(2).limit, 6000);
  const auto beyond = pool->Allocate(1001, 2);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(beyond.status().message().find("on device 2: 1001 bytes were asked for, 5000 are in "
                                           "use there and its limit is 6000"),
            std::string_view::npos)
      << beyond.status().ToString();
  EXPECT_EQ(pool->stats().bytes_in_use, 6000);  // The refused bytes do not count.
  EXPECT_FALSE(pool->Allocate(4001, 1).ok());   // The limit of all.
  *second = StoragePtr();
  EXPECT_EQ(pool->stats(2).bytes_in_use, 0);
  EXPECT_EQ(pool->stats(2).peak_bytes_in_use, 5000);
  pool->ResetPeak(2);
  EXPECT_EQ(pool->stats(2).peak_bytes_in_use, 0);
}

}  // namespace
}  // namespace plinth::backend

// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/handle_table.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "impl/layers/validation/uses.h"

namespace plinth::layers::validation {
namespace {

constexpr int kBuffer = 2;
constexpr int kClient = 3;

NewHandle Owned(uint64_t call) {
  NewHandle values;
  values.owned = true;
  values.origin = {call, 7};
  return values;
}

TEST(HandleTableTest, AHandleHasOneLifeAfterTheOther) {
  HandleTable table;
  bool was_alive = true;
  EXPECT_EQ(table.Find(kBuffer, 0x1000).handle, nullptr);
  Sight first = table.Register(kBuffer, 0x1000, Owned(1), &was_alive);
  EXPECT_FALSE(was_alive);
  EXPECT_TRUE(table.Find(kBuffer, 0x1000).alive());
  EXPECT_EQ(table.Find(kClient, 0x1000).handle, nullptr) << "another kind is another handle";
  EXPECT_TRUE(table.Free(first.ref(), {2, 8}));
  EXPECT_FALSE(table.Free(first.ref(), {3, 8})) << "only one can free it";
  EXPECT_FALSE(first.ref().IsCurrent());
  History history = table.HistoryOf(first.handle);
  EXPECT_EQ(history.created.call, 1u);
  EXPECT_EQ(history.freed.call, 2u);

  Sight second = table.Register(kBuffer, 0x1000, Owned(4), &was_alive);
  EXPECT_FALSE(was_alive);
  EXPECT_EQ(second.handle, first.handle);
  EXPECT_NE(second.generation, first.generation);
  EXPECT_FALSE(table.Free(first.ref(), {5, 8})) << "the first life is over";
  EXPECT_EQ(table.HistoryOf(second.handle).freed.call, 0u);
}

TEST(HandleTableTest, AFailedFreeIsTakenBack) {
  HandleTable table;
  bool was_alive;
  Sight sight = table.Register(kBuffer, 0x1000, Owned(1), &was_alive);
  ASSERT_TRUE(table.Free(sight.ref(), {2, 8}));
  table.Revive(sight.ref());
  EXPECT_TRUE(table.Find(kBuffer, 0x1000).alive());
  EXPECT_TRUE(sight.ref().IsCurrent());
  EXPECT_TRUE(table.Free(sight.ref(), {3, 8}));
}

TEST(HandleTableTest, WhatIsHandedOutTwiceIsFreedTwice) {
  HandleTable table;
  bool was_alive = false;
  Sight sight = table.Register(kBuffer, 0x1000, Owned(1), &was_alive);
  table.Register(kBuffer, 0x1000, Owned(2), &was_alive);
  EXPECT_TRUE(was_alive);
  EXPECT_TRUE(table.Free(sight.ref(), {3, 8}));
  EXPECT_TRUE(table.Find(kBuffer, 0x1000).alive());
  EXPECT_TRUE(table.Free(sight.ref(), {4, 8}));
  EXPECT_FALSE(table.Find(kBuffer, 0x1000).alive());
}

TEST(HandleTableTest, AHandleIsGoneWithItsParent) {
  HandleTable table;
  bool was_alive;
  Sight client = table.Register(kClient, 0x2000, Owned(1), &was_alive);
  NewHandle values = Owned(2);
  values.parent = client.ref();
  values.client = client.ref();
  table.Register(kBuffer, 0x1000, values, &was_alive);
  EXPECT_EQ(table.Find(kBuffer, 0x1000).client().handle, client.handle);
  table.Free(client.ref(), {3, 8});
  Sight orphan = table.Find(kBuffer, 0x1000);
  EXPECT_FALSE(orphan.alive());
  History history = table.HistoryOf(orphan.handle);
  EXPECT_TRUE(history.parent_is_gone);
  EXPECT_EQ(history.parent_freed.call, 3u);
  // A client at the same address is another one.
  table.Register(kClient, 0x2000, Owned(4), &was_alive);
  EXPECT_FALSE(table.Find(kBuffer, 0x1000).alive());
  table.Register(kBuffer, 0x1000, Owned(5), &was_alive);
  EXPECT_FALSE(was_alive);
  EXPECT_TRUE(table.Find(kBuffer, 0x1000).alive());
}

TEST(HandleTableTest, TheDeadAreForgottenInTheEnd) {
  HandleTable table(/*dead_kept=*/32);
  bool was_alive;
  constexpr uint64_t kCount = 20'000;
  Sight kept = table.Register(kClient, 0x40, Owned(1), &was_alive);
  for (uint64_t i = 1; i <= kCount; ++i) {
    Sight sight = table.Register(kBuffer, 0x10000 + 64 * i, Owned(i), &was_alive);
    table.Free(sight.ref(), {i, 8});
  }
  size_t known = 0;
  table.ForEach([&](const Handle&) { ++known; });
  EXPECT_LT(known, kCount / 2);
  EXPECT_TRUE(table.Find(kClient, 0x40).alive());
  EXPECT_TRUE(kept.ref().IsCurrent());
  EXPECT_NE(table.Find(kBuffer, 0x10000 + 64 * kCount).handle, nullptr) << "the last one is known";
}

// A program that makes clients, and leaves to each of them what it made with it.
TEST(HandleTableTest, WhatDiedWithItsParentIsForgottenToo) {
  HandleTable table(/*dead_kept=*/32);
  bool was_alive;
  constexpr uint64_t kCount = 20'000;
  Sight client = {};
  for (uint64_t i = 1; i <= kCount; ++i) {
    if (client.handle != nullptr) table.Free(client.ref(), {i, 8});
    client = table.Register(kClient, 0x40, Owned(i), &was_alive);
    NewHandle child = Owned(i);
    child.parent = client.ref();
    table.Register(kBuffer, 0x10000 + 64 * i, child, &was_alive);
  }
  size_t known = 0;
  table.ForEach([&](const Handle&) { ++known; });
  EXPECT_LT(known, kCount / 2);
  EXPECT_TRUE(table.Find(kBuffer, 0x10000 + 64 * kCount).alive()) << "its client lives";
}

TEST(HandleTableTest, ThreadsFindWhatOthersAdd) {
  HandleTable table;
  constexpr int kThreads = 4;
  constexpr int kRounds = 2000;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        uintptr_t address = 0x1000 + 16 * static_cast<uintptr_t>(i * kThreads + t);
        bool was_alive;
        Sight sight = table.Register(kBuffer, address, Owned(1), &was_alive);
        if (was_alive || !table.Find(kBuffer, address).alive()) ++wrong;
        if (i % 2 == 0 && !table.Free(sight.ref(), {2, 8})) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  int alive = 0;
  table.ForEach([&](const Handle& handle) { alive += handle.Has(kAlive) ? 1 : 0; });
  EXPECT_EQ(alive, kThreads * kRounds / 2);
}

// What is gone is found by none of them, and the race detector has something to look at.
TEST(HandleTableTest, RecordsAreUsedAgainWhileOthersHoldThem) {
  HandleTable table(/*dead_kept=*/4);
  bool was_alive;
  std::vector<HandleRef> gone;
  auto address_of = [](uint64_t i) { return 0x10000 + 64 * static_cast<uintptr_t>(i); };
  for (uint64_t i = 0; i < 512; ++i) {
    Sight sight = table.Register(kBuffer, address_of(i), Owned(i), &was_alive);
    table.Free(sight.ref(), {i, 8});
    gone.push_back(sight.ref());
  }
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    while (!stop.load()) {
      for (const HandleRef& ref : gone) {
        if (table.Free(ref, {1, 8})) ++wrong;
        table.MarkDeleted(ref, kDeleted, {1, 8});
        table.HistoryOf(ref.handle);
        table.Find(ref.handle->kind(), ref.handle->address());
      }
    }
  });
  for (uint64_t i = 512; i < 20'000; ++i) {
    Sight sight = table.Register(kClient, address_of(i), Owned(i), &was_alive);
    if (!table.Find(kClient, address_of(i)).alive()) ++wrong;
    if (!table.Free(sight.ref(), {i, 8})) ++wrong;
  }
  stop = true;
  other.join();
  EXPECT_EQ(wrong, 0);
  int used_again = 0;
  for (const HandleRef& ref : gone) used_again += ref.handle->kind() == kClient ? 1 : 0;
  EXPECT_GT(used_again, 0);
}

TEST(UsesTest, OnlyOtherThreadsCount) {
  HandleTable table;
  bool was_alive;
  Handle* handle = table.Register(kBuffer, 0x1000, Owned(1), &was_alive).handle;
  ThreadUses& own = ThreadUses::OfThisThread();
  uint32_t depth = own.depth();
  own.Push(handle, 5);
  int16_t function = -1;
  EXPECT_EQ(ThreadUses::CountOthers(handle, &function), 0);
  std::thread([&] {
    EXPECT_EQ(ThreadUses::CountOthers(handle, &function), 1);
    EXPECT_EQ(function, 5);
  }).join();
  own.PopTo(depth);
  std::thread([&] { EXPECT_EQ(ThreadUses::CountOthers(handle, &function), 0); }).join();
}

// The records of so many threads that are there at once.
std::set<ThreadUses*> RecordsOfThreads(size_t count) {
  std::set<ThreadUses*> records;
  std::mutex mutex;
  std::condition_variable changed;
  size_t arrived = 0;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      ThreadUses* own = &ThreadUses::OfThisThread();
      std::unique_lock<std::mutex> lock(mutex);
      records.insert(own);
      ++arrived;
      changed.notify_all();
      changed.wait(lock, [&] { return arrived == count; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(records.size(), count);
  return records;
}

// More than any test before has used: they take all that are free.
constexpr size_t kMoreThanBefore = 24;

// Its end comes after that of the thread's record, and makes a call.
struct LastCaller {
  ~LastCaller() {
    *own = &ThreadUses::OfThisThread();
    *others = RecordsOfThreads(kMoreThanBefore);
  }
  ThreadUses** own = nullptr;
  std::set<ThreadUses*>* others = nullptr;
};

TEST(UsesTest, ACallInTheLastMomentsOfAThread) {
  ThreadUses* own = nullptr;
  std::set<ThreadUses*> others;
  std::thread([&] {
    thread_local LastCaller caller;
    caller.own = &own;
    caller.others = &others;
    ThreadUses::OfThisThread();
  }).join();
  EXPECT_FALSE(others.contains(own)) << "two threads write into one record";
  EXPECT_TRUE(RecordsOfThreads(kMoreThanBefore + 1).contains(own))
      << "what the last call took was not given back";
}

TEST(UsesTest, DeepNestingIsNotCountedFurther) {
  ThreadUses& own = ThreadUses::OfThisThread();
  uint32_t depth = own.depth();
  for (uint32_t i = 0; i < 2 * ThreadUses::kMax; ++i) own.Push(nullptr, 1);
  EXPECT_LE(own.depth(), ThreadUses::kMax);
  own.PopTo(depth);
}

}  // namespace
}  // namespace plinth::layers::validation

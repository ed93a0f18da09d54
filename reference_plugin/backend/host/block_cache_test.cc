// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/block_cache.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

namespace plinth::backend {
namespace {

// On a thread of its own, whose cache is empty at first.
template <typename Function>
void OnNewThread(const Function& function) {
  std::thread(function).join();
}

TEST(BlockCache, SizesOfOneClassGetTheSameBlocksAgain) {
  if (BlockCache::kKept == 0) return;  // in builds with sanitizers
  OnNewThread([] {
    void* const first = BlockCache::Take(300);
    void* const second = BlockCache::Take(320);
    ASSERT_NE(first, second);
    BlockCache::Give(first, 300);
    BlockCache::Give(second, 320);
    EXPECT_EQ(BlockCache::Take(257), second);
    EXPECT_EQ(BlockCache::Take(310), first);
    BlockCache::Give(first, 310);
    BlockCache::Give(second, 257);
  });
}

TEST(BlockCache, KeepsTheBlocksOfAHundredOutputs) {
  if (BlockCache::kKept == 0) return;
  OnNewThread([] {
    std::array<void*, 200> blocks;
    for (void*& block : blocks) block = BlockCache::Take(300);
    const std::set<void*> taken(blocks.begin(), blocks.end());
    for (void* block : blocks) BlockCache::Give(block, 300);
    // Blocks of the system that would be given instead.
    const std::vector<std::vector<char>> others(200, std::vector<char>(320));
    for (void*& block : blocks) block = BlockCache::Take(300);
    EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()), taken);
    for (void* block : blocks) BlockCache::Give(block, 300);
  });
}

// Those that are kept, too.
TEST(BlockCache, BlocksFitEverySizeOfTheirClass) {
  OnNewThread([] {
    for (size_t size = 1; size <= 2 * BlockCache::kLargest; ++size) {
      void* const block = BlockCache::Take(size);
      ASSERT_NE(block, nullptr);
      EXPECT_GE(malloc_usable_size(block), size);
      BlockCache::Give(block, size);
    }
  });
}

TEST(BlockCache, WhatOneThreadTookAnotherGivesBack) {
  constexpr size_t kMany = 3 * BlockCache::kKept + 5;  // more than a thread keeps
  std::vector<void*> blocks;
  for (size_t i = 0; i < kMany; ++i) blocks.push_back(BlockCache::Take(100));
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), kMany);
  OnNewThread([&] {
    for (void* block : blocks) BlockCache::Give(block, 100);
  });
}

}  // namespace
}  // namespace plinth::backend

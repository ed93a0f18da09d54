// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace plinth::compiler::plan {
namespace {

constexpr int64_t kAlignment = 64;

TEST(ArenaTest, LiveBlocksAreDisjoint) {
  std::mt19937 random(1);
  std::vector<ArenaBlock> blocks;
  for (int i = 0; i < 300; ++i) {
    int32_t begin = static_cast<int32_t>(random() % 100);
    blocks.push_back({static_cast<int64_t>(random() % 1000), begin,
                      begin + static_cast<int32_t>(random() % 20)});
  }
  int64_t size = LayOutArena(blocks, kAlignment);
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_LE(blocks[i].offset + blocks[i].size, size);
    EXPECT_EQ(blocks[i].offset % kAlignment, 0);
    for (size_t j = 0; j < i; ++j) {
      bool in_time = blocks[i].begin <= blocks[j].end && blocks[j].begin <= blocks[i].end;
      bool in_space = blocks[i].offset < blocks[j].offset + blocks[j].size &&
                      blocks[j].offset < blocks[i].offset + blocks[i].size;
      EXPECT_FALSE(in_time && in_space) << i << " and " << j;
    }
  }
}

// Best fit in order of begin, by looking at everything that is alive.
void LayOutOneByOne(std::vector<ArenaBlock>& blocks) {
  std::vector<ArenaBlock*> order;
  for (ArenaBlock& block : blocks) order.push_back(&block);
  std::stable_sort(order.begin(), order.end(), [](const ArenaBlock* a, const ArenaBlock* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->size > b->size;
  });
  std::vector<ArenaBlock*> alive;
  for (ArenaBlock* block : order) {
    std::erase_if(alive, [&](const ArenaBlock* other) { return other->end < block->begin; });
    std::sort(alive.begin(), alive.end(),
              [](const ArenaBlock* a, const ArenaBlock* b) { return a->offset < b->offset; });
    int64_t smallest = std::numeric_limits<int64_t>::max(), gap_begin = 0;
    for (const ArenaBlock* other : alive) {
      const int64_t gap = other->offset - gap_begin;
      if (gap >= block->size && gap < smallest) {
        smallest = gap;
        block->offset = gap_begin;
      }
      gap_begin = other->offset + (other->size + kAlignment - 1) / kAlignment * kAlignment;
    }
    if (smallest == std::numeric_limits<int64_t>::max()) block->offset = gap_begin;
    alive.push_back(block);
  }
}

TEST(ArenaTest, IsBestFit) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBlock> blocks;
    for (int i = 0; i < 200; ++i) {
      const auto begin = static_cast<int32_t>(random() % 100);
      blocks.push_back({static_cast<int64_t>(random() % 1000) + 1, begin,
                        begin + static_cast<int32_t>(random() % 20)});
    }
    std::vector<ArenaBlock> expected = blocks;
    LayOutOneByOne(expected);
    LayOutArena(blocks, kAlignment);
    for (size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(blocks[i].offset, expected[i].offset) << "block " << i << " of round " << round;
    }
  }
}

// Would take many minutes if each block, or each that ends, looked at all that are alive.
TEST(ArenaTest, ManyBlocksAliveAtOnce) {
  constexpr int32_t kBlocks = 1 << 19;
  std::vector<ArenaBlock> blocks;
  for (int32_t i = 0; i < kBlocks; ++i) {
    // Every second one makes room for another, in the order in which they began.
    blocks.push_back({64, i, i % 2 == 0 ? 4 * kBlocks : kBlocks + i});
  }
  for (int32_t i = 1; i < kBlocks; i += 2) blocks.push_back({64, kBlocks + i + 1, 4 * kBlocks});
  EXPECT_EQ(LayOutArena(blocks, kAlignment), int64_t{64} * kBlocks);
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int64_t place = i < kBlocks ? i : 2 * (i - kBlocks) + 1;
    ASSERT_EQ(blocks[i].offset, 64 * place);
  }
}

TEST(ArenaTest, MoreThanNumbersCanSay) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  std::vector<ArenaBlock> blocks(4, ArenaBlock{int64_t{1} << 61, 0, 1});
  EXPECT_EQ(LayOutArena(blocks, kAlignment), most);
  blocks.resize(3);
  EXPECT_EQ(LayOutArena(blocks, kAlignment), int64_t{3} << 61);
}

}  // namespace
}  // namespace plinth::compiler::plan

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/arena.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace plinth::compiler::plan {
namespace {

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

// The bytes that no block has: ranges with blocks between them, the last one without an end.
class Gaps {
 public:
  Gaps() { Insert(0, kNoEnd); }

  // Takes `size` bytes from the smallest gap that has them, the first of such. Returns their
  // offset, or -1 where there are no such numbers.
  int64_t Take(int64_t size) {
    auto smallest = by_size_.lower_bound({size, 0});
    if (smallest == by_size_.end()) return -1;
    const auto [gap_size, begin] = *smallest;
    Erase(end_of_.find(begin));
    if (gap_size > size) Insert(begin + size, begin + gap_size);
    return begin;
  }

  void Give(int64_t begin, int64_t end) {
    auto next = end_of_.upper_bound(begin);
    if (next != end_of_.begin() && std::prev(next)->second == begin) {
      begin = std::prev(next)->first;
      Erase(std::prev(next));
    }
    if (next != end_of_.end() && next->first == end) {
      end = next->second;
      Erase(next);
    }
    Insert(begin, end);
  }

 private:
  using Map = std::map<int64_t, int64_t>;

  void Insert(int64_t begin, int64_t end) {
    end_of_.emplace(begin, end);
    by_size_.emplace(end - begin, begin);
  }
  void Erase(Map::iterator gap) {
    by_size_.erase({gap->second - gap->first, gap->first});
    end_of_.erase(gap);
  }

  Map end_of_;                                     // by begin
  std::set<std::pair<int64_t, int64_t>> by_size_;  // and begin
};

}  // namespace

int64_t LayOutArena(std::vector<ArenaBlock>& blocks, int64_t alignment) {
  std::vector<int32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<int32_t> by_end = order;
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return blocks[a].begin != blocks[b].begin ? blocks[a].begin < blocks[b].begin
                                              : blocks[a].size > blocks[b].size;
  });
  std::sort(by_end.begin(), by_end.end(),
            [&](int32_t a, int32_t b) { return blocks[a].end < blocks[b].end; });
  auto rounded = [&](int64_t size) { return (size + alignment - 1) / alignment * alignment; };
  Gaps gaps;
  auto first_alive = by_end.begin();
  int64_t arena_size = 0;
  for (int32_t number : order) {
    ArenaBlock& block = blocks[number];
    if (block.size == 0) continue;
    for (; blocks[*first_alive].end < block.begin; ++first_alive) {
      const ArenaBlock& dead = blocks[*first_alive];
      if (dead.size > 0) gaps.Give(dead.offset, dead.offset + rounded(dead.size));
    }
    const int64_t size = rounded(block.size);
    block.offset = gaps.Take(size);
    if (block.offset < 0) return kNoEnd;
    arena_size = std::max(arena_size, block.offset + size);
  }
  return arena_size;
}

}  // namespace plinth::compiler::plan

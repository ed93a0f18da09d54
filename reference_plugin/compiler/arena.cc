#include "reference_plugin/compiler/arena.h"

#include <algorithm>
#include <numeric>

namespace plinth::compiler {

int64_t LayOutArena(std::vector<ArenaBlock>& blocks) {
  std::vector<int32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return blocks[a].begin != blocks[b].begin ? blocks[a].begin < blocks[b].begin
                                              : blocks[a].size > blocks[b].size;
  });
  std::vector<int32_t> alive;  // by offset
  int64_t arena_size = 0;
  for (int32_t number : order) {
    ArenaBlock& block = blocks[number];
    int64_t size = (block.size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    std::erase_if(alive, [&](int32_t other) { return blocks[other].end < block.begin; });
    int64_t best_offset = -1, best_gap = INT64_MAX, gap_begin = 0;
    size_t best_place = alive.size();
    for (size_t i = 0; i < alive.size(); ++i) {
      const ArenaBlock& other = blocks[alive[i]];
      int64_t gap = other.offset - gap_begin;
      if (gap >= size && gap < best_gap) {
        best_gap = gap;
        best_offset = gap_begin;
        best_place = i;
      }
      int64_t other_size = (other.size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
      gap_begin = std::max(gap_begin, other.offset + other_size);
    }
    if (best_offset < 0) {
      // At the end of what is alive.
      best_offset = gap_begin;
      best_place = alive.size();
    }
    block.offset = best_offset;
    alive.insert(alive.begin() + static_cast<int64_t>(best_place), number);
    arena_size = std::max(arena_size, best_offset + size);
  }
  return arena_size;
}

}  // namespace plinth::compiler

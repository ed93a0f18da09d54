// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_ARENA_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_ARENA_H_

#include <cstdint>
#include <vector>

namespace plinth::compiler::plan {

// A block of `size` bytes needed at the positions begin..end (closed).
struct ArenaBlock {
  int64_t size = 0;
  int32_t begin = 0, end = 0;
  int64_t offset = 0;  // set by LayOutArena
};

// Gives blocks that are needed at the same time disjoint offsets, multiples of `alignment`;
// returns the bytes needed, the greatest number if there is no number for them. Best fit in order
// of begin, in n log n steps.
int64_t LayOutArena(std::vector<ArenaBlock>& blocks, int64_t alignment);

}  // namespace plinth::compiler::plan

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_ARENA_H_

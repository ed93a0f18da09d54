// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_GATHER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_GATHER_H_

#include <cstdint>

#include "reference_plugin/cpu/kernels/tile_space.h"
#include "reference_plugin/cpu/math/gather.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::kernels {

// Elements of an input at indices that are values. The instruction finds this in its operand c,
// with `place.base` set for the tile.
struct TileGather {
  math::GatherPlace place;
  math::GatherFunction function = nullptr;
  const LaneMap* map = nullptr;  // of what the domain adds to the place
  int64_t run = 1;               // of the space that `map` belongs to
  int64_t index_bytes = 0, element_bytes = 0;
};

// A TileFunction: raw elements at the indices `a` and, if there are two, `b`.
void GatherTile(void* result, const void* a, const void* b, const void* c, size_t count,
                const math::TileParameters& parameters);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_GATHER_H_

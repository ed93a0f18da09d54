// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/gather.h"

#include <algorithm>

namespace plinth::cpu::kernels {

void GatherTile(void* result, const void* a, const void* b, const void* c, size_t count,
                const math::TileParameters&) {
  const auto& gather = *static_cast<const TileGather*>(c);
  math::GatherPlace place = gather.place;
  place.lane_stride = gather.map->stride;
  if (gather.map->linear) return gather.function(result, a, b, place, count);
  const int64_t lanes = static_cast<int64_t>(count);
  for (int64_t lane = 0, row = 0; lane < lanes; lane += gather.run, ++row) {
    place.base = gather.place.base + gather.map->RowOffset(row, gather.run);
    gather.function(static_cast<std::byte*>(result) + lane * gather.element_bytes,
                    static_cast<const std::byte*>(a) + lane * gather.index_bytes,
                    static_cast<const std::byte*>(b) + lane * gather.index_bytes, place,
                    static_cast<size_t>(std::min(gather.run, lanes - lane)));
  }
}

}  // namespace plinth::cpu::kernels

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/tile_space.h"

#include <algorithm>
#include <cstdlib>

namespace plinth::cpu::kernels {
namespace {

LaneMap MakeLaneMap(const LinearForm& form, const Dims& extents, size_t first, size_t last,
                    const TileSpace& space) {
  LaneMap map;
  map.stride = form.coefficients[last - 1];
  // Linear over all of the tile if each dimension continues the one inside it.
  for (size_t d = first; d + 1 < last; ++d) {
    map.linear = map.linear && form.coefficients[d] == form.coefficients[d + 1] * extents[d + 1];
  }
  if (map.linear) {
    const int64_t end = map.stride * (space.max_lanes - 1);
    map.minimum = std::min<int64_t>(0, end);
    map.maximum = std::max<int64_t>(0, end);
    return map;
  }
  for (int64_t lane = 0; lane < space.max_lanes; lane += space.run) {
    int64_t rest = lane, offset = 0;
    for (size_t d = last; d-- > first;) {
      const int64_t extent = d == first ? space.chunk : extents[d];
      offset += rest % extent * form.coefficients[d];
      rest /= extent;
    }
    map.row_offsets.push_back(offset);
    const int64_t end = offset + (space.run - 1) * map.stride;
    map.minimum = std::min({map.minimum, offset, end});
    map.maximum = std::max({map.maximum, offset, end});
  }
  map.row_step = map.row_offsets.size() > 1 ? map.row_offsets[1] : 0;
  for (size_t row = 0; row < map.row_offsets.size(); ++row) {
    if (map.row_offsets[row] != static_cast<int64_t>(row) * map.row_step) map.row_step = 0;
  }
  return map;
}

void FindCarries(TileSpace* space) {
  const size_t num_forms = space->lanes.size();
  space->carries.resize(space->steps.size());
  for (size_t f = 0; f < num_forms; ++f) {
    int64_t inside = 0;  // what the loops inside have added when they are at their last position
    for (size_t loop = space->counts.size(); loop-- > 0;) {
      const int64_t step = space->steps[loop * num_forms + f];
      space->carries[loop * num_forms + f] = step - inside;
      inside += step * (space->counts[loop] - 1);
    }
  }
}

}  // namespace

TileSpace MakeTileSpace(const Domain& domain, int32_t begin, int32_t end, int64_t capacity) {
  TileSpace space;
  const size_t num_forms = domain.forms.size();
  space.lanes.resize(num_forms);
  if (begin == end) return space;

  const size_t first = static_cast<size_t>(begin), last = static_cast<size_t>(end);
  size_t cut = last - 1;
  while (cut > first && space.inner * domain.extents[cut] <= capacity && domain.extents[cut] > 0) {
    space.inner *= domain.extents[cut];
    --cut;
  }
  if (cut < last - 1 && space.inner * 2 > capacity) {
    // No two elements of the cut dimension fit: cut the one inside it, as a whole.
    ++cut;
    space.inner /= domain.extents[cut];
  }
  space.chunk_extent = domain.extents[cut];
  space.chunk = std::max<int64_t>(
      1, std::min(space.chunk_extent, capacity / std::max<int64_t>(1, space.inner)));
  space.max_lanes = space.chunk * space.inner;
  space.run = cut == last - 1 ? space.max_lanes : domain.extents[last - 1];
  if (space.run < kShortestRow) space.run = 1;

  for (size_t d = first; d < cut; ++d) space.counts.push_back(domain.extents[d]);
  space.counts.push_back((space.chunk_extent + space.chunk - 1) / space.chunk);
  for (int64_t count : space.counts) space.num_tiles *= count;

  space.chunk_loop = space.counts.size() - 1;

  space.steps.resize(space.counts.size() * num_forms);
  for (size_t f = 0; f < num_forms; ++f) {
    const Dims& coefficients = domain.forms[f].coefficients;
    for (size_t loop = 0; loop < space.counts.size(); ++loop) {
      space.steps[loop * num_forms + f] =
          coefficients[first + loop] * (loop == space.chunk_loop ? space.chunk : 1);
    }
    space.lanes[f] = MakeLaneMap(domain.forms[f], domain.extents, cut, last, space);
  }
  FindCarries(&space);
  return space;
}

TileSpace MakeTileSpaceOfBoth(const Domain& domain, int32_t first, int64_t capacity) {
  Domain turned;
  const auto turn = [&](const Dims& dims) {
    Dims result;
    for (size_t d = static_cast<size_t>(domain.num_parallel); d < dims.size(); ++d) {
      result.push_back(dims[d]);
    }
    for (auto d = static_cast<size_t>(first); d < static_cast<size_t>(domain.num_parallel); ++d) {
      result.push_back(dims[d]);
    }
    return result;
  };
  turned.extents = turn(domain.extents);
  for (const LinearForm& form : domain.forms) {
    turned.forms.push_back({form.offset, turn(form.coefficients)});
  }
  return MakeTileSpace(turned, 0, static_cast<int32_t>(turned.extents.size()), capacity);
}

void BlockRows(size_t num_accesses, bool may_pad, TileSpace* space) {
  // Enough rows to use some cache lines up, few enough for their lines to stay; of 16 if it can be,
  // since whole lines are turned in registers.
  constexpr int64_t kMostRows = 64, kFewestRows = 4, kGoodRows = 16;
  constexpr int64_t kLineBytes = 64;
  if (space->chunk_loop == 0 || space->inner != 1) return;
  const size_t row_loop = space->chunk_loop - 1;
  const size_t num_forms = space->lanes.size();
  bool transposed = false;
  for (size_t f = 0; f < num_accesses; ++f) {
    const int64_t row_step = space->steps[row_loop * num_forms + f];
    transposed = transposed || (std::abs(space->lanes[f].stride) >= kLineBytes && row_step != 0 &&
                                std::abs(row_step) < kLineBytes);
  }
  if (!transposed) return;
  const int64_t rows = space->counts[row_loop];
  int64_t block = kMostRows;
  while (block > 0 && rows % block != 0) block -= kGoodRows;
  if (block == 0 && may_pad && rows > kGoodRows) {
    block = std::min(kMostRows, (rows + kGoodRows - 1) / kGoodRows * kGoodRows);
    space->rows = rows;
  } else if (block == 0) {
    block = std::min(rows, kMostRows);
    while (rows % block != 0) --block;
  }
  if (block < kFewestRows) return;
  const int64_t blocks = (rows + block - 1) / block;
  // Loops ..., rows, chunks become ..., blocks of rows, chunks, rows of a block.
  if (rows > 0) space->num_tiles = space->num_tiles / rows * blocks * block;
  space->counts[row_loop] = blocks;
  space->counts.push_back(block);
  for (size_t f = 0; f < num_forms; ++f) {
    const int64_t step = space->steps[row_loop * num_forms + f];
    space->steps.push_back(step);
    space->steps[row_loop * num_forms + f] = step * block;
  }
  FindCarries(space);
}

void TileCursor::Seek(const int64_t* start, int64_t tile) {
  const size_t num_forms = space_.lanes.size();
  std::copy(start, start + num_forms, values_);
  for (size_t loop = space_.counts.size(); loop-- > 0;) {
    const int64_t position = tile % space_.counts[loop];
    tile /= space_.counts[loop];
    positions_[loop] = position;
    if (position == 0) continue;
    const int64_t* steps = space_.steps.data() + loop * num_forms;
    for (size_t f = 0; f < num_forms; ++f) values_[f] += position * steps[f];
  }
}

void TileCursor::Next() {
  const size_t num_forms = space_.lanes.size();
  for (size_t loop = space_.counts.size(); loop-- > 0;) {
    if (++positions_[loop] < space_.counts[loop]) {
      const int64_t* carries = space_.carries.data() + loop * num_forms;
      for (size_t f = 0; f < num_forms; ++f) values_[f] += carries[f];
      return;
    }
    positions_[loop] = 0;
  }
}

}  // namespace plinth::cpu::kernels

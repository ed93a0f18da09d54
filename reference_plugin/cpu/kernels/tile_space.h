// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_TILE_SPACE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_TILE_SPACE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reference_plugin/cpu/kernels/domain.h"

// How the points of some dimensions are cut into tiles, and walked tile by tile.
namespace plinth::cpu::kernels {

// Rows shorter than this are not worth a call each: their lanes are all listed.
inline constexpr int64_t kShortestRow = 8;

// What a linear form adds at each lane (point) of a tile to its value at the first lane. All tiles
// of a space have the same lanes; the last ones of a row may stop earlier.
struct LaneMap {
  bool linear = true;                // lane * stride; else rows of TileSpace::run lanes each
  int64_t stride = 0;                // between the lanes of one row
  std::vector<int64_t> row_offsets;  // not linear: of the first lane of each row
  int64_t row_step = 0;              // from each to the next, where that is always the same
  int64_t minimum = 0, maximum = 0;  // over all lanes of a full tile

  int64_t RowOffset(int64_t row, int64_t run) const {
    return linear ? row * run * stride : row_offsets[static_cast<size_t>(row)];
  }
  // Of a tile that has all of them; where the form is linear there may be more.
  int64_t FullLanes(int64_t run, int64_t most) const {
    return linear ? most : run * static_cast<int64_t>(row_offsets.size());
  }
};

// A tile is a piece of one dimension times all of the dimensions inside it.
struct TileSpace {
  int64_t num_tiles = 1;
  int64_t max_lanes = 1;
  int64_t run = 1;               // lanes of a row: a tile is whole rows, or a part of a single one
  int64_t chunk = 1;             // elements of the cut dimension per tile
  int64_t chunk_extent = 1;      // elements of the cut dimension
  int64_t inner = 1;             // points inside one element of the cut dimension
  Dims counts;                   // of the loops over tiles, outermost first
  size_t chunk_loop = 0;         // the loop over pieces of the cut dimension
  std::vector<int64_t> steps;    // [loop][form]: what one step of the loop adds
  std::vector<int64_t> carries;  // [loop][form]: the same, with all loops inside it starting over
  std::vector<LaneMap> lanes;    // per form

  // Of BlockRows, where rows do not fill the last block; 0 where there is nothing outside of them.
  int64_t rows = 0;

  int64_t NumForms() const { return static_cast<int64_t>(lanes.size()); }
  // Of tiles [begin, end), where there is one loop.
  int64_t LanesOfTiles(int64_t begin, int64_t end) const {
    return (std::min(end * chunk, chunk_extent) - begin * chunk) * inner;
  }
};

// Dimensions [begin, end) of the domain in tiles of at most `capacity` points.
TileSpace MakeTileSpace(const Domain& domain, int32_t begin, int32_t end, int64_t capacity);

// The same of the reduced dimensions and, inside of them, the parallel ones from `first` on, all of
// whose points a tile has: they are at most half of `capacity`.
TileSpace MakeTileSpaceOfBoth(const Domain& domain, int32_t first, int64_t capacity);

// Lets the tiles of some rows at one column follow each other, if an access (the first
// `num_accesses` forms are) then stays in cache lines that it would otherwise leave: a transposed
// operand. For spaces whose tiles may come in any order. `may_pad`: tiles may be outside of the
// space, so that all blocks have the same rows.
void BlockRows(size_t num_accesses, bool may_pad, TileSpace* space);

// Walks a space. The arrays belong to the caller: `values` one per form, `positions` one per loop.
class TileCursor {
 public:
  TileCursor(const TileSpace& space, int64_t* values, int64_t* positions)
      : space_(space), values_(values), positions_(positions) {}

  // Goes to a tile. `start` holds the values of the forms at the space's first point.
  void Seek(const int64_t* start, int64_t tile);
  // Goes to the next tile; past the last one the cursor is of no use until the next Seek.
  void Next();

  // The values of the forms at the tile's first lane.
  const int64_t* values() const { return values_; }
  int64_t lanes() const {
    if (space_.counts.empty()) return 1;
    const int64_t left = space_.chunk_extent - positions_[space_.chunk_loop] * space_.chunk;
    return (left < space_.chunk ? left : space_.chunk) * space_.inner;
  }
  // Tiles until the innermost loop ends, without those outside of the space.
  int64_t tiles_left() const {
    if (space_.counts.empty()) return 1;
    const int64_t left = space_.counts.back() - positions_[space_.counts.size() - 1];
    return space_.rows == 0 ? left : std::min(left, space_.rows - row());
  }
  bool is_outside() const { return space_.rows != 0 && row() >= space_.rows; }

 private:
  // Of a space with blocks of rows.
  int64_t row() const {
    return positions_[space_.chunk_loop - 1] * space_.counts.back() +
           positions_[space_.counts.size() - 1];
  }

  const TileSpace& space_;
  int64_t* values_;
  int64_t* positions_;
};

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_TILE_SPACE_H_

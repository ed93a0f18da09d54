// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_OPERAND_MAP_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_OPERAND_MAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plinth/support/small_vector.h"
#include "reference_plugin/compiler/kernel/product.h"
#include "reference_plugin/cpu/library/gemm_kernels.h"

// Reading the operands of products (compiler/kernel/product.h): packing any array as a matrix, and
// walking the terms of its sums.
namespace plinth::cpu::library {

using compiler::MapDim;
using compiler::MapWindow;
using compiler::NumElements;
using compiler::OperandMap;

inline constexpr int kMaxMapWindows = 8;

// Between neighbours along the first of the dims; of none: 0.
inline int64_t StrideOf(const std::vector<MapDim>& dims) {
  return dims.empty() ? 0 : dims[0].stride;
}

// positions[i] = position of index first + i, for plain dims.
void FillPositions(const std::vector<MapDim>& dims, int64_t first, int64_t count,
                   int64_t* positions);

// Packs elements [outer_first, +outer_count) x [inner_first, +inner_count) of a simplified map
// into panels of `width`, `element_bytes` per packed element, one after the other, each with room
// for a multiple of `step_unit` steps.
void PackBlock(const OperandMap& map, GemmKernels::Pack pack, const std::byte* data,
               int64_t outer_first, int64_t outer_count, int64_t inner_first, int64_t inner_count,
               int width, int64_t element_bytes, int64_t step_unit, std::byte* panels);

// An index into a list of dimensions as one number per dimension. Coordinates start at zero.
class Odometer {
 public:
  Odometer(const std::vector<MapDim>& dims, int64_t index);
  void Next();
  int64_t position() const { return position_; }
  int64_t coordinate(size_t window) const { return coordinates_[window]; }
  int64_t last_digit() const { return digits_.back(); }

 private:
  void Add(const MapDim& dim, int64_t count) {
    if (dim.window >= 0) {
      coordinates_[dim.window] += count * dim.step;
    } else {
      position_ += count * dim.stride;
    }
  }
  const std::vector<MapDim>* dims_;
  SmallVector<int64_t, 8> digits_;
  int64_t position_ = 0;
  int64_t coordinates_[kMaxMapWindows] = {};
};

// The positions of the terms of sums, row by row: a row of `a` against the only column of a plain
// `b`. No window of `a` may be dilated.
class RowTerms {
 public:
  RowTerms(const OperandMap& a, const OperandMap& b, int64_t row);

  void NextRow() { outer_.Next(); }
  // Whether all terms of the row are inside of the array.
  bool RowIsInside() const;
  // The row's part of its terms' positions in `a`.
  int64_t row_position() const;
  // The rest of all terms' positions, the same for every row.
  void ListInner(int64_t count, int64_t* a_positions, int64_t* b_positions);

  // Lists the row's terms in order, `count` at a time from StartRow on, leaving out those outside
  // of the array; returns how many were listed.
  void StartRow();
  int64_t List(int64_t count, int64_t* a_positions, int64_t* b_positions);

 private:
  // Walks the summed dimensions of one operand; positions include the windows' parts.
  struct Cursor {
    const OperandMap* map;
    SmallVector<int64_t, 8> digits;
    int64_t in_run = 0;
    int64_t position = 0;
    int64_t coordinates[kMaxMapWindows] = {};
    void Next();
    void Add(const MapDim& dim, int64_t count);
  };
  Odometer outer_;
  Cursor a_, b_;
  int64_t low_[kMaxMapWindows], high_[kMaxMapWindows];  // of the summed steps
};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_OPERAND_MAP_H_

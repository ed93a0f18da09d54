// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_BLOCK_ROWS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_BLOCK_ROWS_H_

#include <algorithm>
#include <cstring>

#include "plinth/support/small_vector.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::cpu::collectives {

inline constexpr int64_t kGrain = 256 << 10;  // bytes that one thread copies at once

// Long rows are cut, so that threads share them.
inline int64_t PiecesOfRow(int64_t bytes) {
  return std::max<int64_t>(1, (bytes + kGrain - 1) / kGrain);
}

// A block of one type in two arrays: rows of bytes that are contiguous in both.
class BlockRows {
 public:
  BlockRows() = default;
  // `dims` of the block, and the strides, in bytes, of the arrays in which it lies.
  BlockRows(const compiler::Dims& dims, const compiler::Dims& from_strides,
            const compiler::Dims& to_strides, int64_t element_bytes, size_t row_dim) {
    row_bytes_ = dims.empty() ? element_bytes : dims[row_dim] * from_strides[row_dim];
    for (size_t d = 0; d < row_dim; ++d) {
      if (dims[d] == 1) continue;
      outer_.push_back({dims[d], from_strides[d], to_strides[d]});
      num_rows_ *= dims[d];
    }
    for (int64_t extent : dims) {
      if (extent == 0) num_rows_ = 0;
    }
    pieces_ = PiecesOfRow(row_bytes_);
  }

  int64_t num_pieces() const { return num_rows_ * pieces_; }
  int64_t piece_bytes() const { return std::min(row_bytes_, kGrain); }

  void CopyPiece(int64_t piece, const std::byte* from, std::byte* to) const {
    const int64_t begin = piece % pieces_ * kGrain;
    int64_t row = piece / pieces_;
    int64_t from_offset = begin, to_offset = begin;
    for (size_t d = outer_.size(); d-- > 0;) {
      const int64_t index = row % outer_[d].extent;
      row /= outer_[d].extent;
      from_offset += index * outer_[d].from_stride;
      to_offset += index * outer_[d].to_stride;
    }
    const int64_t bytes = std::min(kGrain, row_bytes_ - begin);
    std::memcpy(to + to_offset, from + from_offset, static_cast<size_t>(bytes));
  }

 private:
  struct Outer {
    int64_t extent, from_stride, to_stride;
  };
  SmallVector<Outer, 4> outer_;
  int64_t row_bytes_ = 0;
  int64_t num_rows_ = 1;
  int64_t pieces_ = 1;
};

}  // namespace plinth::cpu::collectives

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_BLOCK_ROWS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_SHAPE_H_
#define PLINTH_SUPPORT_SHAPE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/small_vector.h"
#include "plinth/support/status.h"

namespace plinth {

// Sizes of the dimensions, outermost first.
using Dims = SmallVector<int64_t, 6>;
inline constexpr size_t kMaxRank = 64;

// How the elements of an array lie in device memory.
struct Layout {
  // Dimensions from the fastest varying to the slowest. Empty means row-major: rank-1, ..., 1, 0.
  std::vector<int64_t> minor_to_major = {};
  // Tiles, innermost last; most plugins have none.
  std::vector<std::vector<int64_t>> tiles = {};

  // True for the row-major order without tiles.
  bool IsRowMajor() const;
  // XLA's text for it, for example "{1,0}" or "{1,0:T(8,128)}", for an array of `rank` dimensions.
  std::string ToString(size_t rank) const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

struct Shape {
  DType dtype = DType::kInvalid;
  Dims dims = {};
  // Null for row-major.
  std::shared_ptr<const Layout> layout = {};
};

// Number of elements; 1 for a scalar. OUT_OF_RANGE when the product is 2^63 or more. No dimension
// is negative, here and below.
Expected<int64_t> NumElements(std::span<const int64_t> dims);
// Bytes of a dense array (types below one byte take one byte per element).
Expected<int64_t> DenseSizeInBytes(DType dtype, std::span<const int64_t> dims);
// "f32[2,3]", for messages.
std::string ToString(DType dtype, std::span<const int64_t> dims);

// Byte strides of a dense array with that order of dimensions; row-major if it is empty.
// `strides` has one entry per dimension.
void DenseByteStrides(std::span<const int64_t> dims, int64_t element_size,
                      std::span<const int64_t> minor_to_major, std::span<int64_t> strides);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_SHAPE_H_

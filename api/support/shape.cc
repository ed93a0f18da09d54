// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/shape.h"

#include <algorithm>

#include "plinth/support/str_cat.h"

namespace plinth {

bool Layout::IsRowMajor() const {
  if (!tiles.empty()) return false;
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

std::string Layout::ToString(size_t rank) const {
  std::string out = "{";
  for (size_t i = 0; i < rank; ++i) {
    if (i > 0) out.push_back(',');
    out.append(
        StrCat(i < minor_to_major.size() ? minor_to_major[i] : static_cast<int64_t>(rank - 1 - i)));
  }
  if (!tiles.empty()) out.append(":T");
  for (const std::vector<int64_t>& tile : tiles) {
    out.append(StrCat('(', StrJoin(tile, ","), ')'));
  }
  out.push_back('}');
  return out;
}

Expected<int64_t> NumElements(std::span<const int64_t> dims) {
  // An array with a zero has no elements, however large the others are.
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return int64_t{0};
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(elements, dim, &elements)) {
      return OutOfRange("an array of dimensions [", StrJoin(dims, ","),
                        "] has 2^63 or more elements");
    }
  }
  return elements;
}

Expected<int64_t> DenseSizeInBytes(DType dtype, std::span<const int64_t> dims) {
  PLINTH_ASSIGN_OR_RETURN(int64_t elements, NumElements(dims));
  int64_t size = 0;
  if (__builtin_mul_overflow(elements, ByteSize(dtype), &size)) {
    return OutOfRange("an array ", ToString(dtype, dims), " has 2^63 or more bytes");
  }
  return size;
}

std::string ToString(DType dtype, std::span<const int64_t> dims) {
  return StrCat(Name(dtype), '[', StrJoin(dims, ","), ']');
}

void DenseByteStrides(std::span<const int64_t> dims, int64_t element_size,
                      std::span<const int64_t> minor_to_major, std::span<int64_t> strides) {
  int64_t stride = element_size;
  for (size_t i = 0; i < dims.size(); ++i) {
    size_t dim =
        minor_to_major.empty() ? dims.size() - 1 - i : static_cast<size_t>(minor_to_major[i]);
    strides[dim] = stride;
    // Wraps around only where an array without elements has huge dimensions: nobody goes by those
    // strides.
    static_cast<void>(__builtin_mul_overflow(stride, std::max<int64_t>(dims[dim], 1), &stride));
  }
}

}  // namespace plinth

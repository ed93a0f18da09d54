// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/shape.h"

#include <algorithm>
#include <cstring>

namespace plinth::sdk {

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

namespace {

struct CopyDim {
  int64_t size;
  int64_t to;    // Byte stride of the destination.
  int64_t from;  // Byte stride of the source.
};

template <typename T>
void CopyRow(char* to, const char* from, const CopyDim& dim) {
  for (int64_t i = 0; i < dim.size; ++i, to += dim.to, from += dim.from) {
    std::memcpy(to, from, sizeof(T));
  }
}

void CopyRowOfElements(char* to, const char* from, const CopyDim& dim, int64_t element_size) {
  struct Bytes16 {
    char bytes[16];
  };
  if (dim.to == element_size && dim.from == element_size) {
    std::memcpy(to, from, static_cast<size_t>(dim.size * element_size));
    return;
  }
  switch (element_size) {
    case 1:
      return CopyRow<uint8_t>(to, from, dim);
    case 2:
      return CopyRow<uint16_t>(to, from, dim);
    case 4:
      return CopyRow<uint32_t>(to, from, dim);
    case 8:
      return CopyRow<uint64_t>(to, from, dim);
    case 16:
      return CopyRow<Bytes16>(to, from, dim);
    default:
      for (int64_t i = 0; i < dim.size; ++i) {
        std::memcpy(to + i * dim.to, from + i * dim.from, static_cast<size_t>(element_size));
      }
  }
}

}  // namespace

void CopyStrided(void* destination, std::span<const int64_t> destination_strides,
                 const void* source, std::span<const int64_t> source_strides,
                 std::span<const int64_t> dims, int64_t element_size) {
  if (element_size == 0) return;
  // Outermost first in the destination; dimensions that lie behind one another become one.
  SmallVector<CopyDim, 8> order;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return;
    if (dims[i] != 1) order.push_back({dims[i], destination_strides[i], source_strides[i]});
  }
  std::stable_sort(order.begin(), order.end(), [](const CopyDim& a, const CopyDim& b) {
    return std::abs(a.to) > std::abs(b.to);
  });
  SmallVector<CopyDim, 8> loops;
  for (const CopyDim& dim : order) {
    if (!loops.empty() && loops.back().to == dim.to * dim.size &&
        loops.back().from == dim.from * dim.size) {
      loops.back() = {loops.back().size * dim.size, dim.to, dim.from};
    } else {
      loops.push_back(dim);
    }
  }
  auto* to = static_cast<char*>(destination);
  const auto* from = static_cast<const char*>(source);
  if (loops.empty()) {
    std::memcpy(to, from, static_cast<size_t>(element_size));
    return;
  }
  // An odometer over all loops but the innermost.
  const size_t outer = loops.size() - 1;
  SmallVector<int64_t, 8> index(outer, 0);
  while (true) {
    CopyRowOfElements(to, from, loops[outer], element_size);
    size_t d = outer;
    while (d > 0) {
      --d;
      to += loops[d].to;
      from += loops[d].from;
      if (++index[d] < loops[d].size) break;
      to -= loops[d].to * loops[d].size;
      from -= loops[d].from * loops[d].size;
      index[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

}  // namespace plinth::sdk

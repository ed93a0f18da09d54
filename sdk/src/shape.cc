// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/shape.h"

#include <algorithm>
#include <cstring>

namespace plinth::sdk {

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

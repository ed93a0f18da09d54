// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/host_array.h"

#include <cstring>
#include <vector>

namespace plinth::layers {
namespace {

// Calls `element` with the byte offset of each element, in row-major order.
template <typename Element>
void ForEachElement(std::span<const int64_t> dims, std::span<const int64_t> byte_strides,
                    Element element) {
  for (int64_t dim : dims) {
    if (dim == 0) return;
  }
  std::vector<int64_t> index(dims.size(), 0);
  int64_t offset = 0;
  while (true) {
    element(offset);
    size_t dim = dims.size();
    while (true) {
      if (dim == 0) return;
      --dim;
      offset += byte_strides[dim];
      if (++index[dim] < dims[dim]) break;
      offset -= byte_strides[dim] * dims[dim];
      index[dim] = 0;
    }
  }
}

}  // namespace

std::optional<uint64_t> DenseSize(DType type, std::span<const int64_t> dims, uint64_t limit) {
  auto size = static_cast<uint64_t>(ByteSize(type));
  if (size == 0) return std::nullopt;
  bool is_empty = false;
  for (int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    is_empty |= dim == 0;
  }
  if (is_empty) return 0;
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(size, static_cast<uint64_t>(dim), &size)) return std::nullopt;
  }
  if (size > limit) return std::nullopt;
  return size;
}

std::optional<StridedExtent> ExtentOf(DType type, std::span<const int64_t> dims,
                                      std::span<const int64_t> byte_strides, uint64_t limit) {
  if (byte_strides.size() != dims.size()) return std::nullopt;
  std::optional<uint64_t> dense = DenseSize(type, dims, limit);
  if (!dense) return std::nullopt;
  if (*dense == 0) return StridedExtent{};
  int64_t low = 0, high = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t reach;
    if (__builtin_mul_overflow(dims[i] - 1, byte_strides[i], &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high)) {
      return std::nullopt;
    }
  }
  uint64_t origin = uint64_t{0} - static_cast<uint64_t>(low);
  auto end = static_cast<uint64_t>(high) + static_cast<uint64_t>(ByteSize(type));
  if (origin > limit || end > limit - origin) return std::nullopt;
  return StridedExtent{origin + end, origin};
}

std::string Gather(DType type, std::span<const int64_t> dims, std::span<const int64_t> byte_strides,
                   const void* data) {
  auto size = static_cast<size_t>(ByteSize(type));
  std::string dense(DenseSize(type, dims, SIZE_MAX).value_or(0), '\0');
  char* place = dense.data();
  ForEachElement(dims, byte_strides, [&](int64_t offset) {
    std::memcpy(place, static_cast<const char*>(data) + offset, size);
    place += size;
  });
  return dense;
}

void Scatter(DType type, std::span<const int64_t> dims, std::span<const int64_t> byte_strides,
             const std::string& dense, char* data) {
  auto size = static_cast<size_t>(ByteSize(type));
  const char* place = dense.data();
  ForEachElement(dims, byte_strides, [&](int64_t offset) {
    std::memcpy(data + offset, place, size);
    place += size;
  });
}

}  // namespace plinth::layers

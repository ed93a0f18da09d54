// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/host_array.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "plinth/support/shape.h"

namespace plinth::client {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 62;
// What a process can address at most; an allocator need not be asked for more.
constexpr int64_t kMaxAddressable = int64_t{1} << 47;
constexpr size_t kAlignment = 64;

// Byte strides of a view, spelled out if it is dense.
std::vector<int64_t> StridesOf(const HostView& view) {
  if (!view.byte_strides.empty()) return {view.byte_strides.begin(), view.byte_strides.end()};
  std::vector<int64_t> strides(view.dims.size());
  DenseByteStrides(view.dims, ByteSize(view.type), {}, strides);
  return strides;
}

// A dimension of both arrays at once.
struct Axis {
  int64_t extent, from, to;
};

void CopyAxes(const Axis* axes, size_t count, const std::byte* from, std::byte* to, size_t size) {
  if (count == 0) {
    std::memcpy(to, from, size);
    return;
  }
  for (int64_t i = 0; i < axes->extent; ++i) {
    CopyAxes(axes + 1, count - 1, from + i * axes->from, to + i * axes->to, size);
  }
}

}  // namespace

Expected<int64_t> HostByteSize(DType type, std::span<const int64_t> dims) {
  if (type == DType::kInvalid || static_cast<int>(type) >= kNumDTypes) {
    return InvalidArgument("an array of element type ", static_cast<int>(type),
                           ", which is none, has no size");
  }
  int64_t bytes = std::max<int64_t>(ByteSize(type), 0);
  bool is_empty = false;
  for (int64_t extent : dims) {
    if (extent < 0) {
      return InvalidArgument("the extents of ", ShapeToString(type, dims), " must not be negative");
    }
    is_empty |= extent == 0;
  }
  if (is_empty) return int64_t{0};
  for (int64_t extent : dims) {
    if (bytes != 0 && extent > kMaxBytes / bytes) {
      return InvalidArgument(ShapeToString(type, dims), " is larger than 2^62 bytes");
    }
    bytes *= extent;
  }
  return bytes;
}

std::string ShapeToString(DType type, std::span<const int64_t> dims) {
  return StrCat(Name(type), "[", StrJoin(dims, ","), "]");
}

Expected<HostArray> HostArray::Create(DType type, std::span<const int64_t> dims) {
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, HostByteSize(type, dims));
  HostArray array;
  array.type_ = type;
  array.dims_.assign(dims.begin(), dims.end());
  array.byte_size_ = static_cast<size_t>(bytes);
  const size_t rounded = (array.byte_size_ / kAlignment + 1) * kAlignment;
  if (bytes < kMaxAddressable) {
    array.data_.reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded)));
  }
  if (array.data_ == nullptr) {
    return ResourceExhausted("no memory for ", ShapeToString(type, dims), " of ", bytes,
                             " bytes on the host");
  }
  return array;
}

int64_t HostArray::num_elements() const {
  // Not the product of the extents, which overflows for an empty array of large ones.
  return static_cast<int64_t>(byte_size_) / std::max<int64_t>(ByteSize(type_), 1);
}

Status CopyStrided(const HostView& from, const MutableHostView& to) {
  if (from.type != to.type ||
      !std::equal(from.dims.begin(), from.dims.end(), to.dims.begin(), to.dims.end())) {
    return InvalidArgument("cannot copy ", ShapeToString(from.type, from.dims), " into ",
                           ShapeToString(to.type, to.dims));
  }
  for (const auto& strides : {from.byte_strides, to.byte_strides}) {
    if (!strides.empty() && strides.size() != from.dims.size()) {
      return InvalidArgument(ShapeToString(from.type, from.dims), " needs ", from.dims.size(),
                             " strides, not ", strides.size());
    }
  }
  PLINTH_ASSIGN_OR_RETURN(const int64_t bytes, HostByteSize(from.type, from.dims));
  if (bytes == 0) return {};
  const std::vector<int64_t> from_strides = StridesOf(from);
  const std::vector<int64_t> to_strides = StridesOf(to);
  // Axes from the outermost; a run of both arrays at the inner end is one memcpy.
  std::vector<Axis> axes;
  int64_t run = ByteSize(from.type);
  size_t rank = from.dims.size();
  while (rank > 0 && (from.dims[rank - 1] == 1 ||
                      (from_strides[rank - 1] == run && to_strides[rank - 1] == run))) {
    run *= from.dims[--rank];
  }
  for (size_t i = 0; i < rank; ++i) axes.push_back({from.dims[i], from_strides[i], to_strides[i]});
  CopyAxes(axes.data(), axes.size(), static_cast<const std::byte*>(from.data),
           static_cast<std::byte*>(to.data), static_cast<size_t>(run));
  return {};
}

}  // namespace plinth::client

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_HOST_ARRAY_H_
#define PLINTH_CLIENT_HOST_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"

namespace plinth::client {

// Bytes that a dense array takes in host memory (types of less than a byte take one byte an
// element). INVALID_ARGUMENT for no type, a negative extent, or more than 2^62 bytes.
Expected<int64_t> HostByteSize(DType type, std::span<const int64_t> dims);

// "f32[2,3]".
std::string ShapeToString(DType type, std::span<const int64_t> dims);

// An array in host memory that somebody else owns.
struct HostView {
  const void* data = nullptr;  // The first element, which with negative strides is not the lowest.
  DType type = DType::kInvalid;
  std::span<const int64_t> dims;
  std::span<const int64_t> byte_strides;  // One for each dimension, or none for dense row-major.
};

// The same for writing.
struct MutableHostView {
  void* data = nullptr;
  DType type = DType::kInvalid;
  std::span<const int64_t> dims;
  std::span<const int64_t> byte_strides;

  operator HostView() const { return {data, type, dims, byte_strides}; }  // NOLINT: a view of this
};

// A dense row-major array in host memory of its own, aligned to 64 bytes. Move-only.
class HostArray {
 public:
  // Contents are not set. INVALID_ARGUMENT as HostByteSize, RESOURCE_EXHAUSTED without memory.
  static Expected<HostArray> Create(DType type, std::span<const int64_t> dims);

  DType type() const { return type_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t num_elements() const;
  size_t byte_size() const { return byte_size_; }
  // Never null, also for an array without elements.
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  // The elements as T, whose size must be that of the type.
  template <typename T>
  std::span<T> elements() {
    return {reinterpret_cast<T*>(data_.get()), byte_size_ / sizeof(T)};
  }
  template <typename T>
  std::span<const T> elements() const {
    return {reinterpret_cast<const T*>(data_.get()), byte_size_ / sizeof(T)};
  }
  HostView view() const { return {data_.get(), type_, dims_, {}}; }
  MutableHostView mutable_view() { return {data_.get(), type_, dims_, {}}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  HostArray() = default;

  DType type_ = DType::kInvalid;
  std::vector<int64_t> dims_;
  size_t byte_size_ = 0;
  std::unique_ptr<std::byte[], Free> data_;
};

// Copies between two arrays of one type and shape, with any strides that do not overlap in `to`.
// INVALID_ARGUMENT if types, shapes or the number of strides differ.
Status CopyStrided(const HostView& from, const MutableHostView& to);

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_HOST_ARRAY_H_

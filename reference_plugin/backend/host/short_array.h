// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_SHORT_ARRAY_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_SHORT_ARRAY_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace plinth::backend {

// So many default elements of any type, in place if they are at most N: what an execution needs for
// its few arguments and results.
template <typename T, size_t N>
class ShortArray {
 public:
  explicit ShortArray(size_t size)
      : size_(size), data_(size <= N ? reinterpret_cast<T*>(in_place_) : Allocate(size)) {
    std::uninitialized_value_construct_n(data_, size);
  }
  ~ShortArray() {
    std::destroy_n(data_, size_);
    if (size_ > N) std::allocator<T>().deallocate(data_, size_);
  }
  ShortArray(const ShortArray&) = delete;
  ShortArray& operator=(const ShortArray&) = delete;

  size_t size() const { return size_; }
  T& operator[](size_t index) { return data_[index]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }

 private:
  static T* Allocate(size_t size) { return std::allocator<T>().allocate(size); }

  const size_t size_;
  T* const data_;
  alignas(T) std::byte in_place_[N * sizeof(T)];
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_SHORT_ARRAY_H_

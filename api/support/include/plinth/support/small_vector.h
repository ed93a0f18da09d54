// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_SMALL_VECTOR_H_
#define PLINTH_SUPPORT_SMALL_VECTOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace plinth {

// A vector that keeps up to N elements in place, for the many short lists of a compiler
// (dimensions, operands). Elements are trivially copyable, so moving and growing are byte copies.
template <typename T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  explicit SmallVector(size_t size, T value = T()) { resize(size, value); }
  SmallVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  explicit SmallVector(std::span<const T> values) { assign(values.begin(), values.end()); }
  template <typename Iterator>
  requires(!std::is_integral_v<Iterator>) SmallVector(Iterator first, Iterator last) {
    assign(first, last);
  }
  SmallVector(const SmallVector& other) { assign(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { Take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      Release();
      Take(other);
    }
    return *this;
  }
  ~SmallVector() { Release(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t index) { return data_[index]; }
  const T& operator[](size_t index) const { return data_[index]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  operator std::span<const T>() const { return {data_, size_}; }  // NOLINT: a view of this

  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    if (capacity > kMostElements) throw std::length_error("SmallVector");
    capacity = std::min(std::max(capacity, size_t{2} * capacity_), kMostElements);
    T* data = static_cast<T*>(::operator new(capacity * sizeof(T)));
    std::copy(begin(), end(), data);
    Release();
    data_ = data;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void resize(size_t size, T value = T()) {
    reserve(size);
    if (size > size_) std::fill(data_ + size_, data_ + size, value);
    size_ = static_cast<uint32_t>(size);
  }
  void clear() { size_ = 0; }
  void push_back(T value) {
    reserve(size_t{size_} + 1);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    size_t size = static_cast<size_t>(std::distance(first, last));
    size_ = 0;
    reserve(size);
    std::copy(first, last, data_);
    size_ = static_cast<uint32_t>(size);
  }
  void insert(T* position, T value) {
    size_t index = static_cast<size_t>(position - data_);
    push_back(value);
    std::rotate(data_ + index, data_ + size_ - 1, data_ + size_);
  }
  void erase(T* position) {
    std::copy(position + 1, end(), position);
    --size_;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr size_t kMostElements = std::numeric_limits<uint32_t>::max();

  T* Inline() { return reinterpret_cast<T*>(inline_); }
  void Release() {
    if (data_ != Inline()) ::operator delete(data_);
    data_ = Inline();
    capacity_ = N;
  }
  void Take(SmallVector& other) {
    if (other.data_ == other.Inline()) {
      std::copy(other.begin(), other.end(), Inline());
    } else {
      data_ = std::exchange(other.data_, other.Inline());
      capacity_ = std::exchange(other.capacity_, uint32_t{N});
    }
    size_ = std::exchange(other.size_, uint32_t{0});
  }

  alignas(T) std::byte inline_[N * sizeof(T)];
  T* data_ = Inline();
  // Lists are short, and there are many of them.
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
};

}  // namespace plinth

#endif  // PLINTH_SUPPORT_SMALL_VECTOR_H_

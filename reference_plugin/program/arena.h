// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_ARENA_H_
#define REFERENCE_PLUGIN_PROGRAM_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace plinth::program {

// Memory that is released all at once. What is made in it is never destroyed one by one, so only
// trivially destructible types may live here. Not thread-safe.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // Never null; `alignment` is a power of two of at most 64.
  std::byte* Allocate(size_t size, size_t alignment) {
    const uintptr_t at = (next_ + alignment - 1) & ~(static_cast<uintptr_t>(alignment) - 1);
    if (size > limit_ - at || at > limit_) return AllocateSlow(size, alignment);
    next_ = at + size;
    return reinterpret_cast<std::byte*>(at);
  }

  template <typename T>
  T* New(const T& value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T), alignof(T))) T(value);
  }

  template <typename T>
  std::span<T> Copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    T* copy = reinterpret_cast<T*>(Allocate(values.size_bytes(), alignof(T)));
    std::memcpy(copy, values.data(), values.size_bytes());
    return {copy, values.size()};
  }
  template <typename T>
  std::span<T> Copy(const std::vector<T>& values) {
    return Copy(std::span<const T>(values));
  }
  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* copy = reinterpret_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

  // Bytes taken from the heap so far.
  size_t reserved() const { return reserved_; }

 private:
  static constexpr size_t kFirstBlock = 8 * 1024;
  // Small enough that malloc keeps freed blocks for the next program instead of unmapping them.
  static constexpr size_t kLargestBlock = 64 * 1024;

  [[gnu::noinline]] std::byte* AllocateSlow(size_t size, size_t alignment) {
    const size_t wanted = size + alignment;
    const size_t regular = std::clamp(reserved_, kFirstBlock, kLargestBlock);
    const size_t block = std::max(wanted, regular);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
    reserved_ += block;
    const uintptr_t start = reinterpret_cast<uintptr_t>(blocks_.back().get());
    const uintptr_t at = (start + alignment - 1) & ~(static_cast<uintptr_t>(alignment) - 1);
    // A block made for one large object leaves the current block in use.
    if (block == regular || block - wanted > limit_ - next_) {
      next_ = at + size;
      limit_ = start + block;
    }
    return reinterpret_cast<std::byte*>(at);
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  uintptr_t next_ = 0;
  uintptr_t limit_ = 0;
  size_t reserved_ = 0;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_ARENA_H_

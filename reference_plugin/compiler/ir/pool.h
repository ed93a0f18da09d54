// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_POOL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_POOL_H_

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace plinth::compiler {

// Objects that stay where they are until the pool goes. They lie next to one another in the order
// in which they were made, which is that in which passes look at them: a std::deque of things as
// large as ops has a piece of memory for every second one.
template <typename T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (size_t i = 0; i < size_; ++i) At(i)->~T();
  }

  size_t size() const { return size_; }
  T& emplace_back() {
    if (size_ == chunks_.size() * kChunk)
      chunks_.push_back(std::make_unique_for_overwrite<Slot[]>(kChunk));
    T* const made = new (&chunks_.back()[size_ % kChunk]) T();
    ++size_;
    return *made;
  }

 private:
  static constexpr size_t kChunk = 64;
  struct Slot {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  T* At(size_t i) { return std::launder(reinterpret_cast<T*>(&chunks_[i / kChunk][i % kChunk])); }

  std::vector<std::unique_ptr<Slot[]>> chunks_;
  size_t size_ = 0;
};

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_POOL_H_

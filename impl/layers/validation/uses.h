// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_USES_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_USES_H_

#include <array>
#include <atomic>
#include <cstdint>

namespace plinth::layers::validation {

struct Handle;

// What belongs to one thread: the handles that its calls use now, and numbers for them. Its thread
// writes without any lock, so that a use costs next to nothing; who frees a handle looks at all
// threads. A use that ended before whatever told the other thread so is never seen.
class ThreadUses {
 public:
  static constexpr uint32_t kMax = 128;
  static constexpr uint64_t kCallBlock = 64;

  static ThreadUses& OfThisThread() {
    if (this_thread_ != nullptr) [[likely]] {
      return *this_thread_;
    }
    return Begin();
  }

  uint32_t depth() const { return depth_.load(std::memory_order_relaxed); }
  void Push(const Handle* handle, int16_t function) {
    uint32_t depth = this->depth();
    if (depth >= kMax) return;
    uses_[depth].handle.store(handle, std::memory_order_relaxed);
    uses_[depth].function.store(function, std::memory_order_relaxed);
    depth_.store(depth + 1, std::memory_order_release);
  }
  // Calls end in the reverse of the order in which they began.
  void PopTo(uint32_t depth) { depth_.store(depth, std::memory_order_release); }

  // The next number of a call of the layer `layer_id`. Threads take numbers in blocks from
  // `num_calls`, so that they do not wait for each other at every call.
  uint64_t NextCall(uint64_t layer_id, std::atomic<uint64_t>& num_calls) {
    if (layer_id != numbers_of_ || next_call_ == last_call_) [[unlikely]] {
      numbers_of_ = layer_id;
      next_call_ = num_calls.fetch_add(kCallBlock, std::memory_order_relaxed);
      last_call_ = next_call_ + kCallBlock;
    }
    return ++next_call_;
  }

  // How many uses of a handle other threads have now; `function` becomes that of one of them.
  static int CountOthers(const Handle* handle, int16_t* function);

 private:
  static ThreadUses* Take();
  static ThreadUses& Begin();
  static void GiveBack(void* record);  // at the end of its thread
  static thread_local constinit ThreadUses* this_thread_;

  struct Use {
    std::atomic<const Handle*> handle{nullptr};
    std::atomic<int16_t> function{-1};
  };
  std::atomic<uint32_t> depth_{0};
  std::atomic<bool> is_taken_{false};
  ThreadUses* next_ = nullptr;  // of all; never changes once linked
  uint64_t numbers_of_ = 0;
  uint64_t next_call_ = 0;
  uint64_t last_call_ = 0;
  std::array<Use, kMax> uses_;
};

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_USES_H_

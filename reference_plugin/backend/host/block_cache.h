// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_BLOCK_CACHE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_BLOCK_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace plinth::backend {

// Blocks for what every execution makes per device and output: a buffer, a storage. malloc keeps
// seven blocks of a size for each thread; an execution on eight devices goes beyond that at every
// call, to lists that all threads share. Here a thread keeps what it gave back, and frees it when
// it ends. Any thread may give back what another took.
class BlockCache {
 public:
  static constexpr size_t kLargest = 512;  // bytes; larger blocks come from malloc
#ifdef PLINTH_IS_SANITIZED
  static constexpr uint32_t kKept = 0;  // they have to see what is used after it was given back
#else
  // Blocks of each size class: two for each of a hundred outputs. Many more, and a thread that
  // gives back what another one takes would seem to leak for as long as it fills its list.
  static constexpr uint32_t kKept = 200;
#endif

  // Aligned as malloc does it; null if there is no memory.
  static void* Take(size_t size) {
    Lists& lists = OfThread();
    const size_t list = ClassOf(size);
    if (list >= kClasses || lists.first[list] == nullptr) return std::malloc(RoundedSize(size));
    Block* const block = lists.first[list];
    lists.first[list] = block->next;
    --lists.count[list];
    return block;
  }

  // `size` is what was asked for.
  static void Give(void* block, size_t size) noexcept {
    Lists& lists = OfThread();
    const size_t list = ClassOf(size);
    if (list >= kClasses || lists.count[list] >= lists.most) return std::free(block);
    auto* const kept = static_cast<Block*>(block);
    kept->next = lists.first[list];
    lists.first[list] = kept;
    ++lists.count[list];
  }

 private:
  static constexpr size_t kUnit = 64;
  static constexpr size_t kClasses = kLargest / kUnit;
  struct Block {
    Block* next;
  };
  struct Lists {
    constexpr Lists() = default;
    ~Lists() {
      most = 0;  // for what other objects of the thread give back after this one is gone
      for (Block*& list : first) {
        while (list != nullptr) {
          Block* const block = list;
          list = block->next;
          std::free(block);
        }
      }
      count = {};
    }
    std::array<Block*, kClasses> first = {};
    std::array<uint32_t, kClasses> count = {};
    uint32_t most = kKept;
  };

  static size_t ClassOf(size_t size) { return (size - 1) / kUnit; }
  static size_t RoundedSize(size_t size) { return (size + kUnit - 1) / kUnit * kUnit; }
  static Lists& OfThread() {
    thread_local constinit Lists lists;
    return lists;
  }
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_BLOCK_CACHE_H_

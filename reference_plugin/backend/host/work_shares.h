// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_WORK_SHARES_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_WORK_SHARES_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace plinth::backend {

// What is left of a loop over [0, size), in shares of neighbours, one for each thread that may
// come. A thread that has the same share of every loop finds there what it wrote in the last one:
// two cores of an Emerald Rapids Xeon (2 MB of cache each) read and write what lies in their own at
// 70 and 48 GB/s, in the other's at 21 and 18. Who is done with a share takes from others. Any
// thread may call any method.
class WorkShares {
 public:
  struct Range {
    int64_t begin, end;
  };

  // For up to `threads`. Ranges are multiples of `grain` long but the last; there are fewer than
  // 2^31 such pieces.
  WorkShares(int64_t size, int64_t grain, int threads)
      : size_(size),
        grain_(grain),
        pieces_(static_cast<uint32_t>((size + grain - 1) / grain)),
        count_(static_cast<uint32_t>(std::clamp<int64_t>(threads, 1, kMostShares))) {
    for (uint32_t s = 0; s < count_; ++s) {
      left_[s].store(Pack(uint64_t{pieces_} * s / count_, uint64_t{pieces_} * (s + 1) / count_),
                     std::memory_order_relaxed);
    }
  }

  // The share with which the calling thread begins: `wanted`, or, if another began with that, one
  // after it.
  int Claim(int wanted) {
    const uint32_t first = static_cast<uint32_t>(wanted) % count_;
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t share = (first + i) % count_;
      const uint64_t bit = uint64_t{1} << share;
      if ((claimed_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0) {
        return static_cast<int>(share);
      }
    }
    return static_cast<int>(first);
  }

  // The next range for a thread that began with `share`; none if nothing is left. They become
  // shorter, so that threads end together however slow one of them is and however few pieces there
  // are: half of what the own share has left, from its begin, or a quarter of another, from its
  // end.
  std::optional<Range> Take(int share) {
    const auto own = static_cast<uint32_t>(share);
    for (uint32_t i = 0; i < count_; ++i) {
      std::atomic<uint64_t>& left = left_[(own + i) % count_];
      uint64_t seen = left.load(std::memory_order_relaxed);
      for (;;) {
        const uint32_t begin = Begin(seen), end = End(seen);
        if (begin >= end) break;
        const uint32_t pieces = std::max<uint32_t>((end - begin) / (i == 0 ? 2 : 4), 1);
        const bool from_begin = i == 0;
        const uint64_t rest = from_begin ? Pack(begin + pieces, end) : Pack(begin, end - pieces);
        if (!left.compare_exchange_weak(seen, rest, std::memory_order_relaxed)) continue;
        return from_begin ? RangeOf(begin, begin + pieces) : RangeOf(end - pieces, end);
      }
    }
    return std::nullopt;
  }

  bool HasWork() const {
    return std::any_of(left_.begin(), left_.begin() + count_, [](const auto& left) {
      const uint64_t seen = left.load(std::memory_order_relaxed);
      return Begin(seen) < End(seen);
    });
  }

  // What nobody has taken is not to be done.
  void Drop() {
    for (uint32_t s = 0; s < count_; ++s) left_[s].store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr int64_t kMostShares = 64;  // as many as `claimed_` has bits

  static uint64_t Pack(uint64_t begin, uint64_t end) { return end << 32 | begin; }
  static uint32_t Begin(uint64_t left) { return static_cast<uint32_t>(left); }
  static uint32_t End(uint64_t left) { return static_cast<uint32_t>(left >> 32); }
  Range RangeOf(int64_t begin, int64_t end) const {
    return {begin * grain_, std::min(end * grain_, size_)};
  }

  const int64_t size_, grain_;
  const uint32_t pieces_, count_;
  std::atomic<uint64_t> claimed_{0};  // a bit for each share
  std::array<std::atomic<uint64_t>, kMostShares>
      left_{};  // its first piece, and that after its last
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_WORK_SHARES_H_

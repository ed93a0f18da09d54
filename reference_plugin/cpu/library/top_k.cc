// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/order.h"
#include "reference_plugin/cpu/library/order_bits.h"
#include "reference_plugin/cpu/library/work_blocks.h"

namespace plinth::cpu::library {
namespace {

// The `count` largest elements of each row of the last dimension, largest first, the earlier first
// among equals (in total order), and their positions as s32.
class TopKStep final : public backend::PreparedStep {
 public:
  TopKStep(const compiler::plan::PlanStep& step, OrderBitsFunction order_bits)
      : order_bits_(order_bits) {
    const compiler::Type& type = step.operands[0].type;
    element_bytes_ = ByteSize(type.dtype);
    length_ = type.dims.back();
    count_ = step.results[0].type.dims.back();
    num_rows_ = 1;
    for (size_t d = 0; d + 1 < type.dims.size(); ++d) num_rows_ *= type.dims[d];
    capacity_ = std::min(std::max<int64_t>(2 * count_, 64) + 1, length_);
    blocks_ = WorkBlocks(capacity_ * static_cast<int64_t>(sizeof(OrderedIndex)), num_rows_);
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    if (count_ == 0) return Status();
    constexpr int64_t kGrainElements = 16 << 10;
    return blocks_.ForEach(
        context, kGrainElements / length_ + 1,
        [&](int64_t first, int64_t end, int64_t stride, std::byte* block) {
          auto* const kept = reinterpret_cast<OrderedIndex*>(block);
          for (int64_t row = first; row < end; row += stride) {
            FindRow(static_cast<const std::byte*>(operands[0]) + row * length_ * element_bytes_,
                    static_cast<std::byte*>(results[0]) + row * count_ * element_bytes_,
                    static_cast<int32_t*>(results[1]) + row * count_, kept);
          }
        });
  }

  int64_t scratch_bytes() const override { return blocks_.scratch_end(); }

 private:
  // `kept`: room for `capacity_` candidates.
  void FindRow(const std::byte* row, std::byte* values, int32_t* positions,
               OrderedIndex* kept) const {
    // Keys ascend from the largest element on. Blocks are compared with the worst kept so far, so
    // that most elements cost one comparison.
    auto comes_first = [](const OrderedIndex& a, const OrderedIndex& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    };
    constexpr int64_t kBlock = 512;
    uint64_t bits[kBlock];
    int64_t num_kept = 0;
    uint64_t worst = ~uint64_t{0};
    bool is_full = false;
    for (int64_t begin = 0; begin < length_; begin += kBlock) {
      int64_t size = std::min(kBlock, length_ - begin);
      order_bits_(row + begin * element_bytes_, bits, size);
      for (int64_t i = 0; i < size; ++i) {
        // A later element with the worst key loses against the one that is kept.
        if (is_full) i += NumNotBefore(worst, bits + i, size - i);
        if (i == size) break;
        kept[num_kept++] = {bits[i], begin + i};
        if (num_kept < capacity_) continue;
        std::nth_element(kept, kept + count_ - 1, kept + num_kept, comes_first);
        num_kept = count_;
        worst = kept[count_ - 1].key;
        is_full = true;
      }
    }
    std::sort(kept, kept + num_kept, comes_first);
    for (int64_t i = 0; i < count_; ++i) {
      positions[i] = static_cast<int32_t>(kept[i].index);
      std::memcpy(values + i * element_bytes_, row + kept[i].index * element_bytes_,
                  element_bytes_);
    }
  }

  // How many keys in a row do not come before `worst`: mostly all, so several are asked at once.
  static int64_t NumNotBefore(uint64_t worst, const uint64_t* keys, int64_t count) {
    constexpr int64_t kAtOnce = 16;
    int64_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
      bool any = false;
      for (int64_t j = 0; j < kAtOnce; ++j) any |= keys[i + j] < worst;
      if (any) break;
    }
    while (i < count && keys[i] >= worst) ++i;
    return i;
  }

  OrderBitsFunction order_bits_;
  int64_t element_bytes_ = 0, length_ = 0, count_ = 0, num_rows_ = 0;
  int64_t capacity_ = 0;  // of the candidates of a row
  WorkBlocks blocks_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareTopK(const compiler::plan::PlanStep& step,
                                                             const LibraryOptions&) {
  DType type = step.operands[0].type.dtype;
  OrderBitsFunction order_bits = FindOrderBits(type, /*descending=*/true, FloatOrder::kTotal);
  if (order_bits == nullptr) return Unimplemented("elements of type ", Name(type));
  if (step.results[1].type.dtype != DType::kS32) {
    return Unimplemented("positions of type ", Name(step.results[1].type.dtype));
  }
  // Twice as many candidates stay far below 2^62 bytes.
  if (step.results[0].type.dims.back() > int64_t{1} << 55) {
    return ResourceExhausted("the ", step.results[0].type.dims.back(),
                             " largest elements of a row take more memory than any machine has");
  }
  return std::unique_ptr<backend::PreparedStep>(new TopKStep(step, order_bits));
}

}  // namespace plinth::cpu::library

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>

#include "reference_plugin/cpu/library/larger_elements.h"
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
  TopKStep(const compiler::plan::PlanStep& step, OrderBitsFunction order_bits,
           const LargerElements& larger)
      : order_bits_(order_bits), larger_(larger) {
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
  // What the first bound is made of stays in a near cache, where it is read again.
  static constexpr int64_t kNearBytes = 256 << 10;

  // `kept`: room for `capacity_` candidates.
  void FindRow(const std::byte* row, std::byte* values, int32_t* positions,
               OrderedIndex* kept) const {
    // Keys ascend from the largest element on.
    auto comes_first = [](const OrderedIndex& a, const OrderedIndex& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    };
    int64_t num_kept = 0;
    const auto keep = [&](int64_t index) {
      kept[num_kept].index = index;
      order_bits_(row + index * element_bytes_, &kept[num_kept++].key, 1);
    };
    // Elements are compared with a bound, than which enough are larger, so that most of them cost
    // one comparison. It rises to the last of the largest so far when more were kept than there is
    // room for: a later element with the same key loses against the one that is kept.
    const int64_t groups = (2 * count_ + 63) / 64 * 64;
    const std::optional<uint64_t> first =
        larger_.bound(row, std::min(length_, kNearBytes / element_bytes_), count_, groups, kept);
    uint64_t bound = first.value_or(0);
    int64_t next = 0;
    if (!first.has_value()) {
      while (num_kept < capacity_) keep(num_kept);
      next = num_kept;
    }
    for (;; ++next) {
      if (num_kept == capacity_) {
        std::nth_element(kept, kept + count_ - 1, kept + num_kept, comes_first);
        num_kept = count_;
        bound = kept[count_ - 1].key;
      }
      next = larger_.next(row, next, length_, bound);
      if (next == length_) break;
      keep(next);
    }
    std::sort(kept, kept + num_kept, comes_first);
    for (int64_t i = 0; i < count_; ++i) {
      positions[i] = static_cast<int32_t>(kept[i].index);
      std::memcpy(values + i * element_bytes_, row + kept[i].index * element_bytes_,
                  element_bytes_);
    }
  }

  OrderBitsFunction order_bits_;
  LargerElements larger_;
  int64_t element_bytes_ = 0, length_ = 0, count_ = 0, num_rows_ = 0;
  int64_t capacity_ = 0;  // of the candidates of a row
  WorkBlocks blocks_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareTopK(const compiler::plan::PlanStep& step,
                                                             const LibraryOptions&) {
  DType type = step.operands[0].type.dtype;
  OrderBitsFunction order_bits = FindOrderBits(type, /*descending=*/true, FloatOrder::kTotal);
  const LargerElements larger = FindLargerElements(type);
  if (order_bits == nullptr || larger.next == nullptr) {
    return Unimplemented("elements of type ", Name(type));
  }
  if (step.results[1].type.dtype != DType::kS32) {
    return Unimplemented("positions of type ", Name(step.results[1].type.dtype));
  }
  // Twice as many candidates stay far below 2^62 bytes.
  if (step.results[0].type.dims.back() > int64_t{1} << 55) {
    return ResourceExhausted("the ", step.results[0].type.dims.back(),
                             " largest elements of a row take more memory than any machine has");
  }
  return std::unique_ptr<backend::PreparedStep>(new TopKStep(step, order_bits, larger));
}

}  // namespace plinth::cpu::library

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/order.h"
#include "reference_plugin/cpu/library/order_bits.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/radix_sort.h"
#include "reference_plugin/cpu/library/sort_values.h"
#include "reference_plugin/cpu/library/work_blocks.h"

namespace plinth::cpu::library {
namespace {

using compiler::DimensionAttributes;

constexpr int64_t kCompareBatch = 256;
// Moving elements by an order takes 1 to 5 ns each.
constexpr int64_t kMoveGrain = 16 << 10;

// Sorts rows along one dimension. A single operand that is its own key is sorted as it is
// (sort_values.h). Otherwise finds the order from keys, or by the comparator where it has none, and
// moves every operand by it; keys of up to 32 bits are packed with the positions.
class SortStep final : public backend::PreparedStep {
 public:
  static Expected<std::unique_ptr<backend::PreparedStep>> Make(
      const compiler::plan::PlanStep& step) {
    std::unique_ptr<SortStep> prepared(new SortStep());
    PLINTH_RETURN_IF_ERROR(prepared->Prepare(step));
    return std::unique_ptr<backend::PreparedStep>(std::move(prepared));
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    if (num_rows_ == 0 || length_ == 0) return Status();
    std::atomic<bool> failed{false};
    Status failure;  // the first; written by whoever sets `failed`
    auto fail = [&](Status status) {
      if (!failed.exchange(true)) failure = std::move(status);
    };
    constexpr int64_t kGrainElements = 2048;
    if (sort_values_ != nullptr) {
      return blocks_.ForEach(context, kGrainElements / length_ + 1,
                             [&](int64_t first, int64_t end, int64_t stride, std::byte* block) {
                               for (int64_t row = first; row < end; row += stride) {
                                 SortValuesOfRow(operands[0], results[0], row, block, context.pool);
                               }
                             });
    }
    PLINTH_RETURN_IF_ERROR(blocks_.ForEach(
        context, kGrainElements / length_ + 1,
        [&](int64_t first, int64_t end, int64_t stride, std::byte* block) {
          const Workspace work = WorkspaceAt(block);
          for (int64_t row = first; row < end; row += stride) {
            if (Status s = SortRow(operands, results, row, work, context.pool); !s.ok()) {
              fail(std::move(s));
            }
          }
        }));
    return failure;
  }

  int64_t scratch_bytes() const override { return blocks_.scratch_end(); }

 private:
  struct Key {
    PairCombiner compute;  // used unless the key is an operand
    int32_t operand = -1;  // >= 0: the key is that operand itself, in an order that says the rest
    OrderBitsFunction order_bits;
    int64_t bytes;
  };
  // What one row needs while it is sorted; 64-byte aligned parts of one block of memory.
  struct Workspace {
    std::byte *rows, *keys;
    std::span<uint64_t> bits;
    std::span<OrderedIndex> elements, spare;
    std::span<uint64_t> packed, packed_spare;  // the key above, the position below
    std::span<int64_t> order;
  };
  struct Layout {
    int64_t rows = 0, keys = 0, bits = 0, elements = 0, spare = 0, order = 0;  // offsets
  };
  static constexpr int kPositionBits = 32;

  Workspace WorkspaceAt(std::byte* memory) const {
    const bool by_keys = !keys_.empty();
    const auto length = static_cast<size_t>(length_);
    const size_t pairs = is_packed_ ? 0 : length, packed = length - pairs;
    return {.rows = memory + layout_.rows,
            .keys = memory + layout_.keys,
            .bits = {reinterpret_cast<uint64_t*>(memory + layout_.bits), by_keys ? length : 0},
            .elements = {reinterpret_cast<OrderedIndex*>(memory + layout_.elements), pairs},
            .spare = {reinterpret_cast<OrderedIndex*>(memory + layout_.spare), by_keys ? pairs : 0},
            .packed = {reinterpret_cast<uint64_t*>(memory + layout_.elements), packed},
            .packed_spare = {reinterpret_cast<uint64_t*>(memory + layout_.spare), packed},
            .order = {reinterpret_cast<int64_t*>(memory + layout_.order),
                      by_keys ? 0 : static_cast<size_t>(OrderLength(length_))}};
  }

  void LayOutWorkspace() {
    int64_t row_bytes = 0, key_bytes = 0;
    if (sort_values_ != nullptr) {
      blocks_ = WorkBlocks(2 * element_bytes_[0] * length_, num_rows_);
      return;
    }
    for (int64_t bytes : element_bytes_) row_bytes += bytes * length_;
    if (keys_.empty()) {
      for (int64_t bytes : element_bytes_) key_bytes += 2 * bytes * kCompareBatch;
    } else {
      for (const Key& key : keys_) {
        if (key.operand < 0) key_bytes = std::max(key_bytes, key.bytes * length_);
      }
    }
    int64_t size = 0;
    auto place = [&size](int64_t bytes) {
      return std::exchange(size, size + (bytes + 63) / 64 * 64);
    };
    const int64_t element = is_packed_ ? 8 : static_cast<int64_t>(sizeof(OrderedIndex));
    layout_.rows = place(row_bytes);
    layout_.keys = place(key_bytes);
    layout_.elements = place(element * length_);
    if (keys_.empty()) {
      layout_.order = place(8 * OrderLength(length_));
    } else {
      layout_.bits = place(8 * length_);
      layout_.spare = place(element * length_);
    }
    blocks_ = WorkBlocks(size, num_rows_);
  }

  Status Prepare(const compiler::plan::PlanStep& step) {
    PLINTH_RETURN_IF_ERROR(PrepareComparison(step));
    // Every part of the workspace is at most so large; together they stay far below 2^62.
    int64_t largest_part = 0, bytes_of_all = static_cast<int64_t>(sizeof(OrderedIndex));
    for (int64_t bytes : element_bytes_) bytes_of_all += bytes;
    if (__builtin_mul_overflow(bytes_of_all, length_, &largest_part) || largest_part > int64_t{1}
                                                                                           << 58) {
      return ResourceExhausted("sorting rows of ", length_, " elements takes more memory than any ",
                               "machine has");
    }
    LayOutWorkspace();
    return Status();
  }

  Status PrepareComparison(const compiler::plan::PlanStep& step) {
    const auto& attributes = *std::get_if<DimensionAttributes>(step.attributes.get());
    const compiler::Type& type = step.operands[0].type;
    length_ = type.dims[attributes.dimension];
    int64_t outer = 1;
    for (int64_t d = 0; d < type.rank(); ++d) {
      if (d < attributes.dimension) outer *= type.dims[d];
      if (d > attributes.dimension) inner_ *= type.dims[d];
    }
    num_rows_ = outer * inner_;
    std::vector<DType> types, pair_types;
    for (const compiler::plan::ArrayRef& result : step.results) {
      types.push_back(result.type.dtype);
      pair_types.insert(pair_types.end(), 2, result.type.dtype);
      element_bytes_.push_back(ByteSize(result.type.dtype));
    }
    const SmallVector<DType, 4> captured = CapturedTypes(step, types.size());
    const auto keys = compiler::FindSortKeys(step.combiners[0], types.size());
    const bool have_orders =
        keys.has_value() && std::all_of(keys->begin(), keys->end(), [](const auto& key) {
          return FindOrderBits(key.dtype, key.descending, FloatOrder::kTotal) != nullptr;
        });
    if (!have_orders) {
      PLINTH_ASSIGN_OR_RETURN(
          comparator_, PairCombiner::Make(step.combiners[0], pair_types, captured, kCompareBatch));
      return Status();
    }
    for (const compiler::SortKey& source : *keys) {
      Key& key = keys_.emplace_back();
      FloatOrder order = source.total_order ? FloatOrder::kTotal : FloatOrder::kZerosEqual;
      const compiler::Node& node = source.key.nodes[source.key.results[0]];
      const std::optional<int32_t> canonical = compiler::CanonicalFloat(source.key);
      if (node.kind == compiler::NodeKind::kParameter) {
        key.operand = node.index;
      } else if (canonical.has_value() && source.total_order) {
        key.operand = *canonical;
        order = FloatOrder::kCanonical;
      } else {
        PLINTH_ASSIGN_OR_RETURN(key.compute,
                                PairCombiner::Make(source.key, types, captured, length_));
      }
      // A captured value is no key of a row.
      if (key.operand >= static_cast<int32_t>(types.size())) {
        return Unimplemented("a comparator that compares captured values alone");
      }
      key.order_bits = FindOrderBits(source.dtype, source.descending, order);
      key.bytes = ByteSize(source.dtype);
      if (types.size() == 1 && keys->size() == 1 && key.operand == 0) {
        sort_values_ = FindSortValues(source.dtype, order);
        descending_ = source.descending;
      }
    }
    is_packed_ =
        (length_ >> kPositionBits) == 0 &&
        std::all_of(keys_.begin(), keys_.end(), [](const Key& key) { return key.bytes <= 4; });
    return Status();
  }

  void SortValuesOfRow(const void* operand, void* result, int64_t row, std::byte* memory,
                       backend::ThreadPool* pool) const {
    const int64_t first = FirstOf(row) * element_bytes_[0];
    sort_values_({.from = static_cast<const std::byte*>(operand) + first,
                  .to = static_cast<std::byte*>(result) + first,
                  .length = length_,
                  .stride = inner_,
                  .memory = memory,
                  .descending = descending_,
                  .pool = pool});
  }

  // The number of a row's first element.
  int64_t FirstOf(int64_t row) const { return row / inner_ * length_ * inner_ + row % inner_; }

  Status SortRow(std::span<void* const> operands, std::span<void* const> results, int64_t row,
                 const Workspace& work, backend::ThreadPool* pool) const {
    // Rows that are strided are copied first.
    const size_t count = element_bytes_.size();
    SmallVector<void*, 8> rows(count);
    for (void* captured : operands.subspan(count)) rows.push_back(captured);
    std::byte* next = work.rows;
    int64_t first = FirstOf(row);
    for (size_t i = 0; i < count; ++i) {
      int64_t bytes = element_bytes_[i];
      auto* from = static_cast<std::byte*>(operands[i]) + first * bytes;
      rows[i] = inner_ == 1 ? from : next;
      if (inner_ == 1) continue;
      for (int64_t e = 0; e < length_; ++e, next += bytes) {
        std::memcpy(next, from + e * inner_ * bytes, bytes);
      }
    }
    std::span<void* const> all(rows.data(), rows.size());
    if (keys_.empty()) {
      PLINTH_RETURN_IF_ERROR(OrderRowByComparing(all, work));
    } else if (is_packed_) {
      PLINTH_RETURN_IF_ERROR(OrderRowByPackedKeys(all, work, pool));
    } else {
      PLINTH_RETURN_IF_ERROR(OrderRowByKeys(all, work));
    }
    for (size_t i = 0; i < count; ++i) {
      auto* to = static_cast<std::byte*>(results[i]) + first * element_bytes_[i];
      auto* from = static_cast<const std::byte*>(rows[i]);
      if (is_packed_) {
        backend::ParallelFor(pool, length_, kMoveGrain, [&](int64_t begin, int64_t end) {
          MoveElements(to, from, element_bytes_[i], begin, end, [&](int64_t e) {
            return static_cast<int64_t>(static_cast<uint32_t>(work.packed[static_cast<size_t>(e)]));
          });
        });
      } else {
        MoveElements(to, from, element_bytes_[i], 0, length_,
                     [&](int64_t e) { return work.elements[static_cast<size_t>(e)].index; });
      }
    }
    return Status();
  }

  // To the row at `to`, element begin to end, from where position(e) says.
  void MoveElements(std::byte* to, const std::byte* from, int64_t bytes, int64_t begin, int64_t end,
                    const auto& position) const {
    switch (bytes) {
      case 4:
        return Move<4>(to, from, 4, begin, end, position);
      case 8:
        return Move<8>(to, from, 8, begin, end, position);
      default:
        return Move<0>(to, from, bytes, begin, end, position);
    }
  }

  template <int64_t kBytes>
  void Move(std::byte* to, const std::byte* from, int64_t bytes, int64_t begin, int64_t end,
            const auto& position) const {
    const int64_t stride = inner_ * bytes;
    to += begin * stride;
    for (int64_t e = begin; e < end; ++e, to += stride) {
      std::memcpy(to, from + position(e) * bytes, kBytes > 0 ? kBytes : bytes);
    }
  }

  // What a key is made of: an operand, or what is computed from all of them.
  Expected<const void*> ValuesOf(const Key& key, std::span<void* const> rows,
                                 const Workspace& work) const {
    if (key.operand >= 0) return static_cast<const void*>(rows[static_cast<size_t>(key.operand)]);
    void* computed[] = {work.keys};
    PLINTH_RETURN_IF_ERROR(key.compute.Run(rows, computed));
    return static_cast<const void*>(work.keys);
  }

  Status OrderRowByPackedKeys(std::span<void* const> rows, const Workspace& work,
                              backend::ThreadPool* pool) const {
    for (size_t k = keys_.size(); k-- > 0;) {
      const Key& key = keys_[k];
      PLINTH_ASSIGN_OR_RETURN(const void* const values, ValuesOf(key, rows, work));
      const bool is_last = k + 1 == keys_.size();
      backend::ParallelFor(pool, length_, kMoveGrain, [&](int64_t begin, int64_t end) {
        key.order_bits(static_cast<const std::byte*>(values) + begin * key.bytes,
                       work.bits.data() + begin, end - begin);
        if (!is_last) return;
        for (auto e = static_cast<size_t>(begin); e < static_cast<size_t>(end); ++e) {
          work.packed[e] = work.bits[e] << kPositionBits | e;
        }
      });
      for (size_t e = 0; !is_last && e < work.packed.size(); ++e) {
        const auto position = static_cast<uint32_t>(work.packed[e]);
        work.packed[e] = work.bits[position] << kPositionBits | position;
      }
      RadixSort(work.packed, work.packed_spare, kPositionBits,
                kPositionBits + static_cast<int>(8 * key.bytes), pool);
    }
    return Status();
  }

  Status OrderRowByKeys(std::span<void* const> rows, const Workspace& work) const {
    for (int64_t e = 0; e < length_; ++e) work.elements[e].index = e;
    // From the last key to the first: each sort is stable.
    for (size_t k = keys_.size(); k-- > 0;) {
      const Key& key = keys_[k];
      PLINTH_ASSIGN_OR_RETURN(const void* const values, ValuesOf(key, rows, work));
      key.order_bits(values, work.bits.data(), length_);
      for (OrderedIndex& element : work.elements) element.key = work.bits[element.index];
      SortByKey(work.elements, work.spare, static_cast<int>(key.bytes));
    }
    return Status();
  }

  Status OrderRowByComparing(std::span<void* const> rows, const Workspace& work) const {
    const size_t num_operands = element_bytes_.size();
    SmallVector<void*, 8> pairs(2 * num_operands);
    for (void* captured : rows.subspan(num_operands)) pairs.push_back(captured);
    std::byte* next = work.keys;
    for (size_t i = 0; i < 2 * num_operands; ++i) {
      pairs[i] = next;
      next += element_bytes_[i / 2] * kCompareBatch;
    }
    auto compare = [&](const int64_t* left, const int64_t* right, int64_t count,
                       uint8_t* before) -> Status {
      for (size_t i = 0; i < num_operands; ++i) {
        int64_t bytes = element_bytes_[i];
        auto* row = static_cast<const std::byte*>(rows[i]);
        for (int64_t p = 0; p < count; ++p) {
          std::memcpy(static_cast<std::byte*>(pairs[2 * i]) + p * bytes, row + left[p] * bytes,
                      bytes);
          std::memcpy(static_cast<std::byte*>(pairs[2 * i + 1]) + p * bytes, row + right[p] * bytes,
                      bytes);
        }
      }
      uint8_t results[kCompareBatch];
      void* outputs[] = {results};
      PLINTH_RETURN_IF_ERROR(comparator_.Run(std::span(pairs.data(), pairs.size()), outputs));
      std::memcpy(before, results, count);
      return Status();
    };
    PLINTH_RETURN_IF_ERROR(OrderByComparing(length_, compare, work.order));
    for (int64_t e = 0; e < length_; ++e) work.elements[e].index = work.order[e];
    return Status();
  }

  int64_t length_ = 0, inner_ = 1, num_rows_ = 0;
  Layout layout_;
  WorkBlocks blocks_;  // a Workspace each
  SmallVector<int64_t, 4> element_bytes_;
  std::vector<Key> keys_;                     // empty: `comparator_` decides
  bool is_packed_ = false;                    // of all keys
  SortValuesFunction sort_values_ = nullptr;  // instead of all that
  bool descending_ = false;                   // the order of sort_values_
  PairCombiner comparator_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareSort(const compiler::plan::PlanStep& step,
                                                             const LibraryOptions&) {
  return SortStep::Make(step);
}

}  // namespace plinth::cpu::library

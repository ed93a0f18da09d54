// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "reference_plugin/cpu/library/cumulative_rows.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/work_blocks.h"

namespace plinth::cpu::library {
namespace {

using compiler::DimensionAttributes;

// result[i] = combiner(... combiner(initial, operand[0]) ..., operand[i]) along one dimension, from
// either end. k operands, then k scalar initial values; k results.
class CumulativeReduceStep final : public backend::PreparedStep {
 public:
  static Expected<std::unique_ptr<backend::PreparedStep>> Make(
      const compiler::plan::PlanStep& step) {
    std::unique_ptr<CumulativeReduceStep> prepared(new CumulativeReduceStep());
    PLINTH_RETURN_IF_ERROR(prepared->Prepare(step));
    return std::unique_ptr<backend::PreparedStep>(std::move(prepared));
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    if (num_elements_ == 0) return Status();
    constexpr int64_t kGrainElements = 16 << 10;
    int64_t grain = kGrainElements / std::max<int64_t>(length_ * inner_, 1) + 1;
    if (row_ != nullptr && inner_ < kFewLanes) {
      backend::ParallelFor(context.pool, outer_ * inner_, grain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          int64_t offset = (row / inner_) * length_ * inner_ + row % inner_;
          if (reverse_) offset += (length_ - 1) * inner_;
          offset *= element_bytes_[0];
          row_(static_cast<std::byte*>(results[0]) + offset,
               static_cast<const std::byte*>(operands[0]) + offset, operands[1], length_,
               reverse_ ? -inner_ : inner_);
        }
      });
      return Status();
    }
    std::atomic<bool> failed{false};
    PLINTH_RETURN_IF_ERROR(rows_.ForEach(
        context, grain, [&](int64_t first, int64_t end, int64_t stride, std::byte* memory) {
          for (int64_t o = first; o < end; o += stride) {
            if (!CombineRows(operands, results, o, memory).ok()) failed = true;
          }
        }));
    return failed ? Internal("a combiner failed") : Status();
  }

  int64_t scratch_bytes() const override { return rows_.scratch_end(); }

 private:
  // From so many elements side by side on, whole lanes are combined at once.
  static constexpr int64_t kFewLanes = 8;

  Status Prepare(const compiler::plan::PlanStep& step) {
    const auto& attributes = *std::get_if<DimensionAttributes>(step.attributes.get());
    count_ = step.results.size();
    const compiler::Type& type = step.results[0].type;
    reverse_ = attributes.reverse;
    for (int64_t d = 0; d < type.rank(); ++d) {
      (d < attributes.dimension   ? outer_
       : d > attributes.dimension ? inner_
                                  : length_) *= type.dims[d];
    }
    num_elements_ = type.NumElements();
    std::vector<DType> types;
    for (size_t half = 0; half < 2; ++half) {
      for (size_t i = 0; i < count_; ++i) types.push_back(step.results[i].type.dtype);
    }
    for (size_t i = 0; i < count_; ++i) element_bytes_.push_back(ByteSize(types[i]));
    int64_t row_bytes = 0;
    for (int64_t element : element_bytes_) row_bytes += RowBytes(element);
    rows_ = WorkBlocks(row_bytes, outer_);
    if (const auto op = SingleOp(step.combiners[0]); count_ == 1 && op.has_value()) {
      row_ = FindCumulativeRow(*op, types[0]);
    }
    PLINTH_ASSIGN_OR_RETURN(
        combiner_, PairCombiner::Make(step.combiners[0], types, CapturedTypes(step, 2 * count_),
                                      std::max<int64_t>(inner_, 1)));
    return Status();
  }

  Status CombineRows(std::span<void* const> operands, std::span<void* const> results, int64_t outer,
                     std::byte* memory) const {
    SmallVector<void*, 8> parameters(2 * count_), row(count_);
    for (void* captured : operands.subspan(2 * count_)) parameters.push_back(captured);
    for (size_t i = 0; i < count_; ++i) {
      // The first accumulator is the initial value, spread over the row.
      parameters[i] = memory;
      memory += RowBytes(element_bytes_[i]);
      for (int64_t lane = 0; lane < inner_; ++lane) {
        std::memcpy(static_cast<std::byte*>(parameters[i]) + lane * element_bytes_[i],
                    operands[count_ + i], element_bytes_[i]);
      }
    }
    for (int64_t step = 0; step < length_; ++step) {
      int64_t position = reverse_ ? length_ - 1 - step : step;
      for (size_t i = 0; i < count_; ++i) {
        int64_t offset = (outer * length_ + position) * inner_ * element_bytes_[i];
        parameters[count_ + i] = static_cast<std::byte*>(operands[i]) + offset;
        row[i] = static_cast<std::byte*>(results[i]) + offset;
      }
      PLINTH_RETURN_IF_ERROR(combiner_.Run(std::span(parameters.data(), parameters.size()),
                                           std::span(row.data(), row.size())));
      for (size_t i = 0; i < count_; ++i) parameters[i] = row[i];
    }
    return Status();
  }

  int64_t RowBytes(int64_t element) const { return (inner_ * element + 63) / 64 * 64; }

  size_t count_ = 1;
  int64_t outer_ = 1, length_ = 1, inner_ = 1, num_elements_ = 0;
  bool reverse_ = false;
  SmallVector<int64_t, 4> element_bytes_;
  CumulativeRow row_ = nullptr;
  WorkBlocks rows_;  // the initial values, one row per operand
  PairCombiner combiner_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareCumulativeReduce(
    const compiler::plan::PlanStep& step, const LibraryOptions&) {
  return CumulativeReduceStep::Make(step);
}

}  // namespace plinth::cpu::library

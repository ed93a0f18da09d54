// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstring>

#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/max_pool_gradient.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/strided_walk.h"
#include "reference_plugin/cpu/library/work_blocks.h"

namespace plinth::cpu::library {
namespace {

using compiler::Dims;
using compiler::Window;
using compiler::WindowAttributes;

// The result starts as the initial value everywhere; for every source element, one element of its
// window of the operand is selected (the first that later ones do not beat), and the source is
// combined into the result there. Operands: operand, source, initial value. Combiners: select,
// scatter.
//
// `lanes_` elements of the innermost dimension are handled side by side where windows do not move
// along it.
class SelectAndScatterStep final : public backend::PreparedStep {
 public:
  static Expected<std::unique_ptr<backend::PreparedStep>> Make(
      const compiler::plan::PlanStep& step) {
    std::unique_ptr<SelectAndScatterStep> prepared(new SelectAndScatterStep());
    PLINTH_RETURN_IF_ERROR(prepared->Prepare(step));
    return std::unique_ptr<backend::PreparedStep>(std::move(prepared));
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    auto* result = static_cast<std::byte*>(results[0]);
    int64_t num_elements = Product(operand_dims_);
    constexpr int64_t kGrainElements = 16 << 10;
    backend::ParallelFor(context.pool, num_elements, kGrainElements,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             std::memcpy(result + i * element_bytes_, operands[2], element_bytes_);
                           }
                         });
    if (num_groups_ == 0 || num_elements == 0) return Status();
    std::atomic<bool> failed{false};
    int64_t work_per_group = std::max<int64_t>(source_per_group_ * Product(window_.sizes), 1);
    PLINTH_RETURN_IF_ERROR(
        selections_.ForEach(context, kGrainElements / work_per_group + 1,
                            [&](int64_t first, int64_t end, int64_t stride, std::byte* block) {
                              const Selection selection = SelectionAt(block);
                              for (int64_t group = first; group < end; group += stride) {
                                Status status = RunGroup(operands, result, group, selection);
                                if (!status.ok()) failed = true;
                              }
                            }));
    return failed ? Internal("a combiner failed") : Status();
  }

  int64_t scratch_bytes() const override { return selections_.scratch_end(); }

 private:
  static constexpr size_t kNumOperands = 3;  // what comes behind is captured

  // What is selected so far from the windows of one source position, by lane.
  struct Selection {
    int64_t* offsets;     // of the elements in the operand, -1 without one
    std::byte* elements;  // themselves
    uint8_t* keep;        // against the next
  };
  Selection SelectionAt(std::byte* block) const {
    std::byte* const elements = block + lanes_ * static_cast<int64_t>(sizeof(int64_t));
    return {reinterpret_cast<int64_t*>(block), elements,
            reinterpret_cast<uint8_t*>(elements + lanes_ * element_bytes_)};
  }

  // How a window lies along a dimension.
  bool IsFixed(size_t d) const {
    return window_.sizes[d] == 1 && window_.strides[d] == 1 && window_.padding_low[d] == 0 &&
           window_.padding_high[d] == 0;
  }

  Status Prepare(const compiler::plan::PlanStep& step) {
    window_ = std::get_if<WindowAttributes>(step.attributes.get())->window;
    const compiler::Type& operand = step.operands[0].type;
    const compiler::Type& source = step.operands[1].type;
    element_bytes_ = ByteSize(operand.dtype);
    operand_dims_ = operand.dims;
    operand_strides_ = DenseStrides(operand.dims, element_bytes_);
    source_extents_ = source.dims;
    source_strides_ = DenseStrides(source.dims, element_bytes_);
    size_t rank = operand.dims.size();
    if (rank > 0 && IsFixed(rank - 1) && source.dims.back() > 0) {
      lanes_ = source.dims.back();
      source_extents_[rank - 1] = 1;
    }
    // Groups never touch each other's part of the result: leading dimensions that windows do not
    // move along.
    num_groups_ = 1;
    for (size_t d = 0; d + 1 < rank && IsFixed(d); ++d) {
      num_groups_ *= source_extents_[d];
    }
    int64_t all = Product(source_extents_);
    source_per_group_ = num_groups_ == 0 ? 0 : all / num_groups_;
    if (source.NumElements() == 0) num_groups_ = 0;
    int64_t selection_bytes = 0;
    if (__builtin_mul_overflow(lanes_, element_bytes_ + 9, &selection_bytes) ||
        selection_bytes > int64_t{1} << 58) {
      return ResourceExhausted("selecting among ", lanes_, " elements side by side takes more ",
                               "memory than any machine has");
    }
    selections_ = WorkBlocks(selection_bytes, num_groups_);
    DType types[] = {operand.dtype, operand.dtype};
    const SmallVector<DType, 4> captured = CapturedTypes(step, kNumOperands);
    PLINTH_ASSIGN_OR_RETURN(select_,
                            PairCombiner::Make(step.combiners[0], types, captured, lanes_));
    PLINTH_ASSIGN_OR_RETURN(scatter_, PairCombiner::Make(step.combiners[1], types, captured, 1));
    return Status();
  }

  Status RunGroup(std::span<void* const> operands, std::byte* result, int64_t group,
                  const Selection& selection) const {
    auto* operand = static_cast<std::byte*>(operands[0]);
    auto* source = static_cast<std::byte*>(operands[1]);
    SmallVector<void*, 4> parameters(2);
    for (void* captured : operands.subspan(kNumOperands)) parameters.push_back(captured);
    const Dims source_strides[1] = {source_strides_};
    StridedWalk<1> walk(source_extents_, source_strides, group * source_per_group_);
    for (int64_t i = 0; i < source_per_group_; ++i, walk.Next()) {
      PLINTH_RETURN_IF_ERROR(Select(operand, walk, selection, parameters));
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        if (selection.offsets[lane] < 0) continue;  // a window wholly in the padding
        parameters[0] = result + selection.offsets[lane];
        parameters[1] = source + walk.offset(0) + lane * element_bytes_;
        const std::span<void* const> all(parameters.data(), parameters.size());
        PLINTH_RETURN_IF_ERROR(scatter_.Run(all, all.first(1)));
      }
    }
    return Status();
  }

  // Goes through the window of a source position; offsets are -1 where it has no element.
  Status Select(std::byte* operand, const StridedWalk<1>& source, const Selection& selection,
                SmallVector<void*, 4>& parameters) const {
    bool is_first = true;
    size_t rank = operand_dims_.size();
    Dims zero_strides(rank);
    const Dims strides[1] = {zero_strides};
    StridedWalk<1> window(window_.sizes, strides);
    std::fill_n(selection.offsets, lanes_, -1);
    for (int64_t w = Product(window_.sizes); w > 0; --w, window.Next()) {
      int64_t offset = 0;
      bool inside = true;
      for (size_t d = 0; d < rank && inside; ++d) {
        int64_t at =
            source.position(d) * window_.strides[d] + window.position(d) - window_.padding_low[d];
        inside = at >= 0 && at < operand_dims_[d];
        offset += at * operand_strides_[d];
      }
      if (!inside) continue;
      std::byte* candidate = operand + offset;
      if (is_first) {
        std::memcpy(selection.elements, candidate, lanes_ * element_bytes_);
        for (int64_t lane = 0; lane < lanes_; ++lane) {
          selection.offsets[lane] = offset + lane * element_bytes_;
        }
        is_first = false;
        continue;
      }
      parameters[0] = selection.elements;
      parameters[1] = candidate;
      void* results[] = {selection.keep};
      PLINTH_RETURN_IF_ERROR(
          select_.Run(std::span<void* const>(parameters.data(), parameters.size()), results));
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        if (selection.keep[lane]) continue;
        std::memcpy(selection.elements + lane * element_bytes_, candidate + lane * element_bytes_,
                    element_bytes_);
        selection.offsets[lane] = offset + lane * element_bytes_;
      }
    }
    return Status();
  }

  Window window_;
  int64_t element_bytes_ = 0;
  Dims operand_dims_, operand_strides_;
  Dims source_extents_, source_strides_;  // extents without the lanes
  int64_t lanes_ = 1, num_groups_ = 0, source_per_group_ = 0;
  WorkBlocks selections_;  // one per group
  PairCombiner select_, scatter_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareSelectAndScatter(
    const compiler::plan::PlanStep& step, const LibraryOptions&) {
  if (auto gradient = MakeMaxPoolGradient(step)) return gradient;
  return SelectAndScatterStep::Make(step);
}

}  // namespace plinth::cpu::library

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "reference_plugin/backend/host/core_cache.h"
#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/library/index_reader.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/row_updates.h"
#include "reference_plugin/cpu/library/scatter_parts.h"
#include "reference_plugin/cpu/library/scatter_scalars.h"
#include "reference_plugin/cpu/library/strided_walk.h"

namespace plinth::cpu::library {
namespace {

using compiler::Dims;
using compiler::ScatterAttributes;

// For each batch point (a position in the scatter indices), in order, one window of the updates is
// combined into the result, which holds the input. A window that is not wholly inside is dropped.
// Threads share the work by rows of the first scattered dimension, so that every element sees its
// updates in order whatever their number, or by parts of the updates of a small array.
class ScatterStep final : public backend::PreparedStep {
 public:
  static Expected<std::unique_ptr<backend::PreparedStep>> Make(
      const compiler::plan::PlanStep& step) {
    std::unique_ptr<ScatterStep> scatter(new ScatterStep());
    PLINTH_RETURN_IF_ERROR(scatter->Prepare(step));
    return std::unique_ptr<backend::PreparedStep>(std::move(scatter));
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    if (parts_of_updates_.count() > 1) return ScatterParted(operands, results, context);
    // Short of this many bytes, threads would cost more than they give.
    constexpr int64_t kParallelBytes = 256 << 10;
    int64_t bytes = num_windows_ * num_runs_ * run_length_ * arrays_[0].element_bytes;
    bool share = can_split_ && bytes >= kParallelBytes && !stays_near_;
    int64_t rows = share ? starts_[0].maximum + 1 : 1;
    if (rows == 1 || context.pool == nullptr) {
      return ScatterRows(operands, results, 0, INT64_MAX);
    }
    std::vector<Status> problems(context.pool->parallelism() * 4 + 1);
    std::atomic<size_t> next_problem{0};
    context.pool->ParallelFor(rows, std::max<int64_t>(rows / context.pool->parallelism(), 1),
                              [&](int64_t begin, int64_t end) {
                                Status status = ScatterRows(operands, results, begin, end);
                                if (!status.ok()) {
                                  problems[next_problem++ % problems.size()] = status;
                                }
                              });
    for (const Status& problem : problems) PLINTH_RETURN_IF_ERROR(problem);
    return Status();
  }

  int64_t scratch_bytes() const override { return parts_of_updates_.scratch_bytes(); }

 private:
  struct Start {
    int64_t maximum;    // largest start at which the window is inside
    int64_t dimension;  // of the input
  };
  // An input with its updates.
  struct Array {
    int64_t element_bytes;
    Dims batch_update_strides, batch_input_strides;
    Dims window_strides[2];  // in the input and the updates, without the run
    SmallVector<int64_t, 4> start_strides;
  };

  Status Prepare(const compiler::plan::PlanStep& step) {
    const auto& attributes = *std::get_if<ScatterAttributes>(step.attributes.get());
    num_arrays_ = step.results.size();
    const compiler::Type& indices = step.operands[num_arrays_].type;
    const compiler::Type& input = step.operands[0].type;
    const compiler::Type& updates = step.operands[num_arrays_ + 1].type;
    read_index_ = FindIndexReader(indices.dtype);
    if (read_index_ == nullptr) return Unimplemented("indices of type ", Name(indices.dtype));
    Dims index_strides = DenseStrides(indices.dims, ByteSize(indices.dtype));
    int64_t vector_dim = attributes.index_vector_dim;
    index_vector_stride_ = vector_dim < indices.rank() ? index_strides[vector_dim] : 0;
    Dims batch_index_dims, batch_update_dims;
    for (int64_t d = 0; d < indices.rank(); ++d) {
      if (d == vector_dim) continue;
      batch_index_dims.push_back(d);
      batch_extents_.push_back(indices.dims[d]);
      batch_index_strides_.push_back(index_strides[d]);
    }
    auto has = [](const Dims& dims, int64_t d) {
      return std::find(dims.begin(), dims.end(), d) != dims.end();
    };
    for (int64_t d = 0; d < updates.rank(); ++d) {
      if (!has(attributes.update_window_dims, d)) batch_update_dims.push_back(d);
    }
    // The input's dimensions that a window has, and its size in every input dimension.
    Dims window_input_dims;
    Dims window_sizes(input.rank(), 1);
    for (int64_t d = 0; d < input.rank(); ++d) {
      if (has(attributes.inserted_window_dims, d) || has(attributes.input_batching_dims, d)) {
        continue;
      }
      window_sizes[d] = updates.dims[attributes.update_window_dims[window_input_dims.size()]];
      window_input_dims.push_back(d);
      window_extents_.push_back(window_sizes[d]);
    }
    for (int64_t dim : attributes.scatter_dims_to_operand_dims) {
      starts_.push_back({input.dims[dim] - window_sizes[dim], dim});
    }
    can_split_ = !starts_.empty() && window_sizes[starts_[0].dimension] == 1;
    for (size_t i = 0; i < num_arrays_; ++i) {
      AddArray(step.operands[i].type, step.operands[num_arrays_ + 1 + i].type, attributes,
               window_input_dims, batch_update_dims);
    }
    // The innermost dimension is a run where all arrays are contiguous in it.
    bool has_run = !window_extents_.empty();
    for (const Array& array : arrays_) {
      has_run = has_run && array.window_strides[0].back() == array.element_bytes &&
                array.window_strides[1].back() == array.element_bytes;
    }
    if (has_run) {
      run_length_ = window_extents_.back();
      window_extents_.pop_back();
      for (Array& array : arrays_) {
        for (Dims& strides : array.window_strides) strides.pop_back();
      }
    }
    num_runs_ = Product(window_extents_);
    num_windows_ =
        updates.NumElements() == 0 || input.NumElements() == 0 ? 0 : Product(batch_extents_);
    if (num_arrays_ == 1 && num_runs_ == 1 && !starts_.empty()) {
      PrepareUpdates(step.combiners[0], input.dtype, indices.dtype);
      const int64_t bytes = arrays_[0].element_bytes;
      // Zen 5 (1 MB a core, 32 MB for all): 0.7 ns to look at an index; 0.7 ns an update of one
      // element of 8 MB, 1.3 of 16 MB, 4.2 of 32 MB. A run of some lines takes several of these.
      constexpr int64_t kNearCaches = 16, kShortRunBytes = 256;
      const bool has_loop = apply_updates_ != nullptr || combine_runs_ != nullptr;
      stays_near_ = has_loop && run_length_ * bytes < kShortRunBytes &&
                    input.NumElements() * bytes <= kNearCaches * backend::CoreCacheBytes();
      if (has_loop && run_length_ * bytes < kShortRunBytes) {
        PLINTH_ASSIGN_OR_RETURN(
            parts_of_updates_,
            ScatterParts::Make(step.combiners[0], input, num_windows_, run_length_ * bytes));
      }
    }
    std::vector<DType> types;
    for (size_t half = 0; half < 2; ++half) {
      for (size_t i = 0; i < num_arrays_; ++i) types.push_back(step.operands[i].type.dtype);
    }
    PLINTH_ASSIGN_OR_RETURN(
        combiner_, PairCombiner::Make(step.combiners[0], types,
                                      CapturedTypes(step, 2 * num_arrays_ + 1), run_length_));
    return Status();
  }

  void AddArray(const compiler::Type& input, const compiler::Type& updates,
                const ScatterAttributes& attributes, const Dims& window_input_dims,
                const Dims& batch_update_dims) {
    Array& array = arrays_.emplace_back();
    array.element_bytes = ByteSize(input.dtype);
    Dims input_strides = DenseStrides(input.dims, array.element_bytes);
    Dims update_strides = DenseStrides(updates.dims, array.element_bytes);
    for (int64_t d : batch_update_dims) array.batch_update_strides.push_back(update_strides[d]);
    array.batch_input_strides = Dims(batch_extents_.size());
    for (size_t i = 0; i < attributes.input_batching_dims.size(); ++i) {
      int64_t index_dim = attributes.scatter_indices_batching_dims[i];
      int64_t batch = index_dim - (attributes.index_vector_dim < index_dim ? 1 : 0);
      array.batch_input_strides[batch] += input_strides[attributes.input_batching_dims[i]];
    }
    for (size_t w = 0; w < window_input_dims.size(); ++w) {
      array.window_strides[0].push_back(input_strides[window_input_dims[w]]);
      array.window_strides[1].push_back(update_strides[attributes.update_window_dims[w]]);
    }
    for (const Start& start : starts_) {
      array.start_strides.push_back(input_strides[start.dimension]);
    }
  }

  void PrepareUpdates(const compiler::Combiner& combiner, DType type, DType index_type) {
    one_run_ = true;
    if (run_length_ == 1) {
      apply_updates_ = FindScatterScalars(combiner, type, index_type);
    } else {
      const std::optional<compiler::Opcode> opcode = compiler::SingleOp(combiner);
      if (opcode.has_value() && index_type == DType::kS32 && starts_.size() == 1) {
        apply_updates_ = FindRowUpdates(*opcode, type, run_length_);
      }
      combine_runs_ = FindCombineRuns(combiner, type, run_length_);
    }
    for (size_t s = 0; s < starts_.size(); ++s) {
      parts_.push_back({starts_[s].maximum + 1, arrays_[0].start_strides[s]});
    }
    update_extents_ = batch_extents_;
    update_strides_[0] = batch_index_strides_;
    update_strides_[1] = arrays_[0].batch_update_strides;
    update_strides_[2] = arrays_[0].batch_input_strides;
    JoinDimensions(update_extents_, update_strides_);
  }

  // The same as ScatterRows where a window is one run of one array.
  Status ScatterOneRun(std::span<void* const> operands, std::byte* array, int64_t first_row,
                       int64_t end_row, int64_t first_window, int64_t end_window) const {
    auto* const indices = static_cast<const std::byte*>(operands[1]);
    auto* const updates = static_cast<const std::byte*>(operands[2]);
    SmallVector<void*, 8> parameters(2);
    for (void* captured : operands.subspan(3)) parameters.push_back(captured);
    const std::span<void* const> all(parameters.data(), parameters.size());
    Status status;
    const auto combine = [&](std::byte* to, const std::byte* from) {
      parameters[0] = to;
      parameters[1] = const_cast<std::byte*>(from);
      if (Status problem = combiner_.Run(all, all.first(1)); !problem.ok()) status = problem;
    };
    ForEachRow(update_extents_, update_strides_, first_window, end_window,
               [&](const int64_t* offsets, int64_t count, const int64_t* steps) {
                 const ScalarUpdates row{.array = array + offsets[2],
                                         .array_stride = steps[2],
                                         .updates = updates + offsets[1],
                                         .update_stride = steps[1],
                                         .indices = indices + offsets[0],
                                         .index_stride = steps[0],
                                         .part_stride = index_vector_stride_,
                                         .parts = parts_,
                                         .count = count,
                                         .first = first_row,
                                         .end = end_row};
                 if (apply_updates_ != nullptr) {
                   apply_updates_(row);
                 } else if (combine_runs_ != nullptr) {
                   combine_runs_(row, read_index_, run_length_);
                 } else {
                   ForEachUpdate(row, read_index_, combine);
                 }
               });
    return status;
  }

  // Threads share the work by parts of the updates.
  Status ScatterParted(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const {
    auto* const array = static_cast<std::byte*>(results[0]);
    std::byte* const scratch = context.scratch.data();
    parts_of_updates_.Begin(array, scratch);
    const int64_t count = parts_of_updates_.count();
    backend::ParallelFor(context.pool, count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        // Parts are for the loops that cannot fail.
        static_cast<void>(ScatterOneRun(operands, parts_of_updates_.Copy(part, array, scratch), 0,
                                        INT64_MAX, part * num_windows_ / count,
                                        (part + 1) * num_windows_ / count));
      }
    });
    return parts_of_updates_.Join(array, scratch);
  }

  // Applies the updates whose first start index is in [first_row, end_row).
  Status ScatterRows(std::span<void* const> operands, std::span<void* const> results,
                     int64_t first_row, int64_t end_row) const {
    if (one_run_) {
      return ScatterOneRun(operands, static_cast<std::byte*>(results[0]), first_row, end_row, 0,
                           num_windows_);
    }
    auto* indices = static_cast<const std::byte*>(operands[num_arrays_]);
    SmallVector<int64_t, 4> start(starts_.size());
    SmallVector<void*, 8> parameters(2 * num_arrays_);
    for (void* captured : operands.subspan(2 * num_arrays_ + 1)) parameters.push_back(captured);
    const Dims index_strides[1] = {batch_index_strides_};
    StridedWalk<1> batch(batch_extents_, index_strides);
    for (int64_t window = 0; window < num_windows_; ++window, batch.Next()) {
      const std::byte* index = indices + batch.offset(0);
      bool inside = true;
      for (size_t s = 0; s < starts_.size(); ++s, index += index_vector_stride_) {
        start[s] = read_index_(index);
        inside &= start[s] >= 0 && start[s] <= starts_[s].maximum;
      }
      if (!inside) continue;
      if (!starts_.empty() && (start[0] < first_row || start[0] >= end_row)) continue;
      for (int64_t run = 0; run < num_runs_; ++run) {
        for (size_t a = 0; a < num_arrays_; ++a) {
          const Array& array = arrays_[a];
          int64_t to = 0, from = 0;
          for (size_t b = 0; b < batch_extents_.size(); ++b) {
            to += batch.position(b) * array.batch_input_strides[b];
            from += batch.position(b) * array.batch_update_strides[b];
          }
          for (size_t s = 0; s < starts_.size(); ++s) to += start[s] * array.start_strides[s];
          for (int64_t rest = run, d = static_cast<int64_t>(window_extents_.size()) - 1; d >= 0;
               --d) {
            int64_t position = rest % window_extents_[d];
            rest /= window_extents_[d];
            to += position * array.window_strides[0][d];
            from += position * array.window_strides[1][d];
          }
          parameters[a] = static_cast<std::byte*>(results[a]) + to;
          parameters[num_arrays_ + a] =
              static_cast<std::byte*>(operands[num_arrays_ + 1 + a]) + from;
        }
        std::span<void* const> all(parameters.data(), parameters.size());
        PLINTH_RETURN_IF_ERROR(combiner_.Run(all, all.first(num_arrays_)));
      }
    }
    return Status();
  }

  size_t num_arrays_ = 0;
  IndexReader read_index_ = nullptr;
  int64_t index_vector_stride_ = 0;
  Dims batch_extents_, batch_index_strides_;
  SmallVector<Start, 4> starts_;
  Dims window_extents_;  // without the run
  std::vector<Array> arrays_;
  int64_t run_length_ = 1, num_runs_ = 0, num_windows_ = 0;
  bool can_split_ = false;
  PairCombiner combiner_;
  // Each thread walks all indices. To look at one takes as long as to update an element that is in
  // a cache, so threads give something only where elements come from farther away.
  bool stays_near_ = false;
  // Where every update is one run of one array: the loops for it, null if there is none.
  bool one_run_ = false;
  ScatterScalars apply_updates_ = nullptr;  // preferred
  CombineRuns combine_runs_ = nullptr;
  std::vector<IndexPart> parts_;
  ScatterParts parts_of_updates_;
  Dims update_extents_;
  Dims update_strides_[3];  // of the batch in indices, updates and input
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareScatter(
    const compiler::plan::PlanStep& step, const LibraryOptions&) {
  return ScatterStep::Make(step);
}

}  // namespace plinth::cpu::library

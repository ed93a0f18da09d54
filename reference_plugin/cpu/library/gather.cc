// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "reference_plugin/backend/host/core_cache.h"
#include "reference_plugin/cpu/library/index_reader.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/strided_walk.h"

namespace plinth::cpu::library {
namespace {

using compiler::Dims;
using compiler::GatherAttributes;

// For each batch point (a position in the start indices) one slice of the operand is copied into
// the result. Slices are moved in runs of bytes that are contiguous in both.
class GatherStep final : public backend::PreparedStep {
 public:
  GatherStep(const compiler::plan::PlanStep& step, IndexReader read_index)
      : read_index_(read_index) {
    const auto& attributes = *std::get_if<GatherAttributes>(step.attributes.get());
    const compiler::Type& operand = step.operands[0].type;
    const compiler::Type& indices = step.operands[1].type;
    const compiler::Type& result = step.results[0].type;
    int64_t element_bytes = ByteSize(operand.dtype);
    Dims operand_strides = DenseStrides(operand.dims, element_bytes);
    Dims result_strides = DenseStrides(result.dims, element_bytes);
    Dims index_strides = DenseStrides(indices.dims, ByteSize(indices.dtype));

    int64_t index_rank = indices.rank();
    int64_t vector_dim = attributes.index_vector_dim;
    index_vector_stride_ = vector_dim < index_rank ? index_strides[vector_dim] : 0;

    // Batch dimensions of the result are those that are no offset dimensions, in order; they
    // correspond to the dimensions of the indices without the index vector's.
    Dims batch_result_dims;
    for (int64_t d = 0; d < result.rank(); ++d) {
      if (std::find(attributes.offset_dims.begin(), attributes.offset_dims.end(), d) ==
          attributes.offset_dims.end()) {
        batch_result_dims.push_back(d);
      }
    }
    Dims batch_index_dims;
    for (int64_t d = 0; d < index_rank; ++d) {
      if (d != vector_dim) batch_index_dims.push_back(d);
    }
    Dims batch_operand_strides(batch_index_dims.size());
    for (size_t b = 0; b < batch_index_dims.size(); ++b) {
      batch_extents_.push_back(indices.dims[batch_index_dims[b]]);
      batch_strides_[0].push_back(index_strides[batch_index_dims[b]]);
      batch_strides_[1].push_back(result_strides[batch_result_dims[b]]);
    }
    batch_strides_[2] = Dims(batch_extents_.size());
    for (size_t i = 0; i < attributes.operand_batching_dims.size(); ++i) {
      int64_t index_dim = attributes.start_indices_batching_dims[i];
      int64_t batch = index_dim - (vector_dim < index_dim ? 1 : 0);
      batch_strides_[2][batch] += operand_strides[attributes.operand_batching_dims[i]];
    }
    for (size_t i = 0; i < attributes.start_index_map.size(); ++i) {
      int64_t dim = attributes.start_index_map[i];
      starts_.push_back({operand.dims[dim] - attributes.slice_sizes[dim], operand_strides[dim]});
    }

    // The slice's dimensions that the result has.
    size_t offset = 0;
    for (int64_t d = 0; d < operand.rank(); ++d) {
      auto has = [d](const Dims& dims) {
        return std::find(dims.begin(), dims.end(), d) != dims.end();
      };
      if (has(attributes.collapsed_slice_dims) || has(attributes.operand_batching_dims)) continue;
      slice_extents_.push_back(attributes.slice_sizes[d]);
      slice_strides_[0].push_back(operand_strides[d]);
      slice_strides_[1].push_back(result_strides[attributes.offset_dims[offset++]]);
    }
    run_bytes_ = element_bytes;
    while (!slice_extents_.empty() && slice_strides_[0].back() == run_bytes_ &&
           slice_strides_[1].back() == run_bytes_) {
      run_bytes_ *= slice_extents_.back();
      slice_extents_.pop_back();
      slice_strides_[0].pop_back();
      slice_strides_[1].pop_back();
    }
    num_runs_ = Product(slice_extents_);
    num_slices_ = result.NumElements() == 0 ? 0 : Product(batch_extents_);
    is_near_ = operand.SizeInBytes() <= backend::CoreCacheBytes();
    JoinDimensions(batch_extents_, batch_strides_);
    if (num_runs_ == 1 && !starts_.empty()) {
      if (ElementLoop loop = FindGatherShortRuns(run_bytes_, indices.dtype)) copy_runs_ = loop;
    }
    if (num_runs_ > 1 && num_slices_ > 1) ChooseBlocks();
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    auto* operand = static_cast<const std::byte*>(operands[0]);
    auto* indices = static_cast<const std::byte*>(operands[1]);
    auto* result = static_cast<std::byte*>(results[0]);
    constexpr int64_t kGrainBytes = 64 << 10;
    if (copy_block_ != nullptr) {
      const int64_t blocks = (num_slices_ + kBlockSlices - 1) / kBlockSlices;
      const int64_t run_bytes = std::max<int64_t>(run_bytes_, 16);
      backend::ParallelFor(
          context.pool, blocks * num_runs_,
          kGrainBytes / (run_bytes * std::min(num_slices_, kBlockSlices)) + 1,
          [&](int64_t begin, int64_t end) { CopyBlocks(operand, indices, result, begin, end); });
      return Status();
    }
    int64_t slice_bytes = std::max<int64_t>(run_bytes_ * num_runs_, 16);
    backend::ParallelFor(
        context.pool, num_slices_, kGrainBytes / slice_bytes + 1, [&](int64_t begin, int64_t end) {
          if (num_runs_ != 1) return CopySlices(operand, indices, result, begin, end);
          ForEachRow(batch_extents_, batch_strides_, begin, end,
                     [&](const int64_t* offsets, int64_t count, const int64_t* steps) {
                       (this->*copy_runs_)(operand + offsets[2], indices + offsets[0],
                                           result + offsets[1], count, steps);
                     });
        });
    return Status();
  }

 private:
  struct Start {
    int64_t maximum;  // to which the index is clamped
    int64_t byte_stride;
  };

  // Slices whose runs lie between each other in the result (columns of a matrix) are copied run by
  // run, each of a block of slices: the result is written in its order.
  static constexpr int64_t kBlockSlices = 256;

  void ChooseBlocks() {
    for (size_t d = 0; d < batch_extents_.size(); ++d) {
      if (batch_strides_[1][d] * batch_extents_[d] > slice_strides_[1].back()) return;
    }
    switch (run_bytes_) {
      case 1:
        copy_block_ = CopyBlock<1>;
        break;
      case 2:
        copy_block_ = CopyBlock<2>;
        break;
      case 4:
        copy_block_ = CopyBlock<4>;
        break;
      case 8:
        copy_block_ = CopyBlock<8>;
        break;
      default:
        copy_block_ = CopyBlock<0>;
    }
  }

  // result + i * step = what lies at operand + offsets[i], for `count` runs of kBytes, or of
  // `bytes` where that is 0.
  template <int64_t kBytes>
  static void CopyBlock(const std::byte* operand, const int64_t* offsets, std::byte* result,
                        int64_t step, int64_t count, int64_t bytes) {
    int64_t i = 0;
    if constexpr (kBytes > 0) {
      // All loads of a group come before its stores, so that none waits for another's.
      constexpr int64_t kGroup = 8;
      for (; step == kBytes && i + kGroup <= count; i += kGroup) {
        std::byte group[kGroup * kBytes];
        for (int64_t j = 0; j < kGroup; ++j) {
          std::memcpy(group + j * kBytes, operand + offsets[i + j], kBytes);
        }
        std::memcpy(result + i * kBytes, group, sizeof(group));
      }
    }
    for (; i < count; ++i) {
      std::memcpy(result + i * step, operand + offsets[i],
                  static_cast<size_t>(kBytes > 0 ? kBytes : bytes));
    }
  }

  // Runs of blocks: unit u is run u % num_runs_ of the slices of block u / num_runs_.
  void CopyBlocks(const std::byte* operand, const std::byte* indices, std::byte* result,
                  int64_t begin, int64_t end) const {
    int64_t from[kBlockSlices];
    while (begin < end) {
      const int64_t first = begin / num_runs_ * kBlockSlices, first_run = begin % num_runs_;
      const int64_t runs = std::min(end - begin, num_runs_ - first_run);
      const auto copy_row = [&](const int64_t* offsets, int64_t count, const int64_t* steps) {
        for (int64_t i = 0; i < count; ++i) {
          from[i] = offsets[2] + i * steps[2] + StartOffset(indices + offsets[0] + i * steps[0]);
        }
        StridedWalk<2> walk(slice_extents_, slice_strides_, first_run);
        for (int64_t run = 0; run < runs; ++run, walk.Next()) {
          copy_block_(operand + walk.offset(0), from, result + offsets[1] + walk.offset(1),
                      steps[1], count, run_bytes_);
        }
      };
      ForEachRow(batch_extents_, batch_strides_, first, std::min(first + kBlockSlices, num_slices_),
                 copy_row);
      begin += runs;
    }
  }

  // Where the slice begins that an index names, in bytes.
  int64_t StartOffset(const std::byte* index) const {
    int64_t offset = 0;
    for (const Start& start : starts_) {
      offset += std::clamp<int64_t>(read_index_(index), 0, start.maximum) * start.byte_stride;
      index += index_vector_stride_;
    }
    return offset;
  }

  void CopySlices(const std::byte* operand, const std::byte* indices, std::byte* result,
                  int64_t begin, int64_t end) const {
    StridedWalk<3> batch(batch_extents_, batch_strides_, begin);
    for (int64_t slice = begin; slice < end; ++slice, batch.Next()) {
      const std::byte* from = operand + batch.offset(2) + StartOffset(indices + batch.offset(0));
      std::byte* to = result + batch.offset(1);
      StridedWalk<2> walk(slice_extents_, slice_strides_);
      for (int64_t run = 0; run < num_runs_; ++run, walk.Next()) {
        std::memcpy(to + walk.offset(1), from + walk.offset(0), run_bytes_);
      }
    }
  }

  // The same of slices that are one run, for a row of the batch: `steps` are those of indices,
  // result and operand. The processor cannot foresee where the next run begins: asking for it early
  // takes 286 to 200 us for 8 MB of runs of 1 KB that do not begin at a cache line (Zen 5). So is
  // what is written, and each line as one is copied, lest they wait for each other. Two cores of an
  // Emerald Rapids Xeon, such runs that do begin at one: 402 us without, 297 with it, 310 where
  // what is written is asked for as early as what is read, 4 KB.
  void CopyRuns(const std::byte* operand, const std::byte* indices, std::byte* result,
                int64_t count, const int64_t* steps) const {
    constexpr int64_t kAheadBytes = 4096, kMostAhead = 16, kLine = 64;
    const int64_t ahead = std::clamp<int64_t>(kAheadBytes / run_bytes_, 1, kMostAhead);
    const int64_t asked = std::min(run_bytes_, kAheadBytes);
    const int64_t index_step = steps[0], operand_step = steps[2];
    const auto run_at = [&](int64_t i) {
      return operand + i * operand_step + StartOffset(indices + i * index_step);
    };
    for (int64_t i = 0; i < count; ++i) {
      const int64_t later = std::min(i + ahead, count - 1);
      const std::byte* const from = run_at(i);
      const std::byte* const next_from = run_at(later);
      std::byte* const to = result + i * steps[1];
      std::byte* const next_to = result + std::min(i + (ahead + 1) / 2, count - 1) * steps[1];
      int64_t at = 0;
      const auto ask = [&] {
        __builtin_prefetch(next_from + at);
        __builtin_prefetch(next_to + at, 1);
      };
      for (; at + kLine <= asked; at += kLine) {
        ask();
        std::memcpy(to + at, from + at, kLine);
      }
      if (at == run_bytes_) continue;
      ask();
      std::memcpy(to + at, from + at, static_cast<size_t>(run_bytes_ - at));
    }
  }

  // The same of runs of `kBytes`, or, if kOverlaps, of more than that and at most twice as many:
  // two copies that may overlap. A load that waits for memory holds up what comes after it, one
  // that only asks does not: where the operand is not near, runs are asked for ahead. 100,000 runs
  // of 32 bytes, one thread of a Zen 3: of 32 MB 790 us not asked for, 570 asked for; of 320 KB 160
  // and 180.
  template <int64_t kBytes, bool kOverlaps, typename Index>
  void GatherShortRuns(const std::byte* operand, const std::byte* indices, std::byte* result,
                       int64_t count, const int64_t* steps) const {
    constexpr int64_t kAhead = 16;
    const Start first = starts_[0];
    const int64_t index_step = steps[0], result_step = steps[1], operand_step = steps[2];
    const int64_t second = kOverlaps ? run_bytes_ - kBytes : 0;
    const auto offset_of = [](const std::byte* index, const Start start) {
      return std::clamp<int64_t>(ReadIndexAs<Index>(index), 0, start.maximum) * start.byte_stride;
    };
    const auto copy_from = [&](const std::byte* from) {
      std::memcpy(result, from, kBytes);
      if constexpr (kOverlaps) std::memcpy(result + second, from + second, kBytes);
      indices += index_step;
      result += result_step;
      operand += operand_step;
    };
    int64_t i = 0;
    if (starts_.size() == 1) {
      // Apart, as hardly any gather has more: the loop below looks at each run for others.
      if (!is_near_) {
        for (; i + kAhead < count; ++i) {
          __builtin_prefetch(operand + kAhead * operand_step +
                             offset_of(indices + kAhead * index_step, first));
          copy_from(operand + offset_of(indices, first));
        }
      }
      for (; i < count; ++i) copy_from(operand + offset_of(indices, first));
      return;
    }
    for (; i < count; ++i) {
      int64_t offset = offset_of(indices, first);
      for (size_t s = 1; s < starts_.size(); ++s) {
        offset += offset_of(indices + static_cast<int64_t>(s) * index_vector_stride_, starts_[s]);
      }
      copy_from(operand + offset);
    }
  }

  using BlockLoop = void (*)(const std::byte*, const int64_t*, std::byte*, int64_t, int64_t,
                             int64_t);
  // CopyRuns or GatherShortRuns.
  using ElementLoop = void (GatherStep::*)(const std::byte*, const std::byte*, std::byte*, int64_t,
                                           const int64_t*) const;

  // Null for other sizes and types.
  static ElementLoop FindGatherShortRuns(int64_t bytes, DType index_type) {
    switch (index_type) {
      case DType::kS32:
        return FindGatherShortRunsOf<int32_t>(bytes);
      case DType::kU32:
        return FindGatherShortRunsOf<uint32_t>(bytes);
      case DType::kS64:
        return FindGatherShortRunsOf<int64_t>(bytes);
      default:
        return nullptr;
    }
  }

  template <typename Index>
  static ElementLoop FindGatherShortRunsOf(int64_t bytes) {
    switch (bytes) {
      case 1:
        return &GatherStep::GatherShortRuns<1, false, Index>;
      case 2:
        return &GatherStep::GatherShortRuns<2, false, Index>;
      case 4:
        return &GatherStep::GatherShortRuns<4, false, Index>;
      case 8:
        return &GatherStep::GatherShortRuns<8, false, Index>;
      case 16:
        return &GatherStep::GatherShortRuns<16, false, Index>;
      case 32:
        return &GatherStep::GatherShortRuns<32, false, Index>;
      default:
        if (bytes <= 4 || bytes > 64) return nullptr;
        return bytes <= 8    ? &GatherStep::GatherShortRuns<4, true, Index>
               : bytes <= 16 ? &GatherStep::GatherShortRuns<8, true, Index>
               : bytes <= 32 ? &GatherStep::GatherShortRuns<16, true, Index>
                             : &GatherStep::GatherShortRuns<32, true, Index>;
    }
  }

  IndexReader read_index_;
  int64_t index_vector_stride_ = 0;
  Dims batch_extents_;
  Dims batch_strides_[3];  // in the indices, the result and (batching dimensions) the operand
  SmallVector<Start, 4> starts_;
  Dims slice_extents_;
  Dims slice_strides_[2];  // in the operand and the result, without the run
  int64_t run_bytes_ = 0, num_runs_ = 0, num_slices_ = 0;
  bool is_near_ = false;                           // the operand, in a cache of the core
  BlockLoop copy_block_ = nullptr;                 // where runs lie between those of other slices
  ElementLoop copy_runs_ = &GatherStep::CopyRuns;  // where a slice is one run
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareGather(const compiler::plan::PlanStep& step,
                                                               const LibraryOptions&) {
  IndexReader read_index = FindIndexReader(step.operands[1].type.dtype);
  if (read_index == nullptr) {
    return Unimplemented("indices of type ", Name(step.operands[1].type.dtype));
  }
  return std::unique_ptr<backend::PreparedStep>(new GatherStep(step, read_index));
}

}  // namespace plinth::cpu::library

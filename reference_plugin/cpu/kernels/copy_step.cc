// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/copy_step.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "reference_plugin/cpu/kernels/addresses.h"
#include "reference_plugin/cpu/kernels/domain.h"
#include "reference_plugin/cpu/kernels/past_cache.h"
#include "reference_plugin/cpu/math/copy_rows.h"
#include "reference_plugin/cpu/math/transpose.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;

// A share of the work that is worth handing to another thread.
constexpr int64_t kGrainBytes = 256 << 10;
// Rows shorter than this are the business of tiles.
constexpr int64_t kShortestRowBytes = 64;
static_assert(kShortestRowBytes >= math::kCopyRowBytes);
// Up to this, a call of memcpy for each row takes longer than a loop over rows: of 256 bytes, 16 at
// once, 4 MB, two threads of a Zen 3, 103 us and 80.
constexpr int64_t kLongestShortRow = 1024;
// A transpose goes in square pieces of rows of so many bytes: some lines side by side of what is
// read and of what is written.
constexpr int64_t kPieceEdgeBytes = 256;

// One loop over pieces; offsets are in bytes.
struct Loop {
  int64_t count = 0;
  int64_t source_step = 0, result_step = 0;
};

class CopyStep : public backend::PreparedStep {
 public:
  CopyStep(std::shared_ptr<const Kernel> kernel, Domain domain, int64_t array_bytes)
      : kernel_(std::move(kernel)),
        domain_(std::move(domain)),
        is_past_cache_(HasOutputPastCache(*kernel_, domain_, array_bytes)) {}

  // False where tiles serve as well.
  bool Plan(int32_t input, int32_t output, int64_t bytes) {
    source_form_ = static_cast<size_t>(input);
    result_form_ = kernel_->shape.inputs.size() + static_cast<size_t>(output);
    const Dims& from = domain_.forms[source_form_].coefficients;
    const Dims& to = domain_.forms[result_form_].coefficients;
    const size_t rank = domain_.extents.size();
    if (domain_.parallel_points == 0) return true;
    if (rank == 0) {
      piece_bytes_ = last_piece_bytes_ = bytes;
      loops_.push_back({1, 0, 0});
      return true;
    }
    const size_t last = rank - 1;
    if (to[last] != bytes) return false;
    size_t inner = last;  // dimensions [0, inner) are loops of their own
    if (from[last] == bytes) {
      return PlanRows(bytes);
    }
    if (from[last] == 0) return false;  // repeats each element
    // The dimension along which the source is dense.
    for (size_t d = 0; d < last; ++d) {
      if (from[d] == bytes) inner = d;
    }
    if (inner == last || domain_.extents[inner] < 4 || domain_.extents[last] < 4) return false;
    transpose_ = math::FindTranspose(static_cast<size_t>(bytes));
    if (transpose_ == nullptr) return false;
    edge_ = kPieceEdgeBytes / bytes;
    rows_ = domain_.extents[inner];
    columns_ = domain_.extents[last];
    source_column_stride_ = from[last];
    result_row_stride_ = to[inner];
    for (size_t d = 0; d < last; ++d) {
      if (d != inner) loops_.push_back({domain_.extents[d], from[d], to[d]});
    }
    loops_.push_back({(rows_ + edge_ - 1) / edge_, edge_ * bytes, edge_ * to[inner]});
    loops_.push_back({(columns_ + edge_ - 1) / edge_, edge_ * from[last], edge_ * bytes});
    piece_bytes_ = kPieceEdgeBytes * edge_;
    CountPieces();
    return true;
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    if (domain_.parallel_points == 0) return Status();
    SmallVector<int64_t, 8> start(domain_.forms.size());
    PLINTH_RETURN_IF_ERROR(FindAddresses(*kernel_, domain_, operands, results, start.data()));
    const int64_t source = start[source_form_], result = start[result_form_];
    const int64_t grain = std::max<int64_t>(1, kGrainBytes / piece_bytes_);
    const bool past_cache = is_past_cache_ && !WritesInPlace(operands, results);
    const CopyFunction copy = past_cache ? CopyPastCache : CopyThroughCache;
    std::atomic<bool> stopped = false;
    backend::ParallelFor(context.pool, pieces_, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
          stopped = true;
          return;
        }
        const int64_t next = std::min(end, begin + grain);
        CopyPieces(copy, source, result, begin, next);
        begin = next;
      }
      if (past_cache) StoreFence();
    });
    if (stopped) {
      return Status(StatusCode::kCancelled,
                    StrCat("kernel \"", kernel_->name, "\" was stopped before its end"));
    }
    return Status();
  }

 private:
  using CopyFunction = void (*)(void* to, const void* from, size_t bytes);

  bool PlanRows(int64_t bytes) {
    const Dims& from = domain_.forms[source_form_].coefficients;
    const Dims& to = domain_.forms[result_form_].coefficients;
    const size_t last = domain_.extents.size() - 1;
    const int64_t row_bytes = domain_.extents[last] * bytes;
    if (row_bytes < kShortestRowBytes && last > 0) return false;
    for (size_t d = 0; d < last; ++d) loops_.push_back({domain_.extents[d], from[d], to[d]});
    piece_bytes_ = last_piece_bytes_ = std::min(row_bytes, kGrainBytes);
    if (row_bytes > piece_bytes_ || loops_.empty()) {
      loops_.push_back({(row_bytes + piece_bytes_ - 1) / piece_bytes_, piece_bytes_, piece_bytes_});
      if (row_bytes % piece_bytes_ != 0) last_piece_bytes_ = row_bytes % piece_bytes_;
    } else {
      TakeNeighbours(row_bytes);
      if (row_bytes <= kLongestShortRow) copy_rows_ = math::FindCopyRows();
    }
    CountPieces();
    return true;
  }

  // Rows that are neighbours in the source are copied a few at once where the result has them
  // apart: what is read then continues past the end of a row, and the line at which two rows meet
  // is read once (arrays need not begin at a line). Rows of 256 bytes, 4 MB, two threads of a Zen
  // 3: 109 us one after the other in the result, 109 by four, 103 by 16.
  void TakeNeighbours(int64_t row_bytes) {
    constexpr int64_t kMostNeighbours = 16, kLongRowBytes = 4096;
    if (row_bytes >= kLongRowBytes) return;
    for (size_t l = 0; l + 1 < loops_.size(); ++l) {
      Loop& loop = loops_[l];
      if (loop.source_step != row_bytes) continue;
      int64_t neighbours = std::min(kMostNeighbours, loop.count);
      while (loop.count % neighbours != 0) --neighbours;
      if (neighbours < 4) continue;
      const Loop few{neighbours, loop.source_step, loop.result_step};
      loop = {loop.count / neighbours, neighbours * loop.source_step,
              neighbours * loop.result_step};
      loops_.push_back(few);
      return;
    }
  }

  void CountPieces() {
    for (const Loop& loop : loops_) pieces_ *= loop.count;
  }

  void CopyPieces(CopyFunction copy, int64_t source, int64_t result, int64_t begin,
                  int64_t end) const {
    SmallVector<int64_t, 8> positions(loops_.size());
    int64_t rest = begin;
    for (size_t l = loops_.size(); l-- > 0;) {
      positions[l] = rest % loops_[l].count;
      rest /= loops_[l].count;
      source += positions[l] * loops_[l].source_step;
      result += positions[l] * loops_[l].result_step;
    }
    const size_t last = loops_.size() - 1;
    for (int64_t piece = begin; piece < end;) {
      const int64_t count = std::min(end - piece, loops_[last].count - positions[last]);
      CopyRun(copy, source, result, count, positions);
      piece += count;
      // The run as one step of the innermost loop, and then the loops around it.
      int64_t steps = count;
      for (size_t l = last + 1; l-- > 0; steps = 1) {
        source += steps * loops_[l].source_step;
        result += steps * loops_[l].result_step;
        if ((positions[l] += steps) < loops_[l].count) break;
        source -= loops_[l].count * loops_[l].source_step;
        result -= loops_[l].count * loops_[l].result_step;
        positions[l] = 0;
      }
    }
  }

  // `count` pieces along the innermost loop.
  void CopyRun(CopyFunction copy, int64_t source, int64_t result, int64_t count,
               const SmallVector<int64_t, 8>& positions) const {
    const size_t last = loops_.size() - 1;
    const Loop loop = loops_[last];
    if (copy_rows_ != nullptr && copy == CopyThroughCache) {
      copy_rows_(AddressOf(source), loop.source_step, AddressOf(result), loop.result_step,
                 static_cast<size_t>(piece_bytes_), static_cast<size_t>(count));
      return;
    }
    if (transpose_ == nullptr) {
      const auto bytes = static_cast<size_t>(piece_bytes_);
      const bool ends = positions[last] + count == loop.count;
      for (int64_t i = 0; i + (ends ? 1 : 0) < count; ++i) {
        copy(AddressOf(result), AddressOf(source), bytes);
        source += loop.source_step;
        result += loop.result_step;
      }
      if (ends) {
        copy(AddressOf(result), AddressOf(source), static_cast<size_t>(last_piece_bytes_));
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      transpose_(AddressOf(source), source_column_stride_, AddressOf(result), result_row_stride_,
                 static_cast<size_t>(std::min(edge_, rows_ - positions[last - 1] * edge_)),
                 static_cast<size_t>(std::min(edge_, columns_ - (positions[last] + i) * edge_)));
      source += loop.source_step;
      result += loop.result_step;
    }
  }

  std::shared_ptr<const Kernel> kernel_;
  Domain domain_;
  const bool is_past_cache_;
  size_t source_form_ = 0, result_form_ = 0;
  std::vector<Loop> loops_;  // over pieces, outermost first; at least one
  int64_t pieces_ = 1;
  int64_t piece_bytes_ = 1, last_piece_bytes_ = 1;
  math::CopyRowsFunction copy_rows_ = nullptr;  // of short rows
  // Transposes: a piece is edge_ x edge_ elements.
  math::TransposeFunction transpose_ = nullptr;
  int64_t edge_ = 1;
  int64_t rows_ = 0, columns_ = 0;
  int64_t source_column_stride_ = 0, result_row_stride_ = 0;
};

}  // namespace

std::unique_ptr<backend::PreparedStep> MakeCopyStep(const std::shared_ptr<const Kernel>& kernel,
                                                    int64_t array_bytes) {
  if (kernel->body.phases.size() != 1) return nullptr;
  const Phase& phase = kernel->body.phases[0];
  if (phase.stores.size() != 1 || !phase.reductions.empty() ||
      kernel->shape.num_parallel != static_cast<int64_t>(kernel->shape.extents.size())) {
    return nullptr;
  }
  const Node& node = phase.nodes[static_cast<size_t>(phase.stores[0].node)];
  if (node.kind != NodeKind::kInput ||
      !kernel->shape.inputs[static_cast<size_t>(node.index)].bounds.empty()) {
    return nullptr;
  }
  Domain domain = SimplifyDomain(*kernel, false);
  auto step = std::make_unique<CopyStep>(kernel, std::move(domain), array_bytes);
  if (!step->Plan(node.index, phase.stores[0].output, ByteSize(node.dtype))) return nullptr;
  return step;
}

}  // namespace plinth::cpu::kernels

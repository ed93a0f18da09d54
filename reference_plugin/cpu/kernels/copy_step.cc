// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/copy_step.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "reference_plugin/cpu/kernels/addresses.h"
#include "reference_plugin/cpu/kernels/domain.h"
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
  CopyStep(std::shared_ptr<const Kernel> kernel, Domain domain)
      : kernel_(std::move(kernel)), domain_(std::move(domain)) {}

  // False where tiles serve as well.
  bool Plan(int32_t input, int32_t output, int64_t bytes) {
    source_form_ = static_cast<size_t>(input);
    result_form_ = kernel_->shape.inputs.size() + static_cast<size_t>(output);
    const Dims& from = domain_.forms[source_form_].coefficients;
    const Dims& to = domain_.forms[result_form_].coefficients;
    const size_t rank = domain_.extents.size();
    if (domain_.parallel_points == 0) return true;
    if (rank == 0) {
      piece_bytes_ = bytes;
      return true;
    }
    const size_t last = rank - 1;
    if (to[last] != bytes) return false;
    size_t inner = last;  // dimensions [0, inner) are loops of their own
    if (from[last] == bytes) {
      return PlanRows(bytes);
    }
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
    std::atomic<bool> stopped = false;
    backend::ParallelFor(context.pool, pieces_, grain, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
          stopped = true;
          return;
        }
        const int64_t next = std::min(end, begin + grain);
        CopyPieces(source, result, begin, next);
        begin = next;
      }
    });
    if (stopped) {
      return Status(StatusCode::kCancelled,
                    StrCat("kernel \"", kernel_->name, "\" was stopped before its end"));
    }
    return Status();
  }

 private:
  bool PlanRows(int64_t bytes) {
    const Dims& from = domain_.forms[source_form_].coefficients;
    const Dims& to = domain_.forms[result_form_].coefficients;
    const size_t last = domain_.extents.size() - 1;
    const int64_t row_bytes = domain_.extents[last] * bytes;
    if (row_bytes < kShortestRowBytes && last > 0) return false;
    for (size_t d = 0; d < last; ++d) loops_.push_back({domain_.extents[d], from[d], to[d]});
    piece_bytes_ = std::min(row_bytes, kGrainBytes);
    last_piece_bytes_ = row_bytes % piece_bytes_;
    loops_.push_back({(row_bytes + piece_bytes_ - 1) / piece_bytes_, piece_bytes_, piece_bytes_});
    if (last_piece_bytes_ == 0) last_piece_bytes_ = piece_bytes_;
    CountPieces();
    return true;
  }

  void CountPieces() {
    for (const Loop& loop : loops_) pieces_ *= loop.count;
  }

  void CopyPieces(int64_t source, int64_t result, int64_t begin, int64_t end) const {
    SmallVector<int64_t, 8> positions(loops_.size());
    int64_t rest = begin;
    for (size_t l = loops_.size(); l-- > 0;) {
      positions[l] = rest % loops_[l].count;
      rest /= loops_[l].count;
      source += positions[l] * loops_[l].source_step;
      result += positions[l] * loops_[l].result_step;
    }
    for (int64_t piece = begin; piece < end; ++piece) {
      CopyPiece(source, result, positions);
      for (size_t l = loops_.size(); l-- > 0;) {
        source += loops_[l].source_step;
        result += loops_[l].result_step;
        if (++positions[l] < loops_[l].count) break;
        source -= loops_[l].count * loops_[l].source_step;
        result -= loops_[l].count * loops_[l].result_step;
        positions[l] = 0;
      }
    }
  }

  void CopyPiece(int64_t source, int64_t result, const SmallVector<int64_t, 8>& positions) const {
    if (transpose_ == nullptr) {
      const bool last = !loops_.empty() && positions.back() + 1 == loops_.back().count;
      std::memcpy(AddressOf(result), AddressOf(source),
                  static_cast<size_t>(last ? last_piece_bytes_ : piece_bytes_));
      return;
    }
    const size_t l = loops_.size();
    transpose_(AddressOf(source), source_column_stride_, AddressOf(result), result_row_stride_,
               static_cast<size_t>(std::min(edge_, rows_ - positions[l - 2] * edge_)),
               static_cast<size_t>(std::min(edge_, columns_ - positions[l - 1] * edge_)));
  }

  std::shared_ptr<const Kernel> kernel_;
  Domain domain_;
  size_t source_form_ = 0, result_form_ = 0;
  std::vector<Loop> loops_;  // over pieces, outermost first
  int64_t pieces_ = 1;
  int64_t piece_bytes_ = 1, last_piece_bytes_ = 1;
  // Transposes: a piece is edge_ x edge_ elements.
  math::TransposeFunction transpose_ = nullptr;
  int64_t edge_ = 1;
  int64_t rows_ = 0, columns_ = 0;
  int64_t source_column_stride_ = 0, result_row_stride_ = 0;
};

}  // namespace

std::unique_ptr<backend::PreparedStep> MakeCopyStep(const std::shared_ptr<const Kernel>& kernel) {
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
  auto step = std::make_unique<CopyStep>(kernel, std::move(domain));
  if (!step->Plan(node.index, phase.stores[0].output, ByteSize(node.dtype))) return nullptr;
  return step;
}

}  // namespace plinth::cpu::kernels

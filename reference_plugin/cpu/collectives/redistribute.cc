// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/cpu/collectives/block_rows.h"
#include "reference_plugin/cpu/collectives/collective.h"

namespace plinth::cpu::collectives {
namespace {

using backend::LaneGroups;
using backend::RunContext;
using compiler::CollectiveAttributes;
using compiler::Dims;
using compiler::Redistribution;
using compiler::Type;

// A block that goes from an operand of one rank to the result of another.
struct Block {
  size_t array = 0, source = 0, target = 0;
  int64_t from_offset = 0, to_offset = 0;
  BlockRows rows;
  int64_t end = 0;  // pieces of this block and those before
};

class RedistributeStep final : public backend::CollectiveStep {
 public:
  RedistributeStep(LaneGroups groups, std::vector<Block> blocks, std::vector<size_t> filled,
                   const Type& result)
      : CollectiveStep(std::move(groups)),
        blocks_(std::move(blocks)),
        filled_(std::move(filled)),
        result_bytes_(result.SizeInBytes()),
        element_bytes_(ByteSize(result.dtype)) {}

  Status Meet(int32_t group, std::span<const Participant> members,
              const RunContext& context) const override {
    if (group < 0) return Internal("a lane is in no group of a redistribution");
    backend::ParallelFor(context.pool, std::ssize(filled_), Grain(result_bytes_),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             Fill(members[filled_[static_cast<size_t>(i)]]);
                           }
                         });
    if (blocks_.empty()) return Status();
    int64_t bytes = 1;
    for (const Block& block : blocks_) bytes = std::max(bytes, block.rows.piece_bytes());
    backend::ParallelFor(context.pool, blocks_.back().end, Grain(bytes),
                         [&](int64_t begin, int64_t end) { CopyPieces(members, begin, end); });
    return Status();
  }

 private:
  static int64_t Grain(int64_t bytes) {
    return std::max<int64_t>(kGrain / std::max<int64_t>(bytes, 1), 1);
  }

  void Fill(const Participant& member) const {
    if (result_bytes_ == 0) return;
    std::byte* const to = Bytes(member.results[0]);
    std::memcpy(to, member.operands.back(), static_cast<size_t>(element_bytes_));
    for (int64_t done = element_bytes_; done < result_bytes_; done *= 2) {
      std::memcpy(to + done, to, static_cast<size_t>(std::min(done, result_bytes_ - done)));
    }
  }

  void CopyPieces(std::span<const Participant> members, int64_t begin, int64_t end) const {
    auto block = std::upper_bound(blocks_.begin(), blocks_.end(), begin,
                                  [](int64_t piece, const Block& b) { return piece < b.end; });
    for (int64_t piece = begin; piece < end; ++block) {
      const int64_t first = block->end - block->rows.num_pieces();
      const std::byte* const from =
          Bytes(members[block->source].operands[block->array]) + block->from_offset;
      std::byte* const to = Bytes(members[block->target].results[0]) + block->to_offset;
      for (; piece < std::min(end, block->end); ++piece) {
        block->rows.CopyPiece(piece - first, from, to);
      }
    }
  }

  const std::vector<Block> blocks_;
  const std::vector<size_t> filled_;  // ranks whose windows have places without an array
  const int64_t result_bytes_, element_bytes_;
};

class Planner {
 public:
  Planner(const compiler::plan::PlanStep& step, const Redistribution& how, size_t ranks)
      : step_(step), how_(how), ranks_(ranks), result_(step.results[0].type) {}

  void Plan() {
    for (size_t target = 0; target < ranks_; ++target) {
      covered_ = 0;
      for (size_t array = 0; array < how_.sources.size(); ++array) PlanSource(array, target);
      if (covered_ < result_.NumElements()) filled.push_back(target);
    }
  }

  std::vector<Block> blocks;
  std::vector<size_t> filled;

 private:
  std::span<const int64_t> StartsOf(const std::vector<int64_t>& starts, size_t rank) const {
    return std::span(starts).subspan(rank * result_.dims.size(), result_.dims.size());
  }

  // Of devices that have the same part, one sends it: the target itself if it has it.
  void PlanSource(size_t array, size_t target) {
    std::vector<std::span<const int64_t>> sent;
    for (size_t i = 0; i < ranks_; ++i) {
      const size_t source = (target + i) % ranks_;
      const auto starts = StartsOf(how_.sources[array].starts, source);
      const auto is_same = [&](auto other) { return std::ranges::equal(starts, other); };
      if (!Intersects(array, starts, target) || std::ranges::any_of(sent, is_same)) continue;
      sent.push_back(starts);
      PlanBlock(array, source, target);
    }
  }

  // The block's first element in the whole and its extents are `begin_` and `extents_`.
  bool Intersects(size_t array, std::span<const int64_t> starts, size_t target) {
    const Redistribution::Source& source = how_.sources[array];
    const Dims& part = step_.operands[array].type.dims;
    const auto window = StartsOf(how_.windows, target);
    begin_.clear();
    extents_.clear();
    for (size_t d = 0; d < part.size(); ++d) {
      const int64_t begin = std::max({starts[d], window[d], source.low[d]});
      const int64_t end =
          std::min({starts[d] + part[d], window[d] + result_.dims[d], source.high[d]});
      if (begin >= end) return false;
      begin_.push_back(begin);
      extents_.push_back(end - begin);
    }
    return true;
  }

  void PlanBlock(size_t array, size_t source, size_t target) {
    const Type& from = step_.operands[array].type;
    const Dims from_strides = compiler::DenseStrides(from.dims, ByteSize(from.dtype));
    const Dims to_strides = compiler::DenseStrides(result_.dims, ByteSize(from.dtype));
    Block block;
    block.array = array;
    block.source = source;
    block.target = target;
    int64_t elements = 1;
    for (size_t d = 0; d < extents_.size(); ++d) {
      block.from_offset +=
          (begin_[d] - StartsOf(how_.sources[array].starts, source)[d]) * from_strides[d];
      block.to_offset += (begin_[d] - StartsOf(how_.windows, target)[d]) * to_strides[d];
      elements *= extents_[d];
    }
    size_t row = extents_.empty() ? 0 : extents_.size() - 1;
    while (row > 0 && extents_[row] == from.dims[row] && extents_[row] == result_.dims[row]) --row;
    block.rows = BlockRows(extents_, from, result_, row);
    block.end = (blocks.empty() ? 0 : blocks.back().end) + block.rows.num_pieces();
    covered_ += elements;
    blocks.push_back(std::move(block));
  }

  const compiler::plan::PlanStep& step_;
  const Redistribution& how_;
  const size_t ranks_;
  const Type& result_;
  int64_t covered_ = 0;
  Dims begin_, extents_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareRedistribute(
    const compiler::plan::PlanStep& step, LaneGroups groups) {
  const auto& collective = *std::get_if<CollectiveAttributes>(step.attributes.get());
  const size_t ranks = collective.groups.empty() ? 0 : collective.groups[0].size();
  Planner planner(step, collective.redistribution, ranks);
  planner.Plan();
  return std::unique_ptr<backend::PreparedStep>(
      new RedistributeStep(std::move(groups), std::move(planner.blocks), std::move(planner.filled),
                           step.results[0].type));
}

}  // namespace plinth::cpu::collectives

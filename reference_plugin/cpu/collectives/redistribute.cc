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

// A block that goes from an operand of one rank to a result of another.
struct Block {
  size_t array = 0, result = 0, source = 0, target = 0;
  int64_t from_offset = 0, to_offset = 0;
  BlockRows rows;
  int64_t end = 0;  // pieces of this block and those before
};

// A result that has places without an array.
struct Filled {
  size_t result = 0, target = 0;
  int64_t bytes = 0;
};

class RedistributeStep final : public backend::CollectiveStep {
 public:
  RedistributeStep(LaneGroups groups, std::vector<Block> blocks, std::vector<Filled> filled,
                   int64_t element_bytes)
      : CollectiveStep(std::move(groups)),
        blocks_(std::move(blocks)),
        filled_(std::move(filled)),
        element_bytes_(element_bytes) {
    for (const Filled& filled_result : filled_) {
      most_filled_ = std::max(most_filled_, filled_result.bytes);
    }
  }

  Status Meet(int32_t group, std::span<const Participant> members,
              const RunContext& context) const override {
    if (group < 0) return Internal("a lane is in no group of a redistribution");
    backend::ParallelFor(context.pool, std::ssize(filled_), Grain(most_filled_),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             Fill(members, filled_[static_cast<size_t>(i)]);
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

  void Fill(std::span<const Participant> members, const Filled& filled) const {
    const Participant& member = members[filled.target];
    std::byte* const to = Bytes(member.results[filled.result]);
    std::memcpy(to, member.operands.back(), static_cast<size_t>(element_bytes_));
    for (int64_t done = element_bytes_; done < filled.bytes; done *= 2) {
      std::memcpy(to + done, to, static_cast<size_t>(std::min(done, filled.bytes - done)));
    }
  }

  void CopyPieces(std::span<const Participant> members, int64_t begin, int64_t end) const {
    auto block = std::upper_bound(blocks_.begin(), blocks_.end(), begin,
                                  [](int64_t piece, const Block& b) { return piece < b.end; });
    for (int64_t piece = begin; piece < end; ++block) {
      const int64_t first = block->end - block->rows.num_pieces();
      const std::byte* const from =
          Bytes(members[block->source].operands[block->array]) + block->from_offset;
      std::byte* const to = Bytes(members[block->target].results[block->result]) + block->to_offset;
      for (; piece < std::min(end, block->end); ++piece) {
        block->rows.CopyPiece(piece - first, from, to);
      }
    }
  }

  const std::vector<Block> blocks_;
  const std::vector<Filled> filled_;
  const int64_t element_bytes_;
  int64_t most_filled_ = 0;
};

struct Plan {
  std::vector<Block> blocks;
  std::vector<Filled> filled;
};

// Adds to a plan what one result needs, of the arrays that stand at `first` and after it.
class Planner {
 public:
  Planner(const compiler::plan::PlanStep& step, const Redistribution& how, size_t ranks,
          size_t which, size_t first, Plan& plan)
      : step_(step),
        how_(how),
        ranks_(ranks),
        which_(which),
        first_(first),
        result_(step.results[which].type),
        plan_(plan) {}

  void Add() {
    for (size_t target = 0; target < ranks_; ++target) {
      covered_ = 0;
      for (size_t array = 0; array < how_.sources.size(); ++array) PlanSource(array, target);
      if (covered_ < result_.NumElements()) {
        plan_.filled.push_back({which_, target, result_.SizeInBytes()});
      }
    }
  }

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
    const Dims& part = step_.operands[first_ + array].type.dims;
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
    const Type& from = step_.operands[first_ + array].type;
    const Dims from_strides = compiler::DenseStrides(from.dims, ByteSize(from.dtype));
    const Dims to_strides = compiler::DenseStrides(result_.dims, ByteSize(from.dtype));
    Block block;
    block.array = first_ + array;
    block.result = which_;
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
    block.end = (plan_.blocks.empty() ? 0 : plan_.blocks.back().end) + block.rows.num_pieces();
    covered_ += elements;
    plan_.blocks.push_back(std::move(block));
  }

  const compiler::plan::PlanStep& step_;
  const Redistribution& how_;
  const size_t ranks_, which_, first_;
  const Type& result_;
  Plan& plan_;
  int64_t covered_ = 0;
  Dims begin_, extents_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareRedistribute(
    const compiler::plan::PlanStep& step, LaneGroups groups) {
  const auto& collective = *std::get_if<CollectiveAttributes>(step.attributes.get());
  const size_t ranks = collective.groups.empty() ? 0 : collective.groups[0].size();
  Plan plan;
  size_t first = 0;
  for (size_t i = 0; i < collective.redistributions.size(); ++i) {
    const Redistribution& how = collective.redistributions[i];
    Planner(step, how, ranks, i, first, plan).Add();
    first += how.sources.size();
  }
  return std::unique_ptr<backend::PreparedStep>(
      new RedistributeStep(std::move(groups), std::move(plan.blocks), std::move(plan.filled),
                           ByteSize(step.results[0].type.dtype)));
}

}  // namespace plinth::cpu::collectives

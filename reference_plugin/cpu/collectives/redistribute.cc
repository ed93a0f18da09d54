// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <numeric>
#include <ranges>
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

// Where the parts of an array begin, each once, and which ranks have it.
class Parts {
 public:
  // `starts`: of each rank, one per dimension.
  Parts(std::span<const int64_t> starts, size_t num_dims, size_t ranks)
      : starts_(starts), num_dims_(num_dims), order_(ranks) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      return std::ranges::lexicographical_compare(Of(a), Of(b));
    });
    for (size_t i = 0; i < ranks; ++i) {
      if (i == 0 || !std::ranges::equal(Of(order_[i - 1]), Of(order_[i]))) begins_.push_back(i);
    }
    begins_.push_back(ranks);
  }

  // Calls visit(ranks), which are in order, for each part that begins within (after, before) in
  // every dimension.
  template <typename Visit>
  void Within(std::span<const int64_t> after, std::span<const int64_t> before,
              const Visit& visit) const {
    Within(0, begins_.size() - 1, 0, after, before, visit);
  }

 private:
  std::span<const int64_t> Of(size_t rank) const {
    return starts_.subspan(rank * num_dims_, num_dims_);
  }
  int64_t Start(size_t part, size_t d) const { return Of(order_[begins_[part]])[d]; }

  // Of parts [first, end), which begin at the same places in the dimensions before `d`.
  template <typename Visit>
  void Within(size_t first, size_t end, size_t d, std::span<const int64_t> after,
              std::span<const int64_t> before, const Visit& visit) const {
    if (d == num_dims_) {
      for (; first < end; ++first) {
        visit(std::span(order_).subspan(begins_[first], begins_[first + 1] - begins_[first]));
      }
      return;
    }
    const auto from = [&](size_t begin, int64_t start) {
      const auto parts = std::views::iota(begin, end);
      return *std::ranges::lower_bound(parts, start, {}, [&](size_t p) { return Start(p, d); });
    };
    for (first = from(first, after[d] + 1); first < end && Start(first, d) < before[d];) {
      const size_t next = from(first, Start(first, d) + 1);
      Within(first, next, d + 1, after, before, visit);
      first = next;
    }
  }

  const std::span<const int64_t> starts_;
  const size_t num_dims_;
  std::vector<size_t> order_;   // ranks by the parts that they have
  std::vector<size_t> begins_;  // of each part in order_, and the end
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
        to_strides_(compiler::DenseStrides(result_.dims, ByteSize(result_.dtype))),
        plan_(plan) {
    for (const Redistribution::Source& source : how.sources) {
      const Type& from = step.operands[first + parts_.size()].type;
      parts_.emplace_back(source.starts, result_.dims.size(), ranks);
      from_strides_.push_back(compiler::DenseStrides(from.dims, ByteSize(from.dtype)));
    }
  }

  void Add() {
    for (size_t target = 0; target < ranks_; ++target) {
      int64_t covered = 0;
      for (size_t array = 0; array < parts_.size(); ++array) {
        covered += PlanSource(array, target);
      }
      if (covered < result_.NumElements()) {
        plan_.filled.push_back({which_, target, result_.SizeInBytes()});
      }
    }
  }

 private:
  std::span<const int64_t> StartsOf(const std::vector<int64_t>& starts, size_t rank) const {
    return std::span(starts).subspan(rank * result_.dims.size(), result_.dims.size());
  }

  // What the target gets of an array: the number of elements.
  int64_t PlanSource(size_t array, size_t target) {
    const Redistribution::Source& source = how_.sources[array];
    const Dims& part = step_.operands[first_ + array].type.dims;
    const auto window = StartsOf(how_.windows, target);
    Dims after, before;
    for (size_t d = 0; d < part.size(); ++d) {
      const int64_t begin = std::max(window[d], source.low[d]);
      const int64_t end = std::min(window[d] + result_.dims[d], source.high[d]);
      if (begin >= end || part[d] == 0) return 0;
      after.push_back(begin - part[d]);
      before.push_back(end);
    }
    int64_t elements = 0;
    // Of ranks that have the same part, one sends it: the target itself if it has it.
    parts_[array].Within(after, before, [&](std::span<const size_t> ranks) {
      const auto next = std::ranges::lower_bound(ranks, target);
      elements += PlanBlock(array, next == ranks.end() ? ranks.front() : *next, target);
    });
    return elements;
  }

  int64_t PlanBlock(size_t array, size_t source, size_t target) {
    const Dims& part = step_.operands[first_ + array].type.dims;
    const auto starts = StartsOf(how_.sources[array].starts, source);
    const auto window = StartsOf(how_.windows, target);
    const Dims& from_strides = from_strides_[array];
    Block block;
    block.array = first_ + array;
    block.result = which_;
    block.source = source;
    block.target = target;
    Dims extents;
    int64_t elements = 1;
    for (size_t d = 0; d < part.size(); ++d) {
      const int64_t begin = std::max({starts[d], window[d], how_.sources[array].low[d]});
      const int64_t end =
          std::min({starts[d] + part[d], window[d] + result_.dims[d], how_.sources[array].high[d]});
      block.from_offset += (begin - starts[d]) * from_strides[d];
      block.to_offset += (begin - window[d]) * to_strides_[d];
      extents.push_back(end - begin);
      elements *= end - begin;
    }
    size_t row = extents.empty() ? 0 : extents.size() - 1;
    while (row > 0 && extents[row] == part[row] && extents[row] == result_.dims[row]) --row;
    block.rows = BlockRows(extents, from_strides, to_strides_, ByteSize(result_.dtype), row);
    block.end = (plan_.blocks.empty() ? 0 : plan_.blocks.back().end) + block.rows.num_pieces();
    plan_.blocks.push_back(std::move(block));
    return elements;
  }

  const compiler::plan::PlanStep& step_;
  const Redistribution& how_;
  const size_t ranks_, which_, first_;
  const Type& result_;
  const Dims to_strides_;
  Plan& plan_;
  std::vector<Parts> parts_;  // of each array
  std::vector<Dims> from_strides_;
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

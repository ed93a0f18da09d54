// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/cpu/collectives/block_rows.h"
#include "reference_plugin/cpu/collectives/collective.h"

namespace plinth::cpu::collectives {
namespace {

using backend::LaneGroupsRef;
using backend::RunContext;
using compiler::CollectiveAttributes;
using compiler::Dims;
using compiler::Opcode;
using compiler::Type;

// How the block from one rank to another lies: the source's is `from_stride` bytes further for each
// rank of the target, the target's `to_stride` for each rank of the source.
struct Exchange {
  BlockRows rows;
  int64_t from_stride = 0, to_stride = 0;
};

// all_gather, all_to_all: every rank sends a block to every rank.
class AllToAllStep final : public backend::CollectiveStep {
 public:
  AllToAllStep(LaneGroupsRef groups, std::vector<Exchange> exchanges, bool gathers)
      : CollectiveStep(std::move(groups)), exchanges_(std::move(exchanges)), gathers_(gathers) {}

  bool GivesAllTheSame() const override { return gathers_; }

  Status Meet(int32_t, std::span<const Participant> members,
              const RunContext& context) const override {
    const auto size = static_cast<int64_t>(members.size());
    for (size_t a = 0; a < exchanges_.size(); ++a) {
      const Exchange& exchange = exchanges_[a];
      const int64_t pieces = exchange.rows.num_pieces();
      const std::span<const Participant> targets = Targets(members, a);
      // What is read lies in the cache for all its targets.
      const int64_t bytes =
          std::max<int64_t>(exchange.rows.piece_bytes() * static_cast<int64_t>(targets.size()), 1);
      backend::ParallelFor(context.pool, pieces * size, std::max<int64_t>(kGrain / bytes, 1),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t i = begin; i < end; ++i) {
                               const int64_t source = i / pieces;
                               const auto rank = static_cast<size_t>(source);
                               Send(exchange, a, Bytes(members[rank].operands[a]), targets, source,
                                    i % pieces);
                             }
                           });
    }
    return Status();
  }

 private:
  static void Send(const Exchange& exchange, size_t array, const std::byte* from,
                   std::span<const Participant> targets, int64_t source, int64_t piece) {
    for (const Participant& target : targets) {
      exchange.rows.CopyPiece(piece, from,
                              Bytes(target.results[array]) + source * exchange.to_stride);
      from += exchange.from_stride;
    }
  }

  const std::vector<Exchange> exchanges_;  // one per array
  const bool gathers_;                     // every rank gets the same
};

// The array of the group's first lane, everywhere.
class BroadcastStep final : public backend::CollectiveStep {
 public:
  BroadcastStep(LaneGroupsRef groups, int64_t bytes)
      : CollectiveStep(std::move(groups)), bytes_(bytes) {}

  bool GivesAllTheSame() const override { return true; }
  Status Meet(int32_t, std::span<const Participant> members,
              const RunContext& context) const override {
    const std::byte* from = Bytes(members[0].operands[0]);
    backend::ParallelFor(context.pool, bytes_, kGrain, [&](int64_t begin, int64_t end) {
      for (const Participant& target : Targets(members, 0)) {
        std::memcpy(Bytes(target.results[0]) + begin, from + begin,
                    static_cast<size_t>(end - begin));
      }
    });
    return Status();
  }

 private:
  const int64_t bytes_;
};

class PermuteStep final : public backend::CollectiveStep {
 public:
  PermuteStep(LaneGroupsRef groups, const CollectiveAttributes& permute, int64_t bytes)
      : CollectiveStep(std::move(groups)), bytes_(bytes) {
    std::unordered_map<int64_t, int64_t> source_of;
    for (const std::vector<int64_t>& pair : permute.groups) source_of[pair[1]] = pair[0];
    for (int32_t group = 0; group < this->groups().size(); ++group) {
      std::unordered_map<int64_t, int32_t> rank_of;
      for (int32_t lane : this->groups().Members(group)) {
        rank_of.emplace(lane, static_cast<int32_t>(rank_of.size()));
      }
      std::vector<int32_t>& sources = sources_.emplace_back();
      for (int32_t lane : this->groups().Members(group)) {
        const auto source = source_of.find(lane);
        sources.push_back(source == source_of.end() ? -1 : rank_of.at(source->second));
      }
    }
  }

  Status Meet(int32_t group, std::span<const Participant> members,
              const RunContext& context) const override {
    backend::ParallelFor(context.pool, bytes_, kGrain, [&](int64_t begin, int64_t end) {
      const auto bytes = static_cast<size_t>(end - begin);
      for (size_t rank = 0; rank < members.size(); ++rank) {
        std::byte* const to = Bytes(members[rank].results[0]) + begin;
        const int32_t source = group < 0 ? -1 : sources_[static_cast<size_t>(group)][rank];
        if (source < 0) {
          std::memset(to, 0, bytes);
        } else {
          std::memcpy(to, Bytes(members[static_cast<size_t>(source)].operands[0]) + begin, bytes);
        }
      }
    });
    return Status();
  }

 private:
  const int64_t bytes_;
  // By group and rank: the rank of what sends there; -1: nobody.
  std::vector<std::vector<int32_t>> sources_;
};

Exchange MakeExchange(const compiler::plan::PlanStep& step, size_t array) {
  const auto& collective = *std::get_if<CollectiveAttributes>(step.attributes.get());
  const Type& from = step.operands[array].type;
  const Type& to = step.results[array].type;
  const Dims from_strides = compiler::DenseStrides(from.dims, ByteSize(from.dtype));
  const Dims to_strides = compiler::DenseStrides(to.dims, ByteSize(to.dtype));
  const auto dim = static_cast<size_t>(collective.dimension);
  Dims block = from.dims;
  Exchange exchange;
  size_t last = dim;  // the last dimension that is not whole in both arrays
  if (step.opcode == Opcode::kAllToAll) {
    const auto joined = static_cast<size_t>(collective.concat_dimension);
    block[dim] /= collective.split_count;
    exchange.from_stride = block[dim] * from_strides[dim];
    exchange.to_stride = block[joined] * to_strides[joined];
    last = std::max(dim, joined);
  } else {
    exchange.to_stride = block[dim] * to_strides[dim];
  }
  exchange.rows = BlockRows(block, from_strides, to_strides, ByteSize(from.dtype), last);
  return exchange;
}

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareExchange(
    const compiler::plan::PlanStep& step, LaneGroupsRef groups) {
  const auto& collective = *std::get_if<CollectiveAttributes>(step.attributes.get());
  const int64_t bytes = step.operands[0].type.SizeInBytes();
  switch (step.opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllToAll: {
      std::vector<Exchange> exchanges;
      for (size_t a = 0; a < step.operands.size(); ++a) exchanges.push_back(MakeExchange(step, a));
      return std::unique_ptr<backend::PreparedStep>(new AllToAllStep(
          std::move(groups), std::move(exchanges), step.opcode == Opcode::kAllGather));
    }
    case Opcode::kCollectiveBroadcast:
      return std::unique_ptr<backend::PreparedStep>(new BroadcastStep(std::move(groups), bytes));
    case Opcode::kCollectivePermute:
      return std::unique_ptr<backend::PreparedStep>(
          new PermuteStep(std::move(groups), collective, bytes));
    default:
      return Unimplemented("it has no form in shared memory");
  }
}

}  // namespace plinth::cpu::collectives

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/cpu/collectives/block_rows.h"
#include "reference_plugin/cpu/collectives/collective.h"
#include "reference_plugin/cpu/collectives/route.h"

namespace plinth::cpu::collectives {
namespace {

using backend::LaneGroupsRef;
using backend::RunContext;
using compiler::CollectiveAttributes;
using compiler::Redistribution;
using compiler::Type;

// What one rank gets of one array.
struct Delivery {
  const Route* route;
  size_t result;
  int64_t target;
  int64_t begin, end;  // pieces of those before, and with this one
};

// A result that has places without an array.
struct Filled {
  size_t result = 0, target = 0;
  int64_t bytes = 0;
};

class RedistributeStep final : public backend::CollectiveStep {
 public:
  RedistributeStep(const compiler::plan::PlanStep& step, LaneGroupsRef groups)
      : CollectiveStep(std::move(groups)), element_bytes_(ByteSize(step.results[0].type.dtype)) {
    const auto& collective = *std::get_if<CollectiveAttributes>(step.attributes.get());
    const int64_t ranks = collective.groups.empty() ? 0 : std::ssize(collective.groups[0]);
    routes_.reserve(step.operands.size() - 1);
    for (size_t result = 0; result < collective.redistributions.size(); ++result) {
      const Redistribution& how = collective.redistributions[result];
      const size_t first = routes_.size();
      for (const Redistribution::Source& source : how.sources) {
        routes_.emplace_back(routes_.size(), source, how.windows,
                             step.operands[routes_.size()].type.dims,
                             step.results[result].type.dims, element_bytes_, ranks);
      }
      Deliver(result, step.results[result].type, std::span(routes_).subspan(first), ranks);
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
    if (deliveries_.empty()) return Status();
    backend::ParallelFor(context.pool, deliveries_.back().end, Grain(piece_bytes_),
                         [&](int64_t begin, int64_t end) { CopyPieces(members, begin, end); });
    return Status();
  }

 private:
  static int64_t Grain(int64_t bytes) {
    return std::max<int64_t>(kGrain / std::max<int64_t>(bytes, 1), 1);
  }

  // What each rank gets for a result, by its routes.
  void Deliver(size_t result, const Type& type, std::span<const Route> routes, int64_t ranks) {
    for (const Route& route : routes) piece_bytes_ = std::max(piece_bytes_, route.piece_bytes());
    for (int64_t target = 0; target < ranks; ++target) {
      int64_t covered = 0;
      for (const Route& route : routes) {
        covered += route.NumElements(target);
        const int64_t pieces = route.NumPieces(target);
        if (pieces == 0) continue;
        const int64_t before = deliveries_.empty() ? 0 : deliveries_.back().end;
        deliveries_.push_back({&route, result, target, before, before + pieces});
      }
      if (covered == type.NumElements()) continue;
      filled_.push_back({result, static_cast<size_t>(target), type.SizeInBytes()});
      most_filled_ = std::max(most_filled_, type.SizeInBytes());
    }
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
    auto delivery =
        std::ranges::upper_bound(deliveries_, begin, {}, [](const Delivery& d) { return d.end; });
    for (; begin < end; ++delivery) {
      const int64_t until = std::min(end, delivery->end);
      const Participant& member = members[static_cast<size_t>(delivery->target)];
      delivery->route->Copy(delivery->target, begin - delivery->begin, until - delivery->begin,
                            members, Bytes(member.results[delivery->result]));
      begin = until;
    }
  }

  const int64_t element_bytes_;
  std::vector<Route> routes_;  // by operand
  std::vector<Delivery> deliveries_;
  std::vector<Filled> filled_;
  int64_t most_filled_ = 0, piece_bytes_ = 1;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareRedistribute(
    const compiler::plan::PlanStep& step, LaneGroupsRef groups) {
  return std::unique_ptr<backend::PreparedStep>(new RedistributeStep(step, std::move(groups)));
}

}  // namespace plinth::cpu::collectives

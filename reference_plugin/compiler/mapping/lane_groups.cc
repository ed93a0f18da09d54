// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/mapping/lane_groups.h"

#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/op_checks.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::mapping {
namespace {

using Lists = DeviceGroups::Lists;

class Resolver {
 public:
  explicit Resolver(Module& module)
      : module_(module), replicas_(module.num_replicas), partitions_(module.num_partitions) {}

  Status Run(Block& body) {
    PLINTH_RETURN_IF_ERROR(VisitBlock(body));
    replacements_.Apply(body);
    return Status();
  }

 private:
  int64_t num_lanes() const { return replicas_ * partitions_; }
  int64_t Lane(int64_t replica, int64_t partition) const {
    return replica * partitions_ + partition;
  }

  Status VisitBlock(Block& block) {
    const std::vector<Op*> ops = std::exchange(block.ops, {});
    block.ops.reserve(ops.size());
    for (Op* op : ops) {
      if (InfoOf(op->opcode).category == Category::kCollective) {
        Status status = VisitCollective(*op, block);
        if (!status.ok()) return status.WithContext(Describe(*op));
        continue;
      }
      for (Block* inner : op->blocks) PLINTH_RETURN_IF_ERROR(VisitBlock(*inner));
      block.ops.push_back(op);
    }
    return Status();
  }

  Status VisitCollective(Op& op, Block& block) {
    auto [known, is_new] = resolved_.try_emplace(op.attributes.get());
    if (is_new) {
      CollectiveAttributes collective = op.Get<CollectiveAttributes>();
      PLINTH_RETURN_IF_ERROR(Resolve(op, collective));
      known->second = {op.attributes, MakeAttributes(std::move(collective))};
    }
    op.attributes = known->second.resolved;
    if (op.opcode == Opcode::kCollectiveBroadcast) SendToSome(op);
    PLINTH_RETURN_IF_ERROR(CheckExtents(op));
    if (!SimplifyAlone(op, block)) block.ops.push_back(&op);
    return Status();
  }

  Status Resolve(const Op& op, CollectiveAttributes& collective) {
    const bool is_permute = op.opcode == Opcode::kCollectivePermute;
    const bool has_channel = collective.channel_id > 0;
    const bool may_flatten = op.opcode == Opcode::kAllGather || op.opcode == Opcode::kAllReduce ||
                             op.opcode == Opcode::kReduceScatter;
    if (collective.use_global_device_ids && may_flatten && !has_channel) {
      return InvalidArgument(
          "use_global_device_ids needs a channel id greater than 0; expected channel_handle");
    }
    const bool is_flat = collective.use_global_device_ids && may_flatten;
    const bool is_both = has_channel && may_flatten && !is_flat;
    const bool is_cross_partition = has_channel && !may_flatten;
    const int64_t most = is_flat ? num_lanes() : is_cross_partition ? partitions_ : replicas_;
    collective.use_global_device_ids = true;
    const auto [known, is_new] =
        lanes_.try_emplace({collective.groups.id(), op.opcode, has_channel, is_flat});
    if (!is_new) {
      collective.groups = known->second.lanes;
      return Status();
    }
    known->second.given = collective.groups;
    if (collective.groups.empty() && !is_permute) {
      Lists all(1, std::vector<int64_t>(static_cast<size_t>(most)));
      std::iota(all[0].begin(), all[0].end(), 0);
      collective.groups = std::move(all);
    }
    PLINTH_RETURN_IF_ERROR(is_permute ? CheckPairs(collective.groups, most)
                                      : CheckGroups(collective.groups, most, op.opcode));
    Lists lanes;
    for (const std::vector<int64_t>& group : collective.groups) {
      if (is_flat) {
        lanes.push_back(group);
      } else if (is_both) {
        std::vector<int64_t>& joined = lanes.emplace_back();
        for (int64_t p = 0; p < partitions_; ++p) {
          for (int64_t r : group) joined.push_back(Lane(r, p));
        }
      } else if (is_cross_partition) {
        for (int64_t r = 0; r < replicas_; ++r) {
          std::vector<int64_t>& same = lanes.emplace_back();
          for (int64_t p : group) same.push_back(Lane(r, p));
        }
      } else {
        for (int64_t p = 0; p < partitions_; ++p) {
          std::vector<int64_t>& same = lanes.emplace_back();
          for (int64_t r : group) same.push_back(Lane(r, p));
        }
      }
    }
    // Where they are the same, all kinds of collectives go on sharing them.
    if (lanes != collective.groups.lists()) collective.groups = std::move(lanes);
    known->second.lanes = collective.groups;
    return Status();
  }

  // A broadcast in which lanes are in no group: they get zeros, as where nobody sends.
  void SendToSome(Op& op) const {
    CollectiveAttributes collective = op.Get<CollectiveAttributes>();
    size_t named = 0;
    Lists pairs;
    for (const std::vector<int64_t>& group : collective.groups) {
      named += group.size();
      for (int64_t lane : group) pairs.push_back({group[0], lane});
    }
    if (named == static_cast<size_t>(num_lanes())) return;
    op.opcode = Opcode::kCollectivePermute;
    collective.groups = std::move(pairs);
    op.attributes = MakeAttributes(std::move(collective));
  }

  static Status CheckNumber(int64_t id, int64_t most) {
    if (id >= 0 && id < most) return Status();
    return InvalidArgument("device ", id, " is named; expected a number in [0, ", most, ")");
  }

  static Status CheckGroups(const DeviceGroups& groups, int64_t most, Opcode opcode) {
    std::vector<bool> named(static_cast<size_t>(most), false);
    for (const std::vector<int64_t>& group : groups) {
      for (int64_t id : group) {
        PLINTH_RETURN_IF_ERROR(CheckNumber(id, most));
        if (named[static_cast<size_t>(id)]) {
          return InvalidArgument("replica_groups names device ", id, " twice");
        }
        named[static_cast<size_t>(id)] = true;
      }
    }
    for (size_t id = 0; id < named.size(); ++id) {
      if (named[id] || opcode == Opcode::kCollectiveBroadcast) continue;
      return InvalidArgument("replica_groups does not name device ", id,
                             "; expected each number in [0, ", most, ") once");
    }
    return Status();
  }

  static Status CheckPairs(const DeviceGroups& pairs, int64_t most) {
    std::vector<bool> sends(static_cast<size_t>(most), false), receives = sends;
    for (const std::vector<int64_t>& pair : pairs) {
      for (int64_t id : pair) PLINTH_RETURN_IF_ERROR(CheckNumber(id, most));
      for (auto [seen, id, what] :
           {std::tuple(&sends, pair[0], "source"), std::tuple(&receives, pair[1], "target")}) {
        if ((*seen)[static_cast<size_t>(id)]) {
          return InvalidArgument("source_target_pairs has ", what, " ", id, " twice");
        }
        (*seen)[static_cast<size_t>(id)] = true;
      }
    }
    return Status();
  }

  // The extents that results have in groups of that size; one program has one type for all.
  static Status CheckExtents(const Op& op) {
    const auto& collective = op.Get<CollectiveAttributes>();
    if (op.opcode != Opcode::kAllGather && op.opcode != Opcode::kReduceScatter &&
        op.opcode != Opcode::kAllToAll) {
      return Status();
    }
    int64_t checked = 0;
    for (const std::vector<int64_t>& group : collective.groups) {
      const auto size = static_cast<int64_t>(group.size());
      if (size == checked || size == 0) continue;
      checked = size;
      for (size_t i = 0; i < op.operands.size(); ++i) {
        const Dims& from = op.operands[i]->type.dims;
        const Dims& to = op.results[i]->type.dims;
        const auto dim = static_cast<size_t>(collective.dimension);
        if (from[dim] == kDynamicSize || to[dim] == kDynamicSize) continue;
        if (op.opcode == Opcode::kAllToAll) {
          const auto other = static_cast<size_t>(collective.concat_dimension);
          if (collective.split_count != size) {
            return InvalidArgument("split_count is ", collective.split_count,
                                   "; expected the size of its groups, ", size);
          }
          const bool fits = dim == other
                                ? to[dim] == from[dim]
                                : to[dim] * size == from[dim] && to[other] == from[other] * size;
          if (fits) continue;
        } else if (op.opcode == Opcode::kAllGather ? to[dim] == from[dim] * size
                                                   : to[dim] * size == from[dim]) {
          continue;
        }
        return InvalidArgument("result ", i, " is ", op.results[i]->type.ToString(), " of ",
                               op.operands[i]->type.ToString(), " in groups of ", size);
      }
    }
    return Status();
  }

  // Groups of one lane exchange nothing.
  bool SimplifyAlone(const Op& op, Block& block) {
    const auto& groups = op.Get<CollectiveAttributes>().groups;
    if (op.opcode == Opcode::kRedistribute) return false;  // it may move what it has
    if (op.opcode == Opcode::kCollectivePermute) {
      if (!groups.empty()) return false;
      Builder builder(module_, block.ops, op.location);
      replacements_.Replace(op.result(), builder.Splat(op.type(), 0));
      return true;
    }
    for (const std::vector<int64_t>& group : groups) {
      if (group.size() > 1) return false;
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      replacements_.Replace(op.results[i], op.operands[i]);
    }
    return true;
  }

  struct Known {
    std::shared_ptr<const Attributes> given, resolved;  // `given` so that its address stays its own
  };

  Module& module_;
  const int64_t replicas_, partitions_;
  Replacements replacements_;
  std::map<const Attributes*, Known> resolved_;  // many ops may share one
  struct KnownLanes {
    DeviceGroups given, lanes;  // `given` so that its id stays its own
  };
  // By the id of the groups, and what says how they number devices.
  std::map<std::tuple<const void*, Opcode, bool, bool>, KnownLanes> lanes_;
};

}  // namespace

Status ResolveLaneGroups(Module& module) {
  for (Function& function : module.functions) {
    PLINTH_RETURN_IF_ERROR(Resolver(module).Run(*function.body));
  }
  return Status();
}

}  // namespace plinth::compiler::mapping

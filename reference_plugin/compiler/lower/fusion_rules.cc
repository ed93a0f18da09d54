// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "reference_plugin/compiler/lower/fusion_block.h"

// When an op joins a group that exists, and when it begins one.
namespace plinth::compiler::lower {
namespace {

// A search for a path between units gives up (and says there is one) after this many ops.
constexpr int32_t kMaxVisits = 384;
// Rows along the last dimensions can be walked several times, each time in parts by many threads.
bool ReducesLastDims(const Op& op) {
  if (op.opcode != Opcode::kReduce) return false;
  const Dims& dims = op.Get<DimensionsAttributes>().dimensions;
  return !dims.empty() &&
         dims.front() + static_cast<int64_t>(dims.size()) == op.operands[0]->type.rank();
}

bool Contains(std::span<const int32_t> list, int32_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

bool BlockFusion::CanCompute(const Op& op, int32_t group) {
  Group& g = GroupAt(group);
  const int32_t num_operands = static_cast<int32_t>(context_.OperandsOf(op).size());
  if (g.num_nodes + num_operands > limits().nodes) return false;
  if (g.num_loads + num_operands - 1 > limits().loads) return false;
  if (g.instances.size() > limits().instances) return false;
  for (const Value* result : op.results) {
    if (std::find(g.needed.begin(), g.needed.end(), result) != g.needed.end()) return false;
  }
  SmallVector<int32_t, 4> instances = WantedInstances(op, group);
  if (ReadsUpdatedElsewhere(op, group)) return false;
  const LowerClass lower_class = context_.ClassOf(op);
  if (lower_class == LowerClass::kReduction) return CanReduce(op, group);
  const int32_t cost = context_.CostOf(op);
  if (OnlyMoves(op)) return !MixesTurns(op, group);
  if (op.opcode == Opcode::kGather && !CanGather(op, group)) return false;

  // Work in proportion to the elements there are.
  const int64_t elements = std::max<int64_t>(op.type().NumElements(), 1);
  int64_t evaluations = 0;
  uint8_t recomputed = 0;
  uint64_t passes = 0;
  for (int32_t index : instances) {
    const Instance& instance = g.instances[index];
    evaluations += g.Evaluations(g.maps[instance.map]);
    recomputed = std::max(recomputed, instance.recomputed);
    if (g.UsesReduced(g.maps[instance.map])) passes |= instance.passes;
  }
  if (HasLongRows(g) && std::popcount(passes) > 1 &&
      (cost > context_.target().work.cheap ||
       recomputed >= context_.target().fusion.recomputed_ops)) {
    return false;
  }
  if (2 * evaluations <= 3 * elements) return true;
  if (op.opcode == Opcode::kIota) return true;
  if (op.opcode == Opcode::kConcatenate || cost > context_.target().work.cheap ||
      recomputed >= context_.target().fusion.recomputed_ops) {
    return evaluations <= 64;
  }
  return evaluations <= 4 * elements ||
         evaluations - elements <= context_.target().fusion.recomputed_points;
}

// Every point reads an element that there is, and at known places what the indices are.
bool BlockFusion::CanGather(const Op& op, int32_t group) {
  const Group& g = GroupAt(group);
  for (int32_t index : WantedInstances(op, group)) {
    if (!g.maps[g.instances[index].map].IsPlain()) return false;
  }
  return true;
}

// What a group updates in place, it may read only where it writes it.
bool BlockFusion::ReadsUpdatedElsewhere(const Op& op, int32_t group) {
  Group& g = GroupAt(group);
  for (const GroupOutput& output : g.outputs) {
    if (output.updated == nullptr) continue;
    const std::span<Value* const> operands = context_.OperandsOf(op);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (context_.Base(operands[i]) != context_.Base(output.updated)) continue;
      SmallVector<int32_t, 4> instances = WantedInstances(op, group);
      if (op.opcode != Opcode::kDynamicSlice || i != 0 || instances.size() != 1) return true;
      IndexMap source;
      if (!MapThrough(g.maps[g.instances[instances[0]].map], op, 0, g.extents, source)) return true;
      DropUnitDims(source, g.extents);
      if (!SameMap(source, output.address)) return true;
    }
  }
  return false;
}

bool BlockFusion::CanReduce(const Op& op, int32_t group) {
  Group& g = GroupAt(group);
  SmallVector<int32_t, 4> instances = WantedInstances(op, group);
  int64_t reduced = 1;
  const Dims sizes = ReducedSizes(op);
  for (int64_t size : sizes) reduced *= size;
  bool in_reduction = false;
  for (int32_t index : instances) {
    if (g.instances[index].map != g.instances[instances[0]].map) return false;
    in_reduction |= g.instances[index].in_reduction;
  }
  if (in_reduction && reduced > limits().column_elements && !ReducesLastDims(op)) return false;
  if (in_reduction && reduced > limits().row_elements && g.NumRows() <= limits().few_reduced_rows) {
    return false;
  }
  int32_t first = 0;
  const IndexMap& map = g.maps[g.instances[instances[0]].map];
  const ReductionFit fit = FitReduction(g, limits(), map, op.type().dims, sizes, first);
  if (fit == ReductionFit::kLastDims && MixesTurns(g)) return false;
  if (fit == ReductionFit::kNewDims) {
    return g.rank() + static_cast<int32_t>(sizes.size()) <= limits().domain_rank && !g.IsUpdate();
  }
  return fit != ReductionFit::kNone && op.opcode == Opcode::kReduce && !ReducesOtherDims(op, group);
}

bool BlockFusion::Compute(const Op& op, int32_t group, bool duplicate) {
  Group& g = GroupAt(group);
  SmallVector<int32_t, 4> instances = WantedInstances(op, group);
  if (context_.ClassOf(op) == LowerClass::kReduction) {
    int32_t first = 0;
    const int32_t map = g.instances[instances[0]].map;
    const Dims sizes = ReducedSizes(op);
    switch (FitReduction(g, limits(), g.maps[map], op.type().dims, sizes, first)) {
      case ReductionFit::kNone:
        return false;
      case ReductionFit::kNewDims:
        first = g.rank();
        g.AppendReduced(sizes);
        break;
      case ReductionFit::kLastDims:
        g.num_parallel = first;
        g.has_reduced = true;
        break;
      case ReductionFit::kExistingDims:
        break;
    }
    g.num_loads -= static_cast<int32_t>(instances.size());
    ExpandReduction(op, group, IndexMap(g.maps[map]), first, instances);
  } else {
    const int64_t elements = std::max<int64_t>(op.type().NumElements(), 1);
    bool all = true;
    for (int32_t index : instances) {
      const Instance& instance = g.instances[index];
      Need need;
      need.in_reduction = instance.in_reduction;
      need.duplicated = instance.duplicated;
      need.recomputed = instance.recomputed;
      need.passes = instance.passes;
      if (!OnlyMoves(op)) {
        need.duplicated = static_cast<uint8_t>(need.duplicated + (duplicate ? 1 : 0));
        const bool again = HasLongRows(g) && std::popcount(instance.passes) > 1;
        if (again || 2 * g.Evaluations(g.maps[instance.map]) > 3 * elements) ++need.recomputed;
      }
      if (Expand(op, group, index, need)) {
        --g.num_loads;
      } else {
        all = false;
      }
    }
    if (!all) return false;
  }
  groups_of_[context_.Position(&op)].push_back(group);
  return true;
}

// Computing it in each group reads no more than storing it once and loading it would.
bool BlockFusion::IsDuplicable(const Op& op, std::span<const int32_t> groups) {
  if (groups.size() > 3 || context_.ClassOf(op) != LowerClass::kElementwise ||
      context_.CostOf(op) > context_.target().work.cheap) {
    return false;
  }
  int32_t large_operands = 0;
  for (const Value* operand : context_.OperandsOf(op)) {
    const Op* producer = operand->op;
    if (producer != nullptr && (producer->opcode == Opcode::kBroadcastInDim ||
                                producer->opcode == Opcode::kIota || IsScalarConstant(producer))) {
      continue;
    }
    ++large_operands;
  }
  if (large_operands > 1) return false;
  for (int32_t group : groups) {
    for (int32_t index : WantedInstances(op, group)) {
      if (GroupAt(group).instances[index].duplicated >= context_.target().fusion.duplicated_ops)
        return false;
    }
    if (!CanCompute(op, group)) return false;
  }
  return true;
}

// Computed in one of the groups that want it, and stored from there for the others.
bool BlockFusion::TryHost(const Op& op, std::span<const int32_t> groups) {
  constexpr size_t kMaxCandidates = 4;
  // What the others compute may depend on the group visited last, hardly the other way round.
  for (size_t i = 0; i < groups.size() && i < kMaxCandidates; ++i) {
    const int32_t group = groups[groups.size() - 1 - i];
    Group& g = GroupAt(group);
    SmallVector<int32_t, 4> instances = WantedInstances(op, group);
    bool one_map = true;
    for (int32_t index : instances) {
      one_map &= g.instances[index].map == g.instances[instances[0]].map;
    }
    const int32_t num_outputs = static_cast<int32_t>(g.outputs.size() + op.results.size());
    if (!one_map || num_outputs > limits().outputs) continue;
    const int32_t map = g.instances[instances[0]].map;
    if (CoverageOf(g, g.maps[map], op.type().dims) == Coverage::kNone) continue;
    if (!CanCompute(op, group) || Reaches(op, group, true)) continue;
    // Results that only others want come from the group, too.
    for (const Value* result : op.results) {
      const auto& wants = context_.Fusion(result).wants;
      if (wants.empty() && !context_.IsHard(result)) continue;
      Demand(group, result, map, {});
    }
    if (!Compute(op, group, false)) continue;
    AddOutputs(op, group);
    return true;
  }
  return false;
}

// Stores what is needed in memory of an op that the group computes at one map.
void BlockFusion::AddOutputs(const Op& op, int32_t group) {
  Group& g = GroupAt(group);
  for (const Value* result : op.results) {
    int32_t instance = -1;
    bool others = context_.IsHard(result);
    for (const LowerContext::Want& want : context_.Fusion(result).wants) {
      if (want.group == group) {
        instance = want.instance;
      } else {
        others |= GroupAt(want.group).instances[want.instance].kind == InstanceKind::kLoad;
      }
    }
    if (instance < 0 || !others) continue;
    AddStore(context_.Position(&op), group);
    context_.SetHard(result);
    GroupOutput output;
    output.instance = instance;
    output.value = result;
    g.outputs.push_back(std::move(output));
  }
}

int32_t BlockFusion::NewGroup(const Op& op, std::span<const int64_t> extents) {
  Group& g = fused_.groups.emplace_back();
  g.extents = Dims(extents.begin(), extents.end());
  g.num_parallel = g.rank();
  g.first_output = g.last_position = context_.Position(&op);
  g.location = op.location;
  g.unit = static_cast<int32_t>(fused_.units.size());
  const int32_t group = static_cast<int32_t>(fused_.groups.size()) - 1;
  Unit unit;
  unit.group = group;
  fused_.units.push_back(std::move(unit));
  return group;
}

void BlockFusion::MakeRoot(const Op& op) {
  if (context_.fusion() && (TryJoinRows(op) || TryJoinSibling(op))) return;
  AddRoot(op, NewGroup(op, op.type().dims));
}

// The op's results at the points of the group's (parallel) domain, to be stored.
void BlockFusion::AddRoot(const Op& op, int32_t group) {
  Group& g = GroupAt(group);
  const int32_t map = g.AddMap(IdentityMap(static_cast<int32_t>(op.type().rank()), g.rank()));
  SmallVector<int32_t, 4> instances;
  for (const Value* result : op.results) {
    if (!context_.IsHard(result) && context_.Fusion(result).wants.empty()) continue;
    instances.push_back(Demand(group, result, map, {}));
  }
  g.num_loads -= static_cast<int32_t>(instances.size());
  if (context_.ClassOf(op) == LowerClass::kReduction) {
    const Dims sizes = ReducedSizes(op);
    if (!g.has_reduced) g.AppendReduced(sizes);
    ExpandReduction(op, group, IndexMap(g.maps[map]), g.num_parallel, instances);
  } else {
    Expand(op, group, instances[0], {});
  }
  for (int32_t index : instances) {
    const Value* value = g.instances[index].value;
    context_.SetHard(value);
    GroupOutput output;
    output.instance = index;
    output.value = value;
    g.outputs.push_back(std::move(output));
  }
  AddStore(context_.Position(&op), group);
  groups_of_[context_.Position(&op)].push_back(group);
}

bool BlockFusion::HasRoom(const Op& op, int32_t group) {
  Group& g = GroupAt(group);
  const int32_t num_operands = static_cast<int32_t>(context_.OperandsOf(op).size());
  return g.previous_part < 0 && g.next_part < 0 &&
         g.num_nodes + num_operands <= limits().nodes / 2 &&
         g.num_loads + num_operands <= limits().loads / 2 &&
         static_cast<int32_t>(g.outputs.size() + op.results.size()) <= limits().outputs;
}

// Sums over the rows and over the columns of one square array: in one domain either of them would
// read the array across its memory.
bool BlockFusion::ReducesOtherDims(const Op& op, int32_t group) {
  if (op.opcode != Opcode::kReduce) return false;
  const Type& reduced = op.operands[0]->type;
  if (reduced.NumElements() <= context_.target().fusion.tiny_points) return false;
  const Dims& dimensions = op.Get<DimensionsAttributes>().dimensions;
  return std::ranges::any_of(GroupAt(group).instances, [&](const Instance& instance) {
    const Op* other = instance.value->op;
    return instance.kind == InstanceKind::kReduced && other->opcode == Opcode::kReduce &&
           other->operands[0]->type.dims == reduced.dims &&
           other->Get<DimensionsAttributes>().dimensions != dimensions;
  });
}

bool BlockFusion::CanJoinAsSibling(const Op& op, int32_t group) {
  Group& g = GroupAt(group);
  if (!HasRoom(op, group) || ReadsUpdatedElsewhere(op, group)) return false;
  Dims domain = op.type().dims;
  if (context_.ClassOf(op) == LowerClass::kReduction) {
    if (ReducesOtherDims(op, group)) return false;
    if (!g.has_reduced || g.num_parallel != static_cast<int32_t>(domain.size())) return false;
    for (int64_t size : ReducedSizes(op)) domain.push_back(size);
  }
  if (g.extents != domain) return false;
  return !Reaches(op, group, false);
}

// Updates of several arrays at the same points (a loop that stacks what it computes) are one
// kernel.
int32_t BlockFusion::GroupForUpdate(const Op& op) {
  constexpr size_t kMaxCandidates = 8;
  const Value* updated = context_.Base(op.operands[0]);
  const size_t count = fused_.groups.size();
  for (size_t i = 0; i < kMaxCandidates && i < count; ++i) {
    const int32_t group = static_cast<int32_t>(count - 1 - i);
    const Group& g = GroupAt(group);
    if (!g.IsUpdate() || g.has_reduced || g.extents != op.operands[1]->type.dims) continue;
    if (static_cast<int32_t>(g.outputs.size()) >= limits().outputs ||
        g.num_nodes > limits().nodes / 2 || g.num_loads > limits().loads / 2) {
      continue;
    }
    const bool reads =
        std::any_of(g.instances.begin(), g.instances.end(), [&](const Instance& instance) {
          return instance.kind == InstanceKind::kLoad && context_.Base(instance.value) == updated;
        });
    // Two results cannot take the place of one array.
    const bool updates =
        std::any_of(g.outputs.begin(), g.outputs.end(), [&](const GroupOutput& output) {
          return output.updated != nullptr && context_.Base(output.updated) == updated;
        });
    if (!reads && !updates && !Reaches(op, group, false)) return group;
  }
  return -1;
}

// An independent kernel over the same domain that shares an operand, or that is as tiny.
bool BlockFusion::TryJoinSibling(const Op& op) {
  constexpr size_t kMaxCandidates = 4;
  SmallVector<int32_t, 8> candidates;
  int64_t points = op.type().NumElements();
  if (context_.ClassOf(op) == LowerClass::kReduction) {
    for (int64_t size : ReducedSizes(op)) points *= size;
  }
  for (const Value* value : context_.OperandsOf(op)) {
    if (!IsHere(value) || value->type.NumElements() < op.type().NumElements()) continue;
    const auto& wants = context_.Fusion(value).wants;
    for (size_t i = wants.size(); i-- > 0 && candidates.size() < kMaxCandidates;) {
      if (!Contains(candidates, wants[i].group)) candidates.push_back(wants[i].group);
    }
  }
  if (points <= context_.target().fusion.tiny_points) {
    const size_t count = fused_.groups.size();
    for (size_t i = 0; i < kMaxCandidates && i < count; ++i) {
      const int32_t group = static_cast<int32_t>(count - 1 - i);
      if (!Contains(candidates, group)) candidates.push_back(group);
    }
  }
  for (int32_t group : candidates) {
    if (!CanJoinAsSibling(op, group)) continue;
    AddRoot(op, group);
    return true;
  }
  return false;
}

void BlockFusion::AddStore(int32_t position, int32_t group) {
  Group& g = GroupAt(group);
  g.first_output = std::min(g.first_output, position);
  for (int32_t end = SpanEnd(g.first_output); end < g.last_position; end = SpanEnd(end)) {
    span_next_[end] = end + 1;
  }
}

int32_t BlockFusion::SpanEnd(int32_t position) {
  while (span_next_[position] != position) {
    span_next_[position] = span_next_[span_next_[position]];
    position = span_next_[position];
  }
  return position;
}

bool BlockFusion::Reaches(const Op& op, int32_t group, bool direct) {
  ++search_;
  visited_groups_.resize(fused_.groups.size(), 0);
  struct Item {
    const Value* value;
    bool direct;
  };
  std::vector<Item> pending;
  // No path comes back from behind it.
  const int32_t last = SpanEnd(GroupAt(group).last_position);
  for (const Value* result : op.results) {
    for (const Value* needed : GroupAt(group).needed) {
      if (context_.Base(needed) == result) return true;
    }
    pending.push_back({result, direct});
  }
  int32_t visits = 0;
  auto visit_op = [&](int32_t position) {
    if (position > last || visited_[position] == search_) return;
    visited_[position] = search_;
    for (const Value* result : ops_[position]->results) pending.push_back({result, false});
  };
  while (!pending.empty()) {
    const Item item = pending.back();
    pending.pop_back();
    for (int32_t position : context_.Fusion(item.value).users) {
      if (++visits > kMaxVisits) return true;
      const Op& user = *ops_[position];
      const SmallVector<int32_t, 2>& groups = groups_of_[position];
      if (context_.ClassOf(user) == LowerClass::kBarrier) {
        visit_op(position);
        continue;
      }
      if (context_.ClassOf(user) == LowerClass::kView) {
        // The same value to those that read it; `direct` while the group computes it.
        if (position > last) continue;
        pending.push_back({user.result(), item.direct && Contains(groups, group)});
        continue;
      }
      for (int32_t other : groups) {
        if (other == group) {
          if (!item.direct) return true;
          continue;
        }
        for (int32_t part = other; part >= 0; part = GroupAt(part).next_part) {
          if (part == group) return true;
          if (visited_groups_[part] == search_) break;
          visited_groups_[part] = search_;
          if (GroupAt(part).first_output > last) continue;
          for (const GroupOutput& output : GroupAt(part).outputs) {
            pending.push_back({output.value, false});
          }
        }
      }
      if (groups.empty()) visit_op(position);
      for (int32_t effect = next_effect_[position]; effect >= 0; effect = next_effect_[effect]) {
        if (effect > last || visited_[effect] == search_) break;
        if (++visits > kMaxVisits) return true;
        visit_op(effect);
      }
    }
  }
  return false;
}

}  // namespace plinth::compiler::lower

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/propagate.h"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "reference_plugin/compiler/ir/op_sharding.h"
#include "reference_plugin/compiler/partition/apply_constraints.h"
#include "reference_plugin/compiler/partition/flow.h"
#include "reference_plugin/compiler/partition/hash.h"
#include "reference_plugin/compiler/partition/known.h"
#include "reference_plugin/compiler/partition/manual.h"
#include "reference_plugin/compiler/partition/projection.h"
#include "reference_plugin/compiler/partition/split_constants.h"
#include "reference_plugin/compiler/partition/tables.h"

namespace plinth::compiler::partition {
namespace {

constexpr int kNumStages = 5;

bool IsEmpty(const Mesh& mesh) { return mesh.axes.empty() && mesh.device_ids.empty(); }

bool HasAxes(const Sharding& sharding) {
  return !sharding.replicated.empty() || !sharding.unreduced.empty() ||
         std::any_of(sharding.dims.begin(), sharding.dims.end(),
                     [](const DimSharding& dim) { return !dim.axes.empty(); });
}

// The mesh of all of them, along which something may be spread; null if there is none, or more than
// one.
const MeshRef* CommonMesh(std::span<const Sharding* const> shardings) {
  const MeshRef* mesh = nullptr;
  for (const Sharding* sharding : shardings) {
    if (sharding == nullptr) continue;
    if (mesh == nullptr || IsEmpty(**mesh)) {
      mesh = &sharding->mesh;
    } else if (*mesh != sharding->mesh && !IsEmpty(*sharding->mesh) &&
               !(**mesh == *sharding->mesh)) {
      return nullptr;
    }
  }
  return mesh == nullptr || (*mesh)->axes.empty() ? nullptr : mesh;
}

// Whether along each factor all arrays have the same axes, so that none can get any.
bool IsBalanced(const Rule& rule, std::span<const Sharding* const> shardings) {
  static const AxisList kNone = {};
  SmallVector<const AxisList*, 8> known(rule.factors.size(), nullptr);
  for (size_t i = 0; i < shardings.size(); ++i) {
    const size_t operands = rule.operands.size();
    const TensorFactors& tensor = i < operands ? rule.operands[i] : rule.results[i - operands];
    if (shardings[i] != nullptr && shardings[i]->dims.size() != tensor.size()) return false;
    for (size_t dim = 0; dim < tensor.size(); ++dim) {
      if (tensor[dim].size() != 1) return false;
      const AxisList& axes = shardings[i] == nullptr ? kNone : shardings[i]->dims[dim].axes;
      const AxisList*& first = known[static_cast<size_t>(tensor[dim][0])];
      if (first == nullptr) first = &axes;
      if (!(*first == axes)) return false;
    }
  }
  return true;
}

bool HaveSameAxes(const Sharding& a, const Sharding& b) {
  return &a == &b ||
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const DimSharding& x, const DimSharding& y) { return x.axes == y.axes; });
}

AxisList WithoutSizeOne(const AxisList& axes) {
  AxisList kept;
  for (const Axis& axis : axes) {
    if (axis.size > 1) kept.push_back(axis);
  }
  return kept;
}

Sharding WithoutSizeOneAxes(const Sharding& sharding) {
  Sharding made = sharding;
  for (DimSharding& dim : made.dims) {
    dim.axes = WithoutSizeOne(dim.axes);
    if (dim.axes.empty() && dim.is_closed) dim.priority = DimSharding::kNoPriority;
  }
  made.replicated = WithoutSizeOne(made.replicated);
  made.unreduced = WithoutSizeOne(made.unreduced);
  return made;
}

// The rule of n tensors of one shape that go into one.
Rule IdentityRule(std::span<const int64_t> shape, size_t num_operands) {
  Rule rule;
  TensorFactors tensor;
  for (size_t i = 0; i < shape.size(); ++i) {
    rule.factors.push_back({shape[i], FactorKind::kPassThrough, false});
    tensor.push_back({static_cast<int32_t>(i)});
  }
  rule.operands.assign(num_operands, tensor);
  rule.results.push_back(std::move(tensor));
  return rule;
}

int64_t PriorityOf(const DimSharding& dim) { return std::max<int64_t>(0, dim.priority); }

class Propagator {
 public:
  Propagator(Module& module, OpRules& rules) : module_(module), op_rules_(rules) {}

  Expected<PropagatedShardings> Run() && {
    ReadInitial();
    PLINTH_ASSIGN_OR_RETURN(flow_, MakeFlow(module_));
    places_.resize(flow_.places.size());
    changed_.assign(flow_.places.size(), 0);
    for (size_t i = 0; i < places_.size(); ++i) places_[i] = InitialOf(flow_.places[i]);
    for (const std::vector<int32_t>& group : flow_.groups) {
      const auto first = std::find_if(group.begin(), group.end(), [&](int32_t place) {
        return places_[static_cast<size_t>(place)] != nullptr;
      });
      if (first != group.end()) ShareInGroup(*first);
    }
    rules_.resize(flow_.nodes.size());
    settled_.resize(flow_.nodes.size());
    const auto priorities = BeginPriorities();
    RunStages();
    for (const auto& [priority, targets] : priorities) {
      for (const auto& [target, original] : targets) AddPriority(*target, *original, priority);
      settled_.assign(settled_.size(), {});
      RunStages();
    }
    return Finish();
  }

 private:
  // --- What the program says.

  void ReadInitial() {
    SplitConstants(module_);
    const Function& entry = *module_.entry;
    for (size_t i = 0; i < entry.argument_shardings.size(); ++i) {
      Begin(entry.body->arguments[i], entry.argument_shardings[i]);
    }
    ForEachOp(*entry.body, [&](Block&, Op& op) {
      if (op.opcode == Opcode::kWhile || op.opcode == Opcode::kManualComputation) {
        for (const Block* inner : op.blocks) {
          joined_arguments_.insert(inner->arguments.begin(), inner->arguments.end());
        }
      }
      if (op.shardings == nullptr) return;
      for (size_t i = 0; i < op.results.size() && i < op.shardings->results.size(); ++i) {
        Begin(op.results[i], op.shardings->results[i]);
      }
    });
    InitialShardings initial;
    initial.get = [&](const Value* value) {
      const auto found = initial_.find(value);
      return found == initial_.end() ? ShardingRef() : found->second;
    };
    initial.set = [&](const Value* value, const ShardingRef& sharding) { Begin(value, sharding); };
    initial.is_joined = [&](const Value* value) {
      return IsJoined(value) || joined_arguments_.contains(value);
    };
    ApplyConstraints(module_, initial);
    // Those that were made on the way.
    ForEachOp(*entry.body, [&](Block&, Op& op) {
      if (op.opcode == Opcode::kShardingConstraint && op.shardings != nullptr) {
        Begin(op.result(), op.shardings->results[0]);
      }
    });
    const size_t num_results = entry.body->terminator()->operands.size();
    results_.resize(num_results);
    for (size_t i = 0; i < entry.result_shardings.size(); ++i) {
      if (entry.result_shardings[i] != nullptr) {
        results_[i] = Known(WithoutSizeOneAxes(*entry.result_shardings[i]));
      }
    }
  }

  void Begin(const Value* value, const ShardingRef& sharding) {
    if (sharding == nullptr || value->type.kind != Type::Kind::kTensor) return;
    initial_.emplace(value, sharding);
  }

  const Sharding* Known(Sharding sharding) { return table_.Find(std::move(sharding)).get(); }

  const Sharding* InitialOf(const FlowPlace& place) {
    ShardingRef sharding;
    if (place.is_inside) return nullptr;  // it follows from the other side
    if (place.manual != nullptr) {
      const OpShardings* const said = place.manual->shardings.get();
      if (said != nullptr && static_cast<size_t>(place.manual_operand) < said->operands.size()) {
        sharding = said->operands[static_cast<size_t>(place.manual_operand)];
      }
    } else if (const auto found = initial_.find(place.owner); found != initial_.end()) {
      sharding = found->second;
    }
    if (sharding == nullptr) return nullptr;
    return Known(WithoutSizeOneAxes(*sharding));
  }

  // --- Priorities of users: what has a later one is closed and empty until its turn.

  // Of places and results, with what they were.
  using Targets = std::vector<std::pair<const Sharding**, const Sharding*>>;

  std::map<int64_t, Targets> BeginPriorities() {
    std::map<int64_t, Targets> priorities;
    const auto begin = [&](const Sharding*& target) {
      const Sharding* const original = target;
      if (original == nullptr) return;
      const bool any = std::any_of(
          original->dims.begin(), original->dims.end(),
          [](const DimSharding& dim) { return dim.priority != DimSharding::kNoPriority; });
      if (!any) return;
      Sharding sharding = *original;
      std::vector<int64_t> seen;
      for (DimSharding& dim : sharding.dims) {
        const int64_t priority = PriorityOf(dim);
        dim.priority = DimSharding::kNoPriority;
        if (priority == 0) continue;
        if (std::find(seen.begin(), seen.end(), priority) == seen.end()) {
          seen.push_back(priority);
          priorities[priority].emplace_back(&target, original);
        }
        for (const Axis& axis : dim.axes) sharding.replicated.push_back(axis);
        dim.axes.clear();
        dim.is_closed = true;
      }
      std::sort(sharding.replicated.begin(), sharding.replicated.end(),
                [](const Axis& a, const Axis& b) {
                  return std::tuple(a.index, a.pre_size) < std::tuple(b.index, b.pre_size);
                });
      target = Known(std::move(sharding));
    };
    for (const Sharding*& place : places_) begin(place);
    for (const Sharding*& result : results_) begin(result);
    return priorities;
  }

  void AddPriority(const Sharding*& target, const Sharding& original, int64_t priority) {
    Sharding sharding = *target;
    AxisList now;
    for (size_t i = 0; i < sharding.dims.size(); ++i) {
      if (PriorityOf(original.dims[i]) != priority) continue;
      sharding.dims[i] = original.dims[i];
      sharding.dims[i].priority = DimSharding::kNoPriority;
      for (const Axis& axis : original.dims[i].axes) now.push_back(axis);
    }
    AxisList replicated;
    for (const Axis& axis : sharding.replicated) {
      if (std::find(now.begin(), now.end(), axis) == now.end()) replicated.push_back(axis);
    }
    sharding.replicated = std::move(replicated);
    target = Known(std::move(sharding));
  }

  // --- Stages: which ops go first.

  void RunStages() {
    for (int stage = 0; stage < kNumStages; ++stage) {
      PropagateResults();
      for (size_t i = 0; i < places_.size(); ++i) {
        if (flow_.places[i].is_inside) ShowOtherSide(flow_.places[i].other_side);
      }
      queue_.clear();
      is_queued_.assign(flow_.nodes.size(), false);
      for (size_t i = flow_.nodes.size(); i > 0; --i) Push(static_cast<int32_t>(i - 1));
      while (!queue_.empty()) {
        const int32_t node = queue_.back();
        queue_.pop_back();
        is_queued_[static_cast<size_t>(node)] = false;
        PropagateNode(node, stage);
      }
      PropagateResults();
    }
  }

  void Push(int32_t node) {
    if (node < 0 || is_queued_[static_cast<size_t>(node)]) return;
    is_queued_[static_cast<size_t>(node)] = true;
    queue_.push_back(node);
  }

  static FactorDirections DirectionsOf(const FlowNode& node, int stage) {
    switch (node.passage) {
      case Passage::kNowhere:
        return {};
      case Passage::kForward:
        return {kForward, kForward};
      case Passage::kBackward:
        return {kBackward, kBackward};
      case Passage::kBothWays:
        break;
    }
    uint8_t direction = kNowhere;
    const Opcode opcode = node.opcode;
    if (stage >= 1 || !node.has_shared_operand) {
      if (node.is_edge || node.is_elementwise || opcode == Opcode::kReshape ||
          opcode == Opcode::kTranspose) {
        direction |= kBothWays;
      } else if (opcode == Opcode::kDynamicSlice || opcode == Opcode::kDynamicUpdateSlice) {
        direction |= kForward;
      }
    }
    const Direction general = opcode == Opcode::kBroadcastInDim ? kBackward : kBothWays;
    if (stage >= 3) direction |= general;
    if (stage >= 4) direction |= kBothWays;
    const int passing = stage >= 2 ? direction | general : direction;
    return {static_cast<Direction>(passing), static_cast<Direction>(direction)};
  }

  const Rule& RuleAt(int32_t index) {
    const Rule*& rule = rules_[static_cast<size_t>(index)];
    if (rule == nullptr) {
      const FlowNode& node = flow_.nodes[static_cast<size_t>(index)];
      rule = node.is_edge ? &RuleOfEdge(node) : &op_rules_.Propagated(*node.op);
    }
    return *rule;
  }

  const Rule& RuleOfEdge(const FlowNode& edge) {
    const int32_t place = edge.results.empty() ? edge.operands[0] : edge.results[0];
    const Value* const owner = flow_.places[static_cast<size_t>(place)].owner;
    return edge_rules_.emplace_back(IdentityRule(owner->type.dims, edge.operands.size()));
  }

  const Sharding* ShardingAt(int32_t place) const {
    return place < 0 ? nullptr : places_[static_cast<size_t>(place)];
  }

  void PropagateNode(int32_t index, int stage) {
    const FlowNode& node = flow_.nodes[static_cast<size_t>(index)];
    const FactorDirections directions = DirectionsOf(node, stage);
    if (directions == FactorDirections() || IsSettled(index, directions)) return;
    shardings_.clear();
    for (int32_t place : node.operands) shardings_.push_back(ShardingAt(place));
    for (int32_t place : node.results) shardings_.push_back(ShardingAt(place));
    Settled& settled = settled_[static_cast<size_t>(index)];
    const MeshRef* const mesh = CommonMesh(shardings_);
    if (mesh == nullptr || ((node.is_elementwise || node.is_edge) && AreAlike(node))) {
      settled = {directions, true, now_};
      return;
    }
    const Rule& rule = RuleAt(index);
    if (rule.empty() || IsBalanced(rule, shardings_)) {
      settled = {directions, true, now_};
      return;
    }
    const Step& step = StepOf(rule, node.is_elementwise, directions, *mesh);
    const int64_t before = now_;
    for (size_t i = 0; i < step.after.size(); ++i) {
      const size_t operands = node.operands.size();
      Update(i < operands ? node.operands[i] : node.results[i - operands], step.after[i], index);
    }
    if (now_ == before) settled = {directions, false, now_};
  }

  // What comes of arrays that are spread so when it goes along the factors of a rule. Layers of a
  // model ask the same again.
  struct Step {
    const Rule* rule;
    bool is_elementwise;
    FactorDirections directions;
    SmallVector<const Sharding*, 4> before;  // of operands, then of results
    SmallVector<const Sharding*, 4> after;   // null: as before; none at all: they do not fit
  };

  // Of shardings_.
  const Step& StepOf(const Rule& rule, bool is_elementwise, FactorDirections directions,
                     const MeshRef& mesh) {
    Hash hash;
    hash.Add(&rule);
    for (const Sharding* sharding : shardings_) hash.Add(sharding);
    const auto [first, last] = steps_.equal_range(hash.value());
    for (auto known = first; known != last; ++known) {
      const Step& step = known->second;
      if (step.rule == &rule && step.is_elementwise == is_elementwise &&
          step.directions == directions &&
          std::equal(step.before.begin(), step.before.end(), shardings_.begin(),
                     shardings_.end())) {
        return step;
      }
    }
    Step step = {&rule, is_elementwise, directions, {shardings_.begin(), shardings_.end()}, {}};
    if (ProjectAll(rule, shardings_)) {
      PropagateFactors(projected_, rule, is_elementwise, directions);
      const auto add = [&](const TensorProjection& projection, const TensorFactors& tensor) {
        const ReductionOp reduction = ReductionOf(step.before[step.after.size()]);
        step.after.push_back(projection.is_updated
                                 ? Known(Unproject(projection, tensor, rule, mesh, reduction))
                                 : nullptr);
      };
      for (size_t i = 0; i < rule.operands.size(); ++i) {
        add(projected_.operands[i], rule.operands[i]);
      }
      for (size_t i = 0; i < rule.results.size(); ++i) {
        add(projected_.results[i], rule.results[i]);
      }
    }
    return steps_.emplace(hash.value(), std::move(step))->second;
  }

  // Whether all arrays of a node whose arrays have one shape are spread alike, or not at all.
  bool AreAlike(const FlowNode& node) const {
    const Sharding* first = nullptr;
    for (size_t i = 0; i < shardings_.size(); ++i) {
      const size_t operands = node.operands.size();
      const int32_t place = i < operands ? node.operands[i] : node.results[i - operands];
      if (place < 0) return false;
      if (flow_.places[static_cast<size_t>(place)].owner->type.IsScalar()) continue;
      if (shardings_[i] == nullptr) return false;
      if (first == nullptr) first = shardings_[i];
      if (!HaveSameAxes(*first, *shardings_[i])) return false;
    }
    return true;
  }

  // Whether the node was visited in vain, and nothing around it has changed since.
  bool IsSettled(int32_t index, FactorDirections directions) const {
    const FlowNode& node = flow_.nodes[static_cast<size_t>(index)];
    const Settled& settled = settled_[static_cast<size_t>(index)];
    const auto is_old = [&](int32_t place) {
      return place < 0 || changed_[static_cast<size_t>(place)] <= settled.at;
    };
    return (settled.for_all || settled.directions == directions) &&
           std::all_of(node.operands.begin(), node.operands.end(), is_old) &&
           std::all_of(node.results.begin(), node.results.end(), is_old);
  }

  // Into projected_.
  bool ProjectAll(const Rule& rule, std::span<const Sharding* const> shardings) {
    const size_t num_operands = rule.operands.size();
    if (tensors_.size() < shardings.size()) tensors_.resize(shardings.size());
    projected_.operands = std::span(tensors_).first(num_operands);
    projected_.results = std::span(tensors_).subspan(num_operands, rule.results.size());
    for (size_t i = 0; i < shardings.size(); ++i) {
      const TensorFactors& tensor =
          i < num_operands ? rule.operands[i] : rule.results[i - num_operands];
      if (shardings[i] != nullptr && shardings[i]->dims.size() != tensor.size()) return false;
      Project(tensor, shardings[i], rule, tensors_[i]);
    }
    return true;
  }

  // Whether the sharding changed.
  static bool Set(const Sharding*& old, const Sharding* made) {
    if (old == nullptr ? !HasAxes(*made) : made == old || *made == *old) return false;
    old = made;
    return true;
  }

  static ReductionOp ReductionOf(const Sharding* sharding) {
    return sharding == nullptr ? ReductionOp::kSum : sharding->reduction;
  }

  void Update(int32_t place, const Sharding* made, int32_t from) {
    if (place < 0 || made == nullptr || !Set(places_[static_cast<size_t>(place)], made)) return;
    HasChanged(place);
    Spread(place, from);
    ShareInGroup(place);
    for (int32_t other : GroupOf(place)) {
      if (other != place) Spread(other, kNoNode);
    }
  }

  static constexpr int32_t kNoNode = -1;

  void HasChanged(int32_t place) { changed_[static_cast<size_t>(place)] = ++now_; }

  // The sharding of a place has changed by the node.
  void Spread(int32_t place, int32_t from) {
    ShowOtherSide(place);
    PushUsers(flow_.places[static_cast<size_t>(place)].other_side, from);
    PushUsers(place, from);
  }

  std::span<const int32_t> GroupOf(int32_t place) const {
    const int32_t group = flow_.places[static_cast<size_t>(place)].group;
    if (group < 0) return {};
    return flow_.groups[static_cast<size_t>(group)];
  }

  void ShareInGroup(int32_t place) {
    for (int32_t other : GroupOf(place)) {
      if (other == place) continue;
      HasChanged(other);
      places_[static_cast<size_t>(other)] = places_[static_cast<size_t>(place)];
    }
  }

  // What goes through the border of a manual computation has changed on one side.
  void ShowOtherSide(int32_t place) {
    const FlowPlace& changed = flow_.places[static_cast<size_t>(place)];
    if (changed.other_side < 0) return;
    const size_t other = static_cast<size_t>(changed.other_side);
    const Sharding* const sharding = places_[static_cast<size_t>(place)];
    if (sharding == nullptr) return;
    HasChanged(changed.other_side);
    places_[other] =
        Known(changed.is_inside ? WithAxesOf(*sharding, places_[other], *changed.manual_axes)
                                : WithoutAxes(*sharding, *flow_.places[other].manual_axes));
  }

  // What is pushed last goes first: the users, from the first one on.
  void PushUsers(int32_t place, int32_t from) {
    if (place < 0) return;
    const FlowPlace& changed = flow_.places[static_cast<size_t>(place)];
    const auto push = [&](int32_t node) {
      if (node != from) Push(node);
    };
    for (size_t i = changed.other_users.size(); i > 0; --i) push(changed.other_users[i - 1]);
    push(changed.maker);
    for (size_t i = changed.owner_users.size(); i > 0; --i) push(changed.owner_users[i - 1]);
  }

  // Between what is returned and how users see it.
  void PropagateResults() {
    const auto& returned = module_.entry->body->terminator()->operands;
    for (size_t i = 0; i < returned.size(); ++i) {
      if (returned[i]->type.kind != Type::Kind::kTensor) continue;
      const int32_t place = flow_.place_of[static_cast<size_t>(returned[i]->id)];
      const Sharding*& value = places_[static_cast<size_t>(place)];
      const Sharding* const shardings[] = {value, results_[i]};
      const MeshRef* const mesh = CommonMesh(shardings);
      if (mesh == nullptr) continue;
      const bool is_known = value != nullptr && results_[i] != nullptr;
      if (is_known && HaveSameAxes(*value, *results_[i])) continue;
      const Rule rule = IdentityRule(returned[i]->type.dims, 1);
      if (!ProjectAll(rule, shardings)) continue;
      PropagateFactors(projected_, rule, false, {kBothWays, kBothWays});
      const TensorProjection &inside = projected_.operands[0], &outside = projected_.results[0];
      if (inside.is_updated) {
        Set(value, Known(Unproject(inside, rule.operands[0], rule, *mesh, ReductionOf(value))));
        HasChanged(place);
        ShareInGroup(place);
      }
      if (outside.is_updated) {
        Set(results_[i],
            Known(Unproject(outside, rule.results[0], rule, *mesh, ReductionOf(results_[i]))));
      }
    }
  }

  // --- What users may see.

  // The longest part of each list of axes that divides its dimension.
  static void MakeEven(Sharding& sharding, const Type& type) {
    if (sharding.dims.size() != type.dims.size()) return;
    for (size_t i = 0; i < sharding.dims.size(); ++i) {
      DimSharding& dim = sharding.dims[i];
      int64_t remaining = type.dims[i];
      if (remaining % SizeOf(dim.axes) == 0) continue;
      AxisList even;
      for (const Axis& axis : dim.axes) {
        const int64_t common = std::gcd(axis.size, remaining);
        if (common == 1) break;
        even.push_back({axis.index, axis.pre_size, common});
        remaining /= common;
        if (common != axis.size) break;
      }
      dim.axes = std::move(even);
    }
  }

  // In open dimensions, parts of axes were not asked for; on a flat mesh all are parts.
  static void DropParts(Sharding& sharding) {
    if (IsFlat(*sharding.mesh)) return;
    for (DimSharding& dim : sharding.dims) {
      if (dim.is_closed) continue;
      AxisList whole;
      for (const Axis& axis : dim.axes) {
        if (axis.size != sharding.mesh->axes[static_cast<size_t>(axis.index)].size) break;
        whole.push_back(axis);
      }
      dim.axes = std::move(whole);
    }
  }

  ShardingRef Close(const Sharding* sharding) {
    if (sharding == nullptr) return nullptr;
    ShardingRef& closed = closed_[sharding];
    if (closed != nullptr) return closed;
    Sharding made = *sharding;
    for (DimSharding& dim : made.dims) {
      dim.is_closed = true;
      dim.priority = DimSharding::kNoPriority;
    }
    return closed = table_.Find(std::move(made));
  }

  // What users may see of it.
  void Show(const Sharding*& sharding, const Type& type) {
    if (sharding == nullptr) return;
    Sharding shown = *sharding;
    MakeEven(shown, type);
    DropParts(shown);
    sharding = Known(std::move(shown));
  }

  PropagatedShardings Finish() {
    PropagatedShardings made;
    const Block& body = *module_.entry->body;
    for (const Value* argument : body.arguments) {
      const int32_t place = flow_.place_of[static_cast<size_t>(argument->id)];
      Show(places_[static_cast<size_t>(place)], argument->type);
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      Show(results_[i], body.terminator()->operands[i]->type);
      made.results.push_back(Close(results_[i]));
    }
    made.values.reserve(flow_.place_of.size());
    for (int32_t place : flow_.place_of) made.values.push_back(Close(ShardingAt(place)));
    return made;
  }

  Module& module_;
  OpRules& op_rules_;
  std::unordered_map<const Value*, ShardingRef> initial_;
  std::unordered_set<const Value*> joined_arguments_;
  Flow flow_;
  ShardingTable table_;
  std::vector<const Sharding*> places_;   // by place; null: nothing is known
  std::vector<const Sharding*> results_;  // of the entry
  std::vector<const Rule*> rules_;        // by node; null: not asked for yet
  std::unordered_map<const Sharding*, ShardingRef> closed_;
  std::deque<Rule> edge_rules_;
  std::unordered_multimap<size_t, Step> steps_;  // by a hash of rule and shardings
  // Counts changes of places.
  int64_t now_ = 0;
  std::vector<int64_t> changed_;  // by place: the last time
  struct Settled {
    FactorDirections directions;
    bool for_all = false;  // directions: all its arrays are spread alike, or nothing may be spread
    int64_t at = -1;
  };
  std::vector<Settled> settled_;  // by node: its last visit that changed nothing
  // Kept for their memory.
  std::vector<const Sharding*> shardings_;
  std::vector<TensorProjection> tensors_;
  ProjectedOp projected_;       // of tensors_
  std::vector<int32_t> queue_;  // nodes; the last goes first
  std::vector<bool> is_queued_;
};

}  // namespace

Expected<PropagatedShardings> Propagate(Module& module, OpRules& rules) {
  return Propagator(module, rules).Run();
}

}  // namespace plinth::compiler::partition

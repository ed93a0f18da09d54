// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/settle.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/partition/hash.h"
#include "reference_plugin/compiler/partition/local_op.h"

namespace plinth::compiler::partition {
namespace {

// What is saved must be this part of all.
constexpr double kLeastPart = 0.1;
constexpr size_t kMostValues = 256, kMostCandidates = 4;

double BytesOf(const Type& type, const Layout& layout) {
  return static_cast<double>(LocalBytes(type, layout));
}

bool Has(const AxisList& axes, const Axis& axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Whether an array in the first layout, or of terms that lie so, has all that a device needs of it
// in the second.
bool OnlySlices(const Layout& from, const Layout& to) {
  for (size_t dim = 0; dim < from.dims.size(); ++dim) {
    if (from.dims[dim].empty()) continue;
    if (!SameDevices(from.mesh, to.mesh) || !IsListPrefixOf(from.dims[dim], to.dims[dim])) {
      return false;
    }
  }
  return true;
}

// Whether axes of a dimension of the first layout are on another dimension of the second one.
bool AreElsewhere(const Layout& a, const Layout& b) {
  for (size_t i = 0; i < a.dims.size(); ++i) {
    for (size_t j = 0; j < b.dims.size(); ++j) {
      const bool any =
          i != j && std::any_of(a.dims[i].begin(), a.dims[i].end(),
                                [&](const Axis& axis) { return Overlap(axis, b.dims[j]); });
      if (any) return true;
    }
  }
  return false;
}

// In bytes that a device reads or writes, as all costs here; `start`: of a collective.
double MoveCost(const Layout& from, const Layout& to, const Type& type, double start) {
  double cost = 0;
  if (!from.unreduced.empty()) {
    const AxisList wanted = to.AllAxes();
    const bool scatters = std::all_of(from.unreduced.begin(), from.unreduced.end(),
                                      [&](const Axis& axis) { return Has(wanted, axis); });
    cost += start + (scatters ? 1 : 2) * BytesOf(type, from);
  }
  if (OnlySlices(from, to)) return cost;
  return cost + start + std::max(BytesOf(type, from), BytesOf(type, to));
}

// It costs nothing to make it anew in another layout.
bool IsMadeAnywhere(const Value* value) {
  const Op* const op = value->op;
  return op != nullptr &&
         (op->opcode == Opcode::kConstant || op->opcode == Opcode::kIota ||
          (op->opcode == Opcode::kBroadcastInDim && op->operands[0]->type.IsScalar()));
}

class Settler {
 public:
  Settler(Module& module, const Uses& uses, const CollectiveCosts& costs, double least_gain,
          OpRules& rules, WantedLayouts& wanted)
      : module_(module),
        uses_(uses),
        costs_(costs),
        least_gain_(least_gain),
        rules_(rules),
        wanted_(wanted) {}

  void Run() {
    ForEachOp(*module_.entry->body, [&](Block&, Op& op) {
      if (op.opcode == Opcode::kDotGeneral) Visit(op);
    });
  }

 private:
  // Values that lie alike, and the ops that make or use them.
  struct Cluster {
    bool Has(const Value* value) const { return is_in[static_cast<size_t>(value->id)]; }

    std::vector<const Value*> values;
    std::vector<bool> is_in;     // by value id
    std::vector<const Op*> ops;  // but those whose operands and results are all in it
    double inner_bytes = 0;      // that those write, on all devices
  };
  // What has been brought where.
  using Moved = std::vector<std::pair<const Value*, const Layout*>>;
  // Layouts of the operands of an op, and then of its result. They are in the table.
  using Layouts = SmallVector<const Layout*, 4>;
  // How an op runs whose arrays lie so, and whose result is wanted so. Layers of a model ask the
  // same again.
  struct Way {
    const Rule* rule;
    FactorSet spreadable;
    SmallVector<int64_t, 4> sizes;  // of the operands
    Layouts lie, runs;
    double multiplications;  // of one device, if the op is a product
  };

  const Layout& Of(const Value* value) const { return wanted_.Of(value); }
  const ShardingRef& ShardingOf(const Value* value) const { return wanted_.shardings().Of(value); }

  static bool IsPriced(const Op& op) {
    switch (op.opcode) {
      case Opcode::kDotGeneral:
      case Opcode::kBroadcastInDim:
      case Opcode::kTranspose:
      case Opcode::kReshape:
        return true;
      case Opcode::kReduce:
        return op.results.size() == 1;
      default:
        return IsElementwise(op.opcode) && op.results.size() == 1;
    }
  }

  // Whether nobody sees how it lies.
  bool IsFree(const Value* value) const {
    if (value->op == nullptr || !IsPriced(*value->op) || ShardingOf(value) == nullptr) return false;
    const auto& uses = uses_.Of(value);
    return ShardingOf(value)->unreduced.empty() &&
           std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
             return use.op->opcode != Opcode::kCustomCall &&
                    (use.op->opcode != Opcode::kReturn || IsEnd(*use.op));
           });
  }
  bool IsEnd(const Op& op) const { return &op == module_.entry->body->terminator(); }

  Spread SpreadOf(const Op& op, std::span<const Layout* const> operands, const Layout& result) {
    const OpRules::Local rule = rules_.LocalOf(op);
    SpreadWish wish;
    wish.rule = &rule.rule;
    wish.spreadable = rule.spreadable;
    for (const Layout* operand : operands) wish.operands.push_back(wish.WithoutTerms(*operand));
    for (const Value* operand : op.operands) {
      wish.operand_sizes.push_back(operand->type.NumElements());
    }
    wish.results.push_back(&result);
    wish.moves_axes = MovesAxes(op);
    return ChooseSpread(wish);
  }

  // How the result would lie if it were wanted nowhere.
  Layout Natural(const Op& op) {
    SmallVector<const Layout*, 4> operands;
    for (const Value* operand : op.operands) operands.push_back(&Of(operand));
    const Spread spread = SpreadOf(op, operands, Layout());
    if (spread.mesh == nullptr) return {};
    Layout layout = Reduced(LayoutsOf(rules_.LocalOf(op).rule, spread).results[0]);
    layout.Normalize();
    return layout;
  }

  void Visit(const Op& op) {
    const Value* const result = op.results[0];
    if (!IsFree(result)) return;
    const Layout& now = Of(result);
    if (now.IsReplicated()) return;
    const Layout& natural = wanted_.Kept(Natural(op));
    if (!AreElsewhere(natural, now)) return;
    const Cluster cluster = ClusterOf(result, now);
    const Layout* best = &now;
    double least = CostOf(cluster, now, now) * (1 - kLeastPart);
    for (const Layout* layout : Candidates(cluster, natural)) {
      if (layout->IsReplicated() || *layout == now || !SameDevices(layout->mesh, now.mesh)) {
        continue;
      }
      const double cost = CostOf(cluster, *layout, now);
      if (cost > least && (least_gain_ > 0 || best != &now)) continue;
      least = cost;
      best = layout;
    }
    if (best == &now) return;
    Sharding sharding;
    sharding.mesh = best->mesh;
    for (const AxisList& axes : best->dims) sharding.dims.emplace_back().axes = axes;
    const auto shared = std::make_shared<const Sharding>(std::move(sharding));
    for (const Value* value : cluster.values) wanted_.Set(value, shared);
  }

  Cluster ClusterOf(const Value* first, const Layout& layout) {
    Cluster cluster;
    cluster.is_in.resize(static_cast<size_t>(module_.num_values()), false);
    std::vector<bool> seen(static_cast<size_t>(module_.num_ops()), false);  // by op id
    const auto add = [&](const Value* value) {
      if (cluster.values.size() >= kMostValues || value->type.dims != first->type.dims ||
          !IsFree(value) || Of(value) != layout || cluster.Has(value)) {
        return;
      }
      cluster.is_in[static_cast<size_t>(value->id)] = true;
      cluster.values.push_back(value);
    };
    const auto add_op = [&](const Op* op) {
      if (seen[static_cast<size_t>(op->id)]) return;
      seen[static_cast<size_t>(op->id)] = true;
      cluster.ops.push_back(op);
      if (!IsElementwise(op->opcode)) return;
      for (const Value* operand : op->operands) add(operand);
      for (const Value* result : op->results) add(result);
    };
    add(first);
    for (size_t i = 0; i < cluster.values.size(); ++i) {
      add_op(cluster.values[i]->op);
      for (const Use& use : uses_.Of(cluster.values[i])) add_op(use.op);
    }
    std::erase_if(cluster.ops, [&](const Op* op) {
      const bool is_inner = IsInner(*op, cluster);
      if (is_inner) cluster.inner_bytes += static_cast<double>(op->type().SizeInBytes());
      return is_inner;
    });
    return cluster;
  }

  // Whether nothing moves at the op, however the cluster lies.
  static bool IsInner(const Op& op, const Cluster& cluster) {
    if (op.results.size() != 1 || !cluster.Has(op.results[0])) return false;
    if (IsMadeAnywhere(op.results[0])) return true;
    return IsElementwise(op.opcode) &&
           std::all_of(op.operands.begin(), op.operands.end(), [&](const Value* operand) {
             return operand->type.IsScalar() || IsMadeAnywhere(operand) || cluster.Has(operand);
           });
  }

  // How the cluster may lie: as what it is made of, or as what it meets.
  SmallVector<const Layout*, kMostCandidates> Candidates(const Cluster& cluster,
                                                         const Layout& natural) {
    SmallVector<const Layout*, kMostCandidates> candidates = {&natural};
    for (const Op* op : cluster.ops) {
      if (!IsElementwise(op->opcode)) continue;
      const auto add = [&](const Value* value) {
        if (value->type.dims != cluster.values[0]->type.dims || cluster.Has(value)) {
          return;
        }
        const Layout& layout = Of(value);
        if (candidates.size() < kMostCandidates &&
            std::none_of(candidates.begin(), candidates.end(),
                         [&](const Layout* other) { return *other == layout; })) {
          candidates.push_back(&layout);
        }
      };
      for (const Value* operand : op->operands) add(operand);
      for (const Value* result : op->results) add(result);
    }
    return candidates;
  }

  // What moves and is computed around the cluster if it lies so, and was to lie otherwise. Both
  // layouts are in the table.
  double CostOf(const Cluster& cluster, const Layout& layout, const Layout& before) {
    const auto layout_of = [&](const Value* value) -> const Layout& {
      return cluster.Has(value) ? layout : Of(value);
    };
    double cost = cluster.inner_bytes / static_cast<double>(SizeOf(layout.AllAxes()));
    Moved moved;
    const auto move = [&](const Value* value, const Layout& to) {
      const Layout& from = layout_of(value);
      if (IsMadeAnywhere(value) || from == to) return;
      const bool is_moved = std::any_of(moved.begin(), moved.end(), [&](const auto& known) {
        return known.first == value && *known.second == to;
      });
      if (is_moved) return;
      moved.emplace_back(value, &to);
      cost += MoveCost(from, to, value->type, costs_.start_bytes);
    };
    for (const Op* op : cluster.ops) {
      if (IsPriced(*op)) {
        cost += PricedCost(*op, layout_of, move);
        continue;
      }
      for (size_t i = 0; i < op->operands.size(); ++i) {
        const Value* const operand = op->operands[i];
        if (!cluster.Has(operand)) continue;
        move(operand, IsEnd(*op) ? wanted_.Kept(LayoutOf(wanted_.shardings().results[i].get(),
                                                         operand->type))
                                 : before);
      }
    }
    return cost;
  }

  double CostOfMultiplying(const Rule& rule, const FactorAxes& axes) const {
    double times = costs_.multiplication_bytes;
    for (const Factor& factor : rule.factors) times *= static_cast<double>(factor.size);
    for (const AxisList* of_factor : axes) {
      if (of_factor != nullptr) times /= static_cast<double>(SizeOf(*of_factor));
    }
    return times;
  }

  const Way& WayOf(const Op& op, const Layouts& lie) {
    const OpRules::Local local = rules_.LocalOf(op);
    Hash hash;
    hash.Add(&local.rule);
    for (const Layout* layout : lie) hash.Add(layout);
    const auto [first, last] = ways_.equal_range(hash.value());
    const auto known = std::find_if(first, last, [&](const auto& entry) {
      const Way& way = entry.second;
      return way.rule == &local.rule && way.lie == lie && way.spreadable == local.spreadable &&
             std::equal(op.operands.begin(), op.operands.end(), way.sizes.begin(), way.sizes.end(),
                        [](const Value* operand, int64_t size) {
                          return operand->type.NumElements() == size;
                        });
    });
    if (known != last) return known->second;
    return ways_.emplace(hash.value(), MakeWay(op, local, lie))->second;
  }

  Way MakeWay(const Op& op, const OpRules::Local& local, const Layouts& lie) {
    Way way = {&local.rule, local.spreadable, {}, lie, {}, 0};
    for (const Value* operand : op.operands) way.sizes.push_back(operand->type.NumElements());
    const auto operands = std::span(lie).first(op.operands.size());
    const Layout& wanted = *lie.back();
    FactorAxes axes;
    if (RunsOnParts(local.rule, local.spreadable, operands, wanted, axes)) {
      way.runs = lie;
      way.multiplications = CostOfMultiplying(local.rule, axes);
      return way;
    }
    const Spread spread = SpreadOf(op, operands, wanted);
    OpLayouts layouts;
    if (spread.mesh == nullptr) {
      layouts.operands.resize(op.operands.size());
      layouts.results.resize(1);
    } else {
      layouts = LayoutsOf(local.rule, spread);
    }
    for (const Layout& layout : layouts.operands) way.runs.push_back(&wanted_.Kept(layout));
    way.runs.push_back(&wanted_.Kept(layouts.results[0]));
    axes.clear();
    for (const AxisList& of_factor : spread.axes) axes.push_back(&of_factor);
    way.multiplications = CostOfMultiplying(local.rule, axes);
    return way;
  }

  template <typename LayoutOfValue, typename Move>
  double PricedCost(const Op& op, const LayoutOfValue& layout_of, const Move& move) {
    const Value* const result = op.results[0];
    Layouts lie;
    for (const Value* operand : op.operands) lie.push_back(&layout_of(operand));
    lie.push_back(&layout_of(result));
    const Way& way = WayOf(op, lie);
    double work = BytesOf(result->type, *way.runs.back());
    for (size_t i = 0; i < op.operands.size(); ++i) {
      move(op.operands[i], *way.runs[i]);
      if (op.opcode == Opcode::kReduce) work += BytesOf(op.operands[i]->type, *way.runs[i]);
    }
    if (op.opcode == Opcode::kDotGeneral) work += way.multiplications;
    return work + MoveCost(*way.runs.back(), *lie.back(), result->type, costs_.start_bytes);
  }

  Module& module_;
  const Uses& uses_;
  const CollectiveCosts& costs_;
  const double least_gain_;
  OpRules& rules_;
  WantedLayouts& wanted_;
  std::unordered_multimap<size_t, Way> ways_;  // by a hash of what is asked
};

}  // namespace

void Settle(Module& module, const Uses& uses, const CollectiveCosts& costs, double least_gain,
            OpRules& rules, WantedLayouts& wanted) {
  Settler(module, uses, costs, least_gain, rules, wanted).Run();
}

}  // namespace plinth::compiler::partition

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/flow.h"

#include <unordered_map>
#include <utility>

#include "reference_plugin/compiler/ir/print.h"
#include "reference_plugin/compiler/partition/manual.h"
#include "reference_plugin/compiler/partition/rule.h"
#include "reference_plugin/compiler/partition/split_constants.h"

namespace plinth::compiler::partition {
namespace {

class FlowMaker {
 public:
  explicit FlowMaker(Module& module)
      : module_(module), num_uses_(CountUses(module, *module.entry->body)) {
    flow_.place_of.assign(static_cast<size_t>(module.num_values()), -1);
    // Most values have one, and most ops are nodes.
    flow_.places.reserve(static_cast<size_t>(module.num_values()));
    flow_.nodes.reserve(static_cast<size_t>(module.num_ops()));
  }

  Expected<Flow> Make() && {
    Block& body = *module_.entry->body;
    PLINTH_RETURN_IF_ERROR(MakePlaces(body, {}));
    MakeNodes(body);
    PLINTH_RETURN_IF_ERROR(MakeGroups(body));
    return std::move(flow_);
  }

 private:
  int32_t NewPlace(Value* owner) {
    flow_.places.emplace_back().owner = owner;
    return static_cast<int32_t>(flow_.places.size()) - 1;
  }
  int32_t& PlaceOf(const Value* value) { return flow_.place_of[static_cast<size_t>(value->id)]; }

  Status MakePlaces(Block& block, const ManualAxes& outer) {
    for (Value* argument : block.arguments) {
      if (PlaceOf(argument) < 0) PlaceOf(argument) = NewPlace(argument);
    }
    for (Op* op : block.ops) {
      for (Value* result : op->results) {
        PlaceOf(result) = NewPlace(result);
        if (op->opcode != Opcode::kWhile) continue;
        for (Block* inner : op->blocks) {
          PlaceOf(inner->arguments[static_cast<size_t>(result->index)]) = PlaceOf(result);
        }
      }
      if (HasScalarRegions(op->opcode)) continue;
      ManualAxes manual = outer;
      if (op->opcode == Opcode::kManualComputation) {
        auto found = ManualAxesOf(*op, outer);
        if (!found.ok()) return found.status().WithContext(Describe(*op));
        manual = *std::move(found);
        // Where all axes are manual, nothing is spread by others.
        if (manual.IsAll()) continue;
        MakeManualPlaces(*op, manual);
      }
      for (Block* inner : op->blocks) PLINTH_RETURN_IF_ERROR(MakePlaces(*inner, manual));
    }
    return Status();
  }

  // The region of a computation that is manual in part: what goes in has a place outside and one
  // inside; what comes out, too.
  void MakeManualPlaces(Op& op, const ManualAxes& manual) {
    Block& body = *op.blocks[0];
    ManualPlaces& made = manual_[&op];
    const AxisList* const axes = &flow_.manual_axes.emplace_back(manual.axes);
    const auto inside = [&](Value* owner, int32_t outside) {
      const int32_t place = NewPlace(owner);
      FlowPlace& made_place = flow_.places[static_cast<size_t>(place)];
      made_place.is_inside = true;
      made_place.other_side = outside;
      made_place.manual_axes = axes;
      flow_.places[static_cast<size_t>(outside)].other_side = place;
      return place;
    };
    for (size_t i = 0; i < op.operands.size(); ++i) {
      made.operands.push_back(NewOperandPlace(op, i));
      PlaceOf(body.arguments[i]) = inside(body.arguments[i], made.operands.back());
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      made.results.push_back(inside(body.terminator()->operands[i], PlaceOf(op.results[i])));
    }
  }

  int32_t NewOperandPlace(Op& op, size_t operand) {
    const int32_t place = NewPlace(op.operands[operand]);
    flow_.places[static_cast<size_t>(place)].manual = &op;
    flow_.places[static_cast<size_t>(place)].manual_operand = static_cast<int32_t>(operand);
    return place;
  }

  // Whether what is in the blocks of the op has places.
  bool GoesInto(const Op& op) const {
    return !HasScalarRegions(op.opcode) &&
           (op.opcode != Opcode::kManualComputation || manual_.contains(&op));
  }

  void AddUser(const Value* value, int32_t node) {
    const int32_t at = PlaceOf(value);
    if (at < 0) return;
    FlowPlace& place = flow_.places[static_cast<size_t>(at)];
    const auto add = [&](auto& users) {
      if (users.empty() || users.back() != node) users.push_back(node);
    };
    if (place.owner == value) {
      add(place.owner_users);
    } else {
      add(place.other_users);
    }
  }

  void AddEdge(Op* op, std::span<Value* const> sources, int32_t target) {
    if (flow_.places[static_cast<size_t>(target)].owner->type.kind != Type::Kind::kTensor) return;
    const int32_t index = static_cast<int32_t>(flow_.nodes.size());
    FlowNode& node = flow_.nodes.emplace_back();
    node.op = op;
    node.opcode = op->opcode;
    node.is_edge = true;
    for (const Value* source : sources) {
      node.operands.push_back(PlaceOf(source));
      AddUser(source, index);
    }
    node.results.push_back(target);
    flow_.places[static_cast<size_t>(target)].maker = index;
  }

  void AddOp(Op* op) {
    if (op->opcode == Opcode::kReturn || ShardingClassOf(op->opcode) == ShardingClass::kNone) {
      return;
    }
    const int32_t index = static_cast<int32_t>(flow_.nodes.size());
    FlowNode& node = flow_.nodes.emplace_back();
    node.op = op;
    node.opcode = op->opcode;
    node.is_elementwise = IsElementwiseOp(*op);
    if (op->shardings != nullptr) {
      // A member of a group is its operand; nobody uses the result.
      node.passage = op->shardings->group == OpShardings::kNoGroup ? op->shardings->passage
                                                                   : Passage::kNowhere;
    }
    for (const Value* operand : op->operands) {
      node.operands.push_back(PlaceOf(operand));
      node.has_shared_operand |=
          !operand->type.IsScalar() && num_uses_[static_cast<size_t>(operand->id)] != 1;
      AddUser(operand, index);
    }
    for (const Value* result : op->results) {
      node.results.push_back(PlaceOf(result));
      flow_.places[static_cast<size_t>(PlaceOf(result))].maker = index;
    }
  }

  // Values of one group go into one place of the table; groups that have a value in common are one.
  Status MakeGroups(Block& body) {
    std::unordered_map<int64_t, int32_t> numbers;
    Status status;
    ForEachOp(body, [&](Block&, Op& op) {
      if (!status.ok() || op.shardings == nullptr || op.shardings->group == OpShardings::kNoGroup ||
          PlaceOf(op.operands[0]) < 0) {
        return;
      }
      const auto [found, is_new] =
          numbers.emplace(op.shardings->group, static_cast<int32_t>(flow_.groups.size()));
      if (is_new) flow_.groups.emplace_back();
      status = AddToGroup(op, PlaceOf(op.operands[0]), found->second);
    });
    return status;
  }

  Status AddToGroup(const Op& op, int32_t place, int32_t group) {
    group = RootOf(group);
    std::vector<int32_t>& members = flow_.groups[static_cast<size_t>(group)];
    if (!members.empty()) {
      const Type& other = flow_.places[static_cast<size_t>(members[0])].owner->type;
      if (op.operands[0]->type.dims != other.dims) {
        return InvalidArgument(Describe(op), ": its operand is ", op.operands[0]->type.ToString(),
                               "; others of its group are ", other.ToString());
      }
    }
    const int32_t old = flow_.places[static_cast<size_t>(place)].group;
    if (old == group) return Status();
    std::vector<int32_t> added = {place};
    if (old >= 0) {
      added = std::exchange(flow_.groups[static_cast<size_t>(old)], {});
      merged_[old] = group;
    }
    for (int32_t each : added) {
      flow_.places[static_cast<size_t>(each)].group = group;
      members.push_back(each);
    }
    return Status();
  }

  int32_t RootOf(int32_t group) const {
    for (auto found = merged_.find(group); found != merged_.end(); found = merged_.find(group)) {
      group = found->second;
    }
    return group;
  }

  void MakeNodes(Block& block) {
    for (Op* op : block.ops) {
      if (ShardingClassOf(op->opcode) != ShardingClass::kFlow) AddOp(op);
      if (op->opcode == Opcode::kManualComputation) MakeEdgesIntoManual(op);
      if (GoesInto(*op)) {
        for (Block* inner : op->blocks) MakeNodes(*inner);
      }
      MakeEdges(op);
    }
  }

  void MakeEdges(Op* op) {
    switch (op->opcode) {
      case Opcode::kOptimizationBarrier:
        for (size_t i = 0; i < op->results.size(); ++i) {
          AddEdge(op, {&op->operands[i], 1}, PlaceOf(op->results[i]));
        }
        break;
      case Opcode::kWhile:
        for (size_t i = 0; i < op->results.size(); ++i) {
          Value* const sources[] = {op->operands[i], op->blocks[1]->terminator()->operands[i]};
          AddEdge(op, sources, PlaceOf(op->results[i]));
        }
        break;
      case Opcode::kIf:
      case Opcode::kCase:
        for (size_t i = 0; i < op->results.size(); ++i) {
          std::vector<Value*> sources;
          for (const Block* inner : op->blocks) sources.push_back(inner->terminator()->operands[i]);
          AddEdge(op, sources, PlaceOf(op->results[i]));
        }
        break;
      case Opcode::kManualComputation:
        MakeEdgesOutOfManual(op);
        break;
      default:
        break;
    }
  }

  // These stand before what is inside: it hears of what goes in before its own turn.
  void MakeEdgesIntoManual(Op* op) {
    const auto found = manual_.find(op);
    for (size_t i = 0; i < op->operands.size(); ++i) {
      AddEdge(op, {&op->operands[i], 1},
              found == manual_.end() ? NewOperandPlace(*op, i) : found->second.operands[i]);
    }
  }

  void MakeEdgesOutOfManual(Op* op) {
    const auto found = manual_.find(op);
    if (found == manual_.end()) return;
    const auto& returned = op->blocks[0]->terminator()->operands;
    for (size_t i = 0; i < op->results.size(); ++i) {
      AddEdge(op, {&returned[i], 1}, found->second.results[i]);
    }
  }

  struct ManualPlaces {
    std::vector<int32_t> operands, results;  // outside; inside
  };

  Module& module_;
  std::vector<int32_t> num_uses_;  // by value id
  Flow flow_;
  std::unordered_map<int32_t, int32_t> merged_;         // groups that are part of others
  std::unordered_map<const Op*, ManualPlaces> manual_;  // those that are manual in part
};

}  // namespace

Expected<Flow> MakeFlow(Module& module) { return FlowMaker(module).Make(); }

bool IsJoined(const Value* value) {
  const auto joins = [](const Op& op) {
    return ShardingClassOf(op.opcode) == ShardingClass::kFlow;
  };
  // Arguments of the blocks of loops are not told apart from others here: they have no op.
  return value->op != nullptr && joins(*value->op);
}

}  // namespace plinth::compiler::partition

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/flow.h"

#include "reference_plugin/compiler/partition/rule.h"
#include "reference_plugin/compiler/partition/split_constants.h"

namespace plinth::compiler::partition {
namespace {

class FlowMaker {
 public:
  explicit FlowMaker(Module& module) : module_(module), uses_(module, *module.entry->body) {
    flow_.place_of.assign(static_cast<size_t>(module.num_values()), -1);
  }

  Flow Make() && {
    Block& body = *module_.entry->body;
    MakePlaces(body);
    MakeNodes(body);
    return std::move(flow_);
  }

 private:
  int32_t NewPlace(Value* owner) {
    flow_.places.emplace_back().owner = owner;
    return static_cast<int32_t>(flow_.places.size()) - 1;
  }
  int32_t& PlaceOf(const Value* value) { return flow_.place_of[static_cast<size_t>(value->id)]; }

  void MakePlaces(Block& block) {
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
      if (!GoesInto(*op)) continue;
      for (Block* inner : op->blocks) MakePlaces(*inner);
    }
  }

  // Inside of a manual_computation nothing is spread by others.
  static bool GoesInto(const Op& op) {
    return !HasScalarRegions(op.opcode) && op.opcode != Opcode::kManualComputation;
  }

  void AddUser(const Value* value, int32_t node) {
    const int32_t at = PlaceOf(value);
    if (at < 0) return;
    FlowPlace& place = flow_.places[static_cast<size_t>(at)];
    auto& users = place.owner == value ? place.owner_users : place.other_users;
    if (users.empty() || users.back() != node) users.push_back(node);
  }

  void AddEdge(Op* op, std::span<Value* const> sources, int32_t target) {
    if (flow_.places[static_cast<size_t>(target)].owner->type.kind != Type::Kind::kTensor) return;
    const int32_t index = static_cast<int32_t>(flow_.nodes.size());
    FlowNode& node = flow_.nodes.emplace_back();
    node.op = op;
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
    node.is_elementwise = IsElementwiseOp(*op);
    for (const Value* operand : op->operands) {
      node.operands.push_back(PlaceOf(operand));
      node.has_shared_operand |= !operand->type.IsScalar() && uses_.Of(operand).size() != 1;
      AddUser(operand, index);
    }
    for (const Value* result : op->results) {
      node.results.push_back(PlaceOf(result));
      flow_.places[static_cast<size_t>(PlaceOf(result))].maker = index;
    }
  }

  void MakeNodes(Block& block) {
    for (Op* op : block.ops) {
      if (ShardingClassOf(op->opcode) != ShardingClass::kFlow) AddOp(op);
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
        for (size_t i = 0; i < op->operands.size(); ++i) {
          const int32_t place = NewPlace(op->operands[i]);
          flow_.places[static_cast<size_t>(place)].manual = op;
          flow_.places[static_cast<size_t>(place)].manual_operand = static_cast<int32_t>(i);
          AddEdge(op, {&op->operands[i], 1}, place);
        }
        break;
      default:
        break;
    }
  }

  Module& module_;
  Uses uses_;
  Flow flow_;
};

}  // namespace

Flow MakeFlow(Module& module) { return FlowMaker(module).Make(); }

bool IsJoined(const Value* value) {
  const auto joins = [](const Op& op) {
    return ShardingClassOf(op.opcode) == ShardingClass::kFlow;
  };
  // Arguments of the blocks of loops are not told apart from others here: they have no op.
  return value->op != nullptr && joins(*value->op);
}

}  // namespace plinth::compiler::partition

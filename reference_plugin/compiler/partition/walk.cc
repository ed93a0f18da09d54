// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/walk.h"

#include <algorithm>

namespace plinth::compiler::partition {
namespace {

bool AllTensors(const Op& op) {
  const auto is_tensor = [](const Value* value) { return IsTensor(value->type); };
  return std::all_of(op.operands.begin(), op.operands.end(), is_tensor) &&
         std::all_of(op.results.begin(), op.results.end(), is_tensor);
}

}  // namespace

void Partitioner::Enter(Block& block, std::span<const Layout> layouts) {
  const std::vector<Value*> old = std::exchange(block.arguments, {});
  for (size_t i = 0; i < old.size(); ++i) {
    Set(old[i], {module_.NewArgument(&block, LocalType(old[i]->type, layouts[i])), layouts[i]});
  }
}

Status Partitioner::MapOps(Block& block) {
  for (Op* op : block.ops) {
    if (op->opcode == Opcode::kReturn) break;
    emitter_.At(op->location);
    PLINTH_RETURN_IF_ERROR(At(*op, MapOp(*op)));
  }
  return Status();
}

Status Partitioner::MapBlock(Block& block, std::span<const Layout> results) {
  std::vector<Op*> ops;
  std::vector<Op*>* const outer = emitter_.Into(&ops);
  emitter_.BeginBlock();
  PLINTH_RETURN_IF_ERROR(MapOps(block));
  const Op& end = *block.terminator();
  emitter_.At(end.location);
  SmallVector<Value*, 8> returned;
  for (size_t i = 0; i < end.operands.size(); ++i) {
    returned.push_back(As(end.operands[i], results[i]));
  }
  emitter_.builder().AddOp(Opcode::kReturn, {returned.data(), returned.size()}, {});
  emitter_.EndBlock();
  emitter_.Into(outer);
  block.ops = std::move(ops);
  return Status();
}

bool Partitioner::UsesManual(const Op& op) const {
  return std::any_of(op.operands.begin(), op.operands.end(),
                     [&](const Value* value) { return is_manual_.contains(value); }) ||
         std::any_of(op.blocks.begin(), op.blocks.end(), [&](const Block* block) {
           return std::any_of(block->ops.begin(), block->ops.end(),
                              [&](const Op* inner) { return UsesManual(*inner); });
         });
}

Status Partitioner::MapOp(Op& op) {
  if (!has_calls_of_manual_ || emitter_.manual().is_inside) return MapOpWithin(op);
  if (IsCallOf(op, kFullToShard)) return MapFullToShard(op);
  if (IsCallOf(op, kShardToFull)) return MapShardToFull(op);
  if (op.opcode != Opcode::kPartitionId && !UsesManual(op)) return MapOpWithin(op);
  ManualAxes all;
  all.is_inside = true;
  emitter_.Within(all);
  PLINTH_RETURN_IF_ERROR(MapOpWithin(op));
  emitter_.Within({});
  for (const Value* result : op.results) is_manual_.insert(result);
  return Status();
}

Status Partitioner::MapOpWithin(Op& op) {
  switch (op.opcode) {
    case Opcode::kConstant:
      return MapConstant(op);
    case Opcode::kIota:
      return MapIota(op);
    case Opcode::kShardingConstraint:
    case Opcode::kReshard:
      return MapConstraint(op);
    case Opcode::kWhile:
      return MapWhile(op);
    case Opcode::kIf:
    case Opcode::kCase:
      return MapBranches(op);
    case Opcode::kOptimizationBarrier:
      return MapBarrier(op);
    case Opcode::kManualComputation:
      return MapManual(op);
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      if (emitter_.manual().IsAll()) break;
      return Unimplemented("the number of a device is known where all axes are manual only");
    case Opcode::kRng:
      return MapRng(op);
    case Opcode::kRngBitGenerator:
      if (emitter_.manual().IsAll()) break;
      return MapRngBits(op);
    case Opcode::kCustomCall: {
      const std::string_view target = op.Get<CustomCallAttributes>().target;
      if (target == kInspectSharding && op.operands.size() == 1) return TellSharding(op);
      if (options_.others != nullptr && options_.others->Has(target)) return MapByOthers(op);
      break;
    }
    default:
      break;
  }
  // Every device is on its own.
  if (emitter_.manual().IsAll()) return MapWhole(op);
  if (InfoOf(op.opcode).category == Category::kCollective) {
    PLINTH_RETURN_IF_ERROR(CheckCollective(op));
  } else if (OwnEffectOf(op) != Effect::kPure) {
    return MapEffect(op);
  }
  if (MapAsItLies(op)) return Status();
  const Rule& rule = rules_.LocalOf(op).rule;
  if (rule.empty() || !AllTensors(op)) return MapWhole(op);
  return MapByRule(op, rule);
}

Op* Partitioner::Emit(const Op& op, std::span<Value* const> operands, std::span<const Type> results,
                      std::shared_ptr<const Attributes> attributes) {
  Op* const made = emitter_.builder().AddOp(op.opcode, operands, results, std::move(attributes));
  made->blocks = op.blocks;
  // Regions of scalar code stay what they are, but for scalars from around them.
  if (HasScalarRegions(op.opcode)) {
    for (Block* block : op.blocks) ReplaceCaptures(*block);
  }
  return made;
}

void Partitioner::ReplaceCaptures(Block& block) {
  for (Op* inner : block.ops) {
    for (Value*& operand : inner->operands) {
      const size_t id = static_cast<size_t>(operand->id);
      if (id < locals_.size() && locals_[id].value != nullptr) operand = locals_[id].value;
    }
    for (Block* nested : inner->blocks) ReplaceCaptures(*nested);
  }
}

}  // namespace plinth::compiler::partition

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {

Status Partitioner::MapBarrier(Op& op) {
  SmallVector<Value*, 8> operands;
  std::vector<Type> types;
  for (const Value* operand : op.operands) {
    operands.push_back(LocalOf(operand).value);
    types.push_back(operands.back()->type);
  }
  Op* const made = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
  for (size_t i = 0; i < op.results.size(); ++i) {
    Set(op.results[i], {made->results[i], LocalOf(op.operands[i]).layout});
  }
  return Status();
}

Layout Partitioner::CarriedLayout(const Op& op, size_t i) const {
  Layout carried = Reduced(WantedOf(op.results[i]));
  if (op.results[i]->type.kind != Type::Kind::kTensor) return carried;
  const Layout& before = LocalOf(op.operands[i]).layout;
  const Layout made = WantedOf(op.blocks[1]->terminator()->operands[i]);
  const bool may_stay = carried.IsReplicated() || SameDevices(carried.mesh, made.mesh);
  if (made.unreduced.empty() || !SameDevices(before.mesh, made.mesh) || !may_stay ||
      !(before.unreduced == made.unreduced) || before.reduction != made.reduction) {
    return carried;
  }
  if (carried.IsReplicated()) {
    carried.mesh = made.mesh;
    carried.dims.resize(static_cast<size_t>(op.results[i]->type.rank()));
  }
  for (const Axis& axis : made.unreduced) {
    if (Overlap(axis, carried.AllAxes())) return Reduced(std::move(carried));
  }
  carried.unreduced = made.unreduced;
  carried.reduction = made.reduction;
  return carried;
}

Status Partitioner::MapWhile(Op& op) {
  std::vector<Layout> carries;
  SmallVector<Value*, 8> operands;
  std::vector<Type> types;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    carries.push_back(CarriedLayout(op, i));
    operands.push_back(As(op.operands[i], carries.back()));
    types.push_back(LocalType(op.results[i]->type, carries.back()));
  }
  for (Block* block : op.blocks) Enter(*block, carries);
  const Layout predicate = {};
  PLINTH_RETURN_IF_ERROR(MapBlock(*op.blocks[0], {&predicate, 1}));
  PLINTH_RETURN_IF_ERROR(MapBlock(*op.blocks[1], carries));
  Op* const made = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
  for (size_t i = 0; i < carries.size(); ++i) Set(op.results[i], {made->results[i], carries[i]});
  return Status();
}

Status Partitioner::MapBranches(Op& op) {
  std::vector<Layout> results;
  std::vector<Type> types;
  for (const Value* result : op.results) {
    results.push_back(Reduced(WantedOf(result)));
    types.push_back(LocalType(result->type, results.back()));
  }
  Value* const selector = As(op.operands[0], Layout());
  for (Block* block : op.blocks) PLINTH_RETURN_IF_ERROR(MapBlock(*block, results));
  Op* const made = Emit(op, {&selector, 1}, types, op.attributes);
  for (size_t i = 0; i < results.size(); ++i) Set(op.results[i], {made->results[i], results[i]});
  return Status();
}

}  // namespace plinth::compiler::partition

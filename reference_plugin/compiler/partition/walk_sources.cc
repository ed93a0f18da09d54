// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {

Status Partitioner::MapConstant(Op& op) {
  const Layout wanted = Reduced(WantedOf(op.result()));
  const bool is_splat = op.Get<ConstantAttributes>().is_splat;
  const Type type = is_splat ? LocalType(op.type(), wanted) : op.type();
  Op* const made = Emit(op, {}, {&type, 1}, op.attributes);
  LocalValue local = {made->result(), is_splat ? wanted : Layout()};
  if (!is_splat) local = {emitter_.Reshard(local.value, local.layout, op.type(), wanted), wanted};
  Set(op.result(), local);
  return Status();
}

Status Partitioner::MapIota(Op& op) {
  const Layout wanted = Reduced(WantedOf(op.result()));
  const Type type = LocalType(op.type(), wanted);
  Value* value = Emit(op, {}, {&type, 1}, op.attributes)->result();
  const size_t dim = static_cast<size_t>(op.Get<DimensionAttributes>().dimension);
  if (!wanted.IsReplicated() && !wanted.Of(dim).empty()) {
    Builder build = emitter_.builder();
    Value* const first = build.Convert(StartAlong(wanted, type, dim), type.dtype);
    value = build.Binary(Opcode::kAdd, value, build.Broadcast(first, type.dims, {}));
  }
  Set(op.result(), {value, wanted});
  return Status();
}

Value* Partitioner::StartAlong(const Layout& layout, const Type& part, size_t dim) {
  if (layout.IsReplicated() || layout.Of(dim).empty()) return emitter_.Zero(DType::kS32);
  Builder build = emitter_.builder();
  Value* const index = emitter_.IndexAlong(*layout.mesh, layout.Of(dim));
  Value* const extent = build.SplatLike(index, static_cast<double>(part.dims[dim]));
  return build.Binary(Opcode::kMultiply, index, extent);
}

Status Partitioner::MapRngBits(Op& op) {
  const Rule& rule = rules_.LocalOf(op).rule;
  const Spread spread = ChooseSpread(WishOf(op, rule));
  if (spread.mesh == nullptr) return MapWhole(op);
  const Layout layout = LayoutsOf(rule, spread).results[1];
  const Type types[] = {op.results[0]->type, LocalType(op.results[1]->type, layout)};
  SmallVector<Value*, 8> operands;
  operands.push_back(As(op.operands[0], Layout()));
  for (size_t d = 0; d < types[1].dims.size(); ++d) {
    operands.push_back(StartAlong(layout, types[1], d));
  }
  RngBitGeneratorAttributes attributes = op.Get<RngBitGeneratorAttributes>();
  attributes.whole = op.results[1]->type.dims;
  Op* const made =
      Emit(op, {operands.data(), operands.size()}, types, MakeAttributes(std::move(attributes)));
  Set(op.results[0], {made->results[0], Layout()});
  Set(op.results[1], {made->results[1], layout});
  return Status();
}

Status Partitioner::MapConstraint(Op& op) {
  // What only says of its operand that it is one of a group.
  if (op.shardings != nullptr && op.shardings->group != OpShardings::kNoGroup) return Status();
  const Layout wanted = emitter_.manual().IsAll() ? Layout() : WantedOf(op.result());
  Set(op.result(), {As(op.operands[0], wanted), wanted});
  return Status();
}

Status Partitioner::MapRng(Op& op) {
  PLINTH_RETURN_IF_ERROR(MapWhole(op));
  Set(op.result(), {emitter_.BroadcastFirst(LocalOf(op.result()).value), Layout()});
  return Status();
}

}  // namespace plinth::compiler::partition

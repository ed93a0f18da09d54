// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {

Status Partitioner::MapConstant(Op& op) {
  const Layout wanted = Reduced(WantedOf(op.result()));
  const bool is_splat = op.Get<ConstantAttributes>().is_splat;
  const Type type = is_splat ? LocalType(op.type(), wanted) : op.type();
  Op* const made = Emit(op, {}, {&type, 1}, op.attributes);
  LocalValue local = {made->result(), is_splat ? wanted : Layout()};
  if (!is_splat) local = {emitter_.Reshard(local, op.type(), wanted), wanted};
  Set(op.result(), std::move(local));
  return Status();
}

Status Partitioner::MapIota(Op& op) {
  const Layout wanted = Reduced(WantedOf(op.result()));
  const Type type = LocalType(op.type(), wanted);
  Value* value = Emit(op, {}, {&type, 1}, op.attributes)->result();
  const size_t dim = static_cast<size_t>(op.Get<DimensionAttributes>().dimension);
  if (!wanted.IsReplicated() && !wanted.Of(dim).empty()) {
    Builder build = emitter_.builder();
    Value* const index = emitter_.IndexAlong(*wanted.mesh, wanted.Of(dim));
    Value* const extent = build.SplatLike(index, static_cast<double>(type.dims[dim]));
    Value* const first = build.Convert(build.Binary(Opcode::kMultiply, index, extent), type.dtype);
    value = build.Binary(Opcode::kAdd, value, build.Broadcast(first, type.dims, {}));
  }
  Set(op.result(), {value, wanted});
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

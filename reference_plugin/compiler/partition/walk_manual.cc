// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {
namespace {

Status PartOfAxes(const Op& op) {
  return Unimplemented("@", op.Get<CustomCallAttributes>().target,
                       " over some of the axes is not supported; use sdy.manual_computation");
}

bool HasManual(const Block& block) {
  return std::any_of(block.ops.begin(), block.ops.end(), [](const Op* op) {
    return op->opcode == Opcode::kManualComputation ||
           std::any_of(op->blocks.begin(), op->blocks.end(),
                       [](const Block* inner) { return HasManual(*inner); });
  });
}

bool InspectsShardings(Block& body) {
  bool does = false;
  ForEachOp(body, [&](Block&, Op& op) { does |= IsCallOf(op, kInspectSharding); });
  return does;
}

}  // namespace

Status Partitioner::MapFullToShard(const Op& op) {
  // A result that is manual along all axes has no sharding.
  if (op.shardings != nullptr && op.shardings->results[0] != nullptr) return PartOfAxes(op);
  const LocalValue whole = LocalValueOf(op.operands[0]);
  const Layout layout = Reduced(whole.layout);
  PLINTH_RETURN_IF_ERROR(CheckView(op.operands[0]->type, layout, op.type()));
  Set(op.result(), {As(op.operands[0], layout), Layout()});
  is_manual_.insert(op.result());
  return Status();
}

Status Partitioner::MapShardToFull(const Op& op) {
  const Op* const maker = op.operands[0]->op;
  if (maker != nullptr && maker->opcode == Opcode::kShardingConstraint) return PartOfAxes(op);
  const OpShardings* const said = op.shardings.get();
  const Layout layout =
      said == nullptr ? Layout() : Reduced(LayoutOf(said->results[0].get(), op.type()));
  PLINTH_RETURN_IF_ERROR(CheckView(op.type(), layout, op.operands[0]->type));
  Set(op.result(), {LocalOf(op.operands[0]).value, layout});
  return Status();
}

Status Partitioner::CheckView(const Type& whole, const Layout& layout, const Type& part) {
  const Type expected = LocalType(whole, layout);
  if (expected == part) return Status();
  return InvalidArgument("a device's part of ", whole.ToString(), " is ", part.ToString(),
                         ", its sharding says ", expected.ToString());
}

Status Partitioner::MapManual(Op& op) {
  const OpShardings* const said = op.shardings.get();
  if (said == nullptr || said->operands.size() != op.operands.size() ||
      said->results.size() != op.results.size()) {
    return InvalidArgument("it does not say how all of its operands and results are spread");
  }
  PLINTH_ASSIGN_OR_RETURN(ManualAxes manual, ManualAxesOf(op, emitter_.manual()));
  Block& body = *op.blocks[0];
  const auto& returned = body.terminator()->operands;
  std::vector<Layout> arguments, results;  // as they are outside
  for (size_t i = 0; i < op.operands.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(arguments.emplace_back(),
                            LayoutAtBorder(said->operands[i], op.operands[i], body.arguments[i],
                                           manual, StrCat("argument ", i)));
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(
        results.emplace_back(),
        LayoutAtBorder(said->results[i], op.results[i], returned[i], manual, StrCat("result ", i)));
  }
  if (manual.IsAll() && !HasManual(body) && !InspectsShardings(body)) {
    CopyManual(op, arguments, results);
    return Status();
  }
  std::vector<Value*> entering;
  for (size_t i = 0; i < op.operands.size(); ++i)
    entering.push_back(As(op.operands[i], arguments[i]));
  // What the region uses of what is around it, every device has whole, or spread along free axes.
  std::vector<std::pair<const Value*, LocalValue>> captures;
  ForEachCapture(body, [&](const Value* value) {
    const Layout& layout = LocalOf(value).layout;
    const AxisList axes = layout.AllAxes();
    const bool is_free = std::none_of(axes.begin(), axes.end(),
                                      [&](const Axis& axis) { return Overlap(axis, manual.axes); });
    if (layout.IsReplicated() || (is_free && SameDevices(layout.mesh, manual.mesh))) return;
    captures.emplace_back(value, LocalValueOf(value));
    Set(value, {As(value, Layout()), Layout()});
  });
  for (size_t i = 0; i < op.operands.size(); ++i) {
    Set(body.arguments[i], {entering[i], LayoutInside(body.arguments[i])});
  }
  const ManualAxes outer = emitter_.Within(manual);
  PLINTH_RETURN_IF_ERROR(CheckFreeAxes(body, manual));
  PLINTH_RETURN_IF_ERROR(MapOps(body));
  emitter_.At(op.location);
  for (size_t i = 0; i < op.results.size(); ++i) {
    Set(op.results[i], {As(returned[i], LayoutInside(returned[i])), results[i]});
  }
  emitter_.Within(outer);
  // One may be met twice: the first time it was as it is outside.
  for (size_t i = captures.size(); i > 0; --i) {
    Set(captures[i - 1].first, captures[i - 1].second);
  }
  return Status();
}

Layout Partitioner::LayoutInside(const Value* value) const {
  return wanted_->shardings().Of(value) == nullptr ? Layout() : Reduced(WantedOf(value));
}

Expected<Layout> Partitioner::LayoutAtBorder(const ShardingRef& said, const Value* outside,
                                             const Value* inside, const ManualAxes& manual,
                                             std::string_view what) const {
  // What is known inside is not of the types outside, so the region's axes are looked at alone.
  PLINTH_ASSIGN_OR_RETURN(const Layout own,
                          LayoutOutside(said, outside->type, Layout(), manual.axes));
  if (const Type expected = LocalType(outside->type, own); !(expected == inside->type)) {
    return InvalidArgument(what, " of the region is ", inside->type.ToString(), "; expected ",
                           expected.ToString(), ", a part of ", outside->type.ToString());
  }
  return LayoutOutside(said, outside->type, LayoutInside(inside), manual.axes);
}

Status Partitioner::CheckFreeAxes(Block& body, const ManualAxes& manual) const {
  Status status;
  const auto check = [&](const std::vector<ShardingRef>& shardings, const Op& op) {
    for (const ShardingRef& sharding : shardings) {
      if (sharding == nullptr || manual.mesh == nullptr || !status.ok() ||
          !SameDevices(sharding->mesh, manual.mesh)) {
        continue;
      }
      for (const DimSharding& dim : sharding->dims) {
        for (const Axis& axis : dim.axes) {
          if (!Overlap(axis, manual.axes)) continue;
          status =
              At(op, InvalidArgument("the sharding ", ToString(*sharding), " has axis ",
                                     ToString(*manual.mesh, axis), ", which is manual around it"));
        }
      }
    }
  };
  ForEachOp(body, [&](Block&, Op& op) {
    if (op.shardings == nullptr) return;
    check(op.shardings->results, op);
    check(op.shardings->operands, op);
  });
  return status;
}

void Partitioner::CopyManual(Op& op, std::span<const Layout> arguments,
                             std::span<const Layout> results) {
  Block& body = *op.blocks[0];
  Cloner cloner(module_);
  for (size_t i = 0; i < op.operands.size(); ++i) {
    cloner.Map(body.arguments[i], As(op.operands[i], arguments[i]));
  }
  ForEachCapture(body, [&](const Value* value) { cloner.Map(value, As(value, Layout())); });
  const auto& returned = body.terminator()->operands;
  for (const Op* inner : body.ops) {
    if (inner->opcode == Opcode::kReturn) continue;
    Op* const copy = cloner.Clone(*inner);
    copy->shardings = nullptr;
    emitter_.ops().push_back(copy);
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    Set(op.results[i], {cloner.Find(returned[i]), results[i]});
  }
}

template <typename Visit>
void Partitioner::ForEachCapture(Block& block, const Visit& visit) {
  for (Op* inner : block.ops) {
    for (Value* operand : inner->operands) {
      const size_t id = static_cast<size_t>(operand->id);
      if (id < locals_.size() && locals_[id].value != nullptr) visit(operand);
    }
    for (Block* nested : inner->blocks) ForEachCapture(*nested, visit);
  }
}

Status Partitioner::CheckCollective(const Op& op) const {
  const ManualAxes& manual = emitter_.manual();
  if (!manual.is_inside) {
    return Unimplemented("collectives are supported in manual computations only");
  }
  Layout free;
  free.mesh = manual.mesh;
  free.dims = {manual.Free()};
  const std::vector<int64_t> places = PartsOf(free, module_.num_partitions);
  for (const std::vector<int64_t>& group : op.Get<CollectiveAttributes>().groups) {
    for (int64_t id : group) {
      const auto place_of = [&](int64_t device) { return places[static_cast<size_t>(device)]; };
      if (id < 0 || id >= module_.num_partitions || group[0] < 0 ||
          group[0] >= module_.num_partitions || place_of(id) == place_of(group[0])) {
        continue;
      }
      return InvalidArgument("it works between the devices ", group[0], " and ", id,
                             ", which differ along axes that are not manual");
    }
  }
  return Status();
}

}  // namespace plinth::compiler::partition

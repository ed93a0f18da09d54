// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/fusion.h"

#include <algorithm>
#include <numeric>

#include "reference_plugin/compiler/ir/columns.h"
#include "reference_plugin/compiler/lower/fusion_block.h"

// The walk over a block, and what becomes of each class of op. The rules for joining a group are in
// fusion_rules.cc.
namespace plinth::compiler::lower {

Expected<std::unique_ptr<FusedBlock>> FuseBlock(LowerContext& context, const Block& block) {
  auto fused = std::make_unique<FusedBlock>();
  fused->block = &block;
  fused->number = context.NextBlockNumber();
  PLINTH_RETURN_IF_ERROR(BlockFusion(context, *fused).Run());
  return fused;
}

Status BlockFusion::Run() {
  context_.Prepare(*fused_.block, fused_.number, ops_);
  groups_of_.resize(ops_.size());
  visited_.assign(ops_.size(), 0);
  next_effect_.assign(ops_.size(), -1);
  span_next_.resize(ops_.size());
  std::iota(span_next_.begin(), span_next_.end(), 0);
  int32_t last_effect = -1;
  for (size_t i = 0; i < ops_.size(); ++i) {
    const int32_t position = static_cast<int32_t>(i);
    for (const Value* operand : context_.OperandsOf(*ops_[i])) {
      if (!IsHere(operand)) continue;
      auto& users = context_.Fusion(operand).users;
      if (users.empty() || users.back() != position) users.push_back(position);
    }
    if (EffectOf(*ops_[i]) != Effect::kPure) {
      if (last_effect >= 0) next_effect_[last_effect] = position;
      last_effect = position;
    }
  }
  for (size_t i = ops_.size(); i-- > 0;) {
    PLINTH_RETURN_IF_ERROR(VisitOp(static_cast<int32_t>(i)));
  }
  ForgetUnusedRows();
  // Once each. Blocks within this one are done with their marks.
  size_t count = 0;
  for (const Value* value : fused_.captures) {
    if (context_.MarkCaptured(value, fused_.number)) fused_.captures[count++] = value;
  }
  fused_.captures.resize(count);
  return Status();
}

Status BlockFusion::VisitOp(int32_t position) {
  const Op& op = *ops_[position];
  switch (context_.ClassOf(op)) {
    case LowerClass::kReturn:
      for (size_t i = 0; i < op.operands.size(); ++i) SetHard(op.operands[i]);
      return Status();
    case LowerClass::kView:
      VisitView(op);
      return Status();
    case LowerClass::kBarrier:
      VisitBarrier(op);
      return Status();
    case LowerClass::kElementwise:
    case LowerClass::kMovement:
    case LowerClass::kReduction:
    case LowerClass::kStore:
      VisitFusible(op);
      return Status();
    case LowerClass::kSource:
      if (op.opcode == Opcode::kIota) VisitFusible(op);
      return Status();
    case LowerClass::kLibrary:
      if (context_.IsElementGather(op)) {
        VisitFusible(op);
      } else {
        VisitStandalone(op);
      }
      return Status();
    case LowerClass::kControl:
      return VisitControl(op);
    case LowerClass::kAlias:
      return Status();
    case LowerClass::kRefused:
      return Internal("lowering ", Describe(op), ": legalize has not run");
  }
  return Status();
}

SmallVector<int32_t, 8> BlockFusion::WantingGroups(const Op& op) {
  SmallVector<int32_t, 8> groups;
  for (const Value* result : op.results) {
    for (const LowerContext::Want& want : context_.Fusion(result).wants) {
      if (std::find(groups.begin(), groups.end(), want.group) == groups.end()) {
        groups.push_back(want.group);
      }
    }
  }
  return groups;
}

SmallVector<int32_t, 4> BlockFusion::WantedInstances(const Op& op, int32_t group) {
  SmallVector<int32_t, 4> instances;
  for (const Value* result : op.results) {
    for (const LowerContext::Want& want : context_.Fusion(result).wants) {
      if (want.group == group) instances.push_back(want.instance);
    }
  }
  return instances;
}

bool BlockFusion::IsHard(const Op& op) const {
  return std::any_of(op.results.begin(), op.results.end(),
                     [&](const Value* result) { return context_.IsHard(result); });
}

void BlockFusion::SetHard(const Value* value) {
  if (value->type.kind == Type::Kind::kTuple) {
    for (const Value* element : value->op->operands) SetHard(element);
    return;
  }
  context_.SetHard(value);
  if (IsHere(value)) return;
  const Op* producer = value->op;
  if (producer != nullptr && producer->opcode == Opcode::kConstant) return;
  fused_.captures.push_back(value);
}

void BlockFusion::VisitView(const Op& op) {
  bool in_memory = IsHard(op);
  // An element whose bits become several elements, or a part of one, is a view of memory only.
  const bool keeps_elements = ByteSize(op.operands[0]->type.dtype) == ByteSize(op.type().dtype);
  for (int32_t group : WantingGroups(op)) {
    if (!context_.fusion() || !keeps_elements || !TryInline(op, group, false)) in_memory = true;
  }
  if (!in_memory) return;
  context_.SetHard(op.result());
  SetHard(op.operands[0]);
}

// What is needed of its results is in memory, and so are their operands: the same bytes.
void BlockFusion::VisitBarrier(const Op& op) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    const Value* result = op.results[i];
    if (!context_.IsHard(result) && context_.Fusion(result).wants.empty()) continue;
    context_.SetHard(result);
    SetHard(op.operands[i]);
  }
}

void BlockFusion::VisitFusible(const Op& op) {
  SmallVector<int32_t, 8> groups = WantingGroups(op);
  if (groups.empty() && !IsHard(op)) return;  // Nobody needs it.
  if (op.opcode == Opcode::kDynamicUpdateSlice) return VisitUpdate(op);
  if (op.opcode == Opcode::kPad && HasGaps(op)) return VisitGappedPad(op);
  if (!context_.fusion()) {
    return op.opcode == Opcode::kConcatenate ? VisitConcatenate(op) : MakeRoot(op);
  }
  MakeRows(op, groups);
  if (OnlyMoves(op) || op.opcode == Opcode::kIota) return VisitMovement(op);
  return VisitComputation(op);
}

// Costs nothing within a kernel, so every group has its own; in memory only for those that need it
// there.
void BlockFusion::VisitMovement(const Op& op) {
  bool in_memory = IsHard(op);
  SmallVector<int32_t, 8> groups = WantingGroups(op);
  if (in_memory && TryHost(op, groups)) {
    in_memory = false;
    groups = WantingGroups(op);
  }
  const int32_t position = context_.Position(&op);
  for (int32_t group : groups) {
    const auto& done = groups_of_[position];
    if (std::find(done.begin(), done.end(), group) != done.end()) continue;
    if (!TryInline(op, group, false)) in_memory = true;
  }
  if (in_memory) MakeRoot(op);
}

void BlockFusion::VisitComputation(const Op& op) {
  SmallVector<int32_t, 8> groups = WantingGroups(op);
  if (!IsHard(op)) {
    if (groups.size() == 1) {
      if (TryInline(op, groups[0], false)) return;
    } else if (IsDuplicable(op, groups)) {
      bool all = true;
      for (int32_t group : groups) all &= Compute(op, group, true);
      if (all) return;
    }
  }
  if (TryHost(op, groups)) return;
  const FusionLimits& limits = context_.target().fusion;
  if (op.opcode == Opcode::kConcatenate &&
      (op.operands.size() > limits.selected_operands ||
       op.type().NumElements() > limits.selected_elements || JoinsColumns(op, limits))) {
    return VisitConcatenate(op);
  }
  MakeRoot(op);
}

void BlockFusion::AddPart(const Op& op, int32_t group, const Value* value, IndexMap map,
                          IndexMap address) {
  Group& g = GroupAt(group);
  AddStore(context_.Position(&op), group);
  GroupOutput output;
  output.value = op.result();
  output.is_part = true;
  output.address = std::move(address);
  DropUnitDims(output.address, g.extents);
  output.instance = Demand(group, value, g.AddMap(std::move(map)), {});
  g.outputs.push_back(std::move(output));
  context_.SetHard(op.result());
  groups_of_[context_.Position(&op)].push_back(group);
}

int32_t BlockFusion::NewPart(const Op& op, std::span<const int64_t> extents, const Value* value,
                             IndexMap map, IndexMap address) {
  const int32_t group = NewGroup(op, extents);
  AddPart(op, group, value, std::move(map), std::move(address));
  return group;
}

void BlockFusion::VisitUpdate(const Op& op) {
  const Value* updated = op.operands[0];
  const Type& update = op.operands[1]->type;
  const int32_t rank = static_cast<int32_t>(update.rank());
  IndexMap address = IdentityMap(rank, rank);
  for (int32_t dim = 0; dim < rank; ++dim) {
    int64_t maximum = updated->type.dims[dim] - update.dims[dim];
    if (maximum > 0) address.dynamic.push_back({dim, op.operands[2 + dim], maximum, 1});
  }
  int32_t group = context_.fusion() ? GroupForUpdate(op) : -1;
  if (group < 0) group = NewGroup(op, update.dims);
  AddPart(op, group, op.operands[1], IdentityMap(rank, rank), std::move(address));
  GroupAt(group).outputs.back().updated = updated;
  GroupAt(group).needed.push_back(updated);
  SetHard(updated);
  NeedIndices(op, 2, group);
}

void BlockFusion::VisitConcatenate(const Op& op) {
  const int32_t rank = static_cast<int32_t>(op.type().rank());
  const int32_t dim = static_cast<int32_t>(op.Get<DimensionAttributes>().dimension);
  // Columns are made of the same rows, which one kernel then reads once.
  const bool joins_columns = JoinsColumns(op, context_.target().fusion);
  const auto outputs = static_cast<size_t>(limits().outputs);
  int64_t end = op.type().dims[dim];
  int32_t next = -1;
  for (size_t i = op.operands.size(); i-- > 0;) {
    const Dims& dims = op.operands[i]->type.dims;
    end -= dims[dim];
    const bool needed = dims[dim] > 0 || (next < 0 && i == 0);
    if (!needed) continue;
    IndexMap address = IdentityMap(rank, rank);
    address.offsets[dim] = end;
    if (joins_columns && next >= 0 && GroupAt(next).extents == dims &&
        GroupAt(next).outputs.size() < outputs) {
      AddPart(op, next, op.operands[i], IdentityMap(rank, rank), std::move(address));
      continue;
    }
    int32_t group = NewPart(op, dims, op.operands[i], IdentityMap(rank, rank), std::move(address));
    GroupAt(group).next_part = next;
    if (next >= 0) GroupAt(next).previous_part = group;
    next = group;
  }
}

void BlockFusion::VisitGappedPad(const Op& op) {
  const auto& pad = op.Get<PadAttributes>();
  const Dims& source = op.operands[0]->type.dims;
  const Dims& result = op.type().dims;
  const int32_t rank = static_cast<int32_t>(result.size());
  // Elements first..last of the operand land inside of the result. Only what lands there is sure to
  // be small, so the rest is computed modulo 2^64.
  Dims counts;
  IndexMap map = IdentityMap(rank, rank);
  IndexMap address = IdentityMap(rank, rank);
  bool any = true;
  for (int32_t dim = 0; dim < rank; ++dim) {
    const int64_t low = pad.low[dim];
    const uint64_t step = source[dim] > 1 ? static_cast<uint64_t>(pad.interior[dim]) + 1 : 1;
    const uint64_t start = static_cast<uint64_t>(low);
    const uint64_t cut = low < 0 ? 0 - start : 0;
    const uint64_t first = cut / step + (cut % step != 0 ? 1 : 0);
    int64_t count = 0;
    if (source[dim] > 0 && low < result[dim]) {
      const uint64_t room = static_cast<uint64_t>(result[dim]) - 1 - start;
      const uint64_t last = std::min(static_cast<uint64_t>(source[dim]) - 1, room / step);
      if (first <= last) count = static_cast<int64_t>(last - first) + 1;
    }
    counts.push_back(count);
    any &= count > 0;
    map.offsets[dim] = static_cast<int64_t>(first);
    address.offsets[dim] = static_cast<int64_t>(start + first * step);
    address.At(dim, dim) = static_cast<int64_t>(step);
  }
  int32_t store = -1;
  if (any) store = NewPart(op, counts, op.operands[0], std::move(map), std::move(address));
  int32_t fill = NewPart(op, result, op.operands[1], ZeroMap(0, rank), IdentityMap(rank, rank));
  if (!any) return;
  GroupAt(fill).next_part = store;
  GroupAt(store).previous_part = fill;
}

void BlockFusion::VisitStandalone(const Op& op) {
  const bool wanted = IsHard(op) || !WantingGroups(op).empty();
  if (!wanted && EffectOf(op) == Effect::kPure) return;
  for (const Value* result : op.results) context_.SetHard(result);
  for (const Value* operand : context_.OperandsOf(op)) SetHard(operand);
  Unit unit;
  unit.op = &op;
  fused_.units.push_back(std::move(unit));
}

Status BlockFusion::VisitControl(const Op& op) {
  for (const Value* result : op.results) context_.SetHard(result);
  for (const Value* operand : op.operands) SetHard(operand);
  Unit unit;
  unit.op = &op;
  const int32_t position = context_.Position(&op);
  for (const Block* block : op.blocks) {
    PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<FusedBlock> fused, FuseBlock(context_, *block));
    for (const Value* capture : fused->captures) {
      SetHard(capture);
      if (IsHere(capture)) context_.Fusion(capture).users.push_back(position);
      unit.captures.push_back(capture);
    }
    unit.blocks.push_back(std::move(fused));
  }
  fused_.units.push_back(std::move(unit));
  return Status();
}

}  // namespace plinth::compiler::lower

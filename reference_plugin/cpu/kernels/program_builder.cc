// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/program_builder.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "reference_plugin/cpu/kernels/routine.h"

namespace plinth::cpu::kernels {

using compiler::NodeKind;

Status ProgramBuilder::Build() {
  values_.resize(kernel_.body.phases.size());
  FindRows();
  for (size_t p = 0; p < kernel_.body.phases.size(); ++p) {
    PLINTH_RETURN_IF_ERROR(BuildPhase(p));
  }
  program_.reduces_rows = ReducesRows();
  const int64_t forms = static_cast<int64_t>(program_.domain.forms.size());
  const int64_t loops = static_cast<int64_t>(
      std::max(program_.parallel.counts.size(), program_.reduced.counts.size()));
  program_.forms_offset = frame_.AddRegion((3 * forms + 2 * loops) * 8);
  program_.caches_offset = frame_.AddRegion(program_.num_caches * 8);
  program_.staging_offset = frame_.AddRegion(program_.max_lanes * 16);
  program_.slots_offset =
      frame_.AddRegion(static_cast<int64_t>(frame_.slot_offsets().size() * sizeof(std::byte*)));
  return Status();
}

bool ProgramBuilder::RowsAlongLanes(const Phase& phase) const {
  return program_.lanes != Lanes::kParallel && phase.over_reduced;
}

const TileSpace& ProgramBuilder::LaneSpace(const Phase& phase) const {
  return RowsAlongLanes(phase) ? program_.reduced : program_.parallel;
}

int32_t ProgramBuilder::TakeRegister() {
  if (free_registers_.empty()) {
    const int32_t slot = frame_.AddRegister(register_bytes_);
    registers_.push_back(slot);
    return slot;
  }
  const int32_t slot = free_registers_.back();
  free_registers_.pop_back();
  return slot;
}

bool ProgramBuilder::IsRegister(int32_t slot) const {
  return std::binary_search(registers_.begin(), registers_.end(), slot);
}

void ProgramBuilder::FreeRegister(int32_t slot) {
  if (IsRegister(slot)) free_registers_.push_back(slot);
}

Status ProgramBuilder::BuildPhase(size_t p) {
  const Phase& phase = kernel_.body.phases[p];
  PhaseProgram& out = program_.phases.emplace_back();
  out.over_reduced = phase.over_reduced;
  values_[p].resize(phase.nodes.size());
  free_registers_ = registers_;
  once_per_row_.clear();

  for (size_t n = 0; n < phase.nodes.size(); ++n) {
    if (!IsComputed(phase.nodes[n])) PLINTH_RETURN_IF_ERROR(BuildLeaf(p, n));
  }
  PLINTH_RETURN_IF_ERROR(PlanUses(p));
  for (size_t n = 0; n < phase.nodes.size(); ++n) {
    if (IsComputed(phase.nodes[n])) PLINTH_RETURN_IF_ERROR(BuildOp(p, n));
  }
  SaveLeaves(p);
  BuildStores(p);
  JoinColumns(&out);
  for (const Reduction& reduction : phase.reductions) {
    PLINTH_RETURN_IF_ERROR(BuildReduction(p, reduction));
  }
  out.accumulates_runs = AccumulatesRuns(out);
  if (out.accumulates_runs) TakeIndicesFromRuns(&out);
  return Status();
}

bool ProgramBuilder::AccumulatesRuns(const PhaseProgram& phase) const {
  if (program_.lanes != Lanes::kReduced || program_.reduced.counts.size() != 1) return false;
  if (phase.reductions.size() != 1 || phase.loads.size() != 1 || !phase.rows.empty() ||
      !phase.saves.empty() || !phase.stores.empty()) {
    return false;
  }
  const ReductionProgram& reduction = phase.reductions.front();
  const LoadStep& load = phase.loads.front();
  if (!load.direct || !load.load.bounds.empty()) return false;
  const ReductionProgram::Component& component = reduction.components[0];
  // What else is computed makes indices.
  if (reduction.first_extreme != nullptr) return component.value == load.slot;
  if (!reduction.partials || !phase.iotas.empty() || !phase.code.empty()) return false;
  // Else the next tile begins with another of the partial results.
  const int64_t tile_bytes = program_.reduced.max_lanes * component.tile_bytes;
  const bool whole = tile_bytes % static_cast<int64_t>(math::kPartialBytes) == 0;
  return component.value == load.slot && (whole || program_.reduced.num_tiles == 1);
}

void ProgramBuilder::TakeIndicesFromRuns(PhaseProgram* phase) {
  ReductionProgram& reduction = phase->reductions.front();
  if (reduction.first_extreme == nullptr) return;
  ReductionProgram::Component& index = reduction.components[1];
  index.value = frame_.AddRegister(index.tile_bytes);
  phase->iotas.clear();
  phase->gathers.clear();
  phase->code.clear();
  phase->ops.clear();
}

bool ProgramBuilder::ReducesRows() const {
  for (const PhaseProgram& phase : program_.phases) {
    if (!phase.over_reduced) continue;
    if (!phase.accumulates_runs || !phase.row_loads.empty() || !phase.row_iotas.empty() ||
        !phase.row_code.empty() || !phase.row_fills.empty()) {
      return false;
    }
  }
  const auto reduces = [](const PhaseProgram& phase) { return phase.over_reduced; };
  return program_.lanes == Lanes::kReduced &&
         std::count_if(program_.phases.begin(), program_.phases.end(), reduces) == 1;
}

Status ProgramBuilder::PlanUses(size_t p) {
  const Phase& phase = kernel_.body.phases[p];
  const size_t size = phase.nodes.size();
  last_use_.assign(size, -1);
  direct_output_.assign(size, -1);
  for (size_t n = 0; n < size; ++n) {
    const Node& node = phase.nodes[n];
    if (!IsComputed(node)) continue;
    Variation variation = RowsAlongLanes(phase) ? Variation::kRow : Variation::kTile;
    for (size_t i = 0; i < node.num_operands; ++i) {
      const size_t operand = static_cast<size_t>(node.operands[i]);
      variation = std::max(variation, values_[p][operand].variation);
      last_use_[operand] = static_cast<int32_t>(n);
    }
    values_[p][n].variation = node.kind == NodeKind::kGathered ? Variation::kTile : variation;
  }
  std::vector<int32_t> store_counts(size);
  for (const compiler::Store& store : phase.stores) {
    last_use_[static_cast<size_t>(store.node)] = kUntilEnd;
    ++store_counts[static_cast<size_t>(store.node)];
  }
  for (const Reduction& reduction : phase.reductions) {
    for (int32_t input : reduction.inputs) last_use_[static_cast<size_t>(input)] = kUntilEnd;
  }
  for (size_t n = 0; n < size; ++n) {
    if (rows_[p][n] != -1) last_use_[n] = kUntilEnd;
  }
  // Loads that share a register live as long as the last of them.
  std::unordered_map<int32_t, int32_t> last_use_of_slot;
  for (size_t n = 0; n < size; ++n) {
    if (IsComputed(phase.nodes[n])) continue;
    int32_t& last = last_use_of_slot.try_emplace(values_[p][n].slot, -1).first->second;
    last = std::max(last, last_use_[n]);
  }
  int32_t last_direct = -1;
  for (size_t n = 0; n < size; ++n) {
    if (IsComputed(phase.nodes[n])) continue;
    last_use_[n] = last_use_of_slot[values_[p][n].slot];
    if (values_[p][n].direct) last_direct = std::max(last_direct, last_use_[n]);
  }
  // An output may lie over an input. So nothing is written before the inputs have been read, and
  // the op that reads last only writes over elements of the size of those it reads.
  for (const compiler::Store& store : phase.stores) {
    const size_t n = static_cast<size_t>(store.node);
    const Node& node = phase.nodes[n];
    if (!IsComputed(node) || values_[p][n].variation != Variation::kTile) continue;
    if (rows_[p][n] != -1 || store_counts[n] > 1) continue;
    PLINTH_ASSIGN_OR_RETURN(const TileStore access, MakeStore(phase, store.output));
    if (!access.IsDirect() || static_cast<int32_t>(n) < last_direct) continue;
    bool same_size = true;
    for (size_t i = 0; i < node.num_operands; ++i) {
      const size_t operand = static_cast<size_t>(node.operands[i]);
      same_size = same_size && (!values_[p][operand].direct ||
                                math::TileElementBytes(phase.nodes[operand].dtype) ==
                                    math::TileElementBytes(node.dtype));
    }
    if (same_size) direct_output_[n] = store.output;
  }
  return Status();
}

Expected<TileStore> ProgramBuilder::MakeStore(const Phase& phase, int32_t output) {
  TileStore store;
  PLINTH_ASSIGN_OR_RETURN(
      store.element,
      FindElementFunctions(kernel_.shape.outputs[static_cast<size_t>(output)].dtype));
  store.form = static_cast<int32_t>(kernel_.shape.inputs.size()) + output;
  store.map = &LaneSpace(phase).lanes[static_cast<size_t>(store.form)];
  store.run = LaneSpace(phase).run;
  return store;
}

Status ProgramBuilder::BuildOp(size_t p, size_t n) {
  const Phase& phase = kernel_.body.phases[p];
  const Node& node = phase.nodes[n];
  PhaseProgram& out = program_.phases[p];
  Value& value = values_[p][n];
  const bool row = value.variation == Variation::kRow;

  int32_t operands[3] = {0, 0, 0};
  for (size_t i = 0; i < node.num_operands; ++i) {
    operands[i] = row ? values_[p][static_cast<size_t>(node.operands[i])].slot
                      : TileSlot(p, node.operands[i]);
  }
  if (row) {
    value.slot = frame_.AddRegister(row_register_bytes());
  } else if (rows_[p][n] != -1) {
    UseRow(&out, p, n);
    value.slot = RowSlotOf(p, n);
  } else if (direct_output_[n] >= 0) {
    value.slot = frame_.AddSlot(FrameLayout::kSetWhileRunning);
    out.targets.push_back(
        {static_cast<int32_t>(kernel_.shape.inputs.size()) + direct_output_[n], value.slot});
  } else {
    FreeDead(p, n, /*same_bytes=*/true);
    value.slot = TakeRegister();
  }
  if (!row) FreeDead(p, n, /*same_bytes=*/false);
  if (node.kind == NodeKind::kGathered) {
    PLINTH_RETURN_IF_ERROR(AppendGather(p, node, value.slot, operands));
    out.ops.resize(out.code.size());
    return Status();
  }
  std::vector<Instruction>& code = row ? out.row_code : out.code;
  PLINTH_RETURN_IF_ERROR(AppendRoutine(phase.nodes, n, value.slot, operands, &code));
  NameOps(phase.nodes, n, code, row ? &out.row_ops : &out.ops);
  return Status();
}

Status ProgramBuilder::AppendGather(size_t p, const Node& node, int32_t result,
                                    const int32_t (&operands)[3]) {
  const Phase& phase = kernel_.body.phases[p];
  const compiler::Access& access = kernel_.shape.inputs[static_cast<size_t>(node.index)];
  const DType index = phase.nodes[static_cast<size_t>(node.operands[0])].dtype;
  PhaseProgram& out = program_.phases[p];
  PLINTH_ASSIGN_OR_RETURN(const ElementFunctions element, FindElementFunctions(access.dtype));
  GatherStep step;
  TileGather& gather = step.gather;
  gather.function = math::FindGather(element.memory_bytes, index);
  const size_t indices = access.value_offsets.size();
  if (gather.function == nullptr || indices > math::GatherPlace::kMostIndices) {
    return Unimplemented("gather of type ", Name(access.dtype), " at ", indices, " indices");
  }
  gather.place.num_indices = static_cast<int32_t>(indices);
  for (size_t i = 0; i < indices; ++i) {
    gather.place.indices[i] = {access.value_offsets[i].maximum,
                               access.value_offsets[i].byte_stride};
  }
  gather.map = &LaneSpace(phase).lanes[static_cast<size_t>(node.index)];
  gather.run = LaneSpace(phase).run;
  gather.index_bytes = ByteSize(index);
  gather.element_bytes = static_cast<int64_t>(element.memory_bytes);
  step.form = node.index;
  step.slot = frame_.AddRegister(static_cast<int64_t>(sizeof(TileGather)));
  // Elements in another form than tiles have are brought there from a register of their own.
  const int32_t raw = element.load == nullptr ? result : frame_.AddRegister(register_bytes_);
  const int32_t second = indices > 1 ? operands[1] : operands[0];
  out.code.push_back({GatherTile, raw, operands[0], second, step.slot, {}});
  if (element.load != nullptr) out.code.push_back({element.load, result, raw, 0, 0, {}});
  out.gathers.push_back(step);
  return Status();
}

void ProgramBuilder::NameOps(const std::vector<Node>& nodes, size_t n,
                             const std::vector<Instruction>& code, std::vector<TileOp>* ops) {
  const size_t first = ops->size();
  ops->resize(code.size());
  const Node& node = nodes[n];
  const size_t typed = node.opcode == compiler::Opcode::kSelect ? 1 : 0;
  (*ops)[first] = {&node, nodes[static_cast<size_t>(node.operands[typed])].dtype,
                   /*is_rounded=*/ops->size() > first + 1};
}

void ProgramBuilder::FreeDead(size_t p, size_t n, bool same_bytes) {
  const std::vector<Node>& nodes = kernel_.body.phases[p].nodes;
  for (size_t i = 0; i < nodes[n].num_operands; ++i) {
    const size_t operand = static_cast<size_t>(nodes[n].operands[i]);
    const Value& value = values_[p][operand];
    if (last_use_[operand] != static_cast<int32_t>(n) || value.variation != Variation::kTile) {
      continue;
    }
    const bool same =
        math::TileElementBytes(nodes[operand].dtype) == math::TileElementBytes(nodes[n].dtype);
    if (same_bytes && !same) continue;
    FreeRegister(value.slot);
    // Once, though several operands may be in it.
    for (size_t j = i; j < nodes[n].num_operands; ++j) {
      const size_t other = static_cast<size_t>(nodes[n].operands[j]);
      if (values_[p][other].slot == value.slot) last_use_[other] = -1;
    }
  }
}

void ProgramBuilder::SaveLeaves(size_t p) {
  const Phase& phase = kernel_.body.phases[p];
  for (size_t n = 0; n < phase.nodes.size(); ++n) {
    if (rows_[p][n] == -1 || IsComputed(phase.nodes[n]) ||
        values_[p][n].variation != Variation::kTile) {
      continue;
    }
    UseRow(&program_.phases[p], p, n);
    program_.phases[p].saves.push_back(
        {phase.nodes[n].dtype, values_[p][n].slot, RowSlotOf(p, n),
         static_cast<int64_t>(math::TileElementBytes(phase.nodes[n].dtype))});
  }
}

void ProgramBuilder::BuildStores(size_t p) {
  const Phase& phase = kernel_.body.phases[p];
  PhaseProgram& out = program_.phases[p];
  // Values that lie in an input's memory first: the other stores may overwrite it. The first of
  // them may overwrite the input of the second, which is therefore copied before it.
  bool copies = false;
  for (bool direct : {true, false}) {
    for (const compiler::Store& store : phase.stores) {
      const size_t n = static_cast<size_t>(store.node);
      if (values_[p][n].direct != direct || direct_output_[n] >= 0) continue;
      Expected<TileStore> access = MakeStore(phase, store.output);
      if (!access.ok()) continue;
      int32_t slot = TileSlot(p, store.node);
      if (direct && std::exchange(copies, true)) {
        const int32_t kept = TakeRegister();
        const size_t bytes = math::TileElementBytes(phase.nodes[n].dtype);
        out.code.push_back({CopyFunction(static_cast<int64_t>(bytes)), kept, slot, 0, 0, {}});
        slot = kept;
      }
      StoreStep& step = out.stores.emplace_back(StoreStep{*access, phase.nodes[n].dtype, slot});
      if (access->IsContiguous()) {
        step.memory_slot = frame_.AddSlot(FrameLayout::kSetWhileRunning);
      }
    }
  }
}

}  // namespace plinth::cpu::kernels

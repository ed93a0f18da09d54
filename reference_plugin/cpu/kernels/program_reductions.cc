// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/extremes.h"
#include "reference_plugin/cpu/kernels/program_builder.h"
#include "reference_plugin/cpu/kernels/routine.h"

namespace plinth::cpu::kernels {

using compiler::NodeKind;

Status ProgramBuilder::BuildReduction(size_t p, const Reduction& reduction) {
  ReductionProgram out;
  std::vector<Reduced>& reduced = reduced_.emplace_back();
  const std::vector<Node>& nodes = kernel_.body.phases[p].nodes;
  for (size_t c = 0; c < reduction.inputs.size(); ++c) {
    ReductionProgram::Component component;
    const DType type = nodes[static_cast<size_t>(reduction.inputs[c])].dtype;
    component.tile_bytes = static_cast<int64_t>(math::TileElementBytes(type));
    component.value = TileSlot(p, reduction.inputs[c]);
    component.initial = values_[p][static_cast<size_t>(reduction.initial[c])].slot;
    component.accumulator = frame_.AddRegister(register_bytes_);
    Reduced result{component.accumulator, program_.reduced_vectors.size()};
    if (program_.lanes == Lanes::kReduced) {
      const int32_t vector = frame_.AddRegister(program_.parallel.max_lanes * component.tile_bytes);
      program_.reduced_vectors.push_back({component.accumulator, vector, component.tile_bytes});
    }
    reduced.push_back(result);
    out.components.push_back(component);
  }
  PLINTH_RETURN_IF_ERROR(FindCommutative(reduction.combiner, &out));
  const Extremes extremes = FindExtremesOf(kernel_, kernel_.body.phases[p], reduction,
                                           static_cast<int32_t>(reduced_.size()) - 1);
  out.extremes = extremes.of_lanes;
  if (program_.lanes == Lanes::kReduced) out.first_extreme = extremes.of_row;
  if (out.commutative == nullptr && out.extremes == nullptr) {
    std::vector<int32_t> captured;
    for (int32_t node : reduction.captured) {
      captured.push_back(values_[p][static_cast<size_t>(node)].slot);
    }
    PLINTH_RETURN_IF_ERROR(BuildCombiner(reduction.combiner, captured, &out));
  }
  program_.phases[p].reductions.push_back(std::move(out));
  return Status();
}

Status ProgramBuilder::BuildCombiner(const Combiner& combiner, std::span<const int32_t> captured,
                                     ReductionProgram* out) {
  for (ReductionProgram::Component& component : out->components) {
    component.left = frame_.AddSlot(FrameLayout::kSetWhileRunning);
    component.right = frame_.AddSlot(FrameLayout::kSetWhileRunning);
    component.result = frame_.AddRegister(register_bytes_);
    component.even = frame_.AddRegister(register_bytes_);
    component.odd = frame_.AddRegister(register_bytes_);
  }
  const size_t count = out->components.size();
  std::vector<int32_t> slots(combiner.nodes.size());
  std::vector<bool> placed(count);
  for (size_t n = 0; n < combiner.nodes.size(); ++n) {
    const Node& node = combiner.nodes[n];
    if (node.kind == NodeKind::kParameter) {
      const size_t parameter = static_cast<size_t>(node.index);
      slots[n] = parameter < count       ? out->components[parameter].left
                 : parameter < 2 * count ? out->components[parameter - count].right
                                         : captured[parameter - 2 * count];
      continue;
    }
    if (node.kind == NodeKind::kConstant) {
      PLINTH_ASSIGN_OR_RETURN(slots[n], ConstantSlot(node));
      continue;
    }
    if (node.kind != NodeKind::kOp) return Internal("a combiner reads what is not its own");
    // Results get registers of their own: they are read when the combiner has run.
    slots[n] = -1;
    for (size_t c = 0; c < count; ++c) {
      if (combiner.results[c] == static_cast<int32_t>(n)) {
        slots[n] = out->components[c].result;
        placed[c] = true;
        break;
      }
    }
    if (slots[n] < 0) slots[n] = frame_.AddRegister(register_bytes_);
    int32_t operands[3] = {0, 0, 0};
    for (size_t i = 0; i < node.num_operands; ++i) {
      operands[i] = slots[static_cast<size_t>(node.operands[i])];
    }
    PLINTH_RETURN_IF_ERROR(AppendRoutine(combiner.nodes, n, slots[n], operands, &out->combiner));
  }
  for (size_t c = 0; c < count; ++c) {
    if (placed[c]) continue;
    out->combiner.push_back({CopyFunction(out->components[c].tile_bytes),
                             out->components[c].result,
                             slots[static_cast<size_t>(combiner.results[c])],
                             0,
                             0,
                             {}});
  }
  return Status();
}

}  // namespace plinth::cpu::kernels

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/plan_cost.h"

#include <set>

#include "reference_plugin/compiler/ir/op_work.h"

namespace plinth::compiler::plan {
namespace {

void AddKernel(const Kernel& kernel, PlanCost& cost) {
  double parallel = 1, all = 1;
  for (size_t d = 0; d < kernel.shape.extents.size(); ++d) {
    auto extent = static_cast<double>(kernel.shape.extents[d]);
    all *= extent;
    if (static_cast<int32_t>(d) < kernel.shape.num_parallel) parallel *= extent;
  }
  for (const Phase& phase : kernel.body.phases) {
    double points = phase.over_reduced ? all : parallel;
    for (const Node& node : phase.nodes) {
      if (node.kind != NodeKind::kOp) continue;
      (IsTranscendental(node.opcode) ? cost.transcendentals : cost.flops) += points;
    }
    for (const Reduction& reduction : phase.reductions) {
      cost.flops += points * static_cast<double>(reduction.combiner.nodes.size() -
                                                 2 * reduction.inputs.size());
    }
  }
}

double ContractedElements(const PlanStep& step) {
  if (step.opcode == Opcode::kDotGeneral) {
    const auto& dot = *std::get_if<DotAttributes>(step.attributes.get());
    double product = 1;
    for (int64_t d : dot.lhs_contracting) {
      product *= static_cast<double>(step.operands[0].type.dims[d]);
    }
    return product;
  }
  const auto& convolution = *std::get_if<ConvolutionAttributes>(step.attributes.get());
  const Type& kernel = step.operands[1].type;
  return static_cast<double>(kernel.NumElements()) /
         static_cast<double>(kernel.dims[convolution.kernel_output_feature]);
}

}  // namespace

PlanCost CostOf(const Plan& plan) {
  PlanCost cost;
  std::set<const Kernel*> kernels;
  for (const PlanStep& step : plan.steps) {
    // A step that stands in both halves of a loop of two turns counts once.
    if (step.kernel != nullptr && !kernels.insert(step.kernel.get()).second) continue;
    for (const ArrayRef& operand : step.operands) {
      cost.bytes_accessed += static_cast<double>(operand.type.SizeInBytes());
    }
    for (const ArrayRef& result : step.results) {
      cost.bytes_accessed += static_cast<double>(result.type.SizeInBytes());
    }
    if (step.kind == PlanStepKind::kKernel) AddKernel(*step.kernel, cost);
    bool is_product = step.kind == PlanStepKind::kLibrary &&
                      (step.opcode == Opcode::kDotGeneral || step.opcode == Opcode::kConvolution);
    if (is_product && step.results[0].type.NumElements() > 0) {
      cost.flops +=
          2 * static_cast<double>(step.results[0].type.NumElements()) * ContractedElements(step);
    }
  }
  return cost;
}

}  // namespace plinth::compiler::plan

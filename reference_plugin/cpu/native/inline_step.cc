// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/inline_step.h"

#include "reference_plugin/cpu/native/inline_kernel.h"
#include "reference_plugin/cpu/native/inline_scatter.h"

namespace plinth::cpu::native {

std::unique_ptr<InlineStep> InlineStep::Make(const compiler::plan::PlanStep& step) {
  if (step.kind == compiler::plan::PlanStepKind::kKernel) return InlineKernel::Make(step);
  if (step.kind != compiler::plan::PlanStepKind::kLibrary) return nullptr;
  return step.opcode == compiler::Opcode::kScatter ? InlineScatter::Make(step) : nullptr;
}

}  // namespace plinth::cpu::native

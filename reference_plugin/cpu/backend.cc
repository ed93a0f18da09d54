// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/backend.h"

#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/cpu/kernels/kernel_step.h"
#include "reference_plugin/cpu/lapack/families.h"
#include "reference_plugin/cpu/math/simd_name.h"
#include "reference_plugin/cpu/target.h"

namespace plinth::cpu {
namespace {

using compiler::PlanStep;
using compiler::PlanStepKind;

Engine KernelEngine() {
  return {[](const PlanStep& step) { return step.kind == PlanStepKind::kKernel; },
          [](const PlanStep& step, AttributeBudget&) { return PrepareKernel(step.kernel); }};
}

Engine LibraryEngine(const LibraryOptions& options) {
  return {[](const PlanStep& step) { return step.kind == PlanStepKind::kLibrary; },
          [options](const PlanStep& step, AttributeBudget&) {
            return PrepareLibraryStep(step, options);
          }};
}

}  // namespace

std::shared_ptr<const Backend> MakeBackend(const LibraryOptions& options) {
  Backend backend;
  backend.name = "CPU";
  backend.hardware = NameOf(BestSimdTarget());
  backend.target = kTarget;
  backend.engines = {KernelEngine(), CallEngine(backend.name, CpuCallFamilies(options)),
                     LibraryEngine(options)};
  return std::make_shared<const Backend>(std::move(backend));
}

}  // namespace plinth::cpu

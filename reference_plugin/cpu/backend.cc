// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/backend.h"

#include <algorithm>

#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/cpu/collectives/collective.h"
#include "reference_plugin/cpu/kernels/kernel_step.h"
#include "reference_plugin/cpu/lapack/families.h"
#include "reference_plugin/cpu/math/simd_name.h"
#include "reference_plugin/cpu/native/loop.h"
#include "reference_plugin/cpu/target.h"

namespace plinth::cpu {
namespace {

using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

backend::Engine KernelEngine(bool native) {
  auto codes = native ? std::make_shared<emit::CodeCache>() : nullptr;
  return {[](const PlanStep& step) { return step.kind == PlanStepKind::kKernel; },
          [codes](const PlanStep& step, backend::Preparation&) {
            int64_t array_bytes = 0;
            for (const compiler::plan::ArrayRef& array : step.results) {
              array_bytes = std::max(array_bytes, array.type.SizeInBytes());
            }
            return kernels::PrepareKernel(step.kernel, codes, array_bytes);
          }};
}

backend::Engine CollectiveEngine() {
  return {collectives::IsCollective, [](const PlanStep& step, backend::Preparation& shared) {
            return collectives::PrepareCollective(step, shared.lanes);
          }};
}

backend::Engine LibraryEngine(const library::LibraryOptions& options) {
  return {[](const PlanStep& step) { return step.kind == PlanStepKind::kLibrary; },
          [options](const PlanStep& step, backend::Preparation&) {
            return library::PrepareLibraryStep(step, options);
          }};
}

}  // namespace

std::shared_ptr<const backend::Backend> MakeBackend(const library::LibraryOptions& options,
                                                    const NativeOptions& native) {
  backend::Backend backend;
  backend.name = "CPU";
  backend.hardware = math::NameOf(math::BestSimdTarget());
  backend.target = kTarget;
  backend.engines = {KernelEngine(native.kernels), CollectiveEngine(),
                     backend::CallEngine(backend.name, lapack::CpuCallFamilies(options)),
                     LibraryEngine(options)};
  if (native.loops) backend.translate = native::TranslateLoops;
  return std::make_shared<const backend::Backend>(std::move(backend));
}

}  // namespace plinth::cpu

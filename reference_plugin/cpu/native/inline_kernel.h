// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_KERNEL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_KERNEL_H_

#include <memory>

#include "reference_plugin/cpu/native/inline_step.h"

namespace plinth::cpu::native {

// A kernel over a few hundred points at most.
class InlineKernel final : public InlineStep {
 public:
  static std::unique_ptr<InlineStep> Make(const compiler::plan::PlanStep& step);

  int32_t Emit(const compiler::plan::PlanStep& step, const InlineContext& context,
               std::span<const Place> operands, std::span<const Place> results) const override;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_KERNEL_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_SCATTER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_SCATTER_H_

#include <memory>

#include "reference_plugin/cpu/native/inline_step.h"

namespace plinth::cpu::native {

// A scatter of one element into an array that it works on in place, as `x.at[i, j].set(v)` or
// `.add(v)` makes it.
class InlineScatter final : public InlineStep {
 public:
  static std::unique_ptr<InlineStep> Make(const compiler::plan::PlanStep& step);

  int32_t Emit(const compiler::plan::PlanStep& step, const InlineContext& context,
               std::span<const Place> operands, std::span<const Place> results) const override;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_INLINE_SCATTER_H_

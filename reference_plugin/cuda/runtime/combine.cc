// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/combine.h"

#include <algorithm>
#include <set>

#include "reference_plugin/cuda/print/combined.h"
#include "reference_plugin/cuda/runtime/step.h"

namespace plinth::cuda {
namespace {

using compiler::plan::Allocation;
using compiler::plan::AllocationKind;
using compiler::plan::ArrayRef;
using compiler::plan::Plan;
using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

bool Meet(const Plan& plan, const ArrayRef& x, const ArrayRef& y) {
  if (x.allocation == y.allocation) return true;
  const Allocation& a = plan.allocations[static_cast<size_t>(x.allocation)];
  const Allocation& b = plan.allocations[static_cast<size_t>(y.allocation)];
  if (a.kind != AllocationKind::kArena || b.kind != AllocationKind::kArena) return false;
  return a.arena_offset < b.arena_offset + b.size && b.arena_offset < a.arena_offset + a.size;
}

// Whether one writes what the other reads or writes.
bool Depend(const Plan& plan, const PlanStep& first, const PlanStep& second) {
  const auto meet = [&](const std::vector<ArrayRef>& written, const std::vector<ArrayRef>& used) {
    return std::any_of(written.begin(), written.end(), [&](const ArrayRef& x) {
      return std::any_of(used.begin(), used.end(),
                         [&](const ArrayRef& y) { return Meet(plan, x, y); });
    });
  };
  return meet(first.results, second.operands) || meet(first.results, second.results) ||
         meet(second.results, first.operands);
}

}  // namespace

std::vector<backend::CombinedStep> CombineSteps(
    const Plan& plan, std::span<const std::shared_ptr<const backend::PreparedStep>> steps) {
  // A launch has 4 KB of parameters at least; a pointer takes eight bytes.
  constexpr size_t kMostArrays = 200;
  std::set<int32_t> targets;
  for (const PlanStep& step : plan.steps) targets.insert(step.targets.begin(), step.targets.end());
  auto printed_of = [&](size_t s) -> const PrintedStep* {
    if (plan.steps[s].kind != PlanStepKind::kKernel) return nullptr;
    const auto* step = dynamic_cast<const GpuStep*>(steps[s].get());
    return step != nullptr && MayShareLaunch(step->printed()) ? &step->printed() : nullptr;
  };
  std::vector<backend::CombinedStep> combined;
  for (size_t begin = 0; begin < plan.steps.size();) {
    std::vector<SharedStep> shared;
    size_t arrays = 0, end = begin;
    for (; end < plan.steps.size() && shared.size() < kMostSharedSteps; ++end) {
      const PlanStep& step = plan.steps[end];
      const PrintedStep* printed = printed_of(end);
      arrays += step.operands.size() + step.results.size();
      if (printed == nullptr || arrays > kMostArrays) break;
      if (end > begin && targets.contains(static_cast<int32_t>(end))) break;
      const bool depends =
          std::any_of(plan.steps.begin() + static_cast<ptrdiff_t>(begin),
                      plan.steps.begin() + static_cast<ptrdiff_t>(end),
                      [&](const PlanStep& earlier) { return Depend(plan, earlier, step); });
      if (depends) break;
      shared.push_back({printed, static_cast<int32_t>(step.operands.size()),
                        static_cast<int32_t>(step.results.size())});
    }
    if (shared.size() > 1) {
      combined.push_back({begin, end, std::make_shared<const GpuStep>(Combine(shared))});
    }
    begin = std::max(end, begin + 1);
  }
  return combined;
}

}  // namespace plinth::cuda

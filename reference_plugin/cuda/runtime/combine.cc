// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/combine.h"

#include <algorithm>
#include <set>

#include "reference_plugin/cuda/print/combined.h"
#include "reference_plugin/cuda/print/epilogue.h"
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

const PrintedStep* PrintedOf(const std::shared_ptr<const backend::PreparedStep>& step) {
  const auto* ours = dynamic_cast<const GpuStep*>(step.get());
  return ours == nullptr ? nullptr : &ours->printed();
}

// Products of a plan with what is done to their results.
class Epilogues {
 public:
  Epilogues(const Plan& plan, std::span<const std::shared_ptr<const backend::PreparedStep>> steps,
            ProductLibrary* library)
      : plan_(plan), steps_(steps), library_(library) {
    for (const PlanStep& step : plan.steps) {
      targets_.insert(step.targets.begin(), step.targets.end());
    }
  }

  // Whether the step follows a product whose epilogue it could be. It never shares a launch, with
  // or without a library: a program that is compiled for another machine has the kernels that this
  // one may need.
  bool IsCandidate(size_t s) const { return s > 0 && Find(s - 1).has_value(); }

  // The product `s` and the step after it, in one call; null if there is none.
  std::shared_ptr<const GpuStep> Fuse(size_t s) const {
    const std::optional<Epilogue> epilogue = Find(s);
    const PrintedStep* product = PrintedOf(steps_[s]);
    if (library_ == nullptr || !epilogue.has_value() || product == nullptr) return nullptr;
    if (product->actions.size() != 1 || product->actions[0].kind != Action::Kind::kProduct) {
      return nullptr;
    }
    PrintedStep fused;
    Action action = product->actions[0];
    MatrixProduct wanted = *action.product;
    const ArrayRef& result = plan_.steps[s].results[0];
    // All of the result, by one call, and a bias for each of its rows.
    if (wanted.by_pointers ||
        wanted.batch * wanted.rows * wanted.columns != result.type.NumElements() ||
        (epilogue->bias >= 0 && epilogue->bias_length != wanted.rows)) {
      return nullptr;
    }
    wanted.activation = epilogue->activation;
    wanted.has_bias = epilogue->bias >= 0;
    const std::optional<int64_t> workspace = library_->Workspace(wanted);
    if (!workspace.has_value()) return nullptr;
    const PrintedStep* kernel = PrintedOf(steps_[s + 1]);
    action.product = std::make_shared<const MatrixProduct>(wanted);
    action.bytes = *workspace;
    for (Argument& argument : action.arguments) {
      if (argument.kind == Argument::Kind::kResult) argument.index = 1;  // the kernel's
    }
    if (wanted.has_bias) {
      const auto before = static_cast<int32_t>(plan_.steps[s].operands.size());
      action.arguments.push_back({Argument::Kind::kOperand, before + epilogue->bias, 0, 0});
    }
    fused.actions.push_back(std::move(action));
    fused.label = StrCat(product->label, " + ", kernel->label);
    fused.scratch_bytes = *workspace;
    // Where it is loaded the library may be another.
    fused.spare = product->spare;
    for (const Action& own : kernel->actions) {
      if (own.kernel != nullptr) fused.spare.push_back(own.kernel);
    }
    return std::make_shared<const GpuStep>(std::move(fused));
  }

 private:
  // What step s + 1 is to the product s, if nothing else reads the product.
  std::optional<Epilogue> Find(size_t s) const {
    if (s + 1 >= plan_.steps.size() || targets_.contains(static_cast<int32_t>(s + 1))) return {};
    const PlanStep &product = plan_.steps[s], &next = plan_.steps[s + 1];
    const bool is_product = product.kind == PlanStepKind::kLibrary &&
                            (product.opcode == compiler::Opcode::kDotGeneral ||
                             product.opcode == compiler::Opcode::kConvolution);
    if (!is_product || next.kind != PlanStepKind::kKernel || next.results.size() != 1) return {};
    if (PrintedOf(steps_[s + 1]) == nullptr) return {};
    const ArrayRef &made = product.results[0], &result = next.results[0];
    int32_t operand = -1;
    for (size_t i = 0; i < next.operands.size(); ++i) {
      if (next.operands[i].allocation != made.allocation) continue;
      if (operand >= 0) return {};
      operand = static_cast<int32_t>(i);
    }
    if (operand < 0 || made.type.dtype != result.type.dtype ||
        made.type.NumElements() != result.type.NumElements()) {
      return {};
    }
    const std::optional<Epilogue> epilogue = EpilogueOf(*next.kernel, operand);
    if (!epilogue.has_value()) return {};
    // The result is written while these are read.
    for (const ArrayRef& read : product.operands) {
      if (Meet(plan_, result, read)) return {};
    }
    if (epilogue->bias >= 0 &&
        Meet(plan_, result, next.operands[static_cast<size_t>(epilogue->bias)])) {
      return {};
    }
    if (made.allocation == result.allocation) return epilogue;
    // Nobody misses what is not written.
    auto reads = [&](const ArrayRef& read) { return read.allocation == made.allocation; };
    for (size_t other = 0; other < plan_.steps.size(); ++other) {
      const auto& operands = plan_.steps[other].operands;
      if (other != s + 1 && std::any_of(operands.begin(), operands.end(), reads)) return {};
    }
    if (std::any_of(plan_.outputs.begin(), plan_.outputs.end(), reads)) return {};
    return epilogue;
  }

  const Plan& plan_;
  const std::span<const std::shared_ptr<const backend::PreparedStep>> steps_;
  ProductLibrary* const library_;
  std::set<int32_t> targets_;
};

}  // namespace

std::vector<backend::CombinedStep> CombineSteps(
    const Plan& plan, std::span<const std::shared_ptr<const backend::PreparedStep>> steps,
    ProductLibrary* library) {
  // A launch has 4 KB of parameters at least; a pointer takes eight bytes.
  constexpr size_t kMostArrays = 200;
  std::set<int32_t> targets;
  for (const PlanStep& step : plan.steps) targets.insert(step.targets.begin(), step.targets.end());
  const Epilogues epilogues(plan, steps, library);
  auto printed_of = [&](size_t s) -> const PrintedStep* {
    if (plan.steps[s].kind != PlanStepKind::kKernel) return nullptr;
    const PrintedStep* step = PrintedOf(steps[s]);
    if (step == nullptr || !MayShareLaunch(*step) || epilogues.IsCandidate(s)) return nullptr;
    return step;
  };
  std::vector<backend::CombinedStep> combined;
  for (size_t begin = 0; begin < plan.steps.size();) {
    if (auto fused = epilogues.Fuse(begin)) {
      combined.push_back({begin, begin + 2, std::move(fused)});
      begin += 2;
      continue;
    }
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

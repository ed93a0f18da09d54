// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_TEST_UTIL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_TEST_UTIL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/compiler/plan/schedule.h"

namespace plinth::compiler::plan {

// Builds schedules; step uids travel in cost_ns.
struct ScheduleBuilder {
  Schedule schedule;
  double next_uid = 1;

  int32_t Value(int64_t bytes) {
    ArrayValue value;
    value.type = Type::Tensor(DType::kU8, Dims{bytes});
    schedule.values.push_back(value);
    return static_cast<int32_t>(schedule.values.size()) - 1;
  }
  int32_t Argument(int64_t bytes) {
    int32_t value = Value(bytes);
    schedule.values[value].argument = static_cast<int32_t>(schedule.entry.arguments.size());
    schedule.entry.arguments.push_back(value);
    return value;
  }
  int32_t Constant(int64_t bytes) {
    int32_t value = Value(bytes);
    auto allocation = std::make_shared<std::vector<std::byte>>(bytes);
    schedule.values[value].constant =
        MakeAttributes(ConstantAttributes{*allocation, /*is_splat=*/false, allocation});
    return value;
  }
  int32_t View(int32_t of) {
    int32_t value = Value(schedule.values[of].type.SizeInBytes());
    schedule.values[value].view_of = of;
    return value;
  }
  std::vector<int32_t> Step(ScheduleBlock& block, std::vector<int32_t> operands,
                            const std::vector<int64_t>& result_bytes,
                            std::vector<InPlace> in_place = {}) {
    ScheduleStep step;
    step.kind = StepKind::kKernel;
    step.cost_ns = next_uid++;
    step.operands = std::move(operands);
    for (int64_t bytes : result_bytes) step.results.push_back(Value(bytes));
    step.in_place = std::move(in_place);
    block.steps.push_back(step);
    return step.results;
  }
};

// The plan for the plain target. Here and on the odd target it computes what the schedule does.
Plan PlanAndCompare(const Schedule& schedule);

// A loop in a loop in a branch; the other branch is cheap.
Schedule NestedLoops(double outer_trips, double inner_trips);

}  // namespace plinth::compiler::plan

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_TEST_UTIL_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_COST_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_COST_H_

#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::compiler::plan {

// What one run does, every step counted once (loops have no known trips).
struct PlanCost {
  double flops = 0;            // arithmetic on elements; a multiply-add is two
  double transcendentals = 0;  // exponential, logarithm, sine, ...
  double bytes_accessed = 0;   // operands read and results written, step by step
};

PlanCost CostOf(const Plan& plan);

}  // namespace plinth::compiler::plan

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_PLAN_COST_H_

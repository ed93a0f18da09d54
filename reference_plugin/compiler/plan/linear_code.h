// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_LINEAR_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_LINEAR_CODE_H_

#include <cstdint>
#include <set>
#include <vector>

#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/compiler/plan/schedule.h"
#include "reference_plugin/compiler/target.h"

// A schedule flattened to steps with jumps, before its values have places. Where control flow
// joins, explicit copies write the joined variable; the planner then removes those it can.
namespace plinth::compiler::plan {

// Variables are the schedule's values plus what flattening adds. A view and its source are one
// variable; so are a loop's carry in the condition, in the body and after the loop. A variable may
// be written more than once.
struct Variable {
  int64_t size = 0;  // bytes
  int32_t argument = -1;
  std::shared_ptr<const Attributes> constant;  // not a splat
};

// A copy without arrays does nothing: a position between two branches.
struct LinearStep {
  PlanStepKind kind = PlanStepKind::kCopy;
  const ScheduleStep* source = nullptr;    // kernel and library steps, owned by the schedule
  std::shared_ptr<const Kernel> kernel;    // set instead of `source` for fills made here
  std::vector<int32_t> operands, results;  // variables
  std::vector<Type> operand_types, result_types;
  std::vector<InPlace> in_place;
  std::vector<int32_t> targets;  // step numbers
  int32_t loop_depth = 0;
  // Copies from where a turn makes a carry to where the next one reads it: the loop.
  const ScheduleStep* turn_of = nullptr;
  // Of a turn of the loops around it: half if the code has two turns, nothing if it only runs when
  // the loop is left.
  double share = 1;
};

struct LinearLoop {
  const ScheduleStep* step = nullptr;
  int32_t num_steps = 0;
};

struct LinearCode {
  std::vector<Variable> variables;
  std::vector<LinearStep> steps;
  std::vector<int32_t> outputs;  // one variable per entry result, no two the same
  std::vector<Type> output_types;
  std::vector<PlanRegion> regions;  // if the target wants them; of these steps
  std::vector<LinearLoop> loops;
  double cost_ns = 0;
};

// Loops whose code has two turns: the second reads what the first has made where it lies, and makes
// its own where the first has read. So what turns exchange, or make of all of an array, is copied
// only when the loop is left after an odd number of turns.
using PairedLoops = std::set<const ScheduleStep*>;

Expected<LinearCode> Linearize(const Schedule& schedule, const Target& target,
                               const PairedLoops& paired = {});

}  // namespace plinth::compiler::plan

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_LINEAR_CODE_H_

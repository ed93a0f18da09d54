// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_REFERENCE_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_REFERENCE_STEP_H_

#include "plinth/reference/device.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::reference {

// Whether a device may be asked to take it: no copy or jump, no collective, no call by name.
bool IsOffered(const compiler::plan::PlanStep& step);
// A step as devices see it; refers to `step`.
Step StepOf(const compiler::plan::PlanStep& step);

}  // namespace plinth::reference

#endif  // PLINTH_REFERENCE_PLUGIN_REFERENCE_STEP_H_

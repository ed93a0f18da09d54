// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_STEPS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_STEPS_H_

#include "reference_plugin/compiler/lower/lower_context.h"

namespace plinth::compiler::lower {

// The step of an op that the kernel library carries out; its results get numbers.
Expected<plan::ScheduleStep> MakeLibraryStep(LowerContext& context, const Op& op);

// Rough time of such a step on one core.
double LibraryCost(const LowerContext& context, const Op& op);

}  // namespace plinth::compiler::lower

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_STEPS_H_

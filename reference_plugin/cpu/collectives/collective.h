// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_COLLECTIVE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_COLLECTIVE_H_

#include <cstddef>
#include <memory>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/collective_step.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::cpu::collectives {

// Of an array that a participant has.
inline std::byte* Bytes(void* pointer) { return static_cast<std::byte*>(pointer); }

// Whether the step is a collective.
bool IsCollective(const compiler::plan::PlanStep& step);

// Makes it ready; `lanes` are those of its program. Errors name the op and its place.
Expected<std::unique_ptr<backend::PreparedStep>> PrepareCollective(
    const compiler::plan::PlanStep& step, backend::LaneGroupsTable& lanes);

// The same by kind, each in the file of its name. An error does not name the op.
Expected<std::unique_ptr<backend::PreparedStep>> PrepareCombine(
    const compiler::plan::PlanStep& step, backend::LaneGroupsRef groups);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareExchange(
    const compiler::plan::PlanStep& step, backend::LaneGroupsRef groups);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareRedistribute(
    const compiler::plan::PlanStep& step, backend::LaneGroupsRef groups);

}  // namespace plinth::cpu::collectives

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_COLLECTIVES_COLLECTIVE_H_

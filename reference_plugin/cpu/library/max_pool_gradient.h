// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_MAX_POOL_GRADIENT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_MAX_POOL_GRADIENT_H_

#include <memory>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::cpu::library {

// A select_and_scatter that selects the largest (or smallest) element of f32, f64 or bf16 and
// adds: the gradient of max pooling. Null for any other.
std::unique_ptr<backend::PreparedStep> MakeMaxPoolGradient(const compiler::plan::PlanStep& step);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_MAX_POOL_GRADIENT_H_

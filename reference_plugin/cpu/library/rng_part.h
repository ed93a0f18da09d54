// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RNG_PART_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RNG_PART_H_

#include <memory>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/library/rng_stream.h"

namespace plinth::cpu::library {

// One device's part of an array of random bits: the operands after the state say where it begins,
// s32. `stream` is that of the whole array, which has dimensions `whole`.
std::unique_ptr<backend::PreparedStep> MakeRngPart(const RngStream& stream,
                                                   const compiler::Dims& whole,
                                                   const compiler::Dims& part);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RNG_PART_H_

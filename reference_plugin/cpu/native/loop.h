// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_H_

#include <memory>
#include <span>
#include <vector>

#include "reference_plugin/backend/run/native_loop.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::cpu::native {

// The loops of a plan whose steps are small kernels, as machine code: ops on a few elements are
// instructions, arrays of a few elements live in registers from turn to turn, other steps are
// calls. None where the machine has no AVX2 or does not let this process run code that it made:
// then plans run step by step, with the same results, bit for bit.
std::vector<std::unique_ptr<backend::NativeLoop>> TranslateLoops(
    const compiler::plan::Plan& plan, std::span<const backend::NativeStep> steps);

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_H_

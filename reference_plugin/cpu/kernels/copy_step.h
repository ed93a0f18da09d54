// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_COPY_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_COPY_STEP_H_

#include <cstdint>
#include <memory>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/kernel/kernel.h"

namespace plinth::cpu::kernels {

// A step for a kernel that only moves elements: whole rows by memcpy, transposes in blocks of whole
// cache lines. Null where tiles serve as well. `array_bytes`: see PrepareKernel.
std::unique_ptr<backend::PreparedStep> MakeCopyStep(
    const std::shared_ptr<const compiler::Kernel>& kernel, int64_t array_bytes);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_COPY_STEP_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_STEP_H_

#include <cstdint>
#include <memory>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/code_cache.h"

namespace plinth::cpu::kernels {

// Makes a kernel ready to run. With `codes`, its plain ops become machine code when it has run
// once, or in its first run if that is long; the bits are the same. `array_bytes`: of the largest
// array that it writes, be it a part of it; 0: it writes all of each.
Expected<std::unique_ptr<backend::PreparedStep>> PrepareKernel(
    std::shared_ptr<const compiler::Kernel> kernel,
    const std::shared_ptr<emit::CodeCache>& codes = nullptr, int64_t array_bytes = 0);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_STEP_H_

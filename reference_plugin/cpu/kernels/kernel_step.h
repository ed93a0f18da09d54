// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_STEP_H_

#include <memory>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/kernel/kernel.h"

namespace plinth::cpu::kernels {

// Makes a kernel ready to run.
Expected<std::unique_ptr<backend::PreparedStep>> PrepareKernel(
    std::shared_ptr<const compiler::Kernel> kernel);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_KERNEL_STEP_H_

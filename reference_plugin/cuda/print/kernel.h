// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_KERNEL_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_KERNEL_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

// A kernel that Verify() accepts, in the form that fits it (form.h).
Expected<PrintedStep> PrintKernel(const compiler::Kernel& kernel, const Architecture& architecture);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_KERNEL_H_

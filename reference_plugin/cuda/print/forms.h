// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_FORMS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_FORMS_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cuda/print/form.h"
#include "reference_plugin/cuda/print/program.h"

// One function per form, in the file named after it: the actions that are the kernel. The domain
// has points.
namespace plinth::cuda {

Expected<PrintedStep> PrintPointwise(const compiler::Kernel& kernel, const Form& form,
                                     const Architecture& architecture);
Expected<PrintedStep> PrintTiles(const compiler::Kernel& kernel, const Form& form,
                                 const Architecture& architecture);
Expected<PrintedStep> PrintRows(const compiler::Kernel& kernel, const Form& form,
                                const Architecture& architecture);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_FORMS_H_

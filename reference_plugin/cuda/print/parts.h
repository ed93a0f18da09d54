// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_PARTS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_PARTS_H_

#include <optional>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cuda/print/form.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

// The form in which several blocks share each row, if there are too few blocks otherwise: of rows
// that are gone over once, in the form `form` without parts. Nothing if that is better.
std::optional<Form> ChooseParts(const compiler::Kernel& kernel, const Form& form,
                                const Architecture& architecture);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_PARTS_H_

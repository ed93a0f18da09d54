// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/kernel.h"

#include <algorithm>

#include "reference_plugin/cuda/print/forms.h"

namespace plinth::cuda {
namespace {

bool HasPoints(const compiler::Kernel& kernel, const Form& form) {
  if (NumRows(kernel.shape) == 0) return false;
  return form.kind == FormKind::kRows || RowLength(kernel.shape) > 0;
}

}  // namespace

Expected<PrintedStep> PrintKernel(const compiler::Kernel& kernel,
                                  const Architecture& architecture) {
  compiler::Kernel printed = kernel;
  const bool is_once_per_row =
      std::none_of(kernel.body.phases.begin(), kernel.body.phases.end(),
                   [](const compiler::Phase& phase) { return phase.over_reduced; });
  if (is_once_per_row) {
    // Index 0 in the reduced dimensions, however long they are.
    std::fill(printed.shape.extents.begin() + printed.shape.num_parallel,
              printed.shape.extents.end(), 1);
  }
  const Form form = ChooseForm(printed, architecture);
  PrintedStep step;
  if (HasPoints(printed, form)) {
    Expected<PrintedStep> with_actions = form.kind == FormKind::kPointwise
                                             ? PrintPointwise(printed, form, architecture)
                                             : PrintRows(printed, form, architecture);
    if (!with_actions.ok()) {
      return with_actions.status().WithContext(StrCat("kernel \"", kernel.name, "\""));
    }
    step = *std::move(with_actions);
  }
  step.label = kernel.name;
  return step;
}

}  // namespace plinth::cuda

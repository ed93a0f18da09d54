// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/kernel.h"

#include <algorithm>
#include <optional>

#include "reference_plugin/cuda/print/forms.h"
#include "reference_plugin/cuda/print/moved_as_bits.h"

namespace plinth::cuda {
namespace {

bool HasPoints(const compiler::Kernel& kernel, const Form& form) {
  if (NumRows(kernel.shape) == 0) return false;
  return form.kind == FormKind::kRows || RowLength(kernel.shape) > 0;
}

// The byte that every byte of the store's result becomes, if that is all the kernel does with it.
std::optional<uint8_t> FilledByte(const compiler::Kernel& kernel, const compiler::Store& store) {
  const compiler::Node& node = kernel.body.phases[0].nodes[static_cast<size_t>(store.node)];
  const compiler::Access& output = kernel.shape.outputs[static_cast<size_t>(store.output)];
  const int64_t bytes = ByteSize(output.dtype);
  const bool is_dense = output.byte_offset == 0 && output.dynamic_offsets.empty() &&
                        (output.byte_strides.empty() ||
                         (output.byte_strides.size() == 1 && output.byte_strides[0] == bytes));
  if (node.kind != compiler::NodeKind::kConstant || !is_dense) return std::nullopt;
  const auto* constant = reinterpret_cast<const uint8_t*>(&node.constant);
  if (std::any_of(constant, constant + bytes, [&](uint8_t b) { return b != constant[0]; })) {
    return std::nullopt;
  }
  return constant[0];
}

// A kernel that only fills arrays needs no code; nothing otherwise.
std::optional<PrintedStep> PrintFills(const compiler::Kernel& kernel) {
  if (kernel.body.phases.size() != 1 || !kernel.body.phases[0].reductions.empty()) {
    return std::nullopt;
  }
  const int64_t points = NumRows(kernel.shape) * RowLength(kernel.shape);
  PrintedStep step;
  for (const compiler::Store& store : kernel.body.phases[0].stores) {
    const std::optional<uint8_t> byte = FilledByte(kernel, store);
    if (!byte.has_value()) return std::nullopt;
    const compiler::Access& output = kernel.shape.outputs[static_cast<size_t>(store.output)];
    Action action;
    action.kind = Action::Kind::kFill;
    action.arguments = {{Argument::Kind::kResult, output.buffer, 0, 0}};
    action.bytes = points * ByteSize(output.dtype);
    action.value = *byte;
    step.actions.push_back(std::move(action));
  }
  return step;
}

}  // namespace

Expected<PrintedStep> PrintKernel(const compiler::Kernel& kernel,
                                  const Architecture& architecture) {
  compiler::Kernel printed = kernel;
  MoveAsBits(printed);
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
  if (!HasPoints(printed, form)) {
    step.label = kernel.name;
    return step;
  }
  if (std::optional<PrintedStep> fills = PrintFills(printed)) {
    step = *std::move(fills);
  } else {
    Expected<PrintedStep> with_actions =
        form.kind == FormKind::kPointwise ? PrintPointwise(printed, form, architecture)
        : form.kind == FormKind::kTiles   ? PrintTiles(printed, form, architecture)
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

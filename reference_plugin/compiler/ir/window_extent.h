// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_WINDOW_EXTENT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_WINDOW_EXTENT_H_

#include <cstdint>
#include <optional>

#include "reference_plugin/compiler/ir/attributes.h"

namespace plinth::compiler {

// How many positions the window has along dimension `dim` of its lists, on an operand of that
// extent; nothing when a number on the way does not fit int64. Strides and dilations are positive.
std::optional<int64_t> WindowPositions(const Window& window, size_t dim, int64_t extent);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_WINDOW_EXTENT_H_

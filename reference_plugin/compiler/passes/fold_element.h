// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_FOLD_ELEMENT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_FOLD_ELEMENT_H_

#include <cstddef>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// Computes one element of an elementwise op. False, with nothing written, unless the result is the
// same for every back end: integers where the operation is defined, floats where the result is
// correctly rounded by definition (+ - * / sqrt, comparison, rounding, conversion) and not NaN.
bool FoldElement(const Op& op, const std::byte* const* operands, std::byte* result);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_FOLD_ELEMENT_H_

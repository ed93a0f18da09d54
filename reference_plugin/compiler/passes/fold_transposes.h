// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_FOLD_TRANSPOSES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_FOLD_TRANSPOSES_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// A matrix product reads a transposed operand where it lies, with other dimension numbers; a
// product whose transpose alone is wanted has its operands exchanged. What dimension numbers cannot
// say stays, and so does the order in which terms are summed. True if anything changed.
bool FoldTransposes(Module& module);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_FOLD_TRANSPOSES_H_

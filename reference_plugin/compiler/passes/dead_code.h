// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_DEAD_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_DEAD_CODE_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// Removes ops that nothing uses and that do nothing else (by effect class), carries of loops that
// only serve themselves, and results of branches that nobody takes. True if anything changed.
bool EliminateDeadCode(Module& module);
// The same, but loops and branches stay as they are: no value is replaced.
bool EliminateDeadOps(Module& module);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_DEAD_CODE_H_

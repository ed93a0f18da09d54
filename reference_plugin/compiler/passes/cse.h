// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_CSE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_CSE_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// Common subexpressions: a pure op that computes what an op before it computed, with the same
// operands, attributes and regions, gives way to that. Blocks of control flow see what is around
// them; regions of scalar code (of reduce, sort, ...) share nothing with the outside. True if
// anything changed.
bool EliminateCommonSubexpressions(Module& module);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_CSE_H_

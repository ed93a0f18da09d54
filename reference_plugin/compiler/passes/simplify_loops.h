// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_LOOPS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_LOOPS_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// A while's carry that every turn hands on as it is stands for its initial value: it is taken out,
// and the loop uses that value from outside. True if anything changed.
bool SimplifyLoops(Module& module);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_LOOPS_H_

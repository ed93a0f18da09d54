// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_INVARIANTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_INVARIANTS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// What every turn of a loop computes anew from the same values is computed once, before the loop
// (Target::hoisted_bytes): library steps, reductions, functions such as exp, and what a product
// would read from memory. Other ops stay: a kernel of the loop computes them where it needs them.
// True if the module changed.
bool HoistLoopInvariants(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_INVARIANTS_H_

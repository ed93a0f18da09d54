// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// Replaces ops by simpler ones, in one walk over the program: identities that hold bit for bit (NaN
// and negative zero included), chains of movements, constants that can be computed, branches whose
// condition is known. Leaves what became unused for dead code elimination. True if anything
// changed.
bool Simplify(Module& module);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_H_

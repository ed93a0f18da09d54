// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_UNROLL_LOOPS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_UNROLL_LOOPS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// A while without effects of a few turns, which are known, and a few ops becomes those ops once for
// each turn (`Target::loops`): fusion reaches across turns then, and what turns exchange is not
// copied. True if anything changed.
bool UnrollLoops(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_UNROLL_LOOPS_H_

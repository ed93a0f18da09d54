// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_INLINE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_INLINE_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// Puts the bodies of called functions in place of the calls; afterwards the entry is the only
// function. Composites that are ops of our own (chlo.top_k, chlo.erf) become those, the others
// their decomposition. A manual_computation on a single device becomes its body.
//
// UNIMPLEMENTED for recursion; RESOURCE_EXHAUSTED when the program grows without measure or nests
// too deep.
Status Inline(Module& module);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_INLINE_H_

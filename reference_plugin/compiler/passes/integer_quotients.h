// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_INTEGER_QUOTIENTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_INTEGER_QUOTIENTS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// Quotients and remainders of s32 by a constant, of large arrays (Target::quotient_elements), as
// products in f64: `x // 7`, `x % 7`. Those of s32 and s64 by a power of two, of arrays of any
// size, as shifts; where JAX rounds them down, as one shift or mask. Nothing, if the target wants
// no products.
bool DivideIntegersByMultiplying(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_INTEGER_QUOTIENTS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_PRODUCTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_PRODUCTS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// Small products leave loops of known turns, as one product for all turns (Target::loop_products):
//
// - of the slice that a turn takes from an array (`x_t @ w` in a scan), before the loop; a turn
//   takes its slice of the result.
// - that a carry sums up (the gradient of `w`), after the loop: the turns' operands are rows of
//   arrays, and the sum over the turns is part of the product's own.
//
// True if the module changed.
bool MoveProductsOutOfLoops(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_PRODUCTS_H_

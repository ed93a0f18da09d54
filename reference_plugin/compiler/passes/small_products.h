// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SMALL_PRODUCTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SMALL_PRODUCTS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// Dot products of points, products of small matrices, many at once: a dot_general of which each
// batch element takes few multiplications (Target::small_products) becomes multiplications and
// additions of arrays, which fuse with what is around them. One of somewhat longer vectors becomes
// a multiplication and a sum over rows.
bool SpellOutSmallProducts(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SMALL_PRODUCTS_H_

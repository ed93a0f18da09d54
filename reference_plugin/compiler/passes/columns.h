// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_COLUMNS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_COLUMNS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// Points, quaternions, states of a few numbers: what is computed element by element from such rows,
// each of whose columns was computed for itself, is computed column by column, and put together
// afterwards. What is cut out of it then is a column, and need not be put together at all.
bool SplitIntoColumns(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_COLUMNS_H_

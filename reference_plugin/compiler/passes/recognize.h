// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_RECOGNIZE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_RECOGNIZE_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// Finds what a program spells out in other words: a reduce_window over everything before an element
// is a cumulative_reduce (linear instead of quadratic), 1 / (1 + exp(-x)) is logistic. What is no
// op of the back end is spelled out: map becomes its ops on whole arrays, batch_norm_* arithmetic
// and sums, products of narrow types those of wider ones (expand_narrow.h). Branches in scalar code
// become selections. Constants that a scalar region takes from outside move into it. True if
// anything changed.
bool Recognize(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_RECOGNIZE_H_

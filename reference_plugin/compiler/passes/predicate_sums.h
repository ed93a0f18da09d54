// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_PREDICATE_SUMS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_PREDICATE_SUMS_H_

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// A sum over rows of 4 or 8 predicates, each times a known number (bits that are packed, elements
// that are counted), of large arrays (Target::predicate_rows): each row is one word, and one
// multiplication gives its sum. Null: the op stays.
Value* ExpandSumOfPredicates(Builder& builder, const Target& target, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_PREDICATE_SUMS_H_

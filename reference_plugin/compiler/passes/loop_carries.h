// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_CARRIES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_CARRIES_H_

#include <vector>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::passes {

// Takes the elements whose flag is not set out of a list.
template <typename List>
void KeepOnly(List& list, const std::vector<bool>& kept) {
  size_t next = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) list[next++] = list[i];
  }
  list.resize(next);
}

// Takes carries out of a kWhile: operands, results, arguments of both blocks and what the body
// returns. Nothing may use the values that go away.
void KeepCarries(Op& loop, const std::vector<bool>& kept);
// Takes results out of a kIf or kCase.
void KeepBranchResults(Op& branch, const std::vector<bool>& kept);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_CARRIES_H_

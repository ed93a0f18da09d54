// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/loop_carries.h"

namespace plinth::compiler::passes {
namespace {

template <typename List>
void Renumber(List& values) {
  for (size_t i = 0; i < values.size(); ++i) values[i]->index = static_cast<int32_t>(i);
}

}  // namespace

void KeepCarries(Op& loop, const std::vector<bool>& kept) {
  KeepOnly(loop.operands, kept);
  KeepOnly(loop.results, kept);
  Renumber(loop.results);
  for (Block* block : loop.blocks) {
    KeepOnly(block->arguments, kept);
    Renumber(block->arguments);
  }
  KeepOnly(loop.blocks[1]->terminator()->operands, kept);
}

void KeepBranchResults(Op& branch, const std::vector<bool>& kept) {
  KeepOnly(branch.results, kept);
  Renumber(branch.results);
  for (Block* block : branch.blocks) KeepOnly(block->terminator()->operands, kept);
}

}  // namespace plinth::compiler::passes

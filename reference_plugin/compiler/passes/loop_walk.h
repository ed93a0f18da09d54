// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_WALK_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_WALK_H_

#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {

// Rewrites the loops of a block and of all blocks in it, inner ones first. `rewrite(loop, out)`
// appends to `out` what takes the place of the loop, be it the loop itself, and puts what stands
// for its results into the replacements, which the operands of later ops are looked up in.
template <class Rewrite>
void RewriteLoops(Block& block, Replacements& replacements, const Rewrite& rewrite) {
  const std::vector<Op*> ops = std::exchange(block.ops, {});
  block.ops.reserve(ops.size());
  for (Op* op : ops) {
    replacements.FindAll({op->operands.data(), op->operands.size()});
    for (Block* inner : op->blocks) RewriteLoops(*inner, replacements, rewrite);
    if (op->opcode == Opcode::kWhile) {
      rewrite(*op, block.ops);
    } else {
      block.ops.push_back(op);
    }
  }
}

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LOOP_WALK_H_

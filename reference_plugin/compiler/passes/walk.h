// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_WALK_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_WALK_H_

#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {

// Rewrites the ops of a block and of all blocks in it, inner ones first. `rewrite(op, out)` appends
// to `out` what takes the place of the op, be it the op itself, and puts what stands for its
// results into the replacements, which the operands of later ops are looked up in.
template <class Rewrite>
void RewriteOps(Block& block, Replacements& replacements, const Rewrite& rewrite) {
  const std::vector<Op*> ops = std::exchange(block.ops, {});
  block.ops.reserve(ops.size());
  for (Op* op : ops) {
    replacements.FindAll({op->operands.data(), op->operands.size()});
    for (Block* inner : op->blocks) RewriteOps(*inner, replacements, rewrite);
    rewrite(*op, block.ops);
  }
}

// The same of loops alone.
template <class Rewrite>
void RewriteLoops(Block& block, Replacements& replacements, const Rewrite& rewrite) {
  RewriteOps(block, replacements, [&](Op& op, std::vector<Op*>& out) {
    if (op.opcode == Opcode::kWhile) return rewrite(op, out);
    out.push_back(&op);
  });
}

// In all functions. `replace(op, out)` is the value that stands for the only result of the op, and
// appends to `out` what makes it; null: the op stays. True if any did not.
template <class Replace>
bool ReplaceOps(Module& module, const Replace& replace) {
  bool changed = false;
  for (Function& function : module.functions) {
    Replacements replacements;
    RewriteOps(*function.body, replacements, [&](Op& op, std::vector<Op*>& out) {
      if (Value* const value = replace(op, out)) {
        replacements.Replace(op.result(), value);
        changed = true;
      } else {
        out.push_back(&op);
      }
    });
    replacements.Apply(*function.body);
  }
  return changed;
}

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_WALK_H_

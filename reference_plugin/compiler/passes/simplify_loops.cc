// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/simplify_loops.h"

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/passes/loop_carries.h"

namespace plinth::compiler::passes {
namespace {

class LoopSimplifier {
 public:
  explicit LoopSimplifier(Replacements& replacements) : replacements_(replacements) {}
  bool changed() const { return changed_; }

  void Run(Block& block) {
    for (Op* op : block.ops) {
      // Inner loops first: what they hand on unchanged may make a carry of this one invariant.
      for (Block* inner : op->blocks) Run(*inner);
      if (op->opcode == Opcode::kWhile) RunLoop(*op);
    }
  }

 private:
  void RunLoop(Op& loop) {
    Block& condition = *loop.blocks[0];
    Block& body = *loop.blocks[1];
    const auto& returned = body.terminator()->operands;
    std::vector<bool> kept(loop.operands.size(), true);
    bool any = false;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (replacements_.Find(returned[i]) != body.arguments[i]) continue;
      Value* const initial = replacements_.Find(loop.operands[i]);
      replacements_.Replace(body.arguments[i], initial);
      replacements_.Replace(condition.arguments[i], initial);
      replacements_.Replace(loop.results[i], initial);
      kept[i] = false;
      any = true;
    }
    if (!any) return;
    changed_ = true;
    KeepCarries(loop, kept);
  }

  Replacements& replacements_;
  bool changed_ = false;
};

}  // namespace

bool SimplifyLoops(Module& module) {
  Replacements replacements;
  LoopSimplifier simplifier(replacements);
  for (Function& function : module.functions) {
    simplifier.Run(*function.body);
    replacements.Apply(*function.body);
  }
  return simplifier.changed();
}

}  // namespace plinth::compiler::passes

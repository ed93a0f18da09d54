// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/unroll_loops.h"

#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/trip_count.h"
#include "reference_plugin/compiler/passes/walk.h"

namespace plinth::compiler::passes {
namespace {

// With those in inner blocks; constants cost nothing.
int64_t CountOps(const Block& block) {
  int64_t count = 0;
  for (const Op* op : block.ops) {
    if (op->opcode == Opcode::kConstant || op->opcode == Opcode::kReturn) continue;
    ++count;
    for (const Block* inner : op->blocks) count += CountOps(*inner);
  }
  return count;
}

class Unroller {
 public:
  Unroller(Module& module, const LoopLimits& limits) : limits_(limits), cloner_(module) {}
  bool changed() const { return changed_; }

  void Run(Block& body) {
    // Inner loops may make the body of an outer one too large.
    RewriteLoops(body, replacements_, [&](Op& loop, std::vector<Op*>& out) {
      if (IsShort(loop)) {
        Unroll(loop, static_cast<int>(TripCount(loop)), out);
      } else {
        out.push_back(&loop);
      }
    });
    replacements_.Apply(body);
  }

 private:
  bool IsShort(const Op& loop) const {
    return TripCount(loop) <= limits_.unrolled_turns &&
           CountOps(*loop.blocks[1]) <= limits_.unrolled_ops && EffectOf(loop) == Effect::kPure;
  }

  void Unroll(Op& loop, int turns, std::vector<Op*>& out) {
    Block& body = *loop.blocks[1];
    // Copies have the final operands.
    replacements_.Apply(body);
    std::vector<Value*> carries(loop.operands.begin(), loop.operands.end());
    for (int turn = 0; turn < turns; ++turn) {
      for (size_t i = 0; i < carries.size(); ++i) cloner_.Map(body.arguments[i], carries[i]);
      for (const Op* op : body.ops) {
        if (op->opcode != Opcode::kReturn) out.push_back(cloner_.Clone(*op));
      }
      const auto& returned = body.terminator()->operands;
      for (size_t i = 0; i < carries.size(); ++i) carries[i] = cloner_.Find(returned[i]);
    }
    for (size_t i = 0; i < carries.size(); ++i) {
      replacements_.Replace(loop.results[i], carries[i]);
    }
    changed_ = true;
  }

  const LoopLimits& limits_;
  Cloner cloner_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool UnrollLoops(Module& module, const Target& target) {
  Unroller unroller(module, target.loops);
  for (Function& function : module.functions) unroller.Run(*function.body);
  return unroller.changed();
}

}  // namespace plinth::compiler::passes

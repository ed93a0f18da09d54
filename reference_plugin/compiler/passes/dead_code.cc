// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/dead_code.h"

#include <algorithm>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/passes/loop_carries.h"

namespace plinth::compiler::passes {
namespace {

// Marks what is needed from the outside in, then sweeps the rest. Linear in the program.
class DeadCode {
 public:
  DeadCode(const Module& module, bool shortens_flow)
      : shortens_flow_(shortens_flow),
        live_values_(static_cast<size_t>(module.num_values()), false),
        owners_(static_cast<size_t>(module.num_values()), nullptr),
        live_ops_(static_cast<size_t>(module.num_ops()), false),
        parents_(static_cast<size_t>(module.num_ops()), nullptr) {}

  bool Run(Block& body) {
    Scan(body, nullptr);
    for (Op* op : roots_) MarkOp(op);
    for (Value* value : body.terminator()->operands) MarkValue(value);
    while (!worklist_.empty()) {
      Value* const value = worklist_.back();
      worklist_.pop_back();
      Follow(value);
    }
    Sweep(body);
    return changed_;
  }

 private:
  static size_t At(int32_t id) { return static_cast<size_t>(id); }
  static bool IsBranch(const Op& op) {
    return op.opcode == Opcode::kIf || op.opcode == Opcode::kCase;
  }

  void Scan(const Block& block, Op* parent) {
    for (Value* argument : block.arguments) owners_[At(argument->id)] = parent;
    for (Op* op : block.ops) {
      parents_[At(op->id)] = parent;
      if (OwnEffectOf(*op) != Effect::kPure) roots_.push_back(op);
      for (const Block* inner : op->blocks) Scan(*inner, op);
    }
  }

  void MarkValue(Value* value) {
    if (live_values_[At(value->id)]) return;
    live_values_[At(value->id)] = true;
    worklist_.push_back(value);
  }

  // The op stays, and with it the ops around it and what it always needs.
  void MarkOp(Op* op) {
    for (; op != nullptr && !live_ops_[At(op->id)]; op = parents_[At(op->id)]) {
      live_ops_[At(op->id)] = true;
      if (shortens_flow_ && op->opcode == Opcode::kWhile) {
        MarkValue(op->blocks[0]->terminator()->operands[0]);
      } else if (shortens_flow_ && IsBranch(*op)) {
        MarkValue(op->operands[0]);
      } else {
        for (Value* operand : op->operands) MarkValue(operand);
        for (const Block* block : op->blocks) {
          for (Value* returned : block->terminator()->operands) MarkValue(returned);
        }
      }
    }
  }

  void MarkCarry(Op& loop, int32_t index) {
    const size_t i = At(index);
    MarkValue(loop.operands[i]);
    MarkValue(loop.results[i]);
    for (Block* block : loop.blocks) MarkValue(block->arguments[i]);
    MarkValue(loop.blocks[1]->terminator()->operands[i]);
  }

  void Follow(Value* value) {
    if (value->op == nullptr) {
      Op* const owner = owners_[At(value->id)];
      if (owner == nullptr) return;
      MarkOp(owner);
      if (owner->opcode == Opcode::kWhile) MarkCarry(*owner, value->index);
      return;
    }
    Op* const op = value->op;
    MarkOp(op);
    if (op->opcode == Opcode::kWhile) MarkCarry(*op, value->index);
    if (IsBranch(*op)) {
      for (const Block* block : op->blocks) {
        MarkValue(block->terminator()->operands[At(value->index)]);
      }
    }
  }

  void Sweep(Block& block) {
    const size_t before = block.ops.size();
    Op* const terminator = block.terminator();
    std::erase_if(block.ops,
                  [&](const Op* op) { return op != terminator && !live_ops_[At(op->id)]; });
    changed_ = changed_ || block.ops.size() != before;
    for (Op* op : block.ops) {
      const bool is_while = op->opcode == Opcode::kWhile;
      if (shortens_flow_ && (is_while || IsBranch(*op))) {
        std::vector<bool> kept;
        for (const Value* result : op->results) kept.push_back(live_values_[At(result->id)]);
        if (std::find(kept.begin(), kept.end(), false) != kept.end()) {
          changed_ = true;
          is_while ? KeepCarries(*op, kept) : KeepBranchResults(*op, kept);
        }
      }
      for (Block* inner : op->blocks) Sweep(*inner);
    }
  }

  const bool shortens_flow_;
  std::vector<bool> live_values_;
  std::vector<Op*> owners_;  // By value id of a block's argument: the op that holds the block.
  std::vector<bool> live_ops_;
  std::vector<Op*> parents_;  // By op id: the op that holds its block.
  std::vector<Op*> roots_;
  std::vector<Value*> worklist_;
  bool changed_ = false;
};

bool Eliminate(Module& module, bool shortens_flow) {
  bool changed = false;
  for (Function& function : module.functions) {
    changed = DeadCode(module, shortens_flow).Run(*function.body) || changed;
  }
  return changed;
}

}  // namespace

bool EliminateDeadCode(Module& module) { return Eliminate(module, true); }
bool EliminateDeadOps(Module& module) { return Eliminate(module, false); }

}  // namespace plinth::compiler::passes

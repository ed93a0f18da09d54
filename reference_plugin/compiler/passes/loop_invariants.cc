// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/loop_invariants.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/op_work.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {
namespace {

bool IsProduct(const Op& op) {
  return op.opcode == Opcode::kDotGeneral || op.opcode == Opcode::kConvolution;
}

// One loop's body.
class Body {
 public:
  Body(Module& module, const Target& target, Op& loop)
      : module_(module), target_(target), block_(*loop.blocks[1]), ops_(block_.ops.size()) {
    for (size_t i = 0; i < ops_.size(); ++i) index_.emplace(block_.ops[i], i);
    for (size_t i = 0; i < ops_.size(); ++i) ops_[i].invariant = IsInvariant(*block_.ops[i]);
  }

  // Appends to `out`, before the loop, what leaves it. True if anything does.
  bool Hoist(std::vector<Op*>& out) {
    if (!FindRoots()) return false;
    Cloner cloner(module_);
    Replacements replacements;
    std::vector<Op*> left;
    for (size_t i = 0; i < ops_.size(); ++i) {
      Op* const op = block_.ops[i];
      if (ops_[i].needed) out.push_back(cloner.Clone(*op));
      if (!ops_[i].root) {
        left.push_back(op);
        continue;
      }
      for (size_t r = 0; r < op->results.size(); ++r) {
        replacements.Replace(op->results[r], out.back()->results[r]);
      }
    }
    block_.ops = std::move(left);
    replacements.Apply(block_);
    return true;
  }

 private:
  struct Member {
    bool invariant = false;
    bool root = false;    // leaves the loop
    bool needed = false;  // is computed before the loop, too or only there
  };

  // The op of the body itself that gives the value; null if another gives it.
  Member* MemberOf(const Value* value) {
    const auto found = value->op == nullptr ? index_.end() : index_.find(value->op);
    return found == index_.end() ? nullptr : &ops_[found->second];
  }

  bool DependsOnTurn(const Op& op) {
    for (const Value* operand : op.operands) {
      if (operand->block == &block_) return true;
      const Member* const member = MemberOf(operand);
      if (member != nullptr && !member->invariant) return true;
    }
    return std::any_of(op.blocks.begin(), op.blocks.end(), [&](const Block* inner) {
      return std::any_of(inner->ops.begin(), inner->ops.end(),
                         [&](const Op* part) { return DependsOnTurn(*part); });
    });
  }

  bool IsInvariant(const Op& op) {
    const Category category = InfoOf(op.opcode).category;
    return category != Category::kControl && category != Category::kCollective &&
           category != Category::kSharding && EffectOf(op) == Effect::kPure && !DependsOnTurn(op);
  }

  bool Fits(const Op& op) const {
    int64_t bytes = 0;
    for (const Value* result : op.results) {
      if (result->type.kind != Type::Kind::kTensor || !result->type.IsStatic()) return false;
      const int64_t more = result->type.SizeInBytes();
      if (more > target_.hoisted_bytes - bytes) return false;
      bytes += more;
    }
    return true;
  }

  bool TakesTime(const Op& op) const {
    return target_.ClassOf(op.opcode) == LowerClass::kLibrary ||
           InfoOf(op.opcode).category == Category::kCombining ||
           (IsElementwise(op.opcode) && IsTranscendental(op.opcode));
  }

  // Whether a product of the loop would have it written to memory in each turn. A product reads
  // parts and other orders of an array as they lie, and a loop's fill serves what writes into it.
  bool IsWrittenForProduct(const Op& op) const {
    switch (op.opcode) {
      case Opcode::kReshape:
      case Opcode::kBroadcastInDim:
        return false;
      default:
        return InfoOf(op.opcode).category != Category::kSource;
    }
  }

  bool FindRoots() {
    bool any = false;
    for (size_t i = ops_.size(); i-- > 0;) {
      const Op& op = *block_.ops[i];
      Member& member = ops_[i];
      if (!member.invariant) {
        if (!IsProduct(op)) continue;
        for (const Value* operand : op.operands) {
          Member* const read = MemberOf(operand);
          if (read == nullptr || !read->invariant) continue;
          read->root = IsWrittenForProduct(*operand->op) && Fits(*operand->op);
        }
        continue;
      }
      member.root = (member.root || TakesTime(op)) && Fits(op);
      member.needed = member.needed || member.root;
      any = any || member.root;
      if (member.needed) Need(op);
    }
    return any;
  }

  void Need(const Op& op) {
    for (const Value* operand : op.operands) {
      if (Member* const member = MemberOf(operand)) member->needed = true;
    }
    for (const Block* inner : op.blocks) {
      for (const Op* part : inner->ops) Need(*part);
    }
  }

  Module& module_;
  const Target& target_;
  Block& block_;
  std::unordered_map<const Op*, size_t> index_;
  std::vector<Member> ops_;  // as block_.ops
};

// Inner loops first: what leaves one may leave the loop around it as well.
bool HoistIn(Module& module, const Target& target, Block& block) {
  bool changed = false;
  const std::vector<Op*> ops = std::exchange(block.ops, {});
  for (Op* op : ops) {
    for (Block* inner : op->blocks) changed |= HoistIn(module, target, *inner);
    if (op->opcode == Opcode::kWhile) changed |= Body(module, target, *op).Hoist(block.ops);
    block.ops.push_back(op);
  }
  return changed;
}

}  // namespace

bool HoistLoopInvariants(Module& module, const Target& target) {
  if (target.hoisted_bytes == 0) return false;
  bool changed = false;
  for (Function& function : module.functions) changed |= HoistIn(module, target, *function.body);
  return changed;
}

}  // namespace plinth::compiler::passes

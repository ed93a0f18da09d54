// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/cse.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {
namespace {

// Regions of more ops are not compared.
constexpr size_t kMaxRegionOps = 8;
// How many ops of one hash bucket are looked at.
constexpr int kMaxCollisions = 32;

size_t Combine(size_t hash, size_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 29);
}

bool HasComparableRegions(const Op& op) {
  if (op.blocks.empty()) return true;
  if (!HasScalarRegions(op.opcode)) return false;
  return std::all_of(op.blocks.begin(), op.blocks.end(), [](const Block* block) {
    return block->ops.size() <= kMaxRegionOps &&
           std::all_of(block->ops.begin(), block->ops.end(),
                       [](const Op* inner) { return inner->blocks.empty(); });
  });
}

bool IsCandidate(const Op& op) {
  switch (op.opcode) {
    case Opcode::kReturn:
    case Opcode::kCall:
    case Opcode::kComposite:
    case Opcode::kCustomCall:
    case Opcode::kOptimizationBarrier:  // It is there to keep equal expressions apart.
      return false;
    default:
      return InfoOf(op.opcode).effect == Effect::kPure && HasComparableRegions(op);
  }
}

bool SameAttributes(const Op& a, const Op& b) {
  if (a.attributes == b.attributes) return true;
  return a.attributes != nullptr && b.attributes != nullptr && *a.attributes == *b.attributes;
}

bool SameResultTypes(const Op& a, const Op& b) {
  if (a.results.size() != b.results.size()) return false;
  for (size_t i = 0; i < a.results.size(); ++i) {
    if (!(a.results[i]->type == b.results[i]->type)) return false;
  }
  return true;
}

// Block by block the same ops, arguments and inner values standing for each other.
bool SameRegion(const Block& a, const Block& b) {
  if (a.ops.size() != b.ops.size() || a.arguments.size() != b.arguments.size()) return false;
  std::vector<std::pair<const Value*, const Value*>> pairs;
  for (size_t i = 0; i < a.arguments.size(); ++i) {
    if (!(a.arguments[i]->type == b.arguments[i]->type)) return false;
    pairs.emplace_back(a.arguments[i], b.arguments[i]);
  }
  const auto same = [&](const Value* x, const Value* y) {
    for (const auto& [left, right] : pairs) {
      if (left == x || right == y) return left == x && right == y;
    }
    return x == y;
  };
  for (size_t i = 0; i < a.ops.size(); ++i) {
    const Op& x = *a.ops[i];
    const Op& y = *b.ops[i];
    if (x.opcode != y.opcode || x.operands.size() != y.operands.size() || !SameAttributes(x, y) ||
        !SameResultTypes(x, y)) {
      return false;
    }
    for (size_t k = 0; k < x.operands.size(); ++k) {
      if (!same(x.operands[k], y.operands[k])) return false;
    }
    for (size_t k = 0; k < x.results.size(); ++k) pairs.emplace_back(x.results[k], y.results[k]);
  }
  return true;
}

bool IsSame(const Op& a, const Op& b) {
  if (a.opcode != b.opcode || !(a.operands == b.operands) || a.blocks.size() != b.blocks.size() ||
      !SameResultTypes(a, b) || !SameAttributes(a, b)) {
    return false;
  }
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    if (!SameRegion(*a.blocks[i], *b.blocks[i])) return false;
  }
  return true;
}

size_t HashOf(const Op& op) {
  size_t hash = static_cast<size_t>(op.opcode) + 1;
  for (const Value* operand : op.operands) hash = Combine(hash, static_cast<size_t>(operand->id));
  for (const Value* result : op.results) {
    hash = Combine(hash, static_cast<size_t>(result->type.dtype));
    for (int64_t dim : result->type.dims) hash = Combine(hash, static_cast<size_t>(dim));
  }
  if (op.opcode == Opcode::kConstant) {
    constexpr size_t kHashedBytes = 64;
    const std::span<const std::byte> bytes = op.Get<ConstantAttributes>().bytes;
    for (std::byte byte : bytes.first(std::min(bytes.size(), kHashedBytes))) {
      hash = Combine(hash, static_cast<size_t>(byte));
    }
  }
  return hash;
}

// The ops seen so far, by hash. What was added last goes first, so that leaving a block forgets
// what it added.
class SeenOps {
 public:
  explicit SeenOps(int32_t num_ops) {
    size_t size = 64;
    while (size < static_cast<size_t>(num_ops)) size *= 2;
    heads_.assign(size, -1);
  }

  size_t mark() const { return entries_.size(); }
  void Forget(size_t mark) {
    for (; entries_.size() > mark; entries_.pop_back()) {
      HeadOf(entries_.back().hash) = entries_.back().next;
    }
  }
  void Add(size_t hash, Op* op) {
    int32_t& head = HeadOf(hash);
    entries_.push_back({hash, op, head});
    head = static_cast<int32_t>(entries_.size()) - 1;
  }
  // An op like this one that was added after `first`, or null.
  Op* Find(size_t hash, const Op& op, size_t first) {
    int tries = 0;
    for (int32_t at = HeadOf(hash); at >= static_cast<int32_t>(first) && tries < kMaxCollisions;
         at = entries_[static_cast<size_t>(at)].next, ++tries) {
      const Entry& entry = entries_[static_cast<size_t>(at)];
      if (entry.hash == hash && IsSame(op, *entry.op)) return entry.op;
    }
    return nullptr;
  }

 private:
  struct Entry {
    size_t hash;
    Op* op;
    int32_t next;  // Of the same head; -1 ends.
  };
  int32_t& HeadOf(size_t hash) { return heads_[(hash ^ (hash >> 32)) & (heads_.size() - 1)]; }

  std::vector<int32_t> heads_;
  std::vector<Entry> entries_;
};

class CommonSubexpressions {
 public:
  explicit CommonSubexpressions(const Module& module) : seen_(module.num_ops()) {}

  bool Run(Block& body) {
    Visit(body, 0);
    replacements_.Apply(body);
    return changed_;
  }

 private:
  // Ops seen before `first` are not to be used.
  void Visit(Block& block, size_t first) {
    const size_t mark = seen_.mark();
    std::erase_if(block.ops, [&](Op* op) { return VisitOp(*op, first); });
    // Beyond this block its ops are not visible.
    seen_.Forget(mark);
  }

  // True when the op gave way to another.
  bool VisitOp(Op& op, size_t first) {
    replacements_.FindAll({op.operands.data(), op.operands.size()});
    for (Block* inner : op.blocks) {
      Visit(*inner, HasScalarRegions(op.opcode) ? seen_.mark() : first);
    }
    if (!IsCandidate(op)) return false;
    const size_t hash = HashOf(op);
    if (Op* const other = seen_.Find(hash, op, first)) {
      for (size_t i = 0; i < op.results.size(); ++i) {
        replacements_.Replace(op.results[i], other->results[i]);
      }
      changed_ = true;
      return true;
    }
    seen_.Add(hash, &op);
    return false;
  }

  SeenOps seen_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool EliminateCommonSubexpressions(Module& module) {
  bool changed = false;
  for (Function& function : module.functions) {
    changed = CommonSubexpressions(module).Run(*function.body) || changed;
  }
  return changed;
}

}  // namespace plinth::compiler::passes

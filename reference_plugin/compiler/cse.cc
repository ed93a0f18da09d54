#include "reference_plugin/compiler/cse.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/rewrite.h"

namespace plinth::compiler {
namespace {

// Regions of more ops are not compared.
constexpr size_t kMaxRegionOps = 8;
// Ops that look alike to the hash but differ; further ones are not remembered.
constexpr int kMaxCollisions = 16;

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

class CommonSubexpressions {
 public:
  bool Run(Block& body) {
    Visit(body);
    replacements_.Apply(body);
    return changed_;
  }

 private:
  using Table = std::unordered_map<size_t, std::vector<Op*>>;

  void Visit(Block& block) {
    const size_t mark = added_.size();
    std::erase_if(block.ops, [&](Op* op) { return VisitOp(*op); });
    // Beyond this block its ops are not visible.
    for (; added_.size() > mark; added_.pop_back()) table_[added_.back()].pop_back();
  }

  // True when the op gave way to another.
  bool VisitOp(Op& op) {
    replacements_.FindAll({op.operands.data(), op.operands.size()});
    for (Block* inner : op.blocks) {
      if (HasScalarRegions(op.opcode)) {
        Table outer = std::exchange(table_, {});
        std::vector<size_t> outer_added = std::exchange(added_, {});
        Visit(*inner);
        table_ = std::move(outer);
        added_ = std::move(outer_added);
      } else {
        Visit(*inner);
      }
    }
    if (!IsCandidate(op)) return false;
    const size_t hash = HashOf(op);
    std::vector<Op*>& earlier = table_[hash];
    for (Op* other : earlier) {
      if (!IsSame(op, *other)) continue;
      for (size_t i = 0; i < op.results.size(); ++i) {
        replacements_.Replace(op.results[i], other->results[i]);
      }
      changed_ = true;
      return true;
    }
    if (earlier.size() < kMaxCollisions) {
      earlier.push_back(&op);
      added_.push_back(hash);
    }
    return false;
  }

  Table table_;
  std::vector<size_t> added_;  // Hashes, in order, of what is in the table.
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool EliminateCommonSubexpressions(Module& module) {
  bool changed = false;
  for (Function& function : module.functions) {
    changed = CommonSubexpressions().Run(*function.body) || changed;
  }
  return changed;
}

}  // namespace plinth::compiler

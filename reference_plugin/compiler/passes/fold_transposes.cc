// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/fold_transposes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {
namespace {

bool Contains(const Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// Whether both lists put their entries into the same order.
bool SameOrder(const Dims& a, const Dims& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if ((a[i] < a[j]) != (b[i] < b[j])) return false;
    }
  }
  return true;
}

// Dimension i of the transposed array is dimension permutation[i] of the array.
Dims Through(const Dims& permutation, const Dims& dims) {
  Dims result;
  for (int64_t dim : dims) result.push_back(permutation[static_cast<size_t>(dim)]);
  return result;
}

class TransposeFolder {
 public:
  explicit TransposeFolder(Module& module)
      : module_(module), uses_(static_cast<size_t>(module.num_values()), 0) {}

  bool Run(Block& body) {
    CountUses(body);
    Visit(body);
    replacements_.Apply(body);
    return changed_;
  }

 private:
  void CountUses(const Block& block) {
    for (const Op* op : block.ops) {
      for (const Value* operand : op->operands) ++uses_[static_cast<size_t>(operand->id)];
      for (const Block* inner : op->blocks) CountUses(*inner);
    }
  }

  void Visit(Block& block) {
    for (Op*& op : block.ops) {
      replacements_.FindAll({op->operands.data(), op->operands.size()});
      for (Block* inner : op->blocks) Visit(*inner);
      if (op->opcode == Opcode::kDotGeneral) product_in_[op->results[0]] = &block;
      if (op->opcode == Opcode::kTranspose) {
        if (Op* const product = Exchanged(*op, block)) {
          replacements_.Replace(op->results[0], product->results[0]);
          op = product;
          changed_ = true;
        }
      }
      if (op->opcode == Opcode::kDotGeneral) {
        while (ReadInPlace(*op, 0) || ReadInPlace(*op, 1)) changed_ = true;
      }
    }
  }

  bool ReadInPlace(Op& dot, size_t side) {
    const Op* const transpose = dot.operands[side]->op;
    if (transpose == nullptr || transpose->opcode != Opcode::kTranspose) return false;
    const Dims& permutation = transpose->Get<DimensionsAttributes>().dimensions;
    DotAttributes attributes = dot.Get<DotAttributes>();
    Dims& batch = side == 0 ? attributes.lhs_batch : attributes.rhs_batch;
    Dims& contracting = side == 0 ? attributes.lhs_contracting : attributes.rhs_contracting;
    // Free dimensions keep their order in the result.
    int64_t last_free = -1;
    for (size_t d = 0; d < permutation.size(); ++d) {
      const int64_t dim = static_cast<int64_t>(d);
      if (Contains(batch, dim) || Contains(contracting, dim)) continue;
      if (permutation[d] < last_free) return false;
      last_free = permutation[d];
    }
    Dims moved = Through(permutation, contracting);
    // Terms are summed in the order in which the left operand has them.
    if (side == 0 && !SameOrder(moved, contracting)) return false;
    contracting = std::move(moved);
    batch = Through(permutation, batch);
    // A matrix whose elements all lie apart is better copied.
    if (Contains(batch, static_cast<int64_t>(permutation.size()) - 1)) return false;
    dot.operands[side] = transpose->operands[0];
    dot.attributes = MakeAttributes(std::move(attributes));
    return true;
  }

  // The product with its operands exchanged, or null. Never moves one into a loop or branch.
  Op* Exchanged(const Op& transpose, const Block& block) {
    const Op* const dot = transpose.operands[0]->op;
    if (dot == nullptr || dot->opcode != Opcode::kDotGeneral) return nullptr;
    const auto found = product_in_.find(dot->results[0]);
    if (found == product_in_.end() || found->second != &block) return nullptr;
    const size_t product = static_cast<size_t>(dot->results[0]->id);
    if (product >= uses_.size() || uses_[product] != 1) return nullptr;
    const auto& from = dot->Get<DotAttributes>();
    if (!SameOrder(from.lhs_contracting, from.rhs_contracting)) return nullptr;
    const size_t batch = from.lhs_batch.size();
    const size_t lhs = dot->operands[0]->type.dims.size() - batch - from.lhs_contracting.size();
    const size_t rhs = dot->operands[1]->type.dims.size() - batch - from.rhs_contracting.size();
    Dims expected;
    auto add = [&](size_t first, size_t count) {
      for (size_t i = 0; i < count; ++i) expected.push_back(static_cast<int64_t>(first + i));
    };
    add(0, batch);
    add(batch + lhs, rhs);
    add(batch, lhs);
    if (!(transpose.Get<DimensionsAttributes>().dimensions == expected)) return nullptr;
    DotAttributes attributes = from;
    std::swap(attributes.lhs_batch, attributes.rhs_batch);
    std::swap(attributes.lhs_contracting, attributes.rhs_contracting);
    const Type type = transpose.type();
    return module_.NewOp(Opcode::kDotGeneral, {dot->operands[1], dot->operands[0]}, type,
                         MakeAttributes(std::move(attributes)), dot->location);
  }

  Module& module_;
  std::vector<int32_t> uses_;  // by value id
  std::unordered_map<const Value*, const Block*> product_in_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool FoldTransposes(Module& module) {
  bool changed = false;
  for (Function& function : module.functions) {
    changed = TransposeFolder(module).Run(*function.body) || changed;
  }
  return changed;
}

}  // namespace plinth::compiler::passes

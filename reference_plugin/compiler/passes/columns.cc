// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/columns.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/columns.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/passes/walk.h"

namespace plinth::compiler::passes {
namespace {

Type ColumnOf(const Type& type) {
  Dims dims = type.dims;
  dims.back() = 1;
  return Type::Tensor(type.dtype, std::move(dims));
}

// The op that puts single columns together to the value, or null. As many pieces as columns are not
// enough: one may be empty and another wider.
const Op* JoinOfColumns(const Value* value) {
  const Op* const op = value->op;
  if (op == nullptr || op->opcode != Opcode::kConcatenate) return nullptr;
  if (op->Get<DimensionAttributes>().dimension + 1 != static_cast<int64_t>(op->type().rank())) {
    return nullptr;
  }
  const auto is_column = [](const Value* piece) { return piece->type.dims.back() == 1; };
  return std::all_of(op->operands.begin(), op->operands.end(), is_column) ? op : nullptr;
}

class ColumnSplitter {
 public:
  ColumnSplitter(Module& module, const FusionLimits& limits) : module_(module), limits_(limits) {}

  // What stands for the op's result, or null.
  Value* Split(const Op& op, std::vector<Op*>& ops) const {
    Builder builder(module_, ops, op.location);
    if (IsOnColumns(op)) return SplitOp(op, builder);
    return op.opcode == Opcode::kTranspose ? JoinRowsAsColumns(op, builder) : nullptr;
  }

 private:
  bool IsMadeOfColumns(const Value* value) const {
    const Op* const op = JoinOfColumns(value);
    return op != nullptr && JoinsColumns(*op, limits_);
  }

  bool IsOnColumns(const Op& op) const {
    if (!IsElementwise(op.opcode) || op.results.size() != 1 || EffectOf(op) != Effect::kPure) {
      return false;
    }
    return std::any_of(op.operands.begin(), op.operands.end(), [&](const Value* operand) {
      return operand->type.dims == op.type().dims && IsMadeOfColumns(operand);
    });
  }

  // The op on each column, and the columns put together.
  static Value* SplitOp(const Op& op, Builder& builder) {
    const Type type = ColumnOf(op.type());
    std::vector<Value*> columns;
    for (int64_t i = 0; i < op.type().dims.back(); ++i) {
      std::vector<Value*> operands;
      for (Value* operand : op.operands) operands.push_back(Column(operand, i, builder));
      columns.push_back(
          builder.AddOp(op.opcode, operands, std::span<const Type>(&type, 1), op.attributes)
              ->results[0]);
    }
    return builder.Concatenate(columns, op.type().rank() - 1);
  }

  // What jnp.stack under jax.vmap makes: rows put together, and transposed. Null for others.
  Value* JoinRowsAsColumns(const Op& transpose, Builder& builder) const {
    const Op* const rows = transpose.operands[0]->op;
    if (rows == nullptr || rows->opcode != Opcode::kConcatenate) return nullptr;
    const Dims& permutation = transpose.Get<DimensionsAttributes>().dimensions;
    const int64_t dim = rows->Get<DimensionAttributes>().dimension;
    const Type& type = transpose.type();
    if (permutation.back() != dim || !HasShortRows(type, limits_) ||
        rows->operands.size() != static_cast<size_t>(type.dims.back())) {
      return nullptr;
    }
    // The other dimensions stay in order, so each row only gets another shape.
    if (!std::is_sorted(permutation.begin(), permutation.end() - 1)) return nullptr;
    std::vector<Value*> columns;
    for (Value* row : rows->operands) {
      if (row->type.dims[static_cast<size_t>(dim)] != 1) return nullptr;
      columns.push_back(builder.Add(Opcode::kReshape, {row}, ColumnOf(type)));
    }
    return builder.Concatenate(columns, type.rank() - 1);
  }

  static Value* Column(Value* value, int64_t index, Builder& builder) {
    const Type& type = value->type;
    if (type.IsScalar()) return value;  // Chooses or bounds all elements.
    if (const Op* const join = JoinOfColumns(value)) {
      return join->operands[static_cast<size_t>(index)];
    }
    if (!SplatOf(value).empty()) {
      return builder.Add(Opcode::kConstant, {}, ColumnOf(type), value->op->attributes);
    }
    return builder.Take(value, type.rank() - 1, index);
  }

  Module& module_;
  const FusionLimits& limits_;
};

}  // namespace

bool SplitIntoColumns(Module& module, const Target& target) {
  const ColumnSplitter splitter(module, target.fusion);
  return ReplaceOps(module,
                    [&](const Op& op, std::vector<Op*>& out) { return splitter.Split(op, out); });
}

}  // namespace plinth::compiler::passes

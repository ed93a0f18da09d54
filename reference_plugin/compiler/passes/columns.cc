// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/columns.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/columns.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {
namespace {

Type ColumnOf(const Type& type) {
  Dims dims = type.dims;
  dims.back() = 1;
  return Type::Tensor(type.dtype, std::move(dims));
}

class ColumnSplitter {
 public:
  ColumnSplitter(Module& module, const FusionLimits& limits) : module_(module), limits_(limits) {}

  bool Run(Block& body) {
    Visit(body);
    replacements_.Apply(body);
    return changed_;
  }

 private:
  void Visit(Block& block) {
    std::vector<Op*> ops;
    ops.reserve(block.ops.size());
    for (Op* op : block.ops) {
      replacements_.FindAll({op->operands.data(), op->operands.size()});
      if (!HasScalarRegions(op->opcode)) {
        for (Block* inner : op->blocks) Visit(*inner);
      }
      if (IsOnColumns(*op)) {
        replacements_.Replace(op->result(), Split(*op, ops));
        changed_ = true;
      } else {
        ops.push_back(op);
      }
    }
    block.ops = std::move(ops);
  }

  bool IsMadeOfColumns(const Value* value) const {
    const Op* const op = value->op;
    return op != nullptr && JoinsColumns(*op, limits_) &&
           op->operands.size() == static_cast<size_t>(op->type().dims.back());
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
  Value* Split(const Op& op, std::vector<Op*>& ops) {
    Builder builder(module_, ops, op.location);
    const Type type = ColumnOf(op.type());
    std::vector<Value*> columns;
    for (int64_t i = 0; i < op.type().dims.back(); ++i) {
      std::vector<Value*> operands;
      for (Value* operand : op.operands) operands.push_back(Column(operand, i, builder));
      columns.push_back(
          builder.AddOp(op.opcode, operands, std::span<const Type>(&type, 1), op.attributes)
              ->results[0]);
    }
    const int64_t last = static_cast<int64_t>(op.type().rank()) - 1;
    const Type whole = op.type();
    return builder
        .AddOp(Opcode::kConcatenate, columns, std::span<const Type>(&whole, 1),
               MakeAttributes(DimensionAttributes{last}))
        ->results[0];
  }

  static Value* Column(Value* value, int64_t index, Builder& builder) {
    const Type& type = value->type;
    if (type.IsScalar()) return value;  // Chooses or bounds all elements.
    if (value->op != nullptr && value->op->opcode == Opcode::kConcatenate &&
        value->op->operands.size() == static_cast<size_t>(type.dims.back())) {
      const auto dim = static_cast<size_t>(value->op->Get<DimensionAttributes>().dimension);
      Value* const operand = value->op->operands[static_cast<size_t>(index)];
      if (dim + 1 == type.dims.size() && operand->type.dims.back() == 1) return operand;
    }
    const Type column = ColumnOf(type);
    if (!SplatOf(value).empty()) {
      return builder.Add(Opcode::kConstant, {}, column, value->op->attributes);
    }
    SliceAttributes slice;
    slice.start = Dims(type.dims.size(), 0);
    slice.limit = type.dims;
    slice.stride = Dims(type.dims.size(), 1);
    slice.start.back() = index;
    slice.limit.back() = index + 1;
    return builder.Add(Opcode::kSlice, {value}, column, MakeAttributes(std::move(slice)));
  }

  Module& module_;
  const FusionLimits& limits_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool SplitIntoColumns(Module& module, const Target& target) {
  bool changed = false;
  for (Function& function : module.functions) {
    changed = ColumnSplitter(module, target.fusion).Run(*function.body) || changed;
  }
  return changed;
}

}  // namespace plinth::compiler::passes

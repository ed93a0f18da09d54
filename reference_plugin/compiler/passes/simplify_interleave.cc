// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/passes/simplify_rules.h"

// Elements that take turns, spelled as padding: jax.lax.associative_scan spreads two arrays to
// every second place, with zeros between them, and adds them. Where each has its element, the other
// has its padding. So the op is done on the elements alone, and they are laid between each other
// without arrays of zeros.
namespace plinth::compiler::passes {
namespace {

// A pad whose operand takes every second place along one dimension, from `first` (0 or 1) on.
struct Spread {
  size_t dim = 0;
  int64_t first = 0;
};

std::optional<Spread> SpreadOf(const Value* x) {
  if (x->op == nullptr || x->op->opcode != Opcode::kPad) return std::nullopt;
  const auto& pad = x->op->Get<PadAttributes>();
  std::optional<Spread> spread;
  for (size_t d = 0; d < pad.low.size(); ++d) {
    if (pad.low[d] == 0 && pad.high[d] == 0 && pad.interior[d] == 0) continue;
    const bool takes_turns = pad.interior[d] == 1 && (pad.low[d] == 0 || pad.low[d] == 1) &&
                             pad.low[d] + pad.high[d] == 1;
    if (!takes_turns || spread.has_value() || x->op->operands[0]->type.dims[d] == 0) {
      return std::nullopt;
    }
    spread = {d, pad.low[d]};
  }
  return spread;
}

Value* Interleave(SimplifyContext& c, Op& op) {
  if (op.operands.size() != 2) return nullptr;
  const std::optional<Spread> left = SpreadOf(op.operands[0]), right = SpreadOf(op.operands[1]);
  if (!left.has_value() || !right.has_value() || left->dim != right->dim ||
      left->first == right->first) {
    return nullptr;
  }
  // Each operand's elements, with the padding of the other.
  Value* elements[2];
  for (size_t i = 0; i < 2; ++i) {
    const Op& pad = *op.operands[i]->op;
    Value* const padding =
        c.Emit(op, Opcode::kBroadcastInDim, {op.operands[1 - i]->op->operands[1]},
               pad.operands[0]->type, MakeAttributes(DimensionsAttributes{}));
    Type type = op.type();
    type.dims = pad.operands[0]->type.dims;
    elements[i] = c.Emit(op, op.opcode,
                         {i == 0 ? pad.operands[0] : padding, i == 0 ? padding : pad.operands[0]},
                         type, op.attributes);
  }
  Type column = elements[0]->type, pairs = column;
  column.dims.insert(column.dims.begin() + static_cast<int64_t>(left->dim) + 1, 1);
  pairs = column;
  pairs.dims[left->dim + 1] = 2;
  Value* const first = c.EmitReshape(op, elements[left->first], column);
  Value* const second = c.EmitReshape(op, elements[right->first], column);
  Value* const both =
      c.Emit(op, Opcode::kConcatenate, {first, second}, pairs,
             MakeAttributes(DimensionAttributes{static_cast<int64_t>(left->dim) + 1}));
  return c.EmitReshape(op, both, op.type());
}

}  // namespace

SimplifyRule InterleaveRuleOf(Opcode opcode) {
  return IsElementwise(opcode) ? Interleave : nullptr;
}

}  // namespace plinth::compiler::passes

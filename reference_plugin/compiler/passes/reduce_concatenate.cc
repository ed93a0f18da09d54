// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/reduce_concatenate.h"

#include <algorithm>
#include <optional>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::passes {
namespace {

// As many loads as a kernel has for them, one for each.
constexpr size_t kMostPieces = 16;

// Whether a chain of ops gives what the reduction gives: sums of narrow floats are rounded once.
bool IsChain(Opcode opcode, DType dtype) {
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    case Opcode::kAdd:
    case Opcode::kMultiply:
      return !IsFloat(dtype) || InfoOf(dtype).bits >= 32;
    default:
      return false;
  }
}

}  // namespace

Value* ExpandReduceOfConcatenate(Builder& builder, const Op& op) {
  if (op.operands.size() != 2) return nullptr;
  const Op* const stacked = op.operands[0]->op;
  if (stacked == nullptr || stacked->opcode != Opcode::kConcatenate) return nullptr;
  const int64_t dimension = stacked->Get<DimensionAttributes>().dimension;
  const std::optional<Opcode> opcode = OnlyOpOf(*op.blocks[0]);
  if (!opcode.has_value() || !IsChain(*opcode, op.type().dtype) ||
      op.Get<DimensionsAttributes>().dimensions != Dims{dimension} ||
      stacked->operands.size() > kMostPieces ||
      std::any_of(stacked->operands.begin(), stacked->operands.end(), [&](const Value* piece) {
        return piece->type.dims[static_cast<size_t>(dimension)] != 1;
      })) {
    return nullptr;
  }
  const auto without_dimension = [&](Value* piece) {
    return builder.Add(Opcode::kReshape, {piece}, op.type());
  };
  Value* result = without_dimension(stacked->operands[0]);
  for (size_t i = 1; i < stacked->operands.size(); ++i) {
    result = builder.Binary(*opcode, result, without_dimension(stacked->operands[i]));
  }
  // As a reduction's kernel does it: the initial value comes at the end, as the first operand.
  Value* initial = op.operands[1];
  if (!op.type().dims.empty()) initial = builder.Broadcast(initial, op.type().dims, {});
  return builder.Binary(*opcode, initial, result);
}

}  // namespace plinth::compiler::passes

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/lane_ops.h"

#include <limits>
#include <optional>

#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/emit/body_emitter.h"
#include "reference_plugin/cpu/emit/function_code.h"
#include "reference_plugin/cpu/native/lanes.h"

namespace plinth::cpu::native {

using compiler::Node;
using compiler::Opcode;
using compiler::Phase;
using emit::VectorCode;

OpForm FormOf(const Phase& phase, const Node& node, int64_t lanes) {
  const DType type = OperandType(phase, node);
  if (emit::FunctionCode::Has(node.opcode, type)) return OpForm::kFunction;
  if (VectorCode::Has(node, type, lanes)) return OpForm::kInstructions;
  return RoutineOf(phase, node) != nullptr ? OpForm::kCall : OpForm::kNone;
}

DType OperandType(const Phase& phase, const Node& node) {
  const size_t typed = node.opcode == Opcode::kSelect ? 1 : 0;
  return phase.nodes[static_cast<size_t>(node.operands[typed])].dtype;
}

Node InOrder(const Node& node, DType operand) {
  emit::PieceValue value;
  value.kind = emit::PieceValue::Kind::kOp;
  value.node = node;
  value.operand_type = operand;
  return emit::OrderOperands({value})[0].node;
}

math::TileFunction RoutineOf(const Phase& phase, const Node& node) {
  const auto is_element = [](DType type) { return IsLaneType(type) && type != DType::kPred; };
  bool fits = is_element(node.dtype) && node.opcode != Opcode::kReducePrecision;
  for (size_t i = 0; i < node.num_operands; ++i) {
    fits = fits && is_element(phase.nodes[static_cast<size_t>(node.operands[i])].dtype);
  }
  if (!fits) return nullptr;
  const math::TileRoutine routine =
      math::FindTileRoutine(node.opcode, OperandType(phase, node), node.dtype, node.compare);
  return routine.finish == nullptr ? routine.compute : nullptr;
}

bool HasIota(const Node& node, const compiler::KernelShape& shape) {
  const auto offset = static_cast<int64_t>(node.constant.low),
             stride = static_cast<int64_t>(node.constant.high);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() / PhaseLanes::kMostPoints;
  const auto is_small = [](int64_t number) { return -kMost < number && number < kMost; };
  return node.dtype != DType::kPred && IsLaneType(node.dtype) && is_small(offset) &&
         is_small(stride) &&
         shape.extents[static_cast<size_t>(node.index)] < PhaseLanes::kMostPoints;
}

bool HasReduction(const Phase& phase, const compiler::Reduction& reduction) {
  const std::optional<Opcode> op = compiler::SingleOp(reduction.combiner);
  if (!op.has_value() || reduction.inputs.size() != 1 || !reduction.captured.empty()) return false;
  const DType type = phase.nodes[static_cast<size_t>(reduction.inputs[0])].dtype;
  // Others are not exchanged.
  const bool commutes = *op == Opcode::kAdd || *op == Opcode::kMaximum || *op == Opcode::kMinimum;
  return commutes && VectorCode::CanCombine(*op, type);
}

}  // namespace plinth::cpu::native

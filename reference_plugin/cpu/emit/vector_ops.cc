// SPDX-License-Identifier: Apache-2.0
// Which ops have code.
#include "reference_plugin/cpu/emit/vector_code.h"

namespace plinth::cpu::emit {
namespace {

using compiler::Node;
using compiler::Opcode;

bool HasConvert(DType from, DType to) {
  if (IsWideType(from) || IsWideType(to)) {
    // A wide integer to a float of one lane is rounded once. AVX2 has no conversion to a wide one.
    if (to == DType::kS64 || to == DType::kU64) return !IsFloatType(from);
    if (from == DType::kS64 || from == DType::kU64) return to != DType::kF32;
    return to != DType::kU32;
  }
  // Of u32 there is no conversion to floats, nor back.
  const bool has_u32 = from == DType::kU32 || to == DType::kU32;
  return !has_u32 || (from != DType::kF32 && to != DType::kF32);
}

// Divisions of integers aside.
bool HasOp(const Node& node, DType operand) {
  const bool floats = IsFloatType(operand);
  switch (node.opcode) {
    case Opcode::kSelect:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
      return true;
    case Opcode::kCompare:
      return node.compare.type != compiler::ComparisonType::kTotalOrder;
    case Opcode::kConvert:
      return HasConvert(operand, node.dtype);
    case Opcode::kBitcastConvert:
      return operand != DType::kPred && node.dtype != DType::kPred &&
             ByteSize(operand) == ByteSize(node.dtype);
    case Opcode::kNegate:
      return operand != DType::kPred;
    case Opcode::kAbs:
      return floats || operand == DType::kS32 || operand == DType::kS64;
    case Opcode::kNot:
      return !floats;
    case Opcode::kShiftRightArithmetic:
      return !floats && operand != DType::kPred;
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kSign:
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRoundNearestEven:
    case Opcode::kIsFinite:
      return floats;
    default:
      return OneInstruction(node.opcode, operand) != nullptr;
  }
}

}  // namespace

bool VectorCode::Has(const Node& node, DType operand, int64_t lanes) {
  if (!IsLaneType(operand) || !IsLaneType(node.dtype)) return false;
  const bool divides = node.opcode == Opcode::kDivide || node.opcode == Opcode::kRemainder;
  // By way of f64, of which four fit.
  if (divides && operand == DType::kS32) return lanes <= 4;
  return HasOp(node, operand);
}

bool VectorCode::HasWide(const Node& node, DType operand) {
  const auto is_known = [](DType type) { return IsWideType(type) || IsLaneType(type); };
  return is_known(operand) && is_known(node.dtype) &&
         (IsWideType(operand) || IsWideType(node.dtype)) && HasOp(node, operand);
}

bool VectorCode::IsOneInstruction(const Node& node, DType operand) {
  return OneInstruction(node.opcode, operand) != nullptr || node.opcode == Opcode::kSelect ||
         node.opcode == Opcode::kBitcastConvert;
}

bool VectorCode::CanCombine(Opcode opcode, DType type) {
  if (type == DType::kF32 && (opcode == Opcode::kMaximum || opcode == Opcode::kMinimum)) {
    return true;
  }
  return OneInstruction(opcode, type) != nullptr;
}

}  // namespace plinth::cpu::emit

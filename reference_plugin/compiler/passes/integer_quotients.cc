// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/integer_quotients.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/walk.h"

namespace plinth::compiler::passes {
namespace {

// A number of f64 a little above 1 / |divisor|, with the divisor's sign. Its product with an x of
// 32 bits, cut off, is the quotient: it is no nearer to zero than x / divisor, and farther away by
// less than 2^-19 / divisor, where the next whole number is at least 1 / divisor away.
double ReciprocalOf(int64_t divisor) {
  const double above = std::nextafter(1.0 / std::abs(static_cast<double>(divisor)), 1.0);
  return divisor < 0 ? -above : above;
}

Value* Quotient(Builder& builder, Value* x, int64_t divisor) {
  Value* const wide = builder.Convert(x, DType::kF64);
  return builder.Convert(
      builder.Binary(Opcode::kMultiply, wide, builder.SplatLike(wide, ReciprocalOf(divisor))),
      DType::kS32);
}

// The same by 2^shift: numbers below zero are rounded up.
Value* ShiftedQuotient(Builder& builder, Value* x, int shift) {
  const auto number = [&](int value) { return builder.SplatLike(x, value); };
  const int bits = static_cast<int>(8 * ByteSize(x->type.dtype));
  Value* const sign = builder.Binary(Opcode::kShiftRightArithmetic, x, number(bits - 1));
  Value* const rest = builder.Binary(Opcode::kShiftRightLogical, sign, number(bits - shift));
  return builder.Binary(Opcode::kShiftRightArithmetic, builder.Binary(Opcode::kAdd, x, rest),
                        number(shift));
}

// n, if the value is 2^n in all elements, n > 0.
std::optional<int> PowerOf(const Value* divisor) {
  const std::span<const std::byte> element = SplatOf(divisor);
  if (element.empty()) return std::nullopt;
  const int64_t number = ReadInteger(divisor->type.dtype, element.data());
  if (number < 2 || !std::has_single_bit(static_cast<uint64_t>(number))) return std::nullopt;
  return std::countr_zero(static_cast<uint64_t>(number));
}

const Op* MakerOf(const Value* value, Opcode opcode) {
  return value->op != nullptr && value->op->opcode == opcode ? value->op : nullptr;
}

// The other operand, if the value says in this way of an integer how it stands to the number.
const Value* ComparedWith(const Value* value, ComparisonDirection direction, double number) {
  const Op* const compare = MakerOf(value, Opcode::kCompare);
  const bool is_it = compare != nullptr &&
                     compare->Get<CompareAttributes>().direction == direction &&
                     IsSplat(compare->operands[1], number);
  return is_it ? compare->operands[0] : nullptr;
}

// Whether the op is one of x by 2^power.
bool IsBy(const Op* op, const Value* x, int power) {
  return op != nullptr && op->operands[0] == x && PowerOf(op->operands[1]) == power;
}

// Whether a pred says that x is below zero and no multiple of 2^power, as floor_divide of JAX does.
bool IsRoundedUp(const Value* pred, const Value* x, int power) {
  const Op* const both = MakerOf(pred, Opcode::kAnd);
  if (both == nullptr) return false;
  const Value* const sign = ComparedWith(both->operands[0], ComparisonDirection::kNe, 1);
  const Value* const rest = ComparedWith(both->operands[1], ComparisonDirection::kNe, 0);
  const Op* const of = sign == nullptr ? nullptr : MakerOf(sign, Opcode::kSign);
  return of != nullptr && of->operands[0] == x && rest != nullptr &&
         IsBy(MakerOf(rest, Opcode::kRemainder), x, power);
}

// Whether a pred says that a remainder is below zero, as the remainder of JAX does.
bool IsBelowZero(const Value* pred, const Value* rest) {
  const auto is_less = [&](const Value* value) {
    return ComparedWith(value, ComparisonDirection::kLt, 0) == rest;
  };
  const Op* const both = MakerOf(pred, Opcode::kAnd);
  if (both == nullptr) return is_less(pred);
  return is_less(both->operands[0]) &&
         ComparedWith(both->operands[1], ComparisonDirection::kNe, 0) == rest;
}

// x // 2^n and x % 2^n that are rounded down: `op` corrects what is rounded to zero.
Value* RoundedDown(Module& module, const Op& op, std::vector<Op*>& out) {
  // Below 2^53, where masks are exact as doubles.
  constexpr int kMostBits = 52;
  if (op.opcode != Opcode::kSelect) return nullptr;
  const DType type = op.type().dtype;
  if (type != DType::kS32 && type != DType::kS64) return nullptr;
  const Op* const inner = op.operands[2]->op;
  if (inner == nullptr || inner->operands.size() != 2) return nullptr;
  const std::optional<int> power = PowerOf(inner->operands[1]);
  if (!power.has_value() || *power > kMostBits) return nullptr;
  Value* const x = inner->operands[0];
  Builder builder(module, out, op.location);
  const auto adds = [&](Opcode opcode, double number) {
    const Op* const corrected = MakerOf(op.operands[1], opcode);
    return corrected != nullptr && corrected->operands[0] == op.operands[2] &&
           IsSplat(corrected->operands[1], number);
  };
  const double divisor = std::exp2(*power);
  if (inner->opcode == Opcode::kDivide && adds(Opcode::kSubtract, 1) &&
      IsRoundedUp(op.operands[0], x, *power)) {
    return builder.Binary(Opcode::kShiftRightArithmetic, x, builder.SplatLike(x, *power));
  }
  if (inner->opcode == Opcode::kRemainder && adds(Opcode::kAdd, divisor) &&
      IsBelowZero(op.operands[0], op.operands[2])) {
    return builder.Binary(Opcode::kAnd, x, builder.SplatLike(x, divisor - 1));
  }
  return nullptr;
}

}  // namespace

bool DivideIntegersByMultiplying(Module& module, const Target& target) {
  if (target.quotient_elements == 0) return false;
  // Before what they consist of is something else.
  const bool rounds = ReplaceOps(
      module, [&](const Op& op, std::vector<Op*>& out) { return RoundedDown(module, op, out); });
  const bool divides = ReplaceOps(module, [&](const Op& op, std::vector<Op*>& out) -> Value* {
    if (op.opcode != Opcode::kDivide && op.opcode != Opcode::kRemainder) return nullptr;
    const DType type = op.type().dtype;
    if (type != DType::kS32 && type != DType::kS64) return nullptr;
    Value* const x = op.operands[0];
    const std::span<const std::byte> element = SplatOf(op.operands[1]);
    if (element.empty() || ConstantOf(x) != nullptr) return nullptr;
    const int64_t divisor = ReadInteger(type, element.data());
    // Whose quotients are not those of numbers.
    if (divisor == 0 || divisor == 1 || divisor == -1) return nullptr;
    const bool is_power = divisor > 0 && std::has_single_bit(static_cast<uint64_t>(divisor));
    const bool is_few = op.type().NumElements() < target.quotient_elements;
    if (!is_power && (is_few || type != DType::kS32)) return nullptr;
    Builder builder(module, out, op.location);
    Value* const quotient =
        is_power ? ShiftedQuotient(builder, x, std::countr_zero(static_cast<uint64_t>(divisor)))
                 : Quotient(builder, x, divisor);
    if (op.opcode == Opcode::kDivide) return quotient;
    return builder.Binary(Opcode::kSubtract, x,
                          builder.Binary(Opcode::kMultiply, quotient, op.operands[1]));
  });
  return rounds || divides;
}

}  // namespace plinth::compiler::passes

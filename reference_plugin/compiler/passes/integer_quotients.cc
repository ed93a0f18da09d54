// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/integer_quotients.h"

#include <bit>
#include <cmath>
#include <cstdlib>

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

}  // namespace

bool DivideIntegersByMultiplying(Module& module, const Target& target) {
  if (target.quotient_elements == 0) return false;
  return ReplaceOps(module, [&](const Op& op, std::vector<Op*>& out) -> Value* {
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
}

}  // namespace plinth::compiler::passes

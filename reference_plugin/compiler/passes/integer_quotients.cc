// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/integer_quotients.h"

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

}  // namespace

bool DivideIntegersByMultiplying(Module& module, const Target& target) {
  if (target.quotient_elements == 0) return false;
  return ReplaceOps(module, [&](const Op& op, std::vector<Op*>& out) -> Value* {
    if (op.opcode != Opcode::kDivide && op.opcode != Opcode::kRemainder) return nullptr;
    if (op.type().dtype != DType::kS32 || op.type().NumElements() < target.quotient_elements) {
      return nullptr;
    }
    Value* const x = op.operands[0];
    const std::span<const std::byte> element = SplatOf(op.operands[1]);
    if (element.empty() || ConstantOf(x) != nullptr) return nullptr;
    const int64_t divisor = ReadInteger(DType::kS32, element.data());
    // Whose quotients are not those of numbers.
    if (std::abs(divisor) < 2) return nullptr;
    Builder builder(module, out, op.location);
    Value* const quotient = Quotient(builder, x, divisor);
    if (op.opcode == Opcode::kDivide) return quotient;
    return builder.Binary(Opcode::kSubtract, x,
                          builder.Binary(Opcode::kMultiply, quotient, op.operands[1]));
  });
}

}  // namespace plinth::compiler::passes

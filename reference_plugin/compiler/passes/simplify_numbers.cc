// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/simplify_rules.h"

// Numbers of places: iotas and constants, added and multiplied. Frameworks count in 64 bits to be
// sure (the counters of random numbers), take the upper half and the lower one. Where all numbers
// are small, that is zeros and a count in 32 bits, of which a vector has twice as many.
namespace plinth::compiler::passes {
namespace {

using Context = SimplifyContext;

int64_t LargestOfType(DType type) {
  const auto& info = InfoOf(type);
  const int bits = std::min(info.bits - (info.kind == DTypeClass::kSigned ? 1 : 0), 63);
  return static_cast<int64_t>((uint64_t{1} << bits) - 1);
}

// What no element exceeds; nothing where one may be negative or too large for the type, or where it
// is not known. `steps` bounds the search.
std::optional<int64_t> LargestOf(const Value* x, int* steps) {
  const DType dtype = x->type.dtype;
  if (x->op == nullptr || !IsInteger(dtype) || --*steps < 0) return std::nullopt;
  const Op& op = *x->op;
  const auto largest_of = [&](size_t operand) { return LargestOf(op.operands[operand], steps); };
  int64_t largest = 0;
  switch (op.opcode) {
    case Opcode::kIota: {
      const int64_t count =
          x->type.dims[static_cast<size_t>(op.Get<DimensionAttributes>().dimension)];
      largest = std::max<int64_t>(count - 1, 0);
      break;
    }
    case Opcode::kConstant: {
      const std::span<const std::byte> element = SplatOf(x);
      if (element.empty()) return std::nullopt;
      largest = ReadInteger(dtype, element.data());
      break;
    }
    case Opcode::kConvert:
    case Opcode::kBroadcastInDim:
    case Opcode::kReshape: {
      const std::optional<int64_t> same = largest_of(0);
      if (!same.has_value()) return std::nullopt;
      largest = *same;
      break;
    }
    case Opcode::kAdd:
    case Opcode::kMultiply: {
      const std::optional<int64_t> a = largest_of(0);
      if (!a.has_value()) return std::nullopt;
      const std::optional<int64_t> b = largest_of(1);
      if (!b.has_value()) return std::nullopt;
      const bool overflows = op.opcode == Opcode::kAdd ? __builtin_add_overflow(*a, *b, &largest)
                                                       : __builtin_mul_overflow(*a, *b, &largest);
      if (overflows) return std::nullopt;
      break;
    }
    default:
      return std::nullopt;
  }
  if (largest < 0 || largest > LargestOfType(dtype)) return std::nullopt;
  return largest;
}

std::optional<int64_t> LargestOf(const Value* x) {
  int steps = 16;
  return LargestOf(x, &steps);
}

// No bit is left.
Value* ShiftRight(Context& c, Op& op) {
  const std::span<const std::byte> element = SplatOf(op.operands[1]);
  if (element.empty()) return nullptr;
  const std::optional<int64_t> largest = LargestOf(op.operands[0]);
  const int64_t bits = ReadInteger(op.type().dtype, element.data());
  if (!largest.has_value() || bits < 0 || (bits < 63 && *largest >> bits != 0)) return nullptr;
  return c.EmitSplat(op, op.type(), SplatAttributes(op.type().dtype, 0));
}

// Counted in the smaller type from the start.
Value* Narrow(Context& c, Op& op) {
  Value* const x = op.operands[0];
  const DType to = op.type().dtype;
  const int bits = InfoOf(to).bits;
  if (x->op == nullptr || !IsInteger(to) || bits < 8 || bits >= InfoOf(x->type.dtype).bits) {
    return nullptr;
  }
  const std::optional<int64_t> largest = LargestOf(x);
  if (!largest.has_value() || *largest > LargestOfType(to)) return nullptr;
  const Op& made = *x->op;
  const auto narrow = [&](size_t operand) {
    Value* const value = made.operands[operand];
    return c.Emit(op, Opcode::kConvert, {value}, Type::Tensor(to, value->type.dims));
  };
  switch (made.opcode) {
    case Opcode::kIota:
      return c.Emit(op, made.opcode, {}, op.type(), made.attributes);
    case Opcode::kBroadcastInDim:
    case Opcode::kReshape:
      return c.Emit(op, made.opcode, {narrow(0)}, op.type(), made.attributes);
    case Opcode::kAdd:
    case Opcode::kMultiply:
      return c.Emit(op, made.opcode, {narrow(0), narrow(1)}, op.type());
    default:
      return nullptr;
  }
}

constexpr SimplifyRow kNumberRows[] = {{Opcode::kConvert, Narrow},
                                       {Opcode::kShiftRightArithmetic, ShiftRight},
                                       {Opcode::kShiftRightLogical, ShiftRight}};
constexpr SimplifyRules kNumberRules = RulesByOpcode(kNumberRows);

}  // namespace

SimplifyRule NumberRuleOf(Opcode opcode) { return kNumberRules[static_cast<size_t>(opcode)]; }

}  // namespace plinth::compiler::passes

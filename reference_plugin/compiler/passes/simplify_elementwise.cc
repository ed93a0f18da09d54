// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/simplify_rules.h"

// Identities of elementwise ops. Floating-point ones are here only if they hold for every value,
// infinities, NaN and zeros of both signs included; but a division by a constant is a
// multiplication.
namespace plinth::compiler::passes {
namespace {

using Context = SimplifyContext;

bool IsIntegral(const Value* x) {
  return IsInteger(x->type.dtype) || x->type.dtype == DType::kPred;
}
bool IsPred(const Value* x) { return x->type.dtype == DType::kPred; }

bool IsNegativeZeroSplat(const Value* x) {
  const std::span<const std::byte> element = SplatOf(x);
  return !element.empty() && IsNegativeZero(x->type.dtype, element);
}

bool IsAllOnes(const Value* x) {
  const std::span<const std::byte> element = SplatOf(x);
  if (element.empty()) return false;
  if (IsPred(x)) return element[0] != std::byte{0};
  if (InfoOf(x->type.dtype).bits < 8) return false;
  for (std::byte byte : element) {
    if (byte != std::byte{0xff}) return false;
  }
  return true;
}

// The operand of the op that makes `x`, when that is of this kind.
Value* OperandOf(const Value* x, Opcode opcode, size_t i = 0) {
  return x->op != nullptr && x->op->opcode == opcode ? x->op->operands[i] : nullptr;
}

Value* Zero(Context& c, const Op& op) {
  return c.EmitSplat(op, op.type(), SplatAttributes(op.type().dtype, 0));
}

// Constants stand on the right, so that equal expressions look equal.
void ConstantToTheRight(Op& op) {
  if (ConstantOf(op.operands[0]) != nullptr && ConstantOf(op.operands[1]) == nullptr) {
    std::swap(op.operands[0], op.operands[1]);
  }
}

// x + 0 is not x for the float -0; x + -0 is.
Value* Add(Context&, Op& op) {
  ConstantToTheRight(op);
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  if (IsIntegral(x) ? IsSplat(y, 0) : IsNegativeZeroSplat(y)) return x;
  return nullptr;
}

Value* Subtract(Context& c, Op& op) {
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  if (IsIntegral(x) && x == y) return Zero(c, op);
  if (IsSplat(y, 0) && !IsNegativeZeroSplat(y) && !IsComplex(x->type.dtype)) return x;
  return nullptr;
}

Value* Multiply(Context& c, Op& op) {
  ConstantToTheRight(op);
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  if (IsSplat(y, 1) && !IsComplex(x->type.dtype)) return x;
  if (IsIntegral(x) && IsSplat(y, 0)) return Zero(c, op);
  return nullptr;
}

// log2 of a splat of unsigned integers that is a power of two.
std::optional<int> PowerOfTwo(const Value* x) {
  const std::span<const std::byte> element = SplatOf(x);
  if (element.empty() || InfoOf(x->type.dtype).kind != DTypeClass::kUnsigned) return std::nullopt;
  const auto number = static_cast<uint64_t>(ReadInteger(x->type.dtype, element.data()));
  if (!std::has_single_bit(number)) return std::nullopt;
  return std::countr_zero(number);
}

Value* EmitInteger(Context& c, const Op& op, const Type& type, uint64_t number) {
  std::array<std::byte, 8> element = {};
  const DType dtype = type.dtype;
  WriteInteger(dtype, static_cast<int64_t>(number), element.data());
  return c.EmitSplat(
      op, type, SplatAttributes(std::span(element).first(static_cast<size_t>(ByteSize(dtype)))));
}

// 1 / x of a splat in its own type, where that is a normal number: a multiplication by it differs
// from the division by its rounding at most.
std::shared_ptr<const Attributes> Reciprocal(const Value* x) {
  const std::span<const std::byte> element = SplatOf(x);
  const DType dtype = x->type.dtype;
  if (element.empty() || (dtype != DType::kF32 && dtype != DType::kF64)) return nullptr;
  const double number = ReadFloat(dtype, element.data());
  const double reciprocal = dtype == DType::kF32 ? 1 / static_cast<float>(number) : 1 / number;
  const bool is_normal = dtype == DType::kF32 ? std::isnormal(static_cast<float>(reciprocal))
                                              : std::isnormal(reciprocal);
  if (!is_normal) return nullptr;
  std::array<std::byte, 8> result = {};
  WriteFloat(dtype, reciprocal, result.data());
  return SplatAttributes(std::span(result).first(element.size()));
}

// What XLA does on a CPU, too, so that the bits are those that its users know.
Value* Divide(Context& c, Op& op) {
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  if (IsSplat(y, 1) && !IsComplex(x->type.dtype)) return x;
  if (const std::optional<int> power = PowerOfTwo(y)) {
    return c.Emit(op, Opcode::kShiftRightLogical,
                  {x, EmitInteger(c, op, op.type(), static_cast<uint64_t>(*power))}, op.type());
  }
  if (ConstantOf(x) != nullptr) return nullptr;
  const std::shared_ptr<const Attributes> reciprocal = Reciprocal(y);
  if (reciprocal == nullptr) return nullptr;
  return c.Emit(op, Opcode::kMultiply, {x, c.EmitSplat(op, op.type(), reciprocal)}, op.type());
}

// x % 2^n of floats, n >= 0: no step of it rounds, and a quotient that becomes too small has no
// whole part. What is left gets the sign of x, zeros too.
Value* RemainderOfPower(Context& c, const Op& op) {
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  const std::shared_ptr<const Attributes> reciprocal = Reciprocal(y);
  if (reciprocal == nullptr || ConstantOf(x) != nullptr) return nullptr;
  const double divisor = ReadFloat(y->type.dtype, SplatOf(y).data());
  int exponent;
  if (divisor < 1 || std::frexp(divisor, &exponent) != 0.5) return nullptr;
  const auto emit = [&](Opcode opcode, std::initializer_list<Value*> operands) {
    return c.Emit(op, opcode, operands, op.type());
  };
  const DType bits = op.type().dtype == DType::kF32 ? DType::kU32 : DType::kU64;
  const Type bits_type = Type::Tensor(bits, op.type().dims);
  const auto bits_of = [&](Value* value) {
    return c.Emit(op, Opcode::kBitcastConvert, {value}, bits_type);
  };
  Value* const size = emit(Opcode::kAbs, {x});
  Value* const quotient = emit(Opcode::kMultiply, {size, c.EmitSplat(op, op.type(), reciprocal)});
  Value* const whole = emit(Opcode::kMultiply, {emit(Opcode::kFloor, {quotient}), y});
  Value* const sign =
      c.Emit(op, Opcode::kAnd,
             {bits_of(x), EmitInteger(c, op, bits_type, uint64_t{1} << (InfoOf(bits).bits - 1))},
             bits_type);
  Value* const rest = bits_of(emit(Opcode::kSubtract, {size, whole}));
  return emit(Opcode::kBitcastConvert, {c.Emit(op, Opcode::kOr, {rest, sign}, bits_type)});
}

Value* Remainder(Context& c, Op& op) {
  const std::optional<int> power = PowerOfTwo(op.operands[1]);
  if (!power.has_value()) return RemainderOfPower(c, op);
  Value* const mask = EmitInteger(c, op, op.type(), (uint64_t{1} << *power) - 1);
  return c.Emit(op, Opcode::kAnd, {op.operands[0], mask}, op.type());
}

Value* And(Context& c, Op& op) {
  ConstantToTheRight(op);
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  if (x == y || IsAllOnes(y)) return x;
  return IsSplat(y, 0) ? Zero(c, op) : nullptr;
}

Value* Or(Context&, Op& op) {
  ConstantToTheRight(op);
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  if (x == y || IsSplat(y, 0)) return x;
  return IsAllOnes(y) ? y : nullptr;
}

Value* Xor(Context& c, Op& op) {
  ConstantToTheRight(op);
  Value* const x = op.operands[0];
  Value* const y = op.operands[1];
  if (IsSplat(y, 0)) return x;
  return x == y ? Zero(c, op) : nullptr;
}

Value* Shift(Context&, Op& op) { return IsSplat(op.operands[1], 0) ? op.operands[0] : nullptr; }

Value* MaximumOrMinimum(Context&, Op& op) {
  return op.operands[0] == op.operands[1] ? op.operands[0] : nullptr;
}

Value* Negate(Context&, Op& op) { return OperandOf(op.operands[0], Opcode::kNegate); }

Value* Abs(Context&, Op& op) {
  Value* const x = op.operands[0];
  return OperandOf(x, Opcode::kAbs) != nullptr && x->type == op.type() ? x : nullptr;
}

Value* Not(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (Value* const inner = OperandOf(x, Opcode::kNot)) return inner;
  if (!IsPred(x) || OperandOf(x, Opcode::kCompare) == nullptr) return nullptr;
  // Of floats only equality has an opposite: NaN is neither less nor greater.
  CompareAttributes compare = x->op->Get<CompareAttributes>();
  const bool ordered = compare.type != ComparisonType::kFloat;
  switch (compare.direction) {
    case ComparisonDirection::kEq:
      compare.direction = ComparisonDirection::kNe;
      break;
    case ComparisonDirection::kNe:
      compare.direction = ComparisonDirection::kEq;
      break;
    case ComparisonDirection::kGe:
      compare.direction = ComparisonDirection::kLt;
      break;
    case ComparisonDirection::kGt:
      compare.direction = ComparisonDirection::kLe;
      break;
    case ComparisonDirection::kLe:
      compare.direction = ComparisonDirection::kGt;
      break;
    case ComparisonDirection::kLt:
      compare.direction = ComparisonDirection::kGe;
      break;
  }
  const bool equality = compare.direction == ComparisonDirection::kEq ||
                        compare.direction == ComparisonDirection::kNe;
  if (!ordered && !equality) return nullptr;
  return c.Emit(op, Opcode::kCompare, {x->op->operands[0], x->op->operands[1]}, op.type(),
                MakeAttributes(compare));
}

Value* Power(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (IsComplex(x->type.dtype)) return nullptr;
  if (IsSplat(op.operands[1], 1)) return x;
  if (IsSplat(op.operands[1], 2)) return c.Emit(op, Opcode::kMultiply, {x, x}, op.type());
  return nullptr;
}

Value* Select(Context& c, Op& op) {
  Value* const predicate = op.operands[0];
  Value* const on_true = op.operands[1];
  Value* const on_false = op.operands[2];
  if (on_true == on_false) return on_true;
  if (!SplatOf(predicate).empty()) return IsSplat(predicate, 0) ? on_false : on_true;
  if (Value* const inner = OperandOf(predicate, Opcode::kNot)) {
    return c.Emit(op, Opcode::kSelect, {inner, on_false, on_true}, op.type());
  }
  if (IsPred(on_true)) {
    if (IsAllOnes(on_true) && IsSplat(on_false, 0)) return predicate;
    if (IsSplat(on_true, 0) && IsAllOnes(on_false)) {
      return c.Emit(op, Opcode::kNot, {predicate}, op.type());
    }
  }
  return nullptr;
}

// Whether every value of `from` is a value of `to`, so that converting on from `to` gives what
// converting from `from` gives.
bool IsExact(DType from, DType to) {
  const auto& a = InfoOf(from);
  const auto& b = InfoOf(to);
  // The type of exponents has no zero.
  if (a.kind == DTypeClass::kPred) return b.kind != DTypeClass::kPred && to != DType::kF8E8M0FNU;
  if (a.kind == b.kind && IsInteger(from)) return a.bits <= b.bits;
  if (a.kind == DTypeClass::kUnsigned && b.kind == DTypeClass::kSigned) return a.bits < b.bits;
  if (from == DType::kF16 || from == DType::kBF16) return to == DType::kF32 || to == DType::kF64;
  return from == DType::kF32 && to == DType::kF64;
}

Value* Convert(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (x->type == op.type()) return x;
  Value* const inner = OperandOf(x, Opcode::kConvert);
  if (inner == nullptr || !IsExact(inner->type.dtype, x->type.dtype)) return nullptr;
  if (inner->type == op.type()) return inner;
  return c.Emit(op, Opcode::kConvert, {inner}, op.type());
}

Value* BitcastConvert(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (x->type == op.type()) return x;
  Value* const inner = OperandOf(x, Opcode::kBitcastConvert);
  if (inner == nullptr || inner->type.dims != op.type().dims || x->type.dims != op.type().dims) {
    return nullptr;
  }
  if (inner->type == op.type()) return inner;
  return c.Emit(op, Opcode::kBitcastConvert, {inner}, op.type());
}

// A predicate made a number and compared with 0 is the predicate; in total order -0 is no such 0.
Value* Compare(Context& c, Op& op) {
  const auto& compare = op.Get<CompareAttributes>();
  Value* const x = op.operands[0];
  const bool equality = compare.direction == ComparisonDirection::kEq ||
                        compare.direction == ComparisonDirection::kNe;
  const bool is_zero = IsSplat(op.operands[1], 0) && (compare.type != ComparisonType::kTotalOrder ||
                                                      !IsNegativeZeroSplat(op.operands[1]));
  if (equality && is_zero) {
    Value* predicate = IsPred(x) ? x : OperandOf(x, Opcode::kConvert);
    if (predicate != nullptr && IsPred(predicate)) {
      if (compare.direction == ComparisonDirection::kNe) return predicate;
      return c.Emit(op, Opcode::kNot, {predicate}, op.type());
    }
  }
  if (x == op.operands[1] && IsIntegral(x)) {
    const bool holds = compare.direction == ComparisonDirection::kEq ||
                       compare.direction == ComparisonDirection::kGe ||
                       compare.direction == ComparisonDirection::kLe;
    return c.EmitSplat(op, op.type(), SplatAttributes(DType::kPred, holds ? 1 : 0));
  }
  return nullptr;
}

Value* ReducePrecision(Context&, Op& op) {
  struct Format {
    DType dtype;
    int exponent_bits, mantissa_bits;
  };
  constexpr Format kFormats[] = {
      {DType::kF16, 5, 10}, {DType::kBF16, 8, 7}, {DType::kF32, 8, 23}, {DType::kF64, 11, 52}};
  const auto& wanted = op.Get<ReducePrecisionAttributes>();
  for (const Format& format : kFormats) {
    if (format.dtype == op.type().dtype && wanted.exponent_bits >= format.exponent_bits &&
        wanted.mantissa_bits >= format.mantissa_bits) {
      return op.operands[0];
    }
  }
  return nullptr;
}

Value* Real(Context&, Op& op) {
  Value* const x = op.operands[0];
  return IsComplex(x->type.dtype) ? OperandOf(x, Opcode::kComplex, 0) : x;
}

Value* Imag(Context& c, Op& op) {
  Value* const x = op.operands[0];
  return IsComplex(x->type.dtype) ? OperandOf(x, Opcode::kComplex, 1) : Zero(c, op);
}

Value* Complex(Context&, Op& op) {
  Value* const re = OperandOf(op.operands[0], Opcode::kReal);
  Value* const im = OperandOf(op.operands[1], Opcode::kImag);
  return re != nullptr && re == im && re->type == op.type() ? re : nullptr;
}

constexpr SimplifyRow kElementwiseRows[] = {
    {Opcode::kAbs, Abs},
    {Opcode::kAdd, Add},
    {Opcode::kAnd, And},
    {Opcode::kBitcastConvert, BitcastConvert},
    {Opcode::kCompare, Compare},
    {Opcode::kComplex, Complex},
    {Opcode::kConvert, Convert},
    {Opcode::kDivide, Divide},
    {Opcode::kImag, Imag},
    {Opcode::kMaximum, MaximumOrMinimum},
    {Opcode::kMinimum, MaximumOrMinimum},
    {Opcode::kMultiply, Multiply},
    {Opcode::kNegate, Negate},
    {Opcode::kNot, Not},
    {Opcode::kOr, Or},
    {Opcode::kPower, Power},
    {Opcode::kReal, Real},
    {Opcode::kReducePrecision, ReducePrecision},
    {Opcode::kRemainder, Remainder},
    {Opcode::kSelect, Select},
    {Opcode::kShiftLeft, Shift},
    {Opcode::kShiftRightArithmetic, Shift},
    {Opcode::kShiftRightLogical, Shift},
    {Opcode::kSubtract, Subtract},
    {Opcode::kXor, Xor},
};
constexpr SimplifyRules kElementwiseRules = RulesByOpcode(kElementwiseRows);

}  // namespace

SimplifyRule ElementwiseRuleOf(Opcode opcode) {
  return kElementwiseRules[static_cast<size_t>(opcode)];
}

}  // namespace plinth::compiler::passes

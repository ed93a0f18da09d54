// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {
namespace {

enum class ResultElements : uint8_t { kSame, kPred, kReal, kComplex, kAny };

struct ElementwiseRule {
  Opcode opcode;
  KindMask operands;
  ResultElements result = ResultElements::kSame;
};

constexpr KindMask kFC = kFloatMask | kComplexMask;
constexpr KindMask kIFC = kIntegerMask | kFloatMask | kComplexMask;
constexpr KindMask kPI = kPredMask | kIntegerMask;

constexpr ElementwiseRule kRules[] = {
    {Opcode::kAbs, kSignedMask | kFC, ResultElements::kReal},
    {Opcode::kAdd, kAnyMask},
    {Opcode::kAnd, kPI},
    {Opcode::kAtan2, kFC},
    {Opcode::kBitcastConvert, kAnyMask, ResultElements::kAny},
    {Opcode::kCbrt, kFC},
    {Opcode::kCeil, kFloatMask},
    {Opcode::kClamp, kAnyMask},
    {Opcode::kCompare, kAnyMask, ResultElements::kPred},
    {Opcode::kComplex, kFloatMask, ResultElements::kComplex},
    {Opcode::kConvert, kAnyMask, ResultElements::kAny},
    {Opcode::kCosine, kFC},
    {Opcode::kCountLeadingZeros, kIntegerMask},
    {Opcode::kDivide, kIFC},
    {Opcode::kErf, kFloatMask},
    {Opcode::kExponential, kFC},
    {Opcode::kExponentialMinusOne, kFC},
    {Opcode::kFloor, kFloatMask},
    {Opcode::kImag, kFC, ResultElements::kReal},
    {Opcode::kIsFinite, kFloatMask, ResultElements::kPred},
    {Opcode::kLog, kFC},
    {Opcode::kLogPlusOne, kFC},
    {Opcode::kLogistic, kFC},
    {Opcode::kMaximum, kAnyMask},
    {Opcode::kMinimum, kAnyMask},
    {Opcode::kMultiply, kAnyMask},
    {Opcode::kNegate, kIFC},
    {Opcode::kNot, kPI},
    {Opcode::kOr, kPI},
    {Opcode::kPopcnt, kIntegerMask},
    {Opcode::kPower, kIFC},
    {Opcode::kReal, kFC, ResultElements::kReal},
    {Opcode::kReducePrecision, kFloatMask},
    {Opcode::kRemainder, kIntegerMask | kFloatMask},
    {Opcode::kRoundNearestAfz, kFloatMask},
    {Opcode::kRoundNearestEven, kFloatMask},
    {Opcode::kRsqrt, kFC},
    {Opcode::kSelect, kAnyMask},
    {Opcode::kShiftLeft, kIntegerMask},
    {Opcode::kShiftRightArithmetic, kIntegerMask},
    {Opcode::kShiftRightLogical, kIntegerMask},
    {Opcode::kSign, kSignedMask | kFC},
    {Opcode::kSine, kFC},
    {Opcode::kSqrt, kFC},
    {Opcode::kSubtract, kIFC},
    {Opcode::kTan, kFC},
    {Opcode::kTanh, kFC},
    {Opcode::kXor, kPI},
};

constexpr std::array<ElementwiseRule, kNumOpcodes> RulesByOpcode() {
  std::array<ElementwiseRule, kNumOpcodes> rules{};
  for (const ElementwiseRule& rule : kRules) rules[static_cast<size_t>(rule.opcode)] = rule;
  return rules;
}
constexpr std::array<ElementwiseRule, kNumOpcodes> kRuleOf = RulesByOpcode();

constexpr bool EveryElementwiseOpHasARule() {
  for (int i = 0; i < kNumOpcodes; ++i) {
    if (IsElementwise(static_cast<Opcode>(i)) && kRuleOf[static_cast<size_t>(i)].operands == 0) {
      return false;
    }
  }
  return true;
}
static_assert(EveryElementwiseOpHasARule());

// Widths may differ: then the wider side has one dimension less, and the narrower a last dimension
// of as many elements as fit into a wide one.
Status CheckBitcast(const Op& op) {
  const Type& from = op.operands[0]->type;
  const Type& to = op.type();
  if (IsComplex(from.dtype) != IsComplex(to.dtype)) {
    return InvalidArgument("operand 0 is ", from.ToString(), " and the result ", to.ToString(),
                           "; expected both real or both complex");
  }
  const int from_bits = InfoOf(from.dtype).bits;
  const int to_bits = InfoOf(to.dtype).bits;
  Dims expected = from.dims;
  if (from_bits > to_bits) {
    if (from_bits % to_bits != 0) {
      return InvalidArgument("bits of ", Name(from.dtype), " do not divide into ", Name(to.dtype));
    }
    expected.push_back(from_bits / to_bits);
  } else if (from_bits < to_bits) {
    if (to_bits % from_bits != 0 || expected.empty() || expected.back() != to_bits / from_bits) {
      return InvalidArgument("operand 0 is ", from.ToString(), "; expected a last dimension of ",
                             to_bits / from_bits, " elements for one ", Name(to.dtype));
    }
    expected.pop_back();
  }
  return ExpectResult(op, 0, Type::Tensor(to.dtype, expected), "the same bits");
}

Status CheckCompare(const Op& op) {
  const auto& compare = op.Get<CompareAttributes>();
  const DType dtype = op.operands[0]->type.dtype;
  bool fits = false;
  switch (InfoOf(dtype).kind) {
    case DTypeClass::kPred:
    case DTypeClass::kUnsigned:
      fits = compare.type == ComparisonType::kUnsigned;
      break;
    case DTypeClass::kSigned:
      fits = compare.type == ComparisonType::kSigned;
      break;
    case DTypeClass::kFloat:
      fits = compare.type == ComparisonType::kFloat || compare.type == ComparisonType::kTotalOrder;
      break;
    case DTypeClass::kComplex:
      fits = compare.type == ComparisonType::kFloat;
      if (compare.direction != ComparisonDirection::kEq &&
          compare.direction != ComparisonDirection::kNe) {
        return InvalidArgument("complex elements have no order; expected EQ or NE");
      }
      break;
    default:
      break;
  }
  if (fits) return Status();
  return InvalidArgument("the comparison type does not fit elements of ", Name(dtype));
}

}  // namespace

Status CheckElementwise(const Op& op) {
  const ElementwiseRule& rule = kRuleOf[static_cast<size_t>(op.opcode)];
  size_t first = 0;
  if (op.opcode == Opcode::kSelect) {
    PLINTH_RETURN_IF_ERROR(ExpectOperand(
        op, 0, Type::Tensor(DType::kPred, op.operands[1]->type.dims), "one predicate per element"));
    first = 1;
  }
  PLINTH_RETURN_IF_ERROR(CheckElements(op, first, rule.operands));
  PLINTH_RETURN_IF_ERROR(ExpectEqualOperands(op, first, op.operands.size()));
  const Type& operand = op.operands[first]->type;

  switch (op.opcode) {
    case Opcode::kBitcastConvert:
      return CheckBitcast(op);
    case Opcode::kCompare:
      PLINTH_RETURN_IF_ERROR(CheckCompare(op));
      break;
    case Opcode::kReducePrecision: {
      const auto& precision = op.Get<ReducePrecisionAttributes>();
      PLINTH_RETURN_IF_ERROR(ExpectInRange("exponent_bits", precision.exponent_bits, 1, 63));
      PLINTH_RETURN_IF_ERROR(ExpectInRange("mantissa_bits", precision.mantissa_bits, 0, 63));
      break;
    }
    default:
      break;
  }

  DType expected = operand.dtype;
  switch (rule.result) {
    case ResultElements::kSame:
      break;
    case ResultElements::kPred:
      expected = DType::kPred;
      break;
    case ResultElements::kReal:
      expected = RealTypeOf(operand.dtype);
      break;
    case ResultElements::kComplex:
      if (operand.dtype != DType::kF32 && operand.dtype != DType::kF64) {
        return InvalidArgument("operand 0 is ", operand.ToString(), "; expected f32 or f64");
      }
      expected = operand.dtype == DType::kF32 ? DType::kC64 : DType::kC128;
      break;
    case ResultElements::kAny:
      expected = op.type().dtype;
      break;
  }
  const Type& result = op.type();
  if (result.dtype == expected && result.dims == operand.dims) return Status();
  return ExpectResult(op, 0, Type::Tensor(expected, operand.dims),
                      "one element per operand element");
}

}  // namespace plinth::compiler

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {
namespace {

constexpr ElementwiseRule kElementwiseRules[] = {
#include "reference_plugin/ops/elementwise_rules.inc"
};

constexpr std::array<ElementwiseRule, kNumOpcodes> RulesByOpcode() {
  std::array<ElementwiseRule, kNumOpcodes> rules{};
  for (const ElementwiseRule& rule : kElementwiseRules)
    rules[static_cast<size_t>(rule.opcode)] = rule;
  return rules;
}
constexpr std::array<ElementwiseRule, kNumOpcodes> kRuleOf = RulesByOpcode();

}  // namespace

const ElementwiseRule* FindElementwiseRule(Opcode opcode) {
  return IsElementwise(opcode) ? &kRuleOf[static_cast<size_t>(opcode)] : nullptr;
}

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

Status CheckReducePrecision(const Op& op) {
  const auto& precision = op.Get<ReducePrecisionAttributes>();
  PLINTH_RETURN_IF_ERROR(ExpectInRange("exponent_bits", precision.exponent_bits, 1, 63));
  return ExpectInRange("mantissa_bits", precision.mantissa_bits, 0, 63);
}

Status CheckElementwise(const Op& op) {
  const ElementwiseRule& rule = kRuleOf[static_cast<size_t>(op.opcode)];
  size_t first = 0;
  if (rule.result == ResultRule::kSelect) {
    PLINTH_RETURN_IF_ERROR(ExpectOperand(
        op, 0, Type::Tensor(DType::kPred, op.operands[1]->type.dims), "one predicate per element"));
    first = 1;
  }
  PLINTH_RETURN_IF_ERROR(CheckElements(op, first, rule.types));
  PLINTH_RETURN_IF_ERROR(ExpectEqualOperands(op, first, op.operands.size()));
  const Type& operand = op.operands[first]->type;

  if ((MaskOf(InfoOf(operand.dtype).kind) & rule.unimplemented) != 0) {
    return Unimplemented("operand ", first, " is ", operand.ToString(), "; elements of ",
                         Name(operand.dtype), " are not implemented");
  }
  if (rule.check != nullptr) PLINTH_RETURN_IF_ERROR(rule.check(op));

  DType expected = operand.dtype;
  switch (rule.result) {
    case ResultRule::kSame:
    case ResultRule::kSelect:
      break;
    case ResultRule::kPred:
      expected = DType::kPred;
      break;
    case ResultRule::kRealPart:
      expected = RealTypeOf(operand.dtype);
      break;
    case ResultRule::kComplex:
      if (operand.dtype != DType::kF32 && operand.dtype != DType::kF64) {
        return InvalidArgument("operand 0 is ", operand.ToString(), "; expected f32 or f64");
      }
      expected = operand.dtype == DType::kF32 ? DType::kC64 : DType::kC128;
      break;
    case ResultRule::kAny:
      expected = op.type().dtype;
      break;
    case ResultRule::kSameBits:  // The check has seen shape and type.
      return Status();
  }
  const Type& result = op.type();
  if (result.dtype == expected && result.dims == operand.dims) return Status();
  return ExpectResult(op, 0, Type::Tensor(expected, operand.dims),
                      "one element per operand element");
}

}  // namespace plinth::compiler

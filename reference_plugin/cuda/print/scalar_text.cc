// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/print/scalar_text.h"

#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "plinth/support/float_format.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::cuda {
namespace {

using compiler::ComparisonDirection;
using compiler::ComparisonType;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;

DTypeClass KindOf(DType type) { return InfoOf(type).kind; }

// The function of prelude.inc that is the op; null for ops that need more than a call.
const char* FunctionOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
      return "abs_of";
    case Opcode::kAdd:
      return "add";
    case Opcode::kAnd:
      return "and_of";
    case Opcode::kAtan2:
      return "atan2_of";
    case Opcode::kCbrt:
      return "cbrt_of";
    case Opcode::kCeil:
      return "ceil_of";
    case Opcode::kClamp:
      return "clamp_to";
    case Opcode::kComplex:
      return "make_complex";
    case Opcode::kCosine:
      return "cosine";
    case Opcode::kDivide:
      return "divide";
    case Opcode::kErf:
      return "erf_of";
    case Opcode::kExponential:
      return "exponential";
    case Opcode::kExponentialMinusOne:
      return "exponential_minus_one";
    case Opcode::kFloor:
      return "floor_of";
    case Opcode::kImag:
      return "imag_of";
    case Opcode::kIsFinite:
      return "is_finite";
    case Opcode::kLog:
      return "log_of";
    case Opcode::kLogPlusOne:
      return "log_plus_one";
    case Opcode::kLogistic:
      return "logistic";
    case Opcode::kMaximum:
      return "maximum";
    case Opcode::kMinimum:
      return "minimum";
    case Opcode::kMultiply:
      return "multiply";
    case Opcode::kNegate:
      return "negate";
    case Opcode::kNot:
      return "not_of";
    case Opcode::kOr:
      return "or_of";
    case Opcode::kPower:
      return "power";
    case Opcode::kReal:
      return "real_of";
    case Opcode::kRemainder:
      return "remainder_of";
    case Opcode::kRoundNearestAfz:
      return "round_nearest_afz";
    case Opcode::kRoundNearestEven:
      return "round_nearest_even";
    case Opcode::kRsqrt:
      return "rsqrt_of";
    case Opcode::kSign:
      return "sign_of";
    case Opcode::kSine:
      return "sine";
    case Opcode::kSqrt:
      return "sqrt_of";
    case Opcode::kSubtract:
      return "subtract";
    case Opcode::kTan:
      return "tan_of";
    case Opcode::kTanh:
      return "tanh_of";
    case Opcode::kXor:
      return "xor_of";
    default:
      return nullptr;
  }
}

// Functions whose template parameter is the number of bits of the type.
const char* BitFunctionOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kCountLeadingZeros:
      return "count_leading_zeros";
    case Opcode::kPopcnt:
      return "popcnt";
    case Opcode::kShiftLeft:
      return "shift_left";
    case Opcode::kShiftRightArithmetic:
      return "shift_right_arithmetic";
    case Opcode::kShiftRightLogical:
      return "shift_right_logical";
    default:
      return nullptr;
  }
}

// Results that are operands, or numbers of the type already.
bool IsExact(Opcode opcode, DType type) {
  if (type != DType::kF16 && type != DType::kBF16) return false;
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kFloor:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kNegate:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kSign:
      return true;
    default:
      return false;
  }
}

std::string CompareText(const Node& node, DType type, const std::string& a, const std::string& b) {
  constexpr std::string_view kOperators[] = {"==", "!=", ">=", ">", "<=", "<"};
  const std::string_view word = kOperators[static_cast<size_t>(node.compare.direction)];
  if (KindOf(type) == DTypeClass::kComplex) {
    // Only equality is defined.
    const std::string equal = StrCat("(", a, ".r == ", b, ".r && ", a, ".i == ", b, ".i)");
    return node.compare.direction == ComparisonDirection::kNe ? StrCat("(!", equal, ")") : equal;
  }
  if (node.compare.type == ComparisonType::kTotalOrder && KindOf(type) == DTypeClass::kFloat) {
    return StrCat("(order_key(", a, ") ", word, " order_key(", b, "))");
  }
  return StrCat("(", a, " ", word, " ", b, ")");
}

Expected<std::string> ReducePrecisionText(const Node& node, DType type, const std::string& a) {
  const int source_exponent = type == DType::kF16 ? 5 : type == DType::kF64 ? 11 : 8;
  if (!compiler::IsIeeeFloat(type)) {
    return Unimplemented("reduce_precision of ", Name(type), " cannot be printed");
  }
  const bool is_f64 = type == DType::kF64;
  const int mantissa = is_f64 ? 52 : 23;
  const uint64_t source_bias = is_f64 ? 1023 : 127;
  const int64_t kept = node.reduce_precision.mantissa_bits;
  const int64_t exponent = node.reduce_precision.exponent_bits;
  uint64_t over = (2 * source_bias + 1) << mantissa, under = 0;
  if (exponent < source_exponent) {
    const uint64_t bias = (uint64_t{1} << (exponent > 0 ? exponent - 1 : 0)) - 1;
    over = (source_bias + bias + 1) << mantissa;
    under = (source_bias - bias + 1) << mantissa;
  }
  return StrCat("reduced_precision<", is_f64 ? "double, u64, " : "float, u32, ", mantissa, ", ",
                kept < mantissa ? mantissa - kept : 0, ", ", over, "ull, ", under, "ull, ",
                kept == 0, ", ", type == DType::kF16, ">(", a, ")");
}

std::string FloatText(double value, bool is_f64) {
  if (std::isnan(value) || std::isinf(value)) {
    if (is_f64) return StrCat("f64_bits(", std::bit_cast<uint64_t>(value), "ull)");
    return StrCat("f32_bits(", std::bit_cast<uint32_t>(static_cast<float>(value)), "u)");
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", is_f64 ? 17 : 9, value);
  std::string out = text;
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  if (!is_f64) out += 'f';
  return std::signbit(value) ? StrCat("(", out, ")") : out;
}

}  // namespace

std::string TypeText(DType type) {
  std::string text(Name(type));
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string LiteralText(DType type, const compiler::ScalarBits& bits) {
  const std::byte* bytes = reinterpret_cast<const std::byte*>(&bits);
  switch (KindOf(type)) {
    case DTypeClass::kPred:
      return (bits.low & 0xff) != 0 ? "true" : "false";
    case DTypeClass::kSigned: {
      // The least number has no literal of its own.
      const int64_t value = compiler::ReadInteger(type, bytes);
      if (value == INT64_MIN) return "((s64)0x8000000000000000ull)";
      const std::string_view suffix = type == DType::kS64 ? "ll" : "";
      if (value == INT32_MIN && type == DType::kS32) return "((s32)0x80000000u)";
      return StrCat("((", ValueType(type), ")", value, suffix, ")");
    }
    case DTypeClass::kUnsigned:
      return StrCat("((", ValueType(type), ")",
                    static_cast<uint64_t>(compiler::ReadInteger(type, bytes)),
                    type == DType::kU64 ? "ull" : "u", ")");
    case DTypeClass::kComplex: {
      const bool is_f64 = type == DType::kC128;
      const double real = is_f64 ? std::bit_cast<double>(bits.low)
                                 : std::bit_cast<float>(static_cast<uint32_t>(bits.low));
      const double imag = is_f64 ? std::bit_cast<double>(bits.high)
                                 : std::bit_cast<float>(static_cast<uint32_t>(bits.low >> 32));
      return StrCat("make_complex(", FloatText(real, is_f64), ", ", FloatText(imag, is_f64), ")");
    }
    default:
      return FloatText(FloatFromBits(type, bits.low), type == DType::kF64);
  }
}

bool IsWrapped(DType type) {
  const DTypeInfo& info = InfoOf(type);
  if (info.kind == DTypeClass::kFloat) return info.bits <= 16;
  return info.kind != DTypeClass::kPred && info.bits < 8;
}

Expected<std::string> OperationText(const Node& node, std::span<const DType> types,
                                    std::span<const std::string> operands, bool wraps) {
  const DType type = types.back();
  std::string text;
  switch (node.opcode) {
    case Opcode::kCompare:
      return CompareText(node, type, operands[0], operands[1]);
    case Opcode::kSelect:
      return StrCat("(", operands[0], " ? ", operands[1], " : ", operands[2], ")");
    case Opcode::kConvert: {
      // Accumulators of narrow floats are not rounded on their way either.
      const bool keeps = !wraps && IsWrapped(node.dtype) &&
                         KindOf(node.dtype) == DTypeClass::kFloat &&
                         KindOf(type) == DTypeClass::kFloat && type != DType::kF64;
      if (keeps) return operands[0];
      return StrCat("cv<", TypeText(node.dtype), ">(", operands[0], ")");
    }
    case Opcode::kBitcastConvert:
      if (ByteSize(type) != ByteSize(node.dtype) || type == DType::kC128) {
        if (type == node.dtype) return operands[0];
        return Unimplemented("bitcast_convert of ", Name(type), " to ", Name(node.dtype));
      }
      return StrCat(TypeText(node.dtype), "::from(", TypeText(type), "::bits(", operands[0], "))");
    case Opcode::kReducePrecision: {
      return ReducePrecisionText(node, type, operands[0]);
    }
    default: {
      std::string arguments;
      for (const std::string& operand : operands) {
        arguments += StrCat(arguments.empty() ? "" : ", ", operand);
      }
      if (const char* function = FunctionOf(node.opcode)) {
        text = StrCat(function, "(", arguments, ")");
      } else if (const char* bit_function = BitFunctionOf(node.opcode)) {
        text = StrCat(bit_function, "<", static_cast<int64_t>(InfoOf(type).bits), ">(", arguments,
                      ")");
      } else {
        return Unimplemented("op ", Name(node.opcode), " cannot be printed");
      }
    }
  }
  const bool is_float = KindOf(node.dtype) == DTypeClass::kFloat;
  if (!IsWrapped(node.dtype) || (is_float && (!wraps || IsExact(node.opcode, node.dtype)))) {
    return text;
  }
  return StrCat(TypeText(node.dtype), "::wrap(", text, ")");
}

Expected<CombinedText> CombineText(const compiler::Combiner& combiner,
                                   std::span<const std::string> parameters,
                                   std::string_view prefix) {
  CombinedText out;
  std::vector<std::string> values;
  for (size_t n = 0; n < combiner.nodes.size(); ++n) {
    const Node& node = combiner.nodes[n];
    if (node.kind == NodeKind::kParameter) {
      values.push_back(parameters[static_cast<size_t>(node.index)]);
      continue;
    }
    if (node.kind == NodeKind::kConstant) {
      values.push_back(LiteralText(node.dtype, node.constant));
      continue;
    }
    std::vector<DType> types;
    std::vector<std::string> operands;
    for (size_t i = 0; i < node.num_operands; ++i) {
      types.push_back(combiner.nodes[static_cast<size_t>(node.operands[i])].dtype);
      operands.push_back(values[static_cast<size_t>(node.operands[i])]);
    }
    PLINTH_ASSIGN_OR_RETURN(std::string text, OperationText(node, types, operands, false));
    values.push_back(StrCat(prefix, n));
    out.statements.push_back(
        StrCat("const ", ValueType(node.dtype), " ", values.back(), " = ", text, ";"));
  }
  for (int32_t result : combiner.results) {
    out.results.push_back(values[static_cast<size_t>(result)]);
  }
  return out;
}

}  // namespace plinth::cuda

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/fold_element.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "reference_plugin/compiler/ir/comparison.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::passes {
namespace {

using Integer = std::optional<int64_t>;

int64_t Wrap(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }

// Operands are extended to 64 bits; of the result the low bits count. The signed and unsigned
// readings of u64 differ; narrower unsigned values are not negative.
Integer FoldInteger(Opcode opcode, DType dtype, int64_t a, int64_t b) {
  const int bits = InfoOf(dtype).bits;
  const bool is_u64 = dtype == DType::kU64;
  const auto less = [&](int64_t x, int64_t y) { return is_u64 ? Bits(x) < Bits(y) : x < y; };
  const auto in_range = [&](int64_t shift) { return shift >= 0 && shift < bits; };
  const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  switch (opcode) {
    case Opcode::kAbs:
      return a < 0 && !is_u64 ? Wrap(0 - Bits(a)) : a;
    case Opcode::kAdd:
      return dtype == DType::kPred ? (a | b) : Wrap(Bits(a) + Bits(b));
    case Opcode::kAnd:
      return a & b;
    case Opcode::kDivide:
    case Opcode::kRemainder: {
      if (b == 0 || (b == -1 && !is_u64)) return std::nullopt;
      const bool divide = opcode == Opcode::kDivide;
      if (is_u64) return Wrap(divide ? Bits(a) / Bits(b) : Bits(a) % Bits(b));
      return divide ? a / b : a % b;
    }
    case Opcode::kMaximum:
      return less(a, b) ? b : a;
    case Opcode::kMinimum:
      return less(b, a) ? b : a;
    case Opcode::kMultiply:
      return dtype == DType::kPred ? (a & b) : Wrap(Bits(a) * Bits(b));
    case Opcode::kNegate:
      return Wrap(0 - Bits(a));
    case Opcode::kNot:
      return dtype == DType::kPred ? (a == 0 ? 1 : 0) : ~a;
    case Opcode::kOr:
      return a | b;
    case Opcode::kShiftLeft:
      return in_range(b) ? Integer(Wrap(Bits(a) << b)) : std::nullopt;
    case Opcode::kShiftRightArithmetic: {
      if (!in_range(b)) return std::nullopt;
      // The sign is the highest bit of the type, also of an unsigned one.
      const int64_t extended = Wrap(Bits(a) << (64 - bits)) >> (64 - bits);
      return extended >> b;
    }
    case Opcode::kShiftRightLogical:
      return in_range(b) ? Integer(Wrap((Bits(a) & mask) >> b)) : std::nullopt;
    case Opcode::kSign:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Opcode::kSubtract:
      return Wrap(Bits(a) - Bits(b));
    case Opcode::kXor:
      return a ^ b;
    default:
      return std::nullopt;
  }
}

// In double; a result of f32 is then rounded once more, which is innocuous for these operations.
std::optional<double> FoldFloat(Opcode opcode, double a, double b) {
  switch (opcode) {
    case Opcode::kAbs:
      return std::fabs(a);
    case Opcode::kAdd:
      return a + b;
    case Opcode::kCeil:
      return std::ceil(a);
    case Opcode::kDivide:
      return a / b;
    case Opcode::kFloor:
      return std::floor(a);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      // Which zero, and which NaN, is not said.
      if (std::isnan(a) || std::isnan(b) || a == b) return std::nullopt;
      return opcode == Opcode::kMaximum ? std::max(a, b) : std::min(a, b);
    case Opcode::kMultiply:
      return a * b;
    case Opcode::kNegate:
      return -a;
    case Opcode::kSqrt:
      return std::sqrt(a);
    case Opcode::kSubtract:
      return a - b;
    default:
      return std::nullopt;
  }
}

bool FoldCompare(const Op& op, const std::byte* const* operands, std::byte* result) {
  const DType dtype = op.operands[0]->type.dtype;
  const auto& compare = op.Get<CompareAttributes>();
  bool holds = false;
  if (IsIeeeFloat(dtype)) {
    if (compare.type != ComparisonType::kFloat) return false;
    holds =
        Compares(compare.direction, ReadFloat(dtype, operands[0]), ReadFloat(dtype, operands[1]));
  } else if (IsInteger(dtype) || dtype == DType::kPred) {
    const int64_t a = ReadInteger(dtype, operands[0]);
    const int64_t b = ReadInteger(dtype, operands[1]);
    holds = dtype == DType::kU64 ? Compares(compare.direction, Bits(a), Bits(b))
                                 : Compares(compare.direction, a, b);
  } else {
    return false;
  }
  result[0] = holds ? std::byte{1} : std::byte{0};
  return true;
}

bool FoldConvert(DType from, DType to, const std::byte* operand, std::byte* result) {
  const bool from_integer = IsInteger(from) || from == DType::kPred;
  const bool to_integer = IsInteger(to);
  if (from_integer) {
    const int64_t value = ReadInteger(from, operand);
    if (to == DType::kPred) {
      result[0] = value != 0 ? std::byte{1} : std::byte{0};
    } else if (to_integer) {
      WriteInteger(to, value, result);
    } else if (IsIeeeFloat(to)) {
      // Larger ones might be rounded on the way through f64; those of u64 look negative.
      if (value > (int64_t{1} << 24) || value < -(int64_t{1} << 24)) return false;
      if (from == DType::kU64 && value < 0) return false;
      WriteFloat(to, static_cast<double>(value), result);
    } else {
      return false;
    }
    return true;
  }
  if (!IsIeeeFloat(from)) return false;
  const double value = ReadFloat(from, operand);
  if (std::isnan(value)) return false;
  if (to == DType::kPred) {
    result[0] = value != 0 ? std::byte{1} : std::byte{0};
  } else if (to_integer) {
    // Out of range the result is the back end's choice.
    const int bits = InfoOf(to).bits;
    const bool is_signed = InfoOf(to).kind == DTypeClass::kSigned;
    const double truncated = std::trunc(value);
    const double limit = std::ldexp(1.0, is_signed ? bits - 1 : bits);
    if (truncated >= limit || truncated < (is_signed ? -limit : 0) ||
        truncated >= std::ldexp(1.0, 63)) {
      return false;
    }
    WriteInteger(to, static_cast<int64_t>(truncated), result);
  } else if (IsIeeeFloat(to)) {
    WriteFloat(to, value, result);
  } else {
    return false;
  }
  return true;
}

void CopyElement(DType dtype, const std::byte* from, std::byte* to) {
  std::copy(from, from + ByteSize(dtype), to);
}

bool FoldClamp(DType dtype, const std::byte* const* operands, std::byte* result) {
  if (!IsInteger(dtype) || dtype == DType::kU64) return false;
  const int64_t low = ReadInteger(dtype, operands[0]);
  const int64_t x = ReadInteger(dtype, operands[1]);
  const int64_t high = ReadInteger(dtype, operands[2]);
  WriteInteger(dtype, std::min(std::max(low, x), high), result);
  return true;
}

}  // namespace

bool FoldElement(const Op& op, const std::byte* const* operands, std::byte* result) {
  const DType dtype = op.operands[0]->type.dtype;
  switch (op.opcode) {
    case Opcode::kBitcastConvert:
      // Several elements of less than a byte may be one.
      if (InfoOf(dtype).bits % 8 != 0) return false;
      CopyElement(op.type().dtype, operands[0], result);
      return true;
    case Opcode::kClamp:
      return FoldClamp(dtype, operands, result);
    case Opcode::kCompare:
      return FoldCompare(op, operands, result);
    case Opcode::kConvert:
      return FoldConvert(dtype, op.type().dtype, operands[0], result);
    case Opcode::kIsFinite:
      if (!IsIeeeFloat(dtype)) return false;
      result[0] = std::isfinite(ReadFloat(dtype, operands[0])) ? std::byte{1} : std::byte{0};
      return true;
    case Opcode::kSelect:
      CopyElement(op.type().dtype, operands[operands[0][0] != std::byte{0} ? 1 : 2], result);
      return true;
    default:
      break;
  }
  if (!(op.type().dtype == dtype)) return false;
  const bool binary = op.operands.size() == 2;
  if (IsInteger(dtype) || dtype == DType::kPred) {
    const Integer value = FoldInteger(op.opcode, dtype, ReadInteger(dtype, operands[0]),
                                      binary ? ReadInteger(dtype, operands[1]) : 0);
    if (!value) return false;
    WriteInteger(dtype, *value, result);
    return true;
  }
  if (!IsIeeeFloat(dtype)) return false;
  const std::optional<double> value = FoldFloat(op.opcode, ReadFloat(dtype, operands[0]),
                                                binary ? ReadFloat(dtype, operands[1]) : 0);
  if (!value || std::isnan(*value)) return false;
  WriteFloat(dtype, *value, result);
  return true;
}

}  // namespace plinth::compiler::passes

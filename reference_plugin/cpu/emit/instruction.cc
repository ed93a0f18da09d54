// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/instruction.h"

#include "reference_plugin/cpu/emit/lane_types.h"

namespace plinth::cpu::emit {

using compiler::ComparisonDirection;
using compiler::Opcode;

#define PLINTH_INSTRUCTION(mnemonic)                                                         \
  [](Assembler& code, const Xbyak::Xmm& dst, const Xbyak::Xmm& a, const Xbyak::Operand& b) { \
    code.mnemonic(dst, a, b);                                                                \
  }
constexpr InstructionPair kAdd{PLINTH_INSTRUCTION(vaddps), PLINTH_INSTRUCTION(vaddpd)};
constexpr InstructionPair kAnd{PLINTH_INSTRUCTION(vandps), PLINTH_INSTRUCTION(vandpd)};
constexpr InstructionPair kDivide{PLINTH_INSTRUCTION(vdivps), PLINTH_INSTRUCTION(vdivpd)};
constexpr InstructionPair kMax{PLINTH_INSTRUCTION(vmaxps), PLINTH_INSTRUCTION(vmaxpd)};
constexpr InstructionPair kMin{PLINTH_INSTRUCTION(vminps), PLINTH_INSTRUCTION(vminpd)};
constexpr InstructionPair kMultiply{PLINTH_INSTRUCTION(vmulps), PLINTH_INSTRUCTION(vmulpd)};
constexpr InstructionPair kOr{PLINTH_INSTRUCTION(vorps), PLINTH_INSTRUCTION(vorpd)};
constexpr InstructionPair kSubtract{PLINTH_INSTRUCTION(vsubps), PLINTH_INSTRUCTION(vsubpd)};
constexpr InstructionPair kXor{PLINTH_INSTRUCTION(vxorps), PLINTH_INSTRUCTION(vxorpd)};
constexpr InstructionPair kAddWhole{PLINTH_INSTRUCTION(vpaddd), PLINTH_INSTRUCTION(vpaddq)};
constexpr InstructionPair kSubtractWhole{PLINTH_INSTRUCTION(vpsubd), PLINTH_INSTRUCTION(vpsubq)};
constexpr InstructionPair kEqualWhole{PLINTH_INSTRUCTION(vpcmpeqd), PLINTH_INSTRUCTION(vpcmpeqq)};
constexpr InstructionPair kGreaterWhole{PLINTH_INSTRUCTION(vpcmpgtd), PLINTH_INSTRUCTION(vpcmpgtq)};

namespace {

constexpr InstructionPair kShiftLeft{PLINTH_INSTRUCTION(vpsllvd), PLINTH_INSTRUCTION(vpsllvq)};
constexpr InstructionPair kShiftRight{PLINTH_INSTRUCTION(vpsrlvd), PLINTH_INSTRUCTION(vpsrlvq)};
// AVX2 has none of two lanes.
constexpr InstructionPair kShiftRightSigned{PLINTH_INSTRUCTION(vpsravd)};
constexpr InstructionPair kMultiplyWhole{PLINTH_INSTRUCTION(vpmulld)};
constexpr InstructionPair kMaxSigned{PLINTH_INSTRUCTION(vpmaxsd)};
constexpr InstructionPair kMaxUnsigned{PLINTH_INSTRUCTION(vpmaxud)};
constexpr InstructionPair kMinSigned{PLINTH_INSTRUCTION(vpminsd)};
constexpr InstructionPair kMinUnsigned{PLINTH_INSTRUCTION(vpminud)};
#undef PLINTH_INSTRUCTION

// Without instructions where an op is not one of two operands.
InstructionPair FindPair(Opcode opcode, DType type) {
  const bool floats = IsFloatType(type), pred = type == DType::kPred;
  const bool whole = !floats && !pred, is_unsigned = type == DType::kU32;
  switch (opcode) {
    case Opcode::kAdd:
      return pred ? kOr : floats ? kAdd : kAddWhole;
    case Opcode::kSubtract:
      return pred ? kXor : floats ? kSubtract : kSubtractWhole;
    case Opcode::kMultiply:
      if (whole) return kMultiplyWhole;
      return pred ? kAnd : kMultiply;
    case Opcode::kDivide:
      if (floats) return kDivide;
      return {};
    case Opcode::kMaximum:
      if (whole) return is_unsigned ? kMaxUnsigned : kMaxSigned;
      if (pred) return kOr;
      return {};
    case Opcode::kMinimum:
      if (whole) return is_unsigned ? kMinUnsigned : kMinSigned;
      if (pred) return kAnd;
      return {};
    case Opcode::kAnd:
      if (!floats) return kAnd;
      return {};
    case Opcode::kOr:
      if (!floats) return kOr;
      return {};
    case Opcode::kXor:
      if (!floats) return kXor;
      return {};
    // Counts as large as the type and larger give what the ops say: zeros, or the sign.
    case Opcode::kShiftLeft:
      if (whole) return kShiftLeft;
      return {};
    case Opcode::kShiftRightLogical:
      if (whole) return kShiftRight;
      return {};
    case Opcode::kShiftRightArithmetic:
      if (whole) return kShiftRightSigned;
      return {};
    default:
      return {};
  }
}

struct Predicates {
  uint8_t of_floats, of_integers;
};

Predicates PredicatesOf(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return {0x00, 0x00};
    case ComparisonDirection::kNe:
      return {0x04, 0x04};
    case ComparisonDirection::kGe:
      return {0x1D, 0x05};
    case ComparisonDirection::kGt:
      return {0x1E, 0x06};
    case ComparisonDirection::kLe:
      return {0x12, 0x02};
    case ComparisonDirection::kLt:
      return {0x11, 0x01};
  }
  return {};
}

}  // namespace

Instruction OneInstruction(Opcode opcode, DType type) {
  const InstructionPair pair = FindPair(opcode, type);
  return IsWideType(type) ? pair.wide : pair.narrow;
}

uint8_t FloatPredicate(ComparisonDirection direction) { return PredicatesOf(direction).of_floats; }

uint8_t IntegerPredicate(ComparisonDirection direction) {
  return PredicatesOf(direction).of_integers;
}

}  // namespace plinth::cpu::emit

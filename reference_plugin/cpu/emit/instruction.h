// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_INSTRUCTION_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_INSTRUCTION_H_

#include <cstdint>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/assembler.h"

// The instructions that ops are made of.
namespace plinth::cpu::emit {

// dst = an op of a and b, each of as many lanes.
using Instruction = void (*)(Assembler& code, const Xbyak::Xmm& dst, const Xbyak::Xmm& a,
                             const Xbyak::Operand& b);
// The same for elements of one lane and of two.
struct InstructionPair {
  Instruction narrow = nullptr, wide = nullptr;
};

extern const InstructionPair kAdd, kAnd, kDivide, kMax, kMin, kMultiply, kOr, kSubtract, kXor;
extern const InstructionPair kAddWhole, kSubtractWhole, kEqualWhole, kGreaterWhole;

// Null where an op is not one instruction of two operands.
Instruction OneInstruction(compiler::Opcode opcode, DType type);

// What vcmpps and vcmppd ask of floats. What is not ordered is unequal, and nothing else.
inline constexpr uint8_t kIsNan = 0x03, kIsNoNan = 0x07, kIsAtLeast = 0x1D, kIsAtMost = 0x12;
inline constexpr uint8_t kIsLessOrGreater = 0x0C;
uint8_t FloatPredicate(compiler::ComparisonDirection direction);
// The same of vpcmpd and its like, for integers.
uint8_t IntegerPredicate(compiler::ComparisonDirection direction);

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_INSTRUCTION_H_

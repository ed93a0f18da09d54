// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_WORK_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_WORK_H_

#include <cstdint>

#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::compiler {

// What an element of an elementwise op takes, in kinds that processors know.
enum class OpWork : uint8_t {
  kSimple,     // an instruction or two
  kDivision,   // an instruction that takes many cycles
  kRoot,       // the same; counted as transcendental
  kRemainder,  // a loop or many instructions
  kFunction,   // the same; transcendental
};

constexpr OpWork WorkOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAtan2:
    case Opcode::kCbrt:
    case Opcode::kCosine:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kSine:
    case Opcode::kTan:
    case Opcode::kTanh:
      return OpWork::kFunction;
    case Opcode::kRsqrt:
    case Opcode::kSqrt:
      return OpWork::kRoot;
    case Opcode::kDivide:
      return OpWork::kDivision;
    case Opcode::kRemainder:
      return OpWork::kRemainder;
    default:
      return OpWork::kSimple;
  }
}

constexpr bool IsTranscendental(Opcode opcode) {
  return WorkOf(opcode) == OpWork::kRoot || WorkOf(opcode) == OpWork::kFunction;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_WORK_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ELEMENTWISE_RULES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ELEMENTWISE_RULES_H_

#include <cstdint>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::compiler {

struct Op;

// A set of element classes.
using KindMask = uint32_t;
constexpr KindMask MaskOf(DTypeClass kind) { return 1u << static_cast<int>(kind); }
inline constexpr KindMask kPredMask = MaskOf(DTypeClass::kPred);
inline constexpr KindMask kSignedMask = MaskOf(DTypeClass::kSigned);
inline constexpr KindMask kUnsignedMask = MaskOf(DTypeClass::kUnsigned);
inline constexpr KindMask kIntegerMask = kSignedMask | kUnsignedMask;
inline constexpr KindMask kFloatMask = MaskOf(DTypeClass::kFloat);
inline constexpr KindMask kComplexMask = MaskOf(DTypeClass::kComplex);
inline constexpr KindMask kAnyMask = kPredMask | kIntegerMask | kFloatMask | kComplexMask;

// How the result's element type follows from that of the operands.
enum class ResultRule : uint8_t {
  kSame,      // all operands and the result have one type
  kRealPart,  // the real type of the operand
  kPred,      // operands of one type, result pred
  kComplex,   // two operands of the real type of the result
  kAny,       // no relation
  kSameBits,  // as many bits
  kSelect,    // operand 0 is pred, the others and the result have one type
};

// What an elementwise op demands of its types, of ops in blocks and of nodes in kernels.
struct ElementwiseRule {
  Opcode opcode;
  uint8_t num_operands;
  KindMask types;          // of the last operand
  KindMask unimplemented;  // those of them that are legal and refused
  ResultRule result;
  Status (*check)(const Op&);  // what else it demands in a block, or null
};

// Null for other ops than elementwise ones.
const ElementwiseRule* FindElementwiseRule(Opcode opcode);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ELEMENTWISE_RULES_H_

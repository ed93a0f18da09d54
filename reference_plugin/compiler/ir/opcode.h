// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OPCODE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OPCODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "reference_plugin/ops/work_class.h"

namespace plinth::compiler {

// Every op of the IR: the rows of reference_plugin/ops/ops.toml that have a category of the IR.
enum class Opcode : uint8_t {
#define PLINTH_OPCODE(Name, name, effect, category, lower, work, commutative) k##Name,
#include "reference_plugin/ops/opcodes.inc"
#undef PLINTH_OPCODE
};

inline constexpr int kNumOpcodes = 0
#define PLINTH_OPCODE(Name, name, effect, category, lower, work, commutative) +1
#include "reference_plugin/ops/opcodes.inc"
#undef PLINTH_OPCODE
    ;

// What an op may depend on or change besides its operands and results. All but the pure ones are
// never removed, merged or moved past their kind.
enum class Effect : uint8_t { kPure, kReadsState, kOrdered, kSideEffect };

enum class Category : uint8_t {
  kElementwise,  // on each element of operands of one shape; may be a node of a kernel
  kSource,       // values from nothing
  kMovement,     // elements moved, not changed
  kCombining,    // elements combined
  kAlgorithm,    // on whole arrays
  kControl,
  kCollective,  // over several devices: refused by device mapping when not executable
  kSharding,
};

// How an op is lowered.
enum class LowerClass : uint8_t {
  kElementwise,  // a node of a kernel
  kSource,       // constants and iota
  kMovement,     // an index map of a kernel
  kView,         // the same bytes: reshape, bitcast
  kReduction,    // a reduction of a kernel
  kStore,        // a kernel that writes a part of its result
  kLibrary,      // a step of its own
  kControl,      // while, case, if
  kAlias,        // results are operands
  kBarrier,      // results are the bytes of operands, and nothing is computed across
  kReturn,
  kRefused,
};

struct OpcodeInfo {
  std::string_view name;  // "add"
  Effect effect;
  Category category;
  LowerClass lower;
  ops::WorkClass work;
  bool commutative;  // Two operands that may be swapped.
};

inline constexpr OpcodeInfo kOpcodeInfos[] = {
#define PLINTH_OPCODE(Name, name, effect, category, lower, work, commutative) \
  {name,                                                                      \
   Effect::k##effect,                                                         \
   Category::k##category,                                                     \
   LowerClass::k##lower,                                                      \
   ops::WorkClass::k##work,                                                   \
   commutative},
#include "reference_plugin/ops/opcodes.inc"
#undef PLINTH_OPCODE
};

constexpr const OpcodeInfo& InfoOf(Opcode opcode) {
  return kOpcodeInfos[static_cast<size_t>(opcode)];
}
constexpr std::string_view Name(Opcode opcode) { return InfoOf(opcode).name; }
constexpr bool IsElementwise(Opcode opcode) {
  return InfoOf(opcode).category == Category::kElementwise;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OPCODE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OPCODE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OPCODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace plinth::compiler {

enum class Opcode : uint8_t {
#define PLINTH_OPCODE(Name, name, effect, category) k##Name,
#include "reference_plugin/compiler/ir/opcode.def"
#undef PLINTH_OPCODE
};

inline constexpr int kNumOpcodes = 0
#define PLINTH_OPCODE(Name, name, effect, category) +1
#include "reference_plugin/compiler/ir/opcode.def"
#undef PLINTH_OPCODE
    ;

// What an op may depend on or change besides its operands and results.
enum class Effect : uint8_t { kPure, kReadsState, kOrdered, kSideEffect };

enum class Category : uint8_t {
  kElementwise,
  kSource,
  kMovement,
  kCombining,
  kAlgorithm,
  kControl,
  kCollective,
  kSharding,
};

struct OpcodeInfo {
  std::string_view name;  // "add"
  Effect effect;
  Category category;
};

inline constexpr OpcodeInfo kOpcodeInfos[] = {
#define PLINTH_OPCODE(Name, name, effect, category) \
  {name, Effect::k##effect, Category::k##category},
#include "reference_plugin/compiler/ir/opcode.def"
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

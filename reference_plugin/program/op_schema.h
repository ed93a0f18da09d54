// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_OP_SCHEMA_H_
#define REFERENCE_PLUGIN_PROGRAM_OP_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/program/op.h"
#include "plinth/support/status.h"
#include "reference_plugin/program/module_builder.h"

namespace plinth::program {

// What an inherent attribute is. A reader may hand over a form close to it (dense elements for an
// integer list, a string for a symbol, a boolean for a unit); Normalize brings it into this one.
enum class AttributeForm : uint8_t {
  kI64,
  kI32,
  kF32,
  kBool,
  kUnit,
  kInts,      // array<i64: ...>
  kBools,     // array<i1: ...>
  kElements,  // dense<...>
  kString,
  kSymbol,
  kSymbols,     // Array of symbols.
  kEnum,        // AttributeRule::of
  kStruct,      // AttributeRule::of
  kPrecisions,  // Array of stablehlo.precision.
  kGroups,      // dense<...> or #stablehlo.replica_group_mesh_axes<...>
  kArray,
  kDictionary,
  kType,
  kAny,
};

// When an attribute says no more than its absence would.
enum class AttributeDefault : uint8_t {
  kRequired,  // Never: it must be there.
  kOptional,  // Never: its absence means something else.
  kZero,      // Integer 0; false; the channel handle 0 of type 0; "not precise in any way".
  kOne,
  kMinusOne,
  kAllZero,  // Every element 0 or false.
  kAllOne,
  kEmpty,    // An empty list, string, dictionary or tensor.
  kNoNames,  // A list of empty dictionaries.
  kFirst,    // The first spelling of the enum; for kPrecisions all of them DEFAULT.
};

struct AttributeRule {
  std::string_view name;
  AttributeForm form = AttributeForm::kAny;
  AttributeDefault absent = AttributeDefault::kOptional;
  std::string_view of = {};
};

inline constexpr int8_t kAnyNumber = -1;

struct OpSchema {
  Op op;
  int8_t operands;  // kAnyNumber: not fixed.
  int8_t results;
  int8_t regions;
  std::span<const AttributeRule> attributes;  // For builtin and sdy by name, which is
                                              // the order of their encoding.
};

const OpSchema& SchemaOf(Op op);

// The rule of an inherent attribute, or null for a discardable one.
const AttributeRule* FindRule(Op op, std::string_view name);

// The attribute in the form of its rule, or null when it cannot be, or when !in_proportion().
AttributeRef ConvertAttribute(AttributeRef value, const AttributeRule& rule,
                              ModuleBuilder& builder);

// Brings the attributes of an op into the form that all readers give: inherent ones in the form of
// their rule, defaults dropped, sorted by name. An error says which attribute is wrong and how, and
// leaves op and place to the caller.
Status Normalize(Op op, ModuleBuilder& builder, std::vector<NamedAttribute>* attributes);

// Checks the numbers of operands, results and regions against the op's schema.
Status CheckCounts(Op op, size_t operands, size_t results, size_t regions);

// Checks that the op may stand in a region of `parent` (nothing: at the top).
Status CheckPlace(Op op, std::optional<Op> parent);

// Checks that a block of `parent` ends with its only terminator. The block of a module has none,
// nor arguments.
Status CheckBlock(Op parent, const Region& region);

// Ops that stand outside of functions, where there are no values.
inline bool IsModuleLevel(Op op) { return op == Op::kModule || op == Op::kFunc || op == Op::kMesh; }

inline bool IsTerminator(Op op) {
  return op == Op::kFuncReturn || op == Op::kReturn || op == Op::kSdyReturn;
}

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_OP_SCHEMA_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_ATTRIBUTE_SCHEMA_H_
#define REFERENCE_PLUGIN_PROGRAM_ATTRIBUTE_SCHEMA_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "plinth/program/attribute.h"

namespace plinth::program {

// The spellings of one enum attribute, by number. An empty spelling is a number without meaning.
struct EnumSchema {
  std::string_view name;  // "stablehlo.comparison_direction"
  std::span<const std::string_view> spellings;
};

const EnumSchema* FindEnum(std::string_view name);
// The spelling as a string of static lifetime, or an empty view.
std::string_view FindSpelling(const EnumSchema& schema, std::string_view spelling);

enum class FieldForm : uint8_t {
  kInt,      // kInteger, i64
  kInts,     // kDenseArray, i64
  kBool,     // kBool
  kDouble,   // kFloat, f64
  kString,   // kString
  kType,     // kType
  kEnum,     // kEnum, see FieldSchema::of
  kStruct,   // kStruct, see FieldSchema::of
  kStructs,  // kArray of kStruct, see FieldSchema::of
  kStrings,  // kArray of kString
  kAny,      // Any attribute.
};

struct FieldSchema {
  std::string_view name;
  FieldForm form = FieldForm::kAny;
  // An optional field is left out when it is not set; every other field is always there. In text
  // a field with an empty list, zero, or (kBool) false may be left out and means just that.
  bool optional = false;
  std::string_view of = {};  // kEnum, kStruct, kStructs: which.
};

struct StructSchema {
  std::string_view name;  // "stablehlo.dot"
  std::span<const FieldSchema> fields;
};

const StructSchema* FindStruct(std::string_view name);

// Whether every field holds what the schema of that struct, which must be known, says.
bool FieldsFit(std::string_view struct_name, std::span<const NamedAttribute> fields);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_ATTRIBUTE_SCHEMA_H_

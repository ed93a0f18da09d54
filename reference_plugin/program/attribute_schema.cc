// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/attribute_schema.h"

#include <algorithm>

namespace plinth::program {
namespace {

using std::string_view;

// The rows say the forms by their plain names.
namespace field_rows {
using enum FieldForm;
#include "reference_plugin/ops/attribute_schemas.inc"
}  // namespace field_rows

bool Fits(const Attribute& value, const FieldSchema& field) {
  using enum FieldForm;
  const auto all = [&](auto fits) {
    return value.Is(AttributeKind::kArray) && std::ranges::all_of(value.elements(), fits);
  };
  switch (field.form) {
    case kInt:
      return value.Is(AttributeKind::kInteger);
    case kInts:
      return value.Is(AttributeKind::kDenseArray);
    case kBool:
      return value.Is(AttributeKind::kBool);
    case kDouble:
      return value.Is(AttributeKind::kFloat);
    case kString:
      return value.Is(AttributeKind::kString);
    case kType:
      return value.Is(AttributeKind::kType);
    case kEnum:
    case kStruct:
      return value.struct_name() == field.of;
    case kStructs:
      return all([&](AttributeRef element) { return element->struct_name() == field.of; });
    case kStrings:
      return all([](AttributeRef element) { return element->Is(AttributeKind::kString); });
    case kAny:
      return true;
  }
  return false;
}

}  // namespace

const EnumSchema* FindEnum(string_view name) {
  for (const EnumSchema& schema : field_rows::kEnums) {
    if (schema.name == name) return &schema;
  }
  return nullptr;
}

string_view FindSpelling(const EnumSchema& schema, string_view spelling) {
  for (string_view known : schema.spellings) {
    if (known == spelling) return known;
  }
  return {};
}

const StructSchema* FindStruct(string_view name) {
  for (const StructSchema& schema : field_rows::kStructSchemas) {
    if (schema.name == name) return &schema;
  }
  return nullptr;
}

bool FieldsFit(string_view struct_name, std::span<const NamedAttribute> fields) {
  for (const FieldSchema& field : FindStruct(struct_name)->fields) {
    for (const NamedAttribute& given : fields) {
      if (given.name == field.name && !Fits(*given.value, field)) return false;
    }
  }
  return true;
}

}  // namespace plinth::program

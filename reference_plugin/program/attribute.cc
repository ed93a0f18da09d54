// SPDX-License-Identifier: Apache-2.0
#include "plinth/program/attribute.h"

#include "plinth/support/float_format.h"

namespace plinth::program {

Attribute Attribute::Bool(bool value) {
  Attribute made(AttributeKind::kBool);
  made.bits_ = value ? 1 : 0;
  return made;
}

Attribute Attribute::Integer(TypeRef type, int64_t value) {
  Attribute made(AttributeKind::kInteger);
  made.type_ = type;
  made.bits_ = value;
  return made;
}

Attribute Attribute::Float(TypeRef type, uint64_t bits) {
  Attribute made(AttributeKind::kFloat);
  made.type_ = type;
  made.bits_ = static_cast<int64_t>(bits);
  return made;
}

Attribute Attribute::String(std::string_view text) {
  Attribute made(AttributeKind::kString);
  made.Set(std::span<const char>(text));
  return made;
}

Attribute Attribute::Symbol(std::string_view name) {
  Attribute made(AttributeKind::kSymbol);
  made.Set(std::span<const char>(name));
  return made;
}

Attribute Attribute::OfType(TypeRef type) {
  Attribute made(AttributeKind::kType);
  made.type_ = type;
  return made;
}

Attribute Attribute::Array(std::span<const AttributeRef> elements) {
  Attribute made(AttributeKind::kArray);
  made.Set(elements);
  return made;
}

Attribute Attribute::Dictionary(std::span<const NamedAttribute> entries_sorted_by_name) {
  Attribute made(AttributeKind::kDictionary);
  made.Set(entries_sorted_by_name);
  return made;
}

Attribute Attribute::Elements(TypeRef type, std::span<const std::byte> bytes, bool splat) {
  Attribute made(AttributeKind::kElements);
  made.type_ = type;
  made.splat_ = splat;
  made.Set(bytes);
  return made;
}

Attribute Attribute::DenseArray(TypeRef element_type, std::span<const int64_t> values) {
  Attribute made(AttributeKind::kDenseArray);
  made.type_ = element_type;
  made.Set(values);
  return made;
}

Attribute Attribute::Enum(std::string_view name, std::string_view spelling) {
  Attribute made(AttributeKind::kEnum);
  made.name_ = name;
  made.Set(std::span<const char>(spelling));
  return made;
}

Attribute Attribute::Struct(std::string_view name, std::span<const NamedAttribute> fields) {
  Attribute made(AttributeKind::kStruct);
  made.name_ = name;
  made.Set(fields);
  return made;
}

double Attribute::float_value() const {
  return kind_ == AttributeKind::kFloat ? FloatFromBits(type_->dtype, float_bits()) : 0;
}

AttributeRef Attribute::Find(std::string_view name) const {
  for (const NamedAttribute& field : fields()) {
    if (field.name == name) return field.value;
  }
  return nullptr;
}

}  // namespace plinth::program

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_ATTRIBUTE_H_
#define PLINTH_PROGRAM_ATTRIBUTE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plinth/program/type.h"

namespace plinth::program {

class Attribute;
using AttributeRef = const Attribute*;

enum class AttributeKind : uint8_t {
  kUnit,        // present or not
  kBool,        // true, false
  kInteger,     // 3 : i64
  kFloat,       // 1.0 : f32
  kString,      // "text"
  kSymbol,      // @name
  kType,        // tensor<4xf32>
  kArray,       // [a, b]
  kDictionary,  // {a = 1, b = 2}
  kElements,    // dense<...> : tensor<...>
  kDenseArray,  // array<i64: 1, 2>
  kEnum,        // #stablehlo<comparison_direction LT>
  kStruct,      // #stablehlo.dot<...>, #sdy.sharding<...>: named fields
};

struct NamedAttribute {
  std::string_view name;
  AttributeRef value = nullptr;
};

// One immutable attribute; it lives as long as its module. Accessors are meaningful for the kinds
// named with them and harmless (empty, zero) for all others.
class Attribute {
 public:
  Attribute() = default;

  static Attribute Unit() { return Attribute(AttributeKind::kUnit); }
  static Attribute Bool(bool value);
  static Attribute Integer(TypeRef type, int64_t value);
  // `bits` is the value in its own format, for example 16 bits of bf16.
  static Attribute Float(TypeRef type, uint64_t bits);
  static Attribute String(std::string_view text);
  static Attribute Symbol(std::string_view name);
  static Attribute OfType(TypeRef type);
  static Attribute Array(std::span<const AttributeRef> elements);
  static Attribute Dictionary(std::span<const NamedAttribute> entries_sorted_by_name);
  static Attribute Elements(TypeRef type, std::span<const std::byte> bytes, bool splat);
  static Attribute DenseArray(TypeRef element_type, std::span<const int64_t> values);
  static Attribute Enum(std::string_view name, std::string_view spelling);
  static Attribute Struct(std::string_view name, std::span<const NamedAttribute> fields);

  AttributeKind kind() const { return kind_; }
  bool Is(AttributeKind kind) const { return kind_ == kind; }

  // kBool: 0 or 1. kInteger: the value, sign- or zero-extended as its type says.
  int64_t integer() const { return kind_ <= AttributeKind::kInteger ? bits_ : 0; }
  // kFloat: the value as a double, and its bits in its own format.
  double float_value() const;
  uint64_t float_bits() const {
    return kind_ == AttributeKind::kFloat ? std::bit_cast<uint64_t>(bits_) : 0;
  }
  // kInteger, kFloat, kType, kElements (the tensor type), kDenseArray (the element type).
  TypeRef type() const { return type_; }
  // kString: the text. kSymbol: the name without '@' ("a::@b" when nested). kEnum: the spelling
  // ("LT", "HIGHEST", "FLOAT").
  std::string_view text() const { return HasText() ? View<char>() : std::string_view(); }
  // kEnum, kStruct: which one, with its dialect: "stablehlo.comparison_direction", "sdy.sharding".
  std::string_view struct_name() const { return name_; }
  // kArray.
  std::span<const AttributeRef> elements() const {
    return kind_ == AttributeKind::kArray ? Span<AttributeRef>() : std::span<const AttributeRef>();
  }
  // kDictionary: sorted by name. kStruct: in the order of its schema (see attribute_schema.h).
  std::span<const NamedAttribute> fields() const {
    return HasFields() ? Span<NamedAttribute>() : std::span<const NamedAttribute>();
  }
  // kDictionary, kStruct: the value of a field, or null.
  AttributeRef Find(std::string_view name) const;
  // kDenseArray: integers and booleans widened; floats as the bits of their own format.
  std::span<const int64_t> integers() const {
    return kind_ == AttributeKind::kDenseArray ? Span<int64_t>() : std::span<const int64_t>();
  }
  // kElements: row-major, little-endian, each element in ByteSize(type()->dtype) bytes (pred and
  // sub-byte types take one byte each, with zeros above); aligned to 64 bytes unless a
  // splat. A splat holds one element for all. Whoever reads: a constant whose elements are all
  // equal (bit for bit) is always a splat.
  std::span<const std::byte> bytes() const {
    return kind_ == AttributeKind::kElements ? Span<std::byte>() : std::span<const std::byte>();
  }
  bool splat() const { return splat_; }

 private:
  explicit Attribute(AttributeKind kind) : kind_(kind) {}
  bool HasText() const {
    return kind_ == AttributeKind::kString || kind_ == AttributeKind::kSymbol ||
           kind_ == AttributeKind::kEnum;
  }
  bool HasFields() const {
    return kind_ == AttributeKind::kDictionary || kind_ == AttributeKind::kStruct;
  }
  template <typename T>
  std::basic_string_view<T> View() const {
    return {static_cast<const T*>(data_), size_};
  }
  template <typename T>
  std::span<const T> Span() const {
    return {static_cast<const T*>(data_), size_};
  }
  template <typename T>
  void Set(std::span<const T> values) {
    data_ = values.data();
    size_ = values.size();
  }

  AttributeKind kind_ = AttributeKind::kUnit;
  bool splat_ = false;
  int64_t bits_ = 0;
  TypeRef type_ = nullptr;
  const void* data_ = nullptr;
  size_t size_ = 0;
  std::string_view name_;
};

// As in MLIR text.
std::string ToString(AttributeRef attribute);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_ATTRIBUTE_H_

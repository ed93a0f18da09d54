// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/bytecode_attributes.h"

#include <utility>

#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/elements.h"
#include "reference_plugin/program/text_parser.h"

// What every dialect's encoding shares, and the encoding of `builtin`.
namespace plinth::program {
namespace {

// Attributes refer to each other by index; deeper chains than this are refused.
constexpr int kMaxDepth = 400;
// Positions in code that recurses are deep, and nobody reads all of one: the rest is cut.
constexpr int kMaxLocationDepth = 200;

// Codes of builtin attributes.
enum BuiltinCode : uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kStringWithType = 3,
  kFlatSymbolRef = 4,
  kSymbolRef = 5,
  kTypeAttribute = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSiteLoc = 10,
  kFileLineColLoc = 11,
  kFusedLoc = 12,
  kFusedLocWithMetadata = 13,
  kNameLoc = 14,
  kUnknownLoc = 15,
  kDenseResource = 16,
  kDenseArray = 17,
  kDenseElements = 18,
  kFileLineColRange = 22,
};

bool IsLocationCode(uint64_t code) {
  return (code >= kCallSiteLoc && code <= kUnknownLoc) || code == kFileLineColRange;
}

}  // namespace

Failure BytecodeAttributes::Unknown(const BytecodeCursor& at, std::string_view what,
                                    uint64_t code) {
  return Fail(Unimplemented("MLIR bytecode at byte ", at.offset(), ": ", what, " code ", code,
                            " is not known"));
}

BytecodeAttributes::Entry* BytecodeAttributes::Resolve(std::vector<Entry>& entries, uint64_t index,
                                                       size_t asked_at, bool is_type) {
  const std::string_view what = is_type ? "type" : "attribute";
  if (index >= entries.size()) {
    return Fail(
        BytecodeError(asked_at, what, " ", index, " is asked for, but there are ", entries.size()));
  }
  Entry& entry = entries[index];
  if (entry.state == State::kUntouched) {
    if (depth_ >= kMaxDepth) {
      return Fail(BytecodeError(entry.data.offset(), what, "s are nested deeper than ", kMaxDepth));
    }
    ++depth_;
    const uint64_t outer = std::exchange(weight_, 1);
    entry.state = State::kInProgress;
    if (is_type) {
      entry.value = DecodeType(entry);
      if (entry.value == nullptr) return nullptr;
    } else if (!DecodeAttribute(entry)) {
      return nullptr;
    }
    if (weight_ > weight_limit_) {
      return Fail(BytecodeError(entry.data.offset(), what, " ", index,
                                " refers to others so often that it is out of proportion"));
    }
    entry.state = State::kDone;
    entry.weight = static_cast<uint32_t>(std::min<uint64_t>(weight_, UINT32_MAX));
    weight_ = outer;
    --depth_;
  } else if (entry.state == State::kInProgress) {
    return Fail(BytecodeError(entry.data.offset(), what, " ", index, " contains itself"));
  }
  weight_ += entry.weight;
  return &entry;
}

bool BytecodeAttributes::DecodeAttribute(Entry& entry) {
  BytecodeCursor at = entry.data;
  if (!entry.custom) {
    std::string_view text;
    if (!at.NullTerminated(&text)) return Truncated(at, "a text that ends with a zero byte");
    Expected<AttributeRef> parsed = ParseAttribute(text, builder_);
    if (!parsed.ok()) {
      return Fail(parsed.status().WithContext(
          StrCat("the text of an attribute at byte ", entry.data.offset())));
    }
    entry.value = *parsed;
    return true;
  }
  uint64_t code;
  if (!at.Varint(&code)) return Truncated(at, "the code of an attribute");
  switch (entry.dialect) {
    case Dialect::kBuiltin:
      entry.is_location = IsLocationCode(code);
      if (entry.is_location) {
        entry.value = DecodeLocation(code, at);
      } else {
        entry.value = DecodeBuiltin(code, at);
      }
      break;
    case Dialect::kVhlo:
      entry.value = DecodeVhlo(code, at);
      break;
    case Dialect::kSdy:
      entry.value = DecodeSdy(code, at);
      break;
    case Dialect::kStablehlo:
    case Dialect::kOther:
      return Fail(Unimplemented("MLIR bytecode at byte ", at.offset(),
                                ": an attribute of a dialect other than builtin, vhlo and sdy"));
  }
  if (entry.value == nullptr) return Truncated(at, "an attribute");
  if (!at.empty()) {
    return Fail(BytecodeError(at.offset(), at.remaining(), " bytes left over in an attribute"));
  }
  return true;
}

const Type* BytecodeAttributes::DecodeType(Entry& entry) {
  BytecodeCursor at = entry.data;
  if (!entry.custom) {
    std::string_view text;
    if (!at.NullTerminated(&text)) return Truncated(at, "a text that ends with a zero byte");
    Expected<TypeRef> parsed = ParseType(text, builder_);
    if (!parsed.ok()) {
      return Fail(
          parsed.status().WithContext(StrCat("the text of a type at byte ", entry.data.offset())));
    }
    return *parsed;
  }
  uint64_t code;
  if (!at.Varint(&code)) return Truncated(at, "the code of a type");
  const Type* type = nullptr;
  if (entry.dialect == Dialect::kBuiltin) {
    type = DecodeBuiltinType(code, at);
  } else if (entry.dialect == Dialect::kVhlo) {
    type = DecodeVhloType(code, at);
  } else if (entry.dialect == Dialect::kStablehlo) {
    type = DecodeStablehloType(code, at);
  } else {
    return Fail(Unimplemented("MLIR bytecode at byte ", at.offset(),
                              ": a type of a dialect other than builtin, vhlo and stablehlo"));
  }
  if (type == nullptr) return Truncated(at, "a type");
  if (!at.empty()) {
    return Fail(BytecodeError(at.offset(), at.remaining(), " bytes left over in a type"));
  }
  return type;
}

AttributeRef BytecodeAttributes::GetAttribute(uint64_t index, size_t asked_at) {
  const Entry* entry = Resolve(attributes_, index, asked_at, false);
  if (entry == nullptr) return nullptr;
  if (entry->is_location) {
    return Fail(Unimplemented("MLIR bytecode at byte ", asked_at,
                              ": a location where an attribute was expected"));
  }
  return static_cast<AttributeRef>(entry->value);
}

LocationRef BytecodeAttributes::GetLocation(uint64_t index, size_t asked_at) {
  if (depth_ >= kMaxLocationDepth && index < attributes_.size()) return builder_.unknown_location();
  // Nothing writes a location out in full, so it weighs no more than its index.
  const uint64_t outer = weight_;
  const Entry* entry = Resolve(attributes_, index, asked_at, false);
  weight_ = outer + 1;
  if (entry == nullptr) return nullptr;
  if (!entry->is_location) {
    return Fail(BytecodeError(asked_at, "expected a location, found another attribute"));
  }
  return static_cast<LocationRef>(entry->value);
}

TypeRef BytecodeAttributes::GetType(uint64_t index, size_t asked_at) {
  const Entry* entry = Resolve(types_, index, asked_at, true);
  return entry == nullptr ? nullptr : static_cast<TypeRef>(entry->value);
}

AttributeRef BytecodeAttributes::ReadAttribute(BytecodeCursor& at) {
  uint64_t index;
  const size_t offset = at.offset();
  if (!at.Varint(&index)) return Truncated(at, "the index of an attribute");
  return GetAttribute(index, offset);
}

LocationRef BytecodeAttributes::ReadLocation(BytecodeCursor& at) {
  uint64_t index;
  const size_t offset = at.offset();
  if (!at.Varint(&index)) return Truncated(at, "the index of a location");
  return GetLocation(index, offset);
}

TypeRef BytecodeAttributes::ReadType(BytecodeCursor& at) {
  uint64_t index;
  const size_t offset = at.offset();
  if (!at.Varint(&index)) return Truncated(at, "the index of a type");
  return GetType(index, offset);
}

bool BytecodeAttributes::ReadOptionalAttribute(BytecodeCursor& at, AttributeRef* attribute) {
  uint64_t index;
  bool present;
  const size_t offset = at.offset();
  if (!at.FlaggedVarint(&index, &present)) return Truncated(at, "an optional attribute");
  *attribute = nullptr;
  if (!present) return true;
  *attribute = GetAttribute(index, offset);
  return *attribute != nullptr;
}

bool BytecodeAttributes::ReadString(BytecodeCursor& at, std::string_view* text) {
  uint64_t index;
  const size_t offset = at.offset();
  if (!at.Varint(&index)) return Truncated(at, "the index of a string");
  if (index >= strings_.size()) {
    return Fail(
        BytecodeError(offset, "string ", index, " is asked for, but there are ", strings_.size()));
  }
  *text = strings_[index];
  return true;
}

bool BytecodeAttributes::ReadSignedList(BytecodeCursor& at, std::vector<int64_t>* values) {
  uint64_t count;
  if (!at.Count(&count)) return Truncated(at, "the length of a list of integers");
  values->resize(count);
  for (int64_t& value : *values) {
    if (!at.SignedVarint(&value)) return Truncated(at, "an integer");
  }
  return true;
}

bool BytecodeAttributes::ReadTypeList(BytecodeCursor& at, std::vector<TypeRef>* types) {
  uint64_t count;
  if (!at.Count(&count)) return Truncated(at, "the length of a list of types");
  types->reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    types->push_back(ReadType(at));
    if (types->back() == nullptr) return false;
  }
  return true;
}

bool BytecodeAttributes::ReadAttributeOf(BytecodeCursor& at, AttributeKind kind,
                                         AttributeRef* attribute) {
  const size_t offset = at.offset();
  *attribute = ReadAttribute(at);
  if (*attribute == nullptr) return false;
  if (!(*attribute)->Is(kind)) {
    return Fail(BytecodeError(offset, "found an attribute of another kind than its place needs"));
  }
  return true;
}

AttributeRef BytecodeAttributes::ReadAttributeList(BytecodeCursor& at,
                                                   std::string_view struct_name) {
  uint64_t count;
  if (!at.Count(&count)) return Truncated(at, "the length of a list of attributes");
  std::vector<AttributeRef> elements;
  elements.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const size_t offset = at.offset();
    elements.push_back(ReadAttribute(at));
    if (elements.back() == nullptr) return nullptr;
    if (!struct_name.empty() && elements.back()->struct_name() != struct_name) {
      return Fail(BytecodeError(offset, "expected #", struct_name, ", found another attribute"));
    }
  }
  return builder_.NewArray(elements);
}

AttributeRef BytecodeAttributes::ReadArray(BytecodeCursor& at) { return ReadAttributeList(at, {}); }

AttributeRef BytecodeAttributes::ReadDictionary(BytecodeCursor& at) {
  uint64_t count;
  const size_t offset = at.offset();
  if (!at.Count(&count, 2)) return Truncated(at, "the size of a dictionary");
  std::vector<NamedAttribute> entries;
  entries.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    AttributeRef name;
    if (!ReadAttributeOf(at, AttributeKind::kString, &name)) return nullptr;
    AttributeRef value = ReadAttribute(at);
    if (value == nullptr) return nullptr;
    entries.push_back({name->text(), value});
  }
  AttributeRef dictionary = builder_.NewDictionary(std::move(entries));
  if (dictionary == nullptr) return Fail(BytecodeError(offset, "a name occurs twice"));
  return dictionary;
}

AttributeRef BytecodeAttributes::ReadInteger(BytecodeCursor& at) {
  const size_t offset = at.offset();
  TypeRef type = ReadType(at);
  if (type == nullptr) return nullptr;
  int bits = 64;
  bool is_unsigned = false;
  if (type->kind == TypeKind::kScalar) {
    const DTypeInfo& info = InfoOf(type->dtype);
    bits = info.bits;
    is_unsigned = info.kind == DTypeClass::kUnsigned;
    if (info.kind != DTypeClass::kSigned && info.kind != DTypeClass::kUnsigned &&
        info.kind != DTypeClass::kPred) {
      bits = 0;
    }
  } else if (type->kind != TypeKind::kIndex) {
    bits = 0;
  }
  if (bits == 0) return Fail(BytecodeError(offset, "an integer of type ", ToString(type)));
  int64_t value = 0;
  if (bits <= 8) {
    uint8_t byte;
    if (!at.Byte(&byte)) return Truncated(at, "an integer");
    value = byte;
  } else if (!at.SignedVarint(&value)) {
    return Truncated(at, "an integer");
  }
  if (type->dtype == DType::kPred) return builder_.New(Attribute::Bool(value & 1));
  if (bits < 64) {
    const int shift = 64 - bits;
    const uint64_t high = static_cast<uint64_t>(value) << shift;
    value = is_unsigned ? static_cast<int64_t>(high >> shift) : static_cast<int64_t>(high) >> shift;
  }
  return builder_.New(Attribute::Integer(type, value));
}

bool BytecodeAttributes::ReadFloatBits(BytecodeCursor& at, DType type, uint64_t* bits) {
  const int width = InfoOf(type).bits;
  uint8_t byte = 0;
  int64_t value = 0;
  if (width <= 8 ? !at.Byte(&byte) : !at.SignedVarint(&value)) return Truncated(at, "a number");
  *bits = width <= 8 ? byte : static_cast<uint64_t>(value);
  if (width < 64) *bits &= (uint64_t{1} << width) - 1;
  return true;
}

AttributeRef BytecodeAttributes::ReadFloat(BytecodeCursor& at) {
  const size_t offset = at.offset();
  TypeRef type = ReadType(at);
  if (type == nullptr) return nullptr;
  if (type->kind != TypeKind::kScalar || InfoOf(type->dtype).kind != DTypeClass::kFloat) {
    return Fail(BytecodeError(offset, "a float of type ", ToString(type)));
  }
  uint64_t bits;
  if (!ReadFloatBits(at, type->dtype, &bits)) return nullptr;
  return builder_.New(Attribute::Float(type, bits));
}

AttributeRef BytecodeAttributes::ReadElements(BytecodeCursor& at) {
  const size_t offset = at.offset();
  TypeRef type = ReadType(at);
  if (type == nullptr) return nullptr;
  if (!type->IsTensor() || !type->HasStaticShape()) {
    return Fail(BytecodeError(offset, "a constant of type ", ToString(type)));
  }
  std::span<const std::byte> blob;
  if (!at.Blob(&blob)) return Truncated(at, "the elements of a constant");
  AttributeRef elements = ElementsFromRaw(type, blob, builder_);
  if (elements == nullptr) {
    return Fail(
        BytecodeError(offset, blob.size(), " bytes for a constant of type ", ToString(type)));
  }
  return elements;
}

AttributeRef BytecodeAttributes::ReadDenseArray(BytecodeCursor& at) {
  const size_t offset = at.offset();
  TypeRef type = ReadType(at);
  if (type == nullptr) return nullptr;
  uint64_t count;
  std::span<const std::byte> blob;
  if (!at.Varint(&count) || !at.Blob(&blob)) return Truncated(at, "a dense array");
  const int64_t width = type->kind == TypeKind::kScalar ? ByteSize(type->dtype) : 0;
  if (width < 1 || width > 8 || blob.size() % static_cast<size_t>(width) != 0 ||
      blob.size() / static_cast<size_t>(width) != count) {
    return Fail(BytecodeError(offset, blob.size(), " bytes for ", count, " elements of type ",
                              ToString(type)));
  }
  const DTypeClass kind = InfoOf(type->dtype).kind;
  std::vector<int64_t> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, blob.data() + i * static_cast<size_t>(width), static_cast<size_t>(width));
    const int shift = 64 - 8 * static_cast<int>(width);
    values[i] = kind == DTypeClass::kSigned
                    ? static_cast<int64_t>(bits << shift) >> shift
                    : static_cast<int64_t>(kind == DTypeClass::kPred ? bits & 1 : bits);
  }
  return builder_.New(Attribute::DenseArray(type, builder_.arena().Copy(values)));
}

AttributeRef BytecodeAttributes::ReadResourceElements(BytecodeCursor& at) {
  const size_t offset = at.offset();
  TypeRef type = ReadType(at);
  if (type == nullptr) return nullptr;
  uint64_t index;
  if (!at.Varint(&index)) return Truncated(at, "the index of a resource");
  if (index >= resources_.size()) {
    return Fail(BytecodeError(offset, "resource ", index, " is asked for, but there are ",
                              resources_.size()));
  }
  if (!type->IsTensor() || !type->HasStaticShape()) {
    return Fail(BytecodeError(offset, "a constant of type ", ToString(type)));
  }
  if (!builder_.Spend(resources_[index].blob.size())) return Fail(builder_.Disproportion());
  AttributeRef elements = ElementsFromRaw(type, resources_[index].blob, builder_);
  if (elements == nullptr) {
    return Fail(BytecodeError(offset, resources_[index].blob.size(), " bytes in resource ",
                              resources_[index].key, " for a constant of type ", ToString(type)));
  }
  return elements;
}

AttributeRef BytecodeAttributes::DecodeBuiltin(uint64_t code, BytecodeCursor& at) {
  switch (code) {
    case kArray:
      return ReadArray(at);
    case kDictionary:
      return ReadDictionary(at);
    case kString:
    case kStringWithType: {
      std::string_view text;
      if (!ReadString(at, &text)) return nullptr;
      if (code == kStringWithType && ReadType(at) == nullptr) return nullptr;
      return builder_.New(Attribute::String(text));
    }
    case kFlatSymbolRef: {
      AttributeRef root;
      if (!ReadAttributeOf(at, AttributeKind::kString, &root)) return nullptr;
      return builder_.New(Attribute::Symbol(root->text()));
    }
    case kSymbolRef: {
      AttributeRef root;
      if (!ReadAttributeOf(at, AttributeKind::kString, &root)) return nullptr;
      AttributeRef nested = ReadArray(at);
      if (nested == nullptr) return nullptr;
      size_t size = root->text().size();
      for (AttributeRef part : nested->elements()) size += 3 + part->text().size();
      if (!builder_.Spend(size)) return Fail(builder_.Disproportion());
      std::string path(root->text());
      for (AttributeRef part : nested->elements()) path += StrCat("::@", part->text());
      return builder_.New(Attribute::Symbol(builder_.arena().Copy(std::string_view(path))));
    }
    case kTypeAttribute: {
      TypeRef type = ReadType(at);
      return type == nullptr ? nullptr : builder_.New(Attribute::OfType(type));
    }
    case kUnit:
      return builder_.New(Attribute::Unit());
    case kInteger:
      return ReadInteger(at);
    case kFloat:
      return ReadFloat(at);
    case kDenseResource:
      return ReadResourceElements(at);
    case kDenseArray:
      return ReadDenseArray(at);
    case kDenseElements:
      return ReadElements(at);
    default:
      return Unknown(at, "builtin attribute", code);
  }
}

LocationRef BytecodeAttributes::DecodeLocation(uint64_t code, BytecodeCursor& at) {
  Location location;
  std::vector<LocationRef> children;
  const auto read_child = [&] {
    children.push_back(ReadLocation(at));
    return children.back() != nullptr;
  };
  switch (code) {
    case kCallSiteLoc:
      location.kind = Location::Kind::kCallSite;
      if (!read_child() || !read_child()) return nullptr;
      break;
    case kFileLineColLoc:
    case kFileLineColRange: {
      location.kind = Location::Kind::kFile;
      AttributeRef file;
      if (!ReadAttributeOf(at, AttributeKind::kString, &file)) return nullptr;
      location.text = file->text();
      uint64_t numbers[4] = {};
      uint64_t count = 2;
      if (code == kFileLineColRange && (!at.Count(&count) || count > 4)) {
        return Truncated(at, "at most four numbers of a source range");
      }
      for (uint64_t i = 0; i < count; ++i) {
        if (!at.Varint(&numbers[i])) return Truncated(at, "a line or column");
      }
      location.line = static_cast<uint32_t>(numbers[0]);
      location.column = static_cast<uint32_t>(numbers[1]);
      break;
    }
    case kFusedLoc:
    case kFusedLocWithMetadata: {
      location.kind = Location::Kind::kFused;
      uint64_t count;
      if (!at.Count(&count)) return Truncated(at, "the number of fused locations");
      for (uint64_t i = 0; i < count; ++i) {
        if (!read_child()) return nullptr;
      }
      // Metadata says nothing about where.
      uint64_t metadata;
      if (code == kFusedLocWithMetadata && !at.Varint(&metadata)) {
        return Truncated(at, "the metadata of a fused location");
      }
      break;
    }
    case kNameLoc: {
      location.kind = Location::Kind::kName;
      AttributeRef name;
      if (!ReadAttributeOf(at, AttributeKind::kString, &name) || !read_child()) return nullptr;
      location.text = name->text();
      if (children[0] == builder_.unknown_location()) children.clear();
      break;
    }
    default:
      return builder_.unknown_location();
  }
  location.children = builder_.arena().Copy(children);
  return builder_.arena().New(location);
}

}  // namespace plinth::program

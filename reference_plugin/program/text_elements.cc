// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstring>

#include "plinth/support/float_format.h"
#include "reference_plugin/program/elements.h"
#include "reference_plugin/program/text_parser_base.h"

// Constants: dense<...>, dense_resource<...> and the numbers in them.
namespace plinth::program {

bool AttributeParser::FloatLiteral(bool negative, DType type, uint64_t* bits) {
  const std::string_view text = token_.text;
  const int width = InfoOf(type).bits;
  if (token_.kind == TokenKind::kInteger && text.starts_with("0x")) {
    const auto [end, error] =
        std::from_chars(text.data() + 2, text.data() + text.size(), *bits, 16);
    if (error != std::errc() || negative || (width < 64 && (*bits >> width) != 0)) {
      return Wanted(StrCat("the ", width, " bits of a number"));
    }
    Advance();
    return true;
  }
  if (token_.kind != TokenKind::kFloat) return Wanted("a number with a decimal point");
  double value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return Wanted("a number in the range of f64");
  Advance();
  *bits = FloatToBits(type, negative ? -value : value);
  return true;
}

// The bits of one element as they lie in memory, zero-extended.
bool AttributeParser::ParseScalarBits(DType type, uint64_t* bits) {
  const DTypeInfo& info = InfoOf(type);
  const size_t start = position();
  if (info.kind == DTypeClass::kPred && token_.kind == TokenKind::kWord) {
    *bits = token_.text == "true";
    return AcceptWord("true") || AcceptWord("false") || Wanted("true or false");
  }
  const bool negative = Accept('-');
  if (info.kind == DTypeClass::kFloat) return FloatLiteral(negative, type, bits);
  int64_t value;
  if (!TakeInteger(&value)) return false;
  if (info.kind == DTypeClass::kPred) {
    if (value > 1) return FailAt(start, value, " is no boolean");
    *bits = value != 0;
    return true;
  }
  if (info.kind == DTypeClass::kUnsigned && negative && value != 0) {
    return FailAt(start, "a negative number of type ", info.mlir_name);
  }
  if (info.bits < 64) {
    // A signed type takes its unsigned range too: 0xFF is an i8.
    const int64_t limit = int64_t{1} << info.bits;
    if (value < 0 || value >= limit || (negative && value > limit / 2)) {
      return FailAt(start, "a number that does not fit ", info.mlir_name);
    }
    if (info.kind == DTypeClass::kSigned && value >= limit / 2 && !negative) value -= limit;
  }
  if (negative) value = static_cast<int64_t>(0 - static_cast<uint64_t>(value));
  *bits = static_cast<uint64_t>(value);
  if (info.bytes < 8) *bits &= (uint64_t{1} << (8 * info.bytes)) - 1;
  return true;
}

bool AttributeParser::ParseElement(DType type, std::vector<std::byte>* bytes) {
  const DTypeInfo& info = InfoOf(type);
  if (info.kind == DTypeClass::kComplex) {
    const DType part = type == DType::kC64 ? DType::kF32 : DType::kF64;
    return Take('(') && ParseElement(part, bytes) && Take(',') && ParseElement(part, bytes) &&
           Take(')');
  }
  uint64_t bits;
  if (!ParseScalarBits(type, &bits)) return false;
  const std::byte* raw = reinterpret_cast<const std::byte*>(&bits);
  bytes->insert(bytes->end(), raw, raw + info.bytes);
  return true;
}

bool AttributeParser::ParseNested(const Type& type, size_t dim, std::vector<std::byte>* bytes) {
  if (dim == type.dims.size()) return ParseElement(type.dtype, bytes);
  const size_t start = position();
  int64_t count = 0;
  const bool good = TakeList('[', ']', [&] {
    ++count;
    return ParseNested(type, dim + 1, bytes);
  });
  if (!good) return false;
  return count == type.dims[dim] || FailAt(start, "a list of ", count, " elements where ",
                                           ToString(&type), " has ", type.dims[dim]);
}

bool AttributeParser::DecodeHex(std::string_view digits, size_t place,
                                std::vector<std::byte>* bytes) {
  if (!digits.starts_with("0x") || digits.size() % 2 != 0) {
    return FailAt(place, "expected \"0x\" and an even number of hexadecimal digits");
  }
  digits.remove_prefix(2);
  bytes->resize(digits.size() / 2);
  const auto value = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 256;
  };
  for (size_t i = 0; i < bytes->size(); ++i) {
    const int both = value(digits[2 * i]) * 16 + value(digits[2 * i + 1]);
    if (both > 255) return FailAt(place + 2 + 2 * i, "expected hexadecimal digits");
    (*bytes)[i] = static_cast<std::byte>(both);
  }
  return true;
}

AttributeRef AttributeParser::ParseDenseBody(TypeRef type, size_t start, size_t end) {
  MoveTo(start);
  std::vector<std::byte> bytes;
  AttributeRef elements = nullptr;
  if (token_.kind == TokenKind::kString) {
    const std::string_view digits = token_.text.substr(1, token_.text.size() - 2);
    if (!DecodeHex(digits, start + 1, &bytes)) return nullptr;
    Advance();
    elements = ElementsFromRaw(type, bytes, builder_);
  } else if (position() == end) {
    if (type->NumElements() != 0) return Wanted("elements");
    elements = ElementsFromValues(type, bytes, builder_);
  } else if (token_.Is('[')) {
    if (!ParseNested(*type, 0, &bytes)) return nullptr;
    elements = ElementsFromValues(type, bytes, builder_);
  } else {
    if (!ParseElement(type->dtype, &bytes)) return nullptr;
    elements = ElementsFromValues(type, bytes, builder_);
  }
  if (elements == nullptr) {
    return FailAt(start, bytes.size(), " bytes of elements do not fit ", ToString(type));
  }
  if (position() != end) return Wanted("'>'");
  return elements;
}

AttributeRef AttributeParser::ParseDense() {
  Advance();
  if (!token_.Is('<')) return Wanted("'<'");
  // The type, which says how to read the elements, comes after them.
  const size_t start = position() + 1;
  size_t end = start;
  const std::string_view text = lexer_.text();
  while (end < text.size() && text[end] != '>') {
    if (text[end] == '"') end = std::min(text.find('"', end + 1), text.size() - 1);
    ++end;
  }
  MoveTo(end);
  if (!Take('>') || !Take(':')) return nullptr;
  const size_t type_at = position();
  TypeRef type = ParseType();
  if (type == nullptr) return nullptr;
  if (!type->IsTensor() || !type->HasStaticShape()) {
    return FailAt(type_at, "a constant of type ", ToString(type));
  }
  const size_t after = position();
  AttributeRef elements = ParseDenseBody(type, start, end);
  if (elements != nullptr) MoveTo(after);
  return elements;
}

AttributeRef AttributeParser::ParseResource() {
  Advance();
  if (!Take('<')) return nullptr;
  const size_t start = position();
  std::string_view name = token_.text;
  if (token_.kind == TokenKind::kString) {
    if (!Unquote(token_.text, &name)) return nullptr;
  } else if (token_.kind != TokenKind::kWord) {
    return Wanted("the name of a resource");
  }
  Advance();
  if (!Take('>') || !Take(':')) return nullptr;
  TypeRef type = ParseType();
  if (type == nullptr) return nullptr;
  if (!type->IsTensor() || !type->HasStaticShape()) {
    return FailAt(start, "a constant of type ", ToString(type));
  }
  const auto resource = resources_.find(name);
  if (resource == resources_.end()) return FailAt(start, "resource ", name, " is not in the text");
  if (!builder_.Spend(resource->second.size())) return Fail(builder_.Disproportion());
  std::vector<std::byte> bytes;
  if (!DecodeHex(resource->second, start, &bytes)) return nullptr;
  // The first four bytes are the alignment.
  if (bytes.size() < 4) return FailAt(start, "resource ", name, " is too short");
  AttributeRef elements =
      ElementsFromRaw(type, std::span<const std::byte>(bytes).subspan(4), builder_);
  if (elements == nullptr) {
    return FailAt(start, "resource ", name, " of ", bytes.size() - 4, " bytes does not fit ",
                  ToString(type));
  }
  return elements;
}

// {-# dialect_resources: { builtin: { name: "0x..." } }, external_resources: {...} #-}
bool AttributeParser::ParseMetadata() {
  Advance();
  const auto take_key = [&](std::string_view* key) {
    if (token_.kind != TokenKind::kWord && token_.kind != TokenKind::kString) {
      return static_cast<bool>(Wanted("a key"));
    }
    *key = token_.kind == TokenKind::kString ? token_.text.substr(1, token_.text.size() - 2)
                                             : token_.text;
    Advance();
    return Take(':');
  };
  do {
    std::string_view section;
    if (!take_key(&section)) return false;
    const bool good = TakeList('{', '}', [&] {
      std::string_view group;
      return take_key(&group) && TakeList('{', '}', [&] {
               std::string_view key;
               if (!take_key(&key)) return false;
               if (token_.kind == TokenKind::kString && section == "dialect_resources") {
                 resources_[key] = token_.text.substr(1, token_.text.size() - 2);
               }
               if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kError) {
                 return static_cast<bool>(Wanted("a resource"));
               }
               Advance();
               return true;
             });
    });
    if (!good) return false;
  } while (Accept(','));
  // The closing #-} begins like a name.
  const std::string_view rest = lexer_.text().substr(position());
  if (!rest.starts_with("#-}")) return Wanted("'#-}'");
  MoveTo(position() + 3);
  return true;
}

}  // namespace plinth::program

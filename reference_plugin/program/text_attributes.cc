// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <string>

#include "reference_plugin/program/text_parser.h"
#include "reference_plugin/program/text_parser_base.h"

// Tokens, and the attributes of `builtin`.
namespace plinth::program {
namespace {

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

AttributeParser::AttributeParser(std::string_view text, ModuleBuilder& builder)
    : builder_(builder), lexer_(text), work_limit_(4096 + 64 * static_cast<uint64_t>(text.size())) {
  Advance();
}

std::string AttributeParser::Place(size_t position) const {
  const std::string_view before = lexer_.text().substr(0, position);
  size_t line = 1;
  size_t start = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == '\n') {
      ++line;
      start = i + 1;
    }
  }
  return StrCat(line, ":", position - start + 1);
}

Failure AttributeParser::Wanted(std::string_view what) {
  if (!status_.ok()) return {};
  std::string found = "the end of the text";
  if (token_.kind != TokenKind::kEnd) {
    found = StrCat("'", token_.text.substr(0, 40), token_.text.size() > 40 ? "..." : "", "'");
  }
  return FailAt(position(), "expected ", what, ", found ", found);
}

bool AttributeParser::Work(uint64_t amount) {
  work_ += amount;
  return work_ <= work_limit_ ||
         FailAt(position(), "aliases stand for more than 64 times the size of the text");
}

bool AttributeParser::Take(char punctuation) {
  if (Accept(punctuation)) return true;
  const char text[] = {'\'', punctuation, '\'', '\0'};
  return Wanted(text);
}

bool AttributeParser::TakeWord(std::string_view word) {
  return AcceptWord(word) || Wanted(StrCat("'", word, "'"));
}

bool AttributeParser::TakeArrow() {
  if (token_.kind != TokenKind::kArrow) return Wanted("'->'");
  Advance();
  return true;
}

bool AttributeParser::Unquote(std::string_view quoted, std::string_view* text) {
  std::string_view body = quoted.substr(1, quoted.size() - 2);
  if (body.find('\\') == body.npos) {
    *text = builder_.arena().Copy(body);
    return true;
  }
  std::string plain;
  plain.reserve(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      plain.push_back(body[i]);
      continue;
    }
    ++i;
    if (i >= body.size()) break;
    switch (body[i]) {
      case 'n':
        plain.push_back('\n');
        continue;
      case 't':
        plain.push_back('\t');
        continue;
      case '"':
      case '\\':
        plain.push_back(body[i]);
        continue;
      default:
        break;
    }
    const int high = HexValue(body[i]);
    const int low = i + 1 < body.size() ? HexValue(body[i + 1]) : -1;
    if (high < 0 || low < 0) return Wanted("an escape of two hexadecimal digits in the string");
    plain.push_back(static_cast<char>(high * 16 + low));
    ++i;
  }
  *text = builder_.arena().Copy(std::string_view(plain));
  return true;
}

bool AttributeParser::TakeString(std::string_view* text) {
  if (token_.kind != TokenKind::kString) return Wanted("a string");
  if (!Unquote(token_.text, text)) return false;
  Advance();
  return true;
}

bool AttributeParser::TakeSymbol(std::string_view* name) {
  std::string path;
  while (true) {
    if (token_.kind != TokenKind::kSymbol) return Wanted("a symbol (@name)");
    std::string_view part = token_.text.substr(1);
    if (part.starts_with('"')) {
      if (!Unquote(part, &part)) return false;
    }
    Advance();
    path += part;
    if (token_.kind != TokenKind::kDoubleColon) break;
    Advance();
    path += "::@";
  }
  *name = builder_.arena().Copy(std::string_view(path));
  return true;
}

bool AttributeParser::TakeInteger(int64_t* value) {
  const bool negative = Accept('-');
  if (token_.kind != TokenKind::kInteger) return Wanted("an integer");
  const bool hex = token_.text.starts_with("0x");
  const std::string_view digits = hex ? token_.text.substr(2) : token_.text;
  uint64_t magnitude;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hex ? 16 : 10);
  if (error != std::errc()) return Wanted("an integer of at most 64 bits");
  Advance();
  *value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

bool AttributeParser::TakeDimension(int64_t* value) {
  if (Accept('?')) {
    *value = kDynamic;
    return true;
  }
  return TakeInteger(value);
}

bool AttributeParser::TakeIntegerList(std::vector<int64_t>* values) {
  return TakeList('[', ']', [&] {
    values->push_back(0);
    return TakeDimension(&values->back());
  });
}

bool AttributeParser::ParseNamed(std::vector<NamedAttribute>* entries) {
  return TakeList('{', '}', [&] {
    NamedAttribute entry;
    if (token_.kind == TokenKind::kString) {
      if (!TakeString(&entry.name)) return false;
    } else if (token_.kind == TokenKind::kWord) {
      entry.name = builder_.arena().Copy(token_.text);
      Advance();
    } else {
      return static_cast<bool>(Wanted("the name of an attribute"));
    }
    entry.value = Accept('=') ? ParseAttribute() : builder_.New(Attribute::Unit());
    entries->push_back(entry);
    return entry.value != nullptr;
  });
}

AttributeRef AttributeParser::ParseDictionary() {
  const size_t start = position();
  std::vector<NamedAttribute> entries;
  if (!ParseNamed(&entries)) return nullptr;
  AttributeRef dictionary = builder_.NewDictionary(std::move(entries));
  if (dictionary == nullptr) return FailAt(start, "a name occurs twice in the dictionary");
  return dictionary;
}

AttributeRef AttributeParser::ParseNumber() {
  const size_t start = position();
  const bool negative = token_.Is('-');
  if (negative) Advance();
  const size_t literal_start = position();
  const Token literal = token_;
  if (literal.kind != TokenKind::kInteger && literal.kind != TokenKind::kFloat) {
    return Wanted("a number");
  }
  Advance();
  TypeRef type = nullptr;
  if (Accept(':')) {
    type = ParseType();
    if (type == nullptr) return nullptr;
  } else {
    type = builder_.Scalar(literal.kind == TokenKind::kInteger ? DType::kS64 : DType::kF64);
  }
  const size_t end = position();
  // The type decides how the literal is read, so it is read only now.
  MoveTo(literal_start);
  AttributeRef number = nullptr;
  if (type->kind == TypeKind::kScalar && InfoOf(type->dtype).kind == DTypeClass::kFloat) {
    uint64_t bits;
    if (!FloatLiteral(negative, type->dtype, &bits)) return nullptr;
    number = builder_.New(Attribute::Float(type, bits));
  } else if ((type->kind == TypeKind::kScalar || type->kind == TypeKind::kIndex) &&
             literal.kind == TokenKind::kInteger) {
    int64_t value;
    const DTypeInfo& info = InfoOf(type->dtype);
    if (info.kind == DTypeClass::kComplex || !TakeInteger(&value)) return Wanted("an integer");
    if (negative) value = static_cast<int64_t>(0 - static_cast<uint64_t>(value));
    if (type->dtype == DType::kPred) {
      number = builder_.New(Attribute::Bool(value != 0));
    } else {
      if (type->kind == TypeKind::kScalar && info.bits < 64) {
        const int64_t limit = int64_t{1} << info.bits;
        if (value < -limit / 2 || value >= limit) {
          return FailAt(start, "an integer that does not fit ", ToString(type));
        }
        if (info.kind == DTypeClass::kSigned && value >= limit / 2) value -= limit;
        if (info.kind == DTypeClass::kUnsigned && value < 0) {
          return FailAt(start, "a negative number of type ", ToString(type));
        }
      }
      number = builder_.New(Attribute::Integer(type, value));
    }
  } else {
    return FailAt(start, "a number cannot be of type ", ToString(type));
  }
  MoveTo(end);
  return number;
}

AttributeRef AttributeParser::ParseDenseArray() {
  Advance();
  if (!Take('<')) return nullptr;
  const size_t start = position();
  TypeRef type = ParseType();
  if (type == nullptr) return nullptr;
  const DTypeInfo& info = InfoOf(type->dtype);
  if (type->kind != TypeKind::kScalar || info.kind == DTypeClass::kComplex) {
    return FailAt(start, "an array of ", ToString(type));
  }
  std::vector<int64_t> values;
  if (Accept(':') && !token_.Is('>')) {
    do {
      uint64_t bits;
      if (!ParseScalarBits(type->dtype, &bits)) return nullptr;
      // Signed values come zero-extended from their bytes.
      const int shift = 64 - 8 * info.bytes;
      values.push_back(info.kind == DTypeClass::kSigned
                           ? static_cast<int64_t>(bits << shift) >> shift
                           : static_cast<int64_t>(bits));
    } while (Accept(','));
  }
  if (!Take('>')) return nullptr;
  return builder_.New(Attribute::DenseArray(type, builder_.arena().Copy(values)));
}

AttributeRef AttributeParser::ParseAttribute() {
  const Nesting nesting(&depth_);
  if (!Deeper(depth_) || !Work(1)) return nullptr;
  switch (token_.kind) {
    case TokenKind::kString: {
      std::string_view text;
      if (!TakeString(&text)) return nullptr;
      // A string may carry a type, which says nothing here.
      if (token_.Is(':')) {
        Advance();
        if (ParseType() == nullptr) return nullptr;
      }
      return builder_.New(Attribute::String(text));
    }
    case TokenKind::kSymbol: {
      std::string_view name;
      return TakeSymbol(&name) ? builder_.New(Attribute::Symbol(name)) : nullptr;
    }
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return ParseNumber();
    case TokenKind::kHash:
      return ParseHash();
    default:
      break;
  }
  if (token_.Is('-')) return ParseNumber();
  if (token_.Is('{')) return ParseDictionary();
  if (token_.Is('[')) {
    std::vector<AttributeRef> elements;
    const bool good = TakeList('[', ']', [&] {
      elements.push_back(ParseAttribute());
      return elements.back() != nullptr;
    });
    return good ? builder_.NewArray(elements) : nullptr;
  }
  if (token_.IsWord("true") || token_.IsWord("false")) {
    const bool value = token_.text == "true";
    Advance();
    return builder_.New(Attribute::Bool(value));
  }
  if (AcceptWord("unit")) return builder_.New(Attribute::Unit());
  if (token_.IsWord("dense")) return ParseDense();
  if (token_.IsWord("dense_resource")) return ParseResource();
  if (token_.IsWord("array")) return ParseDenseArray();
  if (AtType()) {
    TypeRef type = ParseType();
    return type == nullptr ? nullptr : builder_.New(Attribute::OfType(type));
  }
  if (token_.kind == TokenKind::kWord) {
    return Unknown(position(), "attribute ", token_.text.substr(0, 40), " is not known");
  }
  return Wanted("an attribute");
}

bool AttributeParser::ParseAttributeAlias() {
  const std::string_view name = token_.text;
  const size_t start = position();
  Advance();
  if (!Take('=')) return false;
  if (token_.IsWord("loc")) {
    Advance();
    if (!Take('(')) return false;
    LocationRef location = ParseLocationBody();
    if (location == nullptr || !Take(')')) return false;
    LocationAliasEntry& entry = location_aliases_[name];
    if (entry.defined) return FailAt(start, name, " is defined twice");
    entry.defined = true;
    if (entry.location == nullptr) {
      // Locations made here are never changed but through this map.
      entry.location = const_cast<Location*>(location);
    } else {
      *entry.location = *location;
    }
    return true;
  }
  const uint64_t before = work_;
  AttributeRef value = ParseAttribute();
  if (value == nullptr) return false;
  if (!attribute_aliases_.emplace(name, AttributeAlias{value, work_ - before}).second) {
    return FailAt(start, name, " is defined twice");
  }
  return true;
}

AttributeRef AttributeParser::ParseHash() {
  const size_t start = position();
  const std::string_view name = token_.text;
  Advance();
  if (const auto alias = attribute_aliases_.find(name); alias != attribute_aliases_.end()) {
    return Work(alias->second.work) ? alias->second.value : nullptr;
  }
  // "#stablehlo<precision HIGH>" or "#stablehlo.dot<...>".
  std::string full(name.substr(1));
  const bool spaced = full.find('.') == std::string::npos && token_.Is('<');
  if (spaced) {
    Advance();
    if (token_.kind != TokenKind::kWord) return Wanted("the name of an attribute");
    full += StrCat(".", token_.text);
    Advance();
  }
  AttributeRef value = nullptr;
  if (const EnumSchema* schema = FindEnum(full); schema != nullptr) {
    if (!spaced && !Take('<')) return nullptr;
    value = ParseEnumValue(*schema);
    if (value != nullptr && !spaced && !Take('>')) return nullptr;
  } else if (full == "stablehlo.type_extensions" || FindStruct(full) != nullptr) {
    value = ParseStructBody(full);
  } else if (full.find('.') == std::string::npos) {
    return FailAt(start, "attribute alias ", name, " is not defined");
  } else {
    return Unknown(start, "attribute #", full, " is not known");
  }
  if (value == nullptr || (spaced && !Take('>'))) return nullptr;
  return value;
}

AttributeRef AttributeParser::ParseEnumValue(const EnumSchema& schema) {
  if (token_.kind == TokenKind::kHash) {
    AttributeRef value = ParseHash();
    if (value == nullptr || value->struct_name() == schema.name) return value;
    return Wanted(StrCat("a value of #", schema.name));
  }
  const std::string_view spelling =
      token_.kind == TokenKind::kWord ? FindSpelling(schema, token_.text) : std::string_view();
  if (spelling.empty()) return Wanted(StrCat("one of ", StrJoin(schema.spellings)));
  Advance();
  return builder_.New(Attribute::Enum(schema.name, spelling));
}

Expected<AttributeRef> ParseAttribute(std::string_view text, ModuleBuilder& builder) {
  AttributeParser parser(text, builder);
  AttributeRef attribute = parser.ParseAttribute();
  if (attribute != nullptr && !parser.AtEnd()) {
    parser.Wanted("the end of the attribute");
    attribute = nullptr;
  }
  if (attribute == nullptr) return parser.status();
  return attribute;
}

}  // namespace plinth::program

// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstring>
#include <optional>
#include <string>

#include "reference_plugin/program/text_parser.h"
#include "reference_plugin/program/text_parser_base.h"

// Tokens, types and the attributes of `builtin`.
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

std::optional<DType> AttributeParser::ElementTypeOf(std::string_view word) const {
  return DTypeFromMlirName(word);
}

bool AttributeParser::AtType() const {
  if (token_.Is('(') || token_.kind == TokenKind::kExclaim) return true;
  if (token_.kind != TokenKind::kWord) return false;
  return token_.text == "tensor" || token_.text == "index" || token_.text == "none" ||
         token_.text == "tf32" || token_.text == "complex" || token_.text == "tuple" ||
         ElementTypeOf(token_.text).has_value();
}

bool AttributeParser::ParseTypeList(char open, char close, std::vector<TypeRef>* types) {
  return TakeList(open, close, [&] {
    types->push_back(ParseType());
    return types->back() != nullptr;
  });
}

TypeRef AttributeParser::ParseFunctionType() {
  std::vector<TypeRef> inputs, results;
  if (!ParseTypeList('(', ')', &inputs) || !TakeArrow()) return nullptr;
  if (token_.Is('(')) {
    if (!ParseTypeList('(', ')', &results)) return nullptr;
  } else {
    results.push_back(ParseType());
    if (results.back() == nullptr) return nullptr;
  }
  return builder_.Function(inputs, results);
}

TypeRef AttributeParser::ParseTensor() {
  const size_t start = position();
  Advance();
  if (!token_.Is('<')) return Wanted("'<'");
  // "4x?xf32" is no sequence of tokens; it is read character by character.
  const std::string_view text = lexer_.text();
  size_t at = position() + 1;
  const auto skip_space = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
  };
  std::vector<int64_t> dims;
  while (true) {
    skip_space();
    if (at >= text.size()) break;
    const size_t before = at;
    int64_t dim = kDynamic;
    if (text[at] == '?') {
      ++at;
    } else if (text[at] >= '0' && text[at] <= '9') {
      const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), dim);
      if (error != std::errc()) return FailAt(before, "an extent that does not fit 64 bits");
      at = static_cast<size_t>(end - text.data());
    } else if (text[at] == '*') {
      return Unknown(start, "a tensor of unknown rank");
    } else {
      break;
    }
    if (at >= text.size() || text[at] != 'x') {
      MoveTo(at);
      return Wanted("'x' after an extent");
    }
    ++at;
    dims.push_back(dim);
  }
  MoveTo(at);
  TypeRef element = ParseType();
  if (element == nullptr) return nullptr;
  const bool is_index = element->kind == TypeKind::kIndex;
  if (element->kind != TypeKind::kScalar && !is_index) {
    return FailAt(start, "a tensor of ", ToString(element));
  }
  AttributeRef encoding = nullptr;
  if (Accept(',')) {
    const size_t encoding_at = position();
    encoding = ParseAttribute();
    if (encoding == nullptr) return nullptr;
    if (encoding->struct_name() != "stablehlo.bounds") {
      return Unknown(encoding_at, "a tensor type with another encoding than bounds");
    }
  }
  if (!Take('>')) return nullptr;
  TypeRef type = builder_.Tensor(is_index ? DType::kS64 : element->dtype, is_index, dims, encoding);
  if (type == nullptr) {
    return FailAt(start, "a tensor of too many elements, more than 128 dimensions, or not one ",
                  "bound per dimension");
  }
  return type;
}

TypeRef AttributeParser::ParseTypeAlias() {
  const size_t start = position();
  const std::string_view name = token_.text;
  Advance();
  if (name == "!stablehlo.token") return builder_.Simple(TypeKind::kToken);
  if (name == "!stablehlo.future") {
    std::vector<TypeRef> elements;
    if (!ParseTypeList('<', '>', &elements)) return nullptr;
    return builder_.TupleOrFuture(TypeKind::kFuture, elements);
  }
  const auto alias = type_aliases_.find(name);
  if (alias != type_aliases_.end()) {
    return Work(alias->second.work) ? alias->second.value : nullptr;
  }
  if (name.find('.') != name.npos) return Unknown(start, "type ", name, " is not known");
  return FailAt(start, "type alias ", name, " is not defined");
}

TypeRef AttributeParser::ParseType() {
  const Nesting nesting(&depth_);
  if (!Deeper(depth_) || !Work(1)) return nullptr;
  if (token_.Is('(')) return ParseFunctionType();
  if (token_.kind == TokenKind::kExclaim) return ParseTypeAlias();
  if (token_.kind != TokenKind::kWord) return Wanted("a type");
  const std::string_view word = token_.text;
  if (word == "tensor") return ParseTensor();
  if (const std::optional<DType> dtype = ElementTypeOf(word); dtype.has_value()) {
    Advance();
    return builder_.Scalar(*dtype);
  }
  if (word == "index" || word == "none" || word == "tf32") {
    Advance();
    return builder_.Simple(word == "index"  ? TypeKind::kIndex
                           : word == "none" ? TypeKind::kNone
                                            : TypeKind::kTf32);
  }
  if (word == "tuple") {
    Advance();
    std::vector<TypeRef> elements;
    if (!ParseTypeList('<', '>', &elements)) return nullptr;
    return builder_.TupleOrFuture(TypeKind::kTuple, elements);
  }
  if (word == "complex") {
    const size_t start = position();
    Advance();
    if (!Take('<')) return nullptr;
    TypeRef part = ParseType();
    if (part == nullptr || !Take('>')) return nullptr;
    if (part == builder_.Scalar(DType::kF32)) return builder_.Scalar(DType::kC64);
    if (part == builder_.Scalar(DType::kF64)) return builder_.Scalar(DType::kC128);
    return Unknown(start, "complex<", ToString(part), "> is not known");
  }
  return Unknown(position(), "type ", word.substr(0, 40), " is not known");
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

bool AttributeParser::ParseTypeAliasDefinition() {
  const std::string_view name = token_.text;
  const size_t start = position();
  Advance();
  if (!Take('=')) return false;
  const uint64_t before = work_;
  TypeRef value = ParseType();
  if (value == nullptr) return false;
  if (!type_aliases_.emplace(name, TypeAlias{value, work_ - before}).second) {
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

LocationRef AttributeParser::LocationAlias(std::string_view name) {
  LocationAliasEntry& entry = location_aliases_[name];
  if (entry.location == nullptr) {
    entry.location = builder_.arena().New(Location());
    entry.used_at = position();
  }
  return entry.location;
}

LocationRef AttributeParser::ParseLocation() {
  if (!TakeWord("loc") || !Take('(')) return nullptr;
  LocationRef location = ParseLocationBody();
  return location != nullptr && Take(')') ? location : nullptr;
}

LocationRef AttributeParser::SkipLocationBody() {
  std::string closing;  // of the brackets that are open
  const auto at_end = [&] {
    return token_.Is(')') || token_.Is(']') || token_.Is(',') || token_.IsWord("at");
  };
  if (at_end()) return Wanted("a location");
  while (!closing.empty() || !at_end()) {
    if (token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kError) {
      return Wanted("the end of a location");
    }
    if (token_.kind == TokenKind::kPunctuation) {
      constexpr std::string_view kOpening = "([{<", kClosing = ")]}>";
      const char c = token_.text[0];
      if (const size_t at = kOpening.find(c); at != std::string_view::npos) {
        closing.push_back(kClosing[at]);
      } else if (kClosing.find(c) != std::string_view::npos) {
        if (closing.empty() || closing.back() != c) return Wanted("the end of a location");
        closing.pop_back();
      }
    }
    Advance();
  }
  return builder_.unknown_location();
}

LocationRef AttributeParser::ParseLocationBody() {
  const Nesting nesting(&depth_);
  if (depth_ > kMaxLocationDepth) return SkipLocationBody();
  Location location;
  std::vector<LocationRef> children;
  const auto parse_child = [&] {
    children.push_back(ParseLocationBody());
    return children.back() != nullptr;
  };
  if (token_.kind == TokenKind::kHash) {
    LocationRef alias = LocationAlias(token_.text);
    Advance();
    return alias;
  }
  if (token_.IsWord("loc")) return ParseLocation();
  if (AcceptWord("unknown")) return builder_.unknown_location();
  if (token_.kind == TokenKind::kString) {
    if (!TakeString(&location.text)) return nullptr;
    if (Accept(':')) {
      location.kind = Location::Kind::kFile;
      int64_t line, column, end;
      if (!TakeInteger(&line) || !Take(':') || !TakeInteger(&column)) return nullptr;
      location.line = static_cast<uint32_t>(line);
      location.column = static_cast<uint32_t>(column);
      // "to 3:4": the end of a range.
      if (AcceptWord("to")) {
        if (token_.kind == TokenKind::kInteger && !TakeInteger(&end)) return nullptr;
        if (!Take(':') || !TakeInteger(&end)) return nullptr;
      }
    } else {
      location.kind = Location::Kind::kName;
      if (Accept('(')) {
        if (!parse_child() || !Take(')')) return nullptr;
        if (children[0] == builder_.unknown_location()) children.clear();
      }
    }
  } else if (AcceptWord("callsite")) {
    location.kind = Location::Kind::kCallSite;
    if (!Take('(') || !parse_child() || !TakeWord("at") || !parse_child() || !Take(')')) {
      return nullptr;
    }
  } else if (AcceptWord("fused")) {
    location.kind = Location::Kind::kFused;
    if (Accept('<') && (ParseAttribute() == nullptr || !Take('>'))) return nullptr;
    if (!TakeList('[', ']', parse_child)) return nullptr;
  } else {
    return Wanted("a location");
  }
  location.children = builder_.arena().Copy(children);
  return builder_.arena().New(location);
}

bool AttributeParser::CheckLocationAliases() {
  for (const auto& [name, entry] : location_aliases_) {
    if (!entry.defined) return FailAt(entry.used_at, "location alias ", name, " is not defined");
  }
  // Aliases may be used before they are defined, so they could contain themselves: a walk that
  // goes deeper than there are aliases has gone in a circle.
  enum class State : uint8_t { kOpen, kDone };
  std::unordered_map<const Location*, State> states;
  struct Frame {
    const Location* location;
    size_t next;
  };
  for (const auto& [name, entry] : location_aliases_) {
    std::vector<Frame> stack;
    if (states.emplace(entry.location, State::kOpen).second) stack.push_back({entry.location, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.location->children.size()) {
        states[frame.location] = State::kDone;
        stack.pop_back();
        continue;
      }
      const Location* child = frame.location->children[frame.next++];
      const auto [at, is_new] = states.emplace(child, State::kOpen);
      if (is_new) {
        stack.push_back({child, 0});
      } else if (at->second == State::kOpen) {
        return FailAt(entry.used_at, "location alias ", name, " contains itself");
      }
    }
  }
  return true;
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

Expected<TypeRef> ParseType(std::string_view text, ModuleBuilder& builder) {
  AttributeParser parser(text, builder);
  TypeRef type = parser.ParseType();
  if (type != nullptr && !parser.AtEnd()) {
    parser.Wanted("the end of the type");
    type = nullptr;
  }
  if (type == nullptr) return parser.status();
  return type;
}

}  // namespace plinth::program

// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>

#include "reference_plugin/program/text_parser.h"
#include "reference_plugin/program/text_parser_base.h"

// Types, and the names that stand for them.
namespace plinth::program {

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

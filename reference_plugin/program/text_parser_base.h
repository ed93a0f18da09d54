// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_TEXT_PARSER_BASE_H_
#define REFERENCE_PLUGIN_PROGRAM_TEXT_PARSER_BASE_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/program/attribute_schema.h"
#include "reference_plugin/program/failure.h"
#include "reference_plugin/program/module_builder.h"
#include "reference_plugin/program/text_lexer.h"

namespace plinth::program {

// Attributes, types and locations of MLIR text. Functions that fail return null or false after
// they have noted the first error in status().
class AttributeParser {
 public:
  AttributeParser(std::string_view text, ModuleBuilder& builder);

  AttributeRef ParseAttribute();
  TypeRef ParseType();

  bool AtEnd() const { return token_.kind == TokenKind::kEnd; }
  const Status& status() const { return status_; }
  Failure Wanted(std::string_view what);

 protected:
  // Bounds recursion through attributes, types and regions; hostile text nests without end.
  static constexpr int kMaxDepth = 200;
  // Deeper positions are left out: code that recurses has such, and nobody reads all of one.
  static constexpr int kMaxLocationDepth = 100;
  class Nesting {
   public:
    explicit Nesting(int* depth) : depth_(depth) { ++*depth_; }
    ~Nesting() { --*depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int* depth_;
  };

  // Tokens.
  void Advance() { token_ = lexer_.Next(); }
  size_t position() const { return static_cast<size_t>(token_.text.data() - lexer_.text().data()); }
  void MoveTo(size_t position) {
    lexer_.set_position(position);
    Advance();
  }
  bool Accept(char punctuation) {
    if (!token_.Is(punctuation)) return false;
    Advance();
    return true;
  }
  bool AcceptWord(std::string_view word) {
    if (!token_.IsWord(word)) return false;
    Advance();
    return true;
  }
  bool Take(char punctuation);
  bool TakeWord(std::string_view word);
  bool TakeArrow();
  // A string literal, copied into the arena without quotes and escapes.
  bool TakeString(std::string_view* text);
  bool Unquote(std::string_view quoted, std::string_view* text);
  // @name, with "::@" between nested names.
  bool TakeSymbol(std::string_view* name);
  bool TakeInteger(int64_t* value);
  bool TakeDimension(int64_t* value);                  // An integer, or '?' for kDynamic.
  bool TakeIntegerList(std::vector<int64_t>* values);  // [1, 2]

  // Calls `one` for every element of "open one, one, ... close".
  template <typename One>
  bool TakeList(char open, char close, One one) {
    if (!Take(open)) return false;
    if (Accept(close)) return true;
    do {
      if (!one()) return false;
    } while (Accept(','));
    return Take(close);
  }

  Failure Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
    return {};
  }
  // "12:3"
  std::string Place(size_t position) const;
  template <typename... Pieces>
  Failure FailAt(size_t position, const Pieces&... pieces) {
    return Fail(InvalidArgument("malformed MLIR text at ", Place(position), ": ", pieces...));
  }
  template <typename... Pieces>
  Failure Unknown(size_t position, const Pieces&... pieces) {
    return Fail(Unimplemented("MLIR text at ", Place(position), ": ", pieces...));
  }
  bool Deeper(int depth) {
    return depth <= kMaxDepth || FailAt(position(), "nested deeper than ", kMaxDepth);
  }

  // Attributes.
  bool ParseNamed(std::vector<NamedAttribute>* entries);  // {a = 1, b}
  AttributeRef ParseDictionary();
  AttributeRef ParseNumber();
  AttributeRef ParseDense();
  AttributeRef ParseDenseArray();
  AttributeRef ParseResource();
  AttributeRef ParseHash();
  AttributeRef ParseEnumValue(const EnumSchema& schema);
  // The body of a struct, after "#name" or where a rule says which struct it is.
  AttributeRef ParseStructBody(std::string_view name);
  AttributeRef ParseFields(const StructSchema& schema, char close);
  AttributeRef ParseFieldValue(const FieldSchema& field);
  AttributeRef EmptyField(const FieldSchema& field);
  AttributeRef ParseConv();
  AttributeRef ParseRawConv();
  bool ParseConvList(char first, char second, int64_t* first_place, int64_t* second_place,
                     std::vector<int64_t>* spatial);
  AttributeRef ParseBounds();
  AttributeRef ParseSubAxis(std::string_view name);
  AttributeRef ParseStablehloMesh();
  AttributeRef ParseSdyMesh();
  AttributeRef ParseAxisRef();
  AttributeRef ParseAxes();  // {"x", "y":(1)2}
  AttributeRef ParseDimensionSharding();
  AttributeRef ParseSharding();
  AttributeRef ParseShardingPerValue();
  AttributeRef ParseManualAxes();
  AttributeRef ParseOpShardingRule();
  bool ParseFactor(std::string_view* symbols, int64_t* factor);
  AttributeRef ParseDimMapping();
  AttributeRef ParseTensorMapping();
  AttributeRef ParseTensorMappings();

  // Constants.
  bool ParseElement(DType type, std::vector<std::byte>* bytes);
  bool ParseScalarBits(DType type, uint64_t* bits);
  bool ParseNested(const Type& type, size_t dim, std::vector<std::byte>* bytes);
  AttributeRef ParseDenseBody(TypeRef type, size_t start, size_t end);
  bool DecodeHex(std::string_view digits, size_t place, std::vector<std::byte>* bytes);
  bool FloatLiteral(bool negative, DType type, uint64_t* bits);

  // Types.
  TypeRef ParseTensor();
  TypeRef ParseFunctionType();
  TypeRef ParseTypeAlias();
  std::optional<DType> ElementTypeOf(std::string_view word) const;
  bool ParseTypeList(char open, char close, std::vector<TypeRef>* types);
  bool AtType() const;

  // Locations: "loc(...)".
  LocationRef ParseLocation();
  LocationRef ParseLocationBody();
  LocationRef SkipLocationBody();
  LocationRef LocationAlias(std::string_view name);

  // Top-level definitions "#name = ..." and "!name = ...".
  bool ParseAttributeAlias();
  bool ParseTypeAliasDefinition();
  bool CheckLocationAliases();
  bool ParseMetadata();

  ModuleBuilder& builder_;
  TextLexer lexer_;
  Token token_;
  Status status_;
  int depth_ = 0;

 private:
  struct AttributeAlias {
    AttributeRef value = nullptr;
    uint64_t work = 0;
  };
  struct TypeAlias {
    TypeRef value = nullptr;
    uint64_t work = 0;
  };
  struct LocationAliasEntry {
    Location* location = nullptr;
    bool defined = false;
    size_t used_at = 0;
  };
  // Counts what is made; an alias counts as what it stands for, so that text in which aliases of
  // aliases multiply is refused before anything walks it as a tree.
  bool Work(uint64_t amount);

  std::unordered_map<std::string_view, AttributeAlias> attribute_aliases_;
  std::unordered_map<std::string_view, TypeAlias> type_aliases_;
  std::unordered_map<std::string_view, LocationAliasEntry> location_aliases_;
  std::unordered_map<std::string_view, std::string_view> resources_;  // Hex digits.
  uint64_t work_ = 0;
  uint64_t work_limit_ = 0;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_TEXT_PARSER_BASE_H_

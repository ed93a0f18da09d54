// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_TEXT_LEXER_H_
#define REFERENCE_PLUGIN_PROGRAM_TEXT_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plinth::program {

enum class TokenKind : uint8_t {
  kEnd,
  kError,        // A character that begins no token, or a string without its end.
  kWord,         // add, stablehlo.add, i32
  kInteger,      // 12, 0x1F
  kFloat,        // 1.5, 1.0e-3
  kString,       // "text", with its quotes
  kValue,        // %name
  kBlock,        // ^name
  kSymbol,       // @name, @"name"
  kHash,         // #name
  kExclaim,      // !name
  kArrow,        // ->
  kDoubleColon,  // ::
  kMetadata,     // {-#
  kPunctuation,  // One of ( ) { } [ ] < > , : = - + ? *
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;

  bool Is(char punctuation) const {
    return kind == TokenKind::kPunctuation && text[0] == punctuation;
  }
  bool IsWord(std::string_view word) const { return kind == TokenKind::kWord && text == word; }
};

// Splits MLIR text into tokens, skipping white space and // comments.
class TextLexer {
 public:
  explicit TextLexer(std::string_view text) : text_(text) {}

  Token Next();

  // Where the next token is looked for.
  size_t position() const { return at_; }
  void set_position(size_t position) { at_ = position; }
  std::string_view text() const { return text_; }

 private:
  Token Make(TokenKind kind, size_t start, size_t end) {
    at_ = end;
    return {kind, text_.substr(start, end - start)};
  }
  void SkipSpace();
  size_t WordEnd(size_t at) const;
  Token Number(size_t start);
  Token String(size_t start, size_t quote, TokenKind kind);
  Token Prefixed(size_t start, TokenKind kind);

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_TEXT_LEXER_H_

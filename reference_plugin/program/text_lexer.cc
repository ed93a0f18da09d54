// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/text_lexer.h"

namespace plinth::program {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWordPart(char c) { return IsLetter(c) || IsDigit(c) || c == '$' || c == '.'; }

}  // namespace

void TextLexer::SkipSpace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      const size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else {
      return;
    }
  }
}

size_t TextLexer::WordEnd(size_t at) const {
  while (at < text_.size() && IsWordPart(text_[at])) ++at;
  return at;
}

Token TextLexer::Number(size_t start) {
  size_t end = start;
  if (text_[start] == '0' && start + 2 < text_.size() && text_[start + 1] == 'x' &&
      IsHexDigit(text_[start + 2])) {
    end = start + 2;
    while (end < text_.size() && IsHexDigit(text_[end])) ++end;
    return Make(TokenKind::kInteger, start, end);
  }
  while (end < text_.size() && IsDigit(text_[end])) ++end;
  if (end >= text_.size() || text_[end] != '.') return Make(TokenKind::kInteger, start, end);
  ++end;
  while (end < text_.size() && IsDigit(text_[end])) ++end;
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    size_t digits = end + 1;
    if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
    if (digits < text_.size() && IsDigit(text_[digits])) {
      while (digits < text_.size() && IsDigit(text_[digits])) ++digits;
      end = digits;
    }
  }
  return Make(TokenKind::kFloat, start, end);
}

Token TextLexer::String(size_t start, size_t quote, TokenKind kind) {
  size_t at = quote + 1;
  while (at < text_.size() && text_[at] != '"' && text_[at] != '\n') {
    at += text_[at] == '\\' ? 2 : 1;
  }
  if (at >= text_.size() || text_[at] != '"') {
    return Make(TokenKind::kError, start, at < text_.size() ? at : text_.size());
  }
  return Make(kind, start, at + 1);
}

Token TextLexer::Prefixed(size_t start, TokenKind kind) {
  size_t at = start + 1;
  if (kind == TokenKind::kSymbol && at < text_.size() && text_[at] == '"') {
    return String(start, at, kind);
  }
  if (at < text_.size() && IsDigit(text_[at])) {
    while (at < text_.size() && IsDigit(text_[at])) ++at;
  } else if (kind == TokenKind::kValue || kind == TokenKind::kBlock) {
    while (at < text_.size() && (IsWordPart(text_[at]) || text_[at] == '-')) ++at;
  } else {
    at = WordEnd(at);
  }
  return Make(at == start + 1 ? TokenKind::kError : kind, start, at);
}

Token TextLexer::Next() {
  SkipSpace();
  const size_t start = at_;
  if (start >= text_.size()) return Make(TokenKind::kEnd, text_.size(), text_.size());
  const char c = text_[start];
  const char next = start + 1 < text_.size() ? text_[start + 1] : '\0';
  if (IsLetter(c)) return Make(TokenKind::kWord, start, WordEnd(start));
  if (IsDigit(c)) return Number(start);
  switch (c) {
    case '"':
      return String(start, start, TokenKind::kString);
    case '%':
      return Prefixed(start, TokenKind::kValue);
    case '^':
      return Prefixed(start, TokenKind::kBlock);
    case '@':
      return Prefixed(start, TokenKind::kSymbol);
    case '#':
      return Prefixed(start, TokenKind::kHash);
    case '!':
      return Prefixed(start, TokenKind::kExclaim);
    case '-':
      if (next == '>') return Make(TokenKind::kArrow, start, start + 2);
      break;
    case ':':
      if (next == ':') return Make(TokenKind::kDoubleColon, start, start + 2);
      break;
    case '{':
      if (next == '-' && start + 2 < text_.size() && text_[start + 2] == '#') {
        return Make(TokenKind::kMetadata, start, start + 3);
      }
      break;
    default:
      break;
  }
  constexpr std::string_view kPunctuation = "(){}[]<>,:=-+?*";
  const bool known = kPunctuation.find(c) != std::string_view::npos;
  return Make(known ? TokenKind::kPunctuation : TokenKind::kError, start, start + 1);
}

}  // namespace plinth::program

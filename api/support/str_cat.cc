// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"

#include <charconv>

#include "plinth/support/float_text.h"

namespace plinth {
namespace {

template <typename Integer>
void AppendInteger(std::string& out, Integer value) {
  char digits[24];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end);
}

}  // namespace

void StrPiece::AppendText(std::string& out, const StrPiece& piece) { out.append(piece.text_); }
void StrPiece::AppendChar(std::string& out, const StrPiece& piece) {
  out.push_back(static_cast<char>(piece.signed_));
}
void StrPiece::AppendSigned(std::string& out, const StrPiece& piece) {
  AppendInteger(out, piece.signed_);
}
void StrPiece::AppendUnsigned(std::string& out, const StrPiece& piece) {
  AppendInteger(out, piece.unsigned_);
}
void StrPiece::AppendFloat(std::string& out, const StrPiece& piece) {
  out.append(FloatText(static_cast<float>(piece.double_)));
}
void StrPiece::AppendDouble(std::string& out, const StrPiece& piece) {
  out.append(FloatText(piece.double_));
}

std::string StrCatPieces(std::initializer_list<StrPiece> pieces) {
  std::string out;
  for (const StrPiece& piece : pieces) piece.AppendTo(out);
  return out;
}

}  // namespace plinth

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_STR_CAT_H_
#define PLINTH_SUPPORT_STR_CAT_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace plinth {

// One argument of StrCat: text, a character, a bool ("true") or a number, in the shortest decimal
// form that reads back as the same value. Refers to the text it was made from. Formatting happens
// out of line and through a pointer: a message costs a caller a few stores, and a program that
// never prints a double does not carry the code that does.
class StrPiece {
 public:
  // NOLINTBEGIN(google-explicit-constructor): arguments become pieces unasked.
  StrPiece(std::string_view text) : append_(AppendText), text_(text) {}
  StrPiece(const std::string& text) : StrPiece(std::string_view(text)) {}
  StrPiece(const char* text) : StrPiece(std::string_view(text)) {}
  StrPiece(char value) : append_(AppendChar), signed_(value) {}
  StrPiece(bool value) : StrPiece(std::string_view(value ? "true" : "false")) {}
  StrPiece(float value) : append_(AppendFloat), double_(value) {}
  StrPiece(double value) : append_(AppendDouble), double_(value) {}
  template <std::signed_integral Integer>
  StrPiece(Integer value) : append_(AppendSigned), signed_(value) {}
  template <std::unsigned_integral Integer>
  StrPiece(Integer value) : append_(AppendUnsigned), unsigned_(value) {}
  // NOLINTEND(google-explicit-constructor)

  void AppendTo(std::string& out) const { append_(out, *this); }

 private:
  static void AppendText(std::string& out, const StrPiece& piece);
  static void AppendChar(std::string& out, const StrPiece& piece);
  static void AppendSigned(std::string& out, const StrPiece& piece);
  static void AppendUnsigned(std::string& out, const StrPiece& piece);
  static void AppendFloat(std::string& out, const StrPiece& piece);
  static void AppendDouble(std::string& out, const StrPiece& piece);

  void (*append_)(std::string& out, const StrPiece& piece);
  union {
    std::string_view text_;
    int64_t signed_;
    uint64_t unsigned_;
    double double_;
  };
};

std::string StrCatPieces(std::initializer_list<StrPiece> pieces);

template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  return StrCatPieces({StrPiece(pieces)...});
}

// "a, b, c" for a range whose elements StrCat accepts.
template <typename Range>
std::string StrJoin(const Range& range, std::string_view separator = ", ") {
  std::string out;
  bool first = true;
  for (const auto& element : range) {
    if (!first) out.append(separator);
    first = false;
    StrPiece(element).AppendTo(out);
  }
  return out;
}

}  // namespace plinth

#endif  // PLINTH_SUPPORT_STR_CAT_H_

#include "impl/layers/trace/json_text.h"

namespace plinth::layers {
namespace {

// Bytes of the UTF-8 character at the beginning, or 0 if there is none.
size_t Utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond Unicode.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) {
    return 0;
  }
  return length;
}

}  // namespace

void JsonText::Microseconds(int64_t nanoseconds) {
  Number(nanoseconds / 1000);
  char decimals[] = {'.', static_cast<char>('0' + nanoseconds / 100 % 10),
                     static_cast<char>('0' + nanoseconds / 10 % 10),
                     static_cast<char>('0' + nanoseconds % 10)};
  Raw({decimals, sizeof(decimals)});
}

void JsonText::String(std::string_view text, size_t limit) {
  bool cut = text.size() > limit;
  Raw("\"");
  size_t i = 0;
  while (i < text.size() && i < limit) {
    auto c = static_cast<unsigned char>(text[i]);
    size_t length = Utf8Length(text.substr(i));
    if (c == '"' || c == '\\') {
      char escaped[] = {'\\', text[i]};
      Raw({escaped, 2});
    } else if (c < 0x20 || c == 0x7F) {
      static constexpr char kHex[] = "0123456789abcdef";
      char escaped[] = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
      Raw({escaped, 6});
    } else if (length == 0) {
      Raw("?");
    } else {
      Raw(text.substr(i, length));
    }
    i += length == 0 ? 1 : length;
  }
  Raw(cut ? "...\"" : "\"");
}

}  // namespace plinth::layers

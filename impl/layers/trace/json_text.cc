// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/json_text.h"

#include "plinth/support/text.h"

namespace plinth::layers {

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

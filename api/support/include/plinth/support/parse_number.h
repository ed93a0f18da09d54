// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_PARSE_NUMBER_H_
#define PLINTH_SUPPORT_PARSE_NUMBER_H_

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "plinth/support/text.h"

// Numbers that people write, whatever the locale of the process.
namespace plinth {

// The whole of `text` as a number; false if it is none, or does not fit its type.
template <typename Number>
bool ParseNumber(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  auto [last, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && last == end;
}

// "1, 2": numbers with commas between them and blanks around them; nothing is an empty list.
template <typename Number>
bool ParseNumbers(std::string_view text, std::vector<Number>* numbers) {
  numbers->clear();
  if (Trim(text).empty()) return true;
  while (true) {
    const size_t comma = text.find(',');
    if (!ParseNumber(Trim(text.substr(0, comma)), &numbers->emplace_back())) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace plinth

#endif  // PLINTH_SUPPORT_PARSE_NUMBER_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_TEXT_H_
#define PLINTH_SUPPORT_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

// Small things about texts that people write: lists, patterns, UTF-8.
namespace plinth {

// The pieces between separators, without empty ones.
std::vector<std::string> Split(std::string_view text, char separator);

// Without white space of ASCII at both ends.
std::string_view Trim(std::string_view text);

enum class LetterCase { kExact, kIgnored };

// Whether the whole of `text` matches a pattern in which `*` stands for any characters and `?` for
// one. kIgnored: letters of ASCII are equal in both cases. Time is at most the product of the
// lengths.
bool GlobMatches(std::string_view pattern, std::string_view text,
                 LetterCase letter_case = LetterCase::kExact);

// Bytes of the UTF-8 character at the beginning of `text`, which is not empty; 0 if there is none:
// overlong forms, surrogates and numbers beyond U+10FFFF are none.
size_t Utf8Length(std::string_view text);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_TEXT_H_

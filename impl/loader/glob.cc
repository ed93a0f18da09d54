// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/glob.h"

#include "plinth/support/text.h"

namespace plinth::loader {
GlobList::GlobList(std::string_view patterns) {
  for (const std::string& piece : Split(patterns, ',')) {
    if (std::string_view pattern = Trim(piece); !pattern.empty()) patterns_.emplace_back(pattern);
  }
}

std::string_view GlobList::Match(std::string_view text) const {
  for (const std::string& pattern : patterns_) {
    if (GlobMatches(pattern, text, LetterCase::kIgnored)) return pattern;
  }
  return {};
}

}  // namespace plinth::loader

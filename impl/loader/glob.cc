#include "impl/loader/glob.h"

#include "impl/loader/files.h"

namespace plinth::loader {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool GlobMatches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || Lower(pattern[p]) == Lower(text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      // Only the last star can need to take more: what lies before it has matched.
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

GlobList::GlobList(std::string_view patterns) {
  for (const std::string& piece : Split(patterns, ',')) {
    if (std::string_view pattern = Trim(piece); !pattern.empty()) patterns_.emplace_back(pattern);
  }
}

std::string_view GlobList::Match(std::string_view text) const {
  for (const std::string& pattern : patterns_) {
    if (GlobMatches(pattern, text)) return pattern;
  }
  return {};
}

}  // namespace plinth::loader

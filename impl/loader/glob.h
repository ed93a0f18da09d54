#ifndef PLINTH_IMPL_LOADER_GLOB_H_
#define PLINTH_IMPL_LOADER_GLOB_H_

#include <string>
#include <string_view>
#include <vector>

namespace plinth::loader {

// Whether `text` matches a pattern in which `*` stands for any characters and `?` for one; letters
// of ASCII are compared without case. Time is at most the product of the lengths.
bool GlobMatches(std::string_view pattern, std::string_view text);

// Patterns separated by commas; white space around them does not count.
class GlobList {
 public:
  explicit GlobList(std::string_view patterns);
  // The first pattern that matches, or empty.
  std::string_view Match(std::string_view text) const;

 private:
  std::vector<std::string> patterns_;
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_GLOB_H_

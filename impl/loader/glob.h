// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_GLOB_H_
#define PLINTH_IMPL_LOADER_GLOB_H_

#include <string>
#include <string_view>
#include <vector>

namespace plinth::loader {

// Patterns separated by commas, in which the case of letters does not count; nor does white space
// around them.
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

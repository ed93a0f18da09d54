// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/layer_list.h"

#include "impl/loader/files.h"

namespace plinth::loader {

Expected<std::vector<std::string>> SplitLayers(std::string_view text) {
  std::vector<std::string> layers;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ',';
    if (i == text.size() && depth != 0) break;
    if (c == '(') ++depth;
    if (c == ')' && --depth < 0) break;
    if (c == ',' && depth == 0) {
      std::string_view layer = Trim(text.substr(begin, i - begin));
      if (!layer.empty()) layers.emplace_back(layer);
      begin = i + 1;
    }
  }
  if (depth != 0) {
    return InvalidArgument("the layers '", text,
                           "' have parentheses that do not match; the form is "
                           "name(option=value),name");
  }
  return layers;
}

}  // namespace plinth::loader

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_OPTION_LIST_H_
#define PLINTH_IMPL_LAYERS_OPTION_LIST_H_

#include <string>
#include <string_view>

#include "plinth/support/status.h"
#include "plinth/support/text.h"

namespace plinth::layers {

// What a layer is given in parentheses: "name=value, name=value". Calls set(name, value) for each,
// the value empty where there is none; the first error ends it.
template <typename Set>
Status ForEachOption(std::string_view text, const Set& set) {
  for (const std::string& item : Split(text, ',')) {
    const std::string_view option = Trim(item);
    if (option.empty()) continue;
    const size_t equals = option.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : Trim(option.substr(equals + 1));
    PLINTH_RETURN_IF_ERROR(set(Trim(option.substr(0, equals)), value));
  }
  return Status();
}

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_OPTION_LIST_H_

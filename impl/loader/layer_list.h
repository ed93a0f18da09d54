// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_LAYER_LIST_H_
#define PLINTH_IMPL_LOADER_LAYER_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::loader {

// The pieces of "a(x=1,y=2),b", split at the commas outside of parentheses.
Expected<std::vector<std::string>> SplitLayers(std::string_view text);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_LAYER_LIST_H_

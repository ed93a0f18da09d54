// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_PLUGIN_HINT_H_
#define PLINTH_SUPPORT_PLUGIN_HINT_H_

#include <string_view>

namespace plinth {

// What to do about a failure of a plugin that is known, or an empty text. `path` is the plugin's;
// `text` is all that it or the dynamic linker said, and "hung" if it did not answer. The result
// lives as long as the process.
std::string_view PluginHint(std::string_view path, std::string_view text);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_PLUGIN_HINT_H_

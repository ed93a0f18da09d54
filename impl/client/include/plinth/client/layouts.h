// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_LAYOUTS_H_
#define PLINTH_CLIENT_LAYOUTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plinth/client/client.h"

namespace plinth::client {

// The Layouts extension: layouts as XLA writes them, for example "{1,0:T(8,128)}". Copied texts;
// any thread. UNIMPLEMENTED if the plugin has no such extension, or an older one without the
// function.
Expected<std::string> LayoutText(const Buffer& buffer);
Expected<std::string> DefaultLayoutText(const Client& client, DType type,
                                        std::span<const int64_t> dims);
Expected<std::vector<std::string>> OutputLayoutTexts(const Executable& executable);
Expected<std::vector<std::string>> ParameterLayoutTexts(const Executable& executable);

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_LAYOUTS_H_

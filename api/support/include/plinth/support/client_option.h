// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_CLIENT_OPTION_H_
#define PLINTH_SUPPORT_CLIENT_OPTION_H_

#include <string_view>

namespace plinth {

// Plugins of the SDK have, for each option of their client, an attribute of PJRT_Plugin_Attributes
// with this in front of the option's name and its default as the value. The C API has no other
// place that tells it.
inline constexpr std::string_view kClientOptionAttribute = "plinth_client_option.";

}  // namespace plinth

#endif  // PLINTH_SUPPORT_CLIENT_OPTION_H_

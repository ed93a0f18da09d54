// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_EXTENSION_CHAIN_H_
#define PLINTH_SUPPORT_EXTENSION_CHAIN_H_

#include <cstddef>
#include <span>

#include "pjrt_c_api.h"

namespace plinth {

// The first node of that type in a chain, or null. Gives up after 1,000 nodes, so a chain that runs
// in a circle ends too.
const PJRT_Extension_Base* FindExtension(const PJRT_Extension_Base* chain, int type);

// Links the nodes in that order and returns the first; null for none.
PJRT_Extension_Base* LinkExtensions(std::span<PJRT_Extension_Base* const> nodes);

}  // namespace plinth

#endif  // PLINTH_SUPPORT_EXTENSION_CHAIN_H_

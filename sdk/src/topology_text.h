// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_TOPOLOGY_TEXT_H_
#define PLINTH_SDK_SRC_TOPOLOGY_TEXT_H_

#include <string>
#include <string_view>

#include "plinth/sdk/topology.h"

namespace plinth::sdk::internal {

// The serialized form of topologies that bring none of their own: a version line, then decimal
// numbers and strings with their length in front. Reading checks everything: the bytes may come
// from anywhere.
std::string WriteTopology(const TopologyInfo& info);
Expected<TopologyInfo> ReadTopology(std::string_view bytes);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_TOPOLOGY_TEXT_H_

// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/topology.h"

#include <utility>

#include "sdk/src/generation.h"
#include "sdk/src/not_offered.h"
#include "sdk/src/topology_text.h"

namespace plinth::sdk {

Topology::Topology(TopologyInfo info) : info_(std::move(info)), attributes_(info_.attributes) {
  generation = internal::CurrentGeneration();
  for (const DeviceDescriptionInfo& device : info_.devices) {
    devices_.push_back(std::make_unique<DeviceDescription>(device));
    c_devices_.push_back(reinterpret_cast<PJRT_DeviceDescription*>(devices_.back().get()));
  }
}
Topology::~Topology() = default;

Expected<std::string> Topology::Serialize() const { return internal::WriteTopology(info_); }

Expected<uint64_t> Topology::Fingerprint() const {
  PLINTH_ASSIGN_OR_RETURN(std::string bytes, Serialize());
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

Expected<Layout> Topology::GetDefaultLayout(DType, std::span<const int64_t>) const {
  return Layout();
}
Expected<std::string> Topology::MakeCanonicalShape(int memory_kind_id, const Shape&) const {
  return internal::NotOffered(
      "this plugin's topology has no canonical shapes; asked for memory kind ", memory_kind_id);
}

}  // namespace plinth::sdk

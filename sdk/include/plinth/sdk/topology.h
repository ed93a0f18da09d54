// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_TOPOLOGY_H_
#define PLINTH_SDK_TOPOLOGY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plinth/sdk/device.h"
#include "plinth/sdk/shape.h"
#include "plinth/support/named_value.h"

namespace plinth::sdk {

struct TopologyInfo {
  std::vector<DeviceDescriptionInfo> devices = {};
  std::vector<NamedValue> attributes = {};
  // One number per kind of memory; see MemoryInfo::kind_id.
  std::vector<int> memory_kind_ids = {};
};

// The devices of a client, or of a machine that is not here, for compiling ahead of time.
// Immutable.
class Topology : public internal::Handle {
 public:
  explicit Topology(TopologyInfo info);
  virtual ~Topology();

  const TopologyInfo& info() const { return info_; }
  std::span<const std::unique_ptr<DeviceDescription>> devices() const { return devices_; }
  const NamedValueArray& attributes() const { return attributes_; }

  // Bytes from which Plugin::DeserializeTopology makes an equal topology. By default a text of the
  // SDK's own that lists the devices.
  virtual Expected<std::string> Serialize() const;
  // Equal for equal topologies; by default a hash of Serialize().
  virtual Expected<uint64_t> Fingerprint() const;
  // The layout that the device prefers; row-major by default.
  virtual Expected<Layout> GetDefaultLayout(DType dtype, std::span<const int64_t> dims) const;
  // The serialized xla.ShapeProto of the array as a memory of that kind keeps it. Reached only if
  // PluginInfo::supports_canonical_shape.
  virtual Expected<std::string> MakeCanonicalShape(int memory_kind_id, const Shape& shape) const;

 private:
  friend struct TopologyAccess;  // src/topology_api.cc
  const TopologyInfo info_;
  std::vector<std::unique_ptr<DeviceDescription>> devices_;
  std::vector<PJRT_DeviceDescription*> c_devices_;
  NamedValueArray attributes_;
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_TOPOLOGY_H_

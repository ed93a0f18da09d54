// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_TOPOLOGY_H_
#define PLINTH_CLIENT_TOPOLOGY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/client/device.h"
#include "plinth/client/handle.h"
#include "plinth/client/options.h"

namespace plinth::client {

class Executable;

// The devices of a run and how they are connected, with or without hardware. Move-only; frees its
// handle (the topology of a client belongs to the client). Any thread. Plugins need not implement
// any of this: UNIMPLEMENTED.
class Topology {
 public:
  // One that is described by name and options, with no hardware.
  static Expected<Topology> Create(const Api& api, std::string_view name,
                                   const Options& options = {});
  // From the bytes of Serialize. From 0.75.
  static Expected<Topology> Deserialize(const Api& api, std::string_view bytes);
  // A view of the topology of a client. `client` keeps it alive.
  static Topology Borrow(const Api& api, PJRT_TopologyDescription* topology, ClientRef client);

  Expected<std::string_view> PlatformName() const;
  Expected<std::string_view> PlatformVersion() const;
  Expected<std::vector<DeviceDescription>> Devices() const;
  Expected<std::vector<NamedValue>> Attributes() const;
  Expected<std::string> Serialize() const;
  Expected<uint64_t> Fingerprint() const;  // From 0.101.

  // Compiles for these devices without having them; see Client::Load.
  Expected<Executable> Compile(const Program& program, const CompileOptions& options = {}) const;
  // The same with a serialized CompileOptionsProto of the caller.
  Expected<Executable> Compile(const Program& program,
                               std::string_view compile_options_proto) const;

  PJRT_TopologyDescription* get() const { return topology_; }

 private:
  Topology(const Api& api, PJRT_TopologyDescription* topology,
           std::optional<Handle<PJRT_TopologyDescription>> owned, ClientRef client)
      : api_(api), topology_(topology), owned_(std::move(owned)), client_(std::move(client)) {}

  Api api_;
  PJRT_TopologyDescription* topology_;
  std::optional<Handle<PJRT_TopologyDescription>> owned_;
  ClientRef client_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_TOPOLOGY_H_

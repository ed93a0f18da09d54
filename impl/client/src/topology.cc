// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/topology.h"

#include "impl/client/src/calls.h"
#include "plinth/client/executable.h"

namespace plinth::client {

using internal::GetNamedValues;
using internal::GetText;
using internal::GetValue;
using internal::GetViews;
using internal::NullOutput;

Expected<Topology> Topology::Create(const Api& api, std::string_view name, const Options& options) {
  const NamedValueArray values(options.values());
  PJRT_TopologyDescription_Create_Args args = {};
  args.topology_name = name.data();
  args.topology_name_size = name.size();
  args.create_options = values.data();
  args.num_options = values.size();
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  if (args.topology == nullptr) {
    return NullOutput("PJRT_TopologyDescription_Create", "its topology");
  }
  return Topology(api, args.topology, Handle<PJRT_TopologyDescription>(api, args.topology, nullptr),
                  nullptr);
}

Expected<Topology> Topology::Deserialize(const Api& api, std::string_view bytes) {
  PJRT_TopologyDescription_Deserialize_Args args = {};
  args.serialized_topology = bytes.data();
  args.serialized_topology_size = bytes.size();
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  if (args.topology == nullptr) {
    return NullOutput("PJRT_TopologyDescription_Deserialize", "its topology");
  }
  return Topology(api, args.topology, Handle<PJRT_TopologyDescription>(api, args.topology, nullptr),
                  nullptr);
}

Topology Topology::Borrow(const Api& api, PJRT_TopologyDescription* topology, ClientRef client) {
  return Topology(api, topology, std::nullopt, std::move(client));
}

Expected<std::string_view> Topology::PlatformName() const {
  using Args = PJRT_TopologyDescription_PlatformName_Args;
  return GetText(api_, topology_, &Args::topology, &Args::platform_name, &Args::platform_name_size);
}

Expected<std::string_view> Topology::PlatformVersion() const {
  using Args = PJRT_TopologyDescription_PlatformVersion_Args;
  return GetText(api_, topology_, &Args::topology, &Args::platform_version,
                 &Args::platform_version_size);
}

Expected<std::vector<DeviceDescription>> Topology::Devices() const {
  using Args = PJRT_TopologyDescription_GetDeviceDescriptions_Args;
  return GetViews<DeviceDescription>(api_, topology_, &Args::topology, &Args::descriptions,
                                     &Args::num_descriptions);
}

Expected<std::vector<NamedValue>> Topology::Attributes() const {
  using Args = PJRT_TopologyDescription_Attributes_Args;
  return GetNamedValues(api_, topology_, &Args::topology, &Args::attributes, &Args::num_attributes);
}

Expected<std::string> Topology::Serialize() const {
  using Args = PJRT_TopologyDescription_Serialize_Args;
  return internal::GetHeldBytes(api_, topology_, &Args::topology, &Args::serialized_bytes,
                                &Args::serialized_bytes_size, &Args::serialized_topology,
                                &Args::serialized_topology_deleter);
}

Expected<uint64_t> Topology::Fingerprint() const {
  using Args = PJRT_TopologyDescription_Fingerprint_Args;
  return GetValue(api_, topology_, &Args::topology, &Args::fingerprint);
}

Expected<Executable> Topology::Compile(const Program& program,
                                       const CompileOptions& options) const {
  return Compile(program, options.Serialize());
}

Expected<Executable> Topology::Compile(const Program& program,
                                       std::string_view compile_options_proto) const {
  const PJRT_Program c_program = internal::ProgramToC(program);
  PJRT_Compile_Args args = {};
  args.topology = topology_;
  args.program = &c_program;
  args.compile_options = compile_options_proto.data();
  args.compile_options_size = compile_options_proto.size();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  if (args.executable == nullptr) return NullOutput("PJRT_Compile", "its executable");
  return Executable(Handle<PJRT_Executable>(api_, args.executable, client_));
}

}  // namespace plinth::client

// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/api_instance.h"
#include "sdk/src/entry.h"
#include "sdk/src/wire.h"

namespace plinth::sdk {

struct TopologyAccess {
  static std::span<PJRT_DeviceDescription* const> Devices(const Topology& topology) {
    return topology.c_devices_;
  }
};

namespace internal {

Status Call(PJRT_TopologyDescription_Create_Args& args) {
  args.topology = nullptr;
  PLINTH_ASSIGN_OR_RETURN(Plugin * plugin, ThePlugin());
  PLINTH_ASSIGN_OR_RETURN(std::vector<NamedValue> given,
                          NamedValuesFromC(args.create_options, args.num_options));
  PLINTH_ASSIGN_OR_RETURN(Options options, Options::Parse(plugin->info().options, given));
  PLINTH_ASSIGN_OR_RETURN(
      std::unique_ptr<Topology> topology,
      plugin->CreateTopology(View(args.topology_name, args.topology_name_size), options));
  if (topology == nullptr) return Internal("the plugin made no topology and gave no error");
  args.topology = ToC(topology.release());
  return {};
}

Status Call(PJRT_TopologyDescription_Destroy_Args& args) {
  Topology* topology = FromC(args.topology);
  // A client's own topology ends with the client.
  if (topology == nullptr || topology->core != nullptr) return {};
  DestroyHandle(topology);
  return {};
}

Status Call(PJRT_TopologyDescription_PlatformName_Args& args) {
  PLINTH_ASSIGN_OR_RETURN(Plugin * plugin, ThePlugin());
  args.platform_name = plugin->info().platform_name.data();
  args.platform_name_size = plugin->info().platform_name.size();
  return {};
}

Status Call(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  PLINTH_ASSIGN_OR_RETURN(Plugin * plugin, ThePlugin());
  args.platform_version = plugin->info().platform_version.data();
  args.platform_version_size = plugin->info().platform_version.size();
  return {};
}

Status Call(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  PLINTH_HANDLE(topology, args, topology);
  std::span<PJRT_DeviceDescription* const> devices = TopologyAccess::Devices(*topology);
  args.descriptions = devices.data();
  args.num_descriptions = devices.size();
  return {};
}

Status Call(PJRT_TopologyDescription_Attributes_Args& args) {
  PLINTH_HANDLE(topology, args, topology);
  args.attributes = topology->attributes().data();
  args.num_attributes = topology->attributes().size();
  return {};
}

Status Call(PJRT_TopologyDescription_Serialize_Args& args) {
  PLINTH_HANDLE(topology, args, topology);
  PLINTH_ASSIGN_OR_RETURN(std::string bytes, topology->Serialize());
  args.serialized_topology = new PJRT_SerializedTopology{std::move(bytes)};
  args.serialized_bytes = args.serialized_topology->bytes.data();
  args.serialized_bytes_size = args.serialized_topology->bytes.size();
  args.serialized_topology_deleter = [](PJRT_SerializedTopology* holder) { delete holder; };
  return {};
}

Status Call(PJRT_TopologyDescription_Deserialize_Args& args) {
  args.topology = nullptr;
  PLINTH_ASSIGN_OR_RETURN(Plugin * plugin, ThePlugin());
  PLINTH_NOT_NULL(args, serialized_topology);
  PLINTH_ASSIGN_OR_RETURN(
      std::unique_ptr<Topology> topology,
      plugin->DeserializeTopology(View(args.serialized_topology, args.serialized_topology_size)));
  if (topology == nullptr) return Internal("the plugin made no topology and gave no error");
  args.topology = ToC(topology.release());
  return {};
}

Status Call(PJRT_TopologyDescription_Fingerprint_Args& args) {
  PLINTH_HANDLE(topology, args, topology);
  PLINTH_ASSIGN_OR_RETURN(args.fingerprint, topology->Fingerprint());
  return {};
}

Status Call(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args& args) {
  PLINTH_HANDLE(topology, args, topology);
  args.memory_space_kind_ids = topology->info().memory_kind_ids.data();
  args.num_memory_space_kind_ids = topology->info().memory_kind_ids.size();
  return {};
}

Status Call(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args& args) {
  PLINTH_HANDLE(topology, args, topology);
  PLINTH_ASSIGN_OR_RETURN(Shape shape,
                          ReadShape("PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace",
                                    args.element_type, args.dims, args.num_dims, args.layout));
  PLINTH_ASSIGN_OR_RETURN(std::string bytes,
                          topology->MakeCanonicalShape(args.memory_space_kind_id, shape));
  // The deleter gets the bytes themselves.
  char* copy = new char[bytes.size() + 1];
  std::copy(bytes.begin(), bytes.end(), copy);
  args.serialized_shape = copy;
  args.serialized_shape_size = bytes.size();
  args.serialized_shape_deleter = [](const char* serialized) { delete[] serialized; };
  return {};
}

Status Call(PJRT_Compile_Args& args) {
  PLINTH_HANDLE(topology, args, topology);
  PLINTH_ASSIGN_OR_RETURN(Plugin * plugin, ThePlugin());
  PLINTH_ASSIGN_OR_RETURN(Program program, ReadProgram("PJRT_Compile", *args.program));
  Client* client = nullptr;
  if (args.client != nullptr) {
    PLINTH_CHECKED_HANDLE(core, args, client);
    client = core->client.get();
  }
  PLINTH_ASSIGN_OR_RETURN(
      std::shared_ptr<const Executable> executable,
      plugin->Compile(*topology, program, View(args.compile_options, args.compile_options_size),
                      client));
  if (executable == nullptr) return Internal("the plugin made no executable and gave no error");
  args.executable = new PJRT_Executable{std::move(executable)};
  return {};
}

}  // namespace internal
}  // namespace plinth::sdk

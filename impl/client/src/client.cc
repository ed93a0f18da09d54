// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/client.h"

#include <system_error>
#include <thread>

#include "impl/client/src/calls.h"
#include "impl/client/src/key_value_callbacks.h"

namespace plinth::client {

using internal::GetPointer;
using internal::GetText;
using internal::GetValue;
using internal::GetViews;
using internal::NullOutput;

namespace {

// What the plugin's functions that make a loaded executable put out.
Expected<LoadedExecutable> Adopt(const Client& client, PJRT_LoadedExecutable* executable,
                                 const char* function) {
  if (executable == nullptr) return NullOutput(function, "its executable");
  return LoadedExecutable::Adopt(
      Handle<PJRT_LoadedExecutable>(client.api(), executable, client.ref()));
}

// A plugin may wait for its own threads when its client goes: never on one of them.
void DestroyClient(Handle<PJRT_Client>* client) {
  if (internal::IsInCallback()) {
    try {
      std::thread([client] { delete client; }).detach();
      return;
    } catch (const std::system_error&) {
      // No thread can be made: then here.
    }
  }
  delete client;
}

}  // namespace

Expected<Client> Client::Create(const Api& api, const Options& options, KeyValueStore* store) {
  const NamedValueArray values(options.values());
  PJRT_Client_Create_Args args = {};
  args.create_options = values.size() == 0 ? nullptr : values.data();
  args.num_options = values.size();
  if (store != nullptr) internal::SetKeyValueCallbacks(store, args);
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  if (args.client == nullptr) return NullOutput("PJRT_Client_Create", "its client");
  return Client(api, args.client,
                ClientRef(std::shared_ptr<Handle<PJRT_Client>>(
                    new Handle<PJRT_Client>(api, args.client, ClientRef()), DestroyClient)));
}

Expected<std::string_view> Client::PlatformName() const {
  using Args = PJRT_Client_PlatformName_Args;
  return GetText(api_, client_, &Args::client, &Args::platform_name, &Args::platform_name_size);
}

Expected<std::string_view> Client::PlatformVersion() const {
  using Args = PJRT_Client_PlatformVersion_Args;
  return GetText(api_, client_, &Args::client, &Args::platform_version,
                 &Args::platform_version_size);
}

Expected<int> Client::ProcessIndex() const {
  using Args = PJRT_Client_ProcessIndex_Args;
  return GetValue(api_, client_, &Args::client, &Args::process_index);
}

Expected<std::vector<Device>> Client::Devices() const {
  using Args = PJRT_Client_Devices_Args;
  return GetViews<Device>(api_, client_, &Args::client, &Args::devices, &Args::num_devices);
}

Expected<std::vector<Device>> Client::AddressableDevices() const {
  using Args = PJRT_Client_AddressableDevices_Args;
  return GetViews<Device>(api_, client_, &Args::client, &Args::addressable_devices,
                          &Args::num_addressable_devices);
}

Expected<std::vector<Memory>> Client::AddressableMemories() const {
  using Args = PJRT_Client_AddressableMemories_Args;
  return GetViews<Memory>(api_, client_, &Args::client, &Args::addressable_memories,
                          &Args::num_addressable_memories);
}

Expected<Device> Client::LookupDevice(int id) const {
  PJRT_Client_LookupDevice_Args args = {};
  args.client = client_;
  args.id = id;
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  if (args.device == nullptr) return NullOutput("PJRT_Client_LookupDevice", "its device");
  return Device(api_, args.device);
}

Expected<Device> Client::LookupAddressableDevice(int local_hardware_id) const {
  PJRT_Client_LookupAddressableDevice_Args args = {};
  args.client = client_;
  args.local_hardware_id = local_hardware_id;
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  if (args.addressable_device == nullptr) {
    return NullOutput("PJRT_Client_LookupAddressableDevice", "its device");
  }
  return Device(api_, args.addressable_device);
}

Expected<class Topology> Client::Topology() const {
  using Args = PJRT_Client_TopologyDescription_Args;
  PLINTH_ASSIGN_OR_RETURN(PJRT_TopologyDescription * topology,
                          GetPointer(api_, client_, &Args::client, &Args::topology));
  return client::Topology::Borrow(api_, topology, ref_);
}

Expected<DeviceAssignment> Client::DefaultDeviceAssignment(int num_replicas,
                                                           int num_partitions) const {
  constexpr int64_t kMaxDevices = 1 << 20;
  if (num_replicas < 1 || num_partitions < 1 ||
      int64_t{num_replicas} * num_partitions > kMaxDevices) {
    return InvalidArgument("no device assignment has ", num_replicas, " replicas and ",
                           num_partitions, " partitions");
  }
  std::vector<int> devices(static_cast<size_t>(num_replicas) * num_partitions);
  PJRT_Client_DefaultDeviceAssignment_Args args = {};
  args.client = client_;
  args.num_replicas = num_replicas;
  args.num_partitions = num_partitions;
  args.default_assignment = devices.data();
  args.default_assignment_size = devices.size();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  return DeviceAssignment{num_replicas, num_partitions, {devices.begin(), devices.end()}};
}

Expected<LoadedExecutable> Client::Compile(const Program& program,
                                           const CompileOptions& options) const {
  return Compile(program, options.Serialize());
}

Expected<LoadedExecutable> Client::Compile(const Program& program,
                                           std::string_view compile_options_proto) const {
  const PJRT_Program c_program = internal::ProgramToC(program);
  PJRT_Client_Compile_Args args = {};
  args.client = client_;
  args.program = &c_program;
  args.compile_options = compile_options_proto.data();
  args.compile_options_size = compile_options_proto.size();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  return Adopt(*this, args.executable, "PJRT_Client_Compile");
}

Expected<LoadedExecutable> Client::Load(const Executable& executable,
                                        const CompileOptions& options) const {
  const std::string proto = options.Serialize();
  PJRT_Client_Load_Args args = {};
  args.client = client_;
  args.executable = executable.get();
  args.compile_options = proto.data();
  args.compile_options_size = proto.size();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  return Adopt(*this, args.loaded_executable, "PJRT_Client_Load");
}

Expected<LoadedExecutable> Client::DeserializeAndLoad(std::string_view bytes,
                                                      const CompileOptions* options) const {
  const std::string proto = options == nullptr ? std::string() : options->Serialize();
  PJRT_Executable_DeserializeAndLoad_Args args = {};
  args.client = client_;
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  args.overridden_serialized_compile_options = options == nullptr ? nullptr : proto.data();
  args.overridden_serialized_compile_options_size = proto.size();
  PLINTH_RETURN_IF_ERROR(api_.Call(args));
  return Adopt(*this, args.loaded_executable, "PJRT_Executable_DeserializeAndLoad");
}

Status Client::DmaMap(void* data, size_t size) const {
  PJRT_Client_DmaMap_Args args = {};
  args.client = client_;
  args.data = data;
  args.size = size;
  return api_.Call(args);
}

Status Client::DmaUnmap(void* data) const {
  PJRT_Client_DmaUnmap_Args args = {};
  args.client = client_;
  args.data = data;
  return api_.Call(args);
}

}  // namespace plinth::client

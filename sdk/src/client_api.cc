// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/api_instance.h"
#include "sdk/src/entry.h"
#include "sdk/src/hand_out.h"
#include "sdk/src/wire.h"

namespace plinth::sdk::internal {

Status Call(PJRT_Client_Create_Args& args) {
  args.client = nullptr;
  PLINTH_ASSIGN_OR_RETURN(Plugin * plugin, ThePlugin());
  PLINTH_ASSIGN_OR_RETURN(std::vector<NamedValue> given,
                          NamedValuesFromC(args.create_options, args.num_options));
  PLINTH_ASSIGN_OR_RETURN(ClientOptions options, ParseClientOptions(plugin->info(), given));
  ClientRequest request{.options = options.own};
  request.num_nodes = options.num_nodes;
  request.node_id = options.node_id;
  // Not distributed, the callbacks are whatever was on the caller's stack.
  if (options.num_nodes > 1) request.key_value_store = std::make_shared<KeyValueStore>(args);
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<Client> client, plugin->CreateClient(request));
  PLINTH_ASSIGN_OR_RETURN(ClientCore * core, ClientCore::Make(*plugin, std::move(client)));
  args.client = ToC(core);
  return {};
}

Status Call(PJRT_Client_Destroy_Args& args) {
  ClientCore* core = FromC(args.client);
  // In a forked child the client's threads do not exist: ending it could wait for them for ever.
  if (core == nullptr || core->generation != CurrentGeneration()) return {};
  core->Unref();
  return {};
}

Status Call(PJRT_Client_PlatformName_Args& args) {
  PLINTH_HANDLE(core, args, client);
  const std::string& name = core->plugin->info().platform_name;
  args.platform_name = name.data();
  args.platform_name_size = name.size();
  return {};
}

Status Call(PJRT_Client_PlatformVersion_Args& args) {
  PLINTH_HANDLE(core, args, client);
  const std::string& version = core->plugin->info().platform_version;
  args.platform_version = version.data();
  args.platform_version_size = version.size();
  return {};
}

Status Call(PJRT_Client_ProcessIndex_Args& args) {
  PLINTH_HANDLE(core, args, client);
  args.process_index = core->client->process_index();
  return {};
}

Status Call(PJRT_Client_TopologyDescription_Args& args) {
  PLINTH_HANDLE(core, args, client);
  args.topology = ToC(core->topology.get());
  return {};
}

Status Call(PJRT_Client_Devices_Args& args) {
  PLINTH_HANDLE(core, args, client);
  args.devices = core->devices.data();
  args.num_devices = core->devices.size();
  return {};
}

Status Call(PJRT_Client_AddressableDevices_Args& args) {
  PLINTH_HANDLE(core, args, client);
  args.addressable_devices = core->addressable_devices.data();
  args.num_addressable_devices = core->addressable_devices.size();
  return {};
}

Status Call(PJRT_Client_LookupDevice_Args& args) {
  PLINTH_HANDLE(core, args, client);
  Device* device = core->client->FindDevice(args.id);
  if (device == nullptr) {
    return Invalid(args, "there is no device with id ", args.id, "; the client has ",
                   core->devices.size(), " devices");
  }
  args.device = ToC(device);
  return {};
}

Status Call(PJRT_Client_LookupAddressableDevice_Args& args) {
  PLINTH_HANDLE(core, args, client);
  Device* device = core->client->FindAddressableDevice(args.local_hardware_id);
  if (device == nullptr) {
    return Invalid(args, "no addressable device has the local hardware id ", args.local_hardware_id,
                   "; there are ", core->addressable_devices.size());
  }
  args.addressable_device = ToC(device);
  return {};
}

Status Call(PJRT_Client_AddressableMemories_Args& args) {
  PLINTH_HANDLE(core, args, client);
  args.addressable_memories = core->addressable_memories.data();
  args.num_addressable_memories = core->addressable_memories.size();
  return {};
}

Expected<Program> ReadProgram(const char* function, const PJRT_Program& program) {
  if (program.code == nullptr) return NullArgument(function, "program.code");
  if (program.format == nullptr) return NullArgument(function, "program.format");
  return Program{View(program.format, program.format_size), View(program.code, program.code_size)};
}

Status Call(PJRT_Client_Compile_Args& args) {
  PLINTH_HANDLE(core, args, client);
  PLINTH_ASSIGN_OR_RETURN(Program program, ReadProgram("PJRT_Client_Compile", *args.program));
  PLINTH_ASSIGN_OR_RETURN(
      args.executable,
      HandOut(*core, core->client->Compile(program,
                                           View(args.compile_options, args.compile_options_size))));
  return {};
}

Status Call(PJRT_Client_Load_Args& args) {
  PLINTH_HANDLE(core, args, client);
  PLINTH_HANDLE(executable, args, executable);
  PLINTH_ASSIGN_OR_RETURN(
      args.loaded_executable,
      HandOut(*core, core->client->Load(executable->executable,
                                        View(args.compile_options, args.compile_options_size))));
  return {};
}

Status Call(PJRT_Executable_DeserializeAndLoad_Args& args) {
  using Args = PJRT_Executable_DeserializeAndLoad_Args;
  PLINTH_HANDLE(core, args, client);
  PLINTH_NOT_NULL(args, serialized_executable);
  std::string_view overridden;
  if (HasField(args, &Args::overridden_serialized_compile_options_size)) {
    overridden = View(args.overridden_serialized_compile_options,
                      args.overridden_serialized_compile_options_size);
  }
  LoadOptions load;
  const PJRT_LoadOptions* given = GetField(args, &Args::load_options, nullptr);
  if (given != nullptr && HasField(*given, &PJRT_LoadOptions::computation_origin_size) &&
      given->computation_origin_size != 0) {
    if (given->computation_origin == nullptr) {
      return Invalid(args, "load_options.computation_origin is null");
    }
    load.computation_origin = {given->computation_origin, given->computation_origin_size};
  }
  if (given != nullptr && HasField(*given, &PJRT_LoadOptions::multi_slice_config) &&
      given->multi_slice_config != nullptr) {
    const PluginInfo& plugin = core->plugin->info();
    if (!plugin.supports_multi_slice) {
      return Unimplemented(
          "PJRT_Executable_DeserializeAndLoad: load_options.multi_slice_config is ",
          "given; plugin ", plugin.name, " spreads no program over slices");
    }
    load.multi_slice_config = given->multi_slice_config;
  }
  PLINTH_ASSIGN_OR_RETURN(
      args.loaded_executable,
      HandOut(*core, core->client->DeserializeAndLoad(
                         View(args.serialized_executable, args.serialized_executable_size),
                         overridden, load)));
  return {};
}

Status Call(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  PLINTH_HANDLE(core, args, client);
  if (args.num_replicas <= 0 || args.num_partitions <= 0) {
    return Invalid(args, args.num_replicas, " replicas and ", args.num_partitions,
                   " partitions; both must be positive");
  }
  PLINTH_ASSIGN_OR_RETURN(std::vector<int> ids, core->client->DefaultDeviceAssignment(
                                                    args.num_replicas, args.num_partitions));
  PLINTH_NOT_NULL(args, default_assignment);
  if (args.default_assignment_size < ids.size()) {
    return Invalid(args, "default_assignment has room for ", args.default_assignment_size,
                   " ids; there are ", ids.size());
  }
  std::copy(ids.begin(), ids.end(), args.default_assignment);
  return {};
}

Status Call(PJRT_Client_DmaMap_Args& args) {
  PLINTH_HANDLE(core, args, client);
  PLINTH_NOT_NULL(args, data);
  return core->client->DmaMap(args.data, args.size);
}

Status Call(PJRT_Client_DmaUnmap_Args& args) {
  PLINTH_HANDLE(core, args, client);
  return core->client->DmaUnmap(args.data);
}

Status Call(PJRT_Client_UpdateGlobalProcessInfo_Args& args) {
  PLINTH_HANDLE(core, args, client);
  std::vector<ProcessInfo> processes;
  for (size_t i = 0; i < args.num_process_infos; ++i) {
    const PJRT_ProcessInfo& info = args.process_infos[i];
    // 0.73 to 0.75 had other offsets and no struct_size in front.
    if (info.struct_size < StructOf<PJRT_ProcessInfo>::kMinimumSize) {
      return Invalid(args, "PJRT_ProcessInfo ", i, ": struct_size is ", info.struct_size,
                     ", at least ", StructOf<PJRT_ProcessInfo>::kMinimumSize, " is needed");
    }
    int state = RawEnum(info.state);
    if (state < PJRT_ProcessState_kUnspecified || state > PJRT_ProcessState_kError) {
      return Invalid(args, "process ", info.task_id, " has the unknown state ", state);
    }
    PLINTH_RETURN_IF_ERROR(
        CheckBytes(args, info.error_message, info.error_message_size, "error_message"));
    processes.push_back(
        {info.task_id, info.incarnation_id, static_cast<PJRT_ProcessState>(state),
         StatusFromParts(info.error_code, info.error_message, info.error_message_size)});
  }
  return core->client->UpdateGlobalProcessInfo(processes);
}

}  // namespace plinth::sdk::internal

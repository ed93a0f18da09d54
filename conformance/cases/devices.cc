// SPDX-License-Identifier: Apache-2.0
// L1: client, devices, memories, topology.

#include <set>
#include <vector>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"

namespace plinth::conformance {
namespace {

constexpr char kAgain[] = "PJRT-Plugin_Initialize-again";

std::string Text(const char* data, size_t size) {
  return data == nullptr ? std::string() : std::string(data, size);
}

void CreateClient(Context& context) {
  Expected<OwnedClient> client = context.NewClient();
  if (!client.ok()) {
    context.Fail("PJRT-Client_Create-failure",
                 StrCat("PJRT_Client_Create: ", client.status().ToString()));
    return;
  }
  Status status = client->Destroy();
  context.Check("PJRT-Client_Destroy-null", status.ok(),
                "PJRT_Client_Destroy: ", status.ToString());
}

// A key-value store that a single process has no need of.
void StoreNotAsked(Context& context) {
  int calls = 0;
  auto args = MakeArgs<PJRT_Client_Create_Args>();
  NamedValues options(context.profile());
  args.create_options = options.data();
  args.num_options = options.size();
  args.kv_get_callback = [](PJRT_KeyValueGetCallback_Args* get) -> PJRT_Error* {
    ++*static_cast<int*>(get->user_arg);
    get->value = nullptr;
    get->value_size = 0;
    return nullptr;
  };
  args.kv_put_callback = [](PJRT_KeyValuePutCallback_Args* put) -> PJRT_Error* {
    ++*static_cast<int*>(put->user_arg);
    return nullptr;
  };
  args.kv_try_get_callback = [](PJRT_KeyValueTryGetCallback_Args* get) -> PJRT_Error* {
    ++*static_cast<int*>(get->user_arg);
    get->value = nullptr;
    get->value_size = 0;
    return nullptr;
  };
  args.kv_get_user_arg = args.kv_put_user_arg = args.kv_try_get_user_arg = &calls;
  Status status = context.plugin().Call(args);
  OwnedClient client(context.plugin(), status.ok() ? args.client : nullptr);
  if (!context.Ok("PJRT-Client_Create-kv-garbage", "PJRT_Client_Create with a store", status)) {
    return;
  }
  context.Check("PJRT-Client_Create-kv-garbage", calls == 0, "the store of a single process was ",
                "asked ", calls, " times");
}

void UnknownOption(Context& context) {
  auto option = MakeArgs<PJRT_NamedValue>();
  std::string name = "an_option_that_nobody_knows";
  option.name = name.data();
  option.name_size = name.size();
  option.type = PJRT_NamedValue_kInt64;
  option.int64_value = 1;
  option.value_size = 1;
  // Without its own options the plugin may refuse for another reason.
  NamedValues own(context.profile());
  std::vector<PJRT_NamedValue> options(own.data(), own.data() + own.size());
  options.push_back(option);
  auto args = MakeArgs<PJRT_Client_Create_Args>();
  args.create_options = options.data();
  args.num_options = options.size();
  Status status = context.plugin().Call(args);
  OwnedClient client(context.plugin(), status.ok() ? args.client : nullptr);
  if (!context.CheckRefused("PJRT-Client_Create-unknown-option",
                            "PJRT_Client_Create with an unknown option", status,
                            {StatusCode::kInvalidArgument})) {
    return;
  }
  context.Check("PJRT-Client_Create-unknown-option",
                status.message().find(name) != std::string_view::npos,
                "the error does not name the option: ", status.ToString());
  context.Check("PJRT-Client_Create-failure", args.client == nullptr,
                "`client` was set by a call that failed");
}

void DestroyNull(Context& context) {
  auto client = MakeArgs<PJRT_Client_Destroy_Args>();
  context.Ok("PJRT-Client_Destroy-null", "PJRT_Client_Destroy(null)",
             context.plugin().Call(client));
  auto buffer = MakeArgs<PJRT_Buffer_Destroy_Args>();
  context.Ok("PJRT-Buffer_Destroy-null", "PJRT_Buffer_Destroy(null)",
             context.plugin().Call(buffer));
  auto event = MakeArgs<PJRT_Event_Destroy_Args>();
  context.Ok("PJRT-Event_Destroy-null", "PJRT_Event_Destroy(null)", context.plugin().Call(event));
  auto loaded = MakeArgs<PJRT_LoadedExecutable_Destroy_Args>();
  context.Ok("PJRT-LoadedExecutable_Destroy-null", "PJRT_LoadedExecutable_Destroy(null)",
             context.plugin().Call(loaded));
  auto executable = MakeArgs<PJRT_Executable_Destroy_Args>();
  context.Ok("PJRT-Executable_Destroy-null", "PJRT_Executable_Destroy(null)",
             context.plugin().Call(executable));
  auto topology = MakeArgs<PJRT_TopologyDescription_Destroy_Args>();
  context.Ok("PJRT-TopologyDescription_Destroy-null", "PJRT_TopologyDescription_Destroy(null)",
             context.plugin().Call(topology));
  auto execute = MakeArgs<PJRT_ExecuteContext_Destroy_Args>();
  context.Ok("PJRT-ExecuteContext_Destroy-null", "PJRT_ExecuteContext_Destroy(null)",
             context.plugin().Call(execute));
}

void ClientTexts(Context& context) {
  auto name = MakeArgs<PJRT_Client_PlatformName_Args>();
  name.client = context.client();
  if (context.Ok("PJRT-Strings-size", "PJRT_Client_PlatformName", context.plugin().Call(name))) {
    context.Check("PJRT-Strings-size", name.platform_name != nullptr && name.platform_name_size > 0,
                  "the platform has no name");
    context.Note("platform " + Text(name.platform_name, name.platform_name_size));
  }
  auto version = MakeArgs<PJRT_Client_PlatformVersion_Args>();
  version.client = context.client();
  if (context.Ok("PJRT-Strings-size", "PJRT_Client_PlatformVersion",
                 context.plugin().Call(version))) {
    context.Note("version " + Text(version.platform_version, version.platform_version_size));
  }
}

std::vector<PJRT_Device*> ListOf(const PJRT_Client_AddressableDevices_Args& args) {
  return {args.addressable_devices, args.addressable_devices + args.num_addressable_devices};
}

void Devices(Context& context) {
  auto all = MakeArgs<PJRT_Client_Devices_Args>();
  all.client = context.client();
  auto mine = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  mine.client = context.client();
  if (!context.Ok("", "PJRT_Client_Devices", context.plugin().Call(all)) ||
      !context.Ok("", "PJRT_Client_AddressableDevices", context.plugin().Call(mine))) {
    return;
  }
  std::set<PJRT_Device*> devices(all.devices, all.devices + all.num_devices);
  const std::vector<PJRT_Device*> listed = ListOf(mine);
  context.Check("", devices.size() == all.num_devices, "a device is listed twice");
  context.Check("", mine.num_addressable_devices > 0, "no device is addressable");
  std::set<int> ids;
  for (size_t i = 0; i < mine.num_addressable_devices; ++i) {
    PJRT_Device* device = mine.addressable_devices[i];
    context.Check("PJRT-Client_AddressableDevices-subset", devices.contains(device),
                  "addressable device ", i, " is none of PJRT_Client_Devices");
    auto addressable = MakeArgs<PJRT_Device_IsAddressable_Args>();
    addressable.device = device;
    if (context.Ok("", "PJRT_Device_IsAddressable", context.plugin().Call(addressable))) {
      context.Check("PJRT-Client_AddressableDevices-subset", RawBool(addressable.is_addressable),
                    "addressable device ", i, " says that it is not addressable");
    }
    auto get = MakeArgs<PJRT_Device_GetDescription_Args>();
    get.device = device;
    if (!context.Ok("", "PJRT_Device_GetDescription", context.plugin().Call(get))) continue;
    auto id = MakeArgs<PJRT_DeviceDescription_Id_Args>();
    id.device_description = get.device_description;
    if (!context.Ok("", "PJRT_DeviceDescription_Id", context.plugin().Call(id))) continue;
    context.Check("PJRT-DeviceDescription_Id-unique", ids.insert(id.id).second,
                  "two devices have the id ", id.id);
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = context.client();
    lookup.id = id.id;
    if (context.Ok("PJRT-Client_LookupDevice-unknown", "PJRT_Client_LookupDevice",
                   context.plugin().Call(lookup))) {
      context.Check("PJRT-Client_LookupDevice-unknown", lookup.device == device,
                    "PJRT_Client_LookupDevice(", id.id, ") gives another device");
    }
    // After each, not only after the last: a plugin may sort its list for one and sort it back.
    auto again = MakeArgs<PJRT_Client_AddressableDevices_Args>();
    again.client = context.client();
    if (context.Ok("", "PJRT_Client_AddressableDevices", context.plugin().Call(again))) {
      context.Check("PJRT-Client_AddressableDevices-subset", listed == ListOf(again),
                    "the addressable devices or their order changed once PJRT_Client_LookupDevice(",
                    id.id, ") was asked");
    }
    auto kind = MakeArgs<PJRT_DeviceDescription_Kind_Args>();
    kind.device_description = get.device_description;
    if (context.Ok("", "PJRT_DeviceDescription_Kind", context.plugin().Call(kind))) {
      context.Note(StrCat("device ", id.id, ": ", Text(kind.device_kind, kind.device_kind_size)));
    }
  }
}

void UnknownDevices(Context& context) {
  for (int id : {-1, 1 << 30}) {
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = context.client();
    lookup.id = id;
    context.CheckRefused("PJRT-Client_LookupDevice-unknown",
                         StrCat("PJRT_Client_LookupDevice(", id, ")"),
                         context.plugin().Call(lookup));
    auto local = MakeArgs<PJRT_Client_LookupAddressableDevice_Args>();
    local.client = context.client();
    local.local_hardware_id = id;
    context.CheckRefused("PJRT-Client_LookupAddressableDevice-unknown",
                         StrCat("PJRT_Client_LookupAddressableDevice(", id, ")"),
                         context.plugin().Call(local));
  }
}

void Memories(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = *device;
  if (!context.Ok("PJRT-Device_DefaultMemory-exists", "PJRT_Device_DefaultMemory",
                  context.plugin().Call(memory)) ||
      !context.Check("PJRT-Device_DefaultMemory-exists", memory.memory != nullptr,
                     "the default memory is null")) {
    return;
  }
  auto list = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  list.device = *device;
  if (!context.Ok("", "PJRT_Device_AddressableMemories", context.plugin().Call(list))) return;
  bool is_listed = false;
  std::set<std::string> kinds;
  for (size_t i = 0; i < list.num_memories; ++i) {
    PJRT_Memory* each = list.memories[i];
    is_listed |= each == memory.memory;
    auto kind = MakeArgs<PJRT_Memory_Kind_Args>();
    kind.memory = each;
    if (!context.Ok("", "PJRT_Memory_Kind", context.plugin().Call(kind))) continue;
    context.Check("PJRT-Device_AddressableMemories-kinds",
                  kinds.insert(Text(kind.kind, kind.kind_size)).second,
                  "two memories of one device have the kind ", Text(kind.kind, kind.kind_size));
    context.Note("memory " + Text(kind.kind, kind.kind_size));
    auto devices = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
    devices.memory = each;
    if (context.Ok("", "PJRT_Memory_AddressableByDevices", context.plugin().Call(devices))) {
      std::set<PJRT_Device*> reaching(devices.devices, devices.devices + devices.num_devices);
      context.Check("PJRT-Device_AddressableMemories-kinds", reaching.contains(*device), "memory ",
                    Text(kind.kind, kind.kind_size), " does not name the device that lists it");
    }
    if (context.plugin().minor() >= 105) {
      const PJRT_Memory_FunctionTable* head;
      std::memcpy(&head, each, sizeof(head));
      context.Check("PJRT-Memory-head", head == nullptr || head->struct_size >= 24,
                    "the head of a memory is neither null nor a table");
    }
  }
  context.Check("PJRT-Device_DefaultMemory-exists", is_listed,
                "the default memory is none of the device's memories");
}

void MemoryStats(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  auto stats = MakeArgs<PJRT_Device_MemoryStats_Args>();
  stats.device = *device;
  if (!context.Ok("PJRT-Device_MemoryStats-bytes_limit", "PJRT_Device_MemoryStats",
                  context.plugin().Call(stats))) {
    return;
  }
  context.Check("PJRT-Device_MemoryStats-bytes_limit", stats.bytes_in_use >= 0, "bytes_in_use is ",
                stats.bytes_in_use);
  context.Check("PJRT-Device_MemoryStats-bytes_limit",
                RawBool(stats.bytes_limit_is_set) || stats.bytes_limit == 0, "bytes_limit is ",
                stats.bytes_limit, " but not marked as set");
}

// Frameworks initialize a plugin for each of their clients.
void StatsAfterInitialize(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  Expected<OwnedBuffer> held = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", held.status()) ||
      !context.Ok("", "PJRT_Buffer_ToHostBuffer", context.Download(held->get()).status()))
    return;
  auto stats = MakeArgs<PJRT_Device_MemoryStats_Args>();
  stats.device = *device;
  if (!Succeeds(context, stats)) return;
  auto args = MakeArgs<PJRT_Plugin_Initialize_Args>();
  if (!context.Ok(kAgain, "PJRT_Plugin_Initialize, another time", context.plugin().Call(args)))
    return;
  auto after = MakeArgs<PJRT_Device_MemoryStats_Args>();
  after.device = *device;
  if (!Succeeds(context, after)) return;
  context.Check(kAgain, after.bytes_in_use >= stats.bytes_in_use,
                "a plugin that was initialized again has ", after.bytes_in_use,
                " bytes in use, before that ", stats.bytes_in_use, ", and nothing has ended");
  Expected<HostArray> back = context.Download(held->get());
  if (context.Ok(kAgain, "PJRT_Buffer_ToHostBuffer", back.status()))
    context.Check(kAgain, back->AsF32() == std::vector<float>{1, 2, 3, 4},
                  "an array is another since the plugin was initialized again");
}

void Topology(Context& context) {
  auto args = MakeArgs<PJRT_Client_TopologyDescription_Args>();
  args.client = context.client();
  if (!context.Ok("", "PJRT_Client_TopologyDescription", context.plugin().Call(args))) return;
  auto first = MakeArgs<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  first.topology = args.topology;
  auto second = first;
  if (!context.Ok("", "PJRT_TopologyDescription_GetDeviceDescriptions",
                  context.plugin().Call(first)) ||
      !context.Ok("", "PJRT_TopologyDescription_GetDeviceDescriptions",
                  context.plugin().Call(second))) {
    return;
  }
  bool is_same = first.num_descriptions == second.num_descriptions &&
                 std::equal(first.descriptions, first.descriptions + first.num_descriptions,
                            second.descriptions);
  context.Check("PJRT-TopologyDescription_GetDeviceDescriptions-order", is_same,
                "two calls give other descriptions");
  auto devices = MakeArgs<PJRT_Client_Devices_Args>();
  devices.client = context.client();
  if (context.Ok("", "PJRT_Client_Devices", context.plugin().Call(devices))) {
    context.Check("", first.num_descriptions >= devices.num_devices, "the topology has ",
                  first.num_descriptions, " devices, the client ", devices.num_devices);
  }
}

}  // namespace

void AddDeviceCases(std::vector<Case>& cases) {
  auto add = [&](const char* name, ClientNeed client, std::vector<std::string> requirements,
                 void (*run)(Context&)) {
    cases.push_back({StrCat("L1/client/", name), Level::kL1, client, std::move(requirements), run});
  };
  // Alone: what a call changes of the process would not show in a second one.
  add("create", ClientNeed::kAlone, {"PJRT-Client_Create-failure"}, CreateClient);
  add("unknown_option", ClientNeed::kNone,
      {"PJRT-Client_Create-unknown-option", "PJRT-Client_Create-failure"}, UnknownOption);
  add("destroy_null", ClientNeed::kNone,
      {"PJRT-Client_Destroy-null", "PJRT-Buffer_Destroy-null", "PJRT-Event_Destroy-null",
       "PJRT-LoadedExecutable_Destroy-null", "PJRT-Executable_Destroy-null",
       "PJRT-TopologyDescription_Destroy-null", "PJRT-ExecuteContext_Destroy-null"},
      DestroyNull);
  add("texts", ClientNeed::kShared, {"PJRT-Strings-size"}, ClientTexts);
  add("devices", ClientNeed::kShared,
      {"PJRT-Client_AddressableDevices-subset", "PJRT-DeviceDescription_Id-unique",
       "PJRT-Client_LookupDevice-unknown"},
      Devices);
  add("unknown_devices", ClientNeed::kShared,
      {"PJRT-Client_LookupDevice-unknown", "PJRT-Client_LookupAddressableDevice-unknown"},
      UnknownDevices);
  add("memories", ClientNeed::kShared,
      {"PJRT-Device_DefaultMemory-exists", "PJRT-Device_AddressableMemories-kinds",
       "PJRT-Memory-head"},
      Memories);
  add("store_not_asked", ClientNeed::kNone, {"PJRT-Client_Create-kv-garbage"}, StoreNotAsked);
  add("memory_stats", ClientNeed::kShared, {"PJRT-Device_MemoryStats-bytes_limit"}, MemoryStats);
  add("memory_stats_after_initialize", ClientNeed::kFresh, {kAgain}, StatsAfterInitialize);
  add("topology", ClientNeed::kShared, {"PJRT-TopologyDescription_GetDeviceDescriptions-order"},
      Topology);
}

}  // namespace plinth::conformance

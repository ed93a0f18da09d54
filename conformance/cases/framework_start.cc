// SPDX-License-Identifier: Apache-2.0
// L4: what frameworks ask a plugin when they start, above all JAX, in its order. It ends the
// process at the first error here, so that nothing but success will do.

#include <algorithm>
#include <set>

#include "conformance/cases/cases.h"
#include "conformance/cases/framework_calls.h"

namespace plinth::conformance {
namespace {

template <typename Args>
Args Of(PJRT_Client* client) {
  auto args = MakeArgs<Args>();
  args.client = client;
  return args;
}

void PluginAttributes(Context& context) {
  auto args = MakeArgs<PJRT_Plugin_Attributes_Args>();
  if (!Must(context, args)) return;
  for (size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& attribute = args.attributes[i];
    std::string_view name = View(attribute.name, attribute.name_size);
    if (name != "stablehlo_current_version" && name != "stablehlo_minimum_version") continue;
    bool is_version = RawEnum(attribute.type) == PJRT_NamedValue_kInt64List &&
                      attribute.value_size == 3 && attribute.int64_array_value != nullptr;
    if (!context.Check("PJRT-Plugin_Attributes-stablehlo", is_version, name,
                       " is no list of three integers, as JAX reads it")) {
      continue;
    }
    const int64_t* version = attribute.int64_array_value;
    context.Note(StrCat(name, " ", version[0], ".", version[1], ".", version[2]));
  }
}

void Topology(Context& context, PJRT_Client* client) {
  auto topology = Of<PJRT_Client_TopologyDescription_Args>(client);
  // JAX does without it.
  if (!context.plugin().Call(topology).ok() || topology.topology == nullptr) {
    return context.Note("no topology");
  }
  auto version = MakeArgs<PJRT_TopologyDescription_PlatformVersion_Args>();
  version.topology = topology.topology;
  Must(context, version);
  auto name = MakeArgs<PJRT_TopologyDescription_PlatformName_Args>();
  name.topology = topology.topology;
  auto own = Of<PJRT_Client_PlatformName_Args>(client);
  if (Must(context, name) && Must(context, own)) {
    context.Check("PJRT-Args-output-same",
                  View(name.platform_name, name.platform_name_size) ==
                      View(own.platform_name, own.platform_name_size),
                  "topology and client have other platform names");
  }
  auto attributes = MakeArgs<PJRT_TopologyDescription_Attributes_Args>();
  attributes.topology = topology.topology;
  Must(context, attributes);
}

void DescribeDevice(Context& context, PJRT_Client* client, PJRT_Device* device) {
  auto get = MakeArgs<PJRT_Device_GetDescription_Args>();
  get.device = device;
  if (!Must(context, get)) return;
  auto attributes = MakeArgs<PJRT_DeviceDescription_Attributes_Args>();
  attributes.device_description = get.device_description;
  Must(context, attributes);
  auto more = MakeArgs<PJRT_Device_GetAttributes_Args>();
  more.device = device;
  if (MustIfThere(context, more) && more.attributes_deleter != nullptr) {
    more.attributes_deleter(more.device_attributes);
  }
  auto process = MakeArgs<PJRT_DeviceDescription_ProcessIndex_Args>();
  process.device_description = get.device_description;
  Must(context, process);
  auto id = MakeArgs<PJRT_DeviceDescription_Id_Args>();
  id.device_description = get.device_description;
  if (Must(context, id)) {
    auto lookup = Of<PJRT_Client_LookupDevice_Args>(client);
    lookup.id = id.id;
    if (Must(context, lookup)) {
      context.Check("PJRT-DeviceDescription_Id-unique", lookup.device == device,
                    "PJRT_Client_LookupDevice of ", id.id, " finds another device");
    }
  }
  auto kind = MakeArgs<PJRT_DeviceDescription_Kind_Args>();
  kind.device_description = get.device_description;
  if (Must(context, kind)) {
    context.Note(StrCat("kind ", View(kind.device_kind, kind.device_kind_size)));
  }
  auto text = MakeArgs<PJRT_DeviceDescription_ToString_Args>();
  text.device_description = get.device_description;
  Must(context, text);
  auto debug = MakeArgs<PJRT_DeviceDescription_DebugString_Args>();
  debug.device_description = get.device_description;
  Must(context, debug);
}

// From 0.105 on JAX hangs its own data on memories, by the table at their head.
void AttachData(Context& context, PJRT_Memory* memory) {
  if (context.plugin().minor() < 105 || memory->vtable == nullptr) return;
  const PJRT_Memory_FunctionTable& table = *memory->vtable;
  static constexpr char kKeys[2] = {};
  static int values[2];
  for (int i = 0; i < 2; ++i) {
    table.set_user_data(memory, &kKeys[i], &values[i], nullptr);
    context.Check("PJRT-Memory-head", table.get_user_data(memory, &kKeys[i]) == &values[i],
                  "what set_user_data attached is not what get_user_data gives");
  }
  for (const char& key : kKeys) table.set_user_data(memory, &key, nullptr, nullptr);
}

void DescribeMemories(Context& context, PJRT_Device* device) {
  auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  memories.device = device;
  auto fallback = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  fallback.device = device;
  if (!Must(context, memories) || !Must(context, fallback)) return;
  std::set<std::string> kinds;
  bool has_default = false;
  for (size_t i = 0; i < memories.num_memories; ++i) {
    PJRT_Memory* memory = memories.memories[i];
    bool is_new = kinds.insert(KindOf(context, memory)).second;
    context.Check("PJRT-Device_AddressableMemories-kinds", is_new,
                  "JAX finds memories by their kind, which two of a device share");
    has_default |= memory == fallback.memory;
    auto devices = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
    devices.memory = memory;
    if (Must(context, devices)) {
      context.Check("PJRT-Device_AddressableMemories-kinds",
                    std::find(devices.devices, devices.devices + devices.num_devices, device) !=
                        devices.devices + devices.num_devices,
                    "a memory of a device does not name it");
    }
    AttachData(context, memory);
  }
  context.Check("PJRT-Device_DefaultMemory-exists", has_default,
                "the default memory is none of the device's");
  context.Note(StrCat("memories ", StrJoin(kinds), "; default ", KindOf(context, fallback.memory)));
}

void ClientStart(Context& context) {
  // A client of the case's own, as JAX makes it.
  Expected<OwnedClient> made = context.NewClient();
  if (!context.Check("PJRT-Client_Create-failure", made.ok(), made.status().ToString())) return;
  PJRT_Client* client = made->get();
  Topology(context, client);
  auto version = Of<PJRT_Client_PlatformVersion_Args>(client);
  if (Must(context, version)) {
    context.Check("PJRT-Strings-size", version.platform_version_size > 0,
                  "JAX's cache of compiled programs is keyed by the platform's version, which is "
                  "empty");
  }
  auto name = Of<PJRT_Client_PlatformName_Args>(client);
  if (Must(context, name)) {
    context.Check("PJRT-Strings-size", name.platform_name_size > 0, "the platform has no name");
  }
  auto devices = Of<PJRT_Client_Devices_Args>(client);
  if (!Must(context, devices)) return;
  for (size_t i = 0; i < devices.num_devices; ++i) {
    DescribeDevice(context, client, devices.devices[i]);
    auto addressable = MakeArgs<PJRT_Device_IsAddressable_Args>();
    addressable.device = devices.devices[i];
    if (!Must(context, addressable) || !RawBool(addressable.is_addressable)) continue;
    auto number = MakeArgs<PJRT_Device_LocalHardwareId_Args>();
    number.device = devices.devices[i];
    Must(context, number);
    DescribeMemories(context, devices.devices[i]);
  }
  auto own = Of<PJRT_Client_AddressableDevices_Args>(client);
  if (Must(context, own)) {
    context.Check("PJRT-Client_AddressableDevices-subset", own.num_addressable_devices > 0,
                  "without an addressable device JAX does not start");
  }
  auto memories = Of<PJRT_Client_AddressableMemories_Args>(client);
  Must(context, memories);
  Status destroyed = made->Destroy();
  context.Check("PJRT-Client_Destroy-null", destroyed.ok(),
                "PJRT_Client_Destroy: ", destroyed.ToString());
}

// Other frameworks ask where a program with so many partitions would run; JAX places it itself.
void FrameworkDefaultAssignment(Context& context) {
  auto devices = Of<PJRT_Client_AddressableDevices_Args>(context.client());
  if (!Must(context, devices)) return;
  std::multiset<int> known;
  for (size_t i = 0; i < devices.num_addressable_devices; ++i) {
    auto get = MakeArgs<PJRT_Device_GetDescription_Args>();
    get.device = devices.addressable_devices[i];
    if (!Must(context, get)) return;
    auto id = MakeArgs<PJRT_DeviceDescription_Id_Args>();
    id.device_description = get.device_description;
    if (!Must(context, id)) return;
    known.insert(id.id);
  }
  int most =
      std::min(static_cast<int>(devices.num_addressable_devices), context.profile().max_partitions);
  for (int partitions : {1, most}) {
    std::vector<int> ids(static_cast<size_t>(partitions), -1);
    auto args = Of<PJRT_Client_DefaultDeviceAssignment_Args>(context.client());
    args.num_replicas = 1;
    args.num_partitions = partitions;
    args.default_assignment = ids.data();
    args.default_assignment_size = ids.size();
    if (!context.Ok("PJRT-DeviceDescription_Id-unique", "PJRT_Client_DefaultDeviceAssignment",
                    context.plugin().Call(args))) {
      return;
    }
    for (int id : ids) {
      context.Check("PJRT-DeviceDescription_Id-unique",
                    known.count(id) == 1 && std::count(ids.begin(), ids.end(), id) == 1,
                    "the default assignment is ", StrJoin(ids), ", the devices have the ids ",
                    StrJoin(known));
    }
  }
}

// JAX asks before every compilation and does without an answer.
void FrameworkMemoryStats(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Check("PJRT-Api-full", device.ok(), device.status().ToString())) return;
  auto args = MakeArgs<PJRT_Device_MemoryStats_Args>();
  args.device = *device;
  // The size of JAX's own struct: it ends before the newest field.
  args.struct_size = 185;
  Status status = context.plugin().Call(args);
  context.Check(
      "PJRT-Args-struct_size",
      status.ok() || status.code() == StatusCode::kUnimplemented ||
          (status.code() == StatusCode::kInvalidArgument && !context.profile().accepts_all_sizes),
      "PJRT_Device_MemoryStats of 185 bytes: ", status.ToString());
}

}  // namespace

void AddFrameworkStartCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, ClientNeed need, std::vector<std::string> requirements,
                 void (*run)(Context&)) {
    cases.push_back(
        {StrCat("L4/start/", name), Level::kL4, need, std::move(requirements), run, false});
  };
  add("attributes", ClientNeed::kWanted, {"PJRT-Plugin_Attributes-stablehlo"}, PluginAttributes);
  add("client", ClientNeed::kNone,
      {"PJRT-Api-full", "PJRT-Memory-head", "PJRT-Device_DefaultMemory-exists",
       "PJRT-Device_AddressableMemories-kinds", "PJRT-DeviceDescription_Id-unique"},
      ClientStart);
  add("default_assignment", ClientNeed::kShared, {"PJRT-DeviceDescription_Id-unique"},
      FrameworkDefaultAssignment);
  add("memory_stats", ClientNeed::kShared, {"PJRT-Args-struct_size"}, FrameworkMemoryStats);
}

}  // namespace plinth::conformance

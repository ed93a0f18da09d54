// SPDX-License-Identifier: Apache-2.0
// L1: what client, devices, memories and topologies say about themselves and about one another.

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace judge_devices {
namespace {

template <typename T>
std::vector<T> List(const T* items, size_t count) {
  return items == nullptr ? std::vector<T>() : std::vector<T>(items, items + count);
}

bool Contains(const auto& list, const auto& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::vector<PJRT_Device*> AllDevices(Context& context) {
  auto args = Get<&PJRT_Client_Devices_Args::client>(context, context.client());
  if (!args) return {};
  return List(args->devices, args->num_devices);
}

// What a description says, for comparison with another of the same device.
struct Described {
  int id = -1, process = -1;
  std::string kind, debug, text, attributes;
  friend bool operator==(const Described&, const Described&) = default;
};

std::string AttributesText(Context& context, const PJRT_NamedValue* values, size_t count,
                           std::string_view of) {
  std::map<std::string, std::string> named;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& value = values[i];
    std::string name(StringOf(value.name, value.name_size));
    context.Check(kOutputTrue, !name.empty() && name.find('\0') == std::string::npos, of,
                  ": attribute ", i, " has no name, or one with NUL");
    std::string text;
    switch (RawEnum(value.type)) {
      case PJRT_NamedValue_kString:
        text = StringOf(value.string_value, value.value_size);
        context.Check("PJRT-Strings-size", !text.ends_with('\0'), of, ": the text of attribute ",
                      name, " ends with NUL");
        break;
      case PJRT_NamedValue_kInt64:
        text = StrCat(value.int64_value);
        break;
      case PJRT_NamedValue_kInt64List:
        text = StrJoin(List(value.int64_array_value, value.value_size));
        break;
      case PJRT_NamedValue_kFloat:
        text = StrCat(value.float_value);
        break;
      case PJRT_NamedValue_kBool:
        text = RawBool(value.bool_value) ? "true" : "false";
        break;
      default:
        context.Fail("PJRT-Args-output-enum",
                     StrCat(of, ": attribute ", name, " has the type ", RawEnum(value.type)));
    }
    bool is_scalar = RawEnum(value.type) >= PJRT_NamedValue_kInt64 &&
                     RawEnum(value.type) != PJRT_NamedValue_kInt64List;
    context.Check(kOutputTrue, !is_scalar || value.value_size == 1, of, ": attribute ", name,
                  " is a scalar of ", value.value_size, " values");
    context.Check(kOutputTrue, value.struct_size >= 56, of, ": attribute ", name,
                  " has the struct_size ", value.struct_size);
    context.Check(kOutputTrue, named.emplace(name, text).second, of,
                  ": two attributes have the name ", name);
  }
  std::string all;
  for (const auto& [name, text] : named) all += StrCat(name, "=", text, "\n");
  return all;
}

Described Describe(Context& context, PJRT_DeviceDescription* description) {
  Described all;
  if (auto id = Get<&PJRT_DeviceDescription_Id_Args::device_description>(context, description))
    all.id = id->id;
  if (auto process = Get<&PJRT_DeviceDescription_ProcessIndex_Args::device_description>(
          context, description)) {
    all.process = process->process_index;
  }
  if (auto kind =
          Get<&PJRT_DeviceDescription_Kind_Args::device_description>(context, description)) {
    all.kind = StringOf(kind->device_kind, kind->device_kind_size);
  }
  if (auto text =
          Get<&PJRT_DeviceDescription_DebugString_Args::device_description>(context, description)) {
    all.debug = StringOf(text->debug_string, text->debug_string_size);
  }
  if (auto text =
          Get<&PJRT_DeviceDescription_ToString_Args::device_description>(context, description)) {
    all.text = StringOf(text->to_string, text->to_string_size);
  }
  if (auto attributes =
          Get<&PJRT_DeviceDescription_Attributes_Args::device_description>(context, description)) {
    all.attributes = AttributesText(context, attributes->attributes, attributes->num_attributes,
                                    StrCat("device ", all.id));
  }
  return all;
}

void JudgeDevices(Context& context) {
  std::vector<PJRT_Device*> devices = AllDevices(context), mine = AddressableDevices(context),
                            reached;
  auto process = Get<&PJRT_Client_ProcessIndex_Args::client>(context, context.client());
  context.Check("PJRT-Client_ProcessIndex-not-negative", process && process->process_index >= 0,
                "the process index is negative");
  std::set<int> ids, hardware;
  std::set<std::string> debug_texts, texts;
  std::set<PJRT_DeviceDescription*> descriptions;
  for (PJRT_Device* device : devices) {
    auto get = Get<&PJRT_Device_GetDescription_Args::device>(context, device);
    auto addressable = Get<&PJRT_Device_IsAddressable_Args::device>(context, device);
    if (!get || !addressable) return;
    context.Check("PJRT-Device_GetDescription-own",
                  descriptions.insert(get->device_description).second,
                  "two devices have one description");
    Described all = Describe(context, get->device_description);
    context.Check("PJRT-DeviceDescription_Id-unique", ids.insert(all.id).second,
                  "two devices have the id ", all.id);
    context.Check("PJRT-DeviceDescription_DebugString-unique",
                  debug_texts.insert(all.debug).second && !all.debug.empty(),
                  "the debug string of device ", all.id, ", \"", all.debug,
                  "\", is empty or that of another device");
    context.Check(kOutputTrue, texts.insert(all.text).second && !all.text.empty(), "device ",
                  all.id, " is shown as \"", all.text, "\", like another device or as nothing");
    context.Check("PJRT-DeviceDescription_Kind-named", !all.kind.empty(), "device ", all.id,
                  " has no kind");
    bool is_mine = RawBool(addressable->is_addressable);
    context.Check("PJRT-DeviceDescription_ProcessIndex-addressable",
                  !process || is_mine == (all.process == process->process_index), "device ", all.id,
                  " of process ", all.process, is_mine ? " is" : " is not",
                  " addressable in process ", process ? process->process_index : -1);
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = context.client();
    lookup.id = all.id;
    if (Succeeds(context, lookup)) {
      context.Check("PJRT-Client_LookupDevice-found", lookup.device == device,
                    "PJRT_Client_LookupDevice(", all.id, ") finds another device");
    }
    if (!is_mine) continue;
    reached.push_back(device);
    auto number = Get<&PJRT_Device_LocalHardwareId_Args::device>(context, device);
    if (!number) continue;
    context.Check(kOutputTrue, number->local_hardware_id >= -1, "device ", all.id,
                  " has the local hardware id ", number->local_hardware_id);
    if (number->local_hardware_id < 0) continue;  // not known
    context.Check("PJRT-Device_LocalHardwareId-unique",
                  hardware.insert(number->local_hardware_id).second,
                  "two devices have the local hardware id ", number->local_hardware_id);
    auto local = MakeArgs<PJRT_Client_LookupAddressableDevice_Args>();
    local.client = context.client();
    local.local_hardware_id = number->local_hardware_id;
    if (Succeeds(context, local)) {
      context.Check("PJRT-Client_LookupAddressableDevice-found", local.addressable_device == device,
                    "PJRT_Client_LookupAddressableDevice(", number->local_hardware_id,
                    ") finds another device");
    }
  }
  context.Check("PJRT-Client_AddressableDevices-subset", reached == mine,
                "PJRT_Client_AddressableDevices are ", mine.size(), " devices, not the ",
                reached.size(), " of PJRT_Client_Devices that are addressable, in their order");
  for (int unknown : {-1, -2, 1 << 30, ids.empty() ? 0 : *ids.rbegin() + 1}) {
    auto lookup = MakeArgs<PJRT_Client_LookupDevice_Args>();
    lookup.client = context.client();
    lookup.id = unknown;
    Refused(context, "PJRT-Client_LookupDevice-unknown",
            StrCat("PJRT_Client_LookupDevice(", unknown, ")"), context.plugin().Call(lookup));
    if (unknown >= 0 && hardware.contains(unknown)) continue;
    auto local = MakeArgs<PJRT_Client_LookupAddressableDevice_Args>();
    local.client = context.client();
    local.local_hardware_id = unknown;
    Refused(context, "PJRT-Client_LookupAddressableDevice-unknown",
            StrCat("PJRT_Client_LookupAddressableDevice(", unknown, ")"),
            context.plugin().Call(local));
  }
}

void JudgeMemories(Context& context) {
  auto list = Get<&PJRT_Client_AddressableMemories_Args::client>(context, context.client());
  if (!list) return;
  std::vector<PJRT_Memory*> all = List(list->addressable_memories, list->num_addressable_memories);
  std::vector<PJRT_Device*> devices = AddressableDevices(context), everyone = AllDevices(context);
  std::set<PJRT_Memory*> of_devices;
  for (PJRT_Device* device : devices) {
    std::vector<PJRT_Memory*> memories = MemoriesOf(context, device);
    of_devices.insert(memories.begin(), memories.end());
    PJRT_Memory* fallback = DefaultMemoryOf(context, device);
    context.Check("PJRT-Device_DefaultMemory-exists", Contains(memories, fallback),
                  "the default memory of device ", DeviceIdOf(context, device),
                  " is none of its memories");
    std::set<std::string> kinds;
    for (PJRT_Memory* memory : memories) {
      context.Check("PJRT-Device_AddressableMemories-kinds",
                    kinds.insert(MemoryKindOf(context, memory)).second, "two memories of device ",
                    DeviceIdOf(context, device), " have one kind");
    }
  }
  context.Check("PJRT-Client_AddressableMemories-all",
                std::set<PJRT_Memory*>(all.begin(), all.end()) == of_devices,
                "PJRT_Client_AddressableMemories are ", all.size(),
                " memories, those of the devices ", of_devices.size());
  std::set<int> ids;
  std::set<std::string> debug_texts, texts;
  std::map<std::string, int> kind_ids;
  std::map<int, std::string> kinds_of_ids;
  for (PJRT_Memory* memory : all) {
    auto id = Get<&PJRT_Memory_Id_Args::memory>(context, memory);
    auto kind_id = Get<&PJRT_Memory_Kind_Id_Args::memory>(context, memory);
    std::string kind = MemoryKindOf(context, memory);
    auto debug = Get<&PJRT_Memory_DebugString_Args::memory>(context, memory);
    auto text = Get<&PJRT_Memory_ToString_Args::memory>(context, memory);
    auto reach = Get<&PJRT_Memory_AddressableByDevices_Args::memory>(context, memory);
    if (!id || !kind_id || !debug || !text || !reach) return;
    context.Check("PJRT-Memory_Id-unique", ids.insert(id->id).second, "two memories have the id ",
                  id->id);
    context.Check(kOutputTrue, !kind.empty(), "memory ", id->id, " has no kind");
    int first = kind_ids.emplace(kind, kind_id->kind_id).first->second;
    context.Check("PJRT-Memory_Kind_Id-kinds", first == kind_id->kind_id, "memories of kind ", kind,
                  " have the kind ids ", first, " and ", kind_id->kind_id);
    const std::string& other = kinds_of_ids.emplace(kind_id->kind_id, kind).first->second;
    context.Check("PJRT-Memory_Kind_Id-kinds", other == kind, "the kinds ", other, " and ", kind,
                  " have the kind id ", kind_id->kind_id);
    std::string debug_text(StringOf(debug->debug_string, debug->debug_string_size)),
        shown(StringOf(text->to_string, text->to_string_size));
    context.Check("PJRT-Memory_DebugString-unique",
                  !debug_text.empty() && debug_texts.insert(debug_text).second,
                  "the debug string of memory ", id->id, ", \"", debug_text,
                  "\", is empty or that of another memory");
    context.Check(kOutputTrue, !shown.empty() && texts.insert(shown).second, "memory ", id->id,
                  " is shown as \"", shown, "\", like another memory or as nothing");
    std::vector<PJRT_Device*> reaching = List(reach->devices, reach->num_devices);
    for (PJRT_Device* device : reaching) {
      context.Check(kOutputTrue, Contains(everyone, device), "memory ", id->id,
                    " is addressable by a device that is none of the client's");
      if (!Contains(devices, device)) continue;
      context.Check("PJRT-Memory_AddressableByDevices-mutual",
                    Contains(MemoriesOf(context, device), memory), "memory ", id->id,
                    " names device ", DeviceIdOf(context, device), ", which does not name it");
    }
    for (PJRT_Device* device : devices) {
      context.Check("PJRT-Memory_AddressableByDevices-mutual",
                    Contains(reaching, device) || !Contains(MemoriesOf(context, device), memory),
                    "device ", DeviceIdOf(context, device), " names memory ", id->id,
                    ", which does not name it");
    }
    if (context.plugin().minor() < 105 || memory->vtable == nullptr) continue;
    const PJRT_Memory_FunctionTable& table = *memory->vtable;
    if (!context.Check("PJRT-Memory-head",
                       table.struct_size >= 40 && table.get_user_data != nullptr &&
                           table.set_user_data != nullptr,
                       "the head of memory ", id->id, " lacks a function"))
      continue;
    static constexpr char kKeys[2] = {};
    static int values[2];
    static int freed;
    freed = 0;
    context.Check("PJRT-Memory-head", table.get_user_data(memory, &kKeys[0]) == nullptr, "memory ",
                  id->id, " has data that nobody attached");
    table.set_user_data(memory, &kKeys[0], &values[0], [](void*) { ++freed; });
    table.set_user_data(memory, &kKeys[1], &values[1], nullptr);
    context.Check("PJRT-Memory-head",
                  table.get_user_data(memory, &kKeys[0]) == &values[0] &&
                      table.get_user_data(memory, &kKeys[1]) == &values[1],
                  "memory ", id->id, " lost the data attached to it");
    for (PJRT_Memory* another : all) {
      if (another == memory || another->vtable == nullptr) continue;
      context.Check("PJRT-Memory-head",
                    another->vtable->get_user_data(another, &kKeys[0]) == nullptr,
                    "data attached to one memory is found at another");
    }
    table.set_user_data(memory, &kKeys[0], nullptr, nullptr);
    context.Check("PJRT-Memory-head", freed == 1, "data that was replaced was freed ", freed,
                  " times, not once");
    table.set_user_data(memory, &kKeys[1], nullptr, nullptr);
  }
}

struct TopologyFacts {
  std::string name, version, attributes;
  std::map<int, Described> devices;
  std::optional<uint64_t> fingerprint;
};

TopologyFacts DescribeTopology(Context& context, PJRT_TopologyDescription* topology) {
  TopologyFacts facts;
  if (auto name = Get<&PJRT_TopologyDescription_PlatformName_Args::topology>(context, topology)) {
    facts.name = StringOf(name->platform_name, name->platform_name_size);
  }
  if (auto version =
          Get<&PJRT_TopologyDescription_PlatformVersion_Args::topology>(context, topology)) {
    facts.version = StringOf(version->platform_version, version->platform_version_size);
  }
  if (auto attributes =
          Get<&PJRT_TopologyDescription_Attributes_Args::topology>(context, topology)) {
    facts.attributes =
        AttributesText(context, attributes->attributes, attributes->num_attributes, "the topology");
  }
  if (auto list =
          Get<&PJRT_TopologyDescription_GetDeviceDescriptions_Args::topology>(context, topology)) {
    for (PJRT_DeviceDescription* each : List(list->descriptions, list->num_descriptions)) {
      Described all = Describe(context, each);
      context.Check("PJRT-DeviceDescription_Id-unique", facts.devices.emplace(all.id, all).second,
                    "two devices of the topology have the id ", all.id);
    }
  }
  if (auto print = Get<&PJRT_TopologyDescription_Fingerprint_Args::topology>(context, topology))
    facts.fingerprint = print->fingerprint;
  return facts;
}

std::string SerializedTopology(Context& context, PJRT_TopologyDescription* topology) {
  auto args = Get<&PJRT_TopologyDescription_Serialize_Args::topology>(context, topology);
  if (!args) return "";
  std::string bytes(StringOf(args->serialized_bytes, args->serialized_bytes_size));
  if (context.Check("PJRT-TopologyDescription_Serialize-serialized_topology-owner",
                    args->serialized_topology_deleter != nullptr, "no deleter")) {
    args->serialized_topology_deleter(args->serialized_topology);
  }
  return bytes;
}

void JudgeTopology(Context& context) {
  auto get = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client());
  if (!get) return;
  TopologyFacts facts = DescribeTopology(context, get->topology);
  auto name = Get<&PJRT_Client_PlatformName_Args::client>(context, context.client());
  auto version = Get<&PJRT_Client_PlatformVersion_Args::client>(context, context.client());
  if (name) {
    context.Check("PJRT-TopologyDescription_PlatformName-same",
                  facts.name == StringOf(name->platform_name, name->platform_name_size) &&
                      !facts.name.empty(),
                  "the topology's platform is \"", facts.name, "\", the client's \"",
                  StringOf(name->platform_name, name->platform_name_size), "\"");
  }
  if (version) {
    context.Check(
        kOutputTrue,
        facts.version == StringOf(version->platform_version, version->platform_version_size),
        "the topology's platform version is \"", facts.version, "\", the client's \"",
        StringOf(version->platform_version, version->platform_version_size), "\"");
  }
  std::vector<PJRT_Device*> devices = AllDevices(context);
  context.Check("PJRT-Client_TopologyDescription-devices",
                facts.devices.empty() || facts.devices.size() == devices.size(),
                "the topology has ", facts.devices.size(), " devices, the client ", devices.size());
  for (PJRT_Device* device : devices) {
    if (facts.devices.empty()) break;
    auto own = Get<&PJRT_Device_GetDescription_Args::device>(context, device);
    if (!own) return;
    Described wanted = Describe(context, own->device_description);
    auto found = facts.devices.find(wanted.id);
    if (!context.Check("PJRT-Client_TopologyDescription-devices", found != facts.devices.end(),
                       "the topology has no device ", wanted.id))
      continue;
    context.Check("PJRT-Client_TopologyDescription-devices", found->second == wanted,
                  "the topology describes device ", wanted.id, " as ", found->second.debug,
                  ", kind ", found->second.kind, ", process ", found->second.process,
                  ", attributes ", found->second.attributes, "; the device says ", wanted.debug,
                  ", kind ", wanted.kind, ", process ", wanted.process, ", attributes ",
                  wanted.attributes);
  }
  std::set<int> kinds;
  if (context.plugin().Has(reflection::function::kPJRT_TopologyDescription_GetMemorySpaceKindIds)) {
    if (auto ids = Get<&PJRT_TopologyDescription_GetMemorySpaceKindIds_Args::topology>(
            context, get->topology)) {
      std::vector<int> list = List(ids->memory_space_kind_ids, ids->num_memory_space_kind_ids);
      kinds.insert(list.begin(), list.end());
      context.Check("PJRT-TopologyDescription_GetMemorySpaceKindIds-all",
                    kinds.size() == list.size(), "a kind id of memories is listed twice");
      for (PJRT_Device* device : AddressableDevices(context)) {
        for (PJRT_Memory* memory : MemoriesOf(context, device)) {
          auto kind = Get<&PJRT_Memory_Kind_Id_Args::memory>(context, memory);
          if (kind) {
            context.Check("PJRT-TopologyDescription_GetMemorySpaceKindIds-all",
                          kinds.contains(kind->kind_id), "the topology does not list the kind id ",
                          kind->kind_id);
          }
        }
      }
    }
  }
  // Through its bytes, twice, the first freed before the second is made.
  std::string bytes = SerializedTopology(context, get->topology);
  if (bytes.empty()) return;
  context.Check(kOutputTrue, SerializedTopology(context, get->topology) == bytes,
                "two serializations of one topology differ");
  for (int i = 0; i < 2; ++i) {
    std::string given = bytes;
    auto load = MakeArgs<PJRT_TopologyDescription_Deserialize_Args>();
    load.serialized_topology = given.data();
    load.serialized_topology_size = given.size();
    if (!Succeeds(context, load)) return;
    OwnedTopology loaded(context.plugin(), load.topology);
    std::fill(given.begin(), given.end(), '\xff');  // borrowed for the call
    TopologyFacts again = DescribeTopology(context, loaded.get());
    context.Check(kOutputTrue, again.name == facts.name && again.version == facts.version,
                  "a loaded topology is of platform ", again.name, " ", again.version);
    context.Check("PJRT-TopologyDescription_Deserialize-same", again.attributes == facts.attributes,
                  "a loaded topology has other attributes");
    context.Check("PJRT-TopologyDescription_Deserialize-same", again.devices == facts.devices,
                  "a loaded topology describes other devices");
    context.Check("PJRT-TopologyDescription_Fingerprint-equal",
                  again.fingerprint == facts.fingerprint,
                  "a loaded topology has another fingerprint");
    context.Check(kOutputTrue, SerializedTopology(context, loaded.get()) == bytes,
                  "a loaded topology has other bytes");
  }
  for (size_t size : {size_t{0}, size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
    auto load = MakeArgs<PJRT_TopologyDescription_Deserialize_Args>();
    load.serialized_topology = bytes.data();
    load.serialized_topology_size = size;
    Status status = context.plugin().Call(load);
    OwnedTopology loaded(context.plugin(), status.ok() ? load.topology : nullptr);
    context.Note(
        StrCat("a topology of ", size, " of ", bytes.size(), " bytes: ", status.ToString()));
  }
}

// A topology that is made without a client.
void JudgeMadeTopology(Context& context) {
  NamedValues options(context.profile());
  auto make = MakeArgs<PJRT_TopologyDescription_Create_Args>();
  make.create_options = options.data();
  make.num_options = options.size();
  Status status = context.plugin().Call(make);
  if (!status.ok())
    return context.Unsupported(StrCat("PJRT_TopologyDescription_Create: ", status.ToString()));
  OwnedTopology topology(context.plugin(), make.topology);
  TopologyFacts facts = DescribeTopology(context, topology.get());
  auto name = Get<&PJRT_Client_PlatformName_Args::client>(context, context.client());
  if (name) {
    context.Check("PJRT-TopologyDescription_PlatformName-same",
                  facts.name == StringOf(name->platform_name, name->platform_name_size),
                  "a made topology is of platform ", facts.name);
  }
  auto again = make;
  again.topology = nullptr;
  if (Succeeds(context, again)) {
    OwnedTopology second(context.plugin(), again.topology);
    TopologyFacts other = DescribeTopology(context, second.get());
    context.Check(kOutputTrue,
                  other.devices == facts.devices && other.fingerprint == facts.fingerprint,
                  "two topologies made in the same way differ");
    (void)topology.Destroy();
    TopologyFacts after = DescribeTopology(context, second.get());
    context.Check(kOutputTrue,
                  after.devices == other.devices && after.attributes == other.attributes,
                  "a topology changed when another was destroyed");
  }
}

// Takes memory that was freed, of every small size, and fills it: what still points there is seen.
std::vector<std::string> FillFreedMemory() {
  std::vector<std::string> blocks;
  for (size_t size = 16; size <= 2048; size += 16) {
    for (int i = 0; i < 64; ++i) blocks.emplace_back(size, '\xee');
  }
  return blocks;
}

// What is judged of one client holds for each of two, and for one that comes when both are gone.
void SeveralClients(Context& context) {
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
  auto judge = [&](const Expected<OwnedClient>& client, std::string_view which) {
    if (!context.Ok("", "PJRT_Client_Create", client.status())) return false;
    Context own(context.plugin(), context.profile(), client->get(), context.seed());
    JudgeDevices(own);
    JudgeMemories(own);
    JudgeTopology(own);
    for (const Finding& finding : own.TakeResult().findings)
      context.Fail(finding.requirement, StrCat("the ", which, " client: ", finding.text));
    return true;
  };
  {
    Expected<OwnedClient> first = context.NewClient();
    if (!judge(first, "first")) return;
    Expected<OwnedClient> second = context.NewClient();
    if (!judge(second, "second")) return;
  }
  std::vector<std::string> filled = FillFreedMemory();
  judge(context.NewClient(), "third");
}

void JudgeAssignment(Context& context) {
  std::vector<PJRT_Device*> devices = AllDevices(context);
  std::set<int> known;
  for (PJRT_Device* device : devices) known.insert(DeviceIdOf(context, device));
  auto count = static_cast<int>(devices.size());
  for (int replicas = 1; replicas <= std::min(count, 4); ++replicas) {
    for (int partitions = 1; replicas * partitions <= std::min(count, 8); ++partitions) {
      for (size_t more : {0, 3}) {
        const size_t wanted = static_cast<size_t>(replicas) * static_cast<size_t>(partitions);
        std::vector<int> ids(wanted + 4, -7);
        auto args = MakeArgs<PJRT_Client_DefaultDeviceAssignment_Args>();
        args.client = context.client();
        args.num_replicas = replicas;
        args.num_partitions = partitions;
        args.default_assignment = ids.data();
        args.default_assignment_size = wanted + more;
        if (!Succeeds(context, args)) return;
        std::set<int> used;
        for (size_t i = 0; i < ids.size(); ++i) {
          bool is_right =
              i < wanted ? known.contains(ids[i]) && used.insert(ids[i]).second : ids[i] == -7;
          context.Check("PJRT-Client_DefaultDeviceAssignment-devices", is_right,
                        "the default assignment of ", replicas, " x ", partitions, " in ",
                        wanted + more, " places is ", StrJoin(ids));
        }
      }
    }
  }
  for (auto [replicas, partitions] :
       {std::pair(0, 1), {1, 0}, {-1, 1}, {1, -1}, {-1, -1}, {1 << 20, 1 << 20}}) {
    std::vector<int> ids(8, -7);
    auto args = MakeArgs<PJRT_Client_DefaultDeviceAssignment_Args>();
    args.client = context.client();
    args.num_replicas = replicas;
    args.num_partitions = partitions;
    args.default_assignment = ids.data();
    args.default_assignment_size = ids.size();
    Status status = context.plugin().Call(args);
    bool is_huge = replicas > 1;
    if (is_huge) {
      Refused(context, "PJRT-Client_DefaultDeviceAssignment-too-small",
              "2^40 computations in 8 places", status);
    }
    context.Note(StrCat(replicas, " x ", partitions, ": ", status.ToString()));
  }
}

// Statistics follow what is allocated.
void JudgeMemoryStats(Context& context) {
  constexpr int64_t kBytes = int64_t{8} << 20;
  constexpr char kLimit[] = "PJRT-Device_MemoryStats-bytes_limit";
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  auto ask = [&](PJRT_Device* device) {
    return Get<&PJRT_Device_MemoryStats_Args::device>(context, device);
  };
  for (PJRT_Device* device : devices) {
    auto before = ask(device);
    if (!before) return context.Unsupported("no statistics");
    auto look = [&](const PJRT_Device_MemoryStats_Args& stats) {
      context.Check(kOutputTrue, stats.bytes_in_use >= 0, "bytes_in_use is ", stats.bytes_in_use);
      struct Value {
        const char* name;
        bool is_set;
        int64_t value, least;
      };
      for (const Value& each :
           {Value{"peak_bytes_in_use", RawBool(stats.peak_bytes_in_use_is_set),
                  stats.peak_bytes_in_use, stats.bytes_in_use},
            Value{"num_allocs", RawBool(stats.num_allocs_is_set), stats.num_allocs, 0},
            Value{"largest_alloc_size", RawBool(stats.largest_alloc_size_is_set),
                  stats.largest_alloc_size, 0},
            Value{"bytes_limit", RawBool(stats.bytes_limit_is_set), stats.bytes_limit, 0},
            Value{"bytes_reserved", RawBool(stats.bytes_reserved_is_set), stats.bytes_reserved, 0},
            Value{"peak_bytes_reserved", RawBool(stats.peak_bytes_reserved_is_set),
                  stats.peak_bytes_reserved, stats.bytes_reserved},
            Value{"bytes_reservable_limit", RawBool(stats.bytes_reservable_limit_is_set),
                  stats.bytes_reservable_limit, 0},
            Value{"largest_free_block_bytes", RawBool(stats.largest_free_block_bytes_is_set),
                  stats.largest_free_block_bytes, 0},
            Value{"pool_bytes", RawBool(stats.pool_bytes_is_set), stats.pool_bytes, 0},
            Value{"peak_pool_bytes", RawBool(stats.peak_pool_bytes_is_set), stats.peak_pool_bytes,
                  RawBool(stats.pool_bytes_is_set) ? stats.pool_bytes : 0}}) {
        if (each.is_set) {
          context.Check("PJRT-Device_MemoryStats-peak", each.value >= each.least, each.name, " is ",
                        each.value, ", at least ", each.least, " expected");
        }
      }
      bool has_limit = RawBool(stats.bytes_limit_is_set) && stats.bytes_limit > 0;
      context.Check(kLimit, RawBool(stats.bytes_limit_is_set) || stats.bytes_limit == 0,
                    "bytes_limit is ", stats.bytes_limit, " and not set");
      context.Check(kOutputTrue, !has_limit || stats.bytes_limit >= stats.bytes_in_use,
                    "bytes_limit is ", stats.bytes_limit, " with ", stats.bytes_in_use, " in use");
      if (RawBool(stats.largest_alloc_size_is_set) && RawBool(stats.peak_bytes_in_use_is_set)) {
        context.Check(kOutputTrue,
                      stats.largest_alloc_size <= stats.peak_bytes_in_use + kBytes ||
                          stats.peak_bytes_in_use == 0,
                      "largest_alloc_size is ", stats.largest_alloc_size, ", peak_bytes_in_use ",
                      stats.peak_bytes_in_use);
      }
    };
    look(*before);
    Expected<OwnedBuffer> large =
        context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, device);
    if (!context.Ok("", "an upload", large.status())) return;
    auto with = ask(device);
    if (!with) return;
    look(*with);
    int64_t more = with->bytes_in_use - before->bytes_in_use;
    context.Check("PJRT-Device_MemoryStats-in-use", more >= kBytes && more < 2 * kBytes,
                  "bytes_in_use grew by ", more, " with a buffer of ", kBytes, " bytes");
    if (RawBool(with->num_allocs_is_set)) {
      context.Check(kOutputTrue, with->num_allocs > before->num_allocs,
                    "num_allocs did not grow with an allocation");
    }
    if (RawBool(with->largest_alloc_size_is_set)) {
      context.Check(kOutputTrue, with->largest_alloc_size >= kBytes, "largest_alloc_size is ",
                    with->largest_alloc_size, " after an allocation of ", kBytes);
    }
    // Which statistics there are does not change.
    context.Check(kOutputTrue,
                  RawBool(with->bytes_limit_is_set) == RawBool(before->bytes_limit_is_set) &&
                      with->bytes_limit == before->bytes_limit,
                  "bytes_limit changed from ", before->bytes_limit, " to ", with->bytes_limit);
    context.Check(
        kOutputTrue,
        RawBool(with->peak_bytes_in_use_is_set) == RawBool(before->peak_bytes_in_use_is_set) &&
            RawBool(with->num_allocs_is_set) == RawBool(before->num_allocs_is_set),
        "a statistic was set in one call only");
    for (PJRT_Device* other : devices) {
      if (other == device) continue;
      auto theirs = ask(other);
      bool is_shared = DefaultMemoryOf(context, other) == DefaultMemoryOf(context, device);
      Expected<OwnedBuffer> again =
          context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, device);
      auto after = ask(other);
      if (theirs && after && !is_shared) {
        context.Check("PJRT-Device_MemoryStats-in-use",
                      after->bytes_in_use - theirs->bytes_in_use < kBytes,
                      "memory of one device counts for another");
      }
      break;
    }
    auto falls = [&](std::string_view how) {
      int64_t left = kBytes;
      for (int i = 0; i < 1000 && left >= kBytes / 2; ++i) {
        auto after = ask(device);
        if (!after) return;
        left = after->bytes_in_use - before->bytes_in_use;
        if (left >= kBytes / 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (left < kBytes / 2 && RawBool(after->peak_bytes_in_use_is_set)) {
          context.Check("PJRT-Device_MemoryStats-peak",
                        after->peak_bytes_in_use >= with->bytes_in_use, "peak_bytes_in_use is ",
                        after->peak_bytes_in_use, " after ", with->bytes_in_use, " were in use");
        }
      }
      context.Check("PJRT-Device_MemoryStats-in-use", left < kBytes / 2, "bytes_in_use is ", left,
                    " larger after a buffer of ", kBytes, " bytes was ", how);
    };
    // Results count as what was uploaded does.
    if (device == devices.front()) {
      constexpr int64_t kResult = 70001 * 4;
      Expected<OwnedLoadedExecutable> program = context.Compile(ProgramFor(context, "large"));
      Expected<OwnedBuffer> argument = context.Upload(
          {DType::kF32, {70001}, std::vector<std::byte>(static_cast<size_t>(kResult))});
      if (!context.Ok("", "PJRT_Client_Compile", program.status()) || !argument.ok()) return;
      PJRT_Buffer* handles[] = {argument->get()};
      auto idle = ask(device);
      std::vector<std::vector<OwnedBuffer>> results;
      for (int i = 0; i < 8; ++i) {
        auto result = context.Execute(program->get(), handles);
        if (!context.Ok("", "PJRT_LoadedExecutable_Execute", result.status())) return;
        context.Ok("", "a result", AwaitBuffer(context, (*result)[0].get()));
        results.push_back(*std::move(result));
      }
      auto busy = ask(device);
      if (idle && busy) {
        context.Check("PJRT-Device_MemoryStats-in-use",
                      busy->bytes_in_use - idle->bytes_in_use >= 8 * kResult,
                      "bytes_in_use grew by ", busy->bytes_in_use - idle->bytes_in_use,
                      " with eight results of ", kResult, " bytes");
      }
      results.clear();
      auto after = ask(device);
      if (busy && after && RawBool(after->peak_bytes_in_use_is_set)) {
        context.Check("PJRT-Device_MemoryStats-peak",
                      after->peak_bytes_in_use >= busy->bytes_in_use, "peak_bytes_in_use is ",
                      after->peak_bytes_in_use, " after ", busy->bytes_in_use, " were in use");
      }
      if (idle && busy) {
        context.Check("PJRT-Device_MemoryStats-peak",
                      busy->peak_bytes_in_use >= idle->peak_bytes_in_use,
                      "peak_bytes_in_use fell from ", idle->peak_bytes_in_use, " to ",
                      busy->peak_bytes_in_use);
      }
      if (busy && RawBool(busy->peak_bytes_in_use_is_set)) {
        context.Check("PJRT-Device_MemoryStats-peak", busy->peak_bytes_in_use >= busy->bytes_in_use,
                      "peak_bytes_in_use is ", busy->peak_bytes_in_use, " with ",
                      busy->bytes_in_use, " in use");
      }
    }
    // Deleting gives the memory back, whether or not the handle lives on.
    if (DeleteBuffer(context, large->get())) falls("deleted");
    large = context.Upload({DType::kU8, {kBytes}, std::vector<std::byte>(kBytes)}, device);
    if (!context.Ok("", "an upload", large.status())) return;
    (void)large->Destroy();
    falls("destroyed");
    if (!context.plugin().Has(reflection::function::kPJRT_Device_ClearMemoryStats)) continue;
    if (!Get<&PJRT_Device_ClearMemoryStats_Args::device>(context, device)) continue;
    auto cleared = ask(device);
    if (!cleared) return;
    look(*cleared);
    if (RawBool(cleared->peak_bytes_in_use_is_set)) {
      context.Check("PJRT-Device_ClearMemoryStats-peak",
                    cleared->peak_bytes_in_use < with->bytes_in_use, "peak_bytes_in_use is ",
                    cleared->peak_bytes_in_use, " after PJRT_Device_ClearMemoryStats");
    }
  }
}

void JudgeDeviceAttributes(Context& context) {
  for (PJRT_Device* device : AddressableDevices(context)) {
    if (!context.plugin().Has(reflection::function::kPJRT_Device_GetAttributes))
      return context.Unsupported("no PJRT_Device_GetAttributes");
    std::string texts[2];
    auto first = Get<&PJRT_Device_GetAttributes_Args::device>(context, device);
    auto second = Get<&PJRT_Device_GetAttributes_Args::device>(context, device);
    if (!first || !second) return;
    texts[0] = AttributesText(context, first->attributes, first->num_attributes,
                              "PJRT_Device_GetAttributes");
    if (first->attributes_deleter != nullptr) first->attributes_deleter(first->device_attributes);
    // The other answer is still there.
    texts[1] = AttributesText(context, second->attributes, second->num_attributes,
                              "PJRT_Device_GetAttributes");
    if (second->attributes_deleter != nullptr)
      second->attributes_deleter(second->device_attributes);
    context.Check("PJRT-Args-output-same", texts[0] == texts[1],
                  "PJRT_Device_GetAttributes answered otherwise the second time");
    auto get = Get<&PJRT_Device_GetDescription_Args::device>(context, device);
    if (!get) return;
    auto described = Get<&PJRT_DeviceDescription_Attributes_Args::device_description>(
        context, get->device_description);
    if (!described || texts[0].empty()) continue;
    // What both name has one value.
    std::map<std::string, std::string> own;
    for (size_t i = 0; i < described->num_attributes; ++i) {
      std::string text = AttributesText(context, &described->attributes[i], 1, "the description");
      std::string name = text.substr(0, text.find('=') + 1);
      size_t at = StrCat("\n", texts[0]).find(StrCat("\n", name));
      context.Check(
          kOutputTrue,
          at == std::string::npos || StrCat("\n", texts[0]).find(StrCat("\n", text)) == at,
          "the attribute ", text, " is another in PJRT_Device_GetAttributes");
    }
  }
}

void TrackingEvents(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", device.status())) return;
  std::set<PJRT_AsyncTrackingEvent*> alive;
  for (const std::string& text :
       {std::string("a step"), std::string(), std::string("a\0b", 3), std::string(4096, 'x')}) {
    auto args = MakeArgs<PJRT_Device_CreateAsyncTrackingEvent_Args>();
    args.device = *device;
    args.description = text.data();
    args.description_size = text.size();
    if (!Succeeds(context, args)) return context.Unsupported("no tracking events");
    if (args.event != nullptr) {
      context.Check("PJRT-Args-output-new", alive.insert(args.event).second,
                    "one tracking event was handed out twice");
    }
  }
  for (PJRT_AsyncTrackingEvent* event : alive) {
    auto destroy = MakeArgs<PJRT_AsyncTrackingEvent_Destroy_Args>();
    destroy.event = event;
    (void)Succeeds(context, destroy);
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const char* name, std::vector<std::string> requirements, void (*run)(Context&)) {
    requirements.emplace_back(kOutputTrue);
    requirements.emplace_back("PJRT-Args-accepted");
    cases.push_back(
        {StrCat("L1/judge/", name), Level::kL1, ClientNeed::kShared, std::move(requirements), run});
  };
  add("devices",
      {"PJRT-DeviceDescription_Id-unique", "PJRT-Client_AddressableDevices-subset",
       "PJRT-Client_LookupDevice-unknown", "PJRT-Client_LookupAddressableDevice-unknown"},
      JudgeDevices);
  add("memories",
      {"PJRT-Device_DefaultMemory-exists", "PJRT-Device_AddressableMemories-kinds",
       "PJRT-Memory-head"},
      JudgeMemories);
  add("topology", {"PJRT-DeviceDescription_Id-unique"}, JudgeTopology);
  add("made_topology", {}, JudgeMadeTopology);
  add("several_clients", {kOutputTrue}, SeveralClients);
  add("default_assignment", {"PJRT-Client_DefaultDeviceAssignment-too-small"}, JudgeAssignment);
  add("memory_stats", {"PJRT-Device_MemoryStats-bytes_limit"}, JudgeMemoryStats);
  add("device_attributes", {"PJRT-Args-output-same"}, JudgeDeviceAttributes);
  add("tracking_events", {"PJRT-Args-output-new"}, TrackingEvents);
}

}  // namespace judge_devices

void AddDeviceJudgeCases(std::vector<Case>& cases) { judge_devices::AddCases(cases); }

}  // namespace plinth::conformance

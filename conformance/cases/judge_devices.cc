// SPDX-License-Identifier: Apache-2.0
// L1: what client, devices and memories say about themselves and about one another.

#include <algorithm>
#include <map>
#include <set>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/descriptions.h"
#include "conformance/cases/judge_case.h"

namespace plinth::conformance {

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

namespace judge_devices {
namespace {

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
  AddJudgeCase(cases, "L1/judge/devices",
               {"PJRT-DeviceDescription_Id-unique", "PJRT-Client_AddressableDevices-subset",
                "PJRT-Client_LookupDevice-unknown", "PJRT-Client_LookupAddressableDevice-unknown"},
               HereAndOnAThread(JudgeDevices));
  AddJudgeCase(cases, "L1/judge/memories",
               {"PJRT-Device_DefaultMemory-exists", "PJRT-Device_AddressableMemories-kinds",
                "PJRT-Memory-head"},
               HereAndOnAThread(JudgeMemories));
  AddJudgeCase(cases, "L1/judge/default_assignment",
               {"PJRT-Client_DefaultDeviceAssignment-too-small"}, JudgeAssignment);
  AddJudgeCase(cases, "L1/judge/device_attributes", {"PJRT-Args-output-same"},
               JudgeDeviceAttributes);
  AddJudgeCase(cases, "L1/judge/tracking_events", {"PJRT-Args-output-new"}, TrackingEvents);
}

}  // namespace judge_devices

void AddDeviceJudgeCases(std::vector<Case>& cases) { judge_devices::AddCases(cases); }

}  // namespace plinth::conformance

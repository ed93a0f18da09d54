// SPDX-License-Identifier: Apache-2.0
// L1: what topologies say, compared with the client and with what comes back from bytes.

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/descriptions.h"
#include "conformance/cases/judge_case.h"

namespace plinth::conformance {
namespace judge_topologies {
namespace {

struct TopologyFacts {
  std::string name, version, attributes;
  std::map<int, Described> devices;
  std::optional<std::set<int>> memory_kinds;  // nothing where the plugin does not tell
  std::optional<uint64_t> fingerprint;
};

constexpr char kKinds[] = "PJRT-TopologyDescription_GetMemorySpaceKindIds-all";

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
  if (!context.plugin().Has(reflection::function::kPJRT_TopologyDescription_GetMemorySpaceKindIds))
    return facts;
  if (auto ids =
          Get<&PJRT_TopologyDescription_GetMemorySpaceKindIds_Args::topology>(context, topology)) {
    facts.memory_kinds.emplace();
    for (int id : List(ids->memory_space_kind_ids, ids->num_memory_space_kind_ids)) {
      context.Check(kKinds, facts.memory_kinds->insert(id).second, "the kind id ", id,
                    " of memories is listed twice");
    }
  }
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
  for (PJRT_Device* device : AddressableDevices(context)) {
    if (!facts.memory_kinds) break;
    for (PJRT_Memory* memory : MemoriesOf(context, device)) {
      auto kind = Get<&PJRT_Memory_Kind_Id_Args::memory>(context, memory);
      context.Check(kKinds, !kind || facts.memory_kinds->contains(kind->kind_id),
                    "the topology does not list the kind id ", kind ? kind->kind_id : -1);
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
    context.Check(kKinds, again.memory_kinds == facts.memory_kinds,
                  "a loaded topology has memories of other kinds");
    context.Check("PJRT-TopologyDescription_Fingerprint-equal",
                  again.fingerprint == facts.fingerprint,
                  "a loaded topology has another fingerprint");
    // They are their holder's: the topology goes first.
    auto held = Get<&PJRT_TopologyDescription_Serialize_Args::topology>(context, loaded.get());
    if (!context.Check("PJRT-Args-accepted", held.has_value(),
                       "a topology that was read cannot be serialized as that of which it comes"))
      return;
    (void)loaded.Destroy();
    context.Check("PJRT-Args-output-lifetime",
                  StringOf(held->serialized_bytes, held->serialized_bytes_size) == bytes,
                  "a loaded topology has other bytes, or they go with it");
    if (held->serialized_topology_deleter != nullptr)
      held->serialized_topology_deleter(held->serialized_topology);
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

}  // namespace

void AddCases(std::vector<Case>& cases) {
  AddJudgeCase(cases, "L1/judge/topology", {"PJRT-DeviceDescription_Id-unique"},
               HereAndOnAThread(JudgeTopology));
  AddJudgeCase(cases, "L1/judge/made_topology", {}, JudgeMadeTopology);
  AddJudgeCase(cases, "L1/judge/several_clients", {kOutputTrue}, SeveralClients);
}

}  // namespace judge_topologies

void AddTopologyJudgeCases(std::vector<Case>& cases) { judge_topologies::AddCases(cases); }

}  // namespace plinth::conformance

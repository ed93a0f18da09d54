// SPDX-License-Identifier: Apache-2.0
// L1: an executable that is loaded from bytes, or was compiled for the topology of the client, says
// what the one that the client compiled says: for every function of the registry that takes one
// executable, whatever the options. So does a topology that was loaded from bytes, and a client
// when another one came and went.

#include <cstring>
#include <string>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace same_loaded {
namespace {

constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
constexpr char kDonation[] = "PJRT-LoadedExecutable_Execute-donation";
constexpr char kOthers[] = "PJRT-Client_Destroy-others";
constexpr char kTopology[] = "PJRT-TopologyDescription_Deserialize-same";

// `lacks_estimates`: it need not have what a client alone can know.
void Compare(Context& context, const char* requirement, std::string_view what,
             const Answers& wanted, const Answers& found, bool lacks_estimates = false) {
  for (size_t i = 0; i < wanted.size() && i < found.size(); ++i) {
    std::string_view name = wanted[i].first->name.view();
    if (lacks_estimates &&
        (name.find("Cost") != name.npos || name.find("Kinds") != name.npos ||
         name.find("Fingerprint") != name.npos || found[i].second.starts_with("error")))
      continue;
    context.Check(requirement, wanted[i].second == found[i].second, name, " answers otherwise of ",
                  what);
  }
}

struct Options {
  const char* name;
  int replicas, partitions;
  bool from_last;  // devices in the other order
};
constexpr Options kOptions[] = {
    {"one_device", 1, 1, false},     {"last_device", 1, 1, true},
    {"two_replicas", 2, 1, false},   {"two_replicas_turned", 2, 1, true},
    {"two_partitions", 1, 2, false}, {"two_partitions_turned", 1, 2, true}};
constexpr const char* kPrograms[] = {"add_one", "mixed", "of_types", "donating"};

void Executables(Context& context, const Options& options) {
  const auto count =
      static_cast<size_t>(options.replicas) * static_cast<size_t>(options.partitions);
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() < std::max<size_t>(count, options.from_last ? 2 : 1))
    return context.LacksDevices("the client has too few devices");
  if (options.partitions > 1 && IdsOfDevices(context, count).empty()) return;
  std::vector<int> ids;
  for (size_t i = 0; i < count; ++i) {
    ids.push_back(
        DeviceIdOf(context, options.from_last ? devices[devices.size() - 1 - i] : devices[i]));
  }
  const std::string bytes = CompileOptionsOf(options.replicas, options.partitions, ids);
  for (const char* name : kPrograms) {
    context.TellRow(name);
    Expected<OwnedLoadedExecutable> compiled =
        context.Compile(ProgramFor(context, name), "mlir", bytes);
    if (!compiled.ok()) {
      // Other cases ask for types and partitions.
      context.Note(StrCat(name, ": ", compiled.status().ToString()));
      continue;
    }
    Compiled made{*std::move(compiled), {}};
    if (!FindExecutable(context, made)) return;
    const OwnedExecutable& executable = made.executable;
    namespace kinds = reflection::handle;
    const Answers program = AnswersOf(context, kinds::kPJRT_Executable, executable.get()),
                  loaded = AnswersOf(context, kinds::kPJRT_LoadedExecutable, made.loaded.get());
    if (auto ahead = CompileAhead(context, name, bytes); ahead.ok()) {
      Compare(context, "PJRT-Compile-same", StrCat(name, ", compiled for the topology,"), program,
              AnswersOf(context, kinds::kPJRT_Executable, ahead->get()), true);
    }
    auto stored = SerializedBytes(context, executable.get());
    if (!stored) return;
    Compiled again{LoadBytes(context, *stored, kSame), {}};
    if (!again.loaded || !FindExecutable(context, again)) return;
    const OwnedExecutable& its = again.executable;
    const std::string what = StrCat(name, ", loaded from bytes,");
    Compare(context, kSame, what, program, AnswersOf(context, kinds::kPJRT_Executable, its.get()));
    Compare(context, kSame, what, loaded,
            AnswersOf(context, kinds::kPJRT_LoadedExecutable, again.loaded.get()));
    // How many bytes arguments and results take is no estimate.
    auto one =
        Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(context, executable.get());
    auto two = Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(context, its.get());
    if (one && two) {
      context.Check(kSame,
                    one->argument_size_in_bytes == two->argument_size_in_bytes &&
                        one->output_size_in_bytes == two->output_size_in_bytes &&
                        one->alias_size_in_bytes == two->alias_size_in_bytes,
                    "PJRT_Executable_GetCompiledMemoryStats says of ", what,
                    " other sizes than of what was compiled");
    }
    if (context.HasFindings()) return;
  }
}

// What was loaded from bytes takes what is donated as the program that was compiled does.
void Donation(Context& context) {
  Compiled made;
  if (!Compile(context, "donating", made)) return;
  auto stored = SerializedBytes(context, made.executable.get());
  if (!stored) return context.Unsupported("no serialization");
  OwnedLoadedExecutable loaded = LoadBytes(context, *stored, kSame);
  if (!loaded) return;
  bool is_taken[2] = {};
  PJRT_LoadedExecutable* both[] = {made.loaded.get(), loaded.get()};
  for (size_t i : {0, 1}) {
    Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
    PJRT_Buffer* handles[] = {argument->get()};
    auto results = context.Execute(both[i], handles);
    if (!context.Ok(kDonation, "PJRT_LoadedExecutable_Execute", results.status())) return;
    is_taken[i] = IsBufferDeleted(context, argument->get());
  }
  context.Check(kDonation, is_taken[0] == is_taken[1], "a program that was loaded from bytes ",
                is_taken[1] ? "takes" : "leaves", " its argument, the compiled one does not");
}

std::string TextOf(Context& context, PJRT_DeviceDescription* description) {
  std::string all;
  if (auto id = Get<&PJRT_DeviceDescription_Id_Args::device_description>(context, description))
    all = StrCat(id->id, " ");
  for (const auto& [function, answer] :
       AnswersOf(context, reflection::handle::kPJRT_DeviceDescription, description))
    all += answer;
  return all;
}

void Topology(Context& context) {
  auto own = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client());
  if (!own) return;
  auto bytes = Get<&PJRT_TopologyDescription_Serialize_Args::topology>(context, own->topology);
  if (!bytes) return context.Unsupported("no serialization of topologies");
  std::string given(StringOf(bytes->serialized_bytes, bytes->serialized_bytes_size));
  if (bytes->serialized_topology_deleter != nullptr)
    bytes->serialized_topology_deleter(bytes->serialized_topology);
  auto load = MakeArgs<PJRT_TopologyDescription_Deserialize_Args>();
  load.serialized_topology = given.data();
  load.serialized_topology_size = given.size();
  if (!Succeeds(context, load, kTopology)) return;
  std::fill(given.begin(), given.end(), '?');  // borrowed for the call
  OwnedTopology loaded(context.plugin(), load.topology);
  constexpr int kKind = reflection::handle::kPJRT_TopologyDescription;
  Compare(context, kTopology, "a topology that was loaded from bytes",
          AnswersOf(context, kKind, own->topology), AnswersOf(context, kKind, loaded.get()));
  auto wanted =
      Get<&PJRT_TopologyDescription_GetDeviceDescriptions_Args::topology>(context, own->topology);
  auto found =
      Get<&PJRT_TopologyDescription_GetDeviceDescriptions_Args::topology>(context, loaded.get());
  if (!wanted || !found ||
      !context.Check(kTopology, wanted->num_descriptions == found->num_descriptions,
                     "a topology that was loaded from bytes has ", found->num_descriptions,
                     " devices, not ", wanted->num_descriptions))
    return;
  for (size_t i = 0; i < wanted->num_descriptions; ++i) {
    if (!context.Check(
            kTopology,
            TextOf(context, wanted->descriptions[i]) == TextOf(context, found->descriptions[i]),
            "device ", i, " of a topology that was loaded from bytes is another"))
      return;
  }
}

void OtherClient(Context& context) {
  if (context.profile().is_exclusive) return context.Unsupported("one client at a time");
  Expected<OwnedClient> own = context.NewClient();
  if (!context.Ok("", "PJRT_Client_Create", own.status())) return;
  Context here(context.plugin(), context.profile(), own->get(), context.seed());
  const std::vector<Answers> before = AnswersOfClient(here);
  Expected<OwnedClient> other = context.NewClient();
  if (!other.ok()) return context.Unsupported(other.status().ToString());
  for (bool is_gone : {false, true}) {
    if (is_gone) (void)other->Destroy();
    const std::vector<Answers> after = AnswersOfClient(here);
    if (!context.Check(kOthers, before.size() == after.size(), "a client has other devices"))
      return;
    for (size_t i = 0; i < before.size(); ++i) {
      Compare(context, kOthers, is_gone ? "a client when another is gone" : "one of two clients",
              before[i], after[i]);
    }
  }
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (const Options& options : kOptions) {
    const bool is_one = options.replicas * options.partitions == 1 && !options.from_last;
    cases.push_back(
        {StrCat(is_one ? "L1" : "L3", "/judge/same_loaded/", options.name),
         is_one ? Level::kL1 : Level::kL3,
         ClientNeed::kShared,
         {kSame, "PJRT-Compile-same", "PJRT-Executable_NumReplicas-options",
          "PJRT-Executable_NumPartitions-options", "PJRT-Executable_GetCompileOptions-same",
          "PJRT-Executable_Fingerprint-stable", "PJRT-Executable_GetCompiledMemoryStats-alias"},
         [&options](Context& context) { Executables(context, options); },
         false});
  }
  cases.push_back(
      {"L2/process/other_client", Level::kL2, ClientNeed::kNone, {kOthers}, OtherClient, false});
  cases.push_back({"L1/judge/same_loaded/donation",
                   Level::kL1,
                   ClientNeed::kShared,
                   {kDonation},
                   Donation,
                   false});
  cases.push_back({"L1/judge/same_loaded/topology",
                   Level::kL1,
                   ClientNeed::kShared,
                   {kTopology},
                   Topology,
                   false});
}

}  // namespace same_loaded

void AddSameLoadedCases(std::vector<Case>& cases) { same_loaded::AddCases(cases); }

}  // namespace plinth::conformance

// SPDX-License-Identifier: Apache-2.0
// L2: two objects that come from one: a program loaded twice, a copy and its original, two results
// of a run, two buffers of a manager. However one of them ends, what is said of the other stays,
// and the other works; memory of the host that they share is given back when both are gone.

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/counted_callback.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/stored_programs.h"
#include "conformance/cases/transfer_manager.h"
#include "conformance/cases/view.h"

namespace plinth::conformance {
namespace twins {
namespace {

namespace kinds = reflection::handle;
constexpr char kSame[] = "PJRT-Args-output-same";
constexpr char kLifetime[] = "PJRT-Args-output-lifetime";
constexpr char kTruth[] = "PJRT-Buffer_IsDeleted-truth";
constexpr char kLoaded[] = "PJRT-LoadedExecutable_IsDeleted-truth";
constexpr char kAgain[] = "PJRT-Client_Load-again";
constexpr char kNew[] = "PJRT-Args-output-new";
constexpr char kOnDelete[] = "PJRT-Client_CreateViewOfDeviceBuffer-on_delete";
constexpr char kHostDone[] = "PJRT-Client_BufferFromHostBuffer-done";
constexpr char kUses[] = "PJRT-Buffer_Delete-uses";
constexpr char kCopy[] = "PJRT-Buffer_CopyToDevice-contents";
constexpr char kCopyToMemory[] = "PJRT-Buffer_CopyToMemory-contents";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
const std::vector<float> kNumbers = {1, 2, 3, 4};

// Two objects of one kind, and what they came from.
template <typename Owned>
struct Pair {
  Owned one, other;
  std::vector<std::shared_ptr<void>> source;
  // Asked when both are gone: how often what they came from was given back, or -1 where nobody
  // says.
  std::function<int()> times_given_back = [] { return -1; };
  std::string_view given_back_by = {};  // the requirement that says so
};
template <typename Owned>
using Make = Status (*)(Context&, Pair<Owned>&);
template <typename Owned>
using End = Status (*)(Context&, Owned&);

Answers Said(Context& context, int kind, void* object) {
  Answers all = AnswersOf(context, kind, object, true);
  std::erase_if(all, [](const auto& answer) {
    return answer.first->answer == reflection::Answer::kChanging;
  });
  return all;
}

// Ends the first or the second of new pairs; `works` says whether the one that is left does.
template <typename Owned>
void Try(Context& context, int kind, std::string_view requirement, std::string_view what,
         Make<Owned> make, const std::vector<std::pair<const char*, End<Owned>>>& ends,
         Status (*works)(Context&, Owned&)) {
  for (const auto& [how, end] : ends) {
    for (bool ends_first : {true, false}) {
      context.TellRow(StrCat(what, ", ", how, ends_first ? ", the first" : ", the second"));
      Pair<Owned> pair;
      Status made = make(context, pair);
      if (!context.Ok("", what, made)) return;
      context.Check(kNew, pair.one.get() != pair.other.get(), "when ", what,
                    " both have one handle");
      Owned& left = ends_first ? pair.other : pair.one;
      const Answers before = Said(context, kind, left.get());
      Status is_ended = end(context, ends_first ? pair.one : pair.other);
      if (is_ended.code() == StatusCode::kUnimplemented) continue;
      if (!context.Ok("PJRT-Args-accepted", StrCat(what, " is ", how), is_ended)) continue;
      const Answers after = Said(context, kind, left.get());
      for (size_t i = 0; i < before.size() && i < after.size(); ++i) {
        context.Check(kSame, before[i].second == after[i].second, before[i].first->name,
                      " answers otherwise when ", what, ", and one of the two was ", how);
      }
      context.Ok(requirement, StrCat(what, ", when one of the two was ", how),
                 works(context, left));
      (void)pair.one.Destroy();
      (void)pair.other.Destroy();
      const int times = pair.times_given_back();
      if (!context.Check(pair.given_back_by, times == 1 || times == -1, "when ", what,
                         " and both are gone, the first ", how, ", host memory was given back ",
                         times, " times"))
        return;
    }
  }
}

// ---- Loaded programs

Status CompileInto(Context& context, OwnedLoadedExecutable& loaded) {
  PLINTH_ASSIGN_OR_RETURN(loaded, context.Compile(ProgramFor(context, "add_one")));
  return Status();
}
Status ExecutableInto(Context& context, OwnedLoadedExecutable& loaded,
                      OwnedExecutable& executable) {
  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = loaded.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(get));
  executable = OwnedExecutable(context.plugin(), get.executable);
  return Status();
}
Status CompiledTwice(Context& context, Pair<OwnedLoadedExecutable>& pair) {
  PLINTH_RETURN_IF_ERROR(CompileInto(context, pair.one));
  return CompileInto(context, pair.other);
}
Status LoadedTwice(Context& context, Pair<OwnedLoadedExecutable>& pair) {
  Expected<OwnedExecutable> ahead = CompileAhead(context, "add_one", SingleDeviceCompileOptions());
  // Whether there is a compiler without a client is asked elsewhere.
  if (!ahead.ok()) return Unimplemented(ahead.status().ToString());
  auto executable = std::make_shared<OwnedExecutable>(*std::move(ahead));
  for (OwnedLoadedExecutable* each : {&pair.one, &pair.other}) {
    auto load = MakeArgs<PJRT_Client_Load_Args>();
    load.client = context.client();
    load.executable = executable->get();
    PLINTH_RETURN_IF_ERROR(context.plugin().Call(load));
    *each = OwnedLoadedExecutable(context.plugin(), load.loaded_executable);
  }
  pair.source.push_back(executable);
  return Status();
}
Status ReadTwice(Context& context, Pair<OwnedLoadedExecutable>& pair) {
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
  PLINTH_RETURN_IF_ERROR(CompileInto(context, loaded));
  PLINTH_RETURN_IF_ERROR(ExecutableInto(context, loaded, executable));
  auto bytes = MakeArgs<PJRT_Executable_Serialize_Args>();
  bytes.executable = executable.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(bytes));
  Status status;
  for (OwnedLoadedExecutable* each : {&pair.one, &pair.other}) {
    auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
    load.client = context.client();
    load.serialized_executable = bytes.serialized_bytes;
    load.serialized_executable_size = bytes.serialized_bytes_size;
    status = context.plugin().Call(load);
    if (!status.ok()) break;
    *each = OwnedLoadedExecutable(context.plugin(), load.loaded_executable);
  }
  bytes.serialized_executable_deleter(bytes.serialized_executable);
  return status;
}

Status Unload(Context& context, OwnedLoadedExecutable& loaded) {
  auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
  args.executable = loaded.get();
  return context.plugin().Call(args);
}
Status Runs(Context& context, OwnedLoadedExecutable& loaded) {
  auto is_deleted =
      Get<&PJRT_LoadedExecutable_IsDeleted_Args::executable>(context, loaded.get(), kLoaded);
  context.Check(kLoaded, !is_deleted || !RawBool(is_deleted->is_deleted),
                "a program counts as unloaded when another one was");
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer argument, context.Upload(HostArray::F32({4}, kNumbers)));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results, context.Execute(loaded.get(), handles));
  PLINTH_ASSIGN_OR_RETURN(HostArray back, context.Download(results[0].get()));
  const std::vector<float> wanted = {2, 3, 4, 5};
  return back.AsF32() == wanted ? Status() : Internal("[", StrJoin(back.AsF32()), "]");
}

void Programs(Context& context) {
  const std::vector<std::pair<const char*, End<OwnedLoadedExecutable>>> ends = {
      {"unloaded", Unload},
      {"destroyed", [](Context&, OwnedLoadedExecutable& loaded) { return loaded.Destroy(); }}};
  for (auto [what, make] : {std::pair<const char*, Make<OwnedLoadedExecutable>>(
                                "a program was compiled twice", &CompiledTwice),
                            {"an executable was loaded twice", &LoadedTwice},
                            {"bytes were loaded twice", &ReadTwice}}) {
    Try<OwnedLoadedExecutable>(context, kinds::kPJRT_LoadedExecutable, kAgain, what, make, ends,
                               Runs);
  }
}

// ---- Executables

Status GotTwice(Context& context, Pair<OwnedExecutable>& pair) {
  auto loaded = std::make_shared<OwnedLoadedExecutable>();
  PLINTH_RETURN_IF_ERROR(CompileInto(context, *loaded));
  PLINTH_RETURN_IF_ERROR(ExecutableInto(context, *loaded, pair.one));
  PLINTH_RETURN_IF_ERROR(ExecutableInto(context, *loaded, pair.other));
  pair.source.push_back(loaded);
  return Status();
}

void Executables(Context& context) {
  Try<OwnedExecutable>(
      context, kinds::kPJRT_Executable, "PJRT-LoadedExecutable_GetExecutable-executable-owner",
      "an executable was asked for twice", GotTwice,
      {{"destroyed", [](Context&, OwnedExecutable& executable) { return executable.Destroy(); }}},
      [](Context& its, OwnedExecutable& executable) {
        auto count = MakeArgs<PJRT_Executable_NumOutputs_Args>();
        count.executable = executable.get();
        PLINTH_RETURN_IF_ERROR(its.plugin().Call(count));
        return count.num_outputs == 1 ? Status() : Internal(count.num_outputs, " outputs");
      });
}

// ---- Arrays

using Arrays = Pair<OwnedBuffer>;

// Does nothing where there is one, made of host memory.
Status Upload(Context& context, OwnedBuffer& buffer) {
  if (buffer) return Status();
  PLINTH_ASSIGN_OR_RETURN(buffer, context.Upload(HostArray::F32({4}, kNumbers)));
  return Status();
}
Status OfOneHostArray(Context& context, Arrays& pair) {
  alignas(64) static float memory[] = {1, 2, 3, 4};
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  const int64_t dims[] = {4};
  for (OwnedBuffer* each : {&pair.one, &pair.other}) {
    auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
    args.client = context.client();
    args.data = memory;
    args.type = PJRT_Buffer_Type_F32;
    args.dims = dims;
    args.num_dims = 1;
    args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
    args.device = device;
    PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
    *each = OwnedBuffer(context.plugin(), args.buffer);
    OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  }
  return Status();
}
Status Copied(Context& context, Arrays& pair) {
  PLINTH_RETURN_IF_ERROR(Upload(context, pair.one));
  auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
  copy.buffer = pair.one.get();
  copy.dst_device = AddressableDevices(context).back();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(copy));
  pair.other = OwnedBuffer(context.plugin(), copy.dst_buffer);
  return Status();
}
// Upstream refuses it where source and destination are one; the header does not say.
Status CopiedHere(Context& context, Arrays& pair) {
  PLINTH_RETURN_IF_ERROR(Upload(context, pair.one));
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
  copy.buffer = pair.one.get();
  copy.dst_device = device;
  const Status status = context.plugin().Call(copy);
  if (!status.ok()) return Unimplemented(status.ToString());
  pair.other = OwnedBuffer(context.plugin(), copy.dst_buffer);
  return Status();
}
Status CopiedToMemory(Context& context, Arrays& pair) {
  PLINTH_RETURN_IF_ERROR(Upload(context, pair.one));
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  copy.buffer = pair.one.get();
  copy.dst_memory = MemoriesOf(context, device).back();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(copy));
  pair.other = OwnedBuffer(context.plugin(), copy.dst_buffer);
  return Status();
}
// A plugin may take the array that it casts: then there are no two.
Status Cast(Context& context, Arrays& pair) {
  PLINTH_RETURN_IF_ERROR(Upload(context, pair.one));
  const int64_t dims[] = {4};
  auto cast = MakeArgs<PJRT_Buffer_Bitcast_Args>();
  cast.buffer = pair.one.get();
  cast.element_type = PJRT_Buffer_Type_F32;
  cast.dims = dims;
  cast.num_dims = 1;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(cast));
  pair.other = OwnedBuffer(context.plugin(), cast.out_buffer);
  return IsBufferDeleted(context, pair.one.get()) ? Unimplemented("it is taken") : Status();
}
// The first array is in host memory, which its owner uses anew as soon as it is given back.
void Overwrite(const Viewed& memory, size_t size) {
  std::fill(memory.data, memory.data + size, std::byte{0xFF});
}
Status View(Context& context, Arrays& pair) {
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  const HostArray array = HostArray::F32({4}, kNumbers);
  std::shared_ptr<Viewed> viewed;
  pair.one =
      MakeView(context, array, {device, nullptr, device, DefaultMemoryOf(context, device)}, viewed);
  if (!pair.one) return Unimplemented("there are no views");
  viewed->work = [memory = viewed.get(), size = array.bytes.size()] { Overwrite(*memory, size); };
  pair.times_given_back = [viewed] {
    WaitForEnd(*viewed);
    return viewed->calls.load();
  };
  pair.given_back_by = kOnDelete;
  return Status();
}
Status ZeroCopy(Context& context, Arrays& pair) {
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  const HostArray array = HostArray::F32({4}, kNumbers);
  auto memory = std::make_shared<Viewed>(array);
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = memory->data;
  args.type = PJRT_Buffer_Type_F32;
  args.dims = array.dims.data();
  args.num_dims = 1;
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  args.device = device;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  pair.one = OwnedBuffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  if (!done) return Unimplemented("there is no event");
  CountedCallback* callback = NewCountedCallback(context);
  callback->work = [memory, size = array.bytes.size()] { Overwrite(*memory, size); };
  if (!RegisterCallback(context, done.get(), callback)) return Unimplemented("no callback");
  pair.times_given_back = [callback] {
    WaitForCall(*callback);
    return callback->calls.load();
  };
  pair.given_back_by = kHostDone;
  return Status();
}
// The second array is made of the first.
template <Make<OwnedBuffer> kFirst, Make<OwnedBuffer> kSecond>
Status Then(Context& context, Arrays& pair) {
  PLINTH_RETURN_IF_ERROR(kFirst(context, pair));
  return kSecond(context, pair);
}

// Two results of one run that are the same array.
Status ResultsOfOneRun(Context& context, Arrays& pair) {
  PLINTH_ASSIGN_OR_RETURN(OwnedLoadedExecutable program,
                          context.Compile(ProgramFor(context, "same_four")));
  OwnedBuffer argument;
  PLINTH_RETURN_IF_ERROR(Upload(context, argument));
  PJRT_Buffer* handles[] = {argument.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results,
                          context.Execute(program.get(), handles));
  pair.one = std::move(results[0]);
  pair.other = std::move(results[2]);
  return Status();
}
Status ArgumentAndResult(Context& context, Arrays& pair) {
  PLINTH_ASSIGN_OR_RETURN(OwnedLoadedExecutable program,
                          context.Compile(ProgramFor(context, "same_four")));
  PLINTH_RETURN_IF_ERROR(Upload(context, pair.one));
  PJRT_Buffer* handles[] = {pair.one.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results,
                          context.Execute(program.get(), handles));
  pair.other = std::move(results[0]);
  return Status();
}
// Both are filled.
Status OfOneManager(Context& context, Arrays& pair) {
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * device, context.Device());
  const HostArray four = HostArray::F32({4}, {});
  PLINTH_ASSIGN_OR_RETURN(OwnedManager made,
                          NewManager(context, DefaultMemoryOf(context, device), {four, four}));
  auto manager = std::make_shared<OwnedManager>(std::move(made));
  for (int i = 0; i < 2; ++i) {
    PLINTH_ASSIGN_OR_RETURN((i == 0 ? pair.one : pair.other),
                            RetrieveBuffer(context, manager->get(), i));
    PLINTH_RETURN_IF_ERROR(TransferBytes(context, manager->get(), i, kNumbers.data(), 0, 16, true));
  }
  pair.source.push_back(manager);
  return Status();
}

Status Donate(Context& context, OwnedBuffer& buffer) {
  auto device = MakeArgs<PJRT_Buffer_Device_Args>();
  device.buffer = buffer.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(device));
  PLINTH_ASSIGN_OR_RETURN(PJRT_Device * first, context.Device());
  auto memory = MakeArgs<PJRT_Buffer_Memory_Args>();
  memory.buffer = buffer.get();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(memory));
  // The program runs on arrays of the first device alone.
  if (device.device != first || memory.memory != DefaultMemoryOf(context, first))
    return Unimplemented("it is elsewhere");
  PLINTH_ASSIGN_OR_RETURN(OwnedLoadedExecutable program,
                          context.Compile(ProgramFor(context, "donating")));
  PJRT_Buffer* handles[] = {buffer.get()};
  PLINTH_ASSIGN_OR_RETURN(std::vector<OwnedBuffer> results,
                          context.Execute(program.get(), handles));
  return AwaitBuffer(context, results[0].get());
}
Status HasItsNumbers(Context& context, OwnedBuffer& buffer) {
  context.Check(kTruth, !IsBufferDeleted(context, buffer.get()),
                "an array counts as deleted when another one was");
  PLINTH_ASSIGN_OR_RETURN(HostArray back, context.Download(buffer.get()));
  return back.AsF32() == kNumbers ? Status() : Internal("[", StrJoin(back.AsF32()), "]");
}

void ArrayTwins(Context& context) {
  const std::vector<std::pair<const char*, End<OwnedBuffer>>> ends = {
      {"deleted",
       [](Context& its, OwnedBuffer& buffer) {
         auto args = MakeArgs<PJRT_Buffer_Delete_Args>();
         args.buffer = buffer.get();
         return its.plugin().Call(args);
       }},
      {"destroyed", [](Context&, OwnedBuffer& buffer) { return buffer.Destroy(); }},
      {"donated", Donate}};
  struct Twins {
    const char* what;
    Make<OwnedBuffer> make;
    std::string_view requirement = kUses;
  };
  const Twins kTwins[] = {
      {"two arrays are of one on the host", &OfOneHostArray},
      {"an array was copied to a device", &Copied, kCopy},
      {"an array was copied to its own device", &CopiedHere, kCopy},
      {"an array was copied to a memory", &CopiedToMemory, kCopyToMemory},
      {"an array was cast", &Cast},
      {"two results of a run are one array", &ResultsOfOneRun, kResults},
      {"a result is the argument", &ArgumentAndResult, kResults},
      {"two arrays are of one manager", &OfOneManager},
      {"a view was cast", &Then<View, Cast>},
      {"a view was copied to a device", &Then<View, Copied>, kCopy},
      {"a view was copied to a memory", &Then<View, CopiedToMemory>, kCopyToMemory},
      {"a result is a view", &Then<View, ArgumentAndResult>, kResults},
      {"an array without a copy was cast", &Then<ZeroCopy, Cast>},
      {"an array without a copy was copied to a device", &Then<ZeroCopy, Copied>, kCopy},
      {"an array without a copy was copied to a memory", &Then<ZeroCopy, CopiedToMemory>,
       kCopyToMemory},
      {"a result is an array without a copy", &Then<ZeroCopy, ArgumentAndResult>, kResults}};
  for (const auto& [what, make, requirement] : kTwins) {
    Context probe(context.plugin(), context.profile(), context.client(), context.seed());
    Try<OwnedBuffer>(probe, kinds::kPJRT_Buffer, requirement, what, make, ends, HasItsNumbers);
    Result result = probe.TakeResult();
    // What a plugin lacks is no finding, and the others are asked all the same.
    for (const Finding& finding : result.findings) context.Fail(finding.requirement, finding.text);
  }
}

// ---- Topologies

Status TopologyReadTwice(Context& context, Pair<OwnedTopology>& pair) {
  auto own = MakeArgs<PJRT_Client_TopologyDescription_Args>();
  own.client = context.client();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(own));
  auto bytes = MakeArgs<PJRT_TopologyDescription_Serialize_Args>();
  bytes.topology = own.topology;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(bytes));
  Status status;
  for (OwnedTopology* each : {&pair.one, &pair.other}) {
    auto read = MakeArgs<PJRT_TopologyDescription_Deserialize_Args>();
    read.serialized_topology = bytes.serialized_bytes;
    read.serialized_topology_size = bytes.serialized_bytes_size;
    status = context.plugin().Call(read);
    // Whether bytes can be read at all is asked elsewhere.
    if (!status.ok() && !pair.one) status = Unimplemented(status.ToString());
    if (!status.ok()) break;
    *each = OwnedTopology(context.plugin(), read.topology);
  }
  bytes.serialized_topology_deleter(bytes.serialized_topology);
  return status;
}

// The ids of its devices.
std::vector<int> DevicesOfTopology(Context& context, PJRT_TopologyDescription* topology) {
  std::vector<int> ids;
  auto get = Get<&PJRT_TopologyDescription_GetDeviceDescriptions_Args::topology>(context, topology);
  for (size_t i = 0; get && i < get->num_descriptions; ++i) {
    auto id =
        Get<&PJRT_DeviceDescription_Id_Args::device_description>(context, get->descriptions[i]);
    if (id) ids.push_back(id->id);
  }
  return ids;
}

void Topologies(Context& context) {
  Try<OwnedTopology>(
      context, kinds::kPJRT_TopologyDescription, "PJRT-TopologyDescription_Deserialize-same",
      "a topology was read twice", TopologyReadTwice,
      {{"destroyed", [](Context&, OwnedTopology& topology) { return topology.Destroy(); }}},
      [](Context& its, OwnedTopology& topology) {
        auto own = Get<&PJRT_Client_TopologyDescription_Args::client>(its, its.client());
        its.Check(
            kLifetime,
            !own || DevicesOfTopology(its, topology.get()) == DevicesOfTopology(its, own->topology),
            "a topology has other devices when another one of the same bytes is gone");
        // Where there is a compiler without a client, which is asked elsewhere.
        if (!CompileAhead(its, "add_one", SingleDeviceCompileOptions()).ok()) return Status();
        return CompileAhead(its, "add_one", SingleDeviceCompileOptions(), topology.get()).status();
      });
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](std::string_view name, void (*run)(Context&),
                 std::vector<std::string> requirements) {
    requirements.insert(requirements.end(), {kSame, kTruth, kNew});
    cases.push_back({StrCat("L2/twins/", name), Level::kL2, ClientNeed::kShared,
                     std::move(requirements), run, false});
  };
  add("programs", Programs, {kAgain, kLoaded});
  add("executables", Executables, {"PJRT-LoadedExecutable_GetExecutable-executable-owner"});
  add("arrays", ArrayTwins, {kUses, kCopy, kCopyToMemory, kResults, kOnDelete, kHostDone});
  add("topologies", Topologies, {"PJRT-TopologyDescription_Deserialize-same", kLifetime});
}

}  // namespace twins

void AddTwinCases(std::vector<Case>& cases) { twins::AddCases(cases); }

}  // namespace plinth::conformance

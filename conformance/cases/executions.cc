// SPDX-License-Identifier: Apache-2.0
// L1 and L3: executions with every combination of what they may be: one program or another, on one
// device or several, got in any way, with options that change nothing, and some that keep
// arguments.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/sweep.h"

namespace plinth::conformance {
namespace executions {
namespace {

constexpr char kNotDonated[] = "PJRT-LoadedExecutable_Execute-not-donated";
constexpr char kDonation[] = "PJRT-LoadedExecutable_Execute-donation";
constexpr char kAccepted[] = "PJRT-Args-accepted";

// A program of f32 arrays; on each lane its arguments are those of the first times `lane + 1`.
struct Program {
  const char* name;
  std::vector<std::vector<int64_t>> arguments;
  std::vector<size_t> donated;
  // Each result: the argument that it is made of, and what that is multiplied with and added to it.
  struct Result {
    size_t argument;
    float factor, term;
  };
  std::vector<Result> results;
};

const std::vector<Program>& Programs() {
  static const std::vector<Program> all = {
      {"add_one", {{4}}, {}, {{0, 1, 1}}},
      {"donating_both", {{4}, {2, 3}, {8}}, {0, 1}, {{1, 2, 0}, {0, 2, 0}}},
      {"donating_large",
       {{4}, {96, 33}, {70001}, {2, 3}},
       {1, 2, 3},
       {{2, 2, 0}, {1, 2, 0}, {3, 2, 0}, {0, 2, 0}}},
      {"argument_returned", {{2}}, {}, {{0, 1, 0}, {0, 1, 0}}}};
  return all;
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Program& program : Programs()) names.emplace_back(program.name);
  return names;
}

HostArray ArgumentOf(const Program& program, size_t argument, size_t lane) {
  HostArray array = Counted(program.arguments[argument], static_cast<float>(argument));
  std::vector<float> values = array.AsF32();
  for (float& value : values) value = std::fmod(value, 1000.0f) * static_cast<float>(lane + 1);
  return HostArray::F32(array.dims, values);
}

HostArray ResultOf(const Program& program, size_t result, size_t lane) {
  const Program::Result& made = program.results[result];
  HostArray array = ArgumentOf(program, made.argument, lane);
  std::vector<float> values = array.AsF32();
  for (float& value : values) value = value * made.factor + made.term;
  return HostArray::F32(array.dims, values);
}

// The ways to get an executable.
const std::vector<std::string>& Ways() {
  static const std::vector<std::string> ways = {"compiled",
                                                "loaded from bytes",
                                                "loaded from bytes of what was loaded",
                                                "loaded ahead",
                                                "compiled for a read topology",
                                                "loaded when its topology is gone"};
  return ways;
}

// Null, with a finding or UNSUPPORTED, where it cannot be had.
OwnedLoadedExecutable GetIn(Context& context, std::string_view way, const Program& program,
                            std::string_view options) {
  constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
  if (way.find("bytes") == way.npos && way != "compiled") {
    OwnedTopology read;
    const bool is_gone = way == "loaded when its topology is gone";
    if (is_gone && !context.plugin().Has(reflection::function::kPJRT_Client_Load))
      return context.Unsupported("no PJRT_Client_Load"), OwnedLoadedExecutable();
    if (way == "compiled for a read topology" || is_gone) {
      read = ReadTopology(context);
      if (!read) return context.Unsupported("no topology is read"), OwnedLoadedExecutable();
    }
    Expected<OwnedExecutable> ahead = CompileAhead(context, program.name, options, read.get());
    // What compiles for its own topology compiles for one that was read: it is no other.
    if (ahead.status().code() == StatusCode::kUnimplemented && read &&
        CompileAhead(context, program.name, options, nullptr).ok()) {
      context.Fail(kAccepted, StrCat("PJRT_Compile, ", way, ": ", ahead.status().ToString()));
      return {};
    }
    if (!context.Ok(kAccepted, StrCat("PJRT_Compile, ", way), ahead.status())) return {};
    if (is_gone) {
      (void)read.Destroy();
      auto load = MakeArgs<PJRT_Client_Load_Args>();
      load.client = context.client();
      load.executable = ahead->get();
      load.compile_options = options.data();
      load.compile_options_size = options.size();
      if (!Succeeds(context, load)) return {};
      return OwnedLoadedExecutable(context.plugin(), load.loaded_executable);
    }
    auto bytes = SerializedBytes(context, ahead->get());
    return bytes ? LoadBytes(context, *bytes, kSame) : OwnedLoadedExecutable();
  }
  Compiled made;
  if (!Compile(context, program.name, made, options)) return {};
  const int loads = way == "compiled" ? 0 : way == "loaded from bytes" ? 1 : 2;
  for (int i = 0; i < loads; ++i) {
    auto bytes = SerializedBytes(context, made.executable.get());
    if (!bytes) return context.Unsupported("no serialization"), OwnedLoadedExecutable();
    Compiled loaded{LoadBytes(context, *bytes, kSame), {}};
    if (!loaded.loaded || !FindExecutable(context, loaded)) return {};
    made = std::move(loaded);
  }
  return std::move(made.loaded);
}

// Options of an execution that a program without callbacks does not see.
struct Options {
  PJRT_ExecuteOptions options = MakeArgs<PJRT_ExecuteOptions>();
  PJRT_SendCallbackInfo* no_sends[4] = {};
  PJRT_RecvCallbackInfo* no_receives[4] = {};
  int tasks[1] = {0};
  int64_t lives[1] = {1};
  std::string where = std::string(300, 'w');
  OwnedExecuteContext data;
};

const std::vector<std::string>& OptionNames() {
  static const std::vector<std::string> names = {
      "none", "launch_id", "call_location", "no sends", "row major", "one task", "a context"};
  return names;
}

// False, with UNSUPPORTED or a finding, where the plugin lacks what it needs.
bool Fill(Context& context, std::string_view name, Options& given) {
  if (name == "launch_id") given.options.launch_id = 1 << 20;
  if (name == "call_location") given.options.call_location = given.where.c_str();
  if (name == "no sends") {
    given.options.send_callbacks = given.no_sends;
    given.options.recv_callbacks = given.no_receives;
  }
  if (name == "row major") given.options.use_major_to_minor_data_layout_for_callbacks = true;
  if (name == "one task") {
    given.options.num_tasks = 1;
    given.options.task_ids = given.tasks;
    given.options.incarnation_ids = given.lives;
  }
  if (name == "a context") {
    auto create = MakeArgs<PJRT_ExecuteContext_Create_Args>();
    if (!Succeeds(context, create)) return context.Unsupported("no execute contexts"), false;
    given.data = OwnedExecuteContext(context.plugin(), create.context);
    given.options.context = create.context;
  }
  return true;
}

std::vector<int64_t> KeptOf(std::string_view how, const Program& program) {
  std::vector<int64_t> all(program.arguments.size());
  std::iota(all.begin(), all.end(), int64_t{0});
  if (how == "first") all.resize(1);
  if (how == "last") all.erase(all.begin(), all.end() - 1);
  if (how == "all, from the last") std::reverse(all.begin(), all.end());
  if (how == "each twice") {
    all.insert(all.end(), all.begin(), all.end());
    std::sort(all.begin(), all.end());
  }
  if (how == "none") all.clear();
  return all;
}

// Runs it once and judges each lane.
void Run(Context& context, const Program& program, PJRT_LoadedExecutable* executable,
         const std::vector<PJRT_Device*>& devices, const std::vector<int64_t>& kept, Options& given,
         bool has_events) {
  const size_t lanes = devices.size();
  std::vector<std::vector<OwnedBuffer>> arguments(lanes);
  std::vector<std::vector<PJRT_Buffer*>> handles(lanes), outputs(lanes);
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  // What was there before is overwritten: another launch's events, long gone.
  auto* const old = reinterpret_cast<PJRT_Event*>(&given);
  std::vector<PJRT_Event*> events(lanes, has_events ? old : nullptr);
  for (size_t lane = 0; lane < lanes; ++lane) {
    for (size_t i = 0; i < program.arguments.size(); ++i) {
      Expected<OwnedBuffer> buffer = context.Upload(ArgumentOf(program, i, lane), devices[lane]);
      if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
      arguments[lane].push_back(*std::move(buffer));
      handles[lane].push_back(arguments[lane].back().get());
    }
    outputs[lane].resize(program.results.size());
    argument_lists.push_back(handles[lane].data());
    output_lists.push_back(outputs[lane].data());
  }
  given.options.non_donatable_input_indices = kept.data();
  given.options.num_non_donatable_input_indices = kept.size();
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &given.options;
  args.argument_lists = argument_lists.data();
  args.num_devices = lanes;
  args.num_args = program.arguments.size();
  args.output_lists = output_lists.data();
  args.device_complete_events = has_events ? events.data() : nullptr;
  if (!Succeeds(context, args)) return;
  std::replace(events.begin(), events.end(), old, static_cast<PJRT_Event*>(nullptr));
  const std::set<PJRT_Event*> distinct(events.begin(), events.end());
  context.Check("PJRT-Args-output-new", !has_events || distinct.size() == lanes, "of ", lanes,
                " lanes two have one event");
  std::vector<bool> are_gone;  // of the first lane
  for (size_t lane = 0; lane < lanes; ++lane) {
    OwnedEvent done(context.plugin(), events[lane]);
    std::vector<OwnedBuffer> results;
    for (PJRT_Buffer* output : outputs[lane]) results.emplace_back(context.plugin(), output);
    if (has_events && context.Check("PJRT-LoadedExecutable_Execute-done", static_cast<bool>(done),
                                    "lane ", lane, " has no event")) {
      context.Ok("PJRT-LoadedExecutable_Execute-done", "its event", context.Await(done.get()));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (!context.Check("PJRT-Args-output-handle", static_cast<bool>(results[i]), "output ", i,
                         " of lane ", lane, " is null"))
        return;
      JudgeBuffer(
          context, results[i].get(),
          {ResultOf(program, i, lane), devices[lane], DefaultMemoryOf(context, devices[lane])});
    }
    for (size_t i = 0; i < handles[lane].size(); ++i) {
      const bool is_gone = IsBufferDeleted(context, handles[lane][i]);
      const bool is_kept = std::count(kept.begin(), kept.end(), static_cast<int64_t>(i)) > 0;
      const bool may_go =
          std::count(program.donated.begin(), program.donated.end(), i) > 0 && !is_kept;
      context.Check(is_kept ? kNotDonated : kDonation, may_go || !is_gone, "argument ", i,
                    " of lane ", lane, " counts as deleted");
      context.Check(kDonation, is_gone || !may_go, "donated argument ", i, " of lane ", lane,
                    " does not count as deleted");
      // All lanes are alike.
      if (lane == 0) are_gone.push_back(is_gone);
      context.Check(kDonation, is_gone == are_gone[i], "argument ", i, " of lane ", lane,
                    is_gone ? " counts" : " does not count",
                    " as deleted, unlike that of the first");
      if (!is_gone)
        JudgeBuffer(context, handles[lane][i], {ArgumentOf(program, i, lane), devices[lane]});
    }
  }
}

void SweepExecutions(Context& context, bool is_several) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  const std::vector<Parameter> parameters = {
      {"program", Names()},
      {"got", Ways()},
      {"options", OptionNames()},
      {"kept", {"none", "first", "all, from the last", "each twice", "last"}},
      {"events", {"asked for", "not asked for"}},
      {"devices", {"in order", "turned"}},
      {"lanes",
       is_several ? std::vector<std::string>{"2", "4", "3"} : std::vector<std::string>{"1"}}};
  const std::vector<PJRT_Device*> all = AddressableDevices(context);
  if (all.empty()) return;
  if (is_several && all.size() < 2) return context.LacksDevices("the client has one device");
  Sweep(context, parameters, [&](Context& probe, const Row& row) {
    auto value = [&](size_t p) -> const std::string& { return parameters[p].values[row[p]]; };
    const Program& program = Programs()[row[0]];
    const auto lanes = static_cast<size_t>(value(6)[0] - '0');
    if (all.size() < lanes) return;
    std::vector<PJRT_Device*> devices = all;
    if (value(5) == "turned") std::reverse(devices.begin(), devices.end());
    devices.resize(lanes);
    std::vector<int> ids;
    ids.reserve(devices.size());
    for (PJRT_Device* device : devices) ids.push_back(DeviceIdOf(probe, device));
    OwnedLoadedExecutable executable =
        GetIn(probe, value(1), program, CompileOptionsOf(static_cast<int>(lanes), 1, ids));
    if (!executable) return;
    std::vector<PJRT_Device*> own = DevicesOf(probe, executable.get());
    if (!probe.Check("PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
                     std::is_permutation(own.begin(), own.end(), devices.begin(), devices.end()),
                     "the executable's devices are others than those of its assignment"))
      return;
    Options given;
    if (!Fill(probe, value(2), given)) return;
    const std::vector<int64_t> kept = KeptOf(value(3), program);
    // With a context twice: it is not used up.
    for (int turn = 0; turn < (given.data ? 2 : 1); ++turn)
      Run(probe, program, executable.get(), own, kept, given, row[4] == 0);
  });
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (bool is_several : {false, true}) {
    cases.push_back(
        {is_several ? "L3/sweep/executions" : "L1/sweep/executions",
         is_several ? Level::kL3 : Level::kL1,
         ClientNeed::kShared,
         {"PJRT-LoadedExecutable_Execute-results", kDonation, kNotDonated, kAccepted,
          "PJRT-LoadedExecutable_Execute-done", "PJRT-Buffer_Device-asked-for",
          "PJRT-Buffer_Memory-asked-for", "PJRT-Args-output-handle", "PJRT-Args-output-new",
          "PJRT-Executable_DeserializeAndLoad-same", "PJRT-Compile-same",
          "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
         [=](Context& context) { SweepExecutions(context, is_several); },
         false});
  }
}

}  // namespace executions

void AddExecutionSweepCases(std::vector<Case>& cases) { executions::AddCases(cases); }

}  // namespace plinth::conformance

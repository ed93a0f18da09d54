// SPDX-License-Identifier: Apache-2.0
// L1: what executables say about themselves, and what running them gives, for programs of many
// arguments, results, types and shapes.

#include <algorithm>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_case.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/launch.h"

namespace plinth::conformance {
namespace judge_executables {
namespace {

// What was loaded has the fingerprint that its executable says.
void JudgeFingerprint(Context& context, const Compiled& compiled, const Facts& facts) {
  auto own =
      Get<&PJRT_LoadedExecutable_Fingerprint_Args::executable>(context, compiled.loaded.get());
  context.Check("PJRT-LoadedExecutable_Fingerprint-same",
                !own || StringOf(own->executable_fingerprint, own->executable_fingerprint_size) ==
                            facts.fingerprint,
                "PJRT_LoadedExecutable_Fingerprint and PJRT_Executable_Fingerprint differ");
}

void JudgeProgram(Context& context, const Example& example) {
  if (!HasTypes(context, example)) return;
  Compiled compiled;
  if (!Compile(context, example.name, compiled)) return;
  Facts facts = JudgeExecutable(context, example, compiled.executable.get());
  context.Check(kProgram, facts.replicas == 1 && facts.partitions == 1, facts.replicas,
                " replicas and ", facts.partitions, " partitions");
  auto deleted =
      Get<&PJRT_LoadedExecutable_IsDeleted_Args::executable>(context, compiled.loaded.get());
  if (deleted) {
    context.Check("PJRT-LoadedExecutable_IsDeleted-truth", !RawBool(deleted->is_deleted),
                  "a new executable counts as deleted");
  }
  JudgeFingerprint(context, compiled, facts);
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (!devices.empty()) JudgeDevicesOf(context, compiled.loaded.get(), {devices[0]}, 1, 1);
  RunAndJudge(context, example, compiled.loaded.get(), facts, true);
  RunAndJudge(context, example, compiled.loaded.get(), facts, false);
  // All of it again, of a program that ran.
  context.Check("PJRT-Args-output-same",
                JudgeExecutable(context, example, compiled.executable.get()) == facts,
                "an executable says something else when it is asked again");
}

constexpr char kIndependent[] = "PJRT-LoadedExecutable_GetExecutable-independent";

// What was asked about stays when the loaded one is unloaded, and when it goes.
void JudgeLeft(Context& context, const Example& example) {
  if (!HasTypes(context, example)) return;
  Compiled compiled;
  if (!Compile(context, example.name, compiled)) return;
  Facts facts = JudgeExecutable(context, example, compiled.executable.get());
  auto unload = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
  unload.executable = compiled.loaded.get();
  if (!Succeeds(context, unload)) return;
  context.Check("PJRT-Args-output-same",
                JudgeExecutable(context, example, compiled.executable.get()) == facts,
                "an executable says something else when the loaded one is unloaded");
  (void)compiled.loaded.Destroy();
  context.Check("PJRT-Args-output-same",
                JudgeExecutable(context, example, compiled.executable.get()) == facts,
                "an executable says something else when the loaded one is gone");
  if (auto bytes = Get<&PJRT_Executable_Serialize_Args::executable>(
          context, compiled.executable.get(), kIndependent);
      bytes && bytes->serialized_executable_deleter != nullptr) {
    bytes->serialized_executable_deleter(bytes->serialized_executable);
  }
  auto program = MakeArgs<PJRT_Program>();
  auto optimized = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
  optimized.executable = compiled.executable.get();
  optimized.program = &program;
  (void)Succeeds(context, optimized, kIndependent, "an executable whose loaded one is gone");
}

// However many handles were asked for and freed, the loaded one runs.
void RunWithoutHandles(Context& context, const Example& example) {
  Compiled compiled;
  if (!Compile(context, example.name, compiled)) return;
  std::vector<OwnedBuffer> buffers;
  const std::vector<PJRT_Buffer*> handles = UploadAll(context, example.arguments, buffers);
  if (handles.size() != example.arguments.size()) return;
  for (int freed = 1; freed <= 5; ++freed) {
    if (!context.Ok(kIndependent, "PJRT_Executable_Destroy", compiled.executable.Destroy())) return;
    auto results = context.Execute(compiled.loaded.get(), handles);
    if (!context.Ok(kIndependent,
                    StrCat("a run of what gave out ", freed, " handles that were freed"),
                    results.status()))
      return;
    Expected<HostArray> found = context.Download((*results)[0].get());
    context.Check(kIndependent, found.ok() && found->bytes == example.results[0].bytes,
                  "what gave out ", freed, " handles that were freed computes something else");
    if (!FindExecutable(context, compiled)) return;
  }
}

// Serialized, its owner gone, loaded twice: all is the same.
void JudgeLoaded(Context& context, const Example& example) {
  constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
  if (!HasTypes(context, example)) return;
  Compiled compiled;
  if (!Compile(context, example.name, compiled)) return;
  Facts facts = JudgeExecutable(context, example, compiled.executable.get());
  auto first = Get<&PJRT_Executable_Serialize_Args::executable>(context, compiled.executable.get());
  auto second =
      Get<&PJRT_Executable_Serialize_Args::executable>(context, compiled.executable.get());
  if (!first || !second) return context.Unsupported("no serialization");
  compiled = Compiled();
  context.Check("PJRT-Args-output-new",
                first->serialized_executable != second->serialized_executable ||
                    first->serialized_executable == nullptr,
                "two serializations are one object");
  std::string bytes[2];
  bytes[0] = StringOf(first->serialized_bytes, first->serialized_bytes_size);
  if (first->serialized_executable_deleter != nullptr)
    first->serialized_executable_deleter(first->serialized_executable);
  bytes[1] = StringOf(second->serialized_bytes, second->serialized_bytes_size);
  if (second->serialized_executable_deleter != nullptr)
    second->serialized_executable_deleter(second->serialized_executable);
  context.Check(kSame, bytes[0].size() == bytes[1].size(), "two serializations have ",
                bytes[0].size(), " and ", bytes[1].size(), " bytes");
  for (const std::string& each : bytes) {
    compiled.loaded = LoadBytes(context, each, kSame);
    if (!compiled.loaded || !FindExecutable(context, compiled)) return;
    Facts again = JudgeExecutable(context, example, compiled.executable.get());
    context.Check(kSame, again.name == facts.name, "a loaded executable has the name ", again.name,
                  ", not ", facts.name);
    context.Check(kSame, again.fingerprint == facts.fingerprint,
                  "a loaded executable has another fingerprint");
    JudgeFingerprint(context, compiled, again);
    context.Check(
        kSame,
        again.output_kinds == facts.output_kinds && again.parameter_kinds == facts.parameter_kinds,
        "a loaded executable has other memory kinds");
    context.Check(kSame, again.replicas == facts.replicas && again.partitions == facts.partitions,
                  "a loaded executable has other counts");
    std::vector<PJRT_Device*> devices = AddressableDevices(context);
    if (!devices.empty()) JudgeDevicesOf(context, compiled.loaded.get(), {devices[0]}, 1, 1);
    RunAndJudge(context, example, compiled.loaded.get(), again, true);
  }
}

// Compiled for a topology, loaded into the client.
void CompileAheadOfTime(Context& context) {
  const Example example = Examples()[0];
  OwnedExecutable made[2];
  for (OwnedExecutable& each : made) {
    Expected<OwnedExecutable> ahead =
        CompileAhead(context, example.name, SingleDeviceCompileOptions());
    if (!context.Ok("PJRT-Args-accepted", "PJRT_Compile", ahead.status())) return;
    each = *std::move(ahead);
  }
  auto& [executable, again] = made;
  Facts facts = JudgeExecutable(context, example, executable.get());
  if (auto bytes = SerializedBytes(context, executable.get())) {
    OwnedLoadedExecutable loaded = LoadBytes(context, *bytes, "PJRT-Args-accepted");
    if (loaded) RunAndJudge(context, example, loaded.get(), facts, true);
  }
  if (!context.plugin().Has(reflection::function::kPJRT_Client_Load)) return;
  auto load = MakeArgs<PJRT_Client_Load_Args>();
  load.client = context.client();
  load.executable = executable.get();
  load.compile_options = SingleDeviceCompileOptions().data();
  load.compile_options_size = SingleDeviceCompileOptions().size();
  if (!Succeeds(context, load)) return;
  OwnedLoadedExecutable loaded(context.plugin(), load.loaded_executable);
  (void)executable.Destroy();
  RunAndJudge(context, example, loaded.get(), facts, true);
  // It has an executable of its own.
  Compiled alone{std::move(loaded), {}};
  if (FindExecutable(context, alone)) JudgeExecutable(context, example, alone.executable.get());
  for (int i = 0; i < 2; ++i) {
    load.executable = again.get();
    load.loaded_executable = nullptr;
    if (!Succeeds(context, load, "PJRT-Client_Load-again")) return;
    OwnedLoadedExecutable second(context.plugin(), load.loaded_executable);
    RunAndJudge(context, example, second.get(), facts, true);
  }
}

// Bytes that one client wrote, loaded by another of the process.
void LoadInAnotherClient(Context& context) {
  if (context.profile().is_exclusive) return context.Unsupported("the plugin has one client");
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  auto own = SerializedBytes(context, compiled.executable.get());
  if (!own) return context.Unsupported("no serialization");
  Expected<OwnedClient> other = context.NewClient();
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_Create", other.status())) return;
  Context there(context.plugin(), context.profile(), other->get(), context.seed());
  OwnedLoadedExecutable loaded =
      LoadBytes(context, *own, "PJRT-Executable_DeserializeAndLoad-same", other->get());
  if (!loaded) return;
  Expected<OwnedBuffer> argument = there.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  PJRT_Buffer* handles[] = {argument->get()};
  auto results = there.Execute(loaded.get(), handles);
  if (!context.Ok(kResultsOfProgram, "PJRT_LoadedExecutable_Execute", results.status())) return;
  Expected<HostArray> sums = there.Download((*results)[0].get());
  context.Check(kResultsOfProgram, sums.ok() && sums->AsF32() == std::vector<float>{2, 3, 4, 5},
                "what another client loaded computes ",
                sums.ok() ? StrJoin(sums->AsF32()) : sums.status().ToString());
}

// What an executable of two replicas says of its devices.
void TwoReplicas(Context& context) {
  std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  devices.resize(2);
  Compiled compiled;
  if (!Compile(context, "add_one", compiled, CompileOptionsOf(2, 1, ids))) return;
  JudgeDevicesOf(context, compiled.loaded.get(), devices, 2, 1);
}

// CompileOptionsProto for one replica and one partition on a device of a small id.
std::string OptionsFor(int id) {
  // device_assignment {replica_count 1, computation_count 1, computation_devices {ids: id}}
  std::string assignment =
      std::string("\x08\x01\x10\x01\x1a\x03\x0a\x01", 8) + static_cast<char>(id);
  std::string build =
      std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01", 15) +
      StrCat("\x4a", std::string(1, static_cast<char>(assignment.size())), assignment);
  return StrCat("\x1a", std::string(1, static_cast<char>(build.size())), build);
}

// On a device that is not the first.
void OnEveryDevice(Context& context) {
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() < 2) return context.LacksDevices("the client has one device");
  for (PJRT_Device* device : devices) {
    int id = DeviceIdOf(context, device);
    if (id > 127) continue;
    Compiled compiled;
    if (!Compile(context, "add_one", compiled, OptionsFor(id))) return;
    JudgeDevicesOf(context, compiled.loaded.get(), {device}, 1, 1);
    Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}), device);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
    PJRT_Buffer* handles[] = {argument->get()};
    auto results = context.Execute(compiled.loaded.get(), handles);
    if (!context.Ok(kResultsOfProgram, "PJRT_LoadedExecutable_Execute", results.status())) return;
    JudgeBuffer(context, (*results)[0].get(),
                {HostArray::F32({4}, {2, 3, 4, 5}), device, DefaultMemoryOf(context, device)});
  }
}

// What was compiled for the first device is loaded for another, by turns with the options that it
// was compiled with: those of one load are not those of the next.
void OverriddenOptions(Context& context) {
  constexpr char kOverrides[] = "PJRT-Executable_DeserializeAndLoad-overrides";
  constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() < 2) return context.LacksDevices("the client has one device");
  int id = DeviceIdOf(context, devices.back());
  if (id > 127) return context.Unsupported("the last device has a large id");
  Compiled compiled;
  if (!Compile(context, "add_one", compiled, OptionsFor(DeviceIdOf(context, devices.front()))))
    return;
  auto bytes = SerializedBytes(context, compiled.executable.get());
  if (!bytes) return context.Unsupported("no serialization");
  std::vector<OwnedLoadedExecutable> all;  // they live side by side
  for (bool is_overridden : {false, true, false, true}) {
    std::string options = is_overridden ? OptionsFor(id) : "";
    auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
    load.client = context.client();
    load.serialized_executable = bytes->data();
    load.serialized_executable_size = bytes->size();
    if (is_overridden) {
      load.overridden_serialized_compile_options = options.data();
      load.overridden_serialized_compile_options_size = options.size();
    }
    Status status = context.plugin().Call(load);
    // Other cases ask for loads without options.
    if (!status.ok()) return context.Unsupported(status.ToString());
    all.emplace_back(context.plugin(), load.loaded_executable);
    auto found =
        Get<&PJRT_LoadedExecutable_AddressableDevices_Args::executable>(context, all.back().get());
    if (!found) return;
    PJRT_Device* wanted = is_overridden ? devices.back() : devices.front();
    context.Check(is_overridden ? kOverrides : kSame,
                  found->num_addressable_devices == 1 && found->addressable_devices[0] == wanted,
                  is_overridden ? "loaded with options for device " : "compiled for device ",
                  DeviceIdOf(context, wanted), ", the executable runs on another");
  }
}

// At its end a program has all its outputs; a peak of 0 says that nobody knows.
void PeakMemory(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  Expected<OwnedLoadedExecutable> made = context.CompileAnyway(
      "module @peak {\n  func.func public @main(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, "
      "tensor<64x64xf32>, tensor<64x64xf32>) {\n"
      "    %0 = stablehlo.dot %a, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> "
      "tensor<64x64xf32>\n"
      "    %1 = stablehlo.dot %0, %a : (tensor<64x64xf32>, tensor<64x64xf32>) -> "
      "tensor<64x64xf32>\n"
      "    %2 = stablehlo.dot %0, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> "
      "tensor<64x64xf32>\n"
      "    %3 = stablehlo.dot %1, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> "
      "tensor<64x64xf32>\n"
      "    return %1, %2, %3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>\n"
      "  }\n}\n",
      "mlir", SingleDeviceCompileOptions());
  if (!made.ok()) return context.Unsupported(made.status().ToString());
  Compiled compiled{*std::move(made), {}};
  if (!FindExecutable(context, compiled)) return;
  auto stats = Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(
      context, compiled.executable.get());
  if (!stats || stats->peak_memory_in_bytes == 0) return context.Unsupported("no peak is told");
  const int64_t outputs = stats->output_size_in_bytes - stats->alias_size_in_bytes;
  context.Check(kOutputTrue, stats->peak_memory_in_bytes >= outputs, "the peak of ",
                stats->peak_memory_in_bytes, " bytes is less than ", outputs, " of outputs");
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  for (const Example& example : Examples()) {
    AddJudgeCase(cases, StrCat("L1/judge/program/", example.name),
                 {kProgram, kResultsOfProgram, "PJRT-LoadedExecutable_Execute-done",
                  "PJRT-LoadedExecutable_Execute-donation", "PJRT-Args-nested-struct_size",
                  "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
                 [=](Context& context) { JudgeProgram(context, example); });
    AddJudgeCase(cases, StrCat("L1/judge/loaded/", example.name),
                 {"PJRT-Executable_DeserializeAndLoad-same", kProgram, kResultsOfProgram},
                 [=](Context& context) { JudgeLoaded(context, example); });
  }
  for (const Example& example : Examples()) {
    if (example.name == "mixed") {
      cases.push_back({"L1/judge/executable_left",
                       Level::kL1,
                       ClientNeed::kShared,
                       {kIndependent, "PJRT-Args-output-same"},
                       [=](Context& context) { JudgeLeft(context, example); },
                       true});
      cases.push_back({"L1/judge/handles_freed",
                       Level::kL1,
                       ClientNeed::kShared,
                       {kIndependent},
                       [=](Context& context) { RunWithoutHandles(context, example); },
                       true});
    }
  }
  AddJudgeCase(cases, "L1/judge/ahead_of_time", {kProgram, kResultsOfProgram}, CompileAheadOfTime);
  AddJudgeCase(cases, "L1/judge/peak_memory", {}, PeakMemory);
  AddJudgeCase(
      cases, "L3/judge/overridden_options",
      {"PJRT-Executable_DeserializeAndLoad-overrides", "PJRT-Executable_DeserializeAndLoad-same"},
      OverriddenOptions);
  AddJudgeCase(cases, "L1/judge/load_in_another_client",
               {"PJRT-Executable_DeserializeAndLoad-same"}, LoadInAnotherClient);
  AddJudgeCase(cases, "L3/judge/two_replicas",
               {"PJRT-LoadedExecutable_GetDeviceAssignment-options",
                "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
               TwoReplicas);
  AddJudgeCase(
      cases, "L3/judge/on_every_device",
      {kProgram, kResultsOfProgram, "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
      OnEveryDevice);
}

}  // namespace judge_executables

void AddExecutableJudgeCases(std::vector<Case>& cases) { judge_executables::AddCases(cases); }

}  // namespace plinth::conformance

// SPDX-License-Identifier: Apache-2.0
// L1: what executables tell about themselves, and how they are saved and loaded.

#include <optional>
#include <string>
#include <thread>

#include "conformance/cases/answers.h"
#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

template <typename Args>
Args ArgsFor(PJRT_Executable* executable) {
  auto args = MakeArgs<Args>();
  args.executable = executable;
  return args;
}

void Metadata(Context& context) {
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  PJRT_Executable* executable = compiled.executable.get();
  const Plugin& plugin = context.plugin();

  auto name = ArgsFor<PJRT_Executable_Name_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_Name", plugin.Call(name))) {
    context.Note(
        StrCat("name ", std::string_view(name.executable_name, name.executable_name_size)));
  }
  auto replicas = ArgsFor<PJRT_Executable_NumReplicas_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_NumReplicas",
                 plugin.Call(replicas))) {
    context.Check("PJRT-Executable_NumOutputs-program", replicas.num_replicas == 1,
                  replicas.num_replicas, " replicas, not 1");
  }
  auto partitions = ArgsFor<PJRT_Executable_NumPartitions_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_NumPartitions",
                 plugin.Call(partitions))) {
    context.Check("PJRT-Executable_NumOutputs-program", partitions.num_partitions == 1,
                  partitions.num_partitions, " partitions, not 1");
  }
  auto outputs = ArgsFor<PJRT_Executable_NumOutputs_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_NumOutputs",
                 plugin.Call(outputs))) {
    context.Check("PJRT-Executable_NumOutputs-program", outputs.num_outputs == 1,
                  outputs.num_outputs, " outputs, not 1");
  }
  auto types = ArgsFor<PJRT_Executable_OutputElementTypes_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_OutputElementTypes",
                 plugin.Call(types))) {
    context.Check("PJRT-Executable_NumOutputs-program",
                  types.num_output_types == 1 && types.output_types != nullptr &&
                      RawEnum(types.output_types[0]) == PJRT_Buffer_Type_F32,
                  "the output's type is not f32");
  }
  auto dims = ArgsFor<PJRT_Executable_OutputDimensions_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_OutputDimensions",
                 plugin.Call(dims))) {
    context.Check("PJRT-Executable_NumOutputs-program",
                  dims.num_outputs == 1 && dims.dim_sizes[0] == 1 && dims.dims[0] == 4,
                  "the output's dimensions are not [4]");
  }
  auto kinds = ArgsFor<PJRT_Executable_OutputMemoryKinds_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_OutputMemoryKinds",
                 plugin.Call(kinds))) {
    context.Check("PJRT-Executable_NumOutputs-program",
                  kinds.num_outputs == 1 && kinds.memory_kinds[0] != nullptr,
                  "the output has no memory kind");
  }
  auto stats = ArgsFor<PJRT_Executable_GetCompiledMemoryStats_Args>(executable);
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_Executable_GetCompiledMemoryStats",
                 plugin.Call(stats))) {
    context.Check("PJRT-Executable_NumOutputs-program",
                  stats.argument_size_in_bytes >= 16 && stats.output_size_in_bytes >= 16,
                  "argument and output take ", stats.argument_size_in_bytes, " and ",
                  stats.output_size_in_bytes, " bytes, at least 16 each expected");
  }
  auto devices = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
  devices.executable = compiled.loaded.get();
  if (context.Ok("PJRT-Executable_NumOutputs-program", "PJRT_LoadedExecutable_AddressableDevices",
                 plugin.Call(devices))) {
    context.Check("PJRT-Executable_NumOutputs-program", devices.num_addressable_devices == 1,
                  devices.num_addressable_devices, " devices, not 1");
  }
}

void Fingerprints(Context& context) {
  constexpr char kStable[] = "PJRT-Executable_Fingerprint-stable";
  Compiled first, second, elsewhere;
  if (!Compile(context, "add_one", first) || !Compile(context, "add_one", second)) return;
  bool is_there = false;
  std::thread([&] { is_there = Compile(context, "add_one", elsewhere); }).join();
  if (!is_there) return;
  // Nothing where the plugin gives none.
  auto text_of = [&](const Compiled& program) -> std::optional<std::string> {
    auto args = ArgsFor<PJRT_Executable_Fingerprint_Args>(program.executable.get());
    if (!context.Ok(kStable, "PJRT_Executable_Fingerprint", context.plugin().Call(args)))
      return std::nullopt;
    return std::string(args.executable_fingerprint, args.executable_fingerprint_size);
  };
  const std::optional<std::string> texts[] = {text_of(first), text_of(second)};
  if (!texts[0] || !texts[1]) return;
  context.Check(kStable, texts[0] == texts[1] && !texts[0]->empty(),
                "two compilations of one program have other fingerprints");
  context.Check(kStable, text_of(elsewhere) == texts[0],
                "what another thread compiled has another fingerprint");
  if (!context.profile().is_exclusive) {
    Expected<OwnedClient> client = context.NewClient();
    if (!context.Ok("PJRT-Args-accepted", "a second client", client.status())) return;
    Context other(context.plugin(), context.profile(), client->get(), context.seed());
    Compiled theirs;
    if (Compile(other, "add_one", theirs)) {
      context.Check(kStable, text_of(theirs) == texts[0],
                    "what another client compiled has another fingerprint");
    }
  }
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  PJRT_Buffer* handles[] = {argument->get()};
  if (!context.Ok("", "PJRT_LoadedExecutable_Execute",
                  context.Execute(first.loaded.get(), handles).status()))
    return;
  context.Check(kStable, text_of(first) == texts[0] && text_of(second) == texts[0],
                "a fingerprint is another one after a run");
}

// What is said of executables with scalars alone, no arguments, no results, many of them: what
// watches every call looks at the lists.
void ListsAreThere(Context& context) {
  for (std::string_view name : {"loop", "no_arguments", "no_results", "many_results", "add_one"}) {
    Expected<OwnedLoadedExecutable> loaded = context.Compile(ProgramFor(context, name));
    if (!loaded.ok()) continue;  // which programs there are is asked elsewhere
    auto get =
        Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, loaded->get());
    if (!get) return;
    OwnedExecutable executable(context.plugin(), get->executable);
    (void)AnswersOf(context, reflection::handle::kPJRT_Executable, executable.get());
    (void)AnswersOf(context, reflection::handle::kPJRT_LoadedExecutable, loaded->get());
  }
}

void OptimizedProgram(Context& context) {
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  auto program = MakeArgs<PJRT_Program>();
  auto args = ArgsFor<PJRT_Executable_OptimizedProgram_Args>(compiled.executable.get());
  args.program = &program;
  if (!context.Ok("PJRT-Executable_OptimizedProgram-two-calls",
                  "PJRT_Executable_OptimizedProgram for the size", context.plugin().Call(args))) {
    return;
  }
  size_t size = program.code_size;
  context.Note(StrCat("format ", std::string_view(program.format, program.format_size), ", ", size,
                      " bytes"));
  if (!context.Check("PJRT-Executable_OptimizedProgram-two-calls", size > 0, "the size is 0")) {
    return;
  }
  const std::string format(program.format, program.format_size);
  const char* kept = program.format;
  std::string code(size, '\0');
  program.code = code.data();
  context.Ok("PJRT-Executable_OptimizedProgram-two-calls", "PJRT_Executable_OptimizedProgram",
             context.plugin().Call(args));
  context.Check("PJRT-Executable_OptimizedProgram-format-owner",
                !format.empty() && std::string_view(kept, format.size()) == format,
                "the name of the format did not stay");
  program.code = code.data();
  program.code_size = size - 1;
  context.CheckRefused("PJRT-Executable_OptimizedProgram-too-small",
                       StrCat("a code_size of ", size - 1, " for ", size, " bytes"),
                       context.plugin().Call(args), {StatusCode::kInvalidArgument});
}

// The bytes of a serialized executable; empty, with a finding, if there are none.
std::string Serialize(Context& context, const Compiled& compiled) {
  auto args = ArgsFor<PJRT_Executable_Serialize_Args>(compiled.executable.get());
  if (!context.Ok("", "PJRT_Executable_Serialize", context.plugin().Call(args))) return "";
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  if (context.Check("", args.serialized_executable_deleter != nullptr, "the deleter is null")) {
    args.serialized_executable_deleter(args.serialized_executable);
  }
  context.Check("", !bytes.empty(), "the serialized executable is empty");
  return bytes;
}

Expected<OwnedLoadedExecutable> Deserialize(Context& context, std::string_view bytes) {
  auto args = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
  args.client = context.client();
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return OwnedLoadedExecutable(context.plugin(), args.loaded_executable);
}

void CheckAddsOne(Context& context, PJRT_LoadedExecutable* loaded) {
  constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok(kSame, "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  PJRT_Buffer* handles[] = {argument->get()};
  Expected<std::vector<OwnedBuffer>> results = context.Execute(loaded, handles);
  if (!context.Ok(kSame, "PJRT_LoadedExecutable_Execute of a loaded file", results.status()))
    return;
  Expected<HostArray> array = context.Download((*results)[0].get());
  if (context.Ok(kSame, "PJRT_Buffer_ToHostBuffer", array.status())) {
    context.Check(kSame, array->AsF32() == std::vector<float>{2, 3, 4, 5}, "the result is [",
                  StrJoin(array->AsF32()), "], not [2, 3, 4, 5]");
  }
}

void SaveAndLoad(Context& context) {
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  std::string bytes = Serialize(context, compiled);
  if (bytes.empty()) return;
  compiled = Compiled();
  Expected<OwnedLoadedExecutable> loaded = Deserialize(context, bytes);
  if (context.Ok("PJRT-Executable_DeserializeAndLoad-same", "PJRT_Executable_DeserializeAndLoad",
                 loaded.status()))
    CheckAddsOne(context, loaded->get());
}

// What was loaded is saved and loaded in its turn: while that which it came of is there, and after.
void SavedAgain(Context& context) {
  constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
  for (bool is_alone : {false, true}) {
    Compiled program;
    if (!Compile(context, "add_one", program)) return;
    std::vector<Compiled> earlier;
    for (int i = 0; i < 3; ++i) {
      const std::string bytes = Serialize(context, program);
      if (bytes.empty()) return;
      if (!is_alone) earlier.push_back(std::move(program));
      program = Compiled();
      Expected<OwnedLoadedExecutable> loaded = Deserialize(context, bytes);
      if (!context.Ok(kSame, "PJRT_Executable_DeserializeAndLoad", loaded.status())) return;
      program.loaded = *std::move(loaded);
      auto get = Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(
          context, program.loaded.get());
      if (!get) return;
      program.executable = OwnedExecutable(context.plugin(), get->executable);
      CheckAddsOne(context, program.loaded.get());
    }
    for (const Compiled& each : earlier) CheckAddsOne(context, each.loaded.get());
  }
}

// What donates goes on donating once it was saved and loaded.
void LoadedDonates(Context& context) {
  constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
  Compiled compiled;
  if (!Compile(context, "donating", compiled)) return;
  std::string bytes = Serialize(context, compiled);
  if (bytes.empty()) return;
  Expected<OwnedLoadedExecutable> loaded = Deserialize(context, bytes);
  if (!context.Ok(kSame, "PJRT_Executable_DeserializeAndLoad", loaded.status())) return;
  for (const auto& [executable, how] : {std::pair(compiled.loaded.get(), "compiled"),
                                        std::pair(loaded->get(), "loaded from bytes")}) {
    Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
    PJRT_Buffer* handles[] = {argument->get()};
    auto results = context.Execute(executable, handles);
    if (!context.Ok(kSame, StrCat("an execution of what was ", how), results.status())) return;
    context.Check(kSame, IsBufferDeleted(context, argument->get()),
                  "the donated argument of what was ", how, " does not count as deleted");
    Expected<HostArray> array = context.Download((*results)[0].get());
    if (context.Ok(kSame, "PJRT_Buffer_ToHostBuffer", array.status())) {
      context.Check(kSame, array->AsF32() == std::vector<float>{2, 3, 4, 5}, "the result is [",
                    StrJoin(array->AsF32()), "], not [2, 3, 4, 5]");
    }
  }
}

void CorruptFiles(Context& context) {
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  std::string bytes = Serialize(context, compiled);
  if (bytes.empty()) return;
  auto refuse = [&](std::string_view what, std::string_view changed) {
    Expected<OwnedLoadedExecutable> loaded = Deserialize(context, changed);
    context.CheckRefused("PJRT-Executable_DeserializeAndLoad-damaged", StrCat("loading ", what),
                         loaded.status());
  };
  refuse("no bytes", "");
  refuse("the first half of a file", std::string_view(bytes).substr(0, bytes.size() / 2));
  refuse("a file without its last byte", std::string_view(bytes).substr(0, bytes.size() - 1));
  // One bit in each of 32 places. Whether each is found is the plugin's quality; that none ends the
  // process is asked of all.
  int found = 0;
  for (size_t i = 0; i < 32; ++i) {
    std::string changed = bytes;
    changed[i * changed.size() / 32] ^= 0x10;
    found += Deserialize(context, changed).ok() ? 0 : 1;
  }
  context.Note(StrCat(found, " of 32 flipped bits were found"));
}

void ForeignFiles(Context& context) {
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  const std::string own = Serialize(context, compiled);
  if (own.empty()) return;
  Status prefixed = Deserialize(context, StrCat("OTHERPLATFORM", own)).status();
  context.CheckRefused("PJRT-Executable_DeserializeAndLoad-foreign",
                       "loading a file behind the name of another platform", prefixed);
  for (std::string_view bytes : {"this is no executable",
                                 "\x7f"
                                 "ELF\x02\x01\x01",
                                 "\x08\x01\x12\x10jit_other_plugin\x1a\x05"
                                 "0.0.1"}) {
    Expected<OwnedLoadedExecutable> loaded = Deserialize(context, bytes);
    context.CheckRefused("PJRT-Executable_DeserializeAndLoad-foreign", "loading bytes of nobody's",
                         loaded.status());
  }
}

}  // namespace

void AddExecutableCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 void (*run)(Context&), bool is_robust = false) {
    cases.push_back({"L1/executable/" + name, Level::kL1, ClientNeed::kShared,
                     std::move(requirements), run, is_robust});
  };
  add("metadata", {"PJRT-Executable_NumOutputs-program"}, Metadata);
  add("fingerprint", {"PJRT-Executable_Fingerprint-stable"}, Fingerprints);
  add("lists", {"PJRT-Args-output-array"}, ListsAreThere);
  add("optimized_program",
      {"PJRT-Executable_OptimizedProgram-two-calls", "PJRT-Executable_OptimizedProgram-too-small",
       "PJRT-Executable_OptimizedProgram-format-owner"},
      OptimizedProgram);
  add("save_and_load", {"PJRT-Executable_DeserializeAndLoad-same"}, SaveAndLoad);
  add("saved_again", {"PJRT-Executable_DeserializeAndLoad-same"}, SavedAgain);
  add("loaded_donates", {"PJRT-Executable_DeserializeAndLoad-same"}, LoadedDonates);
  add("foreign_files", {"PJRT-Executable_DeserializeAndLoad-foreign"}, ForeignFiles);
  add("corrupt_files", {"PJRT-Executable_DeserializeAndLoad-damaged"}, CorruptFiles, true);
}

}  // namespace plinth::conformance

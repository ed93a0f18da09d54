// SPDX-License-Identifier: Apache-2.0
// L1: compile options come back field by field, one by one and all at once; and bytes are loaded
// with options that say nothing.

#include <algorithm>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_case.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace option_fields {
namespace {

constexpr char kSame[] = "PJRT-Executable_GetCompileOptions-same";

std::string Varint(uint64_t number) {
  std::string made;
  for (; number >= 128; number >>= 7) made.push_back(static_cast<char>(number | 128));
  made.push_back(static_cast<char>(number));
  return made;
}
std::string Number(uint64_t field, uint64_t value) {
  return StrCat(Varint(field << 3), Varint(value));
}
std::string Message(uint64_t field, std::string_view bytes) {
  return StrCat(Varint(field << 3 | 2), Varint(bytes.size()), bytes);
}
// An entry of env_option_overrides with a bool.
std::string Override(std::string_view name, bool value) {
  return StrCat(Message(1, name), Message(2, Number(2, value ? 1 : 0)));
}

// A field that changes nothing of what a small program computes.
struct Field {
  const char* name;
  bool is_of_build;
  uint64_t number;
  uint64_t value;                     // of a number
  std::vector<std::string> messages;  // or these
};

const std::vector<Field>& Fields() {
  static const auto* const fields = new std::vector<Field>{
      {"profile_version", false, 5, 12345, {}},
      {"env_option_overrides", false, 7, 0, {Override("xla_embed_ir_in_executable", true)}},
      {"two env_option_overrides",
       false,
       7,
       0,
       {Override("xla_embed_ir_in_executable", false),
        Override("xla_llvm_disable_expensive_passes", true)}},
      {"allow_in_place_mlir_modification", false, 9, 1, {}},
      {"deduplicate_hlo", true, 8, 1, {}},
      {"alias_passthrough_params", true, 10, 1, {}},
      {"device_memory_size", true, 15, uint64_t{1} << 33, {}},
      {"use_shardy_partitioner", true, 19, 1, {}}};
  return *fields;
}

std::string OptionsWith(const std::vector<Field>& fields) {
  std::string top, build = StrCat(Number(1, ~uint64_t{0}), Number(4, 1), Number(5, 1));
  for (const Field& field : fields) {
    std::string& into = field.is_of_build ? build : top;
    if (field.messages.empty()) into += Number(field.number, field.value);
    for (const std::string& each : field.messages) into += Message(field.number, each);
  }
  return StrCat(Message(3, build), top);
}

// False if the plugin refuses such options.
bool Ask(Context& context, std::string_view what, const std::vector<Field>& fields) {
  Expected<OwnedLoadedExecutable> made =
      context.Compile(ProgramFor(context, "add_one"), "mlir", OptionsWith(fields));
  if (!made.ok()) return context.Note(StrCat(what, ": ", made.status().ToString())), false;
  Compiled compiled{*std::move(made), {}};
  if (!FindExecutable(context, compiled)) return false;
  auto get =
      Get<&PJRT_Executable_GetCompileOptions_Args::executable>(context, compiled.executable.get());
  if (!get) return false;
  const std::string bytes(StringOf(get->serialized_bytes, get->serialized_bytes_size));
  if (get->serialized_compile_options_deleter != nullptr)
    get->serialized_compile_options_deleter(get->serialized_compile_options);
  const Wire top(bytes), build(top.Message(3));
  for (const Field& field : fields) {
    const Wire& wire = field.is_of_build ? build : top;
    if (field.messages.empty()) {
      context.Check(kSame, wire.Number(field.number) == field.value, what, ": ", field.name, " is ",
                    wire.Number(field.number), ", ", field.value, " was put in");
      continue;
    }
    std::vector<std::string> wanted = field.messages, found;
    auto all = wire.messages.find(field.number);
    if (all != wire.messages.end()) found.assign(all->second.begin(), all->second.end());
    std::sort(wanted.begin(), wanted.end());
    std::sort(found.begin(), found.end());
    context.Check(kSame, found == wanted, what, ": of ", wanted.size(), " ", field.name, " come ",
                  found.size(), " back, or others");
  }
  return true;
}

void CompileOptionFields(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  std::vector<Field> taken;
  for (const Field& field : Fields()) {
    if (!Ask(context, field.name, {field})) continue;
    // A message is told once: of two kinds of overrides the first.
    const bool is_there = std::any_of(taken.begin(), taken.end(), [&](const Field& other) {
      return other.is_of_build == field.is_of_build && other.number == field.number;
    });
    if (!is_there) taken.push_back(field);
  }
  if (!taken.empty()) (void)Ask(context, "all together", taken);
}

// Options for loading that say nothing are as good as none.
void EmptyLoadOptions(Context& context) {
  if (context.plugin().minor() < 111) return context.Unsupported("load_options came with 0.111");
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  auto bytes = SerializedBytes(context, compiled.executable.get());
  if (!bytes) return context.Unsupported("no serialization");
  auto options = MakeArgs<PJRT_LoadOptions>();
  for (PJRT_LoadOptions* given : {static_cast<PJRT_LoadOptions*>(nullptr), &options}) {
    auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
    load.client = context.client();
    load.serialized_executable = bytes->data();
    load.serialized_executable_size = bytes->size();
    load.load_options = given;
    const Status status = context.plugin().Call(load);
    if (!status.ok() && given == nullptr) return context.Unsupported(status.ToString());
    if (!context.Check(
            "PJRT-Args-accepted", status.ok(),
            "what is loaded without load_options is not with empty ones: ", status.ToString()))
      return;
    OwnedLoadedExecutable loaded(context.plugin(), load.loaded_executable);
    const Example example = Examples()[0];
    RunAndJudge(context, example, loaded.get(),
                JudgeExecutable(context, example, compiled.executable.get()), true);
  }
}

}  // namespace
}  // namespace option_fields

void AddOptionFieldCases(std::vector<Case>& cases) {
  AddJudgeCase(cases, "L1/judge/compile_option_fields", {option_fields::kSame},
               option_fields::CompileOptionFields);
  AddJudgeCase(cases, "L1/judge/empty_load_options", {kResultsOfProgram},
               option_fields::EmptyLoadOptions);
}

}  // namespace plinth::conformance

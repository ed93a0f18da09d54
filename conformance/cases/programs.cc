// SPDX-License-Identifier: Apache-2.0
// L1: programs: compile, execute, wrong programs and wrong arguments.

#include <algorithm>
#include <cmath>

#include "conformance/cases/cases.h"
#include "conformance/cases/examples.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"
#include "plinth/support/abi_version.h"

namespace plinth::conformance {
namespace {

// A program of conformance/programs/suite with its arguments and results, all f32.
struct KnownProgram {
  const char* name;
  std::vector<HostArray> arguments;
  std::vector<std::vector<float>> results;
  float tolerance = 0;  // relative
};

std::vector<KnownProgram> KnownPrograms() {
  return {
      {"add_one", {HostArray::F32({4}, {1, 2, 3, 4})}, {{2, 3, 4, 5}}},
      {"matmul",
       {HostArray::F32({2, 3}, {1, 2, 3, 4, 5, 6}), HostArray::F32({3, 2}, {1, 0, 0, 1, 1, 1})},
       {{4, 5, 10, 11}}},
      {"two_results", {HostArray::F32({3}, {1, 2, 3})}, {{1, 4, 9}, {6}}},
      {"no_arguments", {}, {{7, -1}}},
      {"no_results", {HostArray::F32({2}, {1, 2})}, {}},
      {"argument_returned", {HostArray::F32({2}, {1, 2})}, {{1, 2}, {1, 2}}},
      {"loop", {HostArray::F32({}, {1})}, {{1024}}},
      {"empty_array", {HostArray::F32({0, 3}, {})}, {{}}},
      {"gather_scatter",
       {HostArray::F32({3, 2}, {1, 2, 3, 4, 5, 6})},
       {{5, 6, 1, 2}, {2, 4, 3, 4, 10, 12}}},
      // cbrt, cosine, exponential, exponential_minus_one, log, log_plus_one, logistic, rsqrt, sine,
      // sqrt, tanh; each had another revision.
      {"elementary",
       {HostArray::F32({2}, {0.5f, 2})},
       {{0.793700526f, 1.25992105f},
        {0.877582562f, -0.416146837f},
        {1.64872127f, 7.3890561f},
        {0.648721271f, 6.3890561f},
        {-0.693147181f, 0.693147181f},
        {0.405465108f, 1.09861229f},
        {0.622459331f, 0.880797078f},
        {1.41421356f, 0.707106781f},
        {0.479425539f, 0.909297427f},
        {0.707106781f, 1.41421356f},
        {0.462117157f, 0.96402758f}},
       1e-4f},
  };
}

bool AreClose(const std::vector<float>& found, const std::vector<float>& wanted, float tolerance) {
  if (found.size() != wanted.size()) return false;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!(std::abs(found[i] - wanted[i]) <= tolerance * std::abs(wanted[i]))) return false;
  }
  return true;
}

// Runs the example's program, compiled from whatever form.
void RunExecutable(Context& context, const KnownProgram& example,
                   PJRT_LoadedExecutable* executable) {
  // Twice: an executable is not used up.
  for (int run = 0; run < 2; ++run) {
    std::vector<OwnedBuffer> arguments;
    std::vector<PJRT_Buffer*> handles = UploadAll(context, example.arguments, arguments);
    if (handles.size() != example.arguments.size()) return;
    OwnedEvent done;
    Expected<std::vector<OwnedBuffer>> results = context.Execute(executable, handles, &done);
    if (!context.Ok("PJRT-LoadedExecutable_Execute-results", "PJRT_LoadedExecutable_Execute",
                    results.status()) ||
        !context.Check("PJRT-LoadedExecutable_Execute-results",
                       results->size() == example.results.size(), example.name, " gave ",
                       results->size(), " results, not ", example.results.size())) {
      return;
    }
    // The arguments may go before the work is done.
    arguments.clear();
    for (size_t r = 0; r < results->size(); ++r) {
      Expected<HostArray> array = context.Download((*results)[r].get());
      if (!context.Ok("PJRT-Buffer_Delete-uses", "PJRT_Buffer_ToHostBuffer of a result",
                      array.status())) {
        return;
      }
      context.Check("PJRT-LoadedExecutable_Execute-results",
                    AreClose(array->AsF32(), example.results[r], example.tolerance), "result ", r,
                    " of ", example.name, " is [", StrJoin(array->AsF32()), "], not [",
                    StrJoin(example.results[r]), "]");
    }
    if (done) {
      context.Ok("PJRT-LoadedExecutable_Execute-done", "device_complete_events",
                 context.Await(done.get()));
    }
  }
}

void RunExample(Context& context, const KnownProgram& example) {
  std::string_view lacking = OpThatIsLacking(context.profile(), example.name);
  if (!lacking.empty()) {
    return context.Unsupported(StrCat("the profile says that the plugin has no ", lacking));
  }
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, example.name));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  RunExecutable(context, example, executable->get());
}

// Text is nobody's promise: a plugin that gets artifacts may refuse it.
void RunTexts(Context& context) {
  bool is_promised = context.profile().program_form == ProgramForm::kText;
  for (const KnownProgram& example : KnownPrograms()) {
    if (!OpThatIsLacking(context.profile(), example.name).empty()) continue;
    Expected<OwnedLoadedExecutable> executable = context.Compile(StoredText(example.name));
    if (!is_promised && !executable.ok()) {
      return context.Unsupported(
          StrCat("the text of ", example.name, " is refused: ", executable.status().ToString()));
    }
    if (!context.Ok("", StrCat("compiling the text of ", example.name), executable.status())) {
      return;
    }
    RunExecutable(context, example, executable->get());
  }
}

// All programs as artifacts of one version, with the compile options that JAX sends.
void RunArtifacts(Context& context, const StoredVersion& version) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  if (!StablehloRangeOf(context.plugin()).Promises(version.version)) {
    return context.Unsupported(
        StrCat("the plugin's attributes do not promise StableHLO ", version.name));
  }
  for (const KnownProgram& example : KnownPrograms()) {
    if (!OpThatIsLacking(context.profile(), example.name).empty()) continue;
    Expected<OwnedLoadedExecutable> executable = context.Compile(
        StoredArtifact(example.name, version), "mlir", StoredFile("one_device.compileopts.pb"));
    if (!context.Check("PJRT-Plugin_Attributes-stablehlo", executable.ok(), "compiling ",
                       example.name, " of StableHLO ", version.name, ": ",
                       executable.status().ToString())) {
      return;
    }
    RunExecutable(context, example, executable->get());
  }
}

void WrongPrograms(Context& context) {
  const std::pair<const char*, std::string> kWrong[] = {
      {"an empty program", ""},
      {"text that is no program", "this is no program"},
      {"a program cut short", std::string(StoredText("add_one").substr(0, 90))},
      {"bytes that begin like bytecode", std::string("ML\xefR\x0d\x01\xff\xff\xff\xff", 10)},
      {"a result of the wrong type",
       "module { func.func public @main(%a: tensor<2xf32>) -> tensor<3xf32> { return %a : "
       "tensor<2xf32> } }"},
      {"an op that does not exist",
       "module { func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> { %0 = "
       "stablehlo.nothing %a : tensor<2xf32> return %0 : tensor<2xf32> } }"},
  };
  for (const auto& [what, program] : kWrong) {
    Expected<OwnedLoadedExecutable> executable = context.Compile(program);
    const Status& status = executable.status();
    // UNIMPLEMENTED is a fair answer to an op that the plugin does not know.
    if (status.code() == StatusCode::kUnimplemented) continue;
    context.CheckRefused("PJRT-Client_Compile-hostile", StrCat("compiling ", what), status);
  }
}

void UnknownFormat(Context& context) {
  if (!context.profile().reads_programs) return context.Unsupported("reads no programs at large");
  for (std::string_view format : {"no_such_format", "nor_this_one", "no_such_format"}) {
    Status status = context.Compile(ProgramFor(context, "add_one"), format).status();
    context.Check("PJRT-Client_Compile-format", !status.ok(),
                  "an unknown program format was accepted");
    context.Check("PJRT-Client_Compile-format",
                  status.message().find(format) != std::string_view::npos,
                  "the error does not name the format \"", format, "\": ", status.ToString());
  }
}

// Every status of a wrong call, and that nothing was handed out or donated by it.
void ExpectExecuteRefused(Context& context, PJRT_LoadedExecutable* executable,
                          std::vector<PJRT_Buffer*> arguments, std::string_view requirement,
                          std::string_view what,
                          std::initializer_list<StatusCode> codes = {
                              StatusCode::kInvalidArgument}) {
  PJRT_Buffer* output = nullptr;
  PJRT_Buffer** output_list = &output;
  PJRT_Buffer* const* argument_list = arguments.data();
  PJRT_Event* event = nullptr;
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &output_list;
  args.device_complete_events = &event;
  Status status = context.plugin().Call(args);
  if (!status.ok()) {
    context.Check("PJRT-LoadedExecutable_Execute-failure", output == nullptr && event == nullptr,
                  what, ": the call failed, but an output or an event was handed out");
  }
  OwnedEvent done(context.plugin(), status.ok() ? event : nullptr);
  OwnedBuffer buffer(context.plugin(), status.ok() ? output : nullptr);
  context.CheckRefused(requirement, what, status, codes);
}

// Options as callers of every minor give them.
void NestedSizes(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) {
    return;
  }
  const reflection::Struct& structure = *reflection::FindStruct("PJRT_ExecuteOptions");
  size_t last = 0;
  for (int minor = kPjrtOldestReadableMinor; minor <= kPjrtDeclaredMinor; ++minor) {
    size_t size = EndAt(structure, minor);
    if (size == last || size < structure.minimum_size) continue;
    last = size;
    GuardedArgs options(size);
    std::memset(options.data(), 0, size);
    std::memcpy(options.data(), &size, sizeof(size));
    PJRT_Buffer* handle = argument->get();
    PJRT_Buffer* const* arguments = &handle;
    PJRT_Buffer* output = nullptr;
    PJRT_Buffer** outputs = &output;
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable->get();
    args.options = reinterpret_cast<PJRT_ExecuteOptions*>(options.data());
    args.argument_lists = &arguments;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = &outputs;
    Status status = context.plugin().Call(args);
    OwnedBuffer owned(context.plugin(), status.ok() ? output : nullptr);
    bool is_smaller = size < EndAt(structure, context.plugin().minor());
    // A strict plugin may refuse what is older than itself.
    if (is_smaller && status.code() == StatusCode::kInvalidArgument &&
        !context.profile().accepts_all_sizes) {
      continue;
    }
    context.Ok("PJRT-Args-nested-struct_size", StrCat("PJRT_ExecuteOptions of ", size, " bytes"),
               status);
    context.Check("PJRT-Args-nested-struct_size", options.IsIntact(), "PJRT_ExecuteOptions of ",
                  size, " bytes was written behind its end");
  }
}

void WrongArguments(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  Expected<OwnedBuffer> right = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  Expected<OwnedBuffer> wrong_shape = context.Upload(HostArray::F32({5}, {1, 2, 3, 4, 5}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", right.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", wrong_shape.status())) {
    return;
  }
  PJRT_LoadedExecutable* loaded = executable->get();
  const std::string count = "PJRT-LoadedExecutable_Execute-count";
  const std::string shape = "PJRT-LoadedExecutable_Execute-shape";
  ExpectExecuteRefused(context, loaded, {}, count, "no argument instead of one");
  ExpectExecuteRefused(context, loaded, {right->get(), right->get()}, count,
                       "two arguments instead of one");
  ExpectExecuteRefused(context, loaded, {wrong_shape->get()}, shape, "f32[5] instead of f32[4]");
  auto remove = MakeArgs<PJRT_Buffer_Delete_Args>();
  remove.buffer = right->get();
  if (context.Ok("", "PJRT_Buffer_Delete", context.plugin().Call(remove))) {
    ExpectExecuteRefused(context, loaded, {right->get()}, "PJRT-LoadedExecutable_Execute-deleted",
                         "a deleted argument");
  }
  // The client still works.
  KnownProgram example = KnownPrograms()[0];
  RunExample(context, example);
}

// As many bytes, and other ones: XLA's own CPU looks at the size alone.
void WrongArgumentTypes(Context& context) {
  constexpr char kType[] = "PJRT-LoadedExecutable_Execute-type";
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  int32_t integers[4] = {};
  Expected<OwnedBuffer> typed = context.Upload(HostArray::Of<int32_t>(DType::kS32, {4}, integers));
  Expected<OwnedBuffer> square = context.Upload(HostArray::F32({2, 2}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", typed.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", square.status()))
    return;
  ExpectExecuteRefused(context, executable->get(), {typed->get()}, kType,
                       "s32[4] instead of f32[4]");
  ExpectExecuteRefused(context, executable->get(), {square->get()}, kType,
                       "f32[2,2] instead of f32[4]");
}

void DeletedExecutable(Context& context) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status())) return;
  Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  auto remove = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
  remove.executable = executable->get();
  if (!context.Ok("", "PJRT_LoadedExecutable_Delete", context.plugin().Call(remove))) return;
  ExpectExecuteRefused(context, executable->get(), {argument->get()},
                       "PJRT-LoadedExecutable_Execute-deleted-executable",
                       "running a deleted executable", {});
}

}  // namespace

void AddProgramCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 std::function<void(Context&)> run, bool is_robust = false) {
    cases.push_back({"L1/program/" + name, Level::kL1, ClientNeed::kShared, std::move(requirements),
                     std::move(run), is_robust});
  };
  for (const KnownProgram& example : KnownPrograms()) {
    add(StrCat("run/", example.name),
        {"PJRT-LoadedExecutable_Execute-results", "PJRT-LoadedExecutable_Execute-done"},
        [=](Context& context) { RunExample(context, example); });
  }
  cases.push_back({"L1/compile/text", Level::kL1, ClientNeed::kShared, {}, RunTexts, false});
  for (const StoredVersion& version : StoredVersions()) {
    std::string name = StrCat("L1/compile/vhlo_", version.name);
    std::replace(name.begin(), name.end(), '.', '_');
    cases.push_back({name,
                     Level::kL1,
                     ClientNeed::kShared,
                     {"PJRT-Plugin_Attributes-stablehlo"},
                     [=](Context& context) { RunArtifacts(context, version); },
                     false});
  }
  add("wrong_programs", {"PJRT-Client_Compile-hostile"}, WrongPrograms);
  add("nested_sizes", {"PJRT-Args-nested-struct_size"}, NestedSizes);
  add("unknown_format", {"PJRT-Client_Compile-format"}, UnknownFormat);
  add("wrong_arguments",
      {"PJRT-LoadedExecutable_Execute-count", "PJRT-LoadedExecutable_Execute-shape",
       "PJRT-LoadedExecutable_Execute-deleted", "PJRT-LoadedExecutable_Execute-failure"},
      WrongArguments);
  add("wrong_argument_types", {"PJRT-LoadedExecutable_Execute-type"}, WrongArgumentTypes, true);
  add("deleted_executable", {"PJRT-LoadedExecutable_Execute-deleted-executable"}, DeletedExecutable,
      true);
}

}  // namespace plinth::conformance

// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/run_packed.h"

#include <algorithm>

#include "conformance/cases/stored_programs.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace {

constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";
constexpr size_t kMaxShown = 3;  // wrong elements of a result that a finding lists

std::string ShapeText(const HostArray& array) {
  return StrCat(Name(array.type), "[", StrJoin(array.dims), "]");
}

// One result against the expected one.
void Compare(Context& context, size_t number, const ExpectedResult& expected, const HostArray& got,
             const std::vector<HostArray>& arguments) {
  const HostArray& wanted = expected.value;
  if (!context.Check(kResults, got.type == wanted.type && got.dims == wanted.dims, "result ",
                     number, " is ", ShapeText(got), ", not ", ShapeText(wanted)) ||
      !context.Check(kResults, got.bytes.size() == wanted.bytes.size(), "result ", number, " has ",
                     got.bytes.size(), " bytes, not ", wanted.bytes.size())) {
    return;
  }
  Tolerance tolerance = Widened(expected.tolerance, wanted.type, context.profile());
  double largest = tolerance.of_max ? LargestOf(wanted) : 0;
  bool is_flushed = context.profile().flushes_subnormals;
  size_t count = wanted.bytes.size() / InfoOf(wanted.type).bytes, wrong = 0;
  std::string shown;
  for (size_t i = 0; i < count; ++i) {
    if (i < expected.not_asked.size() && expected.not_asked[i]) continue;
    if (is_flushed && i < expected.flushed.size() && expected.flushed[i]) continue;
    if (IsNear(wanted, got, i, tolerance, largest)) continue;
    if (++wrong > kMaxShown) continue;
    shown += StrCat("; element ", i, " is ", ElementText(got, i), ", not ", ElementText(wanted, i));
    std::string_view separator = " for ";
    for (const HostArray& argument : arguments) {
      // Most ops make an element of the arguments' elements at the same place.
      if (argument.dims != wanted.dims) continue;
      shown += StrCat(separator, ElementText(argument, i));
      separator = ", ";
    }
  }
  context.Check(kResults, wrong == 0, "result ", number, ", ", ShapeText(wanted), ": ", wrong,
                " of ", count, " elements are wrong", shown);
}

// Arguments on the devices of an executable, and runs with them.
class Run {
 public:
  Run(Context& context, const PackedProgram& program, PJRT_LoadedExecutable* executable)
      : context_(context), program_(program), executable_(executable) {}

  bool Prepare() {
    auto args = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
    args.executable = executable_;
    if (!Demand(context_, "PJRT_LoadedExecutable_AddressableDevices",
                context_.plugin().Call(args)) ||
        !context_.Check(kResults,
                        args.num_addressable_devices == static_cast<size_t>(program_.devices),
                        "the executable has ", args.num_addressable_devices, " devices, not ",
                        program_.devices)) {
      return false;
    }
    devices_.assign(args.addressable_devices,
                    args.addressable_devices + args.num_addressable_devices);
    return true;
  }

  // What the executable says of its outputs.
  void JudgeOutputTypes() {
    auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
    get.loaded_executable = executable_;
    if (!context_.plugin().Call(get).ok()) return;
    OwnedExecutable executable(context_.plugin(), get.executable);
    auto types = MakeArgs<PJRT_Executable_OutputElementTypes_Args>();
    types.executable = executable.get();
    if (!context_.plugin().Call(types).ok()) return;
    for (size_t i = 0; i < types.num_output_types && i < program_.results.size(); ++i) {
      context_.Check("PJRT-Executable_NumOutputs-program",
                     RawEnum(types.output_types[i]) == ToC(program_.results[i].value.type),
                     "the type of output ", i, " is ", RawEnum(types.output_types[i]), ", not ",
                     Name(program_.results[i].value.type));
    }
  }

  // Every run has arguments of its own: some programs consume them.
  bool Upload() {
    size_t count = program_.arguments.size() / devices_.size();
    arguments_.clear();
    handles_.assign(devices_.size(), {});
    for (size_t i = 0; i < program_.arguments.size(); ++i) {
      size_t device = i / count;
      Expected<OwnedBuffer> buffer = context_.Upload(program_.arguments[i], devices_[device]);
      if (!Demand(context_, "PJRT_Client_BufferFromHostBuffer", buffer.status())) return false;
      arguments_.push_back(*std::move(buffer));
      handles_[device].push_back(arguments_.back().get());
    }
    return true;
  }

  bool Execute(std::vector<HostArray>& results) {
    Expected<size_t> found = context_.NumOutputs(executable_);
    size_t count = program_.results.size() / devices_.size();
    if (!Demand(context_, "PJRT_Executable_NumOutputs", found.status()) ||
        !context_.Check(kResults, *found == count, *found, " results, not ", count)) {
      return false;
    }
    std::vector<std::vector<PJRT_Buffer*>> outputs(devices_.size(),
                                                   std::vector<PJRT_Buffer*>(count));
    std::vector<PJRT_Buffer**> output_lists;
    std::vector<PJRT_Buffer* const*> argument_lists;
    for (size_t d = 0; d < devices_.size(); ++d) {
      output_lists.push_back(outputs[d].data());
      argument_lists.push_back(handles_[d].data());
    }
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable_;
    args.options = &options;
    args.argument_lists = argument_lists.data();
    args.num_devices = devices_.size();
    args.num_args = handles_[0].size();
    args.output_lists = output_lists.data();
    if (!Demand(context_, "PJRT_LoadedExecutable_Execute", context_.plugin().Call(args))) {
      return false;
    }
    std::vector<OwnedBuffer> owned;
    for (const auto& list : outputs) {
      for (PJRT_Buffer* output : list) owned.emplace_back(context_.plugin(), output);
    }
    for (const OwnedBuffer& output : owned) {
      if (!context_.Check(kResults, static_cast<bool>(output), "an output is null")) return false;
      Expected<HostArray> array = context_.Download(output.get());
      if (!Demand(context_, "PJRT_Buffer_ToHostBuffer", array.status())) return false;
      results.push_back(*std::move(array));
    }
    return true;
  }

 private:
  Context& context_;
  const PackedProgram& program_;
  PJRT_LoadedExecutable* executable_;
  std::vector<PJRT_Device*> devices_;
  std::vector<OwnedBuffer> arguments_;
  std::vector<std::vector<PJRT_Buffer*>> handles_;
};

}  // namespace

bool HasType(const Context& context, DType type) {
  const reflection::Enum& types = *std::find_if(
      reflection::Enums().begin(), reflection::Enums().end(),
      [](const reflection::Enum& each) { return each.name.view() == "PJRT_Buffer_Type"; });
  for (const reflection::EnumValue& value : reflection::ValuesOf(types)) {
    if (value.value == ToC(type)) return value.since <= context.plugin().minor();
  }
  return false;
}

bool ProfileHas(Context& context, std::string_view op, const std::vector<DType>& types) {
  const Profile& profile = context.profile();
  if (!profile.reads_programs) {
    context.Unsupported("the profile says that the plugin reads no programs at large");
    return false;
  }
  if (profile.unsupported_ops.contains(std::string(op))) {
    context.Unsupported(StrCat("the profile says that the plugin has no ", op));
    return false;
  }
  for (DType type : types) {
    if (!profile.Allows(type)) {
      context.Unsupported(StrCat("the profile says that the plugin has no ", Name(type)));
    } else if (!HasType(context, type)) {
      context.Unsupported(
          StrCat("version 0.", context.plugin().minor(), " of the API has no ", Name(type)));
    } else if (profile.unsupported_ops.contains(StrCat(op, "/", Name(type)))) {
      context.Unsupported(
          StrCat("the profile says that the plugin has no ", op, " of ", Name(type)));
    } else {
      continue;
    }
    return false;
  }
  return true;
}

bool Demand(Context& context, std::string_view what, const Status& status) {
  return context.Check(kResults, status.ok(), what, ": expected success, got ", status.ToString(),
                       status.code() == StatusCode::kUnimplemented
                           ? "; what a plugin does not have is said by its profile"
                           : "");
}

std::optional<std::string_view> FormFor(Context& context, const PackedProgram& program) {
  if (context.profile().program_form == ProgramForm::kText) return program.text;
  const StoredVersion* version = VersionFor(StablehloRangeOf(context.plugin()));
  if (version == nullptr) return program.text;
  for (const auto& [name, artifact] : program.artifacts) {
    if (name == version->name) return artifact;
  }
  context.Unsupported(
      StrCat("StableHLO ", version->name, ", which the plugin reads, cannot say it"));
  return std::nullopt;
}

std::string_view OptionsOf(const PackedProgram& program) {
  return program.options.empty() ? SingleDeviceCompileOptions() : program.options;
}

void RunPacked(Context& context, const PackedProgram& program, std::string_view form, int times) {
  RunPacked(context, program, form, OptionsOf(program), times);
}

void RunPacked(Context& context, const PackedProgram& program, std::string_view form,
               std::string_view options, int times) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(form, "mlir", options);
  if (!Demand(context, "PJRT_Client_Compile", executable.status())) return;
  Run run(context, program, executable->get());
  if (!run.Prepare()) return;
  run.JudgeOutputTypes();
  for (int number = 0; number < times && !context.HasFindings(); ++number) {
    std::vector<HostArray> results;
    if (!run.Upload() || !run.Execute(results)) return;
    for (size_t r = 0; r < results.size(); ++r) {
      Compare(context, r, program.results[r], results[r], program.arguments);
    }
  }
}

}  // namespace plinth::conformance

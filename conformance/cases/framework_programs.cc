// SPDX-License-Identifier: Apache-2.0
// L4: programs as JAX sends them; see conformance/programs/jax-0.10.2.

#include <algorithm>

#include "conformance/cases/cases.h"
#include "conformance/cases/framework_calls.h"
#include "conformance/cases/run_packed.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

// Lowered for platforms of this name only.
constexpr std::string_view kCpuOnly = "cpuplatform_";

// What a plugin cannot run without handlers of the framework is compiled, or refused by an error
// that says what is missing.
void CompileOnly(Context& context, const PackedProgram& program, std::string_view form) {
  Expected<OwnedLoadedExecutable> executable = context.Compile(form, "mlir", OptionsOf(program));
  if (executable.ok()) return;
  constexpr std::string_view kCall = "custom_call @";
  std::vector<std::string_view> targets;
  std::string_view text = program.text;
  for (size_t at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall)) {
    text.remove_prefix(at + kCall.size());
    targets.push_back(text.substr(0, text.find('(')));
  }
  if (targets.empty()) {
    Demand(context, "PJRT_Client_Compile", executable.status());
    return;
  }
  std::string_view message = executable.status().message();
  context.Check("PJRT-LoadedExecutable_Execute-results",
                std::any_of(targets.begin(), targets.end(),
                            [&](std::string_view target) {
                              return message.find(target) != std::string_view::npos;
                            }),
                "the error names none of ", StrJoin(targets), ": ", executable.status().ToString());
}

void RunProgram(Context& context, ProgramPack& pack, size_t index) {
  const ProgramPack::Entry& entry = pack.entries()[index];
  if (!ProfileHas(context, entry.name, entry.types)) return;
  if (entry.name.starts_with(kCpuOnly) && PlatformName(context) != "cpu") {
    return context.Unsupported("JAX sends this to platforms of the name cpu only");
  }
  Expected<const PackedProgram*> program = pack.Program(index);
  if (!context.Check("", program.ok(),
                     "the suite itself is damaged: ", program.status().ToString())) {
    return;
  }
  int devices = (*program)->devices;
  if (DeviceCount(context) < static_cast<size_t>(devices)) {
    return context.LacksDevices("the client has one device");
  }
  if (devices > context.profile().max_partitions) {
    return context.LacksDevices(StrCat("the profile says that programs have up to ",
                                       context.profile().max_partitions, " partitions"));
  }
  std::optional<std::string_view> form = FormOfJax(context, **program);
  if (!form.has_value()) return;
  if ((*program)->results.empty()) {
    CompileOnly(context, **program, *form);
  } else {
    RunPacked(context, **program, *form, 2);
  }
}

}  // namespace

std::string PlatformName(const Context& context) {
  auto args = MakeArgs<PJRT_Client_PlatformName_Args>();
  args.client = context.client();
  if (!context.plugin().Call(args).ok()) return "";
  return std::string(args.platform_name, args.platform_name_size);
}

size_t DeviceCount(const Context& context) {
  auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  args.client = context.client();
  return context.plugin().Call(args).ok() ? args.num_addressable_devices : 0;
}

std::optional<std::string_view> FormOfJax(Context& context, const PackedProgram& program) {
  StablehloRange range = StablehloRangeOf(context.plugin());
  if (context.profile().program_form != ProgramForm::kText && range.current.has_value() &&
      *range.current >= StablehloVersion{1, 17}) {
    for (const auto& [version, artifact] : program.artifacts) {
      if (version == "1.17") return artifact;
    }
  }
  return FormFor(context, program);
}

std::string KindOf(Context& context, PJRT_Memory* memory) {
  auto kind = MakeArgs<PJRT_Memory_Kind_Args>();
  kind.memory = memory;
  return Must(context, kind) ? std::string(View(kind.kind, kind.kind_size)) : std::string();
}

const PackedProgram* FrameworkProgram(Context& context, std::string_view pack,
                                      std::string_view name) {
  return ProgramOf(context, "frameworks", pack, name);
}

void AddFrameworkProgramCases(std::vector<Case>& cases) {
  for (auto& [name, pack] : PacksOf("frameworks")) {
    for (size_t i = 0; i < pack.entries().size(); ++i) {
      cases.push_back({StrCat("L4/", name, "/", pack.entries()[i].name),
                       Level::kL4,
                       ClientNeed::kShared,
                       {"PJRT-LoadedExecutable_Execute-results"},
                       [&pack = pack, i](Context& context) { RunProgram(context, pack, i); }});
    }
  }
}

}  // namespace plinth::conformance

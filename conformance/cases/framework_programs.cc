// L4: programs as JAX sends them; see conformance/programs/jax-0.10.2.

#include <map>
#include <memory>

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
  size_t at = program.text.find("custom_call @");
  if (at == std::string::npos) {
    Demand(context, "PJRT_Client_Compile", executable.status());
    return;
  }
  at += 13;
  std::string_view target = std::string_view(program.text).substr(at);
  target = target.substr(0, target.find('('));
  context.Check("PJRT-LoadedExecutable_Execute-results",
                executable.status().message().find(target) != std::string_view::npos,
                "the error does not name ", target, ": ", executable.status().ToString());
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
    return context.Unsupported("the client has one device");
  }
  if (devices > context.profile().max_partitions) {
    return context.Unsupported(StrCat("the profile says that programs have up to ",
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
  static std::map<std::string_view, ProgramPack>* const packs = [] {
    auto* made = new std::map<std::string_view, ProgramPack>;
    for (const EmbeddedFile& file : EmbeddedFiles()) {
      if (file.folder != "frameworks") continue;
      Expected<ProgramPack> read = ProgramPack::Read(file.bytes);
      if (read.ok()) made->emplace(file.name, *std::move(read));
    }
    return made;
  }();
  auto found = packs->find(pack);
  for (size_t i = 0; found != packs->end() && i < found->second.entries().size(); ++i) {
    if (found->second.entries()[i].name != name) continue;
    Expected<const PackedProgram*> program = found->second.Program(i);
    if (program.ok()) return *program;
  }
  context.Fail("", StrCat("the suite itself is damaged: no program ", pack, "/", name));
  return nullptr;
}

void AddFrameworkProgramCases(std::vector<Case>& cases) {
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.folder != "frameworks") continue;
    Expected<ProgramPack> read = ProgramPack::Read(file.bytes);
    if (!read.ok()) continue;  // program_pack_test.cc reads them all
    auto pack = std::make_shared<ProgramPack>(*std::move(read));
    for (size_t i = 0; i < pack->entries().size(); ++i) {
      cases.push_back({StrCat("L4/", file.name, "/", pack->entries()[i].name),
                       Level::kL4,
                       ClientNeed::kShared,
                       {"PJRT-LoadedExecutable_Execute-results"},
                       [=](Context& context) { RunProgram(context, *pack, i); }});
    }
  }
}

}  // namespace plinth::conformance

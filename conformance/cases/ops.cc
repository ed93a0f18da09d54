// SPDX-License-Identifier: Apache-2.0
// L4: every op of StableHLO for every type, with results computed beforehand by others than a
// plugin; see conformance/programs/packs.

#include <algorithm>
#include <memory>

#include "conformance/cases/cases.h"
#include "conformance/cases/run_packed.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

void RunOp(Context& context, std::string_view op, ProgramPack& pack, size_t index) {
  if (!ProfileHas(context, op, pack.entries()[index].types)) return;
  Expected<const PackedProgram*> program = pack.Program(index);
  if (!context.Check("", program.ok(),
                     "the suite itself is damaged: ", program.status().ToString())) {
    return;
  }
  std::optional<std::string_view> form = FormFor(context, **program);
  if (form.has_value()) RunPacked(context, **program, *form, 2);
  if (context.HasFindings()) context.Note((*program)->text);
}

bool IsAsked(const Context& context, std::string_view op, const std::vector<DType>& types) {
  const Profile& profile = context.profile();
  return std::all_of(types.begin(), types.end(), [&](DType type) {
    return profile.Allows(type) && HasType(context, type) &&
           !profile.unsupported_ops.contains(StrCat(op, "/", Name(type)));
  });
}

// All programs of an op in an older form that the plugin says it reads.
void RunArtifacts(Context& context, std::string_view op, ProgramPack& pack,
                  const StoredVersion& version) {
  if (!StablehloRangeOf(context.plugin()).Promises(version.version)) {
    return context.Unsupported(
        StrCat("the plugin does not say that it reads StableHLO ", version.name));
  }
  if (!ProfileHas(context, op, {})) return;
  int runs = 0;
  for (size_t i = 0; i < pack.entries().size() && !context.HasFindings(); ++i) {
    const ProgramPack::Entry& entry = pack.entries()[i];
    if (!IsAsked(context, op, entry.types)) continue;
    Expected<const PackedProgram*> program = pack.Program(i);
    if (!program.ok()) return context.Fail("", program.status().ToString());
    for (const auto& [name, artifact] : (*program)->artifacts) {
      if (name != version.name) continue;
      RunPacked(context, **program, artifact, 1);
      if (context.HasFindings()) context.Note(StrCat(entry.name, ":\n", (*program)->text));
      ++runs;
    }
  }
  if (runs == 0) return context.Unsupported("no program of this version for the plugin's types");
  context.Note(StrCat(runs, " programs"));
}

}  // namespace

void AddOpCases(std::vector<Case>& cases) {
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.folder != "ops") continue;
    Expected<ProgramPack> read = ProgramPack::Read(file.bytes);
    if (!read.ok()) continue;  // program_pack_test.cc reads them all
    auto pack = std::make_shared<ProgramPack>(*std::move(read));
    for (const StoredVersion& version : StoredVersions()) {
      cases.push_back(
          {StrCat("L4/artifact/", version.name, "/", file.name),
           Level::kL4,
           ClientNeed::kShared,
           {"PJRT-Plugin_Attributes-stablehlo"},
           [=, &version](Context& context) { RunArtifacts(context, file.name, *pack, version); }});
    }
    for (size_t i = 0; i < pack->entries().size(); ++i) {
      cases.push_back(
          {StrCat("L4/op/", file.name, "/", pack->entries()[i].name),
           Level::kL4,
           ClientNeed::kShared,
           {"PJRT-LoadedExecutable_Execute-results", "PJRT-Executable_NumOutputs-program"},
           [=](Context& context) { RunOp(context, file.name, *pack, i); }});
    }
  }
}

}  // namespace plinth::conformance

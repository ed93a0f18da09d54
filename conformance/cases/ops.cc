// L4: every op of StableHLO for every type, with results computed beforehand by others than a
// plugin; see conformance/programs/packs.

#include <memory>

#include "conformance/cases/cases.h"
#include "conformance/cases/run_packed.h"

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
  if (form.has_value()) RunPacked(context, **program, *form, 1);
  if (context.HasFindings()) context.Note((*program)->text);
}

}  // namespace

void AddOpCases(std::vector<Case>& cases) {
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.folder != "ops") continue;
    Expected<ProgramPack> read = ProgramPack::Read(file.bytes);
    if (!read.ok()) continue;  // program_pack_test.cc reads them all
    auto pack = std::make_shared<ProgramPack>(*std::move(read));
    for (size_t i = 0; i < pack->entries().size(); ++i) {
      cases.push_back({StrCat("L4/op/", file.name, "/", pack->entries()[i].name),
                       Level::kL4,
                       ClientNeed::kShared,
                       {"PJRT-LoadedExecutable_Execute-results"},
                       [=](Context& context) { RunOp(context, file.name, *pack, i); }});
    }
  }
}

}  // namespace plinth::conformance

// SPDX-License-Identifier: Apache-2.0
// L3: every collective op for every type, form of groups and id mode, with results computed
// beforehand; see conformance/programs/packs/several.py.

#include "conformance/cases/cases.h"
#include "conformance/cases/framework_calls.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/run_packed.h"

namespace plinth::conformance {
namespace {

void RunCollective(Context& context, std::string_view op, ProgramPack& pack, size_t index) {
  if (!ProfileHas(context, op, pack.entries()[index].types)) return;
  Expected<const PackedProgram*> program = pack.Program(index);
  if (!context.Check("", program.ok(),
                     "the suite itself is damaged: ", program.status().ToString())) {
    return;
  }
  const int devices = (*program)->devices;
  const std::vector<int> ids = IdsOfDevices(context, static_cast<size_t>(devices));
  if (ids.empty()) return;
  const std::optional<std::string_view> form = FormOfJax(context, **program);
  if (!form.has_value()) return;
  const int replicas = ReplicasOf((*program)->text);
  RunPacked(context, **program, *form, CompileOptionsOf(replicas, devices / replicas, ids), 2);
  if (context.HasFindings()) context.Note((*program)->text);
}

}  // namespace

void AddCollectiveCases(std::vector<Case>& cases) {
  for (auto& [op, pack] : PacksOf("devices")) {
    for (size_t i = 0; i < pack.entries().size(); ++i) {
      cases.push_back(
          {StrCat("L3/collective/", op, "/", pack.entries()[i].name),
           Level::kL3,
           ClientNeed::kShared,
           {"PJRT-LoadedExecutable_Execute-results"},
           [op = op, &pack = pack, i](Context& context) { RunCollective(context, op, pack, i); }});
    }
  }
}

}  // namespace plinth::conformance

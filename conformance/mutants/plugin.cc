// SPDX-License-Identifier: Apache-2.0
// A plugin with one bug, named by its file: mutants/<name>.so. Everything but the bug is done by
// the plugin that $PLINTH_MUTANT_PLUGIN names.

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "conformance/mutants/bringup_mutants.h"
#include "conformance/mutants/debut_mutants.h"
#include "conformance/mutants/generated_mutants.h"
#include "conformance/mutants/grid_mutants.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/release_mutants.h"

namespace plinth::mutants {
namespace {

const PJRT_Api* real = nullptr;

std::vector<const Mutant*> AllMutants() {
  std::vector<const Mutant*> all;
  for (auto* of : {TableMutants,
                   EventMutants,
                   BufferMutants,
                   TransferMutants,
                   ExecuteMutants,
                   LaunchMutants,
                   ProcessMutants,
                   VendorMutants,
                   FormMutants,
                   ValueMutants,
                   ArithmeticMutants,
                   ConversionMutants,
                   ShapeMutants,
                   HostTransferMutants,
                   CopyMutants,
                   ExecutableMutants,
                   MachineMutants,
                   ManagerMutants,
                   ArgumentMutants,
                   RequirementMutants,
                   OutcomeMutants,
                   DescriptionMutants,
                   CallerMutants,
                   SizeMutants,
                   PartMutants,
                   AliveMutants,
                   ExtensionMutants,
                   AddedMutants,
                   PlaceMutants,
                   SequenceMutants,
                   LoadedMutants,
                   ThreadMutants,
                   CountMutants,
                   KindMutants,
                   HistoryMutants,
                   RunMutants,
                   AnswerMutants,
                   NumericMutants,
                   ArrayMutants,
                   ProgramMutants,
                   ClientMutants,
                   DriverMutants,
                   PlatformMutants,
                   UnitMutants,
                   MapMutants,
                   SignalMutants,
                   ContentMutants,
                   LeaseMutants,
                   QueryMutants,
                   FlowMutants,
                   SetupMutants,
                   HabitArrayMutants,
                   HabitRunMutants,
                   HabitProgramMutants,
                   NeglectClientMutants,
                   NeglectProgramMutants,
                   NeglectArrayMutants,
                   OversightClientMutants,
                   OversightArrayMutants,
                   OversightProgramMutants,
                   PracticeArrayMutants,
                   PracticeProgramMutants,
                   PracticeClientMutants,
                   ReleaseArrayMutants,
                   ReleaseProgramMutants,
                   ReleaseClientMutants,
                   DebutArrayMutants,
                   DebutProgramMutants,
                   DebutClientMutants,
                   BringupArrayMutants,
                   BringupProgramMutants,
                   BringupClientMutants}) {
    for (const Mutant& mutant : of()) all.push_back(&mutant);
  }
  return all;
}

// "name" of ".../name.so".
std::string OwnName() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&OwnName), &info) == 0) return "";
  std::string name = info.dli_fname;
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

const PJRT_Api* Load() {
  const char* path = std::getenv("PLINTH_MUTANT_PLUGIN");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto get_api = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  real = get_api == nullptr ? nullptr : get_api();
  if (real == nullptr) return nullptr;
  static PJRT_Api table;
  std::memcpy(&table, real, std::min(sizeof(table), real->struct_size));
  const std::string name = OwnName();
  if (name == "clean") return &table;
  if (name == "recorder") {
    RecordGrid(table);
    return &table;
  }
  for (const Mutant& correct : CorrectPlugins()) {
    if (name != correct.name) continue;
    correct.apply(table);
    return &table;
  }
  for (const Mutant* mutant : AllMutants()) {
    if (name != mutant->name) continue;
    mutant->apply(table);
    return &table;
  }
  for (const GeneratedMutant& mutant : GeneratedMutants()) {
    if (name != mutant.name) continue;
    ApplyGenerated(mutant, table);
    return &table;
  }
  for (const GridMutant& mutant : GridMutants()) {
    if (name != mutant.name) continue;
    ApplyGrid(mutant, table);
    return &table;
  }
  return nullptr;
}

}  // namespace

const PJRT_Api& Real() { return *real; }

PJRT_Error* MakeError(PJRT_Error_Code code, std::string_view text) {
  auto create = MakeArgs<PJRT_Event_Create_Args>();
  if (PJRT_Error* error = real->PJRT_Event_Create(&create)) return error;
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = create.event;
  set.error_code = code;
  set.error_message = text.data();
  set.error_message_size = text.size();
  (void)real->PJRT_Event_Set(&set);
  auto get = MakeArgs<PJRT_Event_Error_Args>();
  get.event = create.event;
  PJRT_Error* error = real->PJRT_Event_Error(&get);
  auto destroy = MakeArgs<PJRT_Event_Destroy_Args>();
  destroy.event = create.event;
  (void)real->PJRT_Event_Destroy(&destroy);
  return error;
}

}  // namespace plinth::mutants

extern "C" {

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api* const table = plinth::mutants::Load();
  return table;
}

// One line for each mutant: name, requirement and what it breaks, with tabs between.
__attribute__((visibility("default"))) const char* PlinthMutants() {
  static const std::string text = [] {
    std::string lines;
    for (const plinth::mutants::Mutant* mutant : plinth::mutants::AllMutants()) {
      for (const char* part :
           {mutant->name, "\t", mutant->requirement, "\t", mutant->breaks, "\n"}) {
        lines += part;
      }
    }
    auto add = [&](const auto& generated) {
      for (const auto& mutant : generated)
        lines += mutant.name + "\t" + mutant.requirement + "\t" + mutant.breaks + "\n";
    };
    add(plinth::mutants::GeneratedMutants());
    add(plinth::mutants::GridMutants());
    return lines;
  }();
  return text.c_str();
}
}

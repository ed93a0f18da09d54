// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_MUTANT_H_
#define PLINTH_CONFORMANCE_MUTANTS_MUTANT_H_

#include <span>
#include <string_view>

#include "pjrt_c_api.h"
#include "plinth/support/args.h"

namespace plinth::mutants {

// One bug, put into a plugin that has none.
struct Mutant {
  const char* name;
  const char* requirement;  // the number in the registry of what it breaks
  const char* breaks;       // in words
  void (*apply)(PJRT_Api& table);
};

// The table of the plugin behind, which has no bug.
const PJRT_Api& Real();

// An error of the plugin behind, with that code.
PJRT_Error* MakeError(PJRT_Error_Code code, std::string_view text);

// Destroys an error of the plugin behind; null is none.
inline void FreeError(PJRT_Error* error) {
  auto args = MakeArgs<PJRT_Error_Destroy_Args>();
  args.error = error;
  Real().PJRT_Error_Destroy(&args);
}

std::span<const Mutant> TableMutants();
std::span<const Mutant> EventMutants();
std::span<const Mutant> BufferMutants();
std::span<const Mutant> TransferMutants();
std::span<const Mutant> ExecuteMutants();
std::span<const Mutant> LaunchMutants();
std::span<const Mutant> ProcessMutants();
std::span<const Mutant> VendorMutants();
std::span<const Mutant> FormMutants();
std::span<const Mutant> ValueMutants();
std::span<const Mutant> ArithmeticMutants();
std::span<const Mutant> ConversionMutants();
std::span<const Mutant> ShapeMutants();
std::span<const Mutant> HostTransferMutants();
std::span<const Mutant> CopyMutants();
std::span<const Mutant> ExecutableMutants();
std::span<const Mutant> MachineMutants();
std::span<const Mutant> ManagerMutants();
std::span<const Mutant> ArgumentMutants();
std::span<const Mutant> RequirementMutants();
std::span<const Mutant> OutcomeMutants();
std::span<const Mutant> DescriptionMutants();
std::span<const Mutant> CallerMutants();
std::span<const Mutant> SizeMutants();
std::span<const Mutant> CountMutants();
std::span<const Mutant> PartMutants();
std::span<const Mutant> AliveMutants();
std::span<const Mutant> ExtensionMutants();
std::span<const Mutant> AddedMutants();
std::span<const Mutant> PlaceMutants();
std::span<const Mutant> SequenceMutants();
std::span<const Mutant> LoadedMutants();
std::span<const Mutant> ThreadMutants();
std::span<const Mutant> KindMutants();
std::span<const Mutant> HistoryMutants();
std::span<const Mutant> RunMutants();
std::span<const Mutant> AnswerMutants();
std::span<const Mutant> NumericMutants();
std::span<const Mutant> ArrayMutants();
std::span<const Mutant> ProgramMutants();
std::span<const Mutant> ClientMutants();
std::span<const Mutant> DriverMutants();
std::span<const Mutant> PlatformMutants();
std::span<const Mutant> UnitMutants();
std::span<const Mutant> MapMutants();
std::span<const Mutant> SignalMutants();
std::span<const Mutant> ContentMutants();
std::span<const Mutant> LeaseMutants();
std::span<const Mutant> QueryMutants();
std::span<const Mutant> FlowMutants();
std::span<const Mutant> SetupMutants();
std::span<const Mutant> HabitArrayMutants();
std::span<const Mutant> HabitRunMutants();
std::span<const Mutant> HabitProgramMutants();
std::span<const Mutant> NeglectClientMutants();
std::span<const Mutant> NeglectProgramMutants();
std::span<const Mutant> NeglectArrayMutants();
std::span<const Mutant> OversightClientMutants();
std::span<const Mutant> OversightArrayMutants();
std::span<const Mutant> OversightProgramMutants();
std::span<const Mutant> PracticeArrayMutants();
std::span<const Mutant> PracticeProgramMutants();
std::span<const Mutant> PracticeClientMutants();
// Plugins without a bug that do what the specification allows and the plugin behind does not.
std::span<const Mutant> CorrectPlugins();

// Arguments of a slot's function.
template <typename Slot>
struct ArgsOfSlot;
template <typename Result, typename Args>
struct ArgsOfSlot<Result (*PJRT_Api::*)(Args*)> {
  using Type = Args;
};

// Puts `body` into a slot. It is called with arguments that are there and as long as they have to
// be; all others go to the plugin behind.
template <auto kSlot, typename Body>
void Replace(PJRT_Api& table, Body) {
  using Args = typename ArgsOfSlot<decltype(kSlot)>::Type;
  table.*kSlot = [](Args* args) {
    if (args == nullptr || args->struct_size < StructOf<Args>::kMinimumSize) {
      return (Real().*kSlot)(args);
    }
    return Body{}(args);
  };
}

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_MUTANT_H_

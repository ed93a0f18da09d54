// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/library.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cuda/print/kernel.h"

namespace plinth::cuda {
namespace {

using compiler::Opcode;

struct Row {
  Opcode opcode;
  Expected<PrintedStep> (*print)(const compiler::plan::PlanStep&, const Architecture&);
};

constexpr Row kLibrary[] = {
    {Opcode::kCholesky, PrintCholesky},
    {Opcode::kConvolution, PrintConvolution},
    {Opcode::kCumulativeReduce, PrintCumulativeReduce},
    {Opcode::kDotGeneral, PrintDotGeneral},
    {Opcode::kGather, PrintGather},
    {Opcode::kPartitionId, PrintPartitionId},
    {Opcode::kReplicaId, PrintReplicaId},
    {Opcode::kRng, PrintRng},
    {Opcode::kRngBitGenerator, PrintRngBitGenerator},
    {Opcode::kScatter, PrintScatter},
    {Opcode::kSelectAndScatter, PrintSelectAndScatter},
    {Opcode::kSort, PrintSort},
    {Opcode::kTopK, PrintTopK},
    {Opcode::kTriangularSolve, PrintTriangularSolve},
};

Expected<PrintedStep> PrintLibraryStep(const compiler::plan::PlanStep& step,
                                       const Architecture& architecture) {
  const Row* row = std::find_if(std::begin(kLibrary), std::end(kLibrary),
                                [&](const Row& r) { return r.opcode == step.opcode; });
  if (const auto* call = std::get_if<compiler::CustomCallAttributes>(step.attributes.get())) {
    return Unimplemented("the CUDA plugin has no custom call \"", call->target, "\" yet");
  }
  if (row == std::end(kLibrary)) {
    return Unimplemented("the CUDA plugin has no ", Name(step.opcode), " yet");
  }
  PLINTH_ASSIGN_OR_RETURN(PrintedStep printed, row->print(step, architecture));
  printed.label = std::string(Name(step.opcode));
  return printed;
}

}  // namespace

Expected<PrintedStep> Print(const compiler::plan::PlanStep& step,
                            const Architecture& architecture) {
  Expected<PrintedStep> printed = step.kind == compiler::plan::PlanStepKind::kKernel
                                      ? PrintKernel(*step.kernel, architecture)
                                  : step.kind == compiler::plan::PlanStepKind::kLibrary
                                      ? PrintLibraryStep(step, architecture)
                                      : Internal("a step that is not printed");
  if (printed.ok()) return printed;
  std::string where = step.kind == compiler::plan::PlanStepKind::kKernel
                          ? step.kernel->name
                          : std::string(Name(step.opcode));
  if (step.location != nullptr && !step.location->empty()) where += StrCat(" at ", *step.location);
  return printed.status().WithContext(where);
}

}  // namespace plinth::cuda

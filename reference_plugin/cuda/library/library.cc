// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/library.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cuda/library/product.h"
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
    {Opcode::kCumulativeReduce, PrintCumulativeReduce},
    {Opcode::kGather, PrintGather},
    {Opcode::kPartitionId, PrintPartitionId},
    {Opcode::kReplicaId, PrintReplicaId},
    {Opcode::kRng, PrintRng},
    {Opcode::kRngBitGenerator, PrintRngBitGenerator},
    {Opcode::kSelectAndScatter, PrintSelectAndScatter},
    {Opcode::kSort, PrintSort},
    {Opcode::kTopK, PrintTopK},
    {Opcode::kTriangularSolve, PrintTriangularSolve},
};

// Custom calls that frameworks send for this platform.
struct CallRow {
  std::string_view target;
  Expected<PrintedStep> (*print)(const compiler::plan::PlanStep&, const Architecture&);
};

constexpr CallRow kCalls[] = {
    {"cu_lu_pivots_to_permutation", PrintPivotsToPermutation},
    {"cusolver_potrf_ffi", PrintPotrf},
};

// Null for other steps.
const CallRow* FindCall(const compiler::plan::PlanStep& step) {
  if (step.opcode != Opcode::kCustomCall || step.attributes == nullptr) return nullptr;
  const auto* call = std::get_if<compiler::CustomCallAttributes>(step.attributes.get());
  if (call == nullptr) return nullptr;
  const CallRow* row = std::find_if(std::begin(kCalls), std::end(kCalls),
                                    [&](const CallRow& r) { return r.target == call->target; });
  return row == std::end(kCalls) ? nullptr : row;
}

// What is more than a launch takes.
Status CheckGrids(const PrintedStep& step, const Architecture& architecture) {
  for (const Action& action : step.actions) {
    if (action.grid <= architecture.grid_x) continue;
    return ResourceExhausted("a step over more than ", architecture.grid_x * action.block,
                             " points; a launch takes no more");
  }
  return Status();
}

Expected<PrintedStep> PrintLibraryStep(const compiler::plan::PlanStep& step,
                                       const Architecture& architecture,
                                       const PrintOptions& options) {
  if (const CallRow* call = FindCall(step)) {
    PLINTH_ASSIGN_OR_RETURN(PrintedStep printed, call->print(step, architecture));
    printed.label = std::string(call->target);
    return printed;
  }
  const Row* row = std::find_if(std::begin(kLibrary), std::end(kLibrary),
                                [&](const Row& r) { return r.opcode == step.opcode; });
  Expected<PrintedStep> made = PrintedStep();
  if (step.opcode == Opcode::kDotGeneral || step.opcode == Opcode::kConvolution) {
    made = PrintProducts(step, architecture, options.products);
  } else if (step.opcode == Opcode::kScatter) {
    made = PrintScatter(step, architecture, options.deterministic);
  } else if (row != std::end(kLibrary)) {
    made = row->print(step, architecture);
  } else {
    return Unimplemented("the CUDA plugin has no ", Name(step.opcode), " yet");
  }
  PLINTH_ASSIGN_OR_RETURN(PrintedStep printed, std::move(made));
  printed.label = std::string(Name(step.opcode));
  return printed;
}

}  // namespace

Expected<PrintedStep> Print(const compiler::plan::PlanStep& step, const Architecture& architecture,
                            const PrintOptions& options) {
  Expected<PrintedStep> printed = step.kind == compiler::plan::PlanStepKind::kKernel
                                      ? PrintKernel(*step.kernel, architecture)
                                  : step.kind == compiler::plan::PlanStepKind::kLibrary
                                      ? PrintLibraryStep(step, architecture, options)
                                      : Internal("a step that is not printed");
  if (printed.ok()) {
    Status fits = CheckGrids(*printed, architecture);
    if (fits.ok()) return printed;
    printed = std::move(fits);
  }
  std::string where = step.kind == compiler::plan::PlanStepKind::kKernel
                          ? step.kernel->name
                          : std::string(Name(step.opcode));
  if (const CallRow* call = FindCall(step)) where += StrCat(" @", call->target);
  if (step.location != nullptr && !step.location->empty()) where += StrCat(" at ", *step.location);
  return printed.status().WithContext(where);
}

bool IsPrintedCall(const compiler::plan::PlanStep& step) { return FindCall(step) != nullptr; }

}  // namespace plinth::cuda

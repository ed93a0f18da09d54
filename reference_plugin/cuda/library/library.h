// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_LIBRARY_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_LIBRARY_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cuda/print/program.h"

// The text of library steps: one function per opcode or target of a custom call, all named in the
// tables of library.cc, each in the file named after what it prints; products are in product.h. An
// error does not name the op or its place: Print adds both.
namespace plinth::cuda {

Expected<PrintedStep> PrintCholesky(const compiler::plan::PlanStep& step,
                                    const Architecture& architecture);
Expected<PrintedStep> PrintCumulativeReduce(const compiler::plan::PlanStep& step,
                                            const Architecture& architecture);
Expected<PrintedStep> PrintGather(const compiler::plan::PlanStep& step,
                                  const Architecture& architecture);
Expected<PrintedStep> PrintPartitionId(const compiler::plan::PlanStep& step,
                                       const Architecture& architecture);
Expected<PrintedStep> PrintReplicaId(const compiler::plan::PlanStep& step,
                                     const Architecture& architecture);
Expected<PrintedStep> PrintPivotsToPermutation(const compiler::plan::PlanStep& step,
                                               const Architecture& architecture);
Expected<PrintedStep> PrintPotrf(const compiler::plan::PlanStep& step,
                                 const Architecture& architecture);
Expected<PrintedStep> PrintRng(const compiler::plan::PlanStep& step,
                               const Architecture& architecture);
Expected<PrintedStep> PrintRngBitGenerator(const compiler::plan::PlanStep& step,
                                           const Architecture& architecture);
Expected<PrintedStep> PrintScatter(const compiler::plan::PlanStep& step,
                                   const Architecture& architecture, bool deterministic);
Expected<PrintedStep> PrintSelectAndScatter(const compiler::plan::PlanStep& step,
                                            const Architecture& architecture);
Expected<PrintedStep> PrintSort(const compiler::plan::PlanStep& step,
                                const Architecture& architecture);
Expected<PrintedStep> PrintTopK(const compiler::plan::PlanStep& step,
                                const Architecture& architecture);
Expected<PrintedStep> PrintTriangularSolve(const compiler::plan::PlanStep& step,
                                           const Architecture& architecture);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_LIBRARY_H_

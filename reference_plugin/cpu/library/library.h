// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LIBRARY_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LIBRARY_H_

#include <memory>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/library/blas.h"

// Whole-array operations that are not kernels: one prepare function per opcode, all named in the
// table of library.cc.
namespace plinth::cpu {

// What a client chose for the operations of its programs.
struct LibraryOptions {
  BlasOptions blas;
};

// Checks the step's types and shapes and decides everything that depends on them. An error does
// not name the op or its place: PrepareLibraryStep adds both.
using PrepareFunction = Expected<std::unique_ptr<PreparedStep>> (*)(const compiler::PlanStep& step,
                                                                    const LibraryOptions& options);

// Makes a kLibrary step ready: looks its opcode up in the table. Errors name the op and its place.
Expected<std::unique_ptr<PreparedStep>> PrepareLibraryStep(const compiler::PlanStep& step,
                                                           const LibraryOptions& options = {});

// The prepare functions, each in the file named after its operation.
Expected<std::unique_ptr<PreparedStep>> PrepareCholesky(const compiler::PlanStep& step,
                                                        const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareConvolution(const compiler::PlanStep& step,
                                                           const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareCumulativeReduce(const compiler::PlanStep& step,
                                                                const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareDotGeneral(const compiler::PlanStep& step,
                                                          const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareFft(const compiler::PlanStep& step,
                                                   const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareGather(const compiler::PlanStep& step,
                                                      const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PreparePartitionId(const compiler::PlanStep& step,
                                                           const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareReplicaId(const compiler::PlanStep& step,
                                                         const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareRng(const compiler::PlanStep& step,
                                                   const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareRngBitGenerator(const compiler::PlanStep& step,
                                                               const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareScatter(const compiler::PlanStep& step,
                                                       const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareSelectAndScatter(const compiler::PlanStep& step,
                                                                const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareSort(const compiler::PlanStep& step,
                                                    const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareTopK(const compiler::PlanStep& step,
                                                    const LibraryOptions& options);
Expected<std::unique_ptr<PreparedStep>> PrepareTriangularSolve(const compiler::PlanStep& step,
                                                               const LibraryOptions& options);

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LIBRARY_H_

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
namespace plinth::cpu::library {

// What a client chose for the operations of its programs.
struct LibraryOptions {
  BlasOptions blas;
};

// Checks the step's types and shapes and decides everything that depends on them. An error does
// not name the op or its place: PrepareLibraryStep adds both.
using PrepareFunction = Expected<std::unique_ptr<backend::PreparedStep>> (*)(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);

// Makes a kLibrary step ready: looks its opcode up in the table. Errors name the op and its place.
Expected<std::unique_ptr<backend::PreparedStep>> PrepareLibraryStep(
    const compiler::plan::PlanStep& step, const LibraryOptions& options = {});

// The prepare functions, each in the file named after its operation.
Expected<std::unique_ptr<backend::PreparedStep>> PrepareCholesky(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareConvolution(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareCumulativeReduce(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareDotGeneral(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareFft(const compiler::plan::PlanStep& step,
                                                            const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGather(const compiler::plan::PlanStep& step,
                                                               const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PreparePartitionId(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareReplicaId(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareRng(const compiler::plan::PlanStep& step,
                                                            const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareRngBitGenerator(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareScatter(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareSelectAndScatter(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareSort(const compiler::plan::PlanStep& step,
                                                             const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareTopK(const compiler::plan::PlanStep& step,
                                                             const LibraryOptions& options);
Expected<std::unique_ptr<backend::PreparedStep>> PrepareTriangularSolve(
    const compiler::plan::PlanStep& step, const LibraryOptions& options);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LIBRARY_H_

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/library.h"

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::cpu::library {
namespace {

using compiler::Opcode;

struct Row {
  Opcode opcode;
  PrepareFunction prepare;
};

constexpr Row kRows[] = {
    {Opcode::kCholesky, PrepareCholesky},
    {Opcode::kConvolution, PrepareConvolution},
    {Opcode::kCumulativeReduce, PrepareCumulativeReduce},
    {Opcode::kDotGeneral, PrepareDotGeneral},
    {Opcode::kFft, PrepareFft},
    {Opcode::kGather, PrepareGather},
    {Opcode::kPartitionId, PreparePartitionId},
    {Opcode::kReplicaId, PrepareReplicaId},
    {Opcode::kRng, PrepareRng},
    {Opcode::kRngBitGenerator, PrepareRngBitGenerator},
    {Opcode::kScatter, PrepareScatter},
    {Opcode::kSelectAndScatter, PrepareSelectAndScatter},
    {Opcode::kSort, PrepareSort},
    {Opcode::kTopK, PrepareTopK},
    {Opcode::kTriangularSolve, PrepareTriangularSolve},
};

std::string Describe(const compiler::plan::PlanStep& step) {
  std::string text(compiler::Name(step.opcode));
  if (step.location != nullptr && !step.location->empty()) {
    text += StrCat(" at ", *step.location);
  }
  return text;
}

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareLibraryStep(
    const compiler::plan::PlanStep& step, const LibraryOptions& options) {
  for (const Row& row : kRows) {
    if (row.opcode != step.opcode) continue;
    auto prepared = row.prepare(step, options);
    if (!prepared.ok()) return prepared.status().WithContext(Describe(step));
    return prepared;
  }
  return Unimplemented("the CPU plugin has no library function for ", Describe(step));
}

}  // namespace plinth::cpu::library

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/library.h"
#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {
namespace {

PrintedStep PrintNumber(const compiler::plan::PlanStep& step, Argument::Kind kind) {
  ExtraParameters extra;
  extra.names = {"u32 number"};
  extra.arguments = {{kind, 0, 0, 0}};
  PrintedStep printed;
  AppendPoints(step, 1, "*(u32*)o0 = number;\n", false, printed, extra);
  return printed;
}

}  // namespace

Expected<PrintedStep> PrintPartitionId(const compiler::plan::PlanStep& step, const Architecture&) {
  return PrintNumber(step, Argument::Kind::kPartition);
}

Expected<PrintedStep> PrintReplicaId(const compiler::plan::PlanStep& step, const Architecture&) {
  return PrintNumber(step, Argument::Kind::kReplica);
}

}  // namespace plinth::cuda

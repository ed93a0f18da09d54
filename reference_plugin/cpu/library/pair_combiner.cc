// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/pair_combiner.h"

#include <cstring>

#include "reference_plugin/backend/host/thread_scratch.h"
#include "reference_plugin/cpu/kernels/kernel_step.h"

namespace plinth::cpu::library {
namespace {

using compiler::Combiner;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;

// The combiner as a kernel over `count` points with one input per parameter.
Expected<std::shared_ptr<const compiler::Kernel>> MakeKernel(const Combiner& combiner,
                                                             std::span<const DType> types,
                                                             std::span<const DType> captured,
                                                             int64_t count) {
  auto kernel = std::make_shared<compiler::Kernel>();
  kernel->name = "combiner";
  kernel->shape.extents = compiler::Dims{count};
  kernel->shape.num_parallel = 1;
  auto dense = [](DType dtype, size_t buffer) {
    compiler::Access access;
    access.buffer = static_cast<int32_t>(buffer);
    access.dtype = dtype;
    access.byte_strides = compiler::Dims{ByteSize(dtype)};
    return access;
  };
  for (size_t p = 0; p < types.size(); ++p) kernel->shape.inputs.push_back(dense(types[p], p));
  for (DType type : captured) {
    kernel->shape.inputs.push_back(dense(type, kernel->shape.inputs.size()));
    kernel->shape.inputs.back().byte_strides[0] = 0;
  }
  compiler::Phase phase;
  phase.nodes = combiner.nodes;
  for (Node& node : phase.nodes) {
    if (node.kind == NodeKind::kParameter) {
      if (node.index < 0 || node.index >= static_cast<int64_t>(kernel->shape.inputs.size())) {
        return Internal("a combiner names parameter ", node.index, " of ",
                        kernel->shape.inputs.size());
      }
      node.kind = NodeKind::kInput;
    } else if (node.kind != NodeKind::kOp && node.kind != NodeKind::kConstant) {
      return Internal("a combiner has a node of kind ", static_cast<int>(node.kind));
    }
  }
  for (size_t r = 0; r < combiner.results.size(); ++r) {
    kernel->shape.outputs.push_back(dense(combiner.nodes[combiner.results[r]].dtype, r));
    phase.stores.push_back({combiner.results[r], static_cast<int32_t>(r)});
  }
  kernel->body.phases.push_back(std::move(phase));
  return std::shared_ptr<const compiler::Kernel>(std::move(kernel));
}

}  // namespace

SmallVector<DType, 4> CapturedTypes(const compiler::plan::PlanStep& step, size_t first) {
  SmallVector<DType, 4> types;
  for (size_t i = first; i < step.operands.size(); ++i) {
    types.push_back(step.operands[i].type.dtype);
  }
  return types;
}

Expected<PairCombiner> PairCombiner::Make(const Combiner& combiner, std::span<const DType> types,
                                          std::span<const DType> captured, int64_t count) {
  PairCombiner result;
  result.count_ = count;
  if (types.size() == 2 && IsAssignment(combiner)) {
    result.kind_ = Kind::kAssignment;
    result.bytes_ = count * ByteSize(types[1]);
    return result;
  }
  std::optional<Opcode> opcode = SingleOp(combiner);
  bool memory_is_tile = true;
  for (DType type : types) memory_is_tile &= math::TileTypeOf(type) == type && type != DType::kPred;
  if (opcode.has_value() && memory_is_tile && types.size() == 2 &&
      compiler::InfoOf(*opcode).commutative) {
    result.routine_ = math::FindTileRoutine(*opcode, types[0], types[0]);
    if (result.routine_ && result.routine_.finish == nullptr) {
      result.kind_ = Kind::kTileRoutine;
      return result;
    }
  }
  PLINTH_ASSIGN_OR_RETURN(auto kernel, MakeKernel(combiner, types, captured, count));
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<backend::PreparedStep> prepared,
                          kernels::PrepareKernel(kernel));
  result.kernel_ = std::move(prepared);
  return result;
}

Status PairCombiner::Run(std::span<void* const> parameters, std::span<void* const> results) const {
  switch (kind_) {
    case Kind::kAssignment:
      if (results[0] != parameters[1]) std::memcpy(results[0], parameters[1], bytes_);
      return Status();
    case Kind::kTileRoutine:
      routine_.compute(results[0], parameters[0], parameters[1], nullptr, count_, {});
      return Status();
    case Kind::kKernel:
      break;
  }
  // The caller may be one of many threads, each with scratch of its own.
  thread_local backend::ThreadScratch scratch;
  backend::RunContext context;
  int64_t bytes = kernel_->scratch_bytes();
  context.scratch = {scratch.Get(bytes), static_cast<size_t>(bytes)};
  return kernel_->Run(parameters, results, context).status();
}

}  // namespace plinth::cpu::library

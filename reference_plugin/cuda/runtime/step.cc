// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/step.h"

#include "plinth/support/small_vector.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {
namespace {

struct Arrays {
  std::span<void*const> operands, results;
  const backend::RunContext& context;

  // What the parameter of a launch holds.
  uint64_t ValueOf(const Argument& argument) const {
    auto address = [&argument](const void* base) {
      return reinterpret_cast<uint64_t>(base) + static_cast<uint64_t>(argument.offset);
    };
    switch (argument.kind) {
      case Argument::Kind::kOperand:
        return address(operands[static_cast<size_t>(argument.index)]);
      case Argument::Kind::kResult:
        return address(results[static_cast<size_t>(argument.index)]);
      case Argument::Kind::kScratch:
        return address(context.scratch.data());
      case Argument::Kind::kPartition:
        return static_cast<uint64_t>(context.partition_id);
      case Argument::Kind::kReplica:
        return static_cast<uint64_t>(context.replica_id);
      case Argument::Kind::kU32:
      case Argument::Kind::kU64:
        break;
    }
    return argument.scalar;
  }
};

}  // namespace

GpuStep::GpuStep(PrintedStep printed) : printed_(std::move(printed)) {
  for (const Action& action : printed_.actions) kernels_.push_back({action.kernel, nullptr});
}

backend::Outcome GpuStep::Run(std::span<void* const> operands, std::span<void* const> results,
                              const backend::RunContext& context) const {
  auto& gpu = static_cast<Gpu&>(*context.queue);
  const CUstream stream = gpu.stream(StreamKind::kCompute);
  const Arrays arrays{operands, results, context};
  for (size_t a = 0; a < printed_.actions.size(); ++a) {
    const Action& action = printed_.actions[a];
    switch (action.kind) {
      case Action::Kind::kLaunch: {
        PLINTH_ASSIGN_OR_RETURN(CUfunction function,
                                kernels_[a].unit->Function(gpu, action.kernel->name));
        SmallVector<uint64_t, 16> values(action.arguments.size());
        SmallVector<void*, 16> parameters(action.arguments.size());
        // Numbers of 32 bits lie in the first bytes of theirs.
        for (size_t i = 0; i < action.arguments.size(); ++i) {
          values[i] = arrays.ValueOf(action.arguments[i]);
          parameters[i] = &values[i];
        }
        if (const CUresult result =
                gpu.api().cuLaunchKernel(function, action.grid, 1, 1, action.block, 1, 1,
                                         action.shared_bytes, stream, parameters.data(), nullptr);
            result != kCudaSuccess) {
          return gpu.Check(
              result, StrCat("launch of kernel ", action.kernel->name, " (", printed_.label, "), ",
                             action.grid, " blocks of ", action.block, " threads"));
        }
        break;
      }
      case Action::Kind::kFill:
        PLINTH_RETURN_IF_ERROR(
            gpu.Check(gpu.api().cuMemsetD8Async(arrays.ValueOf(action.arguments[0]), action.value,
                                                static_cast<size_t>(action.bytes), stream),
                      "cuMemsetD8Async"));
        break;
      case Action::Kind::kCopy:
        PLINTH_RETURN_IF_ERROR(
            gpu.Check(gpu.api().cuMemcpyDtoDAsync(arrays.ValueOf(action.arguments[0]),
                                                  arrays.ValueOf(action.arguments[1]),
                                                  static_cast<size_t>(action.bytes), stream),
                      "cuMemcpyDtoDAsync"));
        break;
    }
  }
  return Status();
}

}  // namespace plinth::cuda

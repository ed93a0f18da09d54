// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/step.h"

#include <algorithm>

#include "plinth/support/small_vector.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {
namespace {

struct Arrays {
  std::span<void*const> operands, results;
  const backend::RunContext& context;
  uint64_t stream_key, earlier_runs;

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
      case Argument::Kind::kStreamKey:
        return stream_key;
      case Argument::Kind::kDrawn:
        return argument.scalar * earlier_runs;
      case Argument::Kind::kU32:
      case Argument::Kind::kU64:
        break;
    }
    return argument.scalar;
  }
};

bool DrawsNumbers(const PrintedStep& printed) {
  const auto is_drawn = [](const Argument& argument) {
    return argument.kind == Argument::Kind::kDrawn;
  };
  return std::any_of(printed.actions.begin(), printed.actions.end(), [&](const Action& action) {
    return std::any_of(action.arguments.begin(), action.arguments.end(), is_drawn);
  });
}

// Every step that draws does so from a stream of its own.
uint64_t NextStreamKey() {
  static std::atomic<uint64_t> streams{0};
  return 0x9E3779B97F4A7C15u * (streams.fetch_add(1, std::memory_order_relaxed) + 1);
}

}  // namespace

GpuStep::GpuStep(PrintedStep printed)
    : printed_(std::move(printed)), stream_key_(DrawsNumbers(printed_) ? NextStreamKey() : 0) {
  for (const Action& action : printed_.actions) kernels_.push_back({action.kernel, nullptr});
  for (const auto& kernel : printed_.spare) kernels_.push_back({kernel, nullptr});
}

Status GpuStep::Multiply(Gpu& gpu, const Action& action, std::span<const uint64_t> arguments) {
  PLINTH_ASSIGN_OR_RETURN(Blas * blas, gpu.blas());
  auto pointer = [&](size_t i) { return reinterpret_cast<void*>(arguments[i]); };
  const Blas::Arrays arrays = {pointer(0), pointer(1), pointer(2), pointer(3),
                               action.product->has_bias ? pointer(4) : nullptr};
  Status status = blas->Multiply(*action.product, arrays, action.bytes);
  if (status.ok()) return status;
  // A lost device says so itself; the library only says that it failed.
  PLINTH_RETURN_IF_ERROR(gpu.Record(StreamKind::kCompute).status());
  return status;
}

backend::Outcome GpuStep::Run(std::span<void* const> operands, std::span<void* const> results,
                              const backend::RunContext& context) const {
  auto& gpu = static_cast<Gpu&>(*context.queue);
  const CUstream stream = gpu.stream(StreamKind::kCompute);
  const uint64_t earlier_runs =
      stream_key_ == 0 ? 0 : runs_.fetch_add(1, std::memory_order_relaxed);
  const Arrays arrays{operands, results, context, stream_key_, earlier_runs};
  for (size_t a = 0; a < printed_.actions.size(); ++a) {
    const Action& action = printed_.actions[a];
    SmallVector<uint64_t, 16> values(action.arguments.size());
    for (size_t i = 0; i < values.size(); ++i) values[i] = arrays.ValueOf(action.arguments[i]);
    switch (action.kind) {
      case Action::Kind::kLaunch: {
        PLINTH_ASSIGN_OR_RETURN(
            CUfunction function,
            kernels_[a].unit->Function(gpu, action.kernel->name, action.shared_bytes));
        SmallVector<void*, 16> parameters(values.size());
        // Numbers of 32 bits lie in the first bytes of theirs.
        for (size_t i = 0; i < values.size(); ++i) parameters[i] = &values[i];
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
            gpu.Check(gpu.api().cuMemsetD8Async(values[0], action.value,
                                                static_cast<size_t>(action.bytes), stream),
                      "cuMemsetD8Async"));
        break;
      case Action::Kind::kCopy:
        PLINTH_RETURN_IF_ERROR(
            gpu.Check(gpu.api().cuMemcpyDtoDAsync(values[0], values[1],
                                                  static_cast<size_t>(action.bytes), stream),
                      "cuMemcpyDtoDAsync"));
        break;
      case Action::Kind::kProduct:
        if (Status status = Multiply(gpu, action, {values.data(), values.size()}); !status.ok()) {
          return status.WithContext(printed_.label);
        }
        break;
    }
  }
  return Status();
}

}  // namespace plinth::cuda

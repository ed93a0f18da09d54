// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/calls.h"

#include <cxxabi.h>

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "plinth/sdk/event.h"
#include "reference_plugin/backend/host/floating_point_modes.h"
#include "reference_plugin/backend/host/runtime.h"
#include "reference_plugin/backend/run/call_context.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {
namespace {

using backend::Outcome;
using backend::PreparedStep;
using backend::RunContext;

constexpr StreamKind kCallStream = StreamKind::kCompute;
constexpr int32_t kTypedApiVersion = 4;  // of a call, of the XLA FFI

// Runs the step on this thread, whatever it throws.
Status Enter(const PreparedStep& step, std::span<void* const> operands,
             std::span<void* const> results, const RunContext& context) {
  const backend::DefaultFloatingPoint modes;
  try {
    const Outcome outcome = step.Run(operands, results, context);
    if (!outcome.waits()) return outcome.status();
    return outcome.over().Await();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("a custom call: out of host memory");
  } catch (const std::exception& exception) {
    return Internal("a custom call: ", exception.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // Python ends the threads of others so when it exits.
  } catch (...) {
    return Internal("a custom call threw an exception");
  }
}

// On a thread of the runtime that may wait.
void EnterElsewhere(const RunContext& context, std::function<void()> code) {
  const std::shared_ptr<backend::Runtime> runtime = context.call->runtime;
  runtime->threads.Schedule(
      [runtime, code = std::move(code)]() mutable { runtime->RunForeign(std::move(code)); });
}

// One call of a step of the host that is under way.
struct HostCall {
  std::shared_ptr<Gpu> gpu;
  RunContext context;
  std::vector<PinnedPtr> operands, results;
  std::vector<void*> host_operands, host_results, device_results;
  std::vector<std::byte> scratch;
  sdk::EventSource done;
};

class HostCallStep final : public PreparedStep {
 public:
  HostCallStep(std::unique_ptr<PreparedStep> step, const backend::CustomCall& call)
      : step_(std::move(step)), aliases_(call.aliases.begin(), call.aliases.end()) {
    for (const auto& operand : call.operands) operand_bytes_.push_back(BytesOf(operand));
    for (const auto& result : call.results) result_bytes_.push_back(BytesOf(result));
  }

  bool may_wait() const override { return step_->may_wait(); }
  bool may_pause() const override { return true; }

  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    auto& gpu = static_cast<Gpu&>(*context.queue);
    auto call = std::make_shared<HostCall>();
    call->gpu = gpu.shared_from_this();
    call->context = context;
    call->context.queue = nullptr;
    call->device_results.assign(results.begin(), results.end());
    Status status = CopyOut(gpu, operands, *call);
    Expected<EventPtr> copied = status.ok() ? gpu.Record(kCallStream) : status;
    if (!copied.ok()) {
      // The copies that are under way write to memory that goes with the call.
      gpu.api().cuStreamSynchronize(gpu.stream(kCallStream));
      return copied.status();
    }
    gpu.WhenOver(kCallStream, *std::move(copied), [this, call](const Status& over) {
      if (!over.ok()) {
        call->done.Set(over);
        return;
      }
      EnterElsewhere(call->context, [this, call] { call->done.Set(CallAndCopyIn(call)); });
    });
    return Outcome::WaitFor(call->done.event());
  }

 private:
  // A token has none.
  static int64_t BytesOf(const backend::CustomCallArray& array) {
    return array.dtype == DType::kToken ? 0 : array.SizeInBytes();
  }

  Status CopyOut(Gpu& gpu, std::span<void* const> operands, HostCall& call) const {
    for (size_t i = 0; i < operands.size(); ++i) {
      PLINTH_ASSIGN_OR_RETURN(PinnedPtr pinned, gpu.pinned().Allocate(operand_bytes_[i]));
      call.host_operands.push_back(pinned.get());
      call.operands.push_back(std::move(pinned));
      if (operand_bytes_[i] == 0) continue;
      PLINTH_RETURN_IF_ERROR(
          gpu.Check(gpu.api().cuMemcpyDtoHAsync(
                        call.host_operands[i], reinterpret_cast<CUdeviceptr>(operands[i]),
                        static_cast<size_t>(operand_bytes_[i]), gpu.stream(kCallStream)),
                    "cuMemcpyDtoHAsync for a custom call"));
    }
    for (size_t r = 0; r < result_bytes_.size(); ++r) {
      // A result that lies over an operand does so on the host, too.
      PinnedPtr pinned;
      if (aliases_[r] >= 0) {
        pinned = call.operands[static_cast<size_t>(aliases_[r])];
      } else {
        PLINTH_ASSIGN_OR_RETURN(pinned, gpu.pinned().Allocate(result_bytes_[r]));
      }
      call.host_results.push_back(pinned.get());
      call.results.push_back(std::move(pinned));
    }
    call.scratch.resize(static_cast<size_t>(step_->scratch_bytes() + backend::kStorageAlignment));
    void* begin = call.scratch.data();
    size_t room = call.scratch.size();
    const auto size = static_cast<size_t>(step_->scratch_bytes());
    std::align(static_cast<size_t>(backend::kStorageAlignment), size, begin, room);
    call.context.scratch = {static_cast<std::byte*>(begin), size};
    return Status();
  }

  Status CallAndCopyIn(const std::shared_ptr<HostCall>& call) const {
    Gpu& gpu = *call->gpu;
    PLINTH_RETURN_IF_ERROR(Enter(*step_, call->host_operands, call->host_results, call->context));
    const Gpu::Current current(gpu);
    Status status;
    for (size_t r = 0; r < result_bytes_.size() && status.ok(); ++r) {
      if (result_bytes_[r] == 0) continue;
      status = gpu.Check(
          gpu.api().cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(call->device_results[r]),
                                      call->host_results[r], static_cast<size_t>(result_bytes_[r]),
                                      gpu.stream(kCallStream)),
          "cuMemcpyHtoDAsync of a custom call");
    }
    Expected<EventPtr> copied = status.ok() ? gpu.Record(kCallStream) : status;
    if (!copied.ok()) {
      gpu.api().cuStreamSynchronize(gpu.stream(kCallStream));
      return copied.status();
    }
    // The pinned memory stays until the copies are over.
    gpu.WhenOver(kCallStream, *std::move(copied), [results = call->results](const Status&) {});
    return Status();
  }

  const std::unique_ptr<PreparedStep> step_;
  const std::vector<int32_t> aliases_;
  std::vector<int64_t> operand_bytes_, result_bytes_;
};

class DeviceCallStep final : public PreparedStep {
 public:
  explicit DeviceCallStep(std::unique_ptr<PreparedStep> step) : step_(std::move(step)) {}

  bool may_wait() const override { return step_->may_wait(); }
  bool may_pause() const override { return true; }
  int64_t scratch_bytes() const override { return step_->scratch_bytes(); }

  Outcome Run(std::span<void* const> operands, std::span<void* const> results,
              const RunContext& context) const override {
    std::vector<void*> in(operands.begin(), operands.end()), out(results.begin(), results.end());
    auto done = std::make_shared<sdk::EventSource>();
    sdk::Event over = done->event();
    EnterElsewhere(context, [this, in = std::move(in), out = std::move(out), context, done] {
      Status status;
      {
        const Gpu::Current current(static_cast<Gpu&>(*context.queue));
        status = Enter(*step_, in, out, context);
      }
      done->Set(status);
    });
    return Outcome::WaitFor(std::move(over));
  }

 private:
  const std::unique_ptr<PreparedStep> step_;
};

}  // namespace

Expected<std::unique_ptr<PreparedStep>> AdaptCall(std::unique_ptr<PreparedStep> step,
                                                  const backend::CustomCall& call,
                                                  backend::CallPlace place) {
  if (place == backend::CallPlace::kHost) {
    return std::unique_ptr<PreparedStep>(new HostCallStep(std::move(step), call));
  }
  if (call.api_version != kTypedApiVersion) {
    return Unimplemented(
        "functions of platform CUDA are called as typed handlers of the XLA FFI; "
        "this call is of api_version ",
        call.api_version);
  }
  return std::unique_ptr<PreparedStep>(new DeviceCallStep(std::move(step)));
}

}  // namespace plinth::cuda

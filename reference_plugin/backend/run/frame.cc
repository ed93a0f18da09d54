// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/run/frame.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "reference_plugin/backend/host/floating_point_modes.h"
#include "reference_plugin/backend/host/thread_scratch.h"

namespace plinth::backend {
namespace {

using compiler::plan::AllocationKind;
using compiler::plan::PlanStepKind;

// Arena and scratch up to this size are kept by each thread from run to run.
constexpr int64_t kThreadMemory = 1 << 20;

constexpr int64_t kCopyGrain = 256 << 10;  // bytes

// Memory of this thread that is free between runs, at least `size` bytes.
std::byte* ThreadMemory(int64_t size) {
  constexpr uint64_t kLeast = 16 << 10;
  thread_local ThreadScratch memory;
  return memory.Get(
      static_cast<int64_t>(std::bit_ceil(std::max(kLeast, static_cast<uint64_t>(size)))));
}

void Copy(ThreadPool* pool, std::byte* to, const std::byte* from, int64_t size) {
  ParallelFor(pool, size, kCopyGrain, [=](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

// Copies of up to so many bytes, one element mostly, are no more than a few moves.
constexpr int64_t kSmallCopy = 64;

void CopySmall(std::byte* to, const std::byte* from, int64_t size) {
  switch (size) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, size);
  }
}

int32_t ReadIndex(const std::byte* data) {
  int32_t index;
  std::memcpy(&index, data, sizeof(index));
  return index;
}

}  // namespace

Frame::Frame(const PreparedProgram& program, Runtime& runtime, const Lane& lane, CallContext* call)
    : program_(program),
      runtime_(runtime),
      stop_too_(lane.stop),
      bases_(program.plan_.allocations.size()),
      owned_(bases_.size()),
      arrays_(std::max(program.most_arrays_, 1)) {
  context_.pool = lane.computes_alone ? nullptr : &runtime.threads;
  context_.stop = &runtime.stop;
  context_.device = lane.device;
  context_.partition_id = lane.partition_id;
  context_.replica_id = lane.replica_id;
  context_.call = call;
}

Status Frame::Bind(std::span<RunArgument> arguments) {
  const int64_t size = program_.memory_size();
  // Foreign code may run another program on this thread, which would take the thread's memory; a
  // run that waits goes on while the thread runs others.
  const bool may_stop = program_.may_pause_ || program_.num_meetings_ > 0;
  if (size > kThreadMemory || (size > 0 && (program_.may_wait_ || may_stop))) {
    PLINTH_ASSIGN_OR_RETURN(pooled_, runtime_.memory->Allocate(size, context_.device));
    memory_ = pooled_->data();
  } else if (size > 0) {
    memory_ = ThreadMemory(size);
    if (memory_ == nullptr) return ResourceExhausted("the system gave no ", size, " bytes");
  }
  context_.scratch = {memory_ + program_.scratch_offset(),
                      static_cast<size_t>(program_.scratch_bytes_)};
  PLINTH_RETURN_IF_ERROR(BindStorages(arguments));
  return program_.num_slots_ > 0 ? BindLoops() : Status();
}

// What has to live beyond the run, or be given back after it, is put into owned_.
Status Frame::BindStorages(std::span<RunArgument> arguments) {
  for (size_t s = 0; s < bases_.size(); ++s) {
    const compiler::plan::Allocation& allocation = program_.plan_.allocations[s];
    switch (allocation.kind) {
      case AllocationKind::kArena:
        bases_[s] = memory_ + allocation.arena_offset;
        continue;
      case AllocationKind::kConstant:
        bases_[s] = program_.constants_[s]->data();
        continue;
      case AllocationKind::kOutput: {
        if (program_.IsShared(s)) continue;  // until the lanes meet
        PLINTH_ASSIGN_OR_RETURN(owned_[s],
                                runtime_.memory->Allocate(allocation.size, context_.device));
        break;
      }
      case AllocationKind::kArgument: {
        RunArgument& argument = arguments[allocation.index];
        Storage& storage = argument.lent != nullptr ? *argument.lent : *argument.storage;
        const bool may_write =
            argument.is_donated && !storage.is_borrowed() && storage.IsExclusive();
        if (allocation.donated && !may_write) {
          PLINTH_ASSIGN_OR_RETURN(owned_[s],
                                  runtime_.memory->Allocate(allocation.size, context_.device));
          Copy(context_.pool, owned_[s]->data(), storage.data(), allocation.size);
          break;
        }
        bases_[s] = storage.data();
        owned_[s] = std::move(argument.storage);
        continue;
      }
    }
    bases_[s] = owned_[s]->data();
  }
  return Status();
}

Status Frame::BindLoops() {
  slots_ = reinterpret_cast<std::byte**>(memory_ + program_.slots_offset());
  for (const Step& step : program_.steps_) {
    if (step.bindable == nullptr) continue;
    const std::span<void* const> found = ArraysOf(step);
    PLINTH_RETURN_IF_ERROR(
        step.bindable->Bind(found.first(step.num_operands), found.subspan(step.num_operands),
                            memory_ + program_.registers_offset(), slots_ + step.first_slot));
  }
  return Status();
}

// The addresses of a step's operands, then of its results, in arrays_.
std::span<void* const> Frame::ArraysOf(const Step& step) {
  const int32_t* allocations = program_.array_allocations_.data() + step.first_array;
  const int32_t count = step.num_operands + step.num_results;
  for (int32_t i = 0; i < count; ++i) arrays_[i] = bases_[allocations[i]];
  return {arrays_.data(), static_cast<size_t>(count)};
}

Outcome Frame::RunStep(const Step& step) {
  const std::span<void* const> found = ArraysOf(step);
  std::optional<DefaultFloatingPoint> modes;  // which foreign code may change
  if (program_.may_wait_ && step.prepared->may_wait()) modes.emplace();
  return step.prepared->Run(found.first(step.num_operands), found.subspan(step.num_operands),
                            context_);
}

Status Frame::RunLoop(const NativeLoop& loop, const Step** next) {
  static constexpr std::atomic<bool> kNever = false;
  // What its calls need, and what the one that failed has said.
  struct Caller {
    Frame* frame;
    Status failure;
  };
  Caller caller{this, Status()};
  NativeFrame frame;
  frame.bases = bases_.data();
  frame.slots = slots_;
  frame.stop = context_.stop;
  frame.stop_too = stop_too_ != nullptr ? stop_too_ : &kNever;
  frame.run = &caller;
  frame.run_step = [](void* run, int32_t step) {
    auto& self = *static_cast<Caller*>(run);
    const Outcome outcome =
        self.frame->RunStep(self.frame->program_.steps_[static_cast<size_t>(step)]);
    if (!outcome.is_done()) self.failure = outcome.status();
    return outcome.is_done();
  };
  const int32_t step = loop.Run(frame);
  if (step == NativeLoop::kStopped) return StopStatus();
  if (step == NativeLoop::kFailed) return caller.failure;
  *next = program_.steps_.data() + step;
  return Status();
}

// Why the run ends, if it has to.
Status Frame::StopStatus() const {
  if (context_.stop->load(std::memory_order_relaxed)) {
    return Status(StatusCode::kCancelled, "the client was destroyed while the program ran");
  }
  if (stop_too_ != nullptr && stop_too_->load(std::memory_order_relaxed)) {
    return Status(StatusCode::kCancelled, "the program failed on another device");
  }
  return Status();
}

Outcome Frame::Run(Calls calls) {
  const DefaultFloatingPoint modes(runtime_.subnormals);
  PLINTH_RETURN_IF_ERROR(std::exchange(waited_for_, {}).status());
  const Step* const first = program_.steps_.data();
  const Step* const last = first + program_.steps_.size();
  for (const Step* next = first + next_; next != last;) {
    const Step& step = *next++;
    if (step.loop != nullptr) [[unlikely]] {
      PLINTH_RETURN_IF_ERROR(RunLoop(*step.loop, &next));
      continue;
    }
    switch (step.kind) {
      case PlanStepKind::kKernel:
        if (step.bindable != nullptr) {
          step.bindable->RunBound(slots_ + step.first_slot);
          continue;
        }
        [[fallthrough]];
      case PlanStepKind::kLibrary: {
        if (step.collective != nullptr) [[unlikely]] {
          ArraysOf(step);
          return StopAt(Place::kCollective, next);
        }
        const bool is_call = calls != Calls::kAll && step.prepared->may_wait();
        if (is_call && calls == Calls::kNone) return StopAt(Place::kBeforeCall, &step);
        Outcome outcome = RunStep(step);
        if (outcome.is_done()) [[likely]] {
          if (!is_call) break;
          return StopAt(Place::kAfterCall, next);
        }
        if (outcome.waits()) {
          next_ = static_cast<size_t>(next - first);
          place_ = Place::kEvent;
          waited_for_ = outcome.over();
        }
        return outcome;
      }
      case PlanStepKind::kCopy:
        if (step.copy_bytes <= kSmallCopy) {
          CopySmall(Array(step, 1), Array(step, 0), step.copy_bytes);
          continue;
        }
        Copy(context_.pool, Array(step, 1), Array(step, 0), step.copy_bytes);
        break;
      case PlanStepKind::kJump:
        next = first + step.targets[0];
        break;
      case PlanStepKind::kJumpUnless:
        if (*Array(step, 0) == std::byte{0}) next = first + step.targets[0];
        break;
      case PlanStepKind::kSwitch: {
        const int32_t index = ReadIndex(Array(step, 0));
        const int32_t others = static_cast<int32_t>(step.targets.size()) - 1;
        next = first + step.targets[index < 0 || index > others ? others : index];
        break;
      }
    }
    // What takes little time does not get here; every loop does, at its jumps.
    PLINTH_RETURN_IF_ERROR(StopStatus());
  }
  next_ = program_.steps_.size();
  return Status();
}

Outcome Frame::StopAt(Place place, const Step* next) {
  next_ = static_cast<size_t>(next - program_.steps_.data());
  place_ = place;
  return Outcome::WaitFor(sdk::Event());
}

Frame::Meeting Frame::meeting() const {
  const Step& step = program_.steps_[next_ - 1];
  const std::span<void* const> found(arrays_.data(),
                                     static_cast<size_t>(step.num_operands + step.num_results));
  return {step.collective,
          step.first_meeting,
          static_cast<int32_t>(next_ - 1),
          {found.first(step.num_operands), found.subspan(step.num_operands)},
          step.shared_results};
}

void Frame::ShareResult(int32_t result, StoragePtr storage) {
  const Step& step = program_.steps_[next_ - 1];
  const int32_t array = step.num_operands + result;
  const int32_t allocation = program_.array_allocations_[step.first_array + array];
  bases_[allocation] = storage->data();
  arrays_[array] = storage->data();
  owned_[allocation] = std::move(storage);
}

void Frame::TakeOutputs(std::span<StoragePtr> outputs) {
  for (size_t o = 0; o < outputs.size(); ++o) {
    outputs[o] = std::move(owned_[program_.plan_.outputs[o].allocation]);
  }
}

}  // namespace plinth::backend

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/runtime/program_run.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "reference_plugin/backend/run/prepared_program.h"
#include "reference_plugin/cuda/runtime/device_memory.h"
#include "reference_plugin/cuda/runtime/transfers.h"

namespace plinth::cuda {
namespace {

using backend::Contents;
using backend::ContentsPtr;
using backend::Outcome;
using backend::PreparedProgram;
using backend::StoragePtr;
using compiler::plan::AllocationKind;
using compiler::plan::PlanRegion;
using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

constexpr StreamKind kStream = StreamKind::kCompute;

class ProgramRun : public std::enable_shared_from_this<ProgramRun> {
 public:
  ProgramRun(std::shared_ptr<Gpu> gpu, std::shared_ptr<backend::Runtime> runtime,
             backend::DeviceRunRequest request);

  backend::DeviceRun Start();

 private:
  void GoOnWhen(const sdk::Event& event);
  void GoOn(const Status& waited);
  Outcome Enqueue();
  Status Begin();
  Status Bind();
  Expected<StoragePtr> BindArgument(const compiler::plan::Allocation& allocation);
  // Goes to the next step, which depends on what the device has computed: waits, on the way to
  // another thread if it is long, unless a loop's turns are known.
  Outcome Choose(const PlanStep& step);
  void Jump(const PlanStep& step);
  // Whether this thread may stay with the run until the device has done a little.
  bool MayPoll();
  Outcome RunStep(size_t number);
  Outcome RunCombined(const backend::CombinedStep& combined);
  Status Finish();
  void Fail(const Status& status);
  Status Named(const Status& status) const {
    return status.WithContext(StrCat("program '", plan_.name, "'"));
  }

  std::byte* Array(const compiler::plan::ArrayRef& array) const {
    return bases_[static_cast<size_t>(array.allocation)];
  }

  const std::shared_ptr<Gpu> gpu_;
  const std::shared_ptr<backend::Runtime> runtime_;
  backend::DeviceRunRequest request_;
  const PreparedProgram& program_;
  const compiler::plan::Plan& plan_;
  std::vector<ContentsPtr> outputs_;
  std::vector<sdk::Event> inputs_ready_;
  sdk::EventSource placed_, done_;

  // From Begin on.
  bool has_begun_ = false;
  size_t next_ = 0;
  StoragePtr memory_;  // arena and scratch
  std::vector<StoragePtr> owned_;
  std::vector<std::byte*> bases_;
  backend::RunContext context_;
  std::map<size_t, double> turns_;  // left, of the loops that run, by their test
  PinnedPtr read_back_;             // the predicate or index that the step before next_ needs
  bool is_elsewhere_ = false;       // on a thread of the runtime, no longer on the caller's
  int polls_ = 0;                   // since the thread was last left
};

ProgramRun::ProgramRun(std::shared_ptr<Gpu> gpu, std::shared_ptr<backend::Runtime> runtime,
                       backend::DeviceRunRequest request)
    : gpu_(std::move(gpu)),
      runtime_(std::move(runtime)),
      request_(std::move(request)),
      program_(*request_.program),
      plan_(program_.plan()) {
  outputs_.resize(plan_.outputs.size());
  for (ContentsPtr& output : outputs_) {
    output = ContentsPtr::Make();
    output->placed = placed_.event();
    output->ready = done_.event();
  }
}

backend::DeviceRun ProgramRun::Start() {
  backend::DeviceRun run{outputs_, done_.event()};
  std::vector<sdk::Event> pending;
  for (const backend::ExecutionInput& input : request_.inputs) {
    if (!input.contents->placed.IsReady()) pending.push_back(input.contents->placed);
    inputs_ready_.push_back(input.contents->ready);
  }
  if (pending.empty()) {
    GoOn(Status());
  } else {
    GoOnWhen(sdk::Event::All(pending));
  }
  return run;
}

void ProgramRun::GoOnWhen(const sdk::Event& event) {
  event.OnReady([self = shared_from_this()](const Status& status) {
    self->runtime_->threads.Schedule([self, status] {
      self->is_elsewhere_ = true;
      self->polls_ = 0;
      self->GoOn(status);
    });
  });
}

// `waited`: how what the run waited for ended. Begin finds the errors of inputs by itself.
void ProgramRun::GoOn(const Status& waited) {
  const Gpu::Current current(*gpu_, plan_.name);
  Outcome outcome = has_begun_ && !waited.ok() ? Outcome(waited) : Enqueue();
  if (outcome.waits()) return GoOnWhen(outcome.over());
  Status status = outcome.status();
  if (status.ok()) status = Finish();
  if (!status.ok()) Fail(Named(status));
}

Outcome ProgramRun::Enqueue() {
  if (!has_begun_) {
    PLINTH_RETURN_IF_ERROR(Begin());
    has_begun_ = true;
  }
  if (read_back_ != nullptr) Jump(plan_.steps[next_ - 1]);
  while (next_ < plan_.steps.size()) {
    if (runtime_->stop.load(std::memory_order_relaxed)) {
      return Status(StatusCode::kCancelled, "the client was destroyed while the program ran");
    }
    const size_t number = next_++;
    Outcome outcome = RunStep(number);
    if (!outcome.is_done()) return outcome;
  }
  return Status();
}

Outcome ProgramRun::RunStep(size_t number) {
  const PlanStep& step = plan_.steps[number];
  if (const backend::CombinedStep* combined = program_.CombinedAt(number)) {
    return RunCombined(*combined);
  }
  switch (step.kind) {
    case PlanStepKind::kKernel:
    case PlanStepKind::kLibrary: {
      SmallVector<void*, 16> arrays(step.operands.size() + step.results.size() + 1);
      size_t count = 0;
      for (const auto& operand : step.operands) arrays[count++] = Array(operand);
      for (const auto& result : step.results) arrays[count++] = Array(result);
      const std::span<void* const> all(arrays.data(), count);
      return program_.prepared(number).Run(all.first(step.operands.size()),
                                           all.subspan(step.operands.size()), context_);
    }
    case PlanStepKind::kCopy: {
      const auto size = static_cast<size_t>(step.results[0].type.SizeInBytes());
      if (size == 0) return Status();
      return gpu_->Check(
          gpu_->api().cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(Array(step.results[0])),
                                        reinterpret_cast<CUdeviceptr>(Array(step.operands[0])),
                                        size, gpu_->stream(kStream)),
          "cuMemcpyDtoDAsync");
    }
    case PlanStepKind::kJump:
      next_ = static_cast<size_t>(step.targets[0]);
      return Status();
    case PlanStepKind::kJumpUnless:
    case PlanStepKind::kSwitch:
      return Choose(step);
  }
  return Status();
}

Outcome ProgramRun::RunCombined(const backend::CombinedStep& combined) {
  std::vector<void*> operands, results;
  for (size_t s = combined.begin; s < combined.end; ++s) {
    for (const auto& operand : plan_.steps[s].operands) operands.push_back(Array(operand));
    for (const auto& result : plan_.steps[s].results) results.push_back(Array(result));
  }
  next_ = combined.end;
  return combined.step->Run(operands, results, context_);
}

Outcome ProgramRun::Choose(const PlanStep& step) {
  const size_t test = next_ - 1;
  for (const PlanRegion& region : plan_.regions) {
    if (region.kind != PlanRegion::Kind::kLoop || static_cast<size_t>(region.test) != test)
      continue;
    if (!std::isfinite(region.trips)) break;
    const auto left = turns_.try_emplace(test, region.trips).first;
    if (left->second > 0) {
      --left->second;
      return Status();
    }
    turns_.erase(left);
    next_ = static_cast<size_t>(step.targets[0]);
    return Status();
  }
  const auto size = static_cast<size_t>(step.operands[0].type.SizeInBytes());
  PLINTH_ASSIGN_OR_RETURN(read_back_, gpu_->pinned().Allocate(static_cast<int64_t>(size)));
  PLINTH_RETURN_IF_ERROR(gpu_->Check(
      gpu_->api().cuMemcpyDtoHAsync(read_back_.get(),
                                    reinterpret_cast<CUdeviceptr>(Array(step.operands[0])), size,
                                    gpu_->stream(kStream)),
      "cuMemcpyDtoHAsync"));
  PLINTH_ASSIGN_OR_RETURN(EventPtr event, gpu_->Record(kStream));
  // An error is found once more below, by whoever keeps read_back_ until nothing is enqueued.
  if (const Expected<bool> is_over = MayPoll() ? gpu_->IsOverSoon(event) : false;
      is_over.ok() && *is_over) {
    Jump(step);
    return Status();
  }
  auto arrived = std::make_shared<sdk::EventSource>();
  sdk::Event over = arrived->event();
  gpu_->WhenOver(
      kStream, std::move(event),
      [arrived, pinned = read_back_, self = shared_from_this()](const Status& status) {
        arrived->Set(status);
      },
      plan_.name);
  return Outcome::WaitFor(std::move(over));
}

// Turns of a loop are shorter than the way to another thread and back; but others wait for this
// one.
bool ProgramRun::MayPoll() {
  constexpr int kMostPolls = 256;
  return is_elsewhere_ && ++polls_ <= kMostPolls;
}

void ProgramRun::Jump(const PlanStep& step) {
  if (step.kind == PlanStepKind::kJumpUnless) {
    if (*read_back_ == std::byte{0}) next_ = static_cast<size_t>(step.targets[0]);
  } else {
    int32_t index = 0;
    std::memcpy(&index, read_back_.get(), sizeof(index));
    const auto others = static_cast<int32_t>(step.targets.size()) - 1;
    const int32_t chosen = index < 0 || index > others ? others : index;
    next_ = static_cast<size_t>(step.targets[static_cast<size_t>(chosen)]);
  }
  read_back_ = nullptr;
}

Status ProgramRun::Begin() {
  for (const sdk::Event& ready : inputs_ready_) {
    if (ready.IsReady()) PLINTH_RETURN_IF_ERROR(ready.status());
  }
  for (const backend::ExecutionInput& input : request_.inputs) {
    PLINTH_RETURN_IF_ERROR(input.contents->placed.status());
  }
  return Bind();
}

Status ProgramRun::Bind() {
  owned_.resize(plan_.allocations.size());
  bases_.resize(plan_.allocations.size());
  if (const int64_t size = program_.memory_size(); size > 0) {
    PLINTH_ASSIGN_OR_RETURN(memory_, gpu_->Allocate(size, kStream));
    context_.scratch = {memory_->data() + program_.scratch_offset(),
                        static_cast<size_t>(program_.scratch_bytes())};
  }
  context_.stop = &runtime_->stop;
  context_.queue = gpu_.get();
  context_.device = request_.lane.device;
  context_.partition_id = request_.lane.partition_id;
  context_.replica_id = request_.lane.replica_id;
  context_.call = request_.call.get();
  for (size_t s = 0; s < owned_.size(); ++s) {
    const compiler::plan::Allocation& allocation = plan_.allocations[s];
    switch (allocation.kind) {
      case AllocationKind::kArena:
        // Without memory all are empty.
        if (memory_) bases_[s] = memory_->data() + allocation.arena_offset;
        continue;
      case AllocationKind::kConstant: {
        PLINTH_ASSIGN_OR_RETURN(owned_[s], gpu_->Constant(allocation.constant));
        PLINTH_RETURN_IF_ERROR(DeviceBlock::Of(owned_[s])->BeforeRead(kStream));
        break;
      }
      case AllocationKind::kOutput: {
        PLINTH_ASSIGN_OR_RETURN(owned_[s], gpu_->Allocate(allocation.size, kStream));
        break;
      }
      case AllocationKind::kArgument: {
        PLINTH_ASSIGN_OR_RETURN(owned_[s], BindArgument(allocation));
        break;
      }
    }
    bases_[s] = owned_[s]->data();
  }
  return Status();
}

Expected<StoragePtr> ProgramRun::BindArgument(const compiler::plan::Allocation& allocation) {
  backend::RunArgument argument =
      TakeArgument(request_.inputs[static_cast<size_t>(allocation.index)]);
  DeviceBlock* block = DeviceBlock::Of(argument.storage);
  if (block == nullptr) return argument.storage;  // a token
  // Programs read and write memory of the device.
  if (block->is_host()) return CopyOnDevice(argument.storage);
  if (!allocation.donated) {
    PLINTH_RETURN_IF_ERROR(block->BeforeRead(kStream));
    return std::move(argument.storage);
  }
  if (argument.is_donated && !argument.storage->is_borrowed() && argument.storage->IsExclusive()) {
    PLINTH_RETURN_IF_ERROR(block->BeforeWrite(kStream));
    return std::move(argument.storage);
  }
  return CopyOnDevice(argument.storage);
}

Status ProgramRun::Finish() {
  PLINTH_ASSIGN_OR_RETURN(EventPtr event, gpu_->Record(kStream));
  for (size_t o = 0; o < outputs_.size(); ++o) {
    if (plan_.output_types[o].kind == compiler::Type::Kind::kToken) {
      outputs_[o]->storage = backend::TokenStorage();
      continue;
    }
    StoragePtr& storage = owned_[static_cast<size_t>(plan_.outputs[o].allocation)];
    DeviceBlock::Of(storage)->Wrote(kStream, event);
    outputs_[o]->storage = std::move(storage);
  }
  // What the run alone needed is freed in the order of the stream.
  outputs_.clear();
  owned_.clear();
  memory_ = StoragePtr();
  request_.inputs.clear();
  placed_.Set();
  gpu_->WhenOver(
      kStream, std::move(event),
      [self = shared_from_this()](const Status& status) {
        // Inputs that were enqueued before are over, but their own threads may not have said so
        // yet.
        sdk::Event::All(self->inputs_ready_).OnReady([self, status](const Status& inputs) {
          self->request_.call = nullptr;  // What handlers kept is gone when the run is over.
          self->done_.Set(!inputs.ok() ? inputs : status.ok() ? status : self->Named(status));
        });
      },
      plan_.name);
  return Status();
}

void ProgramRun::Fail(const Status& status) {
  outputs_.clear();
  owned_.clear();
  memory_ = StoragePtr();
  request_.inputs.clear();
  request_.call = nullptr;
  // Kernels that are enqueued already stay loaded, with their program, until they have run.
  if (has_begun_) {
    if (Expected<EventPtr> over = gpu_->Record(kStream); over.ok()) {
      gpu_->WhenOver(kStream, *std::move(over), [self = shared_from_this()](const Status&) {});
    }
  }
  placed_.Set(status);
  done_.Set(status);
}

}  // namespace

backend::DeviceRun StartRun(std::shared_ptr<Gpu> gpu, std::shared_ptr<backend::Runtime> runtime,
                            backend::DeviceRunRequest request) {
  return std::make_shared<ProgramRun>(std::move(gpu), std::move(runtime), std::move(request))
      ->Start();
}

}  // namespace plinth::cuda

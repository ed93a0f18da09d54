// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/launch.h"

#include <cxxabi.h>

#include <exception>
#include <new>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/executable/callbacks_elsewhere.h"
#include "reference_plugin/backend/host/floating_point_modes.h"

namespace plinth::backend {

bool HasOnlyTokens(const PreparedProgram& program) {
  for (size_t o = 0; o < program.plan().outputs.size(); ++o) {
    if (!IsToken(program, o)) return false;
  }
  return true;
}

RunArgument TakeArgument(ExecutionInput& input) {
  bool is_last_reader = input.is_donated && input.contents.IsExclusive();
  RunArgument argument{
      is_last_reader ? std::move(input.contents->storage) : input.contents->storage,
      input.is_donated};
  input.contents = nullptr;
  return argument;
}

Launch::Launch(std::shared_ptr<Runtime> runtime, std::shared_ptr<const PreparedProgram> program,
               std::vector<ExecutionInput> inputs, std::span<const Lane> lanes,
               std::vector<std::unique_ptr<CallContext>> calls)
    : runtime_(std::move(runtime)),
      program_(std::move(program)),
      order_(runtime_->num_launches.fetch_add(1, std::memory_order_relaxed)),
      inputs_(std::move(inputs)),
      outputs_(lanes.size() * num_outputs()),
      lanes_(lanes.size()),
      leaves_for_calls_(program_->may_wait() && lanes.size() > 1),
      arrived_(static_cast<size_t>(program_->num_meetings())),
      num_active_(static_cast<int32_t>(lanes.size())) {
  const bool are_many = static_cast<int>(lanes.size()) >= runtime_->threads.parallelism();
  for (size_t l = 0; l < lanes.size(); ++l) {
    lanes_[l].lane = lanes[l];
    lanes_[l].lane.computes_alone = are_many && lanes.size() > 1;
    lanes_[l].lane.stop = &has_failed_;
    if (!calls.empty()) lanes_[l].call = std::move(calls[l]);
  }
  for (size_t o = 0; o < outputs_.size(); ++o) {
    const bool is_token = IsToken(*program_, o % num_outputs());
    if (is_token && !over_.has_value()) over_.emplace();
    outputs_[o] = ContentsPtr::Make();
    outputs_[o]->ready = is_token ? over_->event() : done_.event();
  }
}

std::span<ExecutionInput> Launch::InputsOf(int32_t lane) {
  const size_t count = inputs_.size() / lanes_.size();
  return std::span(inputs_).subspan(static_cast<size_t>(lane) * count, count);
}

void Launch::RunHere() {
  runs_here_ = true;
  for (size_t l = 0; l < lanes_.size(); ++l) ready_.push_back(static_cast<int32_t>(l));
  while (!ready_.empty()) {
    const int32_t lane = ready_.front();
    ready_.pop_front();
    GoOn(lane, Frame::Calls::kAll);
  }
}

void Launch::Start() {
  std::vector<int32_t> ready;
  std::vector<sdk::Event> pending;
  for (size_t l = 0; l < lanes_.size(); ++l) {
    const auto lane = static_cast<int32_t>(l);
    pending.clear();
    for (const ExecutionInput& input : InputsOf(lane)) {
      if (!input.contents->ready.IsReady()) pending.push_back(input.contents->ready);
    }
    if (pending.empty()) {
      ready.push_back(lane);
    } else {
      GoOnWhen(lane, sdk::Event::All(pending));
    }
  }
  MakeReady(ready, /*takes_turn=*/false);
}

// Errors are found by Compute, which looks at every input and at what a step waited for.
void Launch::GoOnWhen(int32_t lane, const sdk::Event& ready) {
  ready.OnReady([self = shared_from_this(), lane](const Status&) { self->MakeReady({&lane, 1}); });
}

void Launch::MakeReady(std::span<const int32_t> lanes, bool takes_turn) {
  if (lanes.empty()) return;
  if (runs_here_) {
    ready_.insert(ready_.end(), lanes.begin(), lanes.end());
    return;
  }
  if (!program_->may_wait() || leaves_for_calls_) {
    runtime_->lanes.Push(order_, shared_from_this(), lanes);
    return;
  }
  for (int32_t lane : lanes) {
    auto run = [self = shared_from_this(), lane] { self->RunLane(lane); };
    if (takes_turn) {
      runtime_->waiting.Enqueue(std::move(run));
    } else {
      runtime_->waiting.Run(std::move(run));
    }
  }
}

void Launch::RunLane(int32_t lane) {
  const CallbacksElsewhere elsewhere(*runtime_);
  GoOn(lane, leaves_for_calls_ ? Frame::Calls::kNone : Frame::Calls::kAll);
}

void Launch::GoOn(int32_t lane, Frame::Calls calls) {
  Outcome outcome = ComputeGuarded(lane, calls);
  while (outcome.waits()) {
    switch (lanes_[static_cast<size_t>(lane)].frame->place()) {
      case Frame::Place::kEvent:
        return GoOnWhen(lane, outcome.over());
      case Frame::Place::kCollective:
        if (!Meet(lane)) return;
        break;
      case Frame::Place::kBeforeCall:
        runtime_->waiting.Enqueue([self = shared_from_this(), lane] {
          const CallbacksElsewhere elsewhere(*self->runtime_);
          self->GoOn(lane, Frame::Calls::kOne);
        });
        return;
      case Frame::Place::kAfterCall:
        return MakeReady({&lane, 1});
    }
    outcome = ComputeGuarded(lane, calls);
  }
  End(lane, outcome.status());
}

// No exception may end a thread of the pool: the host process would end with it.
Outcome Launch::ComputeGuarded(int32_t lane, Frame::Calls calls) {
  try {
    return Compute(lane, calls);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("program '", program_->plan().name, "': out of host memory");
  } catch (const std::exception& exception) {
    return Internal("program '", program_->plan().name, "': ", exception.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // Python ends the threads of others so when it exits.
  } catch (...) {
    return Internal("program '", program_->plan().name, "': foreign code threw an exception");
  }
}

// Goes on with the run, which may be its begin.
Outcome Launch::Compute(int32_t lane, Frame::Calls calls) {
  if (has_failed_.load(std::memory_order_relaxed)) {
    return Status(StatusCode::kCancelled, "the program failed on another device");
  }
  LaneState& state = lanes_[static_cast<size_t>(lane)];
  if (!state.frame.has_value()) PLINTH_RETURN_IF_ERROR(Begin(lane));
  Outcome outcome = state.frame->Run(calls);
  if (!outcome.is_done()) return outcome;
  std::vector<StoragePtr> storages(num_outputs());
  state.frame->TakeOutputs(storages);
  for (size_t o = 0; o < storages.size(); ++o) {
    output(static_cast<size_t>(lane), o)->storage = std::move(storages[o]);
  }
  return outcome;
}

Status Launch::Begin(int32_t lane) {
  const std::span<ExecutionInput> inputs = InputsOf(lane);
  for (const ExecutionInput& input : inputs) {
    PLINTH_RETURN_IF_ERROR(input.contents->ready.status());
  }
  std::vector<RunArgument> arguments;
  arguments.reserve(inputs.size());
  for (ExecutionInput& input : inputs) arguments.push_back(TakeArgument(input));
  LaneState& state = lanes_[static_cast<size_t>(lane)];
  state.frame.emplace(*program_, *runtime_, state.lane, state.call.get());
  return state.frame->Bind(arguments);
}

// The lane stands at a collective. Whether it goes on; else another thread may run it already.
bool Launch::Meet(int32_t lane) {
  const Frame::Meeting meeting = lanes_[static_cast<size_t>(lane)].frame->meeting();
  const LaneGroups& groups = meeting.collective->groups();
  const int32_t group = groups.GroupOf(lane);
  const std::span<const int32_t> members = group < 0 ? std::span(&lane, 1) : groups.Members(group);
  const auto others = static_cast<int32_t>(members.size()) - 1;
  if (others > 0) {
    const std::lock_guard lock(mutex_);
    int32_t& arrived = arrived_[static_cast<size_t>(meeting.first) + static_cast<size_t>(group)];
    if (has_failed_.load(std::memory_order_relaxed)) return true;  // and ends there
    if (arrived < others && num_active_ > 1) {
      ++arrived;
      lanes_[static_cast<size_t>(lane)].parked_at = meeting.step;
      ++num_parked_;
      --num_active_;
      return false;
    }
    if (arrived < others) {
      lanes_[static_cast<size_t>(lane)].parked_at = meeting.step;
      Fail(NobodyGoesOn());
      return true;
    }
    arrived = 0;
    num_parked_ -= others;
    num_active_ += others;
    for (int32_t member : members) lanes_[static_cast<size_t>(member)].parked_at = -1;
  }
  if (Status status = Work(meeting, group, members); !status.ok()) {
    const std::lock_guard lock(mutex_);
    Fail(std::move(status));
  }
  if (others > 0) {
    std::vector<int32_t> ready;
    ready.reserve(members.size());
    for (int32_t member : members) {
      if (member != lane) ready.push_back(member);
    }
    MakeReady(ready);
  }
  return true;
}

// The work of a collective at which all of the group are.
Status Launch::Work(const Frame::Meeting& meeting, int32_t group,
                    std::span<const int32_t> members) {
  const DefaultFloatingPoint modes(runtime_->subnormals);
  try {
    for (int32_t result : meeting.shared) {
      const compiler::plan::ArrayRef& array =
          program_->plan().steps[static_cast<size_t>(meeting.step)].results[result];
      const int32_t device = lanes_[static_cast<size_t>(members[0])].lane.device;
      PLINTH_ASSIGN_OR_RETURN(StoragePtr storage,
                              runtime_->memory->Allocate(array.type.SizeInBytes(), device));
      for (int32_t member : members) {
        lanes_[static_cast<size_t>(member)].frame->ShareResult(result, storage);
      }
    }
    SmallVector<CollectiveStep::Participant, 8> participants;
    for (int32_t member : members) {
      participants.push_back(lanes_[static_cast<size_t>(member)].frame->meeting().self);
    }
    RunContext context;
    context.pool = &runtime_->threads;
    context.stop = &runtime_->stop;
    Status status =
        meeting.collective->Meet(group, {participants.data(), participants.size()}, context);
    return status.ok() ? status : status.WithContext(PlaceOf(meeting.step));
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("program '", program_->plan().name, "': out of host memory");
  }
}

void Launch::End(int32_t lane, Status status) {
  LaneState& state = lanes_[static_cast<size_t>(lane)];
  state.frame.reset();
  state.call = nullptr;  // What handlers kept for the execution is gone when it is over.
  {
    const std::lock_guard lock(mutex_);
    state.is_over = true;
    --num_active_;
    if (!status.ok()) Fail(std::move(status));
    if (num_active_ > 0) return;
    if (num_parked_ > 0) Fail(NobodyGoesOn());
  }
  Finish();
}

// Lanes that are parked are over with it; those that run find it at their next step.
void Launch::Fail(Status status) {
  if (has_failed_.load(std::memory_order_relaxed)) return;
  error_ = std::move(status);
  num_parked_ = 0;
  has_failed_.store(true, std::memory_order_relaxed);
}

std::string Launch::PlaceOf(int32_t step) const {
  const compiler::plan::PlanStep& source = program_->plan().steps[static_cast<size_t>(step)];
  std::string text(compiler::Name(source.opcode));
  if (source.location != nullptr && !source.location->empty()) {
    text += StrCat(" at ", *source.location);
  }
  return text;
}

// Every lane is parked or over. Says of the first that is parked whom it waits for.
Status Launch::NobodyGoesOn() const {
  constexpr size_t kMostNamed = 8;
  size_t first = 0;
  while (lanes_[first].parked_at < 0) ++first;
  const int32_t step = lanes_[first].parked_at;
  const LaneGroups& groups = program_->CollectiveOf(step)->groups();
  std::string waiting, missing, why;
  size_t num_waiting = 0, num_missing = 0;
  auto add = [](std::string& list, std::string_view text) {
    list += StrCat(list.empty() ? "" : ", ", text);
  };
  for (int32_t member : groups.Members(groups.GroupOf(static_cast<int32_t>(first)))) {
    const LaneState& state = lanes_[static_cast<size_t>(member)];
    if (state.parked_at == step) {
      if (++num_waiting <= kMostNamed) add(waiting, StrCat(state.lane.device));
      continue;
    }
    if (++num_missing > kMostNamed) continue;
    add(missing, StrCat(state.lane.device));
    if (state.parked_at < 0) {
      add(why, StrCat(state.lane.device, " has ended"));
    } else {
      add(why, StrCat(state.lane.device, " waits at ", PlaceOf(state.parked_at)));
    }
  }
  for (auto [list, count] : {std::pair(&waiting, num_waiting), std::pair(&missing, num_missing)}) {
    if (count > kMostNamed) add(*list, StrCat("and ", count - kMostNamed, " more"));
  }
  return FailedPrecondition("program '", program_->plan().name, "': ", PlaceOf(step), " on device ",
                            waiting, " waits for device ", missing, ": ", why,
                            "; every device of a group has to come to each collective as often");
}

void Launch::Finish() {
  for (LaneState& lane : lanes_) {
    lane.frame.reset();
    lane.call = nullptr;
  }
  inputs_.clear();
  for (size_t o = 0; o < outputs_.size() && !error_.ok(); ++o) {
    const bool is_token = IsToken(*program_, o % num_outputs());
    outputs_[o]->storage = is_token ? TokenStorage() : StoragePtr();
  }
  // From here on the buffers alone decide how long the results live.
  if (!runs_here_) outputs_.clear();
  done_.Set(error_);
  if (over_.has_value()) over_->Set();
}

}  // namespace plinth::backend

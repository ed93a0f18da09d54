// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/execution.h"

#include <cxxabi.h>

#include <exception>
#include <new>
#include <utility>

#include "reference_plugin/backend/executable/callbacks_elsewhere.h"

namespace plinth::backend {

bool HasOnlyTokens(const PreparedProgram& program) {
  for (size_t o = 0; o < program.plan().outputs.size(); ++o) {
    if (!IsToken(program, o)) return false;
  }
  return true;
}

RunArgument TakeArgument(ExecutionInput& input) {
  bool is_last_reader = input.is_donated && input.contents.use_count() == 1;
  RunArgument argument{
      is_last_reader ? std::move(input.contents->storage) : input.contents->storage,
      input.is_donated};
  input.contents = nullptr;
  return argument;
}

Execution::Execution(std::shared_ptr<Runtime> runtime,
                     std::shared_ptr<const PreparedProgram> program,
                     std::vector<ExecutionInput> inputs, const Lane& lane,
                     std::unique_ptr<CallContext> call)
    : runtime_(std::move(runtime)),
      program_(std::move(program)),
      inputs_(std::move(inputs)),
      lane_(lane),
      call_(std::move(call)) {
  outputs_.resize(program_->plan().outputs.size());
  for (size_t o = 0; o < outputs_.size(); ++o) {
    const bool is_token = IsToken(*program_, o);
    if (is_token && !over_.has_value()) over_.emplace();
    outputs_[o] = std::make_shared<Contents>();
    outputs_[o]->ready = is_token ? over_->event() : done_.event();
  }
}

void Execution::Start() {
  std::vector<sdk::Event> pending;
  for (const ExecutionInput& input : inputs_) {
    if (!input.contents->ready.IsReady()) pending.push_back(input.contents->ready);
  }
  if (!pending.empty()) return RunWhen(sdk::Event::All(pending));
  auto run = [self = shared_from_this()] { self->Run(); };
  if (program_->may_wait()) {
    runtime_->waiting.Run(std::move(run));
  } else {
    runtime_->threads.Schedule(std::move(run));
  }
}

// Errors are found by Run, which looks at every input and at what a step waited for.
void Execution::RunWhen(const sdk::Event& ready) {
  ready.OnReady([self = shared_from_this()](const Status&) {
    auto run = [self] { self->Run(); };
    if (self->program_->may_wait()) {
      self->runtime_->waiting.Enqueue(std::move(run));
    } else {
      self->runtime_->threads.Schedule(std::move(run));
    }
  });
}

// No exception may end a thread of the pool: the host process would end with it.
void Execution::Run() {
  const CallbacksElsewhere elsewhere(*runtime_);
  Outcome outcome;
  try {
    outcome = Compute();
    if (outcome.waits()) return RunWhen(outcome.over());
  } catch (const std::bad_alloc&) {
    outcome = ResourceExhausted("program '", program_->plan().name, "': out of host memory");
  } catch (const std::exception& exception) {
    outcome = Internal("program '", program_->plan().name, "': ", exception.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // Python ends the threads of others so when it exits.
  } catch (...) {
    outcome = Internal("program '", program_->plan().name, "': foreign code threw an exception");
  }
  Finish(outcome.status());
}

// Goes on with the run, which may be its begin.
Outcome Execution::Compute() {
  if (!frame_.has_value()) PLINTH_RETURN_IF_ERROR(Begin());
  Outcome outcome = frame_->Run();
  if (!outcome.is_done()) return outcome;
  std::vector<StoragePtr> storages(outputs_.size());
  frame_->TakeOutputs(storages);
  for (size_t o = 0; o < outputs_.size(); ++o) outputs_[o]->storage = std::move(storages[o]);
  return outcome;
}

Status Execution::Begin() {
  for (const ExecutionInput& input : inputs_) {
    PLINTH_RETURN_IF_ERROR(input.contents->ready.status());
  }
  std::vector<RunArgument> arguments;
  arguments.reserve(inputs_.size());
  for (ExecutionInput& input : inputs_) arguments.push_back(TakeArgument(input));
  frame_.emplace(*program_, *runtime_, lane_, call_.get());
  return frame_->Bind(arguments);
}

void Execution::Finish(Status status) {
  frame_.reset();
  call_ = nullptr;  // What handlers kept for the execution is gone when it is over.
  inputs_.clear();
  for (size_t o = 0; o < outputs_.size() && !status.ok(); ++o) {
    if (IsToken(*program_, o)) outputs_[o]->storage = TokenStorage();
  }
  // From here on the buffers alone decide how long the results live.
  outputs_.clear();
  done_.Set(std::move(status));
  if (over_.has_value()) over_->Set();
}

}  // namespace plinth::backend

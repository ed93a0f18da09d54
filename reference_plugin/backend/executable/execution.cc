// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/execution.h"

#include <cxxabi.h>

#include <exception>
#include <new>
#include <utility>

#include "reference_plugin/backend/executable/callbacks_elsewhere.h"

namespace plinth::cpu {

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
                     std::vector<ExecutionInput> inputs, std::unique_ptr<CallContext> call)
    : runtime_(std::move(runtime)),
      program_(std::move(program)),
      inputs_(std::move(inputs)),
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
  auto self = shared_from_this();
  auto run = [self] { self->Run(); };
  if (pending.empty()) {
    if (program_->may_wait()) {
      runtime_->waiting.Run(std::move(run));
    } else {
      runtime_->threads.Schedule(std::move(run));
    }
    return;
  }
  // Errors are found by Run, which looks at every input.
  sdk::Event::All(pending).OnReady([self, run](const Status&) {
    if (self->program_->may_wait()) {
      self->runtime_->waiting.Enqueue(run);
    } else {
      self->runtime_->threads.Schedule(run);
    }
  });
}

// No exception may end a thread of the pool: the host process would end with it.
void Execution::Run() {
  const CallbacksElsewhere elsewhere(*runtime_);
  Status status;
  try {
    status = Compute();
  } catch (const std::bad_alloc&) {
    status = ResourceExhausted("program '", program_->plan().name, "': out of host memory");
  } catch (const std::exception& exception) {
    status = Internal("program '", program_->plan().name, "': ", exception.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // Python ends the threads of others so when it exits.
  } catch (...) {
    status = Internal("program '", program_->plan().name, "': foreign code threw an exception");
  }
  Finish(std::move(status));
}

Status Execution::Compute() {
  for (const ExecutionInput& input : inputs_) {
    PLINTH_RETURN_IF_ERROR(input.contents->ready.status());
  }
  std::vector<RunArgument> arguments;
  arguments.reserve(inputs_.size());
  for (ExecutionInput& input : inputs_) arguments.push_back(TakeArgument(input));
  std::vector<StoragePtr> storages(outputs_.size());
  PLINTH_RETURN_IF_ERROR(program_->Run(*runtime_, arguments, storages, call_.get()));
  for (size_t o = 0; o < outputs_.size(); ++o) outputs_[o]->storage = std::move(storages[o]);
  return Status();
}

void Execution::Finish(Status status) {
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

}  // namespace plinth::cpu

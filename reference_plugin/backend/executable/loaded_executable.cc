// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/loaded_executable.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

namespace plinth::backend {
namespace {

std::unique_ptr<CallContext> MakeCallContext(const sdk::ExecuteRequest& request,
                                             std::shared_ptr<Runtime> runtime, int device) {
  static std::atomic<int64_t> last_run{0};
  auto call = std::make_unique<CallContext>();
  if (request.context != nullptr) {
    for (const sdk::FfiUserData& data : request.context->user_data()) {
      call->user_data.push_back({data.type_id, data.data});
    }
  }
  call->run_id = last_run.fetch_add(1, std::memory_order_relaxed) + 1;
  call->device_ordinal = device;
  call->runtime = std::move(runtime);
  return call;
}

bool AreReady(std::span<const ExecutionInput> inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [](const ExecutionInput& input) {
    const sdk::Event& ready = input.contents->ready;
    return ready.IsReady() && ready.status().ok();
  });
}

// Whether an execution of these arguments could start at once.
bool ArePresent(const sdk::ExecuteRequest& request) {
  for (size_t lane = 0; lane < request.devices; ++lane) {
    const sdk::ArgumentList arguments = request.arguments(lane);
    for (size_t i = 0; i < request.num_args; ++i) {
      const ContentsPtr contents = static_cast<ContentsBuffer&>(arguments[i]).contents();
      if (contents != nullptr && !contents->ready.IsReady()) return false;
    }
  }
  return true;
}

}  // namespace

Expected<std::unique_ptr<sdk::LoadedExecutable>> BackendLoadedExecutable::Create(
    BackendClient& client, std::shared_ptr<const BackendExecutable> executable) {
  const program::CompileOptions& options = executable->options();
  int64_t id = 0;
  if (options.device_assignment.has_value()) {
    const program::DeviceAssignment& assignment = *options.device_assignment;
    if (assignment.replica_count != 1 || assignment.computation_count != 1) {
      return InvalidArgument("the device assignment has ", assignment.replica_count,
                             " replicas and ", assignment.computation_count,
                             " partitions, the program one of each");
    }
    id = assignment.At(0, 0);
  } else if (options.device_ordinal >= 0) {
    id = options.device_ordinal;
  }
  sdk::Device* device = client.FindDevice(static_cast<int>(id));
  if (device == nullptr || id != device->id()) {
    return InvalidArgument("the program is for device ", id, "; the client has devices 0 to ",
                           client.devices().size() - 1);
  }
  return CreateOn(client, std::move(executable), {device});
}

Expected<std::unique_ptr<sdk::LoadedExecutable>> BackendLoadedExecutable::CreateOn(
    BackendClient& client, std::shared_ptr<const BackendExecutable> executable,
    std::vector<sdk::Device*> devices) {
  std::vector<sdk::Memory*> output_memories;
  for (const sdk::Device* device : devices) {
    for (const sdk::ValueInfo& output : executable->info().outputs) {
      sdk::Memory* memory = device->FindMemory(output.memory_kind);
      if (memory == nullptr) {
        return InvalidArgument("an output is to be in memory \"", output.memory_kind,
                               "\", which device ", device->id(), " does not have");
      }
      output_memories.push_back(memory);
    }
  }
  sdk::LoadedExecutableInfo info;
  info.addressable_devices = std::move(devices);
  return std::unique_ptr<sdk::LoadedExecutable>(new BackendLoadedExecutable(
      client, std::move(executable), std::move(info), std::move(output_memories)));
}

// The arguments of the first device, then of the next. What is only read comes first: when it is
// there, nothing is refused any more, and so nothing taken has to be put back. A call that may
// fail later takes nothing: the SDK deletes what was donated when it has succeeded.
Status BackendLoadedExecutable::TakeInputs(const sdk::ExecuteRequest& request, bool takes_donated,
                                           std::vector<ExecutionInput>& inputs) const {
  inputs.resize(request.devices * request.num_args);
  for (const bool is_donated : {false, true}) {
    if (is_donated && request.donated.empty()) break;
    for (size_t lane = 0; lane < request.devices; ++lane) {
      const sdk::ArgumentList arguments = request.arguments(lane);
      for (size_t i = 0; i < request.num_args; ++i) {
        if (request.IsDonated(i) != is_donated) continue;
        auto& buffer = static_cast<ContentsBuffer&>(arguments[i]);
        ExecutionInput& input = inputs[lane * request.num_args + i];
        const bool takes = is_donated && takes_donated;
        input = {takes ? buffer.Donate() : buffer.contents(), takes};
        if (input.contents != nullptr) continue;
        return InvalidArgument("argument ", i, " of ", executable_->info().name,
                               " was deleted by another thread while the call began");
      }
    }
  }
  return Status();
}

void BackendLoadedExecutable::SetOutput(sdk::ExecuteResults& results, size_t lane, size_t output,
                                        sdk::Device* device, ContentsPtr contents) const {
  const sdk::ValueInfo& value = executable_->info().outputs[output];
  sdk::Memory* memory = device == info().addressable_devices[lane]
                            ? output_memories_[lane * results.num_outputs() + output]
                            : device->FindMemory(value.memory_kind);
  results.SetOutput(lane, output,
                    client_.MakeBuffer(value.dtype, value.dims, memory, device, std::move(contents),
                                       value.layout));
}

Lane BackendLoadedExecutable::LaneOf(size_t lane, const sdk::Device* device) const {
  if (lane == 0) return {.device = device->id()};
  const auto partitions = static_cast<int64_t>(executable_->info().num_partitions);
  const auto number = static_cast<int64_t>(lane);
  return {device->id(), number % partitions, number / partitions};
}

// On this thread.
void BackendLoadedExecutable::RunHere(std::span<ExecutionInput> inputs, size_t lane,
                                      sdk::Device* device, sdk::ExecuteResults& results) const {
  const PreparedProgram& program = executable_->program();
  std::vector<RunArgument> arguments(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) arguments[i] = TakeArgument(inputs[i]);
  std::vector<StoragePtr> storages(results.num_outputs());
  Status status = program.Run(*client_.runtime(), arguments, storages, LaneOf(lane, device));
  for (size_t o = 0; o < storages.size(); ++o) {
    auto contents = std::make_shared<Contents>();
    contents->storage = std::move(storages[o]);
    if (!status.ok()) {
      if (IsToken(program, o)) {
        contents->storage = TokenStorage();
      } else {
        contents->ready = sdk::Event::Ready(status);
      }
    }
    SetOutput(results, lane, o, device, std::move(contents));
  }
  results.SetCompletion(lane, sdk::Event::Ready(std::move(status)));
}

// On another thread. The event tells the end.
sdk::Event BackendLoadedExecutable::Start(std::vector<ExecutionInput> inputs, size_t lane,
                                          sdk::Device* device, const sdk::ExecuteRequest& request,
                                          sdk::ExecuteResults& results) const {
  const PreparedProgram& program = executable_->program();
  std::unique_ptr<CallContext> call;
  if (program.has_custom_calls()) {
    call = MakeCallContext(request, client_.runtime(), device->id());
  }
  auto execution =
      std::make_shared<Execution>(client_.runtime(), executable_->shared_program(),
                                  std::move(inputs), LaneOf(lane, device), std::move(call));
  for (size_t o = 0; o < results.num_outputs(); ++o) {
    SetOutput(results, lane, o, device, execution->outputs()[o]);
  }
  results.SetCompletion(lane, execution->done());
  execution->Start();
  return execution->done();
}

// By queues of the devices. The event tells when all are done.
sdk::Event BackendLoadedExecutable::RunOnDevices(std::span<ExecutionInput> inputs,
                                                 const sdk::ExecuteRequest& request,
                                                 sdk::ExecuteResults& results) const {
  std::vector<sdk::Event> done;
  for (size_t lane = 0; lane < request.devices; ++lane) {
    sdk::Device* device = request.execute_device != nullptr ? request.execute_device
                                                            : info().addressable_devices[lane];
    const auto own = inputs.subspan(lane * request.num_args, request.num_args);
    DeviceRunRequest run;
    run.program = executable_->shared_program();
    run.inputs.assign(std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    run.lane = LaneOf(lane, device);
    if (run.program->has_custom_calls()) {
      run.call = MakeCallContext(request, client_.runtime(), device->id());
    }
    DeviceRun started = client_.RunOnDevice(device, std::move(run));
    for (size_t o = 0; o < results.num_outputs(); ++o) {
      SetOutput(results, lane, o, device, std::move(started.outputs[o]));
    }
    results.SetCompletion(lane, started.done);
    done.push_back(std::move(started.done));
  }
  return sdk::Event::All(done);
}

Status BackendLoadedExecutable::Execute(const sdk::ExecuteRequest& request,
                                        sdk::ExecuteResults& results) {
  const PreparedProgram& program = executable_->program();
  std::vector<ExecutionInput> inputs;
  // Without a result that carries it, an error of user code would be lost: it is Execute's own. But
  // inputs may be for the caller to provide, after this call.
  const bool awaits = program.may_wait() && HasOnlyTokens(program) &&
                      (!results.wants_completion() || ArePresent(request));
  PLINTH_RETURN_IF_ERROR(TakeInputs(request, /*takes_donated=*/!awaits, inputs));
  if (client_.runs_on_devices()) {
    const sdk::Event done = RunOnDevices(inputs, request, results);
    return awaits ? done.Await() : Status();
  }
  std::vector<sdk::Event> awaited;
  for (size_t lane = 0; lane < request.devices; ++lane) {
    sdk::Device* device = request.execute_device != nullptr ? request.execute_device
                                                            : info().addressable_devices[lane];
    const auto own = std::span(inputs).subspan(lane * request.num_args, request.num_args);
    if (program.IsShort() && AreReady(own)) {
      RunHere(own, lane, device, results);
      continue;
    }
    std::vector<ExecutionInput> taken;
    if (request.devices == 1) {
      taken = std::move(inputs);
    } else {
      taken.assign(std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    }
    sdk::Event done = Start(std::move(taken), lane, device, request, results);
    if (awaits) awaited.push_back(std::move(done));
  }
  return awaited.empty() ? Status() : sdk::Event::All(awaited).Await();
}

}  // namespace plinth::backend

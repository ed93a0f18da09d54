// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/loaded_executable.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "plinth/support/small_vector.h"
#include "reference_plugin/backend/host/short_array.h"

namespace plinth::backend {
namespace {

int64_t NextRunId() {
  static std::atomic<int64_t> last_run{0};
  return last_run.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::unique_ptr<CallContext> MakeCallContext(const sdk::ExecuteRequest& request,
                                             std::shared_ptr<Runtime> runtime, int device,
                                             int64_t run_id) {
  auto call = std::make_unique<CallContext>();
  if (request.context != nullptr) {
    for (const sdk::FfiUserData& data : request.context->user_data()) {
      call->user_data.push_back({data.type_id, data.data});
    }
  }
  call->run_id = run_id;
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

// Enough for the arguments and results of most programs.
constexpr size_t kFew = 8;

// The arguments of an execution that runs inside its call: what is only read stays its buffer's,
// which saves the references to contents and storage.
class ArgumentsHere {
 public:
  explicit ArgumentsHere(const sdk::ExecuteRequest& request)
      : arguments_(request.devices * request.num_args) {}
  ~ArgumentsHere() {
    for (ContentsBuffer* buffer : lenders_) {
      if (buffer != nullptr) buffer->Return();
    }
  }
  ArgumentsHere(const ArgumentsHere&) = delete;
  ArgumentsHere& operator=(const ArgumentsHere&) = delete;

  // Whether all are there and without an error. If not, nothing is taken.
  bool Take(const sdk::ExecuteRequest& request) {
    lenders_.reserve(arguments_.size());
    for (size_t lane = 0; lane < request.devices; ++lane) {
      const sdk::ArgumentList buffers = request.arguments(lane);
      for (size_t i = 0; i < request.num_args; ++i) {
        auto& buffer = static_cast<ContentsBuffer&>(buffers[i]);
        const Contents* const contents = buffer.Borrow();
        if (contents == nullptr) return false;
        lenders_.push_back(&buffer);
        if (!contents->ready.IsReady() || !contents->ready.status().ok()) return false;
        arguments_[lenders_.size() - 1].lent = &*contents->storage;
      }
    }
    if (!request.donated.empty()) TakeDonated(request);
    return true;
  }
  // Those of the first device, then of the next.
  std::span<RunArgument> get() { return arguments_.span(); }

 private:
  // They are there: nobody but the call takes them away.
  void TakeDonated(const sdk::ExecuteRequest& request) {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (!request.IsDonated(i % request.num_args)) continue;
      ContentsBuffer& buffer = *std::exchange(lenders_[i], nullptr);
      buffer.Return();
      ExecutionInput input{buffer.Donate(), true};
      arguments_[i] = TakeArgument(input);
    }
  }

  ShortArray<RunArgument, kFew> arguments_;
  SmallVector<ContentsBuffer*, kFew> lenders_;
};

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
    BackendClient& client, std::shared_ptr<const BackendExecutable> executable,
    const program::CompileOptions& options) {
  const sdk::ExecutableInfo& compiled = executable->info();
  const size_t count = compiled.num_replicas * compiled.num_partitions;
  std::vector<int64_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  if (options.device_assignment.has_value()) {
    const program::DeviceAssignment& assignment = *options.device_assignment;
    if (static_cast<size_t>(assignment.num_replicas) != compiled.num_replicas ||
        static_cast<size_t>(assignment.num_partitions) != compiled.num_partitions) {
      return InvalidArgument("the device assignment has ", assignment.num_replicas,
                             " replicas and ", assignment.num_partitions,
                             " partitions, the program ", compiled.num_replicas, " and ",
                             compiled.num_partitions);
    }
    ids = assignment.devices;
  } else if (count == 1 && options.device_ordinal >= 0) {
    ids[0] = options.device_ordinal;
  }
  std::vector<sdk::Device*> devices;
  devices.reserve(count);
  std::unordered_set<int64_t> used;
  for (int64_t id : ids) {
    sdk::Device* device = client.FindDevice(static_cast<int>(id));
    if (device == nullptr || id != device->id()) {
      return InvalidArgument("the program is for ", count, count == 1 ? " device" : " devices",
                             ", one of them device ", id, "; the client has devices 0 to ",
                             client.devices().size() - 1);
    }
    if (!used.insert(id).second) {
      return InvalidArgument("the device assignment names device ", id, " twice");
    }
    devices.push_back(device);
  }
  return CreateOn(client, std::move(executable), std::move(devices));
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
  const sdk::ExecutableInfo& compiled = executable->info();
  if (devices.size() == compiled.num_replicas * compiled.num_partitions) {
    info.assignment.num_replicas = compiled.num_replicas;
    info.assignment.num_partitions = compiled.num_partitions;
    for (const sdk::Device* device : devices) info.assignment.devices.push_back(device->id());
  }
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

// Every device's part, one after the other. An error of one is that of all.
void BackendLoadedExecutable::RunAllHere(std::span<RunArgument> arguments,
                                         const sdk::ExecuteRequest& request,
                                         sdk::ExecuteResults& results) const {
  const size_t num_outputs = results.num_outputs();
  ShortArray<StoragePtr, kFew> storages(request.devices * num_outputs);
  Status status;
  for (size_t lane = 0; lane < request.devices && status.ok(); ++lane) {
    status = executable_->program().Run(
        *client_.runtime(), arguments.subspan(lane * request.num_args, request.num_args),
        storages.span().subspan(lane * num_outputs, num_outputs),
        LaneOf(lane, DeviceOf(request, lane)));
  }
  const sdk::Event over = sdk::Event::Ready(status);
  for (size_t lane = 0; lane < request.devices; ++lane) {
    for (size_t o = 0; o < num_outputs; ++o) {
      ContentsPtr contents = ContentsPtr::Make();
      if (status.ok()) {
        contents->storage = std::move(storages[lane * num_outputs + o]);
      } else if (IsToken(executable_->program(), o)) {
        contents->storage = TokenStorage();
      } else {
        contents->ready = over;
      }
      SetOutput(results, lane, o, DeviceOf(request, lane), std::move(contents));
    }
    results.SetCompletion(lane, over);
  }
}

// `here`: on this thread, before it returns; else on others. The event tells the end.
sdk::Event BackendLoadedExecutable::StartLaunch(std::vector<ExecutionInput> inputs, bool here,
                                                const sdk::ExecuteRequest& request,
                                                sdk::ExecuteResults& results) const {
  std::vector<Lane> lanes;
  std::vector<std::unique_ptr<CallContext>> calls;
  const int64_t run_id = NextRunId();
  for (size_t lane = 0; lane < request.devices; ++lane) {
    sdk::Device* const device = DeviceOf(request, lane);
    lanes.push_back(LaneOf(lane, device));
    if (!executable_->program().has_custom_calls()) continue;
    calls.push_back(MakeCallContext(request, client_.runtime(), device->id(), run_id));
  }
  const auto launch = std::make_shared<Launch>(client_.runtime(), executable_->shared_program(),
                                               std::move(inputs), lanes, std::move(calls));
  sdk::Event done = launch->done();
  for (size_t lane = 0; lane < request.devices; ++lane) {
    for (size_t o = 0; o < results.num_outputs(); ++o) {
      SetOutput(results, lane, o, DeviceOf(request, lane), launch->output(lane, o));
    }
    results.SetCompletion(lane, done);
  }
  if (here) {
    launch->RunHere();
  } else {
    launch->Start();
  }
  return done;
}

// By queues of the devices. The event tells when all are done.
sdk::Event BackendLoadedExecutable::RunOnDevices(std::span<ExecutionInput> inputs,
                                                 const sdk::ExecuteRequest& request,
                                                 sdk::ExecuteResults& results) const {
  std::vector<sdk::Event> done;
  const int64_t run_id = NextRunId();
  for (size_t lane = 0; lane < request.devices; ++lane) {
    sdk::Device* const device = DeviceOf(request, lane);
    const auto own = inputs.subspan(lane * request.num_args, request.num_args);
    DeviceRunRequest run;
    run.program = executable_->shared_program();
    run.inputs.assign(std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    run.lane = LaneOf(lane, device);
    if (run.program->has_custom_calls()) {
      run.call = MakeCallContext(request, client_.runtime(), device->id(), run_id);
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
  if (request.execute_device != nullptr && program.num_meetings() > 0) {
    return InvalidArgument(executable_->info().name, " has collectives among ",
                           info().addressable_devices.size(),
                           " devices, so it cannot run on execute_device alone");
  }
  const bool is_short = program.IsShort(request.devices);
  if (is_short && program.num_meetings() == 0 && !client_.runs_on_devices()) {
    if (ArgumentsHere arguments(request); arguments.Take(request)) {
      RunAllHere(arguments.get(), request, results);
      return Status();
    }
  }
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
  const bool here = is_short && program.num_meetings() > 0 && AreReady(inputs);
  const sdk::Event done = StartLaunch(std::move(inputs), here, request, results);
  return awaits ? done.Await() : Status();
}

}  // namespace plinth::backend

// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <utility>

#include "impl/ifrt/executable.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

std::string DeviceNames(std::span<const Device* const> devices) {
  std::string text;
  for (const Device* device : devices) text += StrCat(text.empty() ? "" : ", ", device->id);
  return text;
}

}  // namespace

Status Executable::CheckArguments(const ExecuteRequest& request) const {
  if (num_parameters_ && request.arguments.size() != *num_parameters_) {
    return InvalidArgument("the program has ", *num_parameters_, " parameters and was given ",
                           request.arguments.size(), " arguments");
  }
  for (size_t i = 0; i < request.arguments.size(); ++i) {
    const Array* argument = request.arguments[i];
    if (argument == nullptr) return InvalidArgument("argument ", i, " is null");
    if (argument->sharding()->client().get() != client_.get()) {
      return InvalidArgument("argument ", i, ", ", argument->ToString(), ", is of another client");
    }
    if (argument->IsDeleted()) {
      return InvalidArgument("argument ", i, ", ", argument->ToString(),
                             ", was deleted or donated");
    }
  }
  for (const int64_t index : request.non_donatable) {
    if (index < 0 || index >= static_cast<int64_t>(request.arguments.size())) {
      return InvalidArgument("non-donatable argument ", index, " of ", request.arguments.size());
    }
  }
  if (is_portable_ && request.device == nullptr) {
    return InvalidArgument("a portable program needs the device that it is to run on");
  }
  if (!is_portable_ && request.device != nullptr) {
    return InvalidArgument("the program runs on devices ", DeviceNames(devices_),
                           "; compile it as portable to choose one");
  }
  if (request.device != nullptr &&
      (request.device->client != client_.get() || !request.device->is_addressable)) {
    return InvalidArgument(request.device->Name(),
                           " is of another client, or another process drives it");
  }
  return {};
}

Expected<Executable::FitRef> Executable::MakeFit(size_t index, const Array& argument) const {
  const Sharding& sharding = *argument.sharding();
  auto fit = std::make_shared<Fit>(Fit{argument.sharding(), argument.dims(), {}});
  if (sharding.num_shards() != devices_.size()) {
    return InvalidArgument("argument ", index, ", ", argument.ToString(), ", has ",
                           sharding.num_shards(), " shards; the program runs on ", devices_.size(),
                           " devices: ", DeviceNames(devices_));
  }
  const Partitioning* expected =
      index < parameters_.size() ? &parameters_[index]->partitioning() : nullptr;
  const bool is_known = expected != nullptr && expected->kind() != Partitioning::Kind::kOpaque &&
                        sharding.partitioning().kind() != Partitioning::Kind::kOpaque;
  for (size_t i = 0; i < devices_.size(); ++i) {
    const std::optional<size_t> shard = sharding.FindShard(devices_[i]);
    if (!shard) {
      return InvalidArgument(
          "argument ", index, ", ", argument.ToString(), ", is not on ", devices_[i]->Name(),
          "; copy or reshard it to the program's devices: ", DeviceNames(devices_));
    }
    if (!is_known) continue;
    PLINTH_ASSIGN_OR_RETURN(const IndexDomain have,
                            sharding.partitioning().Domain(argument.dims(), *shard));
    const Expected<IndexDomain> want = expected->Domain(argument.dims(), i);
    if (!want.ok() || !(*want == have)) {
      return InvalidArgument(
          "argument ", index, ", ", argument.ToString(),
          ", is cut in another way than the program wants: ", expected->ToString(), "; reshard it");
    }
  }
  for (const Device* device : addressable_) {
    const size_t shard = *sharding.FindShard(device);
    size_t place = 0;
    while (sharding.addressable()[place] != shard) ++place;
    fit->places.push_back(place);
  }
  return FitRef(std::move(fit));
}

// What fitted the last time fits again.
Status Executable::FitAll(std::span<Array* const> arguments, std::span<FitRef> fits) const {
  {
    const std::shared_lock lock(mutex_);
    for (size_t i = 0; i < std::min(fits.size(), fits_.size()); ++i) {
      if (fits_[i] != nullptr && fits_[i]->sharding.get() == arguments[i]->sharding().get() &&
          fits_[i]->dims == arguments[i]->dims()) {
        fits[i] = fits_[i];
      }
    }
  }
  for (size_t i = 0; i < fits.size(); ++i) {
    if (fits[i] != nullptr) continue;
    PLINTH_ASSIGN_OR_RETURN(fits[i], MakeFit(i, *arguments[i]));
    const std::unique_lock lock(mutex_);
    if (fits_.size() < fits.size()) fits_.resize(fits.size());
    fits_[i] = fits[i];
  }
  return {};
}

Expected<std::vector<ArraySpec>> Executable::OutputSpecsOn(const Device* device) const {
  std::vector<ArraySpec> specs = outputs_;
  for (size_t i = 0; i < specs.size(); ++i) {
    PLINTH_ASSIGN_OR_RETURN(Partitioning single, Partitioning::Replicated(1));
    PLINTH_ASSIGN_OR_RETURN(specs[i].sharding,
                            Sharding::Create(client_, {&device, 1}, "", std::move(single)));
  }
  return specs;
}

Expected<Ref<Future>> Executable::Run(const ExecuteRequest& request,
                                      std::span<PJRT_Buffer* const> handles, size_t num_devices,
                                      std::span<Array*> outputs) const {
  const client::Api& api = loaded_->api();
  const size_t num_args = request.arguments.size();
  const size_t num_outputs = outputs_.size();
  std::vector<ArraySpec> portable;
  if (request.device != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(portable, OutputSpecsOn(request.device));
  }
  SmallVector<PJRT_Buffer* const*, 8> argument_lists(num_devices, nullptr);
  SmallVector<PJRT_Buffer**, 8> output_lists(num_devices, nullptr);
  SmallVector<PJRT_Buffer*, 16> output_handles(num_devices * num_outputs, nullptr);
  SmallVector<PJRT_Event*, 8> events(request.want_status ? num_devices : 0, nullptr);
  for (size_t i = 0; i < num_devices; ++i) {
    argument_lists[i] = handles.data() + i * num_args;
    output_lists[i] = output_handles.data() + i * num_outputs;
  }
  PJRT_ExecuteOptions options = {};
  options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  options.launch_id = request.launch_id;
  options.non_donatable_input_indices = request.non_donatable.data();
  options.num_non_donatable_input_indices = request.non_donatable.size();
  options.call_location = *request.call_location == '\0' ? nullptr : request.call_location;
  PJRT_LoadedExecutable_Execute_Args args = {};
  args.executable = loaded_->get();
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = num_devices;
  args.num_args = num_args;
  args.output_lists = output_lists.data();
  args.device_complete_events = events.empty() ? nullptr : events.data();
  args.execute_device = request.device == nullptr ? nullptr : request.device->raw.get();
  // A program that runs on devices of other processes alone has nothing to do here.
  if (num_devices != 0) PLINTH_RETURN_IF_ERROR(api.Call(args));

  // Everything is taken over before anything is complained about, so that nothing leaks.
  const client::ClientRef& ref = client_->raw().ref();
  Ref<Future> done;
  bool is_complete = true;
  for (size_t output = 0; output < num_outputs; ++output) {
    const ArraySpec& spec = portable.empty() ? outputs_[output] : portable[output];
    std::vector<Ref<Shard>> shards(num_devices);
    for (size_t i = 0; i < num_devices; ++i) {
      PJRT_Buffer* const handle = output_lists[i][output];
      is_complete &= handle != nullptr;
      const size_t place = request.device != nullptr ? 0 : output_places_[i];
      shards[place] = MakeRef<Shard>(
          std::make_shared<client::Buffer>(client::Handle<PJRT_Buffer>(api, handle, ref)));
    }
    outputs[output] = MakeRef<Array>(spec, std::move(shards)).Give();
  }
  if (request.want_status) {
    done = MakeRef<Future>(client_);
    const auto join = std::make_shared<Join>(done);
    for (PJRT_Event* const handle : events) {
      is_complete &= handle != nullptr;
      if (handle == nullptr) continue;
      const client::Event event(client::Handle<PJRT_Event>(api, handle, ref));
      join->Add();
      const Status status = event.OnReady([join](const Status& outcome) { join->Arrive(outcome); });
      if (!status.ok()) join->Arrive(status);
    }
    join->Arrive({});
  }
  if (!is_complete) {
    for (Array*& output : outputs) std::exchange(output, nullptr)->Release();
    return Internal(
        "the plugin's PJRT_LoadedExecutable_Execute reported success and left an "
        "output or an event null");
  }
  return done;
}

Expected<Ref<Future>> Executable::Execute(const ExecuteRequest& request,
                                          std::span<Array*> outputs) const {
  PLINTH_RETURN_IF_ERROR(Wait());
  if (outputs.size() != outputs_.size()) {
    return InvalidArgument("the program has ", outputs_.size(), " outputs; there is room for ",
                           outputs.size());
  }
  PLINTH_RETURN_IF_ERROR(CheckArguments(request));
  const size_t num_args = request.arguments.size();
  const size_t num_devices = request.device != nullptr ? 1 : addressable_.size();
  const Device* const only = request.device != nullptr ? request.device
                             : devices_.size() == 1    ? devices_[0]
                                                       : nullptr;
  SmallVector<PJRT_Buffer*, 32> handles(num_devices * num_args, nullptr);
  std::vector<FitRef> fits;
  if (only != nullptr) {
    for (size_t i = 0; i < num_args; ++i) {
      const std::vector<const Device*>& devices = request.arguments[i]->sharding()->devices();
      if (devices.size() != 1 || devices[0] != only) {
        return InvalidArgument("argument ", i, ", ", request.arguments[i]->ToString(),
                               ", is not on ", only->Name(), ", where the program runs; copy it");
      }
    }
  } else {
    fits.resize(num_args);
    PLINTH_RETURN_IF_ERROR(FitAll(request.arguments, fits));
  }
  Status poison;
  for (size_t i = 0; i < num_args && poison.ok(); ++i) {
    const std::vector<Ref<Shard>>& shards = request.arguments[i]->shards();
    for (size_t device = 0; device < num_devices && poison.ok(); ++device) {
      const Shard& shard = *shards[only != nullptr ? 0 : fits[i]->places[device]];
      poison = shard.error();
      if (poison.ok()) handles[device * num_args + i] = shard.buffer()->get();
    }
  }
  if (poison.ok()) return Run(request, handles, num_devices, outputs);
  std::vector<ArraySpec> specs = outputs_;
  if (request.device != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(specs, OutputSpecsOn(request.device));
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    outputs[i] = Array::OfError(std::move(specs[i]), poison).Give();
  }
  Ref<Future> done;
  if (request.want_status) {
    done = MakeRef<Future>(client_);
    done->Complete(poison);
  }
  return done;
}

Status Executable::Cancel(int launch_id, const Status& error) const {
  PLINTH_RETURN_IF_ERROR(Wait());
  for (const Device* device : addressable_) {
    PLINTH_RETURN_IF_ERROR(device->raw.PoisonExecution(launch_id, error).status());
  }
  return {};
}

}  // namespace plinth::ifrt

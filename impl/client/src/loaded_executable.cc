// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "impl/client/src/calls.h"
#include "plinth/client/executable.h"
#include "plinth/client/ffi.h"
#include "plinth/support/xla_messages.h"

namespace plinth::client {

using internal::GetHeldBytes;
using internal::GetList;
using internal::GetText;
using internal::GetValue;
using internal::GetViews;
using internal::NullOutput;

namespace {

// More outputs than any program has; a larger count is garbage.
constexpr size_t kMaxOutputs = 1 << 20;

}  // namespace

Expected<LoadedExecutable> LoadedExecutable::Adopt(Handle<PJRT_LoadedExecutable> handle) {
  PJRT_LoadedExecutable_GetExecutable_Args args = {};
  args.loaded_executable = handle.get();
  PLINTH_RETURN_IF_ERROR(handle.api().Call(args));
  if (args.executable == nullptr) {
    return NullOutput("PJRT_LoadedExecutable_GetExecutable", "its executable");
  }
  Executable executable(Handle<PJRT_Executable>(handle.api(), args.executable, handle.client()));
  PLINTH_ASSIGN_OR_RETURN(const size_t num_outputs, executable.NumOutputs());
  if (num_outputs > kMaxOutputs) return Internal("the plugin says ", num_outputs, " outputs");
  return LoadedExecutable(std::move(handle), std::move(executable), num_outputs);
}

Expected<std::vector<Device>> LoadedExecutable::AddressableDevices() const {
  using Args = PJRT_LoadedExecutable_AddressableDevices_Args;
  return GetViews<Device>(api(), get(), &Args::executable, &Args::addressable_devices,
                          &Args::num_addressable_devices);
}

Expected<DeviceAssignment> LoadedExecutable::Assignment() const {
  using Args = PJRT_LoadedExecutable_GetDeviceAssignment_Args;
  PLINTH_ASSIGN_OR_RETURN(
      const std::string proto,
      GetHeldBytes(api(), get(), &Args::executable, &Args::serialized_bytes,
                   &Args::serialized_bytes_size, &Args::serialized_device_assignment,
                   &Args::serialized_device_assignment_deleter));
  return messages::ReadDeviceAssignment(std::as_bytes(std::span(proto)));
}

Expected<std::vector<LoadedExecutable::LogicalId>> LoadedExecutable::LogicalIds() const {
  using Args = PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args;
  PLINTH_ASSIGN_OR_RETURN(
      const std::span<PJRT_LogicalDeviceIds> list,
      GetList(api(), get(), &Args::executable, &Args::addressable_device_logical_ids,
              &Args::num_addressable_device_logical_ids));
  std::vector<LogicalId> ids;
  for (const PJRT_LogicalDeviceIds& id : list) ids.push_back({id.replica, id.partition});
  return ids;
}

Expected<ExecuteResult> LoadedExecutable::Execute(
    std::span<const std::vector<const Buffer*>> arguments, const ExecuteOptions& options) const {
  const size_t num_devices = arguments.size();
  if (num_devices == 0) return InvalidArgument("an execution needs one list of arguments a device");
  const size_t num_args = arguments[0].size();
  std::vector<PJRT_Buffer*> argument_handles;
  argument_handles.reserve(num_devices * num_args);
  for (size_t device = 0; device < num_devices; ++device) {
    if (arguments[device].size() != num_args) {
      return InvalidArgument("device ", device, " has ", arguments[device].size(),
                             " arguments and device 0 has ", num_args);
    }
    for (const Buffer* argument : arguments[device]) {
      if (argument == nullptr || argument->get() == nullptr) {
        return InvalidArgument("an argument of device ", device, " is null or was moved away");
      }
      argument_handles.push_back(argument->get());
    }
  }
  std::vector<PJRT_Buffer*> output_handles(num_devices * num_outputs_, nullptr);
  std::vector<PJRT_Buffer* const*> argument_lists(num_devices);
  std::vector<PJRT_Buffer**> output_lists(num_devices);
  for (size_t device = 0; device < num_devices; ++device) {
    argument_lists[device] = argument_handles.data() + device * num_args;
    output_lists[device] = output_handles.data() + device * num_outputs_;
  }
  std::vector<PJRT_Event*> events(options.want_done_events ? num_devices : 0, nullptr);
  const NamedValueArray custom_options(options.options.values());

  PJRT_ExecuteOptions c_options = {};
  c_options.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE;
  c_options.launch_id = options.launch_id;
  c_options.non_donatable_input_indices = options.non_donatable.data();
  c_options.num_non_donatable_input_indices = options.non_donatable.size();
  c_options.call_location = options.call_location.empty() ? nullptr : options.call_location.c_str();
  c_options.context = options.context == nullptr ? nullptr : options.context->get();
  c_options.custom_options = custom_options.size() == 0 ? nullptr : custom_options.data();
  c_options.num_custom_options = custom_options.size();
  PJRT_LoadedExecutable_Execute_Args args = {};
  args.executable = get();
  args.options = &c_options;
  args.argument_lists = argument_lists.data();
  args.num_devices = num_devices;
  args.num_args = num_args;
  args.output_lists = output_lists.data();
  args.device_complete_events = events.empty() ? nullptr : events.data();
  args.execute_device = options.device ? options.device->get() : nullptr;
  PLINTH_RETURN_IF_ERROR(api().Call(args));

  // Everything is taken over before anything is complained about, so that nothing leaks.
  ExecuteResult result;
  bool is_complete = true;
  result.outputs.resize(num_devices);
  for (size_t device = 0; device < num_devices; ++device) {
    result.outputs[device].reserve(num_outputs_);
    for (size_t i = 0; i < num_outputs_; ++i) {
      PJRT_Buffer* output = output_lists[device][i];
      is_complete &= output != nullptr;
      result.outputs[device].emplace_back(Handle<PJRT_Buffer>(api(), output, handle_.client()));
    }
  }
  bool has_events = true;
  for (PJRT_Event* event : events) {
    has_events &= event != nullptr;
    result.done.emplace_back(Handle<PJRT_Event>(api(), event, handle_.client()));
  }
  if (!is_complete) return NullOutput("PJRT_LoadedExecutable_Execute", "an output");
  if (!has_events) return NullOutput("PJRT_LoadedExecutable_Execute", "an event");
  return result;
}

Expected<std::vector<Buffer>> LoadedExecutable::ExecuteOne(std::span<const Buffer* const> arguments,
                                                           const ExecuteOptions& options) const {
  const std::vector<const Buffer*> list(arguments.begin(), arguments.end());
  PLINTH_ASSIGN_OR_RETURN(ExecuteResult result, Execute({&list, 1}, options));
  return std::move(result.outputs[0]);
}

Status LoadedExecutable::Delete() {
  PJRT_LoadedExecutable_Delete_Args args = {};
  args.executable = get();
  return api().Call(args);
}

Expected<bool> LoadedExecutable::IsDeleted() const {
  using Args = PJRT_LoadedExecutable_IsDeleted_Args;
  return GetValue(api(), get(), &Args::executable, &Args::is_deleted);
}

Expected<std::string> LoadedExecutable::Fingerprint() const {
  using Args = PJRT_LoadedExecutable_Fingerprint_Args;
  PLINTH_ASSIGN_OR_RETURN(const std::string_view text,
                          GetText(api(), get(), &Args::executable, &Args::executable_fingerprint,
                                  &Args::executable_fingerprint_size));
  return std::string(text);
}

}  // namespace plinth::client

// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/execute_arguments.h"

#include <algorithm>

#include "sdk/src/buffer_access.h"
#include "sdk/src/entry.h"

namespace plinth::sdk::internal {
namespace {

using Args = PJRT_LoadedExecutable_Execute_Args;

bool HasType(const Buffer& buffer, DType dtype, std::span<const int64_t> dims) {
  return buffer.dtype() == dtype && std::ranges::equal(buffer.dims(), dims);
}

// JAX starts a chain of tokens with an array of no truth values.
bool IsFirstToken(const Buffer& buffer, const ValueInfo& parameter) {
  static constexpr int64_t kNone[] = {0};
  return parameter.dtype == DType::kToken && HasType(buffer, DType::kPred, kNone);
}

// Null is row-major.
bool IsSameLayout(const std::shared_ptr<const Layout>& a, const std::shared_ptr<const Layout>& b) {
  if (a == b) [[likely]] {
    return true;
  }
  if (a == nullptr) return b->IsRowMajor();
  return b == nullptr ? a->IsRowMajor() : *a == *b;
}

std::string TextOf(const std::shared_ptr<const Layout>& layout, const ValueInfo& parameter) {
  static const Layout row_major;
  return (layout == nullptr ? row_major : *layout).ToString(parameter.dims.size());
}

Status CheckArgument(const Args& args, const LoadedExecutable& loaded, size_t device, size_t index,
                     const ValueInfo& parameter) {
  Buffer* buffer = FromC(args.argument_lists[device][index]);
  if (buffer == nullptr) [[unlikely]] {
    return Invalid(args, "argument ", index, " of device ", device, " is null");
  }
  // Also true of buffers from before a fork: their client is not this one.
  if (buffer->core != loaded.core) [[unlikely]] {
    PLINTH_RETURN_IF_ERROR(CheckHandle(args, buffer, "argument"));
    return Invalid(args, "argument ", index, " of device ", device, " belongs to another client");
  }
  const bool fits =
      HasType(*buffer, parameter.dtype, parameter.dims) || IsFirstToken(*buffer, parameter);
  if (!fits) [[unlikely]] {
    return Invalid(args, "argument ", index, " of device ", device, " is ",
                   ToString(buffer->dtype(), buffer->dims()), "; executable \"",
                   loaded.executable()->info().name, "\" wants ",
                   ToString(parameter.dtype, parameter.dims));
  }
  const Device* wanted = args.execute_device != nullptr ? FromC(args.execute_device)
                                                        : loaded.info().addressable_devices[device];
  if (buffer->device() != wanted) [[unlikely]] {
    return Invalid(args, "argument ", index, " of device ", device,
                   " lies on another device: ", buffer->device()->description().info().to_string);
  }
  if (BufferAccess::IsDeleted(*buffer)) [[unlikely]] {
    return Invalid(args, "argument ", index, " of device ", device, " was deleted or donated");
  }
  if (!IsSameLayout(buffer->layout(), parameter.layout)) [[unlikely]] {
    return Invalid(args, "argument ", index, " of device ", device, " has the layout ",
                   TextOf(buffer->layout(), parameter), "; the program was compiled for ",
                   TextOf(parameter.layout, parameter));
  }
  return {};
}

Status CheckLists(const Args& args, const LoadedExecutable& loaded) {
  const ExecutableInfo& info = loaded.executable()->info();
  if (loaded.IsDeleted()) [[unlikely]] {
    return FailedPrecondition("PJRT_LoadedExecutable_Execute: executable \"", info.name,
                              "\" was deleted");
  }
  const size_t devices =
      args.execute_device != nullptr ? 1 : loaded.info().addressable_devices.size();
  if (args.num_devices != devices) [[unlikely]] {
    return Invalid(args, "arguments for ", args.num_devices, " devices; executable \"", info.name,
                   "\" runs on ", devices, " here");
  }
  if (args.num_args != info.parameters.size()) [[unlikely]] {
    return Invalid(args, args.num_args, " arguments; executable \"", info.name, "\" takes ",
                   info.parameters.size());
  }
  if (args.num_args != 0) PLINTH_NOT_NULL(args, argument_lists);
  if (!info.outputs.empty()) PLINTH_NOT_NULL(args, output_lists);
  for (size_t d = 0; d < devices; ++d) {
    if (!info.outputs.empty() && args.output_lists[d] == nullptr) [[unlikely]] {
      return Invalid(args, "output list of device ", d, " is null");
    }
    if (args.num_args == 0) continue;
    if (args.argument_lists[d] == nullptr) [[unlikely]] {
      return Invalid(args, "argument list of device ", d, " is null");
    }
    for (size_t i = 0; i < args.num_args; ++i) {
      PLINTH_RETURN_IF_ERROR(CheckArgument(args, loaded, d, i, info.parameters[i]));
    }
  }
  return {};
}

// Options that came with later revisions than the oldest one.
Status ReadLaterOptions(const Args& args, const PJRT_ExecuteOptions& options,
                        const LoadedExecutable& loaded, ExecuteRequest& request) {
  using Options = PJRT_ExecuteOptions;
  if (HasField(options, &Options::context) && options.context != nullptr) {
    request.context = FromC(options.context);
    PLINTH_RETURN_IF_ERROR(CheckHandle(args, request.context, "options.context"));
  }
  if (HasField(options, &Options::call_location) && options.call_location != nullptr) {
    request.call_location = options.call_location;
  }
  if (HasField(options, &Options::incarnation_ids) && options.num_tasks != 0) {
    if (options.task_ids == nullptr || options.incarnation_ids == nullptr) {
      return Invalid(args, options.num_tasks, " tasks, but task_ids or incarnation_ids is null");
    }
    request.task_ids = {options.task_ids, options.num_tasks};
    request.incarnation_ids = {options.incarnation_ids, options.num_tasks};
  }
  if (HasField(options, &Options::use_major_to_minor_data_layout_for_callbacks)) {
    request.use_major_to_minor_data_layout_for_callbacks =
        RawBool(options.use_major_to_minor_data_layout_for_callbacks);
  }
  if (HasField(options, &Options::num_hlo_output_callbacks) &&
      options.num_hlo_output_callbacks != 0) {
    if (options.hlo_output_callbacks == nullptr) {
      return NullArgument("PJRT_LoadedExecutable_Execute", "options.hlo_output_callbacks");
    }
    request.hlo_output_callbacks = {options.hlo_output_callbacks, options.num_hlo_output_callbacks};
  }
  const PluginInfo& plugin = loaded.core->plugin->info();
  if (HasField(options, &Options::multi_slice_config) && options.multi_slice_config != nullptr) {
    if (!plugin.supports_multi_slice) {
      return Unimplemented("PJRT_LoadedExecutable_Execute: options.multi_slice_config is given; ",
                           "plugin ", plugin.name, " spreads no program over slices");
    }
    request.multi_slice_config = options.multi_slice_config;
  }
  if (HasField(options, &Options::num_custom_options) && options.num_custom_options != 0) {
    if (!plugin.supports_custom_options) {
      return Unimplemented("PJRT_LoadedExecutable_Execute: ", options.num_custom_options,
                           " custom options are given; plugin ", plugin.name, " knows none");
    }
    PLINTH_ASSIGN_OR_RETURN(request.custom_options,
                            NamedValuesFromC(options.custom_options, options.num_custom_options));
  }
  return {};
}

Status ReadCallbacks(const Args& args, const PJRT_ExecuteOptions& options,
                     const LoadedExecutable& loaded, ExecuteRequest& request) {
  request.num_send_ops = options.num_send_ops;
  request.num_recv_ops = options.num_recv_ops;
  request.send_callbacks = options.send_callbacks;
  request.recv_callbacks = options.recv_callbacks;
  if (options.num_send_ops == 0 && options.num_recv_ops == 0 &&
      request.hlo_output_callbacks.empty()) [[likely]] {
    return {};
  }
  if (!loaded.core->plugin->info().supports_send_recv) {
    return Unimplemented("PJRT_LoadedExecutable_Execute: ", options.num_send_ops, " send, ",
                         options.num_recv_ops, " recv and ", request.hlo_output_callbacks.size(),
                         " output callbacks; plugin ", loaded.core->plugin->info().name,
                         " has none of them");
  }
  if ((options.num_send_ops != 0 && options.send_callbacks == nullptr) ||
      (options.num_recv_ops != 0 && options.recv_callbacks == nullptr)) {
    return Invalid(args, "the send or recv callbacks are null");
  }
  return {};
}

}  // namespace

Status ReadExecuteArguments(const Args& args, const LoadedExecutable& loaded,
                            ExecuteRequest& request, ExecuteDonations& donations) {
  const PJRT_ExecuteOptions& options = *args.options;
  using Options = PJRT_ExecuteOptions;
  if (args.execute_device != nullptr) {
    request.execute_device = FromC(args.execute_device);
    PLINTH_RETURN_IF_ERROR(CheckHandle(args, request.execute_device, "execute_device"));
    if (request.execute_device->core != loaded.core || !request.execute_device->is_addressable()) {
      return Invalid(args, "execute_device ",
                     request.execute_device->description().info().to_string,
                     " is not an addressable device of the executable's client");
    }
  }
  PLINTH_RETURN_IF_ERROR(CheckLists(args, loaded));
  request.devices = args.num_devices;
  request.num_args = args.num_args;
  request.arguments_per_device = args.argument_lists;
  request.launch_id = options.launch_id;
  std::span<const int64_t> kept;
  if (HasField(options, &Options::num_non_donatable_input_indices) &&
      options.num_non_donatable_input_indices != 0) {
    if (options.non_donatable_input_indices == nullptr) {
      return NullArgument("PJRT_LoadedExecutable_Execute", "options.non_donatable_input_indices");
    }
    kept = {options.non_donatable_input_indices, options.num_non_donatable_input_indices};
    for (int64_t index : kept) {
      if (index >= 0 && static_cast<size_t>(index) < args.num_args) continue;
      return Invalid(args, "non_donatable_input_indices has ", index, "; there are ", args.num_args,
                     " arguments");
    }
  }
  PLINTH_RETURN_IF_ERROR(ReadLaterOptions(args, options, loaded, request));
  PLINTH_RETURN_IF_ERROR(ReadCallbacks(args, options, loaded, request));
  return donations.Claim(args, loaded, kept, request);
}

}  // namespace plinth::sdk::internal

// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "plinth/support/xla_messages.h"
#include "sdk/src/entry.h"
#include "sdk/src/execute_arguments.h"

namespace plinth::sdk {

struct LoadedExecutableAccess {
  static std::span<PJRT_Device* const> Devices(const LoadedExecutable& e) { return e.c_devices_; }
  static std::span<PJRT_LogicalDeviceIds> LogicalIds(LoadedExecutable& e) {
    return e.c_logical_ids_;
  }
  static bool MarkDeleted(LoadedExecutable& e) {
    return !e.deleted_.exchange(true, std::memory_order_acq_rel);
  }
};

namespace internal {

Status Call(PJRT_LoadedExecutable_Destroy_Args& args) {
  DestroyHandle(FromC(args.executable));
  return {};
}

Status Call(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  PLINTH_HANDLE(loaded, args, loaded_executable);
  args.executable = new PJRT_Executable{loaded->executable(), loaded->generation};
  return {};
}

Status Call(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  PLINTH_HANDLE(loaded, args, executable);
  std::span<PJRT_Device* const> devices = LoadedExecutableAccess::Devices(*loaded);
  args.addressable_devices = devices.data();
  args.num_addressable_devices = devices.size();
  return {};
}

Status Call(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  PLINTH_HANDLE(loaded, args, executable);
  std::span<PJRT_LogicalDeviceIds> ids = LoadedExecutableAccess::LogicalIds(*loaded);
  args.addressable_device_logical_ids = ids.data();
  args.num_addressable_device_logical_ids = ids.size();
  return {};
}

Status Call(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  PLINTH_HANDLE(loaded, args, executable);
  args.serialized_device_assignment = new PJRT_DeviceAssignmentSerialized{
      messages::WriteDeviceAssignment(loaded->info().assignment)};
  args.serialized_bytes = args.serialized_device_assignment->bytes.data();
  args.serialized_bytes_size = args.serialized_device_assignment->bytes.size();
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized* holder) {
    delete holder;
  };
  return {};
}

Status Call(PJRT_LoadedExecutable_Delete_Args& args) {
  PLINTH_HANDLE(loaded, args, executable);
  if (LoadedExecutableAccess::MarkDeleted(*loaded)) loaded->Delete();
  return {};
}

Status Call(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  PLINTH_HANDLE(loaded, args, executable);
  args.is_deleted = loaded->IsDeleted();
  return {};
}

Status Call(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  PLINTH_HANDLE(loaded, args, executable);
  const std::string& fingerprint = loaded->executable()->info().fingerprint;
  if (fingerprint.empty()) {
    return Unimplemented("PJRT_LoadedExecutable_Fingerprint: executable \"",
                         loaded->executable()->info().name, "\" has no fingerprint");
  }
  args.executable_fingerprint = fingerprint.data();
  args.executable_fingerprint_size = fingerprint.size();
  return {};
}

namespace {

// Frees the outputs of an execution that failed, so that the caller's lists hold nothing.
class OutputGuard {
 public:
  OutputGuard(PJRT_Buffer** const* lists, size_t num_devices, size_t num_outputs)
      : lists_(lists), num_devices_(num_devices), num_outputs_(num_outputs) {
    for (size_t d = 0; d < num_devices; ++d) {
      for (size_t i = 0; i < num_outputs; ++i) lists[d][i] = nullptr;
    }
  }
  ~OutputGuard() {
    if (released_) return;
    for (size_t d = 0; d < num_devices_; ++d) {
      for (size_t i = 0; i < num_outputs_; ++i) {
        Buffer* buffer = FromC(lists_[d][i]);
        lists_[d][i] = nullptr;
        if (buffer == nullptr) continue;
        ClientCore* core = buffer->core;
        delete buffer;
        if (core != nullptr) core->Unref();
      }
    }
  }
  Status Adopt(ClientCore& core) {
    if (num_outputs_ == 0) return {};  // The lists may be null then.
    for (size_t d = 0; d < num_devices_; ++d) {
      for (size_t i = 0; i < num_outputs_; ++i) {
        if (lists_[d][i] == nullptr) {
          return Internal("the plugin's Execute set no output ", i, " of device ", d);
        }
      }
    }
    for (size_t d = 0; d < num_devices_; ++d) {
      PLINTH_RETURN_IF_ERROR(core.AdoptAll(lists_[d], num_outputs_));
    }
    return {};
  }
  void Release() { released_ = true; }

 private:
  PJRT_Buffer** const* lists_;
  size_t num_devices_;
  size_t num_outputs_;
  bool released_ = false;
};

}  // namespace

Status Call(PJRT_LoadedExecutable_Execute_Args& args) {
  PLINTH_HANDLE(loaded, args, executable);
  ExecuteRequest request;
  ExecuteDonations donations;
  PLINTH_RETURN_IF_ERROR(ReadExecuteArguments(args, *loaded, request, donations));
  const size_t num_outputs = loaded->executable()->num_outputs();
  OutputGuard outputs(args.output_lists, request.devices, num_outputs);

  // One device is what nearly every execution has.
  Event one_completion;
  std::vector<Event> many_completions;
  std::span<Event> completions;
  if (args.device_complete_events != nullptr) {
    if (request.devices == 1) {
      completions = {&one_completion, 1};
    } else {
      many_completions.resize(request.devices);
      completions = many_completions;
    }
  }
  ExecuteResults results(args.output_lists, request.devices, num_outputs, completions);
  PLINTH_RETURN_IF_ERROR(loaded->Execute(request, results));
  // Made first: with the outputs adopted nothing may fail any more.
  std::unique_ptr<PJRT_Event> one_event;
  std::vector<std::unique_ptr<PJRT_Event>> many_events;
  if (completions.size() == 1) {
    one_event = std::make_unique<PJRT_Event>(std::move(one_completion));
  } else {
    many_events.reserve(completions.size());
    for (Event& event : completions) {
      many_events.push_back(std::make_unique<PJRT_Event>(std::move(event)));
    }
  }
  PLINTH_RETURN_IF_ERROR(outputs.Adopt(*loaded->core));
  outputs.Release();
  donations.Finish();
  if (one_event != nullptr) args.device_complete_events[0] = one_event.release();
  for (size_t d = 0; d < many_events.size(); ++d) {
    args.device_complete_events[d] = many_events[d].release();
  }
  return {};
}

}  // namespace internal
}  // namespace plinth::sdk

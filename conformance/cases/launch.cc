// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/launch.h"

#include <charconv>

#include "conformance/cases/ask.h"
#include "conformance/cases/framework_calls.h"
#include "conformance/cases/run_packed.h"

namespace plinth::conformance {
namespace {

std::string Varint(uint64_t number) {
  std::string made;
  for (; number >= 128; number >>= 7) made.push_back(static_cast<char>(number | 128));
  made.push_back(static_cast<char>(number));
  return made;
}

std::string NumberField(char tag, uint64_t number) {
  return StrCat(std::string(1, tag), Varint(number));
}

std::string BytesField(char tag, std::string_view bytes) {
  return StrCat(std::string(1, tag), Varint(bytes.size()), bytes);
}

}  // namespace

std::string CompileOptionsOf(int replicas, int partitions, std::span<const int> ids) {
  // DeviceAssignmentProto: replica_count = 1, computation_count = 2, computation_devices = 3, each
  // with replica_device_ids = 1.
  std::string assignment = StrCat(NumberField('\x08', static_cast<uint64_t>(replicas)),
                                  NumberField('\x10', static_cast<uint64_t>(partitions)));
  for (int partition = 0; partition < partitions; ++partition) {
    std::string devices;
    for (size_t i = static_cast<size_t>(partition); i < ids.size();
         i += static_cast<size_t>(partitions)) {
      devices += Varint(static_cast<uint64_t>(static_cast<int64_t>(ids[i])));
    }
    assignment += BytesField('\x1a', BytesField('\x0a', devices));
  }
  // ExecutableBuildOptionsProto: device_ordinal = 1, num_replicas = 4, num_partitions = 5,
  // use_spmd_partitioning = 6, device_assignment = 9.
  return BytesField('\x1a', StrCat(NumberField('\x08', ~uint64_t{0}),
                                   NumberField('\x20', static_cast<uint64_t>(replicas)),
                                   NumberField('\x28', static_cast<uint64_t>(partitions)),
                                   NumberField('\x30', partitions > 1 ? 1 : 0),
                                   ids.empty() ? "" : BytesField('\x4a', assignment)));
}

std::vector<int> IdsOfDevices(Context& context, size_t count) {
  const std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() < count) {
    context.LacksDevices(StrCat("the client has ", devices.size(), " of ", count, " devices"));
    return {};
  }
  if (static_cast<size_t>(context.profile().max_partitions) < count) {
    context.LacksDevices(StrCat("the profile says that programs have up to ",
                                context.profile().max_partitions, " partitions"));
    return {};
  }
  std::vector<int> ids;
  for (size_t i = 0; i < count; ++i) ids.push_back(DeviceIdOf(context, devices[i]));
  return ids;
}

int ReplicasOf(std::string_view text) {
  constexpr std::string_view kAttribute = "mhlo.num_replicas = ";
  const size_t at = text.find(kAttribute);
  int replicas = 1;
  if (at != std::string_view::npos) {
    text.remove_prefix(at + kAttribute.size());
    std::from_chars(text.data(), text.data() + text.size(), replicas);
  }
  return replicas;
}

const PackedProgram* LaunchProgram(Context& context, std::string_view name) {
  return ProgramOf(context, "launches", "launch", name);
}

std::optional<Expected<OwnedLoadedExecutable>> TryCompileFor(Context& context,
                                                             std::string_view name,
                                                             std::span<const int> ids) {
  const PackedProgram* program = LaunchProgram(context, name);
  if (program == nullptr || !ProfileHas(context, "all_reduce", {DType::kF32})) return std::nullopt;
  const std::optional<std::string_view> form = FormOfJax(context, *program);
  if (!form.has_value()) return std::nullopt;
  return context.Compile(*form, "mlir", CompileOptionsOf(1, static_cast<int>(ids.size()), ids));
}

OwnedLoadedExecutable CompileFor(Context& context, std::string_view name,
                                 std::span<const int> ids) {
  auto executable = TryCompileFor(context, name, ids);
  if (!executable.has_value() ||
      !Demand(context, StrCat("PJRT_Client_Compile of ", name), executable->status())) {
    return {};
  }
  return **std::move(executable);
}

std::vector<PJRT_Device*> DevicesOf(Context& context, PJRT_LoadedExecutable* executable) {
  auto args = Get<&PJRT_LoadedExecutable_AddressableDevices_Args::executable>(context, executable);
  if (!args.has_value()) return {};
  return {args->addressable_devices, args->addressable_devices + args->num_addressable_devices};
}

bool Launch::Upload(Context& context, std::span<PJRT_Device* const> devices,
                    std::span<const float> numbers) {
  arguments_.clear();
  for (size_t i = 0; i < devices.size(); ++i) {
    Expected<OwnedBuffer> buffer =
        context.Upload(HostArray::F32({4}, std::vector<float>(4, numbers[i])), devices[i]);
    if (!Demand(context, "PJRT_Client_BufferFromHostBuffer", buffer.status())) return false;
    arguments_.push_back(*std::move(buffer));
  }
  return !arguments_.empty();
}

Status Launch::Execute(PJRT_LoadedExecutable* executable, std::span<const int64_t> indices) {
  const size_t count = arguments_.size();
  std::vector<PJRT_Buffer*> handles(count), outputs(count);
  std::vector<PJRT_Event*> events(count);
  std::vector<PJRT_Buffer* const*> argument_lists(count);
  std::vector<PJRT_Buffer**> output_lists(count);
  for (size_t i = 0; i < count; ++i) {
    handles[i] = arguments_[i].get();
    argument_lists[i] = &handles[i];
    output_lists[i] = &outputs[i];
  }
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  options.non_donatable_input_indices = indices.data();
  options.num_non_donatable_input_indices = indices.size();
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = count;
  args.num_args = 1;
  args.output_lists = output_lists.data();
  args.device_complete_events = has_events_ ? events.data() : nullptr;
  Status status = context_.plugin().Call(args);
  outputs_.clear();
  events_.clear();
  handed_out_nothing_ = true;
  for (size_t i = 0; i < count; ++i) {
    handed_out_nothing_ &= outputs[i] == nullptr && events[i] == nullptr;
    if (!status.ok()) continue;
    outputs_.emplace_back(context_.plugin(), outputs[i]);
    events_.emplace_back(context_.plugin(), events[i]);
  }
  return status;
}

bool Launch::HandedOutNothing() const { return handed_out_nothing_; }

Expected<std::vector<float>> Launch::Output(size_t device) const {
  Expected<HostArray> array = context_.Download(outputs_[device].get());
  if (!array.ok()) return array.status();
  return array->AsF32();
}

}  // namespace plinth::conformance

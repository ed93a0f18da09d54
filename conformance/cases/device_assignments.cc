// SPDX-License-Identifier: Apache-2.0
// L3: which devices run a program: turned, some of them, unknown ones, one twice.

#include <algorithm>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/run_packed.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

constexpr char kAssignment[] = "PJRT-Client_Compile-assignment";
constexpr char kDefault[] = "PJRT-Client_DefaultDeviceAssignment-devices";

void CheckNumPartitions(Context& context, PJRT_LoadedExecutable* loaded, size_t wanted) {
  auto get = Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, loaded);
  if (!get.has_value()) return;
  if (auto count = Get<&PJRT_Executable_NumPartitions_Args::executable>(context, get->executable)) {
    context.Check("PJRT-Executable_NumPartitions-options", count->num_partitions == wanted,
                  "an executable of ", wanted, " partitions says that it has ",
                  count->num_partitions);
  }
  auto destroy = MakeArgs<PJRT_Executable_Destroy_Args>();
  destroy.executable = get->executable;
  context.Ok("", "PJRT_Executable_Destroy", context.plugin().Call(destroy));
}

// Runs the program that adds its partition's number; the devices are those of the assignment.
void RunPlaces(Context& context, std::string_view name, std::span<const int> ids) {
  OwnedLoadedExecutable executable = CompileFor(context, name, ids);
  if (!executable) return;
  CheckNumPartitions(context, executable.get(), ids.size());
  const std::vector<PJRT_Device*> devices = DevicesOf(context, executable.get());
  if (!context.Check(kAssignment, devices.size() == ids.size(), "an executable of ", ids.size(),
                     " partitions has ", devices.size(), " devices")) {
    return;
  }
  auto logical = Get<&PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args::executable>(
      context, executable.get());
  std::vector<float> numbers;
  for (size_t i = 0; i < ids.size(); ++i) {
    context.Check(kAssignment, DeviceIdOf(context, devices[i]) == ids[i], "partition ", i,
                  " is on device ", DeviceIdOf(context, devices[i]), ", not on ", ids[i]);
    if (logical.has_value() && logical->num_addressable_device_logical_ids == ids.size()) {
      const auto& own = logical->addressable_device_logical_ids[i];
      context.Check("PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
                    own.replica == 0 && own.partition == static_cast<int>(i), "device ", i,
                    " has the logical ids ", own.replica, " and ", own.partition);
    }
    numbers.push_back(static_cast<float>(100 * (i + 1)));
  }
  Launch launch(context);
  if (!launch.Upload(context, devices, numbers) ||
      !context.Ok(kAssignment, "PJRT_LoadedExecutable_Execute", launch.Execute(executable.get()))) {
    return;
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto values = launch.Output(i);
    if (!context.Ok(kAssignment, "an output", values.status())) return;
    context.Check(kAssignment, *values == std::vector<float>(4, numbers[i] + static_cast<float>(i)),
                  "partition ", i, " on device ", ids[i], " gives [", StrJoin(*values),
                  "], not four times ", numbers[i] + static_cast<float>(i));
    auto where = Get<&PJRT_Buffer_Device_Args::buffer>(context, launch.output(i));
    context.Check(kAssignment, where.has_value() && where->device == devices[i],
                  "the output of partition ", i, " lies on another device");
    auto memory = Get<&PJRT_Buffer_Memory_Args::buffer>(context, launch.output(i));
    context.Check("PJRT-Buffer_Memory-asked-for",
                  memory.has_value() && memory->memory == DefaultMemoryOf(context, devices[i]),
                  "the output of partition ", i, " lies in a memory of another device");
  }
}

void Turned(Context& context) {
  std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  std::reverse(ids.begin(), ids.end());
  RunPlaces(context, "place", ids);
}

// All orders of four devices that have none in its place; a program of two before, so that numbers
// of partitions are asked of different executables.
void Permuted(Context& context) {
  const std::vector<int> ids = IdsOfDevices(context, 4);
  if (ids.empty()) return;
  RunPlaces(context, "place", std::vector{ids[0], ids[1]});
  for (const std::vector<size_t>& order :
       std::vector<std::vector<size_t>>{{3, 2, 1, 0}, {1, 2, 3, 0}, {1, 0, 3, 2}, {2, 3, 1, 0}}) {
    std::vector<int> own;
    own.reserve(order.size());
    for (size_t i : order) own.push_back(ids[i]);
    RunPlaces(context, "place_of_four", own);
  }
}

// Any two of four devices.
void Subset(Context& context) {
  const std::vector<int> ids = IdsOfDevices(context, 4);
  for (size_t first = 0; first < ids.size(); ++first) {
    for (size_t second = 0; second < ids.size(); ++second) {
      if (first != second) RunPlaces(context, "place", std::vector{ids[first], ids[second]});
    }
  }
}

void CheckNotCompiled(Context& context, std::string_view what, std::span<const int> ids) {
  const auto executable = TryCompileFor(context, "place", ids);
  if (!executable.has_value()) return;
  context.CheckRefused(kAssignment, what, executable->status(), {StatusCode::kInvalidArgument});
}

void Unknown(Context& context) {
  const std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  int unknown = 0;
  for (PJRT_Device* device : AddressableDevices(context)) {
    unknown = std::max(unknown, DeviceIdOf(context, device) + 1000003);
  }
  for (int id : {unknown, -1}) {
    CheckNotCompiled(context, StrCat("an assignment to device ", id), std::vector{ids[0], id});
    CheckNotCompiled(context, StrCat("an assignment to device ", id), std::vector{id, ids[1]});
  }
}

void Repeated(Context& context) {
  const std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  CheckNotCompiled(context, "an assignment of one device twice", std::vector{ids[0], ids[0]});
  CheckNotCompiled(context, "an assignment of one device twice", std::vector{ids[1], ids[1]});
}

// A program that names no devices runs where PJRT_Client_DefaultDeviceAssignment says.
void Default(Context& context) {
  for (auto [replicas, partitions] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}}) {
    const auto count = static_cast<size_t>(replicas) * static_cast<size_t>(partitions);
    const std::vector<int> ids = IdsOfDevices(context, count);
    if (ids.empty()) return;
    std::vector<int> wanted(count, -1);
    auto args = MakeArgs<PJRT_Client_DefaultDeviceAssignment_Args>();
    args.client = context.client();
    args.num_replicas = replicas;
    args.num_partitions = partitions;
    args.default_assignment = wanted.data();
    args.default_assignment_size = count;
    if (!Succeeds(context, args)) return;
    Expected<OwnedLoadedExecutable> loaded = context.Compile(
        ProgramFor(context, "add_one"), "mlir", CompileOptionsOf(replicas, partitions, {}));
    // Which programs run on several devices is asked elsewhere.
    if (!loaded.ok()) {
      context.Note(loaded.status().ToString());
      continue;
    }
    const std::vector<PJRT_Device*> devices = DevicesOf(context, loaded->get());
    auto logical = Get<&PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args::executable>(
        context, loaded->get());
    if (!logical || logical->num_addressable_device_logical_ids != devices.size()) continue;
    context.Note(StrCat(replicas, " x ", partitions, ": ", devices.size(), " devices, by default ",
                        StrJoin(wanted)));
    for (size_t i = 0; i < devices.size(); ++i) {
      const auto& own = logical->addressable_device_logical_ids[i];
      const size_t at = static_cast<size_t>(int64_t{own.replica} * partitions + own.partition);
      if (!context.Check(kDefault, at < count && wanted[at] == DeviceIdOf(context, devices[i]),
                         "replica ", own.replica, ", partition ", own.partition, " of ", replicas,
                         " x ", partitions, " is on device ", DeviceIdOf(context, devices[i]),
                         ", the default assignment is ", StrJoin(wanted)))
        return;
    }
  }
}

// More computations than devices: a plugin that does not refuse them has no two of them on one.
void MoreThanDevices(Context& context) {
  auto all = Get<&PJRT_Client_Devices_Args::client>(context, context.client());
  if (!all) return;
  const auto devices = static_cast<int>(all->num_devices);
  for (auto [replicas, partitions] :
       {std::pair{devices + 1, 1}, {1, devices + 1}, {2 * devices, 1}, {devices, 3}}) {
    std::vector<int> ids(static_cast<size_t>(replicas) * static_cast<size_t>(partitions), -1);
    auto args = MakeArgs<PJRT_Client_DefaultDeviceAssignment_Args>();
    args.client = context.client();
    args.num_replicas = replicas;
    args.num_partitions = partitions;
    args.default_assignment = ids.data();
    args.default_assignment_size = ids.size();
    if (!context.plugin().Call(args).ok()) continue;
    const std::string said = StrJoin(ids);
    std::sort(ids.begin(), ids.end());
    context.Check(kDefault, std::adjacent_find(ids.begin(), ids.end()) == ids.end(), replicas,
                  " x ", partitions, " computations on ", devices, " devices: ", said,
                  " has two on one");
  }
}

}  // namespace

void AddDeviceAssignmentCases(std::vector<Case>& cases) {
  const auto add = [&](const char* name, void (*run)(Context&)) {
    cases.push_back({StrCat("L3/assignment/", name),
                     Level::kL3,
                     ClientNeed::kShared,
                     {kAssignment, "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
                      "PJRT-Executable_NumPartitions-options", "PJRT-Args-output-true",
                      "PJRT-Buffer_Memory-asked-for", kDefault},
                     run});
  };
  add("turned", Turned);
  add("permuted", Permuted);
  add("subset", Subset);
  add("unknown", Unknown);
  add("repeated", Repeated);
  add("default", Default);
  add("more_than_devices", MoreThanDevices);
}

}  // namespace plinth::conformance

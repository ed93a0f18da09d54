// SPDX-License-Identifier: Apache-2.0
// L1 and L3: copies between memories and devices, programs on several devices.

#include <algorithm>
#include <array>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

const std::vector<float> kValues = {1, 2, 3, 4};
const std::vector<float> kSums = {2, 3, 4, 5};

// The addressable devices; empty, and UNSUPPORTED, where there is only one.
std::vector<PJRT_Device*> Several(Context& context) {
  auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  args.client = context.client();
  if (!context.Ok("", "PJRT_Client_AddressableDevices", context.plugin().Call(args))) return {};
  if (args.num_addressable_devices < 2) {
    context.LacksDevices("the client has one device");
    return {};
  }
  return {args.addressable_devices, args.addressable_devices + args.num_addressable_devices};
}

int IdOf(const Context& context, PJRT_Device* device) {
  auto get = MakeArgs<PJRT_Device_GetDescription_Args>();
  get.device = device;
  if (!context.plugin().Call(get).ok()) return -1;
  auto id = MakeArgs<PJRT_DeviceDescription_Id_Args>();
  id.device_description = get.device_description;
  return context.plugin().Call(id).ok() ? id.id : -1;
}

// Checks contents and, unless null, the device.
void CheckBuffer(Context& context, std::string_view requirement, PJRT_Buffer* buffer,
                 const std::vector<float>& wanted, PJRT_Device* device) {
  Expected<HostArray> array = context.Download(buffer);
  if (!context.Ok(requirement, "PJRT_Buffer_ToHostBuffer", array.status())) return;
  context.Check(requirement, array->AsF32() == wanted, "the values are [", StrJoin(array->AsF32()),
                "], not [", StrJoin(wanted), "]");
  if (device == nullptr) return;
  auto where = MakeArgs<PJRT_Buffer_Device_Args>();
  where.buffer = buffer;
  if (context.Ok(requirement, "PJRT_Buffer_Device", context.plugin().Call(where))) {
    context.Check(requirement, where.device == device, "the buffer lies on device ",
                  IdOf(context, where.device), ", not on ", IdOf(context, device));
  }
}

Expected<OwnedBuffer> CopyTo(const Context& context, PJRT_Buffer* buffer, PJRT_Device* device) {
  auto args = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
  args.buffer = buffer;
  args.dst_device = device;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return OwnedBuffer(context.plugin(), args.dst_buffer);
}

// Whether a copy of an array of that device to that memory succeeds.
bool TakesCopyFrom(const Context& context, PJRT_Device* device, PJRT_Memory* memory) {
  Expected<OwnedBuffer> source = context.Upload(HostArray::F32({4}, kValues), device);
  if (!source.ok()) return false;
  auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  args.buffer = source->get();
  args.dst_memory = memory;
  if (!context.plugin().Call(args).ok()) return false;
  OwnedBuffer copy(context.plugin(), args.dst_buffer);
  return context.Download(copy.get()).ok();
}

// To every memory of a device and back to where it was.
void CopyToMemories(Context& context, PJRT_Device* device) {
  bool between_devices = false;
  constexpr char kRequirement[] = "PJRT-Buffer_CopyToMemory-contents";
  auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  memories.device = device;
  if (!context.Ok("", "PJRT_Device_AddressableMemories", context.plugin().Call(memories))) return;
  for (size_t i = 0; i < memories.num_memories; ++i) {
    Expected<OwnedBuffer> source = context.Upload(HostArray::F32({4}, kValues));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", source.status())) return;
    auto args = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
    args.buffer = source->get();
    args.dst_memory = memories.memories[i];
    Status status = context.plugin().Call(args);
    // Who copies between these devices, and to this memory from its own device, does both at once.
    if (status.code() == StatusCode::kUnimplemented && between_devices &&
        TakesCopyFrom(context, device, memories.memories[i])) {
      context.Fail("PJRT-Args-accepted",
                   StrCat("a copy to a memory of device ", IdOf(context, device), " of the kind ",
                          MemoryKindOf(context, memories.memories[i]),
                          ", which takes copies from its own device: ", status.ToString()));
      return;
    }
    if (!context.Ok(kRequirement, "PJRT_Buffer_CopyToMemory", status)) return;
    between_devices = true;
    OwnedBuffer copy(context.plugin(), args.dst_buffer);
    (void)source->Destroy();
    CheckBuffer(context, kRequirement, copy.get(), kValues, nullptr);
    auto where = MakeArgs<PJRT_Buffer_Memory_Args>();
    where.buffer = copy.get();
    if (context.Ok(kRequirement, "PJRT_Buffer_Memory", context.plugin().Call(where))) {
      context.Check(kRequirement, where.memory == memories.memories[i],
                    "the copy lies in another memory");
    }
  }
}

void CopyToOwnMemories(Context& context) {
  Expected<PJRT_Device*> device = context.Device();
  if (context.Ok("", "PJRT_Client_AddressableDevices", device.status())) {
    CopyToMemories(context, *device);
  }
}

void CopyToOtherMemories(Context& context) {
  for (PJRT_Device* device : Several(context)) CopyToMemories(context, device);
}

void CopyBetweenDevices(Context& context) {
  constexpr char kRequirement[] = "PJRT-Buffer_CopyToDevice-contents";
  for (PJRT_Device* first : Several(context)) {
    Expected<OwnedBuffer> source = context.Upload(HostArray::F32({4}, kValues));
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", source.status())) return;
    for (PJRT_Device* second : Several(context)) {
      Expected<OwnedBuffer> there = CopyTo(context, source->get(), second);
      if (!there.ok() && first == second) continue;  // a copy to where it lies may be refused
      if (!context.Ok(kRequirement, "PJRT_Buffer_CopyToDevice", there.status())) return;
      CheckBuffer(context, kRequirement, there->get(), kValues, second);
    }
    CheckBuffer(context, kRequirement, source->get(), kValues, nullptr);
  }
}

// An executable says how many replicas it has in every way that there is.
void CheckReplicas(Context& context, PJRT_LoadedExecutable* loaded, size_t replicas) {
  auto mine = Get<&PJRT_LoadedExecutable_AddressableDevices_Args::executable>(context, loaded);
  if (mine) {
    context.Check(kOutputTrue, mine->num_addressable_devices == replicas, "an executable of ",
                  replicas, " replicas has ", mine->num_addressable_devices, " devices");
  }
  auto ids = MakeArgs<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>();
  ids.executable = loaded;
  if (context.plugin().Has(
          reflection::function::kPJRT_LoadedExecutable_AddressableDeviceLogicalIds) &&
      Succeeds(context, ids)) {
    context.Check(kOutputTrue, ids.num_addressable_device_logical_ids == replicas,
                  "an executable of ", replicas, " replicas has ",
                  ids.num_addressable_device_logical_ids, " logical ids");
  }
  auto get = Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(context, loaded);
  if (!get) return;
  OwnedExecutable executable(context.plugin(), get->executable);
  auto count = Get<&PJRT_Executable_NumReplicas_Args::executable>(context, executable.get());
  if (count) {
    context.Check("PJRT-Executable_NumReplicas-options", count->num_replicas == replicas,
                  "an executable of ", replicas, " replicas says ", count->num_replicas);
  }
  auto parts = Get<&PJRT_Executable_NumPartitions_Args::executable>(context, executable.get());
  if (parts) {
    context.Check("PJRT-Executable_NumPartitions-options", parts->num_partitions == 1,
                  "an executable of ", replicas, " replicas and one partition says ",
                  parts->num_partitions, " partitions");
  }
}

// Both replicas add one, each to an array of its own.
void RunReplicas(Context& context, bool is_reversed) {
  constexpr char kRequirement[] = "PJRT-LoadedExecutable_Execute-results";
  std::vector<PJRT_Device*> devices = Several(context);
  if (devices.empty()) return;
  if (is_reversed) std::swap(devices[0], devices[1]);
  Expected<OwnedLoadedExecutable> single = context.Compile(ProgramFor(context, "add_one"));
  if (context.Ok("", "PJRT_Client_Compile", single.status()))
    CheckReplicas(context, single->get(), 1);
  Expected<OwnedLoadedExecutable> executable = context.Compile(
      ProgramFor(context, "add_one"), "mlir",
      CompileOptionsOf(2, 1, std::vector{IdOf(context, devices[0]), IdOf(context, devices[1])}));
  if (!context.Ok(kRequirement, "PJRT_Client_Compile for two replicas", executable.status())) {
    return;
  }
  CheckReplicas(context, executable->get(), 2);
  auto mine = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
  mine.executable = executable->get();
  if (!context.Ok(kRequirement, "PJRT_LoadedExecutable_AddressableDevices",
                  context.plugin().Call(mine)) ||
      !context.Check(kRequirement, mine.num_addressable_devices == 2,
                     "an executable of two replicas has ", mine.num_addressable_devices,
                     " devices")) {
    return;
  }
  auto ids = MakeArgs<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>();
  ids.executable = executable->get();
  if (context.plugin().Has(
          reflection::function::kPJRT_LoadedExecutable_AddressableDeviceLogicalIds) &&
      context.Ok(kRequirement, "PJRT_LoadedExecutable_AddressableDeviceLogicalIds",
                 context.plugin().Call(ids))) {
    for (size_t i = 0; i < ids.num_addressable_device_logical_ids; ++i) {
      size_t replica = static_cast<size_t>(ids.addressable_device_logical_ids[i].replica);
      context.Check("PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
                    replica < 2 && mine.addressable_devices[i] == devices[replica],
                    "the logical ids have another order than the devices");
    }
  }
  std::vector<OwnedBuffer> arguments;
  std::vector<std::vector<float>> wanted;
  PJRT_Buffer* handles[2];
  PJRT_Buffer* const* argument_lists[2];
  PJRT_Buffer* outputs[2] = {};
  PJRT_Buffer** output_lists[2];
  PJRT_Event* events[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    auto number = static_cast<float>(10 * i);
    Expected<OwnedBuffer> there =
        context.Upload(HostArray::F32({4}, {number, 2, 3, 4}), mine.addressable_devices[i]);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", there.status())) return;
    arguments.push_back(*std::move(there));
    wanted.push_back({number + 1, 3, 4, 5});
    handles[i] = arguments[i].get();
    argument_lists[i] = &handles[i];
    output_lists[i] = &outputs[i];
  }
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable->get();
  args.options = &options;
  args.argument_lists = argument_lists;
  args.num_devices = 2;
  args.num_args = 1;
  args.output_lists = output_lists;
  args.device_complete_events = events;
  if (!context.Ok(kRequirement, "PJRT_LoadedExecutable_Execute on two devices",
                  context.plugin().Call(args))) {
    return;
  }
  for (size_t i = 0; i < 2; ++i) {
    OwnedBuffer output(context.plugin(), outputs[i]);
    OwnedEvent done(context.plugin(), events[i]);
    CheckBuffer(context, kRequirement, output.get(), wanted[i], mine.addressable_devices[i]);
    if (done) {
      context.Ok("PJRT-LoadedExecutable_Execute-done", "its event", context.Await(done.get()));
    }
  }
}

// Each result lies in memory of the kind that its executable names, and of its device.
void ResultsInMemories(Context& context, size_t replicas) {
  std::vector<PJRT_Device*> devices =
      replicas == 1 ? AddressableDevices(context) : Several(context);
  if (devices.size() < replicas) return;
  devices.resize(replicas);
  std::vector<int> ids;
  for (PJRT_Device* device : devices) ids.push_back(IdOf(context, device));
  Expected<OwnedLoadedExecutable> executable =
      context.Compile(ProgramFor(context, "two_memories"), "mlir",
                      CompileOptionsOf(static_cast<int>(replicas), 1, ids));
  // A plugin has the memories that it has.
  if (!executable.ok()) return context.Unsupported(executable.status().ToString());
  Compiled compiled{*std::move(executable), {}};
  if (!FindExecutable(context, compiled)) return;
  auto kinds =
      Get<&PJRT_Executable_OutputMemoryKinds_Args::executable>(context, compiled.executable.get());
  if (!kinds) return context.Unsupported("no memory kinds are told");
  if (!context.Check(kProgram, kinds->num_outputs == 2, "a program of 2 results says kinds of ",
                     kinds->num_outputs))
    return;
  std::vector<OwnedBuffer> arguments;
  std::vector<std::array<PJRT_Buffer*, 2>> outputs(replicas);
  std::vector<PJRT_Buffer*> handles(replicas);
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> output_lists;
  const std::vector<PJRT_Device*> order = DevicesOf(context, compiled.loaded.get());
  if (order.size() != replicas) return;
  for (size_t i = 0; i < replicas; ++i) {
    Expected<OwnedBuffer> there = context.Upload(HostArray::F32({4}, kValues), order[i]);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", there.status())) return;
    arguments.push_back(*std::move(there));
    handles[i] = arguments[i].get();
    argument_lists.push_back(&handles[i]);
    output_lists.push_back(outputs[i].data());
  }
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = compiled.loaded.get();
  args.options = &options;
  args.argument_lists = argument_lists.data();
  args.num_devices = replicas;
  args.num_args = 1;
  args.output_lists = output_lists.data();
  if (!context.Ok("PJRT-LoadedExecutable_Execute-results", "PJRT_LoadedExecutable_Execute",
                  context.plugin().Call(args)))
    return;
  for (size_t i = 0; i < replicas; ++i) {
    for (size_t j = 0; j < 2; ++j) {
      OwnedBuffer output(context.plugin(), outputs[i][j]);
      const std::vector<float> squares = {2, 8, 18, 32};
      CheckBuffer(context, "PJRT-LoadedExecutable_Execute-results", output.get(),
                  j == 0 ? std::vector<float>{2, 4, 6, 8} : squares, order[i]);
      auto where = Get<&PJRT_Buffer_Memory_Args::buffer>(context, output.get());
      if (!where) continue;
      const std::string_view wanted = StringOf(kinds->memory_kinds[j], kinds->memory_kind_sizes[j]);
      context.Check(kProgram, MemoryKindOf(context, where->memory) == wanted, "result ", j,
                    " on device ", i, " lies in memory of the kind ",
                    MemoryKindOf(context, where->memory), ", not ", wanted);
      const std::vector<PJRT_Memory*> own = MemoriesOf(context, order[i]);
      context.Check(kProgram, std::count(own.begin(), own.end(), where->memory) == 1, "result ", j,
                    " on device ", i, " lies in memory that the device does not have");
    }
  }
}

void WrongDevice(Context& context) {
  std::vector<PJRT_Device*> devices = Several(context);
  if (devices.empty()) return;
  Expected<OwnedLoadedExecutable> executable = context.Compile(ProgramFor(context, "add_one"));
  Expected<OwnedBuffer> source = context.Upload(HostArray::F32({4}, kValues));
  if (!context.Ok("", "PJRT_Client_Compile", executable.status()) ||
      !context.Ok("", "PJRT_Client_BufferFromHostBuffer", source.status())) {
    return;
  }
  Expected<OwnedBuffer> elsewhere = CopyTo(context, source->get(), devices[1]);
  if (!context.Ok("", "PJRT_Buffer_CopyToDevice", elsewhere.status())) return;
  PJRT_Buffer* handles[] = {elsewhere->get()};
  context.CheckRefused(
      "PJRT-LoadedExecutable_Execute-shape", "an argument that lies on another device",
      context.Execute(executable->get(), handles).status(), {StatusCode::kInvalidArgument});
}

// A program that names no device runs on the one that the call names.
void PortableProgram(Context& context) {
  constexpr char kRequirement[] = "PJRT-LoadedExecutable_Execute-results";
  const std::vector<PJRT_Device*> devices = Several(context);
  if (devices.empty()) return;
  Expected<OwnedLoadedExecutable> executable =
      context.Compile(ProgramFor(context, "add_one"), "mlir",
                      StrCat(SingleDeviceCompileOptions(), std::string("\x20\x01", 2)));
  if (!context.Ok(kRequirement, "PJRT_Client_Compile of a portable program", executable.status())) {
    return;
  }
  for (PJRT_Device* device : devices) {
    Expected<OwnedBuffer> there = context.Upload(HostArray::F32({4}, kValues), device);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", there.status())) return;
    PJRT_Buffer* argument = there->get();
    PJRT_Buffer* const* arguments = &argument;
    PJRT_Buffer* output = nullptr;
    PJRT_Buffer** outputs = &output;
    auto options = MakeArgs<PJRT_ExecuteOptions>();
    auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
    args.executable = executable->get();
    args.options = &options;
    args.argument_lists = &arguments;
    args.num_devices = 1;
    args.num_args = 1;
    args.output_lists = &outputs;
    args.execute_device = device;
    if (!context.Ok(kRequirement, StrCat("a run on device ", IdOf(context, device)),
                    context.plugin().Call(args))) {
      return;
    }
    OwnedBuffer owned(context.plugin(), output);
    CheckBuffer(context, kRequirement, output, kSums, device);
  }
}

// Whether a run takes the argument that its program donates, on the first device or on that which
// the call names; with `keeps` the call says that it stays.
Expected<bool> TakesArgument(Context& context, PJRT_LoadedExecutable* executable,
                             PJRT_Device* device, bool names_device, bool keeps) {
  PLINTH_ASSIGN_OR_RETURN(OwnedBuffer there, context.Upload(HostArray::F32({4}, kValues), device));
  PJRT_Buffer* argument = there.get();
  PJRT_Buffer* const* arguments = &argument;
  PJRT_Buffer* output = nullptr;
  PJRT_Buffer** outputs = &output;
  const int64_t kept[] = {0};
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  if (keeps) options.non_donatable_input_indices = kept;
  if (keeps) options.num_non_donatable_input_indices = 1;
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &arguments;
  args.num_devices = 1;
  args.num_args = 1;
  args.output_lists = &outputs;
  args.execute_device = names_device ? device : nullptr;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer owned(context.plugin(), output);
  const bool is_taken = IsBufferDeleted(context, argument);
  PLINTH_RETURN_IF_ERROR(AwaitBuffer(context, output));
  return is_taken;
}

// A program donates alike wherever it runs. Whether a plugin donates at all is asked elsewhere.
void PortableDonation(Context& context) {
  constexpr char kDonation[] = "PJRT-LoadedExecutable_Execute-donation";
  const std::vector<PJRT_Device*> devices = Several(context);
  if (devices.empty()) return;
  Expected<OwnedLoadedExecutable> usual = context.Compile(ProgramFor(context, "donating")),
                                  portable =
                                      context.Compile(ProgramFor(context, "donating"), "mlir",
                                                      StrCat(SingleDeviceCompileOptions(),
                                                             std::string("\x20\x01", 2)));
  if (!context.Ok("", "PJRT_Client_Compile", usual.status()) ||
      !context.Ok("", "PJRT_Client_Compile of a portable program", portable.status()))
    return;
  Expected<bool> wanted = TakesArgument(context, usual->get(), devices[0], false, false);
  if (!context.Ok("", "PJRT_LoadedExecutable_Execute", wanted.status())) return;
  for (PJRT_Device* device : devices) {
    for (bool keeps : {false, true}) {
      Expected<bool> taken = TakesArgument(context, portable->get(), device, true, keeps);
      if (!context.Ok("", "PJRT_LoadedExecutable_Execute", taken.status())) return;
      context.Check(keeps ? "PJRT-LoadedExecutable_Execute-not-donated" : kDonation,
                    *taken == (*wanted && !keeps), "of a portable program on device ",
                    IdOf(context, device), " an argument that is ", keeps ? "kept" : "donated",
                    *taken ? " is gone" : " is there", " after the run");
    }
  }
}

}  // namespace

void AddSeveralDevicesCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    Level level = name[1] == '1' ? Level::kL1 : Level::kL3;
    cases.push_back(
        {name, level, ClientNeed::kShared, std::move(requirements), std::move(run), false});
  };
  add("L1/copy/to_memories", {"PJRT-Buffer_CopyToMemory-contents"}, CopyToOwnMemories);
  add("L3/copy/to_memories", {"PJRT-Buffer_CopyToMemory-contents", "PJRT-Args-accepted"},
      CopyToOtherMemories);
  add("L3/copy/between_devices", {"PJRT-Buffer_CopyToDevice-contents"}, CopyBetweenDevices);
  for (bool is_reversed : {false, true}) {
    add(is_reversed ? "L3/execute/replicas_reversed" : "L3/execute/replicas",
        {"PJRT-LoadedExecutable_Execute-results",
         "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
        [=](Context& context) { RunReplicas(context, is_reversed); });
  }
  add("L1/execute/results_in_memories", {kProgram, "PJRT-LoadedExecutable_Execute-results"},
      [](Context& context) { ResultsInMemories(context, 1); });
  add("L3/execute/results_in_memories", {kProgram, "PJRT-LoadedExecutable_Execute-results"},
      [](Context& context) { ResultsInMemories(context, 2); });
  add("L3/execute/wrong_device", {"PJRT-LoadedExecutable_Execute-shape"}, WrongDevice);
  add("L3/execute/portable", {"PJRT-LoadedExecutable_Execute-results"}, PortableProgram);
  add("L3/execute/portable_donation",
      {"PJRT-LoadedExecutable_Execute-donation", "PJRT-LoadedExecutable_Execute-not-donated"},
      PortableDonation);
}

}  // namespace plinth::conformance

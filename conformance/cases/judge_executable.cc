// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/judge_executable.h"

#include <cmath>
#include <cstring>
#include <set>

#include "conformance/cases/ask.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

std::vector<std::string> Texts(const char* const* texts, const size_t* sizes, size_t count) {
  std::vector<std::string> all;
  for (size_t i = 0; i < count && texts != nullptr && sizes != nullptr; ++i)
    all.emplace_back(StringOf(texts[i], sizes[i]));
  return all;
}

}  // namespace

bool FindExecutable(Context& context, Compiled& compiled) {
  auto get = Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(
      context, compiled.loaded.get());
  if (!get) return false;
  compiled.executable = OwnedExecutable(context.plugin(), get->executable);
  return true;
}

bool Compile(Context& context, std::string_view name, Compiled& compiled,
             std::string_view options) {
  Expected<OwnedLoadedExecutable> made =
      context.Compile(ProgramFor(context, name), "mlir", options);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_Compile", made.status())) return false;
  compiled.loaded = *std::move(made);
  return FindExecutable(context, compiled);
}

Expected<OwnedExecutable> CompileAhead(Context& context, std::string_view name,
                                       std::string_view options,
                                       const PJRT_TopologyDescription* topology) {
  if (topology == nullptr) {
    auto own = MakeArgs<PJRT_Client_TopologyDescription_Args>();
    own.client = context.client();
    PLINTH_RETURN_IF_ERROR(context.plugin().Call(own));
    topology = own.topology;
  }
  std::string code(ProgramFor(context, name));
  auto program = MakeArgs<PJRT_Program>();
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  auto args = MakeArgs<PJRT_Compile_Args>();
  args.topology = topology;
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  return OwnedExecutable(context.plugin(), args.executable);
}

std::optional<std::string> SerializedBytes(Context& context, PJRT_Executable* executable) {
  auto made = Get<&PJRT_Executable_Serialize_Args::executable>(context, executable);
  if (!made) return std::nullopt;
  std::string bytes(StringOf(made->serialized_bytes, made->serialized_bytes_size));
  if (made->serialized_executable_deleter != nullptr)
    made->serialized_executable_deleter(made->serialized_executable);
  return bytes;
}

OwnedLoadedExecutable LoadBytes(Context& context, std::string_view bytes,
                                std::string_view requirement, PJRT_Client* client) {
  GuardedArgs guarded(std::max<size_t>(bytes.size(), 1));
  std::memcpy(guarded.data(), bytes.data(), bytes.size());
  auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
  load.client = client == nullptr ? context.client() : client;
  load.serialized_executable = reinterpret_cast<const char*>(guarded.data());
  load.serialized_executable_size = bytes.size();
  if (!Succeeds(context, load, requirement)) return {};
  std::fill_n(guarded.data(), bytes.size(), std::byte{0xFF});  // borrowed for the call
  return OwnedLoadedExecutable(context.plugin(), load.loaded_executable);
}

uint64_t TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) break;
  }
  return value;
}

Facts JudgeExecutable(Context& context, const Example& example, PJRT_Executable* executable) {
  Facts facts;
  if (auto name = Get<&PJRT_Executable_Name_Args::executable>(context, executable)) {
    facts.name = StringOf(name->executable_name, name->executable_name_size);
    context.Check(
        "PJRT-Executable_Name-program", facts.name.find(example.name) != std::string::npos,
        "the executable of the module ", example.name, " has the name \"", facts.name, "\"");
  }
  if (auto count = Get<&PJRT_Executable_NumReplicas_Args::executable>(context, executable))
    facts.replicas = count->num_replicas;
  if (auto count = Get<&PJRT_Executable_NumPartitions_Args::executable>(context, executable))
    facts.partitions = count->num_partitions;
  size_t wanted = example.results.size();
  if (auto count = Get<&PJRT_Executable_NumOutputs_Args::executable>(context, executable)) {
    context.Check(kProgram, count->num_outputs == wanted, count->num_outputs, " outputs, not ",
                  wanted);
  }
  auto types = Get<&PJRT_Executable_OutputElementTypes_Args::executable>(context, executable);
  if (types && context.Check(kProgram, types->num_output_types == wanted, types->num_output_types,
                             " types of outputs, not ", wanted)) {
    for (size_t i = 0; i < wanted; ++i) {
      context.Check(kProgram, RawEnum(types->output_types[i]) == ToC(example.results[i].type),
                    "the type of output ", i, " is ", RawEnum(types->output_types[i]), ", not ",
                    Name(example.results[i].type));
    }
  }
  auto dims = Get<&PJRT_Executable_OutputDimensions_Args::executable>(context, executable);
  if (dims && context.Check(kProgram, dims->num_outputs == wanted, dims->num_outputs,
                            " shapes of outputs, not ", wanted)) {
    const int64_t* next = dims->dims;
    for (size_t i = 0; i < wanted; ++i) {
      size_t rank = dims->dim_sizes[i];
      if (!context.Check(kProgram, rank == example.results[i].dims.size(), "output ", i, " has ",
                         rank, " dimensions, not ", example.results[i].dims.size()))
        break;
      std::vector<int64_t> shape(next, next + rank);
      context.Check(kProgram, shape == example.results[i].dims, "output ", i, " is [",
                    StrJoin(shape), "], not [", StrJoin(example.results[i].dims), "]");
      next += rank;
    }
  }
  std::set<std::string> known;
  Expected<PJRT_Device*> device = context.Device();
  if (device.ok()) {
    for (PJRT_Memory* memory : MemoriesOf(context, *device))
      known.insert(MemoryKindOf(context, memory));
  }
  auto look_at_kinds = [&](std::string_view what, const std::vector<std::string>& kinds,
                           size_t count) {
    context.Check(kProgram, kinds.size() == count, kinds.size(), " memory kinds of ", what,
                  ", not ", count);
    for (const std::string& kind : kinds) {
      context.Check(kProgram, known.contains(kind), what, " lie in memory of the kind \"", kind,
                    "\", which no device has");
    }
  };
  if (auto kinds = Get<&PJRT_Executable_OutputMemoryKinds_Args::executable>(context, executable)) {
    facts.output_kinds = Texts(kinds->memory_kinds, kinds->memory_kind_sizes, kinds->num_outputs);
    look_at_kinds("outputs", facts.output_kinds, wanted);
  }
  if (auto kinds =
          Get<&PJRT_Executable_ParameterMemoryKinds_Args::executable>(context, executable)) {
    facts.parameter_kinds =
        Texts(kinds->memory_kinds, kinds->memory_kind_sizes, kinds->num_parameters);
    look_at_kinds("parameters", facts.parameter_kinds, example.arguments.size());
  }
  if (auto print = Get<&PJRT_Executable_Fingerprint_Args::executable>(context, executable)) {
    facts.fingerprint = StringOf(print->executable_fingerprint, print->executable_fingerprint_size);
    if (facts.fingerprint.empty()) context.Note("no fingerprint");
  }
  if (auto options =
          Get<&PJRT_Executable_GetCompileOptions_Args::executable>(context, executable)) {
    facts.options = StringOf(options->serialized_bytes, options->serialized_bytes_size);
    if (context.Check("PJRT-Executable_GetCompileOptions-serialized_compile_options-owner",
                      options->serialized_compile_options_deleter != nullptr, "no deleter")) {
      options->serialized_compile_options_deleter(options->serialized_compile_options);
    }
    context.Check(kOutputTrue, !facts.options.empty(),
                  "the compile options that come back are empty");
  }
  auto size =
      Get<&PJRT_Executable_SizeOfGeneratedCodeInBytes_Args::executable>(context, executable);
  if (size) {
    context.Check(kOutputTrue,
                  size->size_in_bytes >= -1 && size->size_in_bytes < (int64_t{1} << 40),
                  "the generated code has ", size->size_in_bytes, " bytes");
  }
  int64_t in = 0, out = 0;
  for (const HostArray& array : example.arguments) in += static_cast<int64_t>(array.bytes.size());
  for (const HostArray& array : example.results) out += static_cast<int64_t>(array.bytes.size());
  if (auto stats =
          Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(context, executable)) {
    auto most = [](int64_t bytes, size_t count) {
      return 16 * bytes + 4096 * (static_cast<int64_t>(count) + 2);
    };
    context.Check("PJRT-Executable_GetCompiledMemoryStats-sizes",
                  stats->argument_size_in_bytes + stats->host_argument_size_in_bytes >= in &&
                      stats->argument_size_in_bytes <= most(in, example.arguments.size()),
                  "arguments take ", stats->argument_size_in_bytes, " bytes, they have ", in);
    context.Check("PJRT-Executable_GetCompiledMemoryStats-sizes",
                  stats->output_size_in_bytes + stats->host_output_size_in_bytes >= out &&
                      stats->output_size_in_bytes <= most(out, example.results.size()),
                  "outputs take ", stats->output_size_in_bytes, " bytes, they have ", out);
    for (int64_t each :
         {stats->generated_code_size_in_bytes, stats->alias_size_in_bytes,
          stats->temp_size_in_bytes, stats->host_generated_code_size_in_bytes,
          stats->host_argument_size_in_bytes, stats->host_output_size_in_bytes,
          stats->host_alias_size_in_bytes, stats->host_temp_size_in_bytes,
          stats->peak_memory_in_bytes, stats->total_size_in_bytes, stats->total_allocation_bytes,
          stats->indefinite_allocations, stats->peak_unpadded_heap_bytes}) {
      context.Check(kOutputTrue, each >= 0 && each < (int64_t{1} << 40),
                    "a size in PJRT_Executable_GetCompiledMemoryStats is ", each);
    }
    auto on_host = [](const std::vector<std::string>& kinds) {
      return std::any_of(kinds.begin(), kinds.end(), [](const std::string& kind) {
        return kind.find("host") != std::string::npos;
      });
    };
    context.Check("PJRT-Executable_GetCompiledMemoryStats-sizes",
                  facts.parameter_kinds.size() != example.arguments.size() ||
                      on_host(facts.parameter_kinds) || stats->host_argument_size_in_bytes == 0,
                  "no parameter lies in memory of the host, and host_argument_size_in_bytes is ",
                  stats->host_argument_size_in_bytes);
    context.Check("PJRT-Executable_GetCompiledMemoryStats-sizes",
                  facts.output_kinds.size() != example.results.size() ||
                      on_host(facts.output_kinds) || stats->host_output_size_in_bytes == 0,
                  "no output lies in memory of the host, and host_output_size_in_bytes is ",
                  stats->host_output_size_in_bytes);
    context.Check(kOutputTrue, stats->alias_size_in_bytes <= stats->argument_size_in_bytes,
                  "aliased are ", stats->alias_size_in_bytes, " of ", stats->argument_size_in_bytes,
                  " bytes of arguments");
  }
  if (auto cost = Get<&PJRT_Executable_GetCostAnalysis_Args::executable>(context, executable)) {
    std::set<std::string> names;
    for (size_t i = 0; i < cost->num_properties; ++i) {
      const PJRT_NamedValue& value = cost->properties[i];
      std::string name(StringOf(value.name, value.name_size));
      context.Check("PJRT-Args-nested-struct_size",
                    value.struct_size >= PJRT_NamedValue_STRUCT_SIZE, "the cost \"", name,
                    "\" says that its struct has ", value.struct_size, " bytes");
      context.Check("PJRT-Executable_GetCostAnalysis-named",
                    !name.empty() && names.insert(name).second,
                    "a cost has no name, or that of another: \"", name, "\"");
      bool is_number = RawEnum(value.type) == PJRT_NamedValue_kFloat ||
                       RawEnum(value.type) == PJRT_NamedValue_kInt64;
      if (!context.Check("PJRT-Executable_GetCostAnalysis-named",
                         is_number && value.value_size == 1, "the cost \"", name,
                         "\" is no number"))
        continue;
      double number = RawEnum(value.type) == PJRT_NamedValue_kFloat
                          ? value.float_value
                          : static_cast<double>(value.int64_value);
      context.Check(kOutputTrue,
                    std::isfinite(number) && (number >= 0 || name == "optimal_seconds"),
                    "the cost \"", name, "\" is ", number);
      if (name == "bytes accessed") {
        context.Check(kOutputTrue, number >= static_cast<double>(out), "bytes accessed are ",
                      number, ", the outputs have ", out);
      }
    }
  }
  return facts;
}

void RunAndJudge(Context& context, const Example& example, PJRT_LoadedExecutable* executable,
                 const Facts& facts, bool with_event) {
  std::vector<OwnedBuffer> arguments;
  std::vector<PJRT_Buffer*> handles = UploadAll(context, example.arguments, arguments);
  if (handles.size() != example.arguments.size()) return;
  // Two places more, which the call does not touch.
  auto* untouched = reinterpret_cast<PJRT_Buffer*>(uintptr_t{0x5A5A});
  std::vector<PJRT_Buffer*> outputs(example.results.size(), nullptr);
  outputs.resize(outputs.size() + 2, untouched);
  // Nobody looks at a list of nothing.
  const bool is_null = example.results.empty() && !with_event;
  PJRT_Buffer** output_list = is_null ? nullptr : outputs.data();
  const std::vector<PJRT_Buffer*> given = handles;
  PJRT_Buffer* const* argument_list = handles.data();
  PJRT_Event* events[2] = {nullptr, reinterpret_cast<PJRT_Event*>(untouched)};
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  options.launch_id = 42;
  auto args = MakeArgs<PJRT_LoadedExecutable_Execute_Args>();
  args.executable = executable;
  args.options = &options;
  args.argument_lists = &argument_list;
  args.num_devices = 1;
  args.num_args = handles.size();
  args.output_lists = &output_list;
  args.device_complete_events = with_event ? events : nullptr;
  if (!Succeeds(context, args, kResultsOfProgram)) return;
  context.Check("PJRT-Args-input", handles == given && options.launch_id == 42,
                "the call changed its arguments");
  std::vector<OwnedBuffer> owned;
  for (size_t i = 0; i < example.results.size(); ++i)
    owned.emplace_back(context.plugin(), outputs[i]);
  context.Check(kResultsOfProgram,
                outputs[example.results.size()] == untouched &&
                    outputs[example.results.size() + 1] == untouched &&
                    (!with_event || events[1] == reinterpret_cast<PJRT_Event*>(untouched)),
                "more outputs or events were written than there are");
  std::set<PJRT_Buffer*> alive(handles.begin(), handles.end());
  for (const OwnedBuffer& buffer : owned) {
    if (!context.Check("PJRT-Args-output-handle", static_cast<bool>(buffer), "an output is null"))
      return;
    context.Check("PJRT-Args-output-new", alive.insert(buffer.get()).second,
                  "an output is an argument or another output");
  }
  OwnedEvent done(context.plugin(), with_event ? events[0] : nullptr);
  if (with_event &&
      context.Check("PJRT-LoadedExecutable_Execute-done", static_cast<bool>(done), "no event")) {
    context.Ok("PJRT-LoadedExecutable_Execute-done", "device_complete_events",
               context.Await(done.get()));
  }
  Expected<PJRT_Device*> device = context.Device();
  if (!device.ok()) return;
  for (size_t i = 0; i < arguments.size(); ++i) {
    context.Check("PJRT-LoadedExecutable_Execute-donation", !IsBufferDeleted(context, handles[i]),
                  "argument ", i, " was donated, which nobody allowed");
  }
  for (size_t i = 0; i < arguments.size(); i += 1 + arguments.size() / 8) {
    Expected<HostArray> still = context.Download(handles[i]);
    if (context.Ok(kResultsOfProgram, "PJRT_Buffer_ToHostBuffer of an argument", still.status())) {
      CheckSameArray(context, kResultsOfProgram, StrCat("argument ", i, " after the call"),
                     example.arguments[i], *still);
    }
  }
  // The outputs live without the arguments, and each without the others.
  arguments.clear();
  for (size_t i = 0; i < owned.size(); ++i) {
    JudgeBuffer(context, owned[i].get(), {example.results[i], *device});
    auto memory = Get<&PJRT_Buffer_Memory_Args::buffer>(context, owned[i].get());
    if (memory && i < facts.output_kinds.size()) {
      context.Check(kProgram, MemoryKindOf(context, memory->memory) == facts.output_kinds[i],
                    "output ", i, " lies in memory of the kind ",
                    MemoryKindOf(context, memory->memory), ", the executable says ",
                    facts.output_kinds[i]);
    }
    (void)owned[i].Destroy();
  }
}

void JudgeDevicesOf(Context& context, PJRT_LoadedExecutable* loaded,
                    const std::vector<PJRT_Device*>& wanted, uint64_t replicas,
                    uint64_t partitions) {
  auto devices = Get<&PJRT_LoadedExecutable_AddressableDevices_Args::executable>(context, loaded);
  if (!devices) return;
  std::vector<PJRT_Device*> found(devices->addressable_devices,
                                  devices->addressable_devices + devices->num_addressable_devices);
  context.Check(
      kProgram,
      found.size() == wanted.size() && std::set<PJRT_Device*>(found.begin(), found.end()) ==
                                           std::set<PJRT_Device*>(wanted.begin(), wanted.end()),
      "the executable runs on ", found.size(), " devices, or on others than asked for");
  if (context.plugin().Has(
          reflection::function::kPJRT_LoadedExecutable_AddressableDeviceLogicalIds)) {
    auto ids =
        Get<&PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args::executable>(context, loaded);
    if (ids && context.Check("PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
                             ids->num_addressable_device_logical_ids == found.size(),
                             ids->num_addressable_device_logical_ids, " logical ids of ",
                             found.size(), " devices")) {
      for (size_t i = 0; i < found.size(); ++i) {
        const PJRT_LogicalDeviceIds& id = ids->addressable_device_logical_ids[i];
        size_t at =
            static_cast<size_t>(id.replica) * partitions + static_cast<size_t>(id.partition);
        context.Check("PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
                      at < wanted.size() && wanted[at] == found[i], "device ", i, " is replica ",
                      id.replica, " and partition ", id.partition);
      }
    }
  }
  auto assignment =
      Get<&PJRT_LoadedExecutable_GetDeviceAssignment_Args::executable>(context, loaded);
  if (!assignment) return;
  // DeviceAssignmentProto: replica_count 1, computation_count 2, computation_devices 3 {ids 1}.
  std::string bytes(StringOf(assignment->serialized_bytes, assignment->serialized_bytes_size));
  if (context.Check("PJRT-LoadedExecutable_GetDeviceAssignment-serialized_device_assignment-owner",
                    assignment->serialized_device_assignment_deleter != nullptr, "no deleter")) {
    assignment->serialized_device_assignment_deleter(assignment->serialized_device_assignment);
  }
  Wire wire(bytes);
  context.Check("PJRT-LoadedExecutable_GetDeviceAssignment-options",
                wire.Number(1) == replicas && wire.Number(2) == partitions, "the assignment is of ",
                wire.Number(1), " x ", wire.Number(2), " computations, not ", replicas, " x ",
                partitions);
  std::vector<int> ids;
  for (std::string_view computation : wire.messages[3]) {
    Wire inner(computation);
    for (uint64_t id : inner.numbers[1]) ids.push_back(static_cast<int>(id));
    for (std::string_view packed : inner.messages[1]) {
      while (!packed.empty()) ids.push_back(static_cast<int>(TakeVarint(packed)));
    }
  }
  std::vector<int> expected;
  for (uint64_t p = 0; p < partitions; ++p) {
    for (uint64_t r = 0; r < replicas; ++r)
      expected.push_back(DeviceIdOf(context, wanted[r * partitions + p]));
  }
  context.Check("PJRT-LoadedExecutable_GetDeviceAssignment-options", ids == expected,
                "the assignment is of the devices ", StrJoin(ids), ", not ", StrJoin(expected));
}

}  // namespace plinth::conformance

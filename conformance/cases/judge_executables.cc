// SPDX-License-Identifier: Apache-2.0
// L1: what executables say about themselves, and what running them gives, for programs of many
// arguments, results, types and shapes.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "conformance/cases/ask.h"
#include "conformance/cases/cases.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/launch.h"
#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace judge_executables {
namespace {

constexpr char kProgram[] = "PJRT-Executable_NumOutputs-program";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

struct Example {
  std::string name;
  std::vector<HostArray> arguments, results;
};

HostArray F32(std::vector<int64_t> dims, float first) {
  size_t count = 1;
  for (int64_t dim : dims) count *= static_cast<size_t>(dim);
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return HostArray::F32(std::move(dims), values);
}

HostArray Map(const HostArray& array, auto function) {
  std::vector<float> values = array.AsF32();
  for (float& value : values) value = function(value);
  return HostArray::F32(array.dims, values);
}

std::vector<Example> Examples() {
  std::vector<Example> all;
  HostArray four = F32({4}, 1);
  all.push_back({"add_one", {four}, {Map(four, [](float x) { return x + 1; })}});
  all.push_back(
      {"large", {F32({70001}, 3)}, {Map(F32({70001}, 3), [](float x) { return x + 1; })}});
  all.push_back({"mixed",
                 {four, F32({2, 3}, 2)},
                 {Map(four, [](float x) { return 2 * x; }),
                  Map(F32({2, 3}, 2), [](float x) { return x * x; }), HostArray::F32({}, {7})}});
  Example many{"many_arguments", {}, {}};
  std::vector<float> sums(2);
  for (int i = 0; i < 200; ++i) {
    many.arguments.push_back(F32({2}, static_cast<float>(i % 7)));
    for (int k = 0; k < 2; ++k)
      sums[static_cast<size_t>(k)] += static_cast<float>((i + 1) * (i % 7 + k));
  }
  many.results.push_back(HostArray::F32({2}, sums));
  all.push_back(many);
  Example results{"many_results", {HostArray::F32({}, {0.5f})}, {}};
  for (int i = 0; i < 65; ++i) {
    const std::vector<int64_t> kShapes[] = {{}, {2}, {2, 3}, {1, 2, 3}};
    results.results.push_back(
        Map(F32(kShapes[i % 4], 0), [&](float) { return static_cast<float>(i) + 0.5f; }));
  }
  all.push_back(results);
  const DType kTypes[] = {DType::kPred, DType::kS8,  DType::kS16, DType::kS32, DType::kS64,
                          DType::kU8,   DType::kU16, DType::kU32, DType::kU64, DType::kF16,
                          DType::kBF16, DType::kF32, DType::kF64, DType::kC64, DType::kC128};
  const std::vector<int64_t> kDims[] = {
      {}, {2}, {2, 3}, {1, 2, 3}, {2, 1, 3, 2}, {1, 2, 1, 3, 2}, {2, 1, 2, 1, 2, 1}, {3, 0}};
  Example types{"of_types", {}, {}};
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    HostArray array = RandomBits(kTypes[i], kDims[i % 8], i);
    // No NaN: a program may change its payload.
    DTypeClass kind = InfoOf(array.type).kind;
    if (kind == DTypeClass::kFloat || kind == DTypeClass::kComplex) {
      for (std::byte& byte : array.bytes) byte &= std::byte{0x3F};
    }
    types.arguments.push_back(array);
  }
  types.results.assign(types.arguments.rbegin(), types.arguments.rend());
  all.push_back(types);
  all.push_back({"no_arguments", {}, {HostArray::F32({2}, {7, -1})}});
  all.push_back({"no_results", {F32({2}, 1)}, {}});
  all.push_back({"argument_returned", {F32({2}, 1)}, {F32({2}, 1), F32({2}, 1)}});
  all.push_back({"empty_array", {F32({0, 3}, 1)}, {F32({0, 3}, 1)}});
  return all;
}

bool HasTypes(Context& context, const Example& example) {
  return std::all_of(example.arguments.begin(), example.arguments.end(),
                     [&](const HostArray& array) { return HasSweptType(context, array.type); });
}

struct Compiled {
  OwnedLoadedExecutable loaded;
  OwnedExecutable executable;
};

bool Compile(Context& context, std::string_view name, Compiled& compiled,
             std::string_view options = SingleDeviceCompileOptions()) {
  Expected<OwnedLoadedExecutable> made =
      context.Compile(ProgramFor(context, name), "mlir", options);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_Compile", made.status())) return false;
  compiled.loaded = *std::move(made);
  auto get = Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(
      context, compiled.loaded.get());
  if (!get) return false;
  compiled.executable = OwnedExecutable(context.plugin(), get->executable);
  return true;
}

std::vector<std::string> Texts(const char* const* texts, const size_t* sizes, size_t count) {
  std::vector<std::string> all;
  for (size_t i = 0; i < count && texts != nullptr && sizes != nullptr; ++i)
    all.emplace_back(StringOf(texts[i], sizes[i]));
  return all;
}

uint64_t Varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) break;
  }
  return value;
}

// The numbers and the messages of a message's fields; what is no message gives few of them.
struct Wire {
  std::map<uint64_t, std::vector<uint64_t>> numbers;
  std::map<uint64_t, std::vector<std::string_view>> messages;
  explicit Wire(std::string_view bytes) {
    while (!bytes.empty()) {
      uint64_t tag = Varint(bytes);
      size_t skip = 0;
      if ((tag & 7) == 0) numbers[tag >> 3].push_back(Varint(bytes));
      if ((tag & 7) == 1) skip = 8;
      if ((tag & 7) == 5) skip = 4;
      if ((tag & 7) == 2) {
        size_t size = Varint(bytes);
        messages[tag >> 3].push_back(bytes.substr(0, size));
        skip = size;
      }
      bytes.remove_prefix(std::min(skip, bytes.size()));
    }
  }
  uint64_t Number(uint64_t field, uint64_t fallback = 0) const {
    auto found = numbers.find(field);
    return found == numbers.end() ? fallback : found->second.back();
  }
  std::string_view Message(uint64_t field) const {
    auto found = messages.find(field);
    return found == messages.end() ? std::string_view() : found->second.back();
  }
};

// The facts of an executable that have to be the same however it was got.
struct Facts {
  std::string name, fingerprint, options;
  size_t replicas = 0, partitions = 0;
  std::vector<std::string> output_kinds, parameter_kinds;
  friend bool operator==(const Facts&, const Facts&) = default;
};

// Compares what an executable says with the program.
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

// Runs it and judges every output; the arguments stay as they were.
void RunAndJudge(Context& context, const Example& example, PJRT_LoadedExecutable* executable,
                 const Facts& facts, bool with_event) {
  std::vector<OwnedBuffer> arguments;
  std::vector<PJRT_Buffer*> handles;
  for (const HostArray& array : example.arguments) {
    Expected<OwnedBuffer> buffer = context.Upload(array);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
    arguments.push_back(*std::move(buffer));
    handles.push_back(arguments.back().get());
  }
  // Two places more, which the call does not touch.
  auto* untouched = reinterpret_cast<PJRT_Buffer*>(uintptr_t{0x5A5A});
  std::vector<PJRT_Buffer*> outputs(example.results.size(), nullptr);
  outputs.resize(outputs.size() + 2, untouched);
  PJRT_Buffer** output_list = outputs.data();
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
  if (!Succeeds(context, args, kResults)) return;
  context.Check("PJRT-Args-input", handles == given && options.launch_id == 42,
                "the call changed its arguments");
  std::vector<OwnedBuffer> owned;
  for (size_t i = 0; i < example.results.size(); ++i)
    owned.emplace_back(context.plugin(), outputs[i]);
  context.Check(kResults,
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
    if (context.Ok(kResults, "PJRT_Buffer_ToHostBuffer of an argument", still.status())) {
      CheckSameArray(context, kResults, StrCat("argument ", i, " after the call"),
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
      while (!packed.empty()) ids.push_back(static_cast<int>(Varint(packed)));
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

void JudgeProgram(Context& context, const Example& example) {
  if (!HasTypes(context, example)) return;
  Compiled compiled;
  if (!Compile(context, example.name, compiled)) return;
  Facts facts = JudgeExecutable(context, example, compiled.executable.get());
  context.Check(kProgram, facts.replicas == 1 && facts.partitions == 1, facts.replicas,
                " replicas and ", facts.partitions, " partitions");
  auto deleted =
      Get<&PJRT_LoadedExecutable_IsDeleted_Args::executable>(context, compiled.loaded.get());
  if (deleted) {
    context.Check("PJRT-LoadedExecutable_IsDeleted-truth", !RawBool(deleted->is_deleted),
                  "a new executable counts as deleted");
  }
  if (auto own = MakeArgs<PJRT_LoadedExecutable_Fingerprint_Args>(); true) {
    own.executable = compiled.loaded.get();
    if (Succeeds(context, own)) {
      context.Check("PJRT-Executable_Fingerprint-stable",
                    StringOf(own.executable_fingerprint, own.executable_fingerprint_size) ==
                        facts.fingerprint,
                    "PJRT_LoadedExecutable_Fingerprint and PJRT_Executable_Fingerprint differ");
    }
  }
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (!devices.empty()) JudgeDevicesOf(context, compiled.loaded.get(), {devices[0]}, 1, 1);
  RunAndJudge(context, example, compiled.loaded.get(), facts, true);
  RunAndJudge(context, example, compiled.loaded.get(), facts, false);
}

// What was asked about stays when the loaded one goes.
void JudgeLeft(Context& context, const Example& example) {
  if (!HasTypes(context, example)) return;
  Compiled compiled;
  if (!Compile(context, example.name, compiled)) return;
  Facts facts = JudgeExecutable(context, example, compiled.executable.get());
  (void)compiled.loaded.Destroy();
  context.Check("PJRT-Args-output-same",
                JudgeExecutable(context, example, compiled.executable.get()) == facts,
                "an executable says something else when the loaded one is gone");
  constexpr char kIndependent[] = "PJRT-LoadedExecutable_GetExecutable-independent";
  if (auto bytes = Get<&PJRT_Executable_Serialize_Args::executable>(
          context, compiled.executable.get(), kIndependent);
      bytes && bytes->serialized_executable_deleter != nullptr) {
    bytes->serialized_executable_deleter(bytes->serialized_executable);
  }
  auto program = MakeArgs<PJRT_Program>();
  auto optimized = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
  optimized.executable = compiled.executable.get();
  optimized.program = &program;
  (void)Succeeds(context, optimized, kIndependent, "an executable whose loaded one is gone");
}

// Serialized, its owner gone, loaded twice: all is the same.
void JudgeLoaded(Context& context, const Example& example) {
  constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
  if (!HasTypes(context, example)) return;
  Compiled compiled;
  if (!Compile(context, example.name, compiled)) return;
  Facts facts = JudgeExecutable(context, example, compiled.executable.get());
  auto first = Get<&PJRT_Executable_Serialize_Args::executable>(context, compiled.executable.get());
  auto second =
      Get<&PJRT_Executable_Serialize_Args::executable>(context, compiled.executable.get());
  if (!first || !second) return context.Unsupported("no serialization");
  compiled = Compiled();
  context.Check("PJRT-Args-output-new",
                first->serialized_executable != second->serialized_executable ||
                    first->serialized_executable == nullptr,
                "two serializations are one object");
  std::string bytes[2];
  bytes[0] = StringOf(first->serialized_bytes, first->serialized_bytes_size);
  if (first->serialized_executable_deleter != nullptr)
    first->serialized_executable_deleter(first->serialized_executable);
  bytes[1] = StringOf(second->serialized_bytes, second->serialized_bytes_size);
  if (second->serialized_executable_deleter != nullptr)
    second->serialized_executable_deleter(second->serialized_executable);
  context.Check(kSame, bytes[0].size() == bytes[1].size(), "two serializations have ",
                bytes[0].size(), " and ", bytes[1].size(), " bytes");
  for (const std::string& each : bytes) {
    std::string given = each;
    GuardedArgs guarded(std::max<size_t>(given.size(), 1));
    std::copy(given.begin(), given.end(), reinterpret_cast<char*>(guarded.data()));
    auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
    load.client = context.client();
    load.serialized_executable = reinterpret_cast<const char*>(guarded.data());
    load.serialized_executable_size = given.size();
    if (!Succeeds(context, load, kSame)) return;
    std::fill_n(guarded.data(), given.size(), std::byte{0xFF});  // borrowed for the call
    compiled.loaded = OwnedLoadedExecutable(context.plugin(), load.loaded_executable);
    auto get = Get<&PJRT_LoadedExecutable_GetExecutable_Args::loaded_executable>(
        context, compiled.loaded.get());
    if (!get) return;
    compiled.executable = OwnedExecutable(context.plugin(), get->executable);
    Facts again = JudgeExecutable(context, example, compiled.executable.get());
    context.Check(kSame, again.name == facts.name, "a loaded executable has the name ", again.name,
                  ", not ", facts.name);
    context.Check(kSame, again.fingerprint == facts.fingerprint,
                  "a loaded executable has another fingerprint");
    context.Check(
        kSame,
        again.output_kinds == facts.output_kinds && again.parameter_kinds == facts.parameter_kinds,
        "a loaded executable has other memory kinds");
    context.Check(kSame, again.replicas == facts.replicas && again.partitions == facts.partitions,
                  "a loaded executable has other counts");
    std::vector<PJRT_Device*> devices = AddressableDevices(context);
    if (!devices.empty()) JudgeDevicesOf(context, compiled.loaded.get(), {devices[0]}, 1, 1);
    RunAndJudge(context, example, compiled.loaded.get(), again, true);
  }
}

// Compiled for a topology, loaded into the client.
void CompileAheadOfTime(Context& context) {
  auto topology = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client());
  if (!topology) return;
  Example example = Examples()[0];
  std::string code(ProgramFor(context, example.name));
  auto program = MakeArgs<PJRT_Program>();
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  auto args = MakeArgs<PJRT_Compile_Args>();
  args.topology = topology->topology;
  args.program = &program;
  args.compile_options = SingleDeviceCompileOptions().data();
  args.compile_options_size = SingleDeviceCompileOptions().size();
  Status status = context.plugin().Call(args);
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Compile", status)) return;
  OwnedExecutable executable(context.plugin(), args.executable);
  args.executable = nullptr;
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Compile again", context.plugin().Call(args))) return;
  OwnedExecutable again(context.plugin(), args.executable);
  Facts facts = JudgeExecutable(context, example, executable.get());
  auto bytes = Get<&PJRT_Executable_Serialize_Args::executable>(context, executable.get());
  if (bytes) {
    auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
    load.client = context.client();
    load.serialized_executable = bytes->serialized_bytes;
    load.serialized_executable_size = bytes->serialized_bytes_size;
    if (Succeeds(context, load)) {
      OwnedLoadedExecutable loaded(context.plugin(), load.loaded_executable);
      RunAndJudge(context, example, loaded.get(), facts, true);
    }
    if (bytes->serialized_executable_deleter != nullptr)
      bytes->serialized_executable_deleter(bytes->serialized_executable);
  }
  if (!context.plugin().Has(reflection::function::kPJRT_Client_Load)) return;
  auto load = MakeArgs<PJRT_Client_Load_Args>();
  load.client = context.client();
  load.executable = executable.get();
  load.compile_options = SingleDeviceCompileOptions().data();
  load.compile_options_size = SingleDeviceCompileOptions().size();
  if (!Succeeds(context, load)) return;
  OwnedLoadedExecutable loaded(context.plugin(), load.loaded_executable);
  (void)executable.Destroy();
  RunAndJudge(context, example, loaded.get(), facts, true);
  for (int i = 0; i < 2; ++i) {
    load.executable = again.get();
    load.loaded_executable = nullptr;
    if (!Succeeds(context, load, "PJRT-Client_Load-again")) return;
    OwnedLoadedExecutable second(context.plugin(), load.loaded_executable);
    RunAndJudge(context, example, second.get(), facts, true);
  }
}

// Bytes that one client wrote, loaded by another of the process.
void LoadInAnotherClient(Context& context) {
  if (context.profile().is_exclusive) return context.Unsupported("the plugin has one client");
  Compiled compiled;
  if (!Compile(context, "add_one", compiled)) return;
  auto bytes = Get<&PJRT_Executable_Serialize_Args::executable>(context, compiled.executable.get());
  if (!bytes) return context.Unsupported("no serialization");
  std::string own(StringOf(bytes->serialized_bytes, bytes->serialized_bytes_size));
  if (bytes->serialized_executable_deleter != nullptr)
    bytes->serialized_executable_deleter(bytes->serialized_executable);
  Expected<OwnedClient> other = context.NewClient();
  if (!context.Ok("PJRT-Args-accepted", "PJRT_Client_Create", other.status())) return;
  Context there(context.plugin(), context.profile(), other->get(), context.seed());
  auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
  load.client = other->get();
  load.serialized_executable = own.data();
  load.serialized_executable_size = own.size();
  if (!context.Ok("PJRT-Executable_DeserializeAndLoad-same", "bytes of another client",
                  context.plugin().Call(load)))
    return;
  OwnedLoadedExecutable loaded(context.plugin(), load.loaded_executable);
  Expected<OwnedBuffer> argument = there.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
  PJRT_Buffer* handles[] = {argument->get()};
  auto results = there.Execute(loaded.get(), handles);
  if (!context.Ok(kResults, "PJRT_LoadedExecutable_Execute", results.status())) return;
  Expected<HostArray> sums = there.Download((*results)[0].get());
  context.Check(kResults, sums.ok() && sums->AsF32() == std::vector<float>{2, 3, 4, 5},
                "what another client loaded computes ",
                sums.ok() ? StrJoin(sums->AsF32()) : sums.status().ToString());
}

// What an executable of two replicas says of its devices.
void TwoReplicas(Context& context) {
  std::vector<int> ids = IdsOfDevices(context, 2);
  if (ids.empty()) return;
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  devices.resize(2);
  Compiled compiled;
  if (!Compile(context, "add_one", compiled, CompileOptionsOf(2, 1, ids))) return;
  JudgeDevicesOf(context, compiled.loaded.get(), devices, 2, 1);
}

// What has to differ with what is put in.
void Differences(Context& context) {
  Compiled one, again, two, namesake;
  std::string other(SingleDeviceCompileOptions());
  other += std::string("\x28\xb9\x60", 3);  // profile_version: 12345
  Compiled profiled;
  if (!Compile(context, "add_one", one) || !Compile(context, "add_one", again) ||
      !Compile(context, "add_two", two) || !Compile(context, "namesake", namesake))
    return;
  Example example = Examples()[0], second = Examples()[0];
  second.name = "add_two";
  Facts a = JudgeExecutable(context, example, one.executable.get()),
        b = JudgeExecutable(context, example, again.executable.get());
  Facts c = JudgeExecutable(context, second, two.executable.get());
  context.Check(kOutputTrue, a == b,
                "two compilations of one program say other things about themselves");
  context.Check("PJRT-Executable_Fingerprint-stable",
                a.fingerprint.empty() || a.fingerprint != c.fingerprint,
                "two programs have one fingerprint");
  if (auto print =
          Get<&PJRT_Executable_Fingerprint_Args::executable>(context, namesake.executable.get())) {
    context.Check(kOutputTrue,
                  a.fingerprint !=
                      StringOf(print->executable_fingerprint, print->executable_fingerprint_size),
                  "two programs of one name, which compute something else, have one fingerprint");
  }
  context.Check(kOutputTrue, a.name != c.name, "two programs have one name, ", a.name);
  context.Check(
      "PJRT-Args-output-new",
      one.loaded.get() != again.loaded.get() && one.executable.get() != again.executable.get(),
      "two compilations gave one executable");
  if (!a.options.empty()) {
    Wire wire(a.options), build(wire.Message(3));
    context.Check(kOutputTrue, build.Number(4, 1) == 1 && build.Number(5, 1) == 1,
                  "the options that come back are for ", build.Number(4, 1), " replicas and ",
                  build.Number(5, 1), " partitions");
    Compiled from_them;
    if (Compile(context, "add_one", from_them, a.options))
      RunAndJudge(context, example, from_them.loaded.get(), a, true);
    if (Compile(context, "add_one", profiled, other)) {
      context.Check("PJRT-Executable_GetCompileOptions-same",
                    JudgeExecutable(context, example, one.executable.get()).options == a.options,
                    "the options of an executable changed when another was compiled");
      Facts d = JudgeExecutable(context, example, profiled.executable.get());
      context.Check("PJRT-Executable_GetCompileOptions-same", Wire(d.options).Number(5) == 12345,
                    "the profile_version that was put in, 12345, comes back as ",
                    Wire(d.options).Number(5));
    }
  }
  // A matrix product of 64 times the work costs more.
  auto flops = [&](std::string_view name) {
    Compiled compiled;
    double found = -1;
    if (!Compile(context, name, compiled)) return found;
    auto cost =
        Get<&PJRT_Executable_GetCostAnalysis_Args::executable>(context, compiled.executable.get());
    if (!cost) return found;
    for (size_t i = 0; i < cost->num_properties; ++i) {
      const PJRT_NamedValue& value = cost->properties[i];
      if (StringOf(value.name, value.name_size) == "flops") {
        found = RawEnum(value.type) == PJRT_NamedValue_kFloat
                    ? value.float_value
                    : static_cast<double>(value.int64_value);
      }
    }
    return found;
  };
  double small = flops("add_one"), large = flops("large");
  context.Check(kOutputTrue, small < 0 || large > 100 * small, "4 additions cost ", small,
                " flops and 70001 cost ", large);
  // Code of 4 and of 70001 elements: arguments differ as they do.
  Compiled bigger;
  if (!Compile(context, "large", bigger)) return;
  auto stats = Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(
      context, bigger.executable.get());
  if (stats) {
    context.Check(kOutputTrue, stats->argument_size_in_bytes >= 280004,
                  "an argument of 280004 bytes takes ", stats->argument_size_in_bytes);
  }
}

// The address of a buffer's contents, or 0.
uintptr_t AddressOf(Context& context, PJRT_Buffer* buffer) {
  auto unsafe = Get<&PJRT_Buffer_UnsafePointer_Args::buffer>(context, buffer);
  return unsafe ? unsafe->buffer_pointer : 0;
}

// Bytes that outputs share with arguments: none without a donation, and at least those of the
// outputs that lie where a donated argument was.
void AliasSizes(Context& context) {
  constexpr char kAlias[] = "PJRT-Executable_GetCompiledMemoryStats-alias";
  struct Donation {
    const char* program;
    std::vector<HostArray> arguments;
    std::vector<size_t> donated;
    size_t num_results;
  };
  HostArray four = F32({4}, 1), six = F32({2, 3}, 1);
  for (const Donation& each :
       {Donation{"add_one", {four}, {}, 1}, Donation{"mixed", {four, six}, {}, 3},
        Donation{"argument_returned", {F32({2}, 1)}, {}, 2}, Donation{"donating", {four}, {0}, 1},
        Donation{"donating_second", {four, F32({3}, 1)}, {1}, 2},
        Donation{"donating_both", {four, six, F32({8}, 1)}, {0, 1}, 2}}) {
    Compiled compiled;
    if (!Compile(context, each.program, compiled)) return;
    auto stats = Get<&PJRT_Executable_GetCompiledMemoryStats_Args::executable>(
        context, compiled.executable.get());
    if (!stats) return context.Unsupported("no PJRT_Executable_GetCompiledMemoryStats");
    int64_t alias = stats->alias_size_in_bytes + stats->host_alias_size_in_bytes, donated = 0;
    if (each.donated.empty()) {
      context.Check(kAlias, alias == 0, each.program, " donates nothing, and ", alias,
                    " bytes are aliased");
      continue;
    }
    std::vector<OwnedBuffer> arguments;
    std::vector<PJRT_Buffer*> handles;
    std::vector<uintptr_t> places;
    for (size_t i = 0; i < each.arguments.size(); ++i) {
      Expected<OwnedBuffer> buffer = context.Upload(each.arguments[i]);
      if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", buffer.status())) return;
      arguments.push_back(*std::move(buffer));
      handles.push_back(arguments.back().get());
      (void)AwaitBuffer(context, handles.back());
      places.push_back(AddressOf(context, handles.back()));
      auto size = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, handles.back());
      if (size && std::count(each.donated.begin(), each.donated.end(), i) != 0)
        donated += static_cast<int64_t>(size->on_device_size_in_bytes);
    }
    context.Check(kAlias, alias <= donated, each.program, " donates ", donated, " bytes, and ",
                  alias, " are aliased");
    auto results = context.Execute(compiled.loaded.get(), handles);
    if (!context.Ok(kResults, "PJRT_LoadedExecutable_Execute", results.status())) return;
    int64_t shared = 0;
    for (const OwnedBuffer& result : *results) {
      (void)AwaitBuffer(context, result.get());
      uintptr_t place = AddressOf(context, result.get());
      auto size = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, result.get());
      if (place != 0 && size && std::count(places.begin(), places.end(), place) != 0)
        shared += static_cast<int64_t>(size->on_device_size_in_bytes);
    }
    // Memory that is freed and allocated again may lie there too; then nothing is said.
    bool all_shared = results->size() == each.num_results && shared >= donated;
    context.Check(kAlias, !all_shared || alias > 0, "outputs of ", each.program,
                  " lie where the donated arguments were, and no bytes are aliased");
  }
}

// CompileOptionsProto for one replica and one partition on a device of a small id.
std::string OptionsFor(int id) {
  // device_assignment {replica_count 1, computation_count 1, computation_devices {ids: id}}
  std::string assignment =
      std::string("\x08\x01\x10\x01\x1a\x03\x0a\x01", 8) + static_cast<char>(id);
  std::string build =
      std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01", 15) +
      StrCat("\x4a", std::string(1, static_cast<char>(assignment.size())), assignment);
  return StrCat("\x1a", std::string(1, static_cast<char>(build.size())), build);
}

// On a device that is not the first.
void OnEveryDevice(Context& context) {
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() < 2) return context.LacksDevices("the client has one device");
  for (PJRT_Device* device : devices) {
    int id = DeviceIdOf(context, device);
    if (id > 127) continue;
    Compiled compiled;
    if (!Compile(context, "add_one", compiled, OptionsFor(id))) return;
    JudgeDevicesOf(context, compiled.loaded.get(), {device}, 1, 1);
    Expected<OwnedBuffer> argument = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}), device);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", argument.status())) return;
    PJRT_Buffer* handles[] = {argument->get()};
    auto results = context.Execute(compiled.loaded.get(), handles);
    if (!context.Ok(kResults, "PJRT_LoadedExecutable_Execute", results.status())) return;
    JudgeBuffer(context, (*results)[0].get(),
                {HostArray::F32({4}, {2, 3, 4, 5}), device, DefaultMemoryOf(context, device)});
  }
}

// What was compiled for the first device is loaded for another.
void OverriddenOptions(Context& context) {
  constexpr char kOverrides[] = "PJRT-Executable_DeserializeAndLoad-overrides";
  std::vector<PJRT_Device*> devices = AddressableDevices(context);
  if (devices.size() < 2) return context.LacksDevices("the client has one device");
  int id = DeviceIdOf(context, devices.back());
  if (id > 127) return context.Unsupported("the last device has a large id");
  Compiled compiled;
  if (!Compile(context, "add_one", compiled, OptionsFor(DeviceIdOf(context, devices.front()))))
    return;
  auto bytes = Get<&PJRT_Executable_Serialize_Args::executable>(context, compiled.executable.get());
  if (!bytes) return context.Unsupported("no serialization");
  std::string options = OptionsFor(id);
  auto load = MakeArgs<PJRT_Executable_DeserializeAndLoad_Args>();
  load.client = context.client();
  load.serialized_executable = bytes->serialized_bytes;
  load.serialized_executable_size = bytes->serialized_bytes_size;
  load.overridden_serialized_compile_options = options.data();
  load.overridden_serialized_compile_options_size = options.size();
  Status status = context.plugin().Call(load);
  if (bytes->serialized_executable_deleter != nullptr)
    bytes->serialized_executable_deleter(bytes->serialized_executable);
  if (!status.ok()) return context.Unsupported(status.ToString());
  OwnedLoadedExecutable loaded(context.plugin(), load.loaded_executable);
  auto found =
      Get<&PJRT_LoadedExecutable_AddressableDevices_Args::executable>(context, loaded.get());
  if (!found) return;
  context.Check(
      kOverrides,
      found->num_addressable_devices == 1 && found->addressable_devices[0] == devices.back(),
      "loaded with options for device ", id, ", the executable runs on another");
}

// The answer fits exactly, and stays the same.
void OptimizedProgramTwice(Context& context) {
  Compiled compiled;
  Compiled another;
  if (!Compile(context, "mixed", compiled)) return;
  std::string codes[2], format;
  for (std::string& code : codes) {
    if (!Compile(context, "add_one", another)) return;  // which changes nothing
    auto program = MakeArgs<PJRT_Program>();
    auto args = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
    args.executable = compiled.executable.get();
    args.program = &program;
    if (!Succeeds(context, args)) return;
    format = StringOf(program.format, program.format_size);
    context.Check(kOutputTrue, format == "mlir" || format == "hlo" || format == "hlo_with_config",
                  "the format is \"", format, "\"");
    size_t size = program.code_size;
    bool is_larger = code.data() == codes[1].data();
    code.assign(size + 32, '\x5a');
    program.code = code.data();
    program.code_size = is_larger ? size + 16 : size;
    if (!Succeeds(context, args)) return;
    context.Check("PJRT-Executable_OptimizedProgram-two-calls",
                  program.code_size == size || is_larger, "the size was ", size, ", then ",
                  program.code_size);
    context.Check("PJRT-Executable_OptimizedProgram-two-calls",
                  code.substr(size) == std::string(32, '\x5a'),
                  "bytes after the program were written");
    code.resize(size);
    context.Check("PJRT-Executable_OptimizedProgram-two-calls",
                  size > 16 && code != std::string(size, '\x5a'), "the program was not written");
    context.Check(kOutputTrue, code.find("mixed") != std::string::npos,
                  "the program does not name its module");
    if (format == "mlir") {
      Expected<OwnedLoadedExecutable> anew = context.Compile(code);
      context.Check(kOutputTrue, anew.ok(),
                    "the program that came back does not compile: ", anew.status().ToString());
    }
  }
  // Messages of HLO list what has no order in any.
  context.Check("PJRT-Args-output-same", codes[0] == codes[1] || format != "mlir",
                "the program was another the second time");
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  auto add = [&](const std::string& name, std::vector<std::string> requirements,
                 std::function<void(Context&)> run) {
    requirements.emplace_back(kOutputTrue);
    requirements.emplace_back("PJRT-Args-accepted");
    cases.push_back({name, name[1] == '1' ? Level::kL1 : Level::kL3, ClientNeed::kShared,
                     std::move(requirements), std::move(run), false});
  };
  for (const Example& example : Examples()) {
    add(StrCat("L1/judge/program/", example.name),
        {kProgram, kResults, "PJRT-LoadedExecutable_Execute-done",
         "PJRT-LoadedExecutable_Execute-donation",
         "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
        [=](Context& context) { JudgeProgram(context, example); });
    add(StrCat("L1/judge/loaded/", example.name),
        {"PJRT-Executable_DeserializeAndLoad-same", kProgram, kResults},
        [=](Context& context) { JudgeLoaded(context, example); });
  }
  for (const Example& example : Examples()) {
    if (example.name == "mixed") {
      cases.push_back({"L1/judge/executable_left",
                       Level::kL1,
                       ClientNeed::kShared,
                       {"PJRT-LoadedExecutable_GetExecutable-independent"},
                       [=](Context& context) { JudgeLeft(context, example); },
                       true});
    }
  }
  add("L1/judge/ahead_of_time", {kProgram, kResults}, CompileAheadOfTime);
  add("L1/judge/differences", {"PJRT-Executable_Fingerprint-stable", "PJRT-Args-output-new"},
      Differences);
  add("L1/judge/alias_size", {"PJRT-Executable_GetCompiledMemoryStats-alias"}, AliasSizes);
  add("L1/judge/optimized_program",
      {"PJRT-Executable_OptimizedProgram-two-calls", "PJRT-Args-output-same"},
      OptimizedProgramTwice);
  add("L3/judge/overridden_options", {"PJRT-Executable_DeserializeAndLoad-overrides"},
      OverriddenOptions);
  add("L1/judge/load_in_another_client", {"PJRT-Executable_DeserializeAndLoad-same"},
      LoadInAnotherClient);
  add("L3/judge/two_replicas",
      {"PJRT-LoadedExecutable_GetDeviceAssignment-options",
       "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
      TwoReplicas);
  add("L3/judge/on_every_device",
      {kProgram, kResults, "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"},
      OnEveryDevice);
}

}  // namespace judge_executables

void AddExecutableJudgeCases(std::vector<Case>& cases) { judge_executables::AddCases(cases); }

}  // namespace plinth::conformance

// SPDX-License-Identifier: Apache-2.0
// L4: what JAX calls to compile a program, in JAX's order.

#include <algorithm>

#include "conformance/cases/cases.h"
#include "conformance/cases/framework_calls.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/run_packed.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::conformance {
namespace {

Expected<OwnedLoadedExecutable> CompileAsJax(Context& context, const PackedProgram& program,
                                             std::string_view form) {
  TraceNode trace;
  auto unit = MakeArgs<PJRT_Program>();
  std::string code(form);
  unit.code = code.data();
  unit.code_size = code.size();
  unit.format = "mlir";
  unit.format_size = 4;
  auto args = MakeArgs<PJRT_Client_Compile_Args>();
  args.extension_start = trace.base();
  args.client = context.client();
  args.program = &unit;
  args.compile_options = program.options.data();
  args.compile_options_size = program.options.size();
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  if (args.executable == nullptr) return Internal("PJRT_Client_Compile gave no executable");
  return OwnedLoadedExecutable(context.plugin(), args.executable);
}

// Arguments for a function of an extension.
template <typename Args>
Args ExtensionArgs(PJRT_Executable* executable) {
  Args args = {};
  args.struct_size = sizeof(Args);
  args.executable = executable;
  return args;
}

// Calls a function of an extension, if the plugin has it.
template <typename Args>
bool CallExtension(Context& context, std::string_view name, Args& args) {
  const reflection::Function* function = reflection::FindFunction(name);
  if (function == nullptr || context.plugin().Slot(*function) == nullptr) return false;
  Status status = context.plugin().Call(*function, &args);
  return context.Check("PJRT-Api-stub", status.ok(), name,
                       ", which JAX calls: ", status.ToString());
}

void CheckLayoutText(Context& context, PJRT_Layouts_MemoryLayout* layout, size_t rank) {
  PJRT_Layouts_MemoryLayout_Serialize_Args args = {};
  args.struct_size = sizeof(args);
  args.layout = layout;
  if (!CallExtension(context, "PJRT_Layouts_MemoryLayout_Serialize", args)) return;
  std::string text(View(args.serialized_bytes, args.serialized_bytes_size));
  if (args.serialized_layout_deleter != nullptr) {
    args.serialized_layout_deleter(args.serialized_layout);
  }
  // As XLA writes it: "{1,0}", perhaps with tiles and more behind the dimensions.
  size_t end = text.find_first_of(":}");
  bool is_layout = text.starts_with('{') && end != std::string::npos;
  std::string dims = is_layout ? text.substr(1, end - 1) : "";
  size_t count =
      dims.empty() ? 0 : 1 + static_cast<size_t>(std::count(dims.begin(), dims.end(), ','));
  context.Check("PJRT-Layouts_MemoryLayout_Serialize-serialized_layout-owner",
                is_layout && count == rank, "a layout of ", rank, " dimensions is written as \"",
                text, "\"");
}

void Layouts(Context& context, const CompiledAsJax& compiled, size_t num_outputs,
             size_t num_arguments) {
  auto outputs =
      ExtensionArgs<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>(compiled.executable.get());
  if (CallExtension(context, "PJRT_Layouts_PJRT_Executable_GetOutputLayouts", outputs)) {
    context.Check(kProgram, outputs.num_outputs == num_outputs, outputs.num_outputs,
                  " output layouts, not ", num_outputs);
    for (size_t i = 0; i < outputs.num_outputs && i < num_outputs; ++i) {
      CheckLayoutText(context, outputs.layouts[i], compiled.program->results[i].value.dims.size());
    }
  }
  auto parameters = ExtensionArgs<PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args>(
      compiled.executable.get());
  if (CallExtension(context, "PJRT_Layouts_PJRT_Executable_GetParameterLayouts", parameters)) {
    context.Check(kProgram, parameters.num_parameters == num_arguments, parameters.num_parameters,
                  " parameter layouts, not ", num_arguments);
    for (size_t i = 0; i < parameters.num_parameters && i < num_arguments; ++i) {
      CheckLayoutText(context, parameters.layouts[i], compiled.program->arguments[i].dims.size());
    }
  }
}

uint64_t TakeWholeVarint(std::string_view& bytes, bool& is_whole) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return value;
  }
  is_whole = false;
  return 0;
}

// Whether the bytes are fields of a message of protobuf, whichever they are.
bool IsMessage(std::string_view bytes) {
  bool is_whole = true;
  while (is_whole && !bytes.empty()) {
    uint64_t tag = TakeWholeVarint(bytes, is_whole), size = 0;
    switch (tag & 7) {
      case 0:
        TakeWholeVarint(bytes, is_whole);
        break;
      case 1:
        size = 8;
        break;
      case 2:
        size = TakeWholeVarint(bytes, is_whole);
        break;
      case 5:
        size = 4;
        break;
      default:
        return false;
    }
    if (tag >> 3 == 0 || size > bytes.size()) return false;
    bytes.remove_prefix(size);
  }
  return is_whole;
}

// An OpSharding: what is on one device is replicated, maximal, or tiled into one.
void Shardings(Context& context, const CompiledAsJax& compiled, size_t num_outputs) {
  auto args =
      ExtensionArgs<PJRT_Shardings_PJRT_Executable_OutputShardings_Args>(compiled.executable.get());
  if (!CallExtension(context, "PJRT_Shardings_PJRT_Executable_OutputShardings", args) ||
      args.shardings == nullptr) {
    return;
  }
  context.Check(kProgram, args.num_outputs == num_outputs, args.num_outputs,
                " output shardings, not ", num_outputs);
  for (size_t i = 0; i < args.num_outputs; ++i) {
    std::string_view sharding = View(args.shardings[i], args.sharding_sizes[i]);
    context.Check(kProgram, IsMessage(sharding), "the sharding of output ", i, " is no OpSharding");
  }
}

// The kinds of the outputs are those of memories that the device has: JAX looks them up.
void OutputKinds(Context& context, const CompiledAsJax& compiled, PJRT_Device* device,
                 size_t num_outputs) {
  auto kinds = MakeArgs<PJRT_Executable_OutputMemoryKinds_Args>();
  kinds.executable = compiled.executable.get();
  if (!context.plugin().Call(kinds).ok()) return;  // JAX does without
  auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  memories.device = device;
  if (!Must(context, memories)) return;
  context.Check(kProgram, kinds.num_outputs == num_outputs, kinds.num_outputs,
                " memory kinds, not ", num_outputs);
  for (size_t i = 0; i < kinds.num_outputs; ++i) {
    std::string_view kind = View(kinds.memory_kinds[i], kinds.memory_kind_sizes[i]);
    bool has_kind = false;
    for (size_t m = 0; m < memories.num_memories; ++m) {
      has_kind |= KindOf(context, memories.memories[m]) == kind;
    }
    context.Check(kProgram, has_kind, "output ", i, " lies in memory of the kind ", kind,
                  ", which the device does not have");
  }
}

void OutputTypes(Context& context, const CompiledAsJax& compiled) {
  const std::vector<ExpectedResult>& results = compiled.program->results;
  auto types = MakeArgs<PJRT_Executable_OutputElementTypes_Args>();
  types.executable = compiled.executable.get();
  auto dims = MakeArgs<PJRT_Executable_OutputDimensions_Args>();
  dims.executable = compiled.executable.get();
  // JAX knows them from the program.
  if (!context.plugin().Call(types).ok() || !context.plugin().Call(dims).ok()) return;
  if (!context.Check(kProgram,
                     types.num_output_types == results.size() && dims.num_outputs == results.size(),
                     types.num_output_types, " types and ", dims.num_outputs,
                     " shapes of outputs, not ", results.size())) {
    return;
  }
  const int64_t* next = dims.dims;
  for (size_t i = 0; i < results.size(); ++i) {
    const HostArray& wanted = results[i].value;
    context.Check(kProgram, RawEnum(types.output_types[i]) == ToC(wanted.type),
                  "the type of output ", i, " is not ", Name(wanted.type));
    std::vector<int64_t> shape(next, next + dims.dim_sizes[i]);
    context.Check(kProgram, shape == wanted.dims, "output ", i, " is [", StrJoin(shape), "], not [",
                  StrJoin(wanted.dims), "]");
    next += dims.dim_sizes[i];
  }
}

void Compile(Context& context, std::string_view name) {
  CompiledAsJax compiled(context, "form", name);
  if (!compiled) return;
  size_t num_outputs = compiled.program->results.size();
  auto devices = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
  devices.executable = compiled.loaded.get();
  if (!Must(context, devices) ||
      !context.Check(kProgram, devices.num_addressable_devices == 1,
                     devices.num_addressable_devices, " devices, not 1")) {
    return;
  }
  auto ids = MakeArgs<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>();
  ids.executable = compiled.loaded.get();
  if (MustIfThere(context, ids)) {
    context.Check("PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
                  ids.num_addressable_device_logical_ids == 1 &&
                      ids.addressable_device_logical_ids[0].replica == 0 &&
                      ids.addressable_device_logical_ids[0].partition == 0,
                  "the only device is not replica 0 of partition 0");
  }
  auto assignment = MakeArgs<PJRT_LoadedExecutable_GetDeviceAssignment_Args>();
  assignment.executable = compiled.loaded.get();
  if (MustIfThere(context, assignment)) {
    // DeviceAssignmentProto {replica_count: 1, computation_count: 1, ...}
    std::string_view bytes = View(assignment.serialized_bytes, assignment.serialized_bytes_size);
    context.Check(kProgram, bytes.find("\x08\x01\x10\x01") != std::string_view::npos,
                  "the device assignment is none of one replica and one partition");
    if (assignment.serialized_device_assignment_deleter != nullptr) {
      assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
    }
  }
  OutputTypes(context, compiled);
  Shardings(context, compiled, num_outputs);
  OutputKinds(context, compiled, devices.addressable_devices[0], num_outputs);
  Layouts(context, compiled, num_outputs, compiled.program->arguments.size());
  auto fingerprint = MakeArgs<PJRT_Executable_Fingerprint_Args>();
  fingerprint.executable = compiled.executable.get();
  (void)context.plugin().Call(fingerprint);  // JAX does without
  for (bool is_second : {false, true}) {
    auto replicas = MakeArgs<PJRT_Executable_NumReplicas_Args>();
    replicas.executable = compiled.executable.get();
    auto partitions = MakeArgs<PJRT_Executable_NumPartitions_Args>();
    partitions.executable = compiled.executable.get();
    if (Must(context, replicas) && Must(context, partitions)) {
      context.Check(kProgram, replicas.num_replicas == 1 && partitions.num_partitions == 1,
                    replicas.num_replicas, " replicas and ", partitions.num_partitions,
                    " partitions, asked ", is_second ? "again" : "once");
    }
  }
  auto size = MakeArgs<PJRT_Executable_SizeOfGeneratedCodeInBytes_Args>();
  size.executable = compiled.executable.get();
  Must(context, size);
  auto title = MakeArgs<PJRT_Executable_Name_Args>();
  title.executable = compiled.executable.get();
  if (Must(context, title)) {
    context.Note(StrCat("name ", View(title.executable_name, title.executable_name_size)));
  }
}

}  // namespace

CompiledAsJax::CompiledAsJax(Context& context, std::string_view pack, std::string_view name)
    : program(FrameworkProgram(context, pack, name)) {
  if (program == nullptr || !ProfileHas(context, name, {DType::kF32})) return;
  std::optional<std::string_view> form = FormOfJax(context, *program);
  if (!form.has_value()) return;
  Expected<OwnedLoadedExecutable> made = CompileAsJax(context, *program, *form);
  if (!Demand(context, "PJRT_Client_Compile", made.status())) return;
  auto get = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
  get.loaded_executable = made->get();
  if (!Must(context, get)) return;
  executable = OwnedExecutable(context.plugin(), get.executable);
  loaded = *std::move(made);
}

void AddFrameworkCompileCases(std::vector<Case>& cases) {
  const std::pair<const char*, const char*> rows[] = {
      {"aliasing_output", kProgram},
      {"many_results", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order"}};
  for (const auto& [name, requirement] : rows) {
    cases.push_back({StrCat("L4/compile/", name),
                     Level::kL4,
                     ClientNeed::kShared,
                     {requirement},
                     [program = name](Context& context) { Compile(context, program); },
                     false});
  }
}

}  // namespace plinth::conformance

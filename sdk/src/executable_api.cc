// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "sdk/src/entry.h"
#include "sdk/src/executable_arrays.h"

namespace plinth::sdk::internal {

// PLINTH_HANDLE gives the handle; this is the author's object in it.
#define PLINTH_EXECUTABLE(variable, arguments)             \
  PLINTH_HANDLE(variable##_handle, arguments, executable); \
  const Executable& variable = *variable##_handle->executable

Status Call(PJRT_Executable_Destroy_Args& args) {
  if (args.executable == nullptr || args.executable->generation != CurrentGeneration()) return {};
  delete args.executable;
  return {};
}

Status Call(PJRT_Executable_Name_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  args.executable_name = executable.info().name.data();
  args.executable_name_size = executable.info().name.size();
  return {};
}

Status Call(PJRT_Executable_NumReplicas_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  args.num_replicas = executable.info().num_replicas;
  return {};
}

Status Call(PJRT_Executable_NumPartitions_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  args.num_partitions = executable.info().num_partitions;
  return {};
}

Status Call(PJRT_Executable_NumOutputs_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  args.num_outputs = executable.num_outputs();
  return {};
}

Status Call(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  args.size_in_bytes = executable.info().generated_code_size;
  return {};
}

Status Call(PJRT_Executable_Fingerprint_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  if (executable.info().fingerprint.empty()) {
    return Unimplemented("PJRT_Executable_Fingerprint: executable \"", executable.info().name,
                         "\" has no fingerprint");
  }
  args.executable_fingerprint = executable.info().fingerprint.data();
  args.executable_fingerprint_size = executable.info().fingerprint.size();
  return {};
}

Status Call(PJRT_Executable_GetCostAnalysis_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  args.properties = executable.arrays().cost.data();
  args.num_properties = executable.arrays().cost.size();
  return {};
}

Status Call(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  if (!executable.info().memory_stats.has_value()) {
    return Unimplemented("PJRT_Executable_GetCompiledMemoryStats: executable \"",
                         executable.info().name, "\" has no memory statistics");
  }
  const CompiledMemoryStats& stats = *executable.info().memory_stats;
  using Args = PJRT_Executable_GetCompiledMemoryStats_Args;
  static constexpr std::pair<int64_t Args::*, int64_t CompiledMemoryStats::*> kFields[] = {
      {&Args::generated_code_size_in_bytes, &CompiledMemoryStats::generated_code_size},
      {&Args::argument_size_in_bytes, &CompiledMemoryStats::argument_size},
      {&Args::output_size_in_bytes, &CompiledMemoryStats::output_size},
      {&Args::alias_size_in_bytes, &CompiledMemoryStats::alias_size},
      {&Args::temp_size_in_bytes, &CompiledMemoryStats::temp_size},
      {&Args::host_generated_code_size_in_bytes, &CompiledMemoryStats::host_generated_code_size},
      {&Args::host_argument_size_in_bytes, &CompiledMemoryStats::host_argument_size},
      {&Args::host_output_size_in_bytes, &CompiledMemoryStats::host_output_size},
      {&Args::host_alias_size_in_bytes, &CompiledMemoryStats::host_alias_size},
      {&Args::host_temp_size_in_bytes, &CompiledMemoryStats::host_temp_size},
      {&Args::peak_memory_in_bytes, &CompiledMemoryStats::peak_memory},
      {&Args::total_size_in_bytes, &CompiledMemoryStats::total_size},
      {&Args::total_allocation_bytes, &CompiledMemoryStats::total_allocation},
      {&Args::indefinite_allocations, &CompiledMemoryStats::indefinite_allocations},
      {&Args::peak_unpadded_heap_bytes, &CompiledMemoryStats::peak_unpadded_heap},
  };
  for (auto [field, stat] : kFields) SetField(args, field, stats.*stat);
  return {};
}

Status Call(PJRT_Executable_OutputElementTypes_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  const ValueArrays& outputs = executable.arrays().outputs;
  args.output_types = const_cast<PJRT_Buffer_Type*>(outputs.types.data());
  args.num_output_types = outputs.types.size();
  return {};
}

Status Call(PJRT_Executable_OutputDimensions_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  const ValueArrays& outputs = executable.arrays().outputs;
  args.num_outputs = outputs.ranks.size();
  args.dims = outputs.dims.data();
  args.dim_sizes = outputs.ranks.data();
  return {};
}

Status Call(PJRT_Executable_OutputMemoryKinds_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  const ValueArrays& outputs = executable.arrays().outputs;
  args.num_outputs = outputs.memory_kinds.size();
  args.memory_kinds = outputs.memory_kinds.data();
  args.memory_kind_sizes = outputs.memory_kind_sizes.data();
  return {};
}

Status Call(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  const ValueArrays& parameters = executable.arrays().parameters;
  args.num_parameters = parameters.memory_kinds.size();
  args.memory_kinds = parameters.memory_kinds.data();
  args.memory_kind_sizes = parameters.memory_kind_sizes.data();
  return {};
}

Status Call(PJRT_Executable_OptimizedProgram_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  PJRT_Program& out = *args.program;
  PLINTH_ASSIGN_OR_RETURN(OwnedProgram program, executable.OptimizedProgram());
  // The format has no owner in the C ABI, so it must be one of the known, static strings.
  static constexpr std::string_view kFormats[] = {"mlir", "hlo", "hlo_with_config", "text"};
  out.format = nullptr;
  for (std::string_view format : kFormats) {
    if (format != program.format) continue;
    out.format = format.data();
    out.format_size = format.size();
  }
  if (out.format == nullptr) {
    return Internal("the plugin's optimized program has the unknown format \"", program.format,
                    "\"");
  }
  // Two calls: the first asks for the size.
  if (out.code == nullptr) {
    out.code_size = program.code.size();
    return {};
  }
  if (out.code_size < program.code.size()) {
    return Invalid(args, "the program has ", program.code.size(), " bytes, code_size is ",
                   out.code_size, "; call with code = null to learn the size");
  }
  std::memcpy(out.code, program.code.data(), program.code.size());
  out.code_size = program.code.size();
  return {};
}

Status Call(PJRT_Executable_Serialize_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  PLINTH_ASSIGN_OR_RETURN(std::string bytes, executable.Serialize());
  args.serialized_executable = new PJRT_SerializedExecutable{std::move(bytes)};
  args.serialized_bytes = args.serialized_executable->bytes.data();
  args.serialized_bytes_size = args.serialized_executable->bytes.size();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* holder) { delete holder; };
  return {};
}

Status Call(PJRT_Executable_GetCompileOptions_Args& args) {
  PLINTH_EXECUTABLE(executable, args);
  args.serialized_compile_options =
      new PJRT_SerializedCompileOptions{executable.info().compile_options};
  args.serialized_bytes = args.serialized_compile_options->bytes.data();
  args.serialized_bytes_size = args.serialized_compile_options->bytes.size();
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions* holder) {
    delete holder;
  };
  return {};
}

}  // namespace plinth::sdk::internal

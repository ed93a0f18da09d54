// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/executable.h"

#include "impl/client/src/calls.h"

namespace plinth::client {

using internal::GetHeldBytes;
using internal::GetList;
using internal::GetNamedValues;
using internal::GetText;
using internal::GetValue;
using internal::NullOutput;

namespace {

// Programs are protocol buffers, or not much larger than one, which ends at 2 GiB.
constexpr size_t kMaxProgram = size_t{4} << 30;

// Memory kinds: lists of texts and of their sizes.
template <typename Args>
Expected<std::vector<std::string>> MemoryKinds(const Api& api, PJRT_Executable* executable,
                                               size_t Args::*count) {
  Args args = {};
  args.executable = executable;
  PLINTH_RETURN_IF_ERROR(api.Call(args));
  const size_t size = args.*count;
  if (size != 0 && (args.memory_kinds == nullptr || args.memory_kind_sizes == nullptr)) {
    return NullOutput(FunctionOf<Args>::kName, "its list");
  }
  std::vector<std::string> kinds;
  for (size_t i = 0; i < size; ++i) {
    const char* kind = args.memory_kinds[i];
    kinds.emplace_back(kind == nullptr ? std::string()
                                       : std::string(kind, args.memory_kind_sizes[i]));
  }
  return kinds;
}

}  // namespace

Expected<std::string_view> Executable::Name() const {
  using Args = PJRT_Executable_Name_Args;
  return GetText(api(), get(), &Args::executable, &Args::executable_name,
                 &Args::executable_name_size);
}

Expected<size_t> Executable::NumReplicas() const {
  using Args = PJRT_Executable_NumReplicas_Args;
  return GetValue(api(), get(), &Args::executable, &Args::num_replicas);
}

Expected<size_t> Executable::NumPartitions() const {
  using Args = PJRT_Executable_NumPartitions_Args;
  return GetValue(api(), get(), &Args::executable, &Args::num_partitions);
}

Expected<size_t> Executable::NumOutputs() const {
  using Args = PJRT_Executable_NumOutputs_Args;
  return GetValue(api(), get(), &Args::executable, &Args::num_outputs);
}

Expected<std::vector<OutputShape>> Executable::Outputs() const {
  using Types = PJRT_Executable_OutputElementTypes_Args;
  PLINTH_ASSIGN_OR_RETURN(
      const std::span<PJRT_Buffer_Type> types,
      GetList(api(), get(), &Types::executable, &Types::output_types, &Types::num_output_types));
  PJRT_Executable_OutputDimensions_Args args = {};
  args.executable = get();
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  if (args.num_outputs != types.size()) {
    return Internal("the plugin says ", types.size(), " output types and dimensions of ",
                    args.num_outputs, " outputs");
  }
  if (args.num_outputs != 0 && args.dim_sizes == nullptr) {
    return NullOutput("PJRT_Executable_OutputDimensions", "its list of ranks");
  }
  std::vector<OutputShape> outputs(types.size());
  const int64_t* dims = args.dims;
  for (size_t i = 0; i < types.size(); ++i) {
    outputs[i].type = DTypeFromC(RawEnum(types[i])).value_or(DType::kInvalid);
    if (args.dim_sizes[i] == 0) continue;
    if (dims == nullptr) return NullOutput("PJRT_Executable_OutputDimensions", "its dimensions");
    outputs[i].dims.assign(dims, dims + args.dim_sizes[i]);
    dims += args.dim_sizes[i];
  }
  return outputs;
}

Expected<std::vector<std::string>> Executable::OutputMemoryKinds() const {
  return MemoryKinds(api(), get(), &PJRT_Executable_OutputMemoryKinds_Args::num_outputs);
}

Expected<std::vector<std::string>> Executable::ParameterMemoryKinds() const {
  return MemoryKinds(api(), get(), &PJRT_Executable_ParameterMemoryKinds_Args::num_parameters);
}

Expected<int64_t> Executable::GeneratedCodeSize() const {
  using Args = PJRT_Executable_SizeOfGeneratedCodeInBytes_Args;
  return GetValue(api(), get(), &Args::executable, &Args::size_in_bytes);
}

Expected<std::vector<NamedValue>> Executable::CostAnalysis() const {
  using Args = PJRT_Executable_GetCostAnalysis_Args;
  return GetNamedValues(api(), get(), &Args::executable, &Args::properties, &Args::num_properties);
}

Expected<CompiledMemoryStats> Executable::MemoryStats() const {
  PJRT_Executable_GetCompiledMemoryStats_Args args = {};
  args.executable = get();
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  CompiledMemoryStats stats;
  stats.generated_code = args.generated_code_size_in_bytes;
  stats.arguments = args.argument_size_in_bytes;
  stats.outputs = args.output_size_in_bytes;
  stats.aliases = args.alias_size_in_bytes;
  stats.temporaries = args.temp_size_in_bytes;
  stats.host_generated_code = args.host_generated_code_size_in_bytes;
  stats.host_arguments = args.host_argument_size_in_bytes;
  stats.host_outputs = args.host_output_size_in_bytes;
  stats.host_aliases = args.host_alias_size_in_bytes;
  stats.host_temporaries = args.host_temp_size_in_bytes;
  stats.peak = args.peak_memory_in_bytes;
  stats.total = args.total_size_in_bytes;
  stats.total_allocations = args.total_allocation_bytes;
  stats.indefinite_allocations = args.indefinite_allocations;
  stats.peak_unpadded_heap = args.peak_unpadded_heap_bytes;
  return stats;
}

Expected<std::string> Executable::Fingerprint() const {
  using Args = PJRT_Executable_Fingerprint_Args;
  PLINTH_ASSIGN_OR_RETURN(const std::string_view text,
                          GetText(api(), get(), &Args::executable, &Args::executable_fingerprint,
                                  &Args::executable_fingerprint_size));
  return std::string(text);
}

Expected<Executable::OptimizedProgramText> Executable::OptimizedProgram() const {
  PJRT_Program program = {};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  PJRT_Executable_OptimizedProgram_Args args = {};
  args.executable = get();
  args.program = &program;
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  OptimizedProgramText result;
  if (program.code_size > kMaxProgram) {
    return Internal("the plugin says that its optimized program has ", program.code_size, " bytes");
  }
  result.code.resize(program.code_size);
  program.code = result.code.data();
  PLINTH_RETURN_IF_ERROR(api().Call(args));
  if (program.code_size < result.code.size()) result.code.resize(program.code_size);
  if (program.format != nullptr) result.format.assign(program.format, program.format_size);
  return result;
}

Expected<std::string> Executable::CompileOptionsProto() const {
  using Args = PJRT_Executable_GetCompileOptions_Args;
  return GetHeldBytes(api(), get(), &Args::executable, &Args::serialized_bytes,
                      &Args::serialized_bytes_size, &Args::serialized_compile_options,
                      &Args::serialized_compile_options_deleter);
}

Expected<std::string> Executable::Serialize() const {
  using Args = PJRT_Executable_Serialize_Args;
  return GetHeldBytes(api(), get(), &Args::executable, &Args::serialized_bytes,
                      &Args::serialized_bytes_size, &Args::serialized_executable,
                      &Args::serialized_executable_deleter);
}

}  // namespace plinth::client

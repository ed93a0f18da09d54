// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/executable.h"

#include <atomic>
#include <cstring>
#include <utility>

#include "reference_plugin/backend/executable/build_id.h"
#include "reference_plugin/backend/executable/compile_flags.h"
#include "reference_plugin/backend/executable/execution.h"
#include "reference_plugin/backend/executable/serialized_executable.h"
#include "reference_plugin/backend/host/floating_point_modes.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/compiler/plan/plan_cost.h"
#include "reference_plugin/cpu/math/simd_name.h"
#include "reference_plugin/cpu/pjrt/buffer.h"
#include "reference_plugin/program/printer.h"

namespace plinth::cpu {
namespace {

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<sdk::ValueInfo> ValueInfos(const std::vector<compiler::Type>& types,
                                       const std::vector<std::string>& memory_kinds,
                                       const std::vector<std::string>& shardings,
                                       const std::vector<compiler::Dims>& layouts) {
  std::vector<sdk::ValueInfo> infos(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    infos[i].dtype = types[i].dtype;
    infos[i].dims = types[i].dims;
    if (i < layouts.size() && !layouts[i].empty()) {
      infos[i].dims = compiler::DimsOfLayout(types[i].dims, layouts[i]);
      infos[i].layout = std::make_shared<const sdk::Layout>(
          sdk::Layout{.minor_to_major = {layouts[i].begin(), layouts[i].end()}});
    }
    if (i < memory_kinds.size() && !memory_kinds[i].empty()) {
      infos[i].memory_kind = memory_kinds[i];
    }
    if (i < shardings.size() && !shardings[i].empty()) infos[i].sharding = shardings[i];
  }
  return infos;
}

int64_t TotalSize(const std::vector<compiler::Type>& types) {
  int64_t total = 0;
  for (const compiler::Type& type : types) total += type.SizeInBytes();
  return total;
}

sdk::CompiledMemoryStats MemoryStats(const PreparedProgram& program) {
  const compiler::Plan& plan = program.plan();
  sdk::CompiledMemoryStats stats;
  stats.argument_size = TotalSize(plan.argument_types);
  stats.output_size = TotalSize(plan.output_types);
  for (const compiler::ArrayRef& output : plan.outputs) {
    if (plan.storages[output.storage].kind == compiler::StorageKind::kArgument) {
      stats.alias_size += plan.storages[output.storage].size;
    }
  }
  stats.temp_size = program.memory_size();
  stats.peak_memory = stats.argument_size + stats.output_size - stats.alias_size + stats.temp_size;
  stats.total_size = stats.peak_memory + plan.constant_bytes;
  return stats;
}

// Only one device runs a program so far; the device mapping will lift this.
Status CheckSingleDevice(const program::CompileOptions& options) {
  if (options.num_replicas * options.num_partitions == 1) return Status();
  return Unimplemented("the program is for ", options.num_replicas, " x ", options.num_partitions,
                       " devices (replicas x partitions); the plinth CPU plugin runs programs of "
                       "one device");
}

SerializedBy ThisPlugin() { return {BuildId(), NameOf(BestSimdTarget())}; }

std::unique_ptr<CallContext> MakeCallContext(const sdk::ExecuteRequest& request, Runtime& runtime,
                                             int device) {
  static std::atomic<int64_t> last_run{0};
  auto call = std::make_unique<CallContext>();
  if (request.context != nullptr) {
    for (const sdk::FfiUserData& data : request.context->user_data()) {
      call->user_data.push_back({data.type_id, data.data});
    }
  }
  call->run_id = last_run.fetch_add(1, std::memory_order_relaxed) + 1;
  call->device_ordinal = device;
  call->memory = runtime.memory.get();
  call->threads = &runtime.threads;
  return call;
}

// Of a program's format, in a message.
constexpr size_t kMostFormatText = 100;

}  // namespace

Expected<std::shared_ptr<const CpuExecutable>> CpuExecutable::Compile(
    const sdk::Program& source, std::string_view options_proto, const LibraryOptions& library) {
  const DefaultFloatingPoint modes;  // Constants are folded.
  if (source.format != "mlir") {
    std::string format;
    program::PrintQuoted(source.format.substr(0, kMostFormatText), &format);
    return Unimplemented("programs of format ", format,
                         " are not read; send StableHLO as \"mlir\"");
  }
  PLINTH_ASSIGN_OR_RETURN(program::CompileOptions options,
                          program::ReadCompileOptions(AsBytes(options_proto)));
  PLINTH_RETURN_IF_ERROR(CheckSingleDevice(options));
  compiler::PipelineOptions pipeline;
  PLINTH_RETURN_IF_ERROR(ApplyCompileFlags(options.env_option_overrides, pipeline));
  PLINTH_ASSIGN_OR_RETURN(program::Module module, program::Read(AsBytes(source.code)));
  PLINTH_ASSIGN_OR_RETURN(compiler::CompiledProgram compiled,
                          compiler::CompileProgram(std::move(module), pipeline));

  sdk::ExecutableInfo info;
  info.name = compiled.plan.name;
  info.fingerprint = Fingerprint({BuildId(), NameOf(BestSimdTarget()), options_proto, source.code});
  info.parameters = ValueInfos(compiled.plan.argument_types, compiled.parameter_memory_kinds,
                               compiled.parameter_shardings, compiled.layouts.parameters);
  info.outputs = ValueInfos(compiled.plan.output_types, compiled.output_memory_kinds,
                            compiled.output_shardings, compiled.layouts.outputs);
  compiler::PlanCost cost = CostOf(compiled.plan);
  info.cost = {{"flops", static_cast<float>(cost.flops)},
               {"transcendentals", static_cast<float>(cost.transcendentals)},
               {"bytes accessed", static_cast<float>(cost.bytes_accessed)}};
  info.compile_options = options_proto;
  for (const compiler::Donation& donation : compiled.donations) {
    info.parameters[donation.argument].is_donated = true;
  }
  PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const PreparedProgram> prepared,
                          PreparedProgram::Create(std::move(compiled.plan), library));
  info.memory_stats = MemoryStats(*prepared);
  return std::shared_ptr<const CpuExecutable>(new CpuExecutable(
      std::move(info), std::string(source.code), std::move(options), std::move(prepared)));
}

Expected<std::shared_ptr<const CpuExecutable>> CpuExecutable::Deserialize(
    std::string_view serialized, std::string_view overridden_options,
    const LibraryOptions& library) {
  PLINTH_ASSIGN_OR_RETURN(SerializedExecutable parts,
                          ReadSerializedExecutable(serialized, ThisPlugin()));
  if (!overridden_options.empty()) {
    return Compile({"mlir", parts.code}, overridden_options, library);
  }
  // The folder was that of who compiled.
  PLINTH_ASSIGN_OR_RETURN(program::CompileOptions options,
                          program::ReadCompileOptions(AsBytes(parts.options)));
  if (options.env_option_overrides.erase(std::string(kXlaDumpTo)) > 0) {
    parts.options = program::WriteCompileOptions(options);
  }
  return Compile({"mlir", parts.code}, parts.options, library);
}

Expected<std::string> CpuExecutable::Serialize() const {
  return WriteSerializedExecutable({info().compile_options, code_}, ThisPlugin());
}

Expected<sdk::OwnedProgram> CpuExecutable::OptimizedProgram() const {
  return sdk::OwnedProgram{"mlir", code_};
}

Expected<std::unique_ptr<sdk::LoadedExecutable>> CpuLoadedExecutable::Create(
    CpuClient& client, std::shared_ptr<const CpuExecutable> executable) {
  const program::CompileOptions& options = executable->options();
  int64_t id = 0;
  if (options.device_assignment.has_value()) {
    const program::DeviceAssignment& assignment = *options.device_assignment;
    if (assignment.replica_count != 1 || assignment.computation_count != 1) {
      return InvalidArgument("the device assignment has ", assignment.replica_count,
                             " replicas and ", assignment.computation_count,
                             " partitions, the program one of each");
    }
    id = assignment.At(0, 0);
  } else if (options.device_ordinal >= 0) {
    id = options.device_ordinal;
  }
  sdk::Device* device = client.FindDevice(static_cast<int>(id));
  if (device == nullptr || id != device->id()) {
    return InvalidArgument("the program is for device ", id, "; the client has devices 0 to ",
                           client.devices().size() - 1);
  }
  std::vector<sdk::Memory*> output_memories;
  for (const sdk::ValueInfo& output : executable->info().outputs) {
    sdk::Memory* memory = device->FindMemory(output.memory_kind);
    if (memory == nullptr) {
      return InvalidArgument("an output is to be in memory \"", output.memory_kind,
                             "\", which device ", id, " does not have");
    }
    output_memories.push_back(memory);
  }
  sdk::LoadedExecutableInfo info;
  info.addressable_devices = {device};
  return std::unique_ptr<sdk::LoadedExecutable>(new CpuLoadedExecutable(
      client, std::move(executable), std::move(info), std::move(output_memories)));
}

Status CpuLoadedExecutable::Execute(const sdk::ExecuteRequest& request,
                                    sdk::ExecuteResults& results) {
  const PreparedProgram& program = executable_->program();
  sdk::ArgumentList arguments = request.arguments(0);
  std::vector<ExecutionInput> inputs(arguments.size());
  bool all_ready = true;
  // What is only read comes first: when it is there, nothing is refused any more.
  for (const bool is_donated : {false, true}) {
    if (is_donated && request.donated.empty()) break;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (request.IsDonated(i) != is_donated) continue;
      auto& buffer = static_cast<CpuBuffer&>(arguments[i]);
      inputs[i] = {is_donated ? buffer.Donate() : buffer.contents(), is_donated};
      if (inputs[i].contents == nullptr) {
        return InvalidArgument("argument ", i, " of ", executable_->info().name,
                               " was deleted by another thread while it was executed");
      }
      const sdk::Event& ready = inputs[i].contents->ready;
      all_ready &= ready.IsReady() && ready.status().ok();
    }
  }

  sdk::Device* device = info().addressable_devices[0];
  bool is_elsewhere = request.execute_device != nullptr && request.execute_device != device;
  if (is_elsewhere) device = request.execute_device;
  auto set_output = [&](size_t o, ContentsPtr contents) {
    const sdk::ValueInfo& output = executable_->info().outputs[o];
    sdk::Memory* memory =
        is_elsewhere ? device->FindMemory(output.memory_kind) : output_memories_[o];
    results.SetOutput(0, o,
                      std::make_unique<CpuBuffer>(runtime_, output.dtype, output.dims, memory,
                                                  device, std::move(contents), output.layout));
  };

  if (all_ready && program.IsShort()) {
    std::vector<RunArgument> run_arguments(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) run_arguments[i] = TakeArgument(inputs[i]);
    std::vector<StoragePtr> storages(results.num_outputs());
    Status status = program.Run(*runtime_, run_arguments, storages);
    for (size_t o = 0; o < storages.size(); ++o) {
      auto contents = std::make_shared<Contents>();
      contents->storage = std::move(storages[o]);
      if (!status.ok()) {
        if (IsToken(program, o)) {
          contents->storage = TokenStorage();
        } else {
          contents->ready = sdk::Event::Ready(status);
        }
      }
      set_output(o, std::move(contents));
    }
    results.SetCompletion(0, sdk::Event::Ready(std::move(status)));
    return Status();
  }
  std::unique_ptr<CallContext> call;
  if (program.has_custom_calls()) call = MakeCallContext(request, *runtime_, device->id());
  auto execution = std::make_shared<Execution>(runtime_, executable_->shared_program(),
                                               std::move(inputs), std::move(call));
  for (size_t o = 0; o < results.num_outputs(); ++o) set_output(o, execution->outputs()[o]);
  results.SetCompletion(0, execution->done());
  execution->Start();
  // Without a result that carries it, an error of user code would be lost: it is Execute's own.
  if (program.may_wait() && HasOnlyTokens(program)) {
    return execution->done().Await();
  }
  return Status();
}

}  // namespace plinth::cpu

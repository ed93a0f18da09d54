// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/executable.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "plinth/program/hlo.h"
#include "plinth/program/printer.h"
#include "plinth/support/log_line.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/call_partitioners.h"
#include "reference_plugin/backend/executable/build_id.h"
#include "reference_plugin/backend/executable/compile_flags.h"
#include "reference_plugin/backend/executable/hlo_outline.h"
#include "reference_plugin/backend/executable/serialized_executable.h"
#include "reference_plugin/backend/host/floating_point_modes.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/compiler/plan/plan_cost.h"

namespace plinth::backend {
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
      infos[i].dims = compiler::importer::DimsOfLayout(types[i].dims, layouts[i]);
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
  const compiler::plan::Plan& plan = program.plan();
  sdk::CompiledMemoryStats stats;
  stats.argument_size = TotalSize(plan.argument_types);
  stats.output_size = TotalSize(plan.output_types);
  for (const compiler::plan::ArrayRef& output : plan.outputs) {
    if (plan.allocations[output.allocation].kind == compiler::plan::AllocationKind::kArgument) {
      stats.alias_size += plan.allocations[output.allocation].size;
    }
  }
  stats.temp_size = program.memory_size();
  stats.peak_memory = stats.argument_size + stats.output_size - stats.alias_size + stats.temp_size;
  stats.total_size = stats.peak_memory + plan.constant_bytes;
  return stats;
}

SerializedBy ThisPlugin(const Backend& backend) {
  return {backend.name, BuildId(), backend.hardware};
}

// Formats of programs.
constexpr std::string_view kMlir = "mlir";
constexpr std::string_view kHlo = "hlo";
constexpr std::string_view kHloWithConfig = "hlo_with_config";

bool IsHlo(std::string_view format) { return format == kHlo || format == kHloWithConfig; }

Expected<program::Module> ReadProgram(std::string_view format, std::string_view code) {
  return IsHlo(format) ? program::ReadHlo(AsBytes(code)) : program::Read(AsBytes(code));
}

Expected<compiler::importer::AskedLayouts> LayoutsOf(const program::CompileOptions& options) {
  compiler::importer::AskedLayouts asked;
  for (size_t i = 0; i < options.argument_layouts.size(); ++i) {
    Expected<std::vector<program::ShapeLayout>> read =
        program::ReadShapeLayouts(options.argument_layouts[i]);
    if (!read.ok()) return read.status().WithContext(StrCat("argument_layouts ", i));
    if (!asked.parameters.has_value()) asked.parameters.emplace();
    std::ranges::move(*read, std::back_inserter(*asked.parameters));
  }
  if (options.result_layout.empty()) return asked;
  Expected<std::vector<program::ShapeLayout>> read =
      program::ReadShapeLayouts(options.result_layout);
  if (!read.ok()) return read.status().WithContext("result_layout");
  asked.outputs = *std::move(read);
  return asked;
}

// What options say of several devices.
void SetDevices(const program::CompileOptions& options, compiler::PipelineOptions& pipeline) {
  pipeline.num_replicas = options.num_replicas;
  pipeline.num_partitions = options.num_partitions;
  pipeline.free_parameters = options.allow_spmd_sharding_propagation_to_parameters;
  pipeline.free_outputs = options.allow_spmd_sharding_propagation_to_output;
  pipeline.call_partitioners = &RegisteredPartitioners::Get();
}

// Into the log, if there is one.
void Warn(std::string_view program, const std::vector<std::string>& warnings) {
  if (warnings.empty()) return;
  const LogTarget log = LogTarget::OfThisProcess();
  if (log.file.empty()) return;
  for (const std::string& warning : warnings) {
    AppendLogLine(log.file, "warning", StrCat("program ", program, ": ", warning));
  }
}

// Of a program's format, in a message.
constexpr size_t kMostFormatText = 100;

}  // namespace

Expected<std::shared_ptr<const BackendExecutable>> BackendExecutable::Compile(
    const sdk::Program& source, std::string_view options_proto,
    std::shared_ptr<const Backend> backend) {
  return Compile(source, options_proto, std::move(backend), /*is_new=*/true);
}

Expected<std::shared_ptr<const BackendExecutable>> BackendExecutable::Compile(
    const sdk::Program& source, std::string_view options_proto,
    std::shared_ptr<const Backend> backend, bool is_new) {
  const DefaultFloatingPoint modes;  // Constants are folded.
  if (!IsHlo(source.format) && source.format != kMlir) {
    std::string format;
    program::PrintQuoted(source.format.substr(0, kMostFormatText), &format);
    return Unimplemented("programs of format ", format, " are not read; send StableHLO as \"",
                         kMlir, "\", or HLO as \"", kHlo, "\" or \"", kHloWithConfig, "\"");
  }
  PLINTH_ASSIGN_OR_RETURN(program::CompileOptions options,
                          program::ReadCompileOptions(AsBytes(options_proto)));
  compiler::PipelineOptions pipeline;
  pipeline.fusion = backend->fusion;
  SetDevices(options, pipeline);
  pipeline.tells_shardings = is_new;
  PLINTH_ASSIGN_OR_RETURN(pipeline.layouts, LayoutsOf(options));
  PLINTH_RETURN_IF_ERROR(ApplyCompileFlags(options.env_option_overrides, pipeline));
  PLINTH_ASSIGN_OR_RETURN(program::Module module, ReadProgram(source.format, source.code));
  PLINTH_ASSIGN_OR_RETURN(compiler::CompiledProgram compiled,
                          compiler::CompileProgram(std::move(module), backend->target, pipeline));
  Warn(compiled.plan.name, compiled.warnings);

  sdk::ExecutableInfo info;
  info.name = compiled.plan.name;
  info.num_replicas = static_cast<size_t>(compiled.num_replicas);
  info.num_partitions = static_cast<size_t>(compiled.num_partitions);
  info.fingerprint = Fingerprint({BuildId(), backend->hardware, options_proto, source.code});
  info.parameters = ValueInfos(compiled.plan.argument_types, compiled.parameter_memory_kinds,
                               compiled.parameter_shardings, compiled.layouts.parameters);
  info.outputs = ValueInfos(compiled.plan.output_types, compiled.output_memory_kinds,
                            compiled.output_shardings, compiled.layouts.outputs);
  compiler::plan::PlanCost cost = CostOf(compiled.plan);
  info.cost = {{"flops", static_cast<float>(cost.flops)},
               {"transcendentals", static_cast<float>(cost.transcendentals)},
               {"bytes accessed", static_cast<float>(cost.bytes_accessed)}};
  if (backend->examine != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(std::vector<NamedValue> more, backend->examine(compiled.plan));
    std::ranges::move(more, std::back_inserter(info.cost));
  }
  info.compile_options = options_proto;
  for (const compiler::Donation& donation : compiled.donations) {
    info.parameters[donation.argument].is_donated = true;
  }
  PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<const PreparedProgram> prepared,
                          PreparedProgram::Create(std::move(compiled.plan), *backend));
  info.memory_stats = MemoryStats(*prepared);
  return std::shared_ptr<const BackendExecutable>(
      new BackendExecutable(std::move(info), {std::string(source.format), std::string(source.code)},
                            std::move(options), std::move(prepared), std::move(backend)));
}

Expected<std::shared_ptr<const BackendExecutable>> BackendExecutable::Deserialize(
    std::string_view serialized, std::string_view overridden_options,
    std::shared_ptr<const Backend> backend) {
  PLINTH_ASSIGN_OR_RETURN(SerializedExecutable parts,
                          ReadSerializedExecutable(serialized, ThisPlugin(*backend)));
  std::shared_ptr<void> restored;  // until the program is compiled
  if (backend->restore != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(restored, backend->restore(parts.kept));
  }
  if (!overridden_options.empty()) {
    return Compile({parts.format, parts.code}, overridden_options, std::move(backend),
                   /*is_new=*/false);
  }
  // The folder was that of who compiled.
  PLINTH_ASSIGN_OR_RETURN(program::CompileOptions options,
                          program::ReadCompileOptions(AsBytes(parts.options)));
  if (options.env_option_overrides.erase(std::string(kXlaDumpTo)) > 0) {
    parts.options = program::WriteCompileOptions(options);
  }
  return Compile({parts.format, parts.code}, parts.options, std::move(backend),
                 /*is_new=*/false);
}

Expected<std::string> BackendExecutable::Serialize() const {
  return WriteSerializedExecutable(
      {info().compile_options, source_.format, source_.code,
       backend_->keep == nullptr ? std::string() : backend_->keep(program_->prepared_steps())},
      ThisPlugin(*backend_));
}

Expected<sdk::OwnedProgram> BackendExecutable::OptimizedProgram() const {
  // A caller that has not read the shardings looks for them here.
  if (info().num_partitions > 1 && !shardings_were_read()) {
    return sdk::OwnedProgram{std::string(kHloWithConfig), HloOutline(info())};
  }
  if (info().num_replicas * info().num_partitions > 1) {
    compiler::PipelineOptions pipeline;
    SetDevices(options_, pipeline);
    PLINTH_ASSIGN_OR_RETURN(program::Module module, ReadProgram(source_.format, source_.code));
    PLINTH_ASSIGN_OR_RETURN(
        std::string text, compiler::TextOfOneDevice(std::move(module), backend_->target, pipeline));
    return sdk::OwnedProgram{std::string(kMlir), std::move(text)};
  }
  if (source_.format != kHlo) return source_;
  // Callers read the layouts of parameters and results in a configuration.
  return sdk::OwnedProgram{
      std::string(kHloWithConfig),
      program::AddHloConfig(source_.code, options_.argument_layouts, options_.result_layout)};
}

}  // namespace plinth::backend

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/pipeline.h"

#include <utility>

#include "reference_plugin/compiler/export/stablehlo_text.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/dump.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/lower/lower.h"
#include "reference_plugin/compiler/mapping/device_mapping.h"
#include "reference_plugin/compiler/mapping/one_device.h"
#include "reference_plugin/compiler/passes/dead_code.h"
#include "reference_plugin/compiler/passes/inline.h"
#include "reference_plugin/compiler/passes/legalize.h"
#include "reference_plugin/compiler/passes/optimize.h"

namespace plinth::compiler {
namespace {

partition::PartitionOptions PartitioningOf(const PipelineOptions& options) {
  partition::PartitionOptions made;
  made.fallback = options.fallback;
  made.others = options.call_partitioners;
  made.tells_shardings = options.tells_shardings;
  made.free_parameters = options.free_parameters;
  made.free_outputs = options.free_outputs;
  return made;
}

}  // namespace

Expected<CompiledProgram> CompileProgram(program::Module source, const Target& target,
                                         const PipelineOptions& options) {
  Dumper dumper =
      options.dump_to.empty() ? Dumper(source.name()) : Dumper(source.name(), options.dump_to);
  dumper.Dump("program", [&] { return program::Print(source); });
  // Later on, a full disk is no reason not to compile.
  PLINTH_RETURN_IF_ERROR(dumper.status());
  PLINTH_ASSIGN_OR_RETURN(importer::EntryLayouts layouts,
                          importer::ReadEntryLayouts(source, options.layouts));
  PLINTH_ASSIGN_OR_RETURN(
      std::unique_ptr<Module> module,
      importer::Import(std::move(source), {options.num_replicas, options.num_partitions}));
  const bool several = mapping::IsForSeveralDevices(*module);
  // Layouts are those of one device's parts.
  if (!several) PLINTH_RETURN_IF_ERROR(importer::ApplyEntryLayouts(layouts, *module));
  if (options.verify) PLINTH_RETURN_IF_ERROR(Verify(*module).WithContext("import"));
  dumper.Dump("import", [&] { return ToString(*module); });
  bool mapped = several;
  std::vector<std::string> warnings;
  if (several) {
    PLINTH_RETURN_IF_ERROR(passes::Inline(*module));
    partition::PartitionOptions partitioning = PartitioningOf(options);
    partitioning.dumper = &dumper;
    PLINTH_RETURN_IF_ERROR(
        mapping::MapToDevices(*module, target.collectives, partitioning, &warnings));
    PLINTH_RETURN_IF_ERROR(importer::ApplyEntryLayouts(layouts, *module));
  } else {
    PLINTH_RETURN_IF_ERROR(mapping::CheckSingleDevice(*module));
    mapped = mapping::MapToOneDevice(*module);
  }
  if (mapped) {
    if (options.verify) PLINTH_RETURN_IF_ERROR(Verify(*module).WithContext("mapping"));
    dumper.Dump("mapping", [&] { return ToString(*module); });
  }
  passes::OptimizeOptions optimize;
  optimize.simplify = options.simplify;
  optimize.verify = options.verify;
  optimize.dumper = &dumper;
  PLINTH_RETURN_IF_ERROR(passes::Optimize(*module, target, optimize));
  PLINTH_RETURN_IF_ERROR(passes::Legalize(*module, target));
  dumper.Dump("legalize", [&] { return ToString(*module); });
  if (options.verify) PLINTH_RETURN_IF_ERROR(Verify(*module).WithContext("legalize"));
  lower::LowerOptions lowering;
  lowering.fusion = options.fusion;
  PLINTH_ASSIGN_OR_RETURN(plan::Schedule schedule, lower::Lower(*module, target, lowering));
  dumper.Dump("schedule", [&] { return ToString(schedule); });
  if (options.verify) PLINTH_RETURN_IF_ERROR(Verify(schedule));
  CompiledProgram compiled;
  PLINTH_ASSIGN_OR_RETURN(compiled.plan, plan::PlanMemory(schedule, target));
  dumper.Dump("plan", [&] { return ToString(compiled.plan); });
  if (options.verify) PLINTH_RETURN_IF_ERROR(Verify(compiled.plan).WithContext("plan"));
  compiled.num_replicas = module->num_replicas;
  compiled.num_partitions = module->num_partitions;
  compiled.donations = std::move(module->donations);
  compiled.parameter_memory_kinds = std::move(module->parameter_memory_kinds);
  compiled.output_memory_kinds = std::move(module->output_memory_kinds);
  compiled.parameter_shardings = std::move(module->parameter_shardings);
  compiled.output_shardings = std::move(module->output_shardings);
  compiled.warnings = std::move(warnings);
  compiled.layouts = std::move(layouts);
  return compiled;
}

Expected<std::string> TextOfOneDevice(program::Module source, const Target& target,
                                      const PipelineOptions& options) {
  PLINTH_ASSIGN_OR_RETURN(
      std::unique_ptr<Module> module,
      importer::Import(std::move(source), {options.num_replicas, options.num_partitions}));
  PLINTH_RETURN_IF_ERROR(passes::Inline(*module));
  if (mapping::IsForSeveralDevices(*module)) {
    PLINTH_RETURN_IF_ERROR(
        mapping::MapToDevices(*module, target.collectives, PartitioningOf(options)));
  } else {
    mapping::MapToOneDevice(*module);
  }
  passes::EliminateDeadCode(*module);
  return StablehloText(*module);
}

}  // namespace plinth::compiler

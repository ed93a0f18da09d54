#include "reference_plugin/compiler/pipeline.h"

#include <utility>

#include "reference_plugin/compiler/device_mapping.h"
#include "reference_plugin/compiler/dump.h"
#include "reference_plugin/compiler/import.h"
#include "reference_plugin/compiler/optimize.h"
#include "reference_plugin/compiler/schedule.h"

namespace plinth::compiler {

Expected<CompiledProgram> CompileProgram(program::Module source, const PipelineOptions& options) {
  PLINTH_ASSIGN_OR_RETURN(std::unique_ptr<Module> module, Import(std::move(source)));
  Dumper dumper =
      options.dump_to.empty() ? Dumper(module->name) : Dumper(module->name, options.dump_to);
  dumper.Dump("import", [&] { return ToString(*module); });
  PLINTH_RETURN_IF_ERROR(CheckSingleDevice(*module));
  OptimizeOptions optimize;
  optimize.simplify = options.simplify;
  optimize.dumper = &dumper;
  PLINTH_RETURN_IF_ERROR(Optimize(*module, optimize));
  LowerOptions lower;
  lower.fusion = options.fusion;
  PLINTH_ASSIGN_OR_RETURN(Schedule schedule, Lower(*module, lower));
  dumper.Dump("schedule", [&] { return ToString(schedule); });
  CompiledProgram compiled;
  PLINTH_ASSIGN_OR_RETURN(compiled.plan, PlanMemory(schedule));
  dumper.Dump("plan", [&] { return ToString(compiled.plan); });
  compiled.donations = std::move(module->donations);
  compiled.parameter_memory_kinds = std::move(module->parameter_memory_kinds);
  compiled.output_memory_kinds = std::move(module->output_memory_kinds);
  compiled.parameter_shardings = std::move(module->parameter_shardings);
  compiled.output_shardings = std::move(module->output_shardings);
  return compiled;
}

}  // namespace plinth::compiler

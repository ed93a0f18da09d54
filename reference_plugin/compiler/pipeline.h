// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PIPELINE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PIPELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/import/entry_layouts.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/partition/partition.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::compiler {

struct PipelineOptions {
  int64_t num_replicas = 1, num_partitions = 1;
  bool simplify = true;  // false: only what lowering needs (calls are inlined)
  bool fusion = true;    // false: one step per op
  importer::AskedLayouts layouts;
  // What becomes of ops that cannot be spread over devices.
  partition::Fallback fallback = partition::Fallback::kAllow;
  // Say what becomes of custom calls on several devices; null: nobody does.
  partition::CallPartitioners* call_partitioners = nullptr;
  bool tells_shardings = false;  // to those who inspect them
  // Of parameters and results of which the program says nothing: whether the partitioner decides
  // how they lie, else every device has all of them. One for each; one for all; none: it decides.
  std::vector<bool> free_parameters, free_outputs;
  std::string dump_to;  // the folder that stages are written to; made if it does not exist
  // Runs the verifier of every stage on what it gives: builds with assertions, and tests.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
};

// What is known of the entry function besides the plan.
struct CompiledProgram {
  plan::Plan plan;  // of one device
  int64_t num_replicas = 1, num_partitions = 1;
  std::vector<Donation> donations;
  std::vector<std::string> parameter_memory_kinds, output_memory_kinds;
  std::vector<std::string> parameter_shardings, output_shardings;
  std::vector<std::string> warnings;  // for the log
  // The plan has the types of arguments and outputs as they lie in memory.
  importer::EntryLayouts layouts;
};

// The whole compiler: import, device mapping, optimization, lowering, memory plan, for what the
// target can do. Every stage is written to files if the options or PLINTH_DUMP name a folder.
// Errors name the op and its place; INVALID_ARGUMENT if nothing can be written to that folder.
Expected<CompiledProgram> CompileProgram(program::Module source, const Target& target,
                                         const PipelineOptions& options);

// The program that each device runs, as StableHLO text: that of several devices with the
// collectives of the partitioner, before it is optimized. Shapes are those of the program, whatever
// order of dimensions it asks for in memory. Errors as for CompileProgram.
Expected<std::string> TextOfOneDevice(program::Module source, const Target& target,
                                      const PipelineOptions& options);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PIPELINE_H_

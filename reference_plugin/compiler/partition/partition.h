// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PARTITION_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PARTITION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/dump.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/partition/call_partitioners.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::partition {

// What becomes of ops that nobody knows how to spread.
enum class Fallback : uint8_t {
  kAllow,  // their operands are gathered, and every device computes all of them
  kWarn,   // the same, and the report names them
  kError,
};

// What became of a program, for reports and tests.
struct PartitionReport {
  // Ops whose operands were gathered, because nobody knows how to spread them, and the bytes that
  // each device received for it.
  int64_t num_fallbacks = 0;
  int64_t fallback_bytes = 0;
  // With Fallback::kWarn: which ops, the first of them.
  std::vector<std::string> warnings;
};

struct PartitionOptions {
  // Gets the stage "propagated": the whole program with the sharding of each value.
  Dumper* dumper = nullptr;
  Fallback fallback = Fallback::kAllow;
  // Say what becomes of custom calls; null: nobody does.
  CallPartitioners* others = nullptr;
  // Whether who inspects shardings is told: only where the program has come just now, since the
  // one who asked may be gone later.
  bool tells_shardings = false;
  // As in PipelineOptions.
  std::vector<bool> free_parameters, free_outputs;
  // How many times as much as it costs must be saved by spreading the sum of what devices have
  // along axes along which nobody asked for it. 0: wherever it is possible, for tests.
  double least_gain = 4;
  // Whether values that nobody sees may lie otherwise than the propagation says.
  bool settles = true;
};

// Makes of a program on whole arrays the program of one device among module.num_partitions: types
// of parts, and collectives where devices need what others have. Parameters and results lie as the
// program says, or else as it follows from what it says; parameter_shardings and output_shardings
// tell how. The module has one function and one replica; afterwards no sharding is left in it.
//
// INVALID_ARGUMENT for meshes that are not of as many devices, and for manual computations whose
// local types do not follow from their shardings; UNIMPLEMENTED for what several devices would
// falsify: effects, and partition_id where not all axes are manual; RESOURCE_EXHAUSTED for more
// than 4096 devices. With Fallback::kError, UNIMPLEMENTED for ops that would be computed whole.
Expected<PartitionReport> Partition(Module& module, const CollectiveCosts& costs,
                                    const PartitionOptions& options = {});

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PARTITION_H_

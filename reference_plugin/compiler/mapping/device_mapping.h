// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_DEVICE_MAPPING_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_DEVICE_MAPPING_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/partition/partition.h"

namespace plinth::compiler::mapping {

inline bool IsForSeveralDevices(const Module& module) {
  return module.num_replicas > 1 || module.num_partitions > 1;
}

// Makes of a module for several devices, in which calls are inlined, the program that each of them
// runs: entry arguments and results are one device's parts, collectives name lanes
// (lane_groups.h), and no sharding is left but in parameter_shardings and output_shardings.
// `warnings` are those of the partitioner's report.
Status MapToDevices(Module& module, const CollectiveCosts& costs,
                    const partition::PartitionOptions& options = {},
                    std::vector<std::string>* warnings = nullptr);

// Whether one device can run the module. UNIMPLEMENTED names a collective among other devices than
// the first.
Status CheckSingleDevice(const Module& module);

}  // namespace plinth::compiler::mapping

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_DEVICE_MAPPING_H_

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/mapping/device_mapping.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "plinth/program/compile_options.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/mapping/lane_groups.h"
#include "reference_plugin/compiler/partition/partition.h"

namespace plinth::compiler::mapping {
namespace {

// On one device a collective among the groups [[0]] changes nothing and is simplified away.
bool IsAmongSeveral(const CollectiveAttributes& collective) {
  for (const std::vector<int64_t>& group : collective.groups) {
    for (int64_t id : group) {
      if (id != 0) return true;
    }
  }
  return false;
}

Status CheckBlock(const Block& block) {
  for (const Op* op : block.ops) {
    const bool several = InfoOf(op->opcode).category == Category::kCollective &&
                         IsAmongSeveral(op->Get<CollectiveAttributes>());
    if (several) {
      return Unimplemented(Name(op->opcode), op->location == nullptr ? "" : " at ",
                           op->location == nullptr ? "" : *op->location,
                           ": it works among several devices; programs for one device are "
                           "supported");
    }
    for (const Block* inner : op->blocks) PLINTH_RETURN_IF_ERROR(CheckBlock(*inner));
  }
  return Status();
}

bool SaysShardings(const Block& block) {
  return std::any_of(block.ops.begin(), block.ops.end(), [](const Op* op) {
    // How a custom call may be spread says nothing of where arrays lie.
    const bool says = op->shardings != nullptr &&
                      (op->opcode != Opcode::kCustomCall || !op->shardings->results.empty());
    return says || std::any_of(op->blocks.begin(), op->blocks.end(),
                               [](const Block* inner) { return SaysShardings(*inner); });
  });
}

// Whether there are calls that somebody else partitions, or that ask for shardings.
bool AsksOthers(const Block& block, const partition::CallPartitioners* others) {
  return std::any_of(block.ops.begin(), block.ops.end(), [&](const Op* op) {
    if (op->opcode == Opcode::kCustomCall) {
      const std::string_view target = op->Get<CustomCallAttributes>().target;
      if (target == partition::kInspectSharding || (others != nullptr && others->Has(target))) {
        return true;
      }
    }
    return std::any_of(op->blocks.begin(), op->blocks.end(),
                       [&](const Block* inner) { return AsksOthers(*inner, others); });
  });
}

}  // namespace

Status MapToDevices(Module& module, const CollectiveCosts& costs,
                    const partition::PartitionOptions& options,
                    std::vector<std::string>* warnings) {
  const Function& entry = *module.entry;
  const bool is_sharded = !entry.argument_shardings.empty() || !entry.result_shardings.empty() ||
                          SaysShardings(*entry.body) || AsksOthers(*entry.body, options.others);
  if (is_sharded && module.num_replicas > 1) {
    return Unimplemented("module @", module.name, " is for ", module.num_replicas,
                         " replicas and says how arrays are spread over partitions; expected one "
                         "of the two");
  }
  if (is_sharded) {
    PLINTH_ASSIGN_OR_RETURN(partition::PartitionReport report,
                            partition::Partition(module, costs, options));
    if (warnings != nullptr) *warnings = std::move(report.warnings);
  } else {
    // Every device runs the program as it stands.
    const std::string replicated = program::WriteOpSharding({});
    module.parameter_shardings.assign(entry.body->arguments.size(), replicated);
    module.output_shardings.assign(entry.body->terminator()->operands.size(), replicated);
    module.meshes.clear();
  }
  return ResolveLaneGroups(module);
}

Status CheckSingleDevice(const Module& module) {
  for (const Function& function : module.functions) {
    PLINTH_RETURN_IF_ERROR(CheckBlock(*function.body));
  }
  return Status();
}

}  // namespace plinth::compiler::mapping

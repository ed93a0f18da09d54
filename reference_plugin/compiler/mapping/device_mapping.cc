// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/mapping/device_mapping.h"

#include "plinth/support/str_cat.h"

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

}  // namespace

Status CheckSingleDevice(const Module& module) {
  if (module.num_replicas != 1 || module.num_partitions != 1) {
    return Unimplemented("module @", module.name, " is for ", module.num_replicas, " replicas of ",
                         module.num_partitions,
                         " partitions; programs for one device are supported");
  }
  for (const Function& function : module.functions) {
    PLINTH_RETURN_IF_ERROR(CheckBlock(*function.body));
  }
  return Status();
}

}  // namespace plinth::compiler::mapping

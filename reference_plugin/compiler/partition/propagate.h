// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROPAGATE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROPAGATE_H_

#include <vector>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::partition {

class OpRules;

struct PropagatedShardings {
  // By value id; null: nothing is known, so every device has all of it. They are closed, but of
  // arguments and results of the entry only those parts of axes stay that a user may see.
  std::vector<ShardingRef> values;
  std::vector<ShardingRef> results;  // of what the entry returns

  const ShardingRef& Of(const Value* value) const { return values[static_cast<size_t>(value->id)]; }
};

// What the program says of some values is carried to the others, with the results of Shardy's
// propagation: users see them. Nothing of what a program computes depends on it. The module has one
// function; constants get a copy for each use, and constraints on carries of loops move to where
// the carries are made.
// INVALID_ARGUMENT for manual computations whose axes do not go together.
Expected<PropagatedShardings> Propagate(Module& module, OpRules& rules);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROPAGATE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_APPLY_CONSTRAINTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_APPLY_CONSTRAINTS_H_

#include <functional>

#include "reference_plugin/compiler/partition/uses.h"

namespace plinth::compiler::partition {

// What the propagation knows of values before it begins.
struct InitialShardings {
  std::function<ShardingRef(const Value*)> get;
  std::function<void(const Value*, ShardingRef)> set;
  // Whether the value is one of several that always have one sharding, as carries of a loop do.
  std::function<bool(const Value*)> is_joined;
};

// What a constraint, or an operand of a manual_computation, says of a value is said of the value
// itself where nobody says otherwise; a constraint on one that is joined with others is moved to
// where the value is made, and all use its result.
void ApplyConstraints(Module& module, const InitialShardings& shardings);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_APPLY_CONSTRAINTS_H_

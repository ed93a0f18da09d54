// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_AHEAD_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_AHEAD_H_

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/partition/layout.h"
#include "reference_plugin/compiler/partition/propagate.h"
#include "reference_plugin/compiler/partition/rule.h"
#include "reference_plugin/compiler/partition/uses.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::partition {

// What follows from a value: whether it pays to leave it spread along an axis along which nobody
// asked for it to be. If it is whole there, all devices along the axis compute the same of it.
class Ahead {
 public:
  // `least_gain` as in PartitionOptions. All are referred to.
  Ahead(const Uses& uses, const PropagatedShardings& shardings, const CollectiveCosts& costs,
        double least_gain)
      : uses_(uses), shardings_(shardings), costs_(costs), least_gain_(least_gain) {}

  // The dimension of the value along which it should be spread by an axis of the mesh; `layout` is
  // how it would lie otherwise. Nothing: it should be whole along the axis.
  std::optional<size_t> DimToSpread(const Value* value, const Layout& layout, const MeshRef& mesh,
                                    const Axis& axis);

 private:
  struct RuleAhead {
    Rule rule;
    std::vector<bool> spreadable;  // by factor
  };
  class Walk;

  const RuleAhead& RuleFor(const Op& op);

  const Uses& uses_;
  const PropagatedShardings& shardings_;
  const CollectiveCosts& costs_;
  double least_gain_;
  std::unordered_map<const Op*, std::unique_ptr<RuleAhead>> rules_;
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_AHEAD_H_

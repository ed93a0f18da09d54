// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SETTLE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SETTLE_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/partition/known.h"
#include "reference_plugin/compiler/partition/uses.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::partition {

// Changes shardings of products, and of the elementwise ops around them, that nobody asked for and
// nobody sees, where another one moves less: the propagation goes by what is next to what, not by
// what moves. (With weights spread along both axes, what goes back through a layer is spread as
// they are, although what it meets there is spread as what came in.) Each product is looked at
// once, in the order of the program. `least_gain` as in PartitionOptions; 0: whatever it costs.
void Settle(Module& module, const Uses& uses, const CollectiveCosts& costs, double least_gain,
            OpRules& rules, WantedLayouts& wanted);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SETTLE_H_

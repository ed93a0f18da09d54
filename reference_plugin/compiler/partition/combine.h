// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_COMBINE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_COMBINE_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::partition {

// Joins all_reduces of one block that have the same groups, combiner and element type, and none of
// which needs the result of another, into one of several operands: devices then meet once. So with
// all_gathers and all_to_alls along the same dimensions, and redistributions among the same
// devices. Each waits until another collective needs its result that is no small sum, and what
// needs it waits, too; none moves past control flow or effects. How many are left fewer.
int64_t CombineCollectives(Module& module, const CollectiveCosts& costs);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_COMBINE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_LANE_GROUPS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_LANE_GROUPS_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::mapping {

// Says of every collective in the module which lanes take part in it together, whatever the four
// ways are in which StableHLO numbers them. Lane replica * num_partitions + partition runs that
// replica and partition. Afterwards CollectiveAttributes::groups lists lanes by rank, each lane in
// one group; those of a collective_permute are pairs of lanes. A collective_broadcast that names
// some lanes only becomes a collective_permute, in which one lane may send to several. To be called
// once. What lanes do alone is no collective any more. INVALID_ARGUMENT names the op and its place:
// numbers out of range, named twice or missing, targets of two sources.
Status ResolveLaneGroups(Module& module);

}  // namespace plinth::compiler::mapping

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_MAPPING_LANE_GROUPS_H_

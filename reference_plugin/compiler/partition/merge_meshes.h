// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MERGE_MESHES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MERGE_MESHES_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::partition {

// Says shardings on meshes of the same devices in the same order all on the one of these meshes
// that has the most axes, the first of these, so that they meet in the propagation; in parts of
// axes where axes differ. A mesh keeps its shardings where a part that they use would begin or end
// within an axis that it does not divide (3 x 2 devices and 2 x 3).
void MergeMeshes(Module& module);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MERGE_MESHES_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_MESH_GROUPS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_MESH_GROUPS_H_

#include <cstdint>
#include <vector>

#include "reference_plugin/compiler/ir/mesh.h"

// Which devices of a mesh are together along some of its axes. Costs as much as there are devices.
namespace plinth::compiler {

// The device at a place of the grid.
int64_t DeviceAt(const Mesh& mesh, int64_t place);
// How far two devices are apart, in places of the mesh, that are next to one another along the
// axis.
int64_t StrideOf(const Mesh& mesh, const Axis& axis);
// The devices that differ along these axes alone, each group in the order of the axes.
std::vector<std::vector<int64_t>> GroupsOf(const Mesh& mesh, const AxisList& axes);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_MESH_GROUPS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MANUAL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MANUAL_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/sharding_views.h"
#include "reference_plugin/compiler/partition/layout.h"

// Regions in which the program itself says what devices do along some axes of a mesh, and leaves
// the other axes, which are free, to the partitioner. Types in a region are those of parts along
// its own axes only.
namespace plinth::compiler::partition {

// Axes of one device are in no list here.
struct ManualAxes {
  MeshRef mesh;   // null: outside of all regions, or in one that has nothing to do with a mesh
  AxisList axes;  // of this region and those around it, in the order of the mesh
  bool is_inside = false;

  // What is left to the partitioner.
  AxisList Free() const;
  // Each device is on its own.
  bool IsAll() const { return is_inside && Free().empty(); }
};

// The axes of a manual_computation within `outer`. INVALID_ARGUMENT for axes that the mesh does not
// have or that are manual already, and for shardings on several meshes.
Expected<ManualAxes> ManualAxesOf(const Op& op, const ManualAxes& outer);

// The sharding of a value as the region sees it: without the region's axes.
Sharding WithoutAxes(const Sharding& sharding, const AxisList& manual);
// And back: the region's axes are those of `outside`, before all others of their dimension.
Sharding WithAxesOf(const Sharding& inside, const Sharding* outside, const AxisList& manual);

// The layout of what goes into the region or comes out: its axes as `said`, the others as `inside`.
// INVALID_ARGUMENT where a free axis stands before one of the region.
Expected<Layout> LayoutOutside(const ShardingRef& said, const Type& global, const Layout& inside,
                               const AxisList& manual);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_MANUAL_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_LAYOUT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_LAYOUT_H_

#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/mesh_groups.h"

namespace plinth::compiler::partition {

// How an array lies on the devices while a program is partitioned: each has an equal part, of
// extents divided by those of the axes.
struct Layout {
  MeshRef mesh;                // null: every device has all of it
  std::vector<AxisList> dims;  // one per dimension, or none without a mesh
  AxisList unreduced;          // in the order of the mesh
  ReductionOp reduction = ReductionOp::kSum;

  bool IsReplicated() const { return mesh == nullptr; }
  const AxisList& Of(size_t dim) const&;
  AxisList Of(size_t dim) && { return std::as_const(*this).Of(dim); }  // Not of what goes away.
  // All axes in use, in no order.
  AxisList AllAxes() const;
  // Whether one of them overlaps this one.
  bool Uses(const Axis& axis) const;
  // Without a mesh if nothing is spread.
  void Normalize();
  friend bool operator==(const Layout&, const Layout&);
};

bool SameDevices(const MeshRef& a, const MeshRef& b);

// The layout nearest to a sharding: of the axes of a dimension, the largest part from the major end
// that divides it. Without a sharding, on a mesh without axes or for what is no tensor, replicated.
Layout LayoutOf(const Sharding* sharding, const Type& type);
// The type of a device's part.
Type LocalType(const Type& type, const Layout& layout);
int64_t LocalBytes(const Type& type, const Layout& layout);
// The same without what is not reduced.
Layout Reduced(Layout layout);

// Which part of the array each device has, counted row major; by device.
std::vector<int64_t> PartsOf(const Layout& layout, int64_t num_devices);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_LAYOUT_H_

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/layout.h"

#include <algorithm>
#include <numeric>

namespace plinth::compiler::partition {

const AxisList& Layout::Of(size_t dim) const& {
  static const AxisList kNone = {};
  return dims.empty() ? kNone : dims[dim];
}

AxisList Layout::AllAxes() const {
  AxisList axes = unreduced;
  for (const AxisList& dim : dims) {
    for (const Axis& axis : dim) axes.push_back(axis);
  }
  return axes;
}

bool Layout::Uses(const Axis& axis) const {
  if (IsReplicated()) return false;
  return Overlap(axis, unreduced) ||
         std::any_of(dims.begin(), dims.end(),
                     [&](const AxisList& dim) { return Overlap(axis, dim); });
}

void Layout::Normalize() {
  bool any = !unreduced.empty();
  for (const AxisList& dim : dims) any |= !dim.empty();
  if (any) return;
  mesh = nullptr;
  dims.clear();
}

bool SameDevices(const MeshRef& a, const MeshRef& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool operator==(const Layout& a, const Layout& b) {
  if (&a == &b) return true;
  return SameDevices(a.mesh, b.mesh) && a.dims == b.dims && a.unreduced == b.unreduced &&
         (a.unreduced.empty() || a.reduction == b.reduction);
}

Layout LayoutOf(const Sharding* sharding, const Type& type) {
  Layout layout;
  if (sharding == nullptr || type.kind != Type::Kind::kTensor || sharding->mesh->axes.empty() ||
      sharding->dims.size() != type.dims.size()) {
    return layout;
  }
  layout.mesh = sharding->mesh;
  layout.dims.reserve(type.dims.size());
  layout.reduction = sharding->reduction;
  for (const Axis& axis : sharding->unreduced) {
    if (axis.size > 1) layout.unreduced.push_back(axis);
  }
  SortAndMerge(layout.unreduced);
  for (size_t i = 0; i < type.dims.size(); ++i) {
    AxisList& axes = layout.dims.emplace_back();
    int64_t remaining = type.dims[i];
    for (const Axis& axis : sharding->dims[i].axes) {
      const int64_t common = remaining == 0 ? 1 : std::gcd(axis.size, remaining);
      if (common > 1) AddOrMerge(axes, {axis.index, axis.pre_size, common});
      remaining /= common;
      if (common != axis.size) break;
    }
  }
  layout.Normalize();
  return layout;
}

Type LocalType(const Type& type, const Layout& layout) {
  Type local = type;
  for (size_t i = 0; i < layout.dims.size(); ++i) local.dims[i] /= SizeOf(layout.dims[i]);
  return local;
}

int64_t LocalBytes(const Type& type, const Layout& layout) {
  int64_t count = 1;
  for (size_t i = 0; i < type.dims.size(); ++i) count *= type.dims[i] / SizeOf(layout.Of(i));
  return count * ByteSize(type.dtype);
}

Layout Reduced(Layout layout) {
  layout.unreduced.clear();
  layout.Normalize();
  return layout;
}

std::vector<int64_t> PartsOf(const Layout& layout, int64_t num_devices) {
  std::vector<int64_t> parts(static_cast<size_t>(num_devices), 0);
  if (layout.IsReplicated()) return parts;
  const Mesh& mesh = *layout.mesh;
  for (int64_t place = 0; place < num_devices; ++place) {
    int64_t part = 0;
    for (const AxisList& dim : layout.dims) {
      for (const Axis& axis : dim) {
        part = part * axis.size + place / StrideOf(mesh, axis) % axis.size;
      }
    }
    parts[static_cast<size_t>(DeviceAt(mesh, place))] = part;
  }
  return parts;
}

}  // namespace plinth::compiler::partition

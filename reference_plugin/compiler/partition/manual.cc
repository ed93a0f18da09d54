// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/manual.h"

#include <algorithm>

namespace plinth::compiler::partition {
namespace {

AxisList WithoutAxesOfOne(const AxisList& axes) {
  AxisList kept;
  for (const Axis& axis : axes) {
    if (axis.size > 1) kept.push_back(axis);
  }
  return kept;
}

// What of the axes is manual, or what is not. GSPMD's axes are parts of one, so that a manual one
// and a free one that follow one another may stand joined.
AxisList Filtered(const AxisList& axes, const AxisList& manual, bool keeps_manual) {
  AxisList kept;
  for (const Axis& axis : axes) {
    const auto splits = [&](const Axis& part) { return CanCoexist(axis, part); };
    if (!std::all_of(manual.begin(), manual.end(), splits)) {
      if (keeps_manual) kept.push_back(axis);
      continue;
    }
    int64_t at = axis.pre_size;
    for (const Axis& part : manual) {  // in the order of the mesh
      if (!Overlap(axis, part)) continue;
      const int64_t begin = std::max(part.pre_size, at), end = std::min(part.end(), axis.end());
      if (!keeps_manual && begin > at) kept.push_back({axis.index, at, begin / at});
      if (keeps_manual) kept.push_back({axis.index, begin, end / begin});
      at = end;
    }
    if (!keeps_manual && at < axis.end()) kept.push_back({axis.index, at, axis.end() / at});
  }
  return kept;
}

AxisList Without(const AxisList& axes, const AxisList& manual) {
  return Filtered(axes, manual, /*keeps_manual=*/false);
}

AxisList Only(const AxisList& axes, const AxisList& manual) {
  return Filtered(axes, manual, /*keeps_manual=*/true);
}

void Append(AxisList& axes, const AxisList& more) {
  for (const Axis& axis : more) AddOrMerge(axes, axis);
}

}  // namespace

AxisList ManualAxes::Free() const {
  AxisList free;
  if (mesh == nullptr) return free;
  for (const Axis& axis : UnusedAxes(*mesh, axes)) {
    if (axis.size > 1) free.push_back(axis);
  }
  return free;
}

Expected<ManualAxes> ManualAxesOf(const Op& op, const ManualAxes& outer) {
  ManualAxes manual = outer;
  manual.is_inside = true;
  const OpShardings* const said = op.shardings.get();
  if (said == nullptr) return manual;
  const auto take_mesh = [&](const std::vector<ShardingRef>& shardings) -> Status {
    for (const ShardingRef& sharding : shardings) {
      if (sharding == nullptr || sharding->mesh->axes.empty()) continue;
      if (manual.mesh == nullptr) manual.mesh = sharding->mesh;
      if (SameDevices(manual.mesh, sharding->mesh)) continue;
      return InvalidArgument("its shardings are on the meshes ", ToString(*manual.mesh), " and ",
                             ToString(*sharding->mesh), "; expected one mesh");
    }
    return Status();
  };
  PLINTH_RETURN_IF_ERROR(take_mesh(said->operands));
  PLINTH_RETURN_IF_ERROR(take_mesh(said->results));
  if (manual.mesh == nullptr) return manual;
  const std::vector<MeshAxis>& axes = manual.mesh->axes;
  for (const std::string& name : said->manual_axes) {
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const MeshAxis& axis) { return axis.name == name; });
    if (found == axes.end()) {
      return InvalidArgument("manual axis \"", name, "\" is not in the mesh ",
                             ToString(*manual.mesh));
    }
    if (found->size == 1) continue;
    const Axis axis = {static_cast<int32_t>(found - axes.begin()), 1, found->size};
    if (Overlap(axis, manual.axes)) {
      return InvalidArgument("manual axis \"", name, "\" is manual already");
    }
    manual.axes.push_back(axis);
  }
  for (const Axis& part : said->manual_parts) {
    if (Overlap(part, manual.axes)) {
      return InvalidArgument("the manual part ", ToString(*manual.mesh, part),
                             " is manual already");
    }
    manual.axes.push_back(part);
  }
  SortAndMerge(manual.axes);
  return manual;
}

Sharding WithoutAxes(const Sharding& sharding, const AxisList& manual) {
  Sharding inside = sharding;
  for (DimSharding& dim : inside.dims) dim.axes = Without(dim.axes, manual);
  inside.replicated = Without(inside.replicated, manual);
  inside.unreduced = Without(inside.unreduced, manual);
  return inside;
}

Sharding WithAxesOf(const Sharding& inside, const Sharding* outside, const AxisList& manual) {
  Sharding made = inside;
  if (outside == nullptr) return made;
  for (size_t i = 0; i < made.dims.size() && i < outside->dims.size(); ++i) {
    AxisList axes = Only(outside->dims[i].axes, manual);
    Append(axes, inside.dims[i].axes);
    made.dims[i].axes = std::move(axes);
  }
  Append(made.replicated, Only(outside->replicated, manual));
  SortAndMerge(made.replicated);
  Append(made.unreduced, Only(outside->unreduced, manual));
  SortAndMerge(made.unreduced);
  return made;
}

Expected<Layout> LayoutOutside(const ShardingRef& said, const Type& global, const Layout& inside,
                               const AxisList& manual) {
  if (said == nullptr) return inside;
  Sharding own = *said;
  for (size_t i = 0; i < own.dims.size(); ++i) {
    AxisList& axes = own.dims[i].axes;
    axes = WithoutAxesOfOne(axes);
    const AxisList first = Only(axes, manual);
    if (!IsListPrefixOf(first, axes)) {
      return InvalidArgument("the sharding ", ToString(*said), " has in dimension ", i,
                             " free axes before manual ones");
    }
    axes = first;
  }
  own.unreduced = Only(own.unreduced, manual);
  Layout layout = LayoutOf(&own, global);
  if (inside.IsReplicated()) return layout;
  if (layout.IsReplicated()) return inside;
  for (size_t i = 0; i < layout.dims.size(); ++i) Append(layout.dims[i], inside.dims[i]);
  if (!inside.unreduced.empty()) {
    layout.reduction = inside.reduction;
    Append(layout.unreduced, inside.unreduced);
    SortAndMerge(layout.unreduced);
  }
  return layout;
}

}  // namespace plinth::compiler::partition

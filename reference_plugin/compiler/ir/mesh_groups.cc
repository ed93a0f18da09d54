// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/mesh_groups.h"

#include <utility>

namespace plinth::compiler {
namespace {

// Places of the mesh that differ along the axes, from the first on, in the order of the axes.
std::vector<int64_t> PlacesAlong(const Mesh& mesh, const AxisList& axes) {
  std::vector<int64_t> places = {0};
  for (const Axis& axis : axes) {
    const int64_t stride = StrideOf(mesh, axis);
    std::vector<int64_t> next;
    next.reserve(places.size() * static_cast<size_t>(axis.size));
    for (int64_t place : places) {
      for (int64_t i = 0; i < axis.size; ++i) next.push_back(place + i * stride);
    }
    places = std::move(next);
  }
  return places;
}

}  // namespace

int64_t DeviceAt(const Mesh& mesh, int64_t place) {
  return mesh.device_ids.empty() ? place : mesh.device_ids[static_cast<size_t>(place)];
}

int64_t StrideOf(const Mesh& mesh, const Axis& axis) {
  int64_t stride = 1;
  for (size_t i = static_cast<size_t>(axis.index) + 1; i < mesh.axes.size(); ++i) {
    stride *= mesh.axes[i].size;
  }
  return stride * (mesh.axes[static_cast<size_t>(axis.index)].size / axis.end());
}

std::vector<std::vector<int64_t>> GroupsOf(const Mesh& mesh, const AxisList& axes) {
  const std::vector<int64_t> members = PlacesAlong(mesh, axes);
  std::vector<std::vector<int64_t>> groups;
  for (int64_t first : PlacesAlong(mesh, UnusedAxes(mesh, axes))) {
    std::vector<int64_t>& group = groups.emplace_back();
    group.reserve(members.size());
    for (int64_t member : members) group.push_back(DeviceAt(mesh, first + member));
  }
  return groups;
}

}  // namespace plinth::compiler

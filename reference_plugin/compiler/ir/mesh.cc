// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/mesh.h"

#include <algorithm>
#include <set>

#include "plinth/program/printer.h"
#include "plinth/support/str_cat.h"

namespace plinth::compiler {
namespace {

std::string Quoted(std::string_view name) {
  std::string text;
  program::PrintQuoted(name, &text);
  return text;
}

Status CheckDeviceIds(const Mesh& mesh, int64_t devices) {
  if (mesh.device_ids.empty()) return Status();
  if (static_cast<int64_t>(mesh.device_ids.size()) != devices) {
    return InvalidArgument("mesh @", mesh.name, " has ", devices, " devices and ",
                           mesh.device_ids.size(), " device_ids");
  }
  if (mesh.IsMaximal()) {
    if (mesh.device_ids[0] >= 0) return Status();
    return InvalidArgument("mesh @", mesh.name, " is device ", mesh.device_ids[0]);
  }
  std::vector<bool> seen(mesh.device_ids.size(), false);
  for (int64_t id : mesh.device_ids) {
    if (id < 0 || id >= devices || seen[static_cast<size_t>(id)]) {
      return InvalidArgument("device_ids of mesh @", mesh.name, " name ", id,
                             "; expected each number from 0 to ", devices - 1, " once");
    }
    seen[static_cast<size_t>(id)] = true;
  }
  return Status();
}

}  // namespace

int64_t Mesh::num_devices() const {
  int64_t devices = 1;
  for (const MeshAxis& axis : axes) devices *= axis.size;
  return devices;
}

Status CheckMesh(const Mesh& mesh) {
  if (mesh.axes.size() > kMostMeshAxes) {
    return ResourceExhausted("a mesh has ", mesh.axes.size(), " axes; at most ", kMostMeshAxes,
                             " are supported");
  }
  std::set<std::string_view> names;
  int64_t devices = 1;
  for (const MeshAxis& axis : mesh.axes) {
    if (!names.insert(axis.name).second) {
      return InvalidArgument("mesh @", mesh.name, " has two axes ", Quoted(axis.name));
    }
    if (axis.size < 1 || axis.size > kMostMeshDevices / devices) {
      return InvalidArgument("mesh @", mesh.name, " has an axis ", Quoted(axis.name), " of ",
                             axis.size, " devices; expected 1 at least, and ", kMostMeshDevices,
                             " at most of all axes together");
    }
    devices *= axis.size;
  }
  return CheckDeviceIds(mesh, devices);
}

std::string ToString(const Mesh& mesh) {
  std::string text = "<[";
  for (const MeshAxis& axis : mesh.axes) {
    if (text.size() > 2) text += ", ";
    text += StrCat(Quoted(axis.name), "=", axis.size);
  }
  text += "]";
  if (!mesh.device_ids.empty()) {
    text += StrCat(", device_ids=[", StrJoin(std::span<const int64_t>(mesh.device_ids), ", "), "]");
  }
  return text + ">";
}

bool Overlap(const Axis& a, const Axis& b) {
  return a.index == b.index && a.pre_size < b.end() && b.pre_size < a.end();
}

bool Overlap(const Axis& axis, std::span<const Axis> axes) {
  return std::any_of(axes.begin(), axes.end(),
                     [&](const Axis& other) { return Overlap(axis, other); });
}

bool Contains(const Axis& outer, const Axis& inner) {
  return outer.index == inner.index && outer.pre_size <= inner.pre_size &&
         outer.end() >= inner.end();
}

bool IsPrefixOf(const Axis& a, const Axis& b) { return Contains(b, a) && a.pre_size == b.pre_size; }

bool CanCoexist(const Axis& a, const Axis& b) {
  if (a.index != b.index) return true;
  const auto [least_pre, most_pre] = std::minmax({a.pre_size, b.pre_size});
  const auto [least_end, most_end] = std::minmax({a.end(), b.end()});
  if (least_end <= most_pre) return most_pre % least_end == 0;
  return least_end % most_pre == 0 && most_pre % least_pre == 0 && most_end % least_end == 0;
}

std::optional<Axis> PrefixWithoutOverlap(const Axis& axis, const Axis& other) {
  if (!CanCoexist(axis, other)) return std::nullopt;
  if (!Overlap(axis, other)) return axis;
  if (axis.pre_size >= other.pre_size) return std::nullopt;
  return Axis{axis.index, axis.pre_size, other.pre_size / axis.pre_size};
}

std::optional<Axis> PrefixWithoutOverlap(const Axis& axis, std::span<const Axis> others) {
  std::optional<Axis> prefix = axis;
  for (const Axis& other : others) {
    prefix = PrefixWithoutOverlap(*prefix, other);
    if (!prefix.has_value()) return std::nullopt;
  }
  return prefix;
}

void AddOrMerge(AxisList& axes, const Axis& axis) {
  if (!axes.empty() && axes.back().index == axis.index && axes.back().end() == axis.pre_size) {
    axes.back().size *= axis.size;
  } else {
    axes.push_back(axis);
  }
}

int64_t SizeOf(std::span<const Axis> axes) {
  int64_t size = 1;
  for (const Axis& axis : axes) size *= axis.size;
  return size;
}

bool IsListPrefixOf(std::span<const Axis> a, std::span<const Axis> b) {
  if (a.empty()) return true;
  if (a.size() > b.size()) return false;
  const size_t last = a.size() - 1;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(last), b.begin())) {
    return false;
  }
  return IsPrefixOf(a[last], b[last]);
}

void SortAndMerge(AxisList& axes) {
  std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
    return a.index != b.index ? a.index < b.index : a.pre_size < b.pre_size;
  });
  AxisList merged;
  for (const Axis& axis : axes) AddOrMerge(merged, axis);
  axes = std::move(merged);
}

AxisList UnusedAxes(const Mesh& mesh, std::span<const Axis> used) {
  AxisList sorted(used);
  SortAndMerge(sorted);
  AxisList unused;
  const Axis* next = sorted.begin();
  for (int32_t index = 0; index < static_cast<int32_t>(mesh.axes.size()); ++index) {
    const int64_t size = mesh.axes[static_cast<size_t>(index)].size;
    int64_t pre_size = 1;
    for (; next != sorted.end() && next->index == index; ++next) {
      if (next->pre_size > pre_size) {
        unused.push_back({index, pre_size, next->pre_size / pre_size});
      }
      pre_size = next->end();
    }
    if (size > pre_size) unused.push_back({index, pre_size, size / pre_size});
  }
  return unused;
}

std::string ToString(const Mesh& mesh, const Axis& axis) {
  const MeshAxis& whole = mesh.axes[static_cast<size_t>(axis.index)];
  std::string text = Quoted(whole.name);
  if (axis.size != whole.size) text += StrCat(":(", axis.pre_size, ")", axis.size);
  return text;
}

std::string ToString(const Mesh& mesh, std::span<const Axis> axes) {
  std::string text = "{";
  for (const Axis& axis : axes) {
    if (text.size() > 1) text += ", ";
    text += ToString(mesh, axis);
  }
  return text + "}";
}

}  // namespace plinth::compiler

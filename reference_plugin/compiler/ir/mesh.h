// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_MESH_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_MESH_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/small_vector.h"
#include "plinth/support/status.h"

// Devices in a grid of named axes. What is done with axes costs as much as there are axes, whatever
// the number of devices.
namespace plinth::compiler {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

struct Mesh {
  std::string name;
  std::vector<MeshAxis> axes;  // from the major to the minor
  // The device at each place of the grid, row major; empty: the places are the devices. With no
  // axes: the one device that a maximal mesh is.
  std::vector<int64_t> device_ids;

  bool IsMaximal() const { return axes.empty() && device_ids.size() == 1; }
  int64_t num_devices() const;
  friend bool operator==(const Mesh& a, const Mesh& b) {
    return a.axes == b.axes && a.device_ids == b.device_ids;
  }
};
using MeshRef = std::shared_ptr<const Mesh>;

// What a program may have, so that no sharding costs without measure.
inline constexpr size_t kMostMeshAxes = 64;
inline constexpr int64_t kMostMeshDevices = 1 << 20;

// INVALID_ARGUMENT for axes that are there twice, without devices or of more devices together than
// kMostMeshDevices, and for device_ids that name not every device once; RESOURCE_EXHAUSTED for more
// than kMostMeshAxes axes.
Status CheckMesh(const Mesh& mesh);
// As in MLIR text: <["x"=2, "y"=4], device_ids=[...]>.
std::string ToString(const Mesh& mesh);

// A part of an axis of a mesh. An axis of n devices is a grid of pre_size x size x rest devices,
// and the part is the middle of it. The whole axis has pre_size 1 and size n.
struct Axis {
  int32_t index = 0;  // which axis of the mesh
  int64_t pre_size = 1;
  int64_t size = 1;

  int64_t end() const { return pre_size * size; }
  friend bool operator==(const Axis&, const Axis&) = default;
};
using AxisList = SmallVector<Axis, 2>;

bool Overlap(const Axis& a, const Axis& b);
bool Overlap(const Axis& axis, std::span<const Axis> axes);
bool Contains(const Axis& outer, const Axis& inner);
// Whether `a` is `b` or a major part of it.
bool IsPrefixOf(const Axis& a, const Axis& b);
// Whether both can be made of parts of one split of their axis.
bool CanCoexist(const Axis& a, const Axis& b);
// The longest major part of `axis` that does not overlap; nothing if there is none.
std::optional<Axis> PrefixWithoutOverlap(const Axis& axis, const Axis& other);
std::optional<Axis> PrefixWithoutOverlap(const Axis& axis, std::span<const Axis> others);
// Adds an axis at the minor end; the next part of the axis that is there is joined to it.
void AddOrMerge(AxisList& axes, const Axis& axis);
int64_t SizeOf(std::span<const Axis> axes);
// Whether the list of `a` begins that of `b`, the last axis in part; equal lists too.
bool IsListPrefixOf(std::span<const Axis> a, std::span<const Axis> b);
inline bool IsStrictListPrefixOf(std::span<const Axis> a, std::span<const Axis> b) {
  return IsListPrefixOf(a, b) && !std::equal(a.begin(), a.end(), b.begin(), b.end());
}
// What no axis of the list uses of the mesh, in its order; parts of axes where some is used.
AxisList UnusedAxes(const Mesh& mesh, std::span<const Axis> used);
// In the order of the mesh, parts that follow one another joined.
void SortAndMerge(AxisList& axes);

// "x", or "x":(1)2 for a part.
std::string ToString(const Mesh& mesh, const Axis& axis);
std::string ToString(const Mesh& mesh, std::span<const Axis> axes);  // {"x", "y"}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_MESH_H_

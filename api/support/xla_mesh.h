// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_API_SUPPORT_XLA_MESH_H_
#define PLINTH_API_SUPPORT_XLA_MESH_H_

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <vector>

#include "plinth/support/status.h"
#include "plinth/support/xla_messages.h"

// Meshes of devices, by whose axes XLA of 2026 says how arrays are spread and who talks to whom.
// What is malformed is an error, or an exception of protozero.
namespace plinth::messages {

// A part of an axis: `size` positions, whose stride is what is left of the axis after `before` and
// `size`. A size of 0 is the whole axis.
struct MeshAxis {
  int64_t axis = 0;
  int64_t before = 1;
  int64_t size = 0;
};
using MeshAxes = std::vector<MeshAxis>;

// A MeshProto.
struct DeviceMesh {
  std::vector<int64_t> sizes;    // Of the axes.
  std::vector<int64_t> devices;  // In the order of the axes; none if a formula says them.
  // 0, 1, 2, ... in this shape, transposed by the permutation.
  std::vector<int64_t> iota_reshape_dims, iota_transpose_perm;
};
Expected<DeviceMesh> ReadDeviceMesh(protozero::pbf_reader message);

// An AxisRefProto.
Expected<MeshAxis> ReadMeshAxis(protozero::pbf_reader message);

// The devices of a mesh, sorted by lists of axes: the last axis of the last list varies fastest.
struct MeshOrder {
  std::vector<int64_t> sizes;  // Of each list: how many positions its axes have together.
  // Either the devices or the formula, as in DeviceMesh.
  std::vector<int64_t> devices;
  std::vector<int64_t> iota_reshape_dims, iota_transpose_perm;
};
// What no list names stands in the list number `rest`, which is empty.
Expected<MeshOrder> OrderMesh(const DeviceMesh& mesh, std::vector<MeshAxes> lists, size_t rest);

// A NamedShardingProto, as tiles.
Status ReadNamedSharding(protozero::pbf_reader message, OpSharding* sharding);

}  // namespace plinth::messages

#endif  // PLINTH_API_SUPPORT_XLA_MESH_H_

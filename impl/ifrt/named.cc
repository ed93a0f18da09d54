// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/named.h"

#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

std::string AxisName(std::span<const MeshAxis> mesh, size_t axis) {
  return mesh[axis].name.empty() ? StrCat(axis) : StrCat("\"", mesh[axis].name, "\"");
}

}  // namespace

Expected<Partitioning> PartitioningFromNamed(std::span<const MeshAxis> mesh,
                                             std::span<const std::vector<int64_t>> axes_of_dims,
                                             size_t num_shards) {
  int64_t product = 1;
  for (size_t axis = 0; axis < mesh.size(); ++axis) {
    const int64_t size = mesh[axis].size;
    if (size < 1 || size > static_cast<int64_t>(Partitioning::kMaxShards) / product) {
      return InvalidArgument("mesh axis ", AxisName(mesh, axis), " has size ", size);
    }
    product *= size;
    for (size_t other = 0; other < axis; ++other) {
      if (!mesh[axis].name.empty() && mesh[axis].name == mesh[other].name) {
        return InvalidArgument("two axes of the mesh are named ", AxisName(mesh, axis));
      }
    }
  }
  if (product != static_cast<int64_t>(num_shards)) {
    return InvalidArgument("the mesh has ", product, " places for ", num_shards, " devices");
  }
  if (axes_of_dims.size() > kMaxRank) {
    return InvalidArgument("axes for ", axes_of_dims.size(), " dimensions; arrays have at most ",
                           kMaxRank);
  }
  std::vector<bool> used(mesh.size(), false);
  Dims tiles(axes_of_dims.size(), 1);
  for (size_t d = 0; d < axes_of_dims.size(); ++d) {
    for (const int64_t axis : axes_of_dims[d]) {
      if (axis < 0 || axis >= static_cast<int64_t>(mesh.size())) {
        return InvalidArgument("dimension ", d, " is cut along mesh axis ", axis, "; the mesh has ",
                               mesh.size());
      }
      if (used[axis]) {
        return InvalidArgument("mesh axis ", AxisName(mesh, axis),
                               " is used twice, the second time for dimension ", d);
      }
      used[axis] = true;
      tiles[d] *= mesh[axis].size;
    }
  }
  std::vector<int64_t> tile_of_shard(num_shards, 0);
  std::vector<int64_t> position(mesh.size(), 0);
  for (int64_t& tile : tile_of_shard) {
    for (size_t d = 0; d < axes_of_dims.size(); ++d) {
      for (const int64_t axis : axes_of_dims[d]) tile = tile * mesh[axis].size + position[axis];
    }
    for (size_t axis = mesh.size(); axis-- > 0;) {
      if (++position[axis] < mesh[axis].size) break;
      position[axis] = 0;
    }
  }
  return Partitioning::Tiled(tiles, tile_of_shard);
}

}  // namespace plinth::ifrt

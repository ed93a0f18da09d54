// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_NAMED_H_
#define PLINTH_IMPL_IFRT_NAMED_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "impl/ifrt/partitioning.h"

namespace plinth::ifrt {

// Devices arranged along named axes. Device i of a sharding is at position i, counted row-major.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
};

// The sharding that JAX and Shardy write as mesh axes for each dimension: `axes_of_dims[d]` are the
// indices of the axes along which dimension d is cut, the first the slowest. Axes that no dimension
// uses replicate. INVALID_ARGUMENT for axes of no size, of a product other than `num_shards`, used
// twice, or that the mesh does not have.
Expected<Partitioning> PartitioningFromNamed(std::span<const MeshAxis> mesh,
                                             std::span<const std::vector<int64_t>> axes_of_dims,
                                             size_t num_shards);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_NAMED_H_

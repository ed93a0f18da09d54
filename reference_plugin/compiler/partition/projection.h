// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROJECTION_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROJECTION_H_

#include <vector>

#include "reference_plugin/compiler/partition/rule.h"

// The shardings of an op's tensors seen along its factors, and how one tensor's shardings go on to
// the others there. Results are those of Shardy's aggressive propagation.
namespace plinth::compiler::partition {

// How one factor of one tensor is spread.
struct FactorSharding {
  AxisList axes;
  AxisList overflow;      // of the dimension, behind `axes`, which this factor does not divide into
  bool is_there = false;  // the tensor has the factor
  bool is_closed = false;
  bool is_minor_most = false;
};

struct TensorProjection {
  std::vector<FactorSharding> factors;  // by factor
  AxisList replicated, unreduced;
};

// `sharding` is null where nothing is known: all dimensions are open.
TensorProjection Project(const TensorFactors& tensor, const Sharding* sharding, const Rule& rule);

// The sharding that the projection stands for. What would not be in one piece is left out.
Sharding Unproject(const TensorProjection& projection, const TensorFactors& tensor,
                   const Rule& rule, const MeshRef& mesh, ReductionOp reduction);

enum Direction : uint8_t { kNowhere = 0, kForward = 1, kBackward = 2, kBothWays = 3 };

struct ProjectedOp {
  std::vector<TensorProjection> operands, results;
};

struct Updates {
  std::vector<bool> operands, results;
};

// Adds to each tensor, along each factor in its direction, the axes of the others that fit. Where
// they do not fit together, those of the larger tensor win. Which tensors changed.
Updates PropagateFactors(ProjectedOp& op, const Rule& rule, bool is_elementwise,
                         const std::vector<Direction>& directions);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROJECTION_H_

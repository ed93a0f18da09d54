// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROJECTION_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROJECTION_H_

#include <span>
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
  bool is_updated = false;  // PropagateFactors has changed it
};

// `sharding` is null where nothing is known: all dimensions are open. What was in `projection`
// goes.
void Project(const TensorFactors& tensor, const Sharding* sharding, const Rule& rule,
             TensorProjection& projection);
// The same of dimensions that are open, and of which these are the axes.
void Project(const TensorFactors& tensor, std::span<const AxisList> dims, const Rule& rule,
             TensorProjection& projection);

// The sharding that the projection stands for. What would not be in one piece is left out.
Sharding Unproject(const TensorProjection& projection, const TensorFactors& tensor,
                   const Rule& rule, const MeshRef& mesh, ReductionOp reduction);

enum Direction : uint8_t { kNowhere = 0, kForward = 1, kBackward = 2, kBothWays = 3 };

// Along which factors shardings go, and where to.
struct FactorDirections {
  Direction passing = kNowhere;  // those that pass through
  Direction others = kNowhere;

  Direction Of(const Factor& factor) const {
    if (factor.is_blocked) return kNowhere;
    return factor.kind == FactorKind::kPassThrough ? passing : others;
  }
  friend bool operator==(const FactorDirections&, const FactorDirections&) = default;
};

struct ProjectedOp {
  std::span<TensorProjection> operands, results;
};

// Adds to each tensor, along each factor in its direction, the axes of the others that fit. Where
// they do not fit together, those of the larger tensor win.
void PropagateFactors(const ProjectedOp& op, const Rule& rule, bool is_elementwise,
                      FactorDirections directions);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PROJECTION_H_

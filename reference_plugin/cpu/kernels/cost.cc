// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/cost.h"

#include <algorithm>
#include <cstdlib>

#include "reference_plugin/compiler/ir/op_work.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;

// One element moved, when its neighbours in memory do not come along.
constexpr double kStridedNs = 0.7;
constexpr double kFarNs = 1.5;  // every element in a cache line of its own
constexpr double kGatheredNs = 0.5;

double MoveNs(const LinearForm& form, size_t dimension, int64_t bytes) {
  const int64_t stride = std::abs(form.coefficients[dimension]);
  if (stride == 0 || stride == bytes) return kContiguousNs;
  return stride < 64 ? kStridedNs : kFarNs;
}

// Elements moved and computed per point of the over-reduced phases, with the tiles lying along
// `dimension`; `steps` counts routine calls.
double OverReducedNs(const Kernel& kernel, const Domain& domain, size_t dimension, double* calls) {
  double ns = 0;
  for (const Phase& phase : kernel.body.phases) {
    if (!phase.over_reduced) continue;
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kInput) {
        ns +=
            MoveNs(domain.forms[static_cast<size_t>(node.index)], dimension, ByteSize(node.dtype));
      } else if (node.kind == NodeKind::kOp || node.kind == NodeKind::kGathered) {
        ns += node.kind == NodeKind::kOp ? ElementNs(node) : kGatheredNs;
        *calls += 1;
      }
    }
    for (const compiler::Store& store : phase.stores) {
      ns += MoveNs(domain.forms[kernel.shape.inputs.size() + static_cast<size_t>(store.output)],
                   dimension,
                   ByteSize(kernel.shape.outputs[static_cast<size_t>(store.output)].dtype));
      *calls += 1;
    }
    for (const compiler::Reduction& reduction : phase.reductions) {
      ns += 0.1 * static_cast<double>(reduction.combiner.nodes.size());
      *calls += static_cast<double>(reduction.combiner.nodes.size());
    }
  }
  return ns;
}

double CombinerOps(const Kernel& kernel) {
  double ops = 0;
  for (const Phase& phase : kernel.body.phases) {
    for (const compiler::Reduction& reduction : phase.reductions) {
      ops += static_cast<double>(reduction.combiner.nodes.size());
    }
  }
  return ops;
}

double CeilDivide(int64_t a, int64_t b) {
  const int64_t quotient = (a + b - 1) / b;
  return static_cast<double>(quotient);
}

}  // namespace

double ElementNs(const Node& node) {
  const double width = static_cast<double>(std::max<int64_t>(1, ByteSize(node.dtype))) / 4;
  switch (compiler::WorkOf(node.opcode)) {
    case compiler::OpWork::kFunction:
    case compiler::OpWork::kRemainder:
      return 0.8 * width * width;
    case compiler::OpWork::kDivision:
    case compiler::OpWork::kRoot:
      return 0.3 * width * width;
    case compiler::OpWork::kNone:
    case compiler::OpWork::kSimple:
      break;
  }
  return 0.07 * width;
}

double LanesParallelNs(const Kernel& kernel, const Domain& domain, int64_t capacity) {
  const double points =
      static_cast<double>(domain.parallel_points) * static_cast<double>(domain.reduced_points);
  double calls = 0;
  // Without parallel dimensions each tile is one element, and the next one is the next tile's.
  const size_t rank =
      domain.num_parallel > 0 ? static_cast<size_t>(domain.num_parallel) : domain.extents.size();
  const double ns = rank == 0 ? 0 : OverReducedNs(kernel, domain, rank - 1, &calls);
  const double tiles =
      CeilDivide(domain.parallel_points, capacity) * static_cast<double>(domain.reduced_points);
  return points * ns + tiles * (kStepNs + calls * kCallNs);
}

double LanesReducedNs(const Kernel& kernel, const Domain& domain, int64_t capacity) {
  const double points =
      static_cast<double>(domain.parallel_points) * static_cast<double>(domain.reduced_points);
  double calls = 0;
  const double ns = OverReducedNs(kernel, domain, domain.extents.size() - 1, &calls);
  const double rows = static_cast<double>(domain.parallel_points);
  const double tiles = rows * CeilDivide(domain.reduced_points, capacity);
  double folds = 1;
  for (int64_t lanes = std::min(domain.reduced_points, capacity); lanes > 1; lanes /= 2) ++folds;
  return points * ns + tiles * (kStepNs + calls * kCallNs) +
         rows * (2 * kStepNs + folds * CombinerOps(kernel) * kCallNs);
}

double LanesBothNs(const Kernel& kernel, const Domain& domain, int64_t capacity) {
  const double points =
      static_cast<double>(domain.parallel_points) * static_cast<double>(domain.reduced_points);
  double calls = 0;
  const double ns =
      OverReducedNs(kernel, domain, static_cast<size_t>(domain.num_parallel) - 1, &calls);
  const int64_t rows = capacity / domain.parallel_points;
  double folds = 0;
  for (int64_t left = rows; left > 1; left /= 2) ++folds;
  return points * ns + CeilDivide(domain.reduced_points, rows) * (kStepNs + calls * kCallNs) +
         folds * CombinerOps(kernel) * kCallNs;
}

double PointNs(const Kernel& kernel, bool over_reduced) {
  double ns = 0;
  for (const Phase& phase : kernel.body.phases) {
    if (phase.over_reduced != over_reduced) continue;
    for (const Node& node : phase.nodes) {
      ns += node.kind == NodeKind::kOp         ? ElementNs(node)
            : node.kind == NodeKind::kGathered ? kGatheredNs
                                               : kContiguousNs;
    }
    ns += 0.15 * static_cast<double>(phase.stores.size());
    for (const compiler::Reduction& reduction : phase.reductions) {
      ns += 0.1 * static_cast<double>(reduction.combiner.nodes.size());
    }
  }
  return ns;
}

}  // namespace plinth::cpu::kernels

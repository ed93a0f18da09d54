// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/cost.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "reference_plugin/compiler/ir/op_work.h"
#include "reference_plugin/cpu/emit/piece.h"
#include "reference_plugin/cpu/emit/row.h"
#include "reference_plugin/cpu/emit/vector_code.h"
#include "reference_plugin/cpu/kernels/extremes.h"
#include "reference_plugin/cpu/kernels/routine.h"
#include "reference_plugin/cpu/kernels/tile_space.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;

// One element moved, when its neighbours in memory do not come along. Zen 5, rows of 5 to 12 and of
// 32 f32 along the lanes: 0.2 to 0.4 and 0.6 ns.
constexpr double kStridedNs = 0.4;
constexpr double kFarNs = 0.8;  // every element in a cache line of its own
// One run of neighbours that is copied into a tile. Sapphire Rapids, sums over the middle of 100 x
// 1,000 x 10 f32: 2.6.
constexpr double kRunNs = 2;
constexpr double kGatheredNs = 0.5;
// One op of a combiner.
constexpr double kCombinedNs = 0.1;

// The dimensions of a tile's lanes: the last one, and that outside of it.
struct Along {
  size_t dimension = 0;
  std::optional<size_t> outside;
};

double MoveNs(const Domain& domain, const LinearForm& form, Along along, int64_t bytes) {
  const int64_t step = form.coefficients[along.dimension], stride = std::abs(step);
  if (stride != 0 && stride != bytes) return stride < 64 ? kStridedNs : kFarNs;
  const int64_t extent = domain.extents[along.dimension];
  if (!along.outside.has_value() || form.coefficients[*along.outside] == step * extent) {
    return kContiguousNs;
  }
  return extent < kShortestRow ? kStridedNs : kContiguousNs + kRunNs / static_cast<double>(extent);
}

// The routine calls that combine elements of one reduction; `number` counts those of the kernel.
double CombinerOps(const Kernel& kernel, const Phase& phase, const compiler::Reduction& reduction,
                   int32_t number) {
  if (FindExtremesOf(kernel, phase, reduction, number).of_lanes != nullptr) return 1;
  return static_cast<double>(reduction.combiner.nodes.size());
}

// The same of all reductions of phases that are over reduced points or not.
double CombinerOps(const Kernel& kernel, bool over_reduced) {
  double ops = 0;
  int32_t number = 0;
  for (const Phase& phase : kernel.body.phases) {
    for (const compiler::Reduction& reduction : phase.reductions) {
      const double these = CombinerOps(kernel, phase, reduction, number++);
      if (phase.over_reduced == over_reduced) ops += these;
    }
  }
  return ops;
}

// Elements moved and computed per point of the over-reduced phases, with the tiles lying so;
// `calls` counts routine calls.
double OverReducedNs(const Kernel& kernel, const Domain& domain, Along along, double* calls) {
  double ns = 0;
  for (const Phase& phase : kernel.body.phases) {
    if (!phase.over_reduced) continue;
    for (const Node& node : phase.nodes) {
      if (node.kind == NodeKind::kInput) {
        ns += MoveNs(domain, domain.forms[static_cast<size_t>(node.index)], along,
                     ByteSize(node.dtype));
      } else if (node.kind == NodeKind::kOp || node.kind == NodeKind::kGathered) {
        ns += node.kind == NodeKind::kOp ? ElementNs(node) : kGatheredNs;
        *calls += 1;
      }
    }
    for (const compiler::Store& store : phase.stores) {
      ns += MoveNs(domain,
                   domain.forms[kernel.shape.inputs.size() + static_cast<size_t>(store.output)],
                   along, ByteSize(kernel.shape.outputs[static_cast<size_t>(store.output)].dtype));
      *calls += 1;
    }
  }
  const double ops = CombinerOps(kernel, /*over_reduced=*/true);
  *calls += ops;
  return ns + kCombinedNs * ops;
}

double CeilDivide(int64_t a, int64_t b) {
  const int64_t quotient = (a + b - 1) / b;
  return static_cast<double>(quotient);
}

// One phase of a row in machine code. Zen 5, rows of 12 and of 16 f32: sums 1.5 and 2.2 ns, softmax
// (three phases) 7, layer norm 4.
constexpr double kRowPhaseNs = 1.5;
// A shorter row takes as long: most of its registers' lanes are empty.
constexpr int64_t kFewestLanes = 8;

bool IsOfLanes(DType type) { return emit::IsLaneType(emit::LaneTypeOf(type)); }

// Whether machine code knows the phases of a row, where there is machine code (row_code.h). It says
// how a kernel is cut, so it is asked of the kernel, not of the machine.
bool AreRowsCode(const Kernel& kernel, const Domain& domain) {
  if (static_cast<int32_t>(domain.extents.size()) != domain.num_parallel + 1) return false;
  const auto is_dense = [&](const Node& node) {
    const int64_t stride = domain.forms[static_cast<size_t>(node.index)].coefficients.back();
    return kernel.shape.inputs[static_cast<size_t>(node.index)].bounds.empty() &&
           (stride == 0 || stride == ByteSize(node.dtype));
  };
  for (const Phase& phase : kernel.body.phases) {
    if (!phase.over_reduced) continue;
    for (const Node& node : phase.nodes) {
      if (!IsOfLanes(node.dtype) || node.kind == NodeKind::kGathered) return false;
      if (node.kind == NodeKind::kInput && !is_dense(node)) return false;
      if (node.kind != NodeKind::kOp || node.num_operands == 0) continue;
      const size_t first = node.opcode == compiler::Opcode::kSelect ? 1 : 0;
      const DType operand = phase.nodes[static_cast<size_t>(node.operands[first])].dtype;
      if (!IsOfLanes(operand) || !emit::CanEmit(node, operand)) return false;
    }
    for (const compiler::Reduction& reduction : phase.reductions) {
      const Node* const op = CommutativeOp(reduction.combiner);
      if (op == nullptr || !emit::CanReduce(op->opcode, math::TileTypeOf(op->dtype))) return false;
    }
  }
  return true;
}

// The extreme element of a row that is found where it lies in memory
// (PhaseProgram::accumulates_runs).
constexpr double kRowExtremeNs = 12;

bool AreRowsExtremes(const Kernel& kernel, const Domain& domain) {
  if (static_cast<int32_t>(domain.extents.size()) != domain.num_parallel + 1) return false;
  int32_t number = 0;
  for (const Phase& phase : kernel.body.phases) {
    for (const compiler::Reduction& reduction : phase.reductions) {
      if (FindExtremesOf(kernel, phase, reduction, number++).of_row == nullptr) return false;
      const Node& value = phase.nodes[static_cast<size_t>(reduction.inputs[0])];
      if (value.kind != NodeKind::kInput || math::TileTypeOf(value.dtype) != value.dtype ||
          domain.forms[static_cast<size_t>(value.index)].coefficients.back() !=
              ByteSize(value.dtype)) {
        return false;
      }
    }
  }
  return number == 1;
}

double RowPhases(const Kernel& kernel) {
  return static_cast<double>(std::count_if(kernel.body.phases.begin(), kernel.body.phases.end(),
                                           [](const Phase& phase) { return phase.over_reduced; }));
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

// An LSTM's cell, 16 rows of 128 f32 in eight arrays of rows of 512: 6.2 us by fours, 5.0 one by
// one on an Emerald Rapids Xeon.
bool AreRowsTiles(const Kernel& kernel, const Domain& domain) {
  const size_t rank = domain.extents.size();
  if (rank < 2) return false;
  const int64_t extent = domain.extents[rank - 1];
  double apart = 0;
  bool has_ops = false;
  const auto count = [&](const compiler::Access& access, const LinearForm& form) {
    const int64_t step = form.coefficients[rank - 1], next = form.coefficients[rank - 2];
    if (step != 0 && step != ByteSize(access.dtype)) return false;
    if (step != 0 && next != 0 && next != step * extent) ++apart;
    return access.bounds.empty() && access.value_offsets.empty();
  };
  const compiler::KernelShape& shape = kernel.shape;
  for (size_t i = 0; i < shape.inputs.size(); ++i) {
    if (!count(shape.inputs[i], domain.forms[i])) return false;
  }
  for (size_t o = 0; o < shape.outputs.size(); ++o) {
    if (!count(shape.outputs[o], domain.forms[shape.inputs.size() + o])) return false;
  }
  for (const Phase& phase : kernel.body.phases) {
    for (const Node& node : phase.nodes) {
      if (node.kind != NodeKind::kOp) continue;
      const size_t typed = node.opcode == compiler::Opcode::kSelect ? 1 : 0;
      const DType operand = phase.nodes[static_cast<size_t>(node.operands[typed])].dtype;
      if (!emit::CanEmit(node, operand)) return false;
      has_ops = true;
    }
  }
  const double run_ns = kRunNs + kContiguousNs * static_cast<double>(extent);
  // Twice: the code's loop over vectors begins anew, too.
  return has_ops && apart * run_ns > 2 * (kStepNs + kCallNs);
}

double LanesParallelNs(const Kernel& kernel, const Domain& domain, int64_t capacity) {
  const double points =
      static_cast<double>(domain.parallel_points) * static_cast<double>(domain.reduced_points);
  double calls = 0;
  // Without parallel dimensions each tile is one element, and the next one is the next tile's.
  const size_t rank =
      domain.num_parallel > 0 ? static_cast<size_t>(domain.num_parallel) : domain.extents.size();
  Along along = {rank == 0 ? 0 : rank - 1, std::nullopt};
  if (domain.num_parallel > 1) along.outside = rank - 2;
  const double ns = rank == 0 ? 0 : OverReducedNs(kernel, domain, along, &calls);
  const double tiles =
      CeilDivide(domain.parallel_points, capacity) * static_cast<double>(domain.reduced_points);
  return points * ns + tiles * (kStepNs + calls * kCallNs);
}

double LanesReducedNs(const Kernel& kernel, const Domain& domain, int64_t capacity) {
  const double points =
      static_cast<double>(domain.parallel_points) * static_cast<double>(domain.reduced_points);
  double calls = 0;
  const double ns =
      OverReducedNs(kernel, domain, {domain.extents.size() - 1, std::nullopt}, &calls);
  const double rows = static_cast<double>(domain.parallel_points);
  if (AreRowsCode(kernel, domain)) {
    const int64_t lanes = std::max(kFewestLanes, domain.reduced_points);
    return rows * (static_cast<double>(lanes) * ns + kRowPhaseNs * RowPhases(kernel));
  }
  if (AreRowsExtremes(kernel, domain)) return points * ns + rows * kRowExtremeNs;
  const double tiles = rows * CeilDivide(domain.reduced_points, capacity);
  double folds = 1;
  for (int64_t lanes = std::min(domain.reduced_points, capacity); lanes > 1; lanes /= 2) ++folds;
  return points * ns + tiles * (kStepNs + calls * kCallNs) +
         rows * (2 * kStepNs + folds * CombinerOps(kernel, /*over_reduced=*/true) * kCallNs);
}

double LanesBothNs(const Kernel& kernel, const Domain& domain, const RowOfBoth& row,
                   int64_t capacity) {
  const double points =
      static_cast<double>(domain.parallel_points) * static_cast<double>(domain.reduced_points);
  double calls = 0;
  const auto last = static_cast<size_t>(domain.num_parallel) - 1;
  const bool is_one = row.first == domain.num_parallel - 1;  // dimension
  const Along along = {last, is_one ? domain.extents.size() - 1 : last - 1};
  const double ns = OverReducedNs(kernel, domain, along, &calls);
  const int64_t reduced = capacity / row.points;
  double folds = 0, reductions = 0;
  for (int64_t left = std::min(reduced, domain.reduced_points); left > 1; left /= 2) ++folds;
  for (const Phase& phase : kernel.body.phases) {
    reductions += static_cast<double>(phase.reductions.size());
  }
  const int64_t rows = domain.parallel_points / row.points;
  return points * ns + static_cast<double>(rows) *
                           (static_cast<double>(CeilDivide(domain.reduced_points, reduced)) *
                                (kStepNs + calls * kCallNs) +
                            2 * kStepNs + folds * reductions * kCallNs);
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
  }
  return ns + kCombinedNs * CombinerOps(kernel, over_reduced);
}

}  // namespace plinth::cpu::kernels

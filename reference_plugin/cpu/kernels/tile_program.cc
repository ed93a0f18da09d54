// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/tile_program.h"

#include <algorithm>

#include "reference_plugin/cpu/kernels/cost.h"
#include "reference_plugin/cpu/kernels/program_builder.h"
#include "reference_plugin/cpu/kernels/routine.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;
using compiler::Reduction;

int64_t WidestTileElement(const Kernel& kernel) {
  size_t widest = 1;
  for (const Phase& phase : kernel.body.phases) {
    for (const Node& node : phase.nodes) {
      widest = std::max(widest, math::TileElementBytes(node.dtype));
    }
    for (const Reduction& reduction : phase.reductions) {
      for (const Node& node : reduction.combiner.nodes) {
        widest = std::max(widest, math::TileElementBytes(node.dtype));
      }
    }
  }
  return static_cast<int64_t>(widest);
}

// Rows along the lanes are run one by one, the phases once per point when all rows of a tile are
// done. What a row needs of such a phase it computes itself, so that must be the same for the row.
bool RowsAreIndependent(const Kernel& kernel) {
  size_t last = 0;  // phase over reduced points
  for (size_t p = 0; p < kernel.body.phases.size(); ++p) {
    if (kernel.body.phases[p].over_reduced) last = p;
  }
  const size_t num_parallel = static_cast<size_t>(kernel.shape.num_parallel);
  auto is_zero = [&](const compiler::Dims& coefficients) {
    return std::all_of(coefficients.begin() + kernel.shape.num_parallel, coefficients.end(),
                       [](int64_t coefficient) { return coefficient == 0; });
  };
  for (size_t p = 0; p < last; ++p) {
    if (kernel.body.phases[p].over_reduced) continue;
    for (const Node& node : kernel.body.phases[p].nodes) {
      if (node.kind == NodeKind::kIota && static_cast<size_t>(node.index) >= num_parallel) {
        return false;
      }
      // Its lanes are those of a tile.
      if (node.kind == NodeKind::kGathered) return false;
      if (node.kind != NodeKind::kInput) continue;
      const compiler::Access& access = kernel.shape.inputs[static_cast<size_t>(node.index)];
      if (!is_zero(access.byte_strides)) return false;
      for (const compiler::Bound& bound : access.bounds) {
        if (!is_zero(bound.coefficients)) return false;
      }
    }
  }
  return true;
}

// What one tile of such parallel points may keep of all reduced ones: it is read like another
// operand.
constexpr int64_t kMostBytesOfBoth = 4 << 20;

// All points of the last parallel dimensions for two reduced points at least fit into a tile, whose
// lanes are combined with those of the next and at last among themselves.
bool CanTakeBoth(const Kernel& kernel, const Domain& domain, const RowOfBoth& row, int64_t widest,
                 int64_t capacity) {
  if (domain.parallel_points == 0 || row.points * 2 > capacity) return false;
  int64_t kept = 0;  // values of all points
  for (const Phase& phase : kernel.body.phases) {
    for (const Reduction& reduction : phase.reductions) {
      ReductionProgram combined;
      if (!FindCommutative(reduction.combiner, &combined).ok() || combined.commutative == nullptr) {
        return false;
      }
    }
    for (const Node& node : phase.nodes) {
      if (node.kind != NodeKind::kRow) continue;
      if (!kernel.body.phases[static_cast<size_t>(node.index)].over_reduced) continue;
      if (!phase.over_reduced) return false;
      ++kept;
    }
  }
  return kept == 0 || row.points * domain.reduced_points <= kMostBytesOfBoth / (kept * widest);
}

// Whether each reduced point is only read and accumulated.
bool OnlyAccumulates(const Kernel& kernel) {
  for (const Phase& phase : kernel.body.phases) {
    if (!phase.over_reduced) continue;
    if (!phase.stores.empty()) return false;
    for (const Node& node : phase.nodes) {
      if (node.kind != NodeKind::kInput && node.kind != NodeKind::kConstant) return false;
    }
  }
  return true;
}

// Accumulators of so many bytes stay in the nearest cache while rows pass by, of which longer
// pieces come faster from memory. Worth it where there is memory to read: 1 ms.
constexpr int64_t kLongTileBytes = 16 << 10;
constexpr double kLongNs = 1e6;
// Bytes that the row buffers of one tile of the parallel space may take.
constexpr int64_t kRowBytes = 128 << 10;
// Points that one tile of the parallel space stands for when rows lie along the lanes.
constexpr int64_t kPointsPerBlock = 16 << 10;

}  // namespace

Expected<std::unique_ptr<TileProgram>> MakeTileProgram(const Kernel& kernel) {
  bool over_reduced = false, commutative = true;
  int64_t row_values = 0;
  for (const Phase& phase : kernel.body.phases) {
    over_reduced = over_reduced || phase.over_reduced;
    for (const Reduction& reduction : phase.reductions) {
      commutative = commutative && CommutativeOp(reduction.combiner) != nullptr;
    }
    for (const Node& node : phase.nodes) {
      // What phases of points give is one value a row.
      row_values += node.kind == NodeKind::kRow &&
                    kernel.body.phases[static_cast<size_t>(node.index)].over_reduced;
    }
  }
  auto program = std::make_unique<TileProgram>();
  program->domain = SimplifyDomain(kernel, commutative);
  const Domain& domain = program->domain;
  const int32_t rank = static_cast<int32_t>(domain.extents.size());

  const int64_t widest = WidestTileElement(kernel);
  const int64_t capacity = kTileBytes / widest;
  int64_t parallel_capacity = capacity;
  if (row_values > 0 && domain.reduced_points > 0) {
    const int64_t lanes = kRowBytes / (row_values * widest) / domain.reduced_points;
    parallel_capacity = std::clamp<int64_t>(lanes / 16 * 16, 16, capacity);
  }
  double over_reduced_ns = over_reduced ? LanesParallelNs(kernel, domain, parallel_capacity) : 0;
  const auto choose = [&](Lanes lanes, double ns) {
    if (ns >= over_reduced_ns) return;
    over_reduced_ns = ns;
    program->lanes = lanes;
  };
  RowOfBoth both;
  if (over_reduced && domain.reduced_points > 1 && RowsAreIndependent(kernel)) {
    choose(Lanes::kReduced, LanesReducedNs(kernel, domain, capacity));
    RowOfBoth row;
    for (row.first = domain.num_parallel - 1; row.first >= 0; --row.first) {
      row.points *= domain.extents[static_cast<size_t>(row.first)];
      if (!CanTakeBoth(kernel, domain, row, widest, capacity)) break;
      const double ns = LanesBothNs(kernel, domain, row, capacity);
      if (ns < over_reduced_ns) both = row;
      choose(Lanes::kBoth, ns);
    }
  }
  const bool rows = program->lanes == Lanes::kReduced;
  if (program->lanes == Lanes::kBoth) parallel_capacity = both.points;
  if (rows) {
    parallel_capacity = std::clamp<int64_t>(kPointsPerBlock / domain.reduced_points, 1, capacity);
  }
  if (program->lanes == Lanes::kParallel && over_reduced_ns >= kLongNs && OnlyAccumulates(kernel)) {
    parallel_capacity = kLongTileBytes / widest;
  }
  if (!over_reduced && AreRowsTiles(kernel, domain)) {
    parallel_capacity = std::clamp<int64_t>(domain.extents.back(), 1, capacity);
  }
  program->parallel = MakeTileSpace(domain, 0, domain.num_parallel, parallel_capacity);
  if (!rows) {
    BlockRows(kernel.shape.inputs.size() + kernel.shape.outputs.size(), !over_reduced,
              &program->parallel);
  }
  program->reduced = program->lanes == Lanes::kBoth
                         ? MakeTileSpaceOfBoth(domain, both.first, capacity)
                         : MakeTileSpace(domain, domain.num_parallel, rank, rows ? capacity : 1);
  if (program->lanes == Lanes::kBoth) program->row_lanes = both.points;
  program->max_lanes = std::max(program->parallel.max_lanes, program->reduced.max_lanes);
  program->tile_ns =
      kStepNs + static_cast<double>(program->parallel.max_lanes) *
                    (PointNs(kernel, false) +
                     PointNs(kernel, true) * static_cast<double>(domain.reduced_points));
  if (over_reduced) {
    program->tile_ns +=
        over_reduced_ns / static_cast<double>(std::max<int64_t>(1, program->parallel.num_tiles));
  }

  PLINTH_RETURN_IF_ERROR(ProgramBuilder(kernel, widest, program.get()).Build());
  return program;
}

}  // namespace plinth::cpu::kernels

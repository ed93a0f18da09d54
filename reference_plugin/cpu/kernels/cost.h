// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_COST_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_COST_H_

#include <cstdint>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/domain.h"

// Rough times, in nanoseconds on one core. They decide how a kernel is cut, so they depend on its
// shape and types only.
namespace plinth::cpu::kernels {

// One routine call on a tile, whatever its size.
inline constexpr double kCallNs = 6;
// One element moved, when its neighbours in memory come along. Constants count as such, too.
inline constexpr double kContiguousNs = 0.1;
// Walking to the next tile or row.
inline constexpr double kStepNs = 15;

// The parallel points of a row of Lanes::kBoth: those of the last parallel dimensions.
struct RowOfBoth {
  int32_t first = 0;  // of these dimensions
  int64_t points = 1;
};

// One element of an op.
double ElementNs(const compiler::Node& node);

// What the over-reduced phases cost when the tiles lie along the parallel dimensions, the reduced
// ones, or both, in tiles of at most `capacity` points.
double LanesParallelNs(const compiler::Kernel& kernel, const Domain& domain, int64_t capacity);
double LanesReducedNs(const compiler::Kernel& kernel, const Domain& domain, int64_t capacity);
double LanesBothNs(const compiler::Kernel& kernel, const Domain& domain, const RowOfBoth& row,
                   int64_t capacity);

// Whether a tile of one row costs less than one of several, where no phase is over reduced points:
// machine code reads and writes a row where it lies, and rows that lie apart (a slice of gates) are
// copied otherwise.
bool AreRowsTiles(const compiler::Kernel& kernel, const Domain& domain);

// All phases, once the lanes are chosen.
double PointNs(const compiler::Kernel& kernel, bool over_reduced);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_COST_H_

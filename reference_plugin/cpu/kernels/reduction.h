// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_REDUCTION_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_REDUCTION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "plinth/support/small_vector.h"
#include "reference_plugin/cpu/math/extremes.h"
#include "reference_plugin/cpu/math/first_extreme.h"
#include "reference_plugin/cpu/math/partials.h"
#include "reference_plugin/cpu/math/tile_functions.h"

// Combining tiles into accumulators.
//
// Elements are combined in index order. Only where the combiner is one op that commutes, or selects
// an element whatever the order, are they combined in another: lane by lane first, then the lanes,
// halving them. Which order that is depends on shape and type alone. The lanes are those of a tile;
// where a row becomes one element and the op is a common one, those of a few registers.
namespace plinth::cpu::kernels {

// One routine on tiles. Operands are slots; an operand that the routine does not have is slot 0.
struct Instruction {
  math::TileFunction function = nullptr;
  int32_t result = 0, a = 0, b = 0, c = 0;
  math::TileParameters parameters;
};

inline void Execute(const std::vector<Instruction>& code, std::byte* const* slots, int64_t lanes) {
  for (const Instruction& instruction : code) {
    instruction.function(slots[instruction.result], slots[instruction.a], slots[instruction.b],
                         slots[instruction.c], static_cast<size_t>(lanes), instruction.parameters);
  }
}

struct ReductionProgram {
  struct Component {
    int64_t tile_bytes = 0;  // of one element
    int32_t value = 0;       // slot: what this tile contributes
    int32_t initial = 0;     // slot, one value for all lanes
    int32_t accumulator = 0;
    // Of a general combiner: its parameters (set while running) and its result.
    int32_t left = 0, right = 0, result = 0;
    int32_t even = 0, odd = 0;  // registers for neighbours that are combined, Lanes::kReduced
  };
  SmallVector<Component, 2> components;
  // The combiner is this one op, which commutes. `finish` rounds, once, at the end.
  math::TileFunction commutative = nullptr;
  compiler::Opcode opcode = compiler::Opcode::kAdd;  // of `commutative`
  DType type = DType::kInvalid;                      // the same
  math::TileFunction finish = nullptr;
  math::Partials partials;  // may be none
  // The reduction is an argmax or argmin: of components 0 and 1.
  math::ExtremesFunction extremes = nullptr;
  // Of Lanes::kReduced: its tiles have the points of a row in order, so that the index of the first
  // says those of all others.
  math::FirstExtremeFunction first_extreme = nullptr;
  // Otherwise.
  std::vector<Instruction> combiner;
};

// accumulator = accumulator combined with the tile's value, lane by lane; the value itself if
// `first`.
void AccumulateLanes(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                     bool first);

// The same with all lanes of the tile reduced to one: what lane 0 of the accumulator holds after
// FoldLanes. `lanes` never grows from one tile of a row to the next.
void AccumulateRow(const ReductionProgram& reduction, std::byte** slots, int64_t lanes, bool first);
void FoldLanes(const ReductionProgram& reduction, std::byte** slots, int64_t first_lanes);

// Both for each of some rows whose values lie in memory, `stride` bytes apart: results[c] gets
// component c of all. For reductions that TileProgram::reduces_rows.
void ReduceRows(const ReductionProgram& reduction, std::span<std::byte* const> results,
                const std::byte* values, int64_t stride, int64_t rows, int64_t count);

// Combines groups of `lanes` lanes, of which the tile that was accumulated first had several, to
// one group. The reduction is commutative.
void FoldGroups(const ReductionProgram& reduction, std::byte** slots, int64_t first_lanes,
                int64_t lanes);

// accumulator = accumulator combined with the elements at record + offsets[c], for component c.
void AccumulatePartial(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                       const std::byte* record, const int64_t* offsets);

// accumulator = initial combined with accumulator, or the initial value if nothing was reduced.
void FinishReduction(const ReductionProgram& reduction, std::byte** slots, int64_t lanes,
                     bool empty);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_REDUCTION_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_WORKER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_WORKER_H_

#include <cstdint>

#include "reference_plugin/cpu/kernels/emitted_code.h"
#include "reference_plugin/cpu/kernels/split_run.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

namespace plinth::cpu::kernels {

// One thread's run through some tiles of a program. Cheap to make; no allocation.
class TileWorker {
 public:
  // `frame`: program.frame.size() bytes. `start`: the values of the program's forms at the first
  // point; those of inputs and outputs are addresses.
  // `emitted`, unless null, runs in place of the program's instructions. `past_cache`: outputs are
  // written so; the last call is to be followed by a StoreFence.
  TileWorker(const TileProgram& program, const EmittedCode* emitted, bool past_cache,
             std::byte* frame, const int64_t* start);

  // Tiles [begin, end) of the parallel space, all phases.
  void RunTiles(int64_t begin, int64_t end);

  // The parts of a run whose reduced dimensions are shared out as well (see Split).

  // Where row buffers are, if not in the frame.
  void set_rows(std::byte* rows) { rows_ = rows; }
  // Runs one phase on tiles [begin, end) of the reduced space and leaves in `partial` what its
  // reductions accumulated. The results of earlier phases are read from `record`.
  void RunPartial(const Split& split, int64_t group, size_t phase, int64_t begin, int64_t end,
                  const std::byte* record, std::byte* partial);
  // Combines the partial records of one group in their order.
  void CombinePartials(const Split& split, size_t phase, const std::byte* partials,
                       std::byte* record);
  // The phases once per parallel point, from the records of all groups.
  void RunPointPhases(const Split& split, const std::byte* records);

 private:
  void RunParallelTile(const int64_t* values, int64_t lanes);
  void RunRows(const int64_t* values, int64_t lanes);
  void ReduceRows(const int64_t* values, int64_t lanes);
  void RunRow(const int64_t* values, int64_t lane);
  void SetRowValues(const int64_t* values, int64_t lane);
  void RunPointPhasesOfTile(const int64_t* values, int64_t lanes);
  void RunRowPhase(const PhaseProgram& phase, const int64_t* values);
  void StartRow(const PhaseProgram& phase, const int64_t* values);
  void Accumulate(const ReductionProgram& reduction, int64_t lanes, bool first);
  void FoldRow(const ReductionProgram& reduction, int64_t first_lanes);
  void RunReducedSteps(const PhaseProgram& phase, const int64_t* values, int64_t lanes);
  // Computes and accumulates tiles [begin, end) of the reduced space; `lanes` are those of the
  // parallel tile, which rows do not read. Answers the lanes of the first.
  int64_t RunReducedTiles(const PhaseProgram& phase, const int64_t* values, int64_t lanes,
                          int64_t begin, int64_t end);
  // Everything a tile computes; then the reductions take their share; then outputs are written,
  // which may lie over inputs.
  void ComputeTile(const PhaseProgram& phase, const int64_t* values, int64_t lanes, int64_t step);
  void StoreOutputs(const PhaseProgram& phase, const int64_t* values, int64_t lanes);
  void RunLoads(const std::vector<LoadStep>& loads, const int64_t* values, int64_t lanes);
  // One row of a block of them, in memory form; reads the block if it is not there.
  std::byte* BlockRow(const LoadStep& step, const int64_t* values, int64_t lanes);
  void RunIota(const IotaStep& step, const int64_t* values, int64_t lanes);

  const TileProgram& program_;
  const EmittedCode* const emitted_;
  const bool past_cache_;
  std::byte* frame_;
  std::byte* rows_;
  std::byte** slots_;
  int64_t* caches_;
  std::byte* staging_;
  const int64_t* start_;
  int64_t* row_values_;
  TileCursor parallel_, reduced_;
  RowCode::Pointers row_pointers_;  // of the emitted row, if there is one
};

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_WORKER_H_

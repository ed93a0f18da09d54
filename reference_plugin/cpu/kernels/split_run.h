// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_SPLIT_RUN_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_SPLIT_RUN_H_

#include <cstdint>
#include <vector>

#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/cpu/kernels/emitted_code.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

// Kernels with so few parallel points that the reduced dimensions have to be shared out too: a sum
// over a whole array. Phases run one after the other; each reduces chunks, whose results are
// combined in their order. The chunks depend on the shape only.
namespace plinth::cpu::kernels {

// How the work of such a kernel is shared out.
struct Split {
  int64_t groups = 0;       // tiles of the parallel space, or (Lanes::kReduced) its points
  int64_t chunks = 0;       // per group; 0: the kernel is not split
  int64_t chunk_tiles = 0;  // tiles of the reduced space per chunk
  // A record holds what all reductions of the kernel have accumulated, for one group.
  std::vector<int64_t> record_offsets;  // per component of each reduction, in their order
  int64_t record_bytes = 0;
  int64_t record_lanes = 1;

  int64_t scratch_bytes = 0;  // partial records, final records, row buffers
};

Split SplitOf(const TileProgram& program);

// `start` as for TileWorker. RESOURCE_EXHAUSTED, CANCELLED or success.
Status RunSplit(const TileProgram& program, const EmittedCode* emitted, const Split& split,
                const int64_t* start, const backend::RunContext& context);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_SPLIT_RUN_H_

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/split_run.h"

#include <algorithm>
#include <atomic>

#include "reference_plugin/cpu/kernels/worker.h"

namespace plinth::cpu::kernels {
namespace {

// Kernels below this time, or with this many tiles to share out, are not split.
constexpr double kSplitNs = 200e3;
constexpr int64_t kEnoughTiles = 16;
// What one chunk should take, and the most chunks of one group.
constexpr double kChunkNs = 50e3;
constexpr int64_t kMostChunks = 64;

int64_t AlignUp(int64_t bytes) {
  constexpr int64_t kAlignment = static_cast<int64_t>(math::kTileAlignment);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

Split SplitOf(const TileProgram& program) {
  Split split;
  // Rows along the lanes compute what they need of phases once per point.
  bool reduces = false, ordered = true, point_phase_seen = false;
  for (const PhaseProgram& phase : program.phases) {
    reduces = reduces || phase.over_reduced;
    if (phase.over_reduced && point_phase_seen) ordered = program.lanes != Lanes::kParallel;
    point_phase_seen = point_phase_seen || !phase.over_reduced;
  }
  const double ns = program.tile_ns * static_cast<double>(program.parallel.num_tiles);
  if (!reduces || !ordered || ns < kSplitNs || program.parallel.num_tiles >= kEnoughTiles) {
    return split;
  }
  const bool rows = program.lanes == Lanes::kReduced;
  split.groups = program.parallel.num_tiles * (rows ? program.parallel.max_lanes : 1);
  const int64_t tiles = program.reduced.num_tiles;
  const int64_t chunks = std::clamp<int64_t>(
      static_cast<int64_t>(ns / kChunkNs / static_cast<double>(split.groups)), 1, kMostChunks);
  split.chunk_tiles = (tiles + chunks - 1) / chunks;
  // A chunk begins with a full tile: no tile of a row has more lanes than its first.
  if (program.reduced.counts.size() > 1) {
    const int64_t row = program.reduced.counts.back();
    split.chunk_tiles = (split.chunk_tiles + row - 1) / row * row;
  }
  split.chunks = (tiles + split.chunk_tiles - 1) / split.chunk_tiles;
  if (split.chunks < 2) {
    split.chunks = 0;
    return split;
  }
  split.record_lanes = rows ? 1 : program.parallel.max_lanes;
  for (const PhaseProgram& phase : program.phases) {
    for (const ReductionProgram& reduction : phase.reductions) {
      for (const ReductionProgram::Component& component : reduction.components) {
        split.record_offsets.push_back(split.record_bytes);
        split.record_bytes += AlignUp(split.record_lanes * component.tile_bytes);
      }
    }
  }
  split.scratch_bytes =
      split.groups * ((split.chunks + 1) * split.record_bytes + AlignUp(program.rows.size()));
  return split;
}

Status RunSplit(const TileProgram& program, const EmittedCode* emitted, const Split& split,
                const int64_t* start, const backend::RunContext& context) {
  if (static_cast<int64_t>(context.scratch.size()) < split.scratch_bytes) {
    return Internal("a kernel needs ", split.scratch_bytes, " bytes of scratch memory and got ",
                    context.scratch.size());
  }
  std::byte* const partials = context.scratch.data();
  std::byte* const records = partials + split.groups * split.chunks * split.record_bytes;
  std::byte* const rows = records + split.groups * split.record_bytes;
  const int64_t row_bytes = AlignUp(program.rows.size());

  std::atomic<bool> out_of_memory = false, stopped = false;
  auto run_chunks = [&](size_t phase, int64_t begin, int64_t end) {
    std::byte* frame = ThreadFrame(program.frame.size());
    if (frame == nullptr) {
      out_of_memory = true;
      return;
    }
    TileWorker worker(program, emitted, /*past_cache=*/false, frame, start);
    for (int64_t unit = begin; unit < end; ++unit) {
      if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
        stopped = true;
        return;
      }
      const int64_t group = unit / split.chunks, chunk = unit % split.chunks;
      worker.set_rows(rows + group * row_bytes);
      worker.RunPartial(split, group, phase, chunk * split.chunk_tiles,
                        std::min(program.reduced.num_tiles, (chunk + 1) * split.chunk_tiles),
                        records + group * split.record_bytes, partials + unit * split.record_bytes);
    }
  };
  for (size_t p = 0; p < program.phases.size(); ++p) {
    if (!program.phases[p].over_reduced) continue;
    backend::ParallelFor(context.pool, split.groups * split.chunks, 1,
                         [&](int64_t begin, int64_t end) { run_chunks(p, begin, end); });
    std::byte* frame = ThreadFrame(program.frame.size());
    if (frame == nullptr || out_of_memory) {
      return ResourceExhausted("no ", program.frame.size(), " bytes to run a kernel");
    }
    if (stopped) return Status(StatusCode::kCancelled, "a kernel was stopped before its end");
    TileWorker worker(program, emitted, /*past_cache=*/false, frame, start);
    for (int64_t group = 0; group < split.groups; ++group) {
      worker.CombinePartials(split, p, partials + group * split.chunks * split.record_bytes,
                             records + group * split.record_bytes);
    }
  }
  std::byte* frame = ThreadFrame(program.frame.size());
  if (frame == nullptr) {
    return ResourceExhausted("no ", program.frame.size(), " bytes to run a kernel");
  }
  TileWorker worker(program, emitted, /*past_cache=*/false, frame, start);
  worker.set_rows(rows);  // of any group: these phases read no row of another kind of phase
  worker.RunPointPhases(split, records);
  return Status();
}

}  // namespace plinth::cpu::kernels

#include "reference_plugin/cpu/tile/worker.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace plinth::cpu {
namespace {

constexpr int64_t kNoAddress = std::numeric_limits<int64_t>::min();

std::byte* AddressOf(int64_t value) {
  return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(value));
}

int64_t* Values(const TileProgram& program, std::byte* frame, int64_t array) {
  return reinterpret_cast<int64_t*>(frame + program.forms_offset) +
         array * program.parallel.NumForms();
}

}  // namespace

TileWorker::TileWorker(const TileProgram& program, std::byte* frame, const int64_t* start)
    : program_(program),
      frame_(frame),
      slots_(reinterpret_cast<std::byte**>(frame + program.slots_offset)),
      caches_(reinterpret_cast<int64_t*>(frame + program.caches_offset)),
      staging_(frame + program.staging_offset),
      start_(start),
      row_values_(Values(program, frame, 2)),
      parallel_(program.parallel, Values(program, frame, 0), Values(program, frame, 3)),
      reduced_(program.reduced, Values(program, frame, 1),
               Values(program, frame, 3) + program.parallel.counts.size()) {
  const std::vector<int64_t>& offsets = program.frame.slot_offsets();
  for (size_t s = 0; s < offsets.size(); ++s) {
    slots_[s] = frame + std::max<int64_t>(0, offsets[s]);
  }
  std::fill(caches_, caches_ + program.num_caches, kNoAddress);
  const size_t lanes = static_cast<size_t>(program.max_lanes);
  for (const ConstantStep& constant : program.constants) {
    constant.fill(slots_[constant.slot], constant.element.bytes, lanes);
  }
  for (const ScalarStep& scalar : program.scalars) {
    compiler::ScalarBits bits;
    std::memcpy(&bits, AddressOf(start[scalar.form]), scalar.element.memory_bytes);
    const TileElement element = ToTileElement(scalar.element, bits);
    scalar.element.fill_tile(slots_[scalar.slot], element.bytes, lanes);
  }
}

void TileWorker::RunTiles(int64_t begin, int64_t end) {
  parallel_.Seek(start_, begin);
  for (int64_t tile = begin; tile < end; ++tile) {
    if (tile != begin) parallel_.Next();
    RunParallelTile(parallel_.values(), parallel_.lanes());
  }
}

void TileWorker::RunParallelTile(const int64_t* values, int64_t lanes) {
  if (program_.lanes == Lanes::kReduced) RunRows(values, lanes);
  for (const PhaseProgram& phase : program_.phases) {
    if (!phase.over_reduced) {
      ComputeTile(phase, values, lanes, 0);
      StoreOutputs(phase, values, lanes);
    } else if (program_.lanes == Lanes::kParallel) {
      RunReducedSteps(phase, values, lanes);
    }
  }
}

void TileWorker::RunReducedSteps(const PhaseProgram& phase, const int64_t* values, int64_t lanes) {
  const int64_t steps = program_.reduced.num_tiles;
  if (steps > 0) reduced_.Seek(values, 0);
  for (int64_t step = 0; step < steps; ++step) {
    if (step != 0) reduced_.Next();
    ComputeTile(phase, reduced_.values(), lanes, step);
    for (const ReductionProgram& reduction : phase.reductions) {
      AccumulateLanes(reduction, slots_, lanes, step == 0);
    }
    StoreOutputs(phase, reduced_.values(), lanes);
  }
  for (const ReductionProgram& reduction : phase.reductions) {
    FinishReduction(reduction, slots_, lanes, steps == 0);
  }
}

void TileWorker::RunRows(const int64_t* values, int64_t lanes) {
  const size_t num_forms = static_cast<size_t>(program_.parallel.NumForms());
  const int64_t run = program_.parallel.run;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const int64_t row = lane / run, column = lane % run;
    for (size_t f = 0; f < num_forms; ++f) {
      const LaneMap& map = program_.parallel.lanes[f];
      row_values_[f] = values[f] + map.RowOffset(row, run) + column * map.stride;
    }
    for (const PhaseProgram& phase : program_.phases) {
      if (phase.over_reduced) RunRowPhase(phase, row_values_);
    }
    for (const ReducedVector& vector : program_.reduced_vectors) {
      std::memcpy(slots_[vector.vector_slot] + lane * vector.tile_bytes, slots_[vector.scalar_slot],
                  static_cast<size_t>(vector.tile_bytes));
    }
  }
}

void TileWorker::StartRow(const PhaseProgram& phase, const int64_t* values) {
  RunLoads(phase.row_loads, values, 1);
  for (const IotaStep& iota : phase.row_iotas) RunIota(iota, values, 1);
  Execute(phase.row_code, slots_, 1);
  for (const FillStep& fill : phase.row_fills) {
    fill.fill(slots_[fill.to], slots_[fill.from], static_cast<size_t>(program_.reduced.max_lanes));
  }
}

void TileWorker::FoldRow(const PhaseProgram& phase) {
  for (const ReductionProgram& reduction : phase.reductions) {
    FoldLanes(reduction, slots_, program_.reduced.max_lanes);
  }
}

void TileWorker::RunRowPhase(const PhaseProgram& phase, const int64_t* values) {
  StartRow(phase, values);
  const int64_t tiles = program_.reduced.num_tiles;
  reduced_.Seek(values, 0);
  for (int64_t tile = 0; tile < tiles; ++tile) {
    if (tile != 0) reduced_.Next();
    const int64_t lanes = reduced_.lanes();
    ComputeTile(phase, reduced_.values(), lanes, tile);
    for (const ReductionProgram& reduction : phase.reductions) {
      AccumulateRow(reduction, slots_, lanes, tile == 0);
    }
    StoreOutputs(phase, reduced_.values(), lanes);
  }
  FoldRow(phase);
  for (const ReductionProgram& reduction : phase.reductions) {
    FinishReduction(reduction, slots_, 1, /*empty=*/false);
  }
}

void TileWorker::ComputeTile(const PhaseProgram& phase, const int64_t* values, int64_t lanes,
                             int64_t step) {
  for (const RowSlot& row : phase.rows) slots_[row.slot] = frame_ + row.offset + step * row.step;
  for (const DirectTarget& target : phase.targets) {
    slots_[target.slot] = AddressOf(values[target.form]);
  }
  RunLoads(phase.loads, values, lanes);
  for (const IotaStep& iota : phase.iotas) RunIota(iota, values, lanes);
  Execute(phase.code, slots_, lanes);
  for (const RowSave& save : phase.saves) {
    std::memcpy(slots_[save.to], slots_[save.from], static_cast<size_t>(lanes * save.tile_bytes));
  }
}

void TileWorker::StoreOutputs(const PhaseProgram& phase, const int64_t* values, int64_t lanes) {
  for (const StoreStep& store : phase.stores) {
    StoreTile(store.store, values, lanes, slots_[store.slot], staging_);
  }
}

void TileWorker::RunLoads(const std::vector<LoadStep>& loads, const int64_t* values,
                          int64_t lanes) {
  for (const LoadStep& step : loads) {
    const TileLoad& load = step.load;
    if (step.direct && (load.bounds.empty() || CoverageOf(load, values) == Coverage::kAll)) {
      slots_[step.slot] = AddressOf(values[load.form]);
      continue;
    }
    if (step.direct) slots_[step.slot] = frame_ + step.offset;
    if (step.cache >= 0) {
      if (caches_[step.cache] == values[load.form]) continue;
      caches_[step.cache] = values[load.form];
      LoadTile(load, values, program_.max_lanes, slots_[step.slot], staging_);
    } else {
      LoadTile(load, values, lanes, slots_[step.slot], staging_);
    }
  }
}

void TileWorker::RunIota(const IotaStep& step, const int64_t* values, int64_t lanes) {
  const int64_t value = values[step.form];
  std::byte* result = slots_[step.slot];
  if (step.map->linear) {
    step.function(result, value, step.map->stride, static_cast<size_t>(lanes));
    return;
  }
  for (int64_t lane = 0, row = 0; lane < lanes; lane += step.run, ++row) {
    step.function(result + lane * step.tile_bytes, value + step.map->RowOffset(row, step.run),
                  step.map->stride, static_cast<size_t>(std::min(step.run, lanes - lane)));
  }
}

}  // namespace plinth::cpu

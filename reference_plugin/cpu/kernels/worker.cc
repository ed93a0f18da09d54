// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/worker.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "reference_plugin/cpu/kernels/addresses.h"

namespace plinth::cpu::kernels {
namespace {

constexpr int64_t kNoAddress = std::numeric_limits<int64_t>::min();

int64_t* Values(const TileProgram& program, std::byte* frame, int64_t array) {
  return reinterpret_cast<int64_t*>(frame + program.forms_offset) +
         array * program.parallel.NumForms();
}

// By column; null where nobody has one.
std::array<void*, math::kMostColumns> PointersOf(const JointColumns& columns,
                                                 std::byte* const* slots) {
  std::array<void*, math::kMostColumns> pointers;
  for (size_t c = 0; c < columns.slots.size(); ++c) {
    pointers[c] = columns.slots[c] < 0 ? nullptr : slots[columns.slots[c]];
  }
  return pointers;
}

}  // namespace

TileWorker::TileWorker(const TileProgram& program, const EmittedCode* emitted, bool past_cache,
                       std::byte* frame, const int64_t* start)
    : program_(program),
      emitted_(emitted),
      past_cache_(past_cache),
      frame_(frame),
      rows_(frame + program.rows_offset),
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
  if (emitted != nullptr && emitted->row() != nullptr) {
    emitted->row()->SetFixed(frame, rows_, &row_pointers_);
  }
  std::fill(caches_, caches_ + program.num_caches, kNoAddress);
  for (const PhaseProgram& phase : program.phases) {
    for (const GatherStep& step : phase.gathers) new (slots_[step.slot]) TileGather(step.gather);
  }
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
  if (emitted_ != nullptr && emitted_->joins_tiles()) {
    return RunParallelTile(parallel_.values(), program_.parallel.LanesOfTiles(begin, end));
  }
  for (int64_t tile = begin; tile < end; ++tile) {
    if (tile != begin) parallel_.Next();
    if (parallel_.is_outside()) continue;
    RunParallelTile(parallel_.values(), parallel_.lanes());
  }
}

void TileWorker::RunParallelTile(const int64_t* values, int64_t lanes) {
  if (program_.lanes == Lanes::kReduced) {
    RunRows(values, lanes);
    RunPointPhasesOfTile(values, lanes);
    return;
  }
  if (program_.lanes == Lanes::kBoth) {
    for (const PhaseProgram& phase : program_.phases) {
      if (phase.over_reduced) RunRowPhase(phase, values);
    }
    RunPointPhasesOfTile(values, lanes);
    return;
  }
  for (const PhaseProgram& phase : program_.phases) {
    if (phase.over_reduced) {
      RunReducedSteps(phase, values, lanes);
    } else {
      ComputeTile(phase, values, lanes, 0);
      StoreOutputs(phase, values, lanes);
    }
  }
}

void TileWorker::RunPointPhasesOfTile(const int64_t* values, int64_t lanes) {
  for (const PhaseProgram& phase : program_.phases) {
    if (phase.over_reduced) continue;
    ComputeTile(phase, values, lanes, 0);
    StoreOutputs(phase, values, lanes);
  }
}

void TileWorker::RunReducedSteps(const PhaseProgram& phase, const int64_t* values, int64_t lanes) {
  const int64_t steps = program_.reduced.num_tiles;
  RunReducedTiles(phase, values, lanes, 0, steps);
  for (const ReductionProgram& reduction : phase.reductions) {
    FinishReduction(reduction, slots_, lanes, steps == 0);
  }
}

void TileWorker::SetRowValues(const int64_t* values, int64_t lane) {
  const size_t num_forms = static_cast<size_t>(program_.parallel.NumForms());
  const int64_t run = program_.parallel.run;
  const int64_t row = lane / run, column = lane % run;
  for (size_t f = 0; f < num_forms; ++f) {
    const LaneMap& map = program_.parallel.lanes[f];
    row_values_[f] = values[f] + map.RowOffset(row, run) + column * map.stride;
  }
}

void TileWorker::ReduceRows(const int64_t* values, int64_t lanes) {
  const auto phase = std::find_if(program_.phases.begin(), program_.phases.end(),
                                  [](const PhaseProgram& p) { return p.over_reduced; });
  const ReductionProgram& reduction = phase->reductions.front();
  const size_t components = reduction.components.size();
  std::byte* results[2];  // two of an argmax
  const size_t form = static_cast<size_t>(phase->loads.front().load.form);
  const LaneMap& map = program_.parallel.lanes[form];
  const int64_t run = map.linear ? lanes : program_.parallel.run;
  const int64_t points = program_.reduced.chunk_extent * program_.reduced.inner;
  for (int64_t lane = 0; lane < lanes; lane += run) {
    for (size_t c = 0; c < components; ++c) {
      const ReducedVector& vector = program_.reduced_vectors[c];
      results[c] = slots_[vector.vector_slot] + lane * vector.tile_bytes;
    }
    kernels::ReduceRows(reduction, {results, components},
                        AddressOf(values[form] + map.RowOffset(lane / run, run)), map.stride,
                        std::min(run, lanes - lane), points);
  }
  const auto exchange = [&] {
    for (size_t c = 0; c < components; ++c) {
      const ReducedVector& vector = program_.reduced_vectors[c];
      std::swap(slots_[vector.scalar_slot], slots_[vector.vector_slot]);
    }
  };
  exchange();
  FinishReduction(reduction, slots_, lanes, /*empty=*/false);
  exchange();
}

void TileWorker::RunRow(const int64_t* values, int64_t lane) {
  SetRowValues(values, lane);
  for (const PhaseProgram& phase : program_.phases) {
    if (phase.over_reduced) RunRowPhase(phase, row_values_);
  }
}

void TileWorker::RunRows(const int64_t* values, int64_t lanes) {
  const RowCode* const code = emitted_ == nullptr ? nullptr : emitted_->row();
  if (code == nullptr && program_.reduces_rows) return ReduceRows(values, lanes);
  if (code != nullptr) return code->Run(program_.parallel, values, lanes, frame_, &row_pointers_);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    RunRow(values, lane);
    for (const ReducedVector& vector : program_.reduced_vectors) {
      std::memcpy(slots_[vector.vector_slot] + lane * vector.tile_bytes, slots_[vector.scalar_slot],
                  static_cast<size_t>(vector.tile_bytes));
    }
  }
}

void TileWorker::StartRow(const PhaseProgram& phase, const int64_t* values) {
  const int64_t lanes = program_.row_lanes;
  RunLoads(phase.row_loads, values, lanes);
  for (const IotaStep& iota : phase.row_iotas) RunIota(iota, values, lanes);
  Execute(phase.row_code, slots_, lanes);
  for (const FillStep& fill : phase.row_fills) {
    std::byte* const to = slots_[fill.to];
    if (lanes == 1) {
      fill.fill(to, slots_[fill.from], static_cast<size_t>(program_.reduced.max_lanes));
      continue;
    }
    for (int64_t lane = 0; lane < program_.reduced.max_lanes; lane += lanes) {
      std::memcpy(to + lane * fill.tile_bytes, slots_[fill.from],
                  static_cast<size_t>(lanes * fill.tile_bytes));
    }
  }
}

void TileWorker::RunRowPhase(const PhaseProgram& phase, const int64_t* values) {
  StartRow(phase, values);
  RunReducedTiles(phase, values, /*lanes=*/0, 0, program_.reduced.num_tiles);
  for (const ReductionProgram& reduction : phase.reductions) {
    FoldRow(reduction, program_.reduced.max_lanes);
    FinishReduction(reduction, slots_, program_.row_lanes, /*empty=*/false);
  }
}

int64_t TileWorker::RunReducedTiles(const PhaseProgram& phase, const int64_t* values, int64_t lanes,
                                    int64_t begin, int64_t end) {
  if (begin == end) return 0;
  reduced_.Seek(values, begin);
  const bool rows = program_.lanes != Lanes::kParallel;
  const int64_t first_lanes = rows ? reduced_.lanes() : lanes;
  if (phase.accumulates_runs) {
    const LoadStep& load = phase.loads.front();
    slots_[load.slot] = AddressOf(reduced_.values()[load.load.form]);
    const TileSpace& space = program_.reduced;
    const int64_t points = std::min(space.chunk_extent, end * space.chunk) - begin * space.chunk;
    const ReductionProgram& reduction = phase.reductions.front();
    if (reduction.first_extreme != nullptr) {
      const int64_t index = begin * space.chunk * space.inner;
      std::memcpy(slots_[reduction.components[1].value], &index,
                  static_cast<size_t>(reduction.components[1].tile_bytes));
    }
    Accumulate(reduction, points * space.inner, /*first=*/true);
    return first_lanes;
  }
  for (int64_t tile = begin; tile < end; ++tile) {
    if (tile != begin) reduced_.Next();
    if (rows) lanes = reduced_.lanes();
    ComputeTile(phase, reduced_.values(), lanes, tile);
    for (const ReductionProgram& reduction : phase.reductions) {
      Accumulate(reduction, lanes, tile == begin);
    }
    StoreOutputs(phase, reduced_.values(), lanes);
  }
  return first_lanes;
}

void TileWorker::Accumulate(const ReductionProgram& reduction, int64_t lanes, bool first) {
  if (program_.lanes == Lanes::kReduced) {
    AccumulateRow(reduction, slots_, lanes, first);
  } else {
    AccumulateLanes(reduction, slots_, lanes, first);
  }
}

void TileWorker::FoldRow(const ReductionProgram& reduction, int64_t first_lanes) {
  if (program_.lanes == Lanes::kBoth) {
    FoldGroups(reduction, slots_, first_lanes, program_.row_lanes);
  } else {
    FoldLanes(reduction, slots_, first_lanes);
  }
}

void TileWorker::ComputeTile(const PhaseProgram& phase, const int64_t* values, int64_t lanes,
                             int64_t step) {
  for (const RowSlot& row : phase.rows) slots_[row.slot] = rows_ + row.offset + step * row.step;
  for (const DirectTarget& target : phase.targets) {
    slots_[target.slot] = AddressOf(values[target.form]);
  }
  const auto number = static_cast<size_t>(&phase - program_.phases.data());
  if (emitted_ != nullptr) {
    for (const DirectTarget& memory : emitted_->memories(number)) {
      // Nobody writes a number.
      slots_[memory.slot] =
          memory.is_number
              ? reinterpret_cast<std::byte*>(const_cast<int64_t*>(&values[memory.form]))
              : AddressOf(values[memory.form]);
    }
  }
  RunLoads(emitted_ == nullptr ? phase.loads : emitted_->loads(number), values, lanes);
  for (const IotaStep& iota : emitted_ == nullptr ? phase.iotas : emitted_->iotas(number)) {
    RunIota(iota, values, lanes);
  }
  for (const GatherStep& gather : phase.gathers) {
    reinterpret_cast<TileGather*>(slots_[gather.slot])->place.base = AddressOf(values[gather.form]);
  }
  if (emitted_ == nullptr) {
    Execute(phase.code, slots_, lanes);
  } else {
    emitted_->Execute(number, slots_, lanes);
  }
  for (const RowSave& save : phase.saves) {
    std::memcpy(slots_[save.to], slots_[save.from], static_cast<size_t>(lanes * save.tile_bytes));
  }
}

void TileWorker::StoreOutputs(const PhaseProgram& phase, const int64_t* values, int64_t lanes) {
  const auto number = static_cast<size_t>(&phase - program_.phases.data());
  for (const StoreStep& store : emitted_ == nullptr ? phase.stores : emitted_->stores(number)) {
    if (store.columns.is_with_first) continue;
    if (!store.columns.slots.empty()) {
      store.columns.functions.store(AddressOf(values[store.store.form]), store.store.map->stride,
                                    PointersOf(store.columns, slots_).data(),
                                    static_cast<size_t>(lanes));
      continue;
    }
    StoreTile(store.store, values, lanes, slots_[store.slot], staging_, past_cache_);
  }
}

void TileWorker::RunLoads(const std::vector<LoadStep>& loads, const int64_t* values,
                          int64_t lanes) {
  for (const LoadStep& step : loads) {
    const TileLoad& load = step.load;
    if (step.columns.is_with_first) continue;
    if (!step.columns.slots.empty()) {
      step.columns.functions.load(AddressOf(values[load.form]), load.map->stride,
                                  PointersOf(step.columns, slots_).data(),
                                  static_cast<size_t>(lanes));
      continue;
    }
    if (step.direct && (load.bounds.empty() || CoverageOf(load, values) == Coverage::kAll)) {
      slots_[step.slot] = AddressOf(values[load.form]);
      continue;
    }
    if (step.direct) slots_[step.slot] = frame_ + step.offset;
    if (step.block_rows > 0) {
      std::byte* const row = BlockRow(step, values, lanes);
      if (load.element.load == nullptr) {
        slots_[step.slot] = row;
      } else {
        load.element.load(slots_[step.slot], row, nullptr, nullptr, static_cast<size_t>(lanes), {});
      }
      continue;
    }
    if (step.cache >= 0) {
      if (caches_[step.cache] == values[load.form]) continue;
      caches_[step.cache] = values[load.form];
      LoadTile(load, values, load.map->FullLanes(load.run, program_.max_lanes), slots_[step.slot],
               staging_);
    } else {
      LoadTile(load, values, lanes, slots_[step.slot], staging_);
    }
  }
}

std::byte* TileWorker::BlockRow(const LoadStep& step, const int64_t* values, int64_t lanes) {
  const auto bytes = static_cast<int64_t>(step.load.element.memory_bytes);
  const int64_t row_bytes = program_.parallel.max_lanes * bytes;
  const int64_t address = values[step.load.form];
  int64_t *const begin = caches_ + step.cache, *const end = begin + 1, *const length = begin + 2;
  if (address < *begin || address >= *end || lanes != *length) {
    const int64_t rows = std::min(step.block_rows, parallel_.tiles_left());
    step.transpose(AddressOf(address), step.load.map->stride, frame_ + step.block_offset, row_bytes,
                   static_cast<size_t>(rows), static_cast<size_t>(lanes));
    *begin = address;
    *end = address + rows * bytes;
    *length = lanes;
  }
  return frame_ + step.block_offset + (address - *begin) / bytes * row_bytes;
}

void TileWorker::RunIota(const IotaStep& step, const int64_t* values, int64_t lanes) {
  const int64_t value = values[step.form];
  std::byte* result = slots_[step.slot];
  if (step.cache >= 0) {
    if (std::exchange(caches_[step.cache], value) == value) return;
    lanes = step.map->FullLanes(step.run, program_.max_lanes);
  }
  if (step.map->linear && step.map->stride == 0) {
    step.function(result, value, 0, 1);
    return step.fill(result, result, static_cast<size_t>(lanes));
  }
  if (step.map->linear) {
    step.function(result, value, step.map->stride, static_cast<size_t>(lanes));
    return;
  }
  for (int64_t lane = 0, row = 0; lane < lanes; lane += step.run, ++row) {
    step.function(result + lane * step.tile_bytes, value + step.map->RowOffset(row, step.run),
                  step.map->stride, static_cast<size_t>(std::min(step.run, lanes - lane)));
  }
}

void TileWorker::RunPartial(const Split& split, int64_t group, size_t phase_number, int64_t begin,
                            int64_t end, const std::byte* record, std::byte* partial) {
  const bool rows = program_.lanes != Lanes::kParallel;
  const bool one_lane = program_.lanes == Lanes::kReduced;
  const int64_t group_lanes = one_lane ? program_.parallel.max_lanes : 1;
  parallel_.Seek(start_, group / group_lanes);
  const int64_t lanes = parallel_.lanes();
  if (one_lane && group % group_lanes >= lanes) return;
  const int64_t* values = parallel_.values();
  if (one_lane) {
    SetRowValues(values, group % group_lanes);
    values = row_values_;
  }
  const PhaseProgram& phase = program_.phases[phase_number];
  size_t number = 0;
  for (size_t p = 0; p <= phase_number; ++p) {
    // What earlier phases know of the row, later ones may use.
    if (rows) StartRow(program_.phases[p], values);
    if (p == phase_number) break;
    for (const ReductionProgram& reduction : program_.phases[p].reductions) {
      for (const ReductionProgram::Component& component : reduction.components) {
        std::memcpy(slots_[component.accumulator], record + split.record_offsets[number++],
                    static_cast<size_t>(split.record_lanes * component.tile_bytes));
      }
    }
  }
  const int64_t first_lanes = RunReducedTiles(phase, values, lanes, begin, end);
  for (const ReductionProgram& reduction : phase.reductions) {
    if (rows) FoldRow(reduction, first_lanes);
    for (const ReductionProgram::Component& component : reduction.components) {
      std::memcpy(partial + split.record_offsets[number++], slots_[component.accumulator],
                  static_cast<size_t>((rows ? program_.row_lanes : lanes) * component.tile_bytes));
    }
  }
}

void TileWorker::CombinePartials(const Split& split, size_t phase_number, const std::byte* partials,
                                 std::byte* record) {
  size_t number = 0;
  for (size_t p = 0; p < phase_number; ++p) {
    for (const ReductionProgram& reduction : program_.phases[p].reductions) {
      number += reduction.components.size();
    }
  }
  for (const ReductionProgram& reduction : program_.phases[phase_number].reductions) {
    const int64_t* offsets = &split.record_offsets[number];
    const size_t count = reduction.components.size();
    for (size_t c = 0; c < count; ++c) {
      const ReductionProgram::Component& component = reduction.components[c];
      std::memcpy(slots_[component.accumulator], partials + offsets[c],
                  static_cast<size_t>(split.record_lanes * component.tile_bytes));
    }
    for (int64_t chunk = 1; chunk < split.chunks; ++chunk) {
      AccumulatePartial(reduction, slots_, split.record_lanes,
                        partials + chunk * split.record_bytes, offsets);
    }
    FinishReduction(reduction, slots_, split.record_lanes, /*empty=*/false);
    for (size_t c = 0; c < count; ++c) {
      const ReductionProgram::Component& component = reduction.components[c];
      std::memcpy(record + offsets[c], slots_[component.accumulator],
                  static_cast<size_t>(split.record_lanes * component.tile_bytes));
    }
    number += count;
  }
}

void TileWorker::RunPointPhases(const Split& split, const std::byte* records) {
  const bool rows = program_.lanes == Lanes::kReduced;
  for (int64_t tile = 0; tile < program_.parallel.num_tiles; ++tile) {
    parallel_.Seek(start_, tile);
    const int64_t lanes = parallel_.lanes();
    if (rows) {
      for (size_t v = 0; v < program_.reduced_vectors.size(); ++v) {
        const ReducedVector& vector = program_.reduced_vectors[v];
        for (int64_t lane = 0; lane < lanes; ++lane) {
          const int64_t group = tile * program_.parallel.max_lanes + lane;
          std::memcpy(slots_[vector.vector_slot] + lane * vector.tile_bytes,
                      records + group * split.record_bytes + split.record_offsets[v],
                      static_cast<size_t>(vector.tile_bytes));
        }
      }
    } else {
      const std::byte* record = records + tile * split.record_bytes;
      size_t number = 0;
      for (const PhaseProgram& phase : program_.phases) {
        for (const ReductionProgram& reduction : phase.reductions) {
          for (const ReductionProgram::Component& component : reduction.components) {
            std::memcpy(slots_[component.accumulator], record + split.record_offsets[number++],
                        static_cast<size_t>(split.record_lanes * component.tile_bytes));
          }
        }
      }
    }
    RunPointPhasesOfTile(parallel_.values(), lanes);
  }
}

}  // namespace plinth::cpu::kernels

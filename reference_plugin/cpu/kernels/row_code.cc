// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/row_code.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>
#include <utility>

#include "reference_plugin/cpu/kernels/addresses.h"
#include "reference_plugin/cpu/math/partials.h"

namespace plinth::cpu::kernels {

using compiler::Opcode;
using emit::Piece;
using emit::PieceValue;
using Kind = PieceValue::Kind;

namespace {

// Bounds the time to make a function, and what offsets in it can say.
constexpr size_t kMostOps = 128;
constexpr int64_t kMostLanes = 1 << 24;

// How elements lie in memory; false where code does not know them.
bool SetMemory(DType type, PieceValue* value) {
  value->type = emit::LaneTypeOf(type);
  value->memory = emit::MemoryFormOf(type);
  return emit::IsLaneType(value->type);
}

}  // namespace

// Follows a program's slots from phase to phase. Each method answers false where code cannot do
// what the program does.
class RowDescriber {
 public:
  RowDescriber(const TileProgram& program, RowCode* result)
      : program_(program),
        row_(result->row_),
        is_one_call_(result->is_one_call_),
        pointers_(result->pointers_) {}

  bool Describe();
  void WritePastCache();

 private:
  struct SlotValue {
    size_t phase = 0;
    int32_t value = 0;     // in the phase's piece
    bool is_once = false;  // computed or read once for the row
  };

  // Whether the elements of a form that an access reads or writes lie one after the other.
  bool IsDense(const LaneMap& map, int64_t bytes) const {
    return map.linear && map.stride == bytes;
  }
  std::optional<int32_t> PointerTo(RowCode::Pointer pointer);
  std::optional<int32_t> ValueOf(int32_t slot, DType type);
  int32_t Add(const PieceValue& value);
  bool AddRead(const LoadStep& load, Kind kind);
  bool AddIota(const IotaStep& iota, bool once);
  int32_t AddOp(Opcode opcode, DType type, int32_t a, int32_t b);
  bool AddOps(const std::vector<Instruction>& code, const std::vector<TileOp>& ops, bool once);
  bool AddStores(const PhaseProgram& phase);
  bool AddMove(int32_t from, DType type, RowCode::Pointer to);
  bool AddReductions(const PhaseProgram& phase);
  bool AddPhase(const PhaseProgram& phase);
  std::optional<int64_t> GroupStep(const LaneMap& map, int64_t group) const;
  void AddSteps();

  const TileProgram& program_;
  emit::Row& row_;
  bool& is_one_call_;
  std::vector<RowCode::Pointer>& pointers_;
  std::unordered_map<int32_t, SlotValue> values_;           // by slot, of the phases so far
  std::unordered_map<int32_t, PieceValue> reads_;           // by slot, of the phase: its loads
  std::unordered_map<int32_t, RowCode::Pointer> memories_;  // by slot, of the phase
  std::unordered_map<int32_t, int32_t> reduced_;            // by accumulator: number
};

std::optional<int32_t> RowDescriber::PointerTo(RowCode::Pointer pointer) {
  const auto found = std::find(pointers_.begin(), pointers_.end(), pointer);
  const auto number = static_cast<int32_t>(found - pointers_.begin());
  if (found == pointers_.end()) {
    if (pointers_.size() == RowCode::kMostPointers) return std::nullopt;
    pointers_.push_back(pointer);
  }
  return number;
}

int32_t RowDescriber::Add(const PieceValue& value) {
  Piece& piece = row_.phases.back().piece;
  piece.push_back(value);
  return static_cast<int32_t>(piece.size() - 1);
}

// The number in the current phase of what the slot holds.
std::optional<int32_t> RowDescriber::ValueOf(int32_t slot, DType type) {
  const size_t current = row_.phases.size() - 1;
  const auto known = values_.find(slot);
  if (known != values_.end() && known->second.phase == current) return known->second.value;
  PieceValue value;
  value.type = emit::LaneTypeOf(type);
  const auto is_slot = [&](const auto& step) { return step.slot == slot; };
  const auto& constants = program_.constants;
  const auto& scalars = program_.scalars;
  if (const auto read = reads_.find(slot); read != reads_.end()) {
    value = read->second;
  } else if (const auto memory = memories_.find(slot); memory != memories_.end()) {
    value.kind = Kind::kInput;
    value.memory = emit::SlotFormOf(type);
    const auto pointer = PointerTo(memory->second);
    if (!pointer.has_value()) return std::nullopt;
    value.slot = *pointer;
  } else if (const auto reduced = reduced_.find(slot); reduced != reduced_.end()) {
    value.kind = Kind::kKept;
    value.slot = reduced->second;
  } else if (const auto constant = std::find_if(constants.begin(), constants.end(), is_slot);
             constant != constants.end()) {
    value.kind = Kind::kConstant;
    value.bits = emit::LaneBits::Of(type, constant->element.bytes);
  } else if (std::any_of(scalars.begin(), scalars.end(), is_slot)) {
    value.kind = Kind::kScalar;
    value.memory = emit::SlotFormOf(type);
    const int64_t offset = program_.frame.slot_offsets()[static_cast<size_t>(slot)];
    const auto pointer = PointerTo({RowCode::Pointer::Base::kFrame, offset});
    if (!pointer.has_value()) return std::nullopt;
    value.slot = *pointer;
  } else if (known != values_.end() && known->second.is_once) {
    PieceValue& earlier =
        row_.phases[known->second.phase].piece[static_cast<size_t>(known->second.value)];
    if (earlier.kind != Kind::kOp && earlier.kind != Kind::kScalar) return std::nullopt;
    if (earlier.kept < 0) earlier.kept = row_.num_kept++;
    value.kind = Kind::kKept;
    value.slot = earlier.kept;
  } else {
    return std::nullopt;
  }
  const int32_t number = Add(value);
  values_[slot] = {current, number, value.kind == Kind::kScalar};
  return number;
}

bool RowDescriber::AddRead(const LoadStep& step, Kind kind) {
  PieceValue value;
  value.kind = kind;
  if (!step.load.bounds.empty() || !SetMemory(step.type, &value)) return false;
  if (kind == Kind::kInput &&
      !IsDense(*step.load.map, static_cast<int64_t>(step.load.element.memory_bytes))) {
    return false;
  }
  const auto pointer = PointerTo({RowCode::Pointer::Base::kForm, step.load.form});
  if (!pointer.has_value()) return false;
  value.slot = *pointer;
  values_.erase(step.slot);
  reads_[step.slot] = value;
  return true;
}

int32_t RowDescriber::AddOp(Opcode opcode, DType type, int32_t a, int32_t b) {
  PieceValue value;
  value.kind = Kind::kOp;
  value.type = value.node.dtype = value.operand_type = type;
  value.node.opcode = opcode;
  value.node.num_operands = 2;
  value.node.operands[0] = a;
  value.node.operands[1] = b;
  return Add(value);
}

// The value at the row's first lane is given, the others follow: as whole numbers of 32 bits, which
// wrap, and as floats where there is nothing to wrap.
bool RowDescriber::AddIota(const IotaStep& iota, bool once) {
  const LinearForm& form = program_.domain.forms[static_cast<size_t>(iota.form)];
  const int64_t most = LargestMagnitude(program_.domain, form);
  const bool is_float = iota.type == DType::kF32;
  const bool is_whole = emit::LaneTypeOf(iota.type) == DType::kS32 || iota.type == DType::kU32;
  if (!is_float && !is_whole) return false;
  if (is_float && most > std::numeric_limits<int32_t>::max()) return false;
  if (!once && !iota.map->linear) return false;
  const auto pointer = PointerTo({RowCode::Pointer::Base::kNumber, iota.form});
  if (!pointer.has_value()) return false;
  constexpr DType kWhole = DType::kS32;
  PieceValue first;
  first.kind = Kind::kScalar;
  first.type = kWhole;
  first.slot = *pointer;
  int32_t value = Add(first);
  if (!once) {
    PieceValue lane, stride;
    lane.kind = Kind::kLane;
    lane.type = stride.type = kWhole;
    stride.kind = Kind::kConstant;
    stride.bits = static_cast<uint32_t>(iota.map->stride);
    const int32_t number = Add(lane), factor = Add(stride);
    const int32_t offset = AddOp(Opcode::kMultiply, kWhole, number, factor);
    value = AddOp(Opcode::kAdd, kWhole, value, offset);
  }
  if (iota.type != kWhole) value = Add(emit::ConversionOf(value, kWhole, iota.type));
  values_[iota.slot] = {row_.phases.size() - 1, value, once};
  return true;
}

bool RowDescriber::AddOps(const std::vector<Instruction>& code, const std::vector<TileOp>& ops,
                          bool once) {
  if (ops.size() != code.size()) return false;
  for (size_t n = 0; n < code.size(); n += ops[n].is_rounded ? 2 : 1) {
    if (ops[n].node == nullptr || !emit::CanEmit(*ops[n].node, ops[n].operand)) return false;
    if (emit::IsWideType(ops[n].operand) || emit::IsWideType(ops[n].node->dtype)) return false;
    PieceValue value = emit::ValueOfOp(*ops[n].node, ops[n].operand, ops[n].is_rounded);
    const int32_t operands[3] = {code[n].a, code[n].b, code[n].c};
    for (size_t i = 0; i < 3; ++i) {
      value.node.operands[i] = 0;
      if (i >= value.node.num_operands) continue;
      const bool is_pred = value.node.opcode == Opcode::kSelect && i == 0;
      const auto operand = ValueOf(operands[i], is_pred ? DType::kPred : value.operand_type);
      if (!operand.has_value()) return false;
      value.node.operands[i] = *operand;
    }
    const auto memory = memories_.find(code[n].result);
    if (memory != memories_.end()) {
      if (once) return false;
      const auto pointer = PointerTo(memory->second);
      if (!pointer.has_value()) return false;
      value.slot = *pointer;
    }
    values_[code[n].result] = {row_.phases.size() - 1, Add(value), once};
  }
  return true;
}

bool RowDescriber::AddMove(int32_t from, DType type, RowCode::Pointer to) {
  const auto operand = ValueOf(from, type), pointer = PointerTo(to);
  PieceValue form;
  if (!operand.has_value() || !pointer.has_value() || !SetMemory(type, &form)) return false;
  PieceValue value = emit::ConversionOf(*operand, form.type, form.type);
  const bool in_tile_form = to.base == RowCode::Pointer::Base::kRows;
  value.memory = in_tile_form ? emit::SlotFormOf(type) : form.memory;
  value.slot = *pointer;
  Add(value);
  return true;
}

bool RowDescriber::AddStores(const PhaseProgram& phase) {
  for (const StoreStep& step : phase.stores) {
    const TileStore& store = step.store;
    if (!IsDense(*store.map, static_cast<int64_t>(store.element.memory_bytes)) ||
        !AddMove(step.slot, step.type, {RowCode::Pointer::Base::kForm, store.form})) {
      return false;
    }
  }
  return true;
}

bool RowDescriber::AddReductions(const PhaseProgram& phase) {
  for (const ReductionProgram& reduction : phase.reductions) {
    const DType type = math::TileTypeOf(reduction.type);
    if (reduction.commutative == nullptr ||
        (reduction.finish != nullptr && !emit::IsHalf(reduction.type)) ||
        !emit::CanReduce(reduction.opcode, type)) {
      return false;
    }
    const ReductionProgram::Component& component = reduction.components[0];
    emit::RowReduction reduced;
    reduced.opcode = reduction.opcode;
    reduced.type = type;
    if (reduction.finish != nullptr) reduced.rounded = reduction.type;
    const auto value = ValueOf(component.value, reduction.type);
    const auto initial = ValueOf(component.initial, reduction.type);
    const int64_t offset =
        program_.frame.slot_offsets()[static_cast<size_t>(component.accumulator)];
    RowCode::Pointer place = {RowCode::Pointer::Base::kFrame, offset};
    for (const ReducedVector& vector : program_.reduced_vectors) {
      if (vector.scalar_slot != component.accumulator) continue;
      place = {RowCode::Pointer::Base::kLanes,
               program_.frame.slot_offsets()[static_cast<size_t>(vector.vector_slot)]};
    }
    const auto pointer = PointerTo(place);
    if (!value.has_value() || !initial.has_value() || !pointer.has_value()) return false;
    reduced.value = *value;
    reduced.initial = *initial;
    reduced.slot = *pointer;
    // Which of two NaNs the last sum gives is up to who compiled its routine.
    const PieceValue& first = row_.phases.back().piece[static_cast<size_t>(*initial)];
    const bool is_sum = reduction.opcode == Opcode::kAdd && type == DType::kF32;
    const bool is_number =
        first.kind == Kind::kConstant && !std::isnan(std::bit_cast<float>(first.bits.lane()));
    if (is_sum ? !is_number : first.kind != Kind::kConstant && first.kind != Kind::kScalar) {
      return false;
    }
    row_.phases.back().reductions.push_back(reduced);
    const auto number = static_cast<int32_t>(reduced_.size());
    reduced_[component.accumulator] = number;
  }
  return true;
}

bool RowDescriber::AddPhase(const PhaseProgram& phase) {
  row_.phases.emplace_back();
  memories_.clear();
  reads_.clear();
  for (const RowSlot& row : phase.rows) {
    values_.erase(row.slot);
    memories_[row.slot] = {RowCode::Pointer::Base::kRows, row.offset};
  }
  for (const DirectTarget& target : phase.targets) {
    memories_[target.slot] = {RowCode::Pointer::Base::kForm, target.form};
  }
  for (const LoadStep& load : phase.row_loads) {
    if (!AddRead(load, Kind::kScalar)) return false;
  }
  for (const LoadStep& load : phase.loads) {
    if (!AddRead(load, Kind::kInput)) return false;
  }
  for (const IotaStep& iota : phase.row_iotas) {
    if (!AddIota(iota, /*once=*/true)) return false;
  }
  for (const IotaStep& iota : phase.iotas) {
    if (!AddIota(iota, /*once=*/false)) return false;
  }
  if (!AddOps(phase.row_code, phase.row_ops, /*once=*/true)) return false;
  for (const FillStep& fill : phase.row_fills) {
    const auto value = ValueOf(fill.from, fill.type);
    if (!value.has_value()) return false;
    values_[fill.to] = {row_.phases.size() - 1, *value, /*is_once=*/false};
  }
  if (!AddOps(phase.code, phase.ops, /*once=*/false)) return false;
  for (const RowSave& save : phase.saves) {
    if (!AddMove(save.from, save.type, memories_[save.to])) return false;
  }
  return AddStores(phase) && AddReductions(phase);
}

bool RowDescriber::Describe() {
  const TileSpace& reduced = program_.reduced;
  row_.lanes = program_.domain.reduced_points;
  // Partial results start over with each tile.
  constexpr int64_t kPartials = static_cast<int64_t>(math::kPartialBytes) / emit::kLaneBytes;
  const bool is_one_run = reduced.num_tiles == 1 || reduced.max_lanes % kPartials == 0;
  if (program_.lanes != Lanes::kReduced || reduced.counts.size() > 1 || !is_one_run ||
      row_.lanes > kMostLanes) {
    return false;
  }
  for (const PhaseProgram& phase : program_.phases) {
    if (phase.over_reduced) row_.num_kept += static_cast<int32_t>(phase.reductions.size());
  }
  size_t ops = 0;
  for (const PhaseProgram& phase : program_.phases) {
    if (!phase.over_reduced) continue;
    ops += phase.code.size() + phase.row_code.size();
    if (ops > kMostOps || !AddPhase(phase)) return false;
  }
  AddSteps();
  return true;
}

// What a form adds from group to group of so many rows, if that is always the same.
std::optional<int64_t> RowDescriber::GroupStep(const LaneMap& map, int64_t group) const {
  const int64_t run = program_.parallel.run, rows = program_.parallel.max_lanes;
  if (map.linear || rows <= group) return group * map.stride;
  const int64_t step = map.RowOffset(group / run, run);
  for (int64_t row = 0; row < rows; row += run) {
    const int64_t offset = row / group * step + row % group * map.stride;
    if (map.RowOffset(row / run, run) != offset) return std::nullopt;
  }
  return step;
}

void RowDescriber::AddSteps() {
  // Rows of the last dimension. A tile that is not linear has all of them, of several groups.
  const auto last = static_cast<size_t>(program_.domain.num_parallel) - 1;
  const int64_t group = program_.domain.num_parallel == 0 ? 1 : program_.domain.extents[last];
  bool is_linear = true, are_groups_even = group <= kMostLanes;
  for (const RowCode::Pointer& pointer : pointers_) {
    emit::RowStep& step = row_.steps.emplace_back();
    step.is_number = pointer.base == RowCode::Pointer::Base::kNumber;
    if (pointer.base == RowCode::Pointer::Base::kRows) {
      step.apart = program_.rows.size();
    } else if (pointer.base == RowCode::Pointer::Base::kLanes) {
      step.step = emit::kLaneBytes;
    } else if (step.is_number || pointer.base == RowCode::Pointer::Base::kForm) {
      const LaneMap& map = program_.parallel.lanes[static_cast<size_t>(pointer.number)];
      step.step = map.stride;
      is_linear = is_linear && map.linear;
      const std::optional<int64_t> of_group = GroupStep(map, group);
      are_groups_even = are_groups_even && of_group.has_value();
      step.jump = of_group.value_or(0) - group * map.stride;
    }
  }
  is_one_call_ = is_linear || are_groups_even;
  if (!is_linear && are_groups_even) {
    row_.group = group;
  } else {
    for (emit::RowStep& step : row_.steps) step.jump = 0;
  }
}

void RowDescriber::WritePastCache() {
  // A phase that reduces is emitted once: its first turn sets what the others add to.
  if (!row_.phases.back().reductions.empty()) return;
  for (PieceValue& value : row_.phases.back().piece) {
    value.past_cache =
        value.kind == Kind::kOp && value.slot >= 0 && value.type != DType::kPred &&
        value.memory == DType::kInvalid &&
        pointers_[static_cast<size_t>(value.slot)].base == RowCode::Pointer::Base::kForm;
  }
}

std::optional<RowCode> RowCode::Describe(const TileProgram& program, bool past_cache) {
  RowCode code;
  RowDescriber describer(program, &code);
  if (!describer.Describe()) return std::nullopt;
  if (past_cache) describer.WritePastCache();
  return code;
}

int64_t RowCode::RowBufferBytes(const TileProgram& program) {
  const bool is_short =
      program.lanes == Lanes::kReduced && program.domain.reduced_points <= emit::kLongestOfSeveral;
  return program.rows.size() * (is_short ? emit::kMostRowsAtOnce : 1);
}

void RowCode::SetFixed(std::byte* frame, std::byte* rows, Pointers* pointers) const {
  for (size_t i = 0; i < pointers_.size(); ++i) {
    const Pointer& pointer = pointers_[i];
    std::byte*& slot = pointers->slots[i];
    if (pointer.base == Pointer::Base::kFrame) slot = frame + pointer.number;
    if (pointer.base == Pointer::Base::kRows) slot = rows + pointer.number;
    if (pointer.base == Pointer::Base::kNumber) {
      slot = reinterpret_cast<std::byte*>(&pointers->numbers[i]);
    }
  }
}

void RowCode::Run(const TileSpace& parallel, const int64_t* values, int64_t lanes, std::byte* frame,
                  Pointers* pointers) const {
  const int64_t run = is_one_call_ ? lanes : parallel.run;
  for (int64_t lane = 0; lane < lanes; lane += run) {
    for (size_t i = 0; i < pointers_.size(); ++i) {
      const Pointer& pointer = pointers_[i];
      if (pointer.base == Pointer::Base::kLanes) {
        pointers->slots[i] = frame + pointer.number + lane * emit::kLaneBytes;
      }
      if (pointer.base != Pointer::Base::kForm && pointer.base != Pointer::Base::kNumber) continue;
      const auto form = static_cast<size_t>(pointer.number);
      const int64_t value = values[form] + parallel.lanes[form].RowOffset(lane / run, run);
      if (pointer.base == Pointer::Base::kForm) {
        pointers->slots[i] = AddressOf(value);
      } else {
        pointers->numbers[i] = static_cast<int32_t>(value);
      }
    }
    function_(pointers->slots.data(), std::min(run, lanes - lane));
  }
}

}  // namespace plinth::cpu::kernels

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/piece_finder.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>
#include <utility>

#include "reference_plugin/cpu/emit/function_code.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Node;
using compiler::Opcode;
using emit::Piece;
using emit::PieceValue;

// Fewer are as well a routine, unless they spare that of a load or a store, or write past the
// cache. More take longer to make.
constexpr size_t kFewestOps = 2, kMostOps = 128;

// A value that a piece reads from memory.
struct Source {
  PieceValue read;
  DirectTarget memory;
  DType converted = DType::kInvalid;  // what is read is a number, which becomes one of this type
};
// By the registers that they would be loaded into.
using InMemory = std::unordered_map<int32_t, Source>;

class PieceFinder {
 public:
  PieceFinder(const TileProgram& program, const PhaseProgram& phase, bool past_cache)
      : program_(program), phase_(phase), past_cache_(past_cache) {}

  PhasePieces Find();

 private:
  // Reads of pieces where elements lie, and writes.
  void ProposeMemory();
  void FindUnits();
  // Takes back what turns out not to be possible with these units; whether there was any.
  bool DropLoads();
  bool DropStores();

  // The end of the piece that begins with the instruction; the same if none does.
  size_t EndOf(size_t begin);
  size_t EndOfOneWidth(size_t begin, size_t end) const;
  void Make(PhaseUnit* unit);
  void StoreInPiece(const StoreStep& store, int32_t value, Piece* piece);

  bool CanEmit(size_t n) const {
    return n < phase_.ops.size() && phase_.ops[n].node != nullptr &&
           emit::CanEmit(*phase_.ops[n].node, phase_.ops[n].operand);
  }
  DType OperandType(size_t n, size_t operand) const {
    const TileOp& op = phase_.ops[n];
    return op.node->opcode == Opcode::kSelect && operand == 0 ? DType::kPred : op.operand;
  }
  // Whether the ops have nothing but numbers of 8 bits and preds. A routine does four times as many
  // at once as there are lanes.
  bool IsOfBytes(size_t begin, size_t end) const;
  // Of the op at an instruction, and of what rounds its result.
  size_t InstructionsOf(size_t n) const { return phase_.ops[n].is_rounded ? 2 : 1; }
  // Its memory is not the frame's, at least not known to be.
  bool IsElsewhere(int32_t slot) const {
    return program_.frame.slot_offsets()[static_cast<size_t>(slot)] < 0;
  }
  // What the instruction's operands are; of an unknown one all slots that it names.
  size_t NumOperands(size_t n) const {
    const bool is_op = n < phase_.ops.size() && phase_.ops[n].node != nullptr;
    const bool rounds = n > 0 && n <= phase_.ops.size() && phase_.ops[n - 1].is_rounded;
    return is_op ? phase_.ops[n].node->num_operands : rounds ? 1 : 3;
  }
  bool Reads(size_t n, int32_t slot) const;
  bool ReadsElsewhere(const PhaseUnit& unit) const;
  bool WritesElsewhere(const PhaseUnit& unit) const;
  // Whether the value that the slot has before the instruction is read there or later, by the
  // phase or, of a slot elsewhere, by anybody.
  bool IsReadHere(int32_t slot, size_t from) const;
  bool IsRead(int32_t slot, size_t from) const;
  // The same behind the last instruction, by what a piece cannot do.
  bool IsReadAtEnd(int32_t slot) const;
  // The piece that writes the slot last; null if none does.
  const PhaseUnit* LastWriter(int32_t slot) const;

  const TileProgram& program_;
  const PhaseProgram& phase_;
  const bool past_cache_;
  InMemory loads_;
  std::vector<const StoreStep*> stores_;
  PhasePieces found_;
  InMemory here_;  // those of `loads_` that are not overwritten yet
};

void OperandsOf(const Instruction& instruction, int32_t (&slots)[3]) {
  slots[0] = instruction.a;
  slots[1] = instruction.b;
  slots[2] = instruction.c;
}

bool PieceFinder::Reads(size_t n, int32_t slot) const {
  int32_t operands[3];
  OperandsOf(phase_.code[n], operands);
  const auto end = std::begin(operands) + NumOperands(n);
  return std::find(std::begin(operands), end, slot) != end;
}

bool PieceFinder::ReadsElsewhere(const PhaseUnit& unit) const {
  for (size_t n = unit.begin; n < unit.end; ++n) {
    int32_t operands[3];
    OperandsOf(phase_.code[n], operands);
    for (size_t i = 0; i < NumOperands(n); ++i) {
      if (IsElsewhere(operands[i]) || loads_.contains(operands[i])) return true;
    }
  }
  return false;
}

bool PieceFinder::WritesElsewhere(const PhaseUnit& unit) const {
  for (size_t n = unit.begin; n < unit.end; ++n) {
    if (IsElsewhere(phase_.code[n].result)) return true;
  }
  return std::any_of(stores_.begin(), stores_.end(),
                     [&](const StoreStep* store) { return LastWriter(store->slot) == &unit; });
}

const PhaseUnit* PieceFinder::LastWriter(int32_t slot) const {
  for (size_t u = found_.units.size(); u-- > 0;) {
    const PhaseUnit& unit = found_.units[u];
    for (size_t n = unit.begin; n < unit.end; ++n) {
      if (phase_.code[n].result == slot) return unit.is_piece ? &unit : nullptr;
    }
  }
  return nullptr;
}

bool PieceFinder::IsReadAtEnd(int32_t slot) const {
  for (const StoreStep& store : phase_.stores) {
    const bool in_piece = std::find(stores_.begin(), stores_.end(), &store) != stores_.end();
    if (store.slot == slot && !in_piece) return true;
  }
  const auto is_source = [&](const auto& reader) { return reader.from == slot; };
  if (std::any_of(phase_.saves.begin(), phase_.saves.end(), is_source)) return true;
  for (const ReductionProgram& reduction : phase_.reductions) {
    for (const ReductionProgram::Component& component : reduction.components) {
      if (component.value == slot || component.initial == slot) return true;
    }
    for (const Instruction& op : reduction.combiner) {
      if (op.a == slot || op.b == slot || op.c == slot) return true;
    }
  }
  return false;
}

bool PieceFinder::IsReadHere(int32_t slot, size_t from) const {
  for (size_t n = from; n < phase_.code.size(); ++n) {
    if (Reads(n, slot)) return true;
    if (phase_.code[n].result == slot) return false;
  }
  return IsReadAtEnd(slot);
}

bool PieceFinder::IsRead(int32_t slot, size_t from) const {
  return IsElsewhere(slot) || IsReadHere(slot, from);
}

void PieceFinder::ProposeMemory() {
  const auto is_known = [](DType type) {
    return emit::IsLaneType(emit::LaneTypeOf(type)) || emit::IsWideType(type);
  };
  for (const LoadStep& load : phase_.loads) {
    if (load.memory_slot < 0 || !is_known(load.type)) continue;
    Source& source = loads_[load.slot];
    if (load.load.IsBroadcast()) source.read.kind = PieceValue::Kind::kScalar;
    source.read.type = emit::LaneTypeOf(load.type);
    source.read.slot = load.memory_slot;
    source.read.memory = emit::MemoryFormOf(load.type);
    source.memory = {load.load.form, load.memory_slot};
  }
  for (const IotaStep& iota : phase_.iotas) {
    const bool is_whole =
        iota.type == DType::kS32 || iota.type == DType::kU32 || emit::IsShort(iota.type);
    const auto& form = program_.domain.forms[static_cast<size_t>(iota.form)];
    // Other types hold the numbers of an s32, which wraps.
    const bool fits =
        is_whole || LargestMagnitude(program_.domain, form) <= std::numeric_limits<int32_t>::max();
    if (iota.number_slot < 0 || !fits || !is_known(iota.type) || emit::IsHalf(iota.type)) continue;
    Source& source = loads_[iota.slot];
    source.read.kind = PieceValue::Kind::kScalar;
    source.read.type = DType::kS32;
    source.read.slot = iota.number_slot;
    source.memory = {iota.form, iota.number_slot, /*is_number=*/true};
    source.converted = iota.type;
  }
  for (const StoreStep& store : phase_.stores) {
    if (store.memory_slot >= 0 && is_known(store.type)) stores_.push_back(&store);
  }
}

void PieceFinder::FindUnits() {
  found_.units.clear();
  here_ = loads_;
  for (size_t n = 0; n < phase_.code.size();) {
    const size_t end = EndOf(n);
    found_.units.push_back({n, std::max(end, n + 1), /*is_piece=*/end > n, {}});
    for (n = found_.units.back().begin; n < found_.units.back().end; ++n) {
      here_.erase(phase_.code[n].result);
    }
  }
}

// An output may lie over an input: no unit reads memory that an earlier one may have written.
bool PieceFinder::DropStores() {
  size_t reads_until = 0;  // units before this one
  for (size_t u = 0; u < found_.units.size(); ++u) {
    if (ReadsElsewhere(found_.units[u])) reads_until = u;
  }
  bool is_read_at_end = false;
  const std::vector<int64_t>& offsets = program_.frame.slot_offsets();
  for (size_t slot = 0; slot < offsets.size(); ++slot) {
    const auto number = static_cast<int32_t>(slot);
    is_read_at_end = is_read_at_end || (IsElsewhere(number) && IsReadAtEnd(number));
  }
  const size_t dropped = std::erase_if(stores_, [&](const StoreStep* store) {
    const PhaseUnit* const writer = LastWriter(store->slot);
    return writer == nullptr || is_read_at_end || writer < &found_.units[reads_until];
  });
  return dropped > 0;
}

bool PieceFinder::DropLoads() {
  size_t first_write = found_.units.size();
  for (size_t u = found_.units.size(); u-- > 0;) {
    if (WritesElsewhere(found_.units[u])) first_write = u;
  }
  const auto is_needed = [&](const auto& entry) {
    const int32_t slot = entry.first;
    for (size_t u = 0; u < found_.units.size(); ++u) {
      const PhaseUnit& unit = found_.units[u];
      bool is_overwritten = false;
      for (size_t n = unit.begin; n < unit.end; n += unit.is_piece ? InstructionsOf(n) : 1) {
        if (!is_overwritten && Reads(n, slot) && (!unit.is_piece || u > first_write)) return true;
        is_overwritten = is_overwritten || phase_.code[n].result == slot;
      }
      if (is_overwritten) return false;
    }
    return IsReadAtEnd(slot);
  };
  return std::erase_if(loads_, is_needed) > 0;
}

// Elements of two lanes halve all vectors of a piece. So where most of its ops have none, before
// the first that has or after the last, the piece ends there: random numbers begin with a few ops
// on u64, and a hundred on u32 follow.
size_t PieceFinder::EndOfOneWidth(size_t begin, size_t end) const {
  size_t first_wide = end, behind_wide = begin;
  for (size_t n = begin; n < end; n += InstructionsOf(n)) {
    const TileOp& op = phase_.ops[n];
    if (!emit::IsWideType(op.operand) && !emit::IsWideType(op.node->dtype)) continue;
    first_wide = std::min(first_wide, n);
    behind_wide = n + InstructionsOf(n);
  }
  if (first_wide == end) return end;
  if (first_wide - begin > end - first_wide) return first_wide;
  return end - behind_wide > behind_wide - begin ? behind_wide : end;
}

bool PieceFinder::IsOfBytes(size_t begin, size_t end) const {
  bool has_number = false;
  for (size_t n = begin; n < end; n += InstructionsOf(n)) {
    for (const DType type : {phase_.ops[n].operand, phase_.ops[n].node->dtype}) {
      if (ByteSize(type) != 1) return false;
      has_number = has_number || type != DType::kPred;
    }
  }
  return has_number;
}

size_t PieceFinder::EndOf(size_t begin) {
  size_t end = begin;
  // Element sizes of each register, as the piece reads it first; 0 if it makes the value itself.
  // Vectors of other sizes would not keep out of each other's way.
  std::unordered_map<int32_t, size_t> sizes_read;
  const auto fits = [&](int32_t slot, DType type, bool is_result) {
    if (IsElsewhere(slot)) return true;  // an output lies over inputs of its size only
    const size_t size = math::TileElementBytes(type);
    const size_t read = sizes_read.try_emplace(slot, is_result ? 0 : size).first->second;
    return !is_result || read == 0 || read == size;
  };
  InMemory here = here_;
  bool has_memory = false;
  for (; CanEmit(end) && end - begin < kMostOps; end += InstructionsOf(end)) {
    const Node& node = *phase_.ops[end].node;
    int32_t operands[3];
    OperandsOf(phase_.code[end], operands);
    bool all_fit = true, reads_memory = false;
    for (size_t i = 0; i < node.num_operands; ++i) {
      if (here.contains(operands[i])) {
        reads_memory = true;
      } else {
        all_fit = all_fit && fits(operands[i], OperandType(end, i), /*is_result=*/false);
      }
    }
    const int32_t result = phase_.code[end].result;
    all_fit = all_fit && fits(result, node.dtype, /*is_result=*/true);
    if (!all_fit) break;
    has_memory = has_memory || reads_memory;
    here.erase(result);
  }
  if (IsOfBytes(begin, end)) return begin;
  end = EndOfOneWidth(begin, end);
  const auto writes = [&](int32_t slot, size_t from, size_t to) {
    return std::any_of(phase_.code.begin() + static_cast<int64_t>(from),
                       phase_.code.begin() + static_cast<int64_t>(to),
                       [&](const Instruction& op) { return op.result == slot; });
  };
  has_memory =
      has_memory || std::any_of(stores_.begin(), stores_.end(), [&](const auto* store) {
        return writes(store->slot, begin, end) && !writes(store->slot, end, phase_.code.size());
      });
  const bool goes_past_cache = past_cache_ && IsElsewhere(phase_.code[begin].result);
  // The code of a function does two vectors at a time.
  const bool is_function = end > begin && emit::FunctionCode::Has(phase_.ops[begin].node->opcode,
                                                                  phase_.ops[begin].operand);
  const size_t fewest = has_memory || goes_past_cache || is_function ? 1 : kFewestOps;
  return end - begin < fewest ? begin : end;
}

void PieceFinder::Make(PhaseUnit* unit) {
  Piece& piece = unit->piece;
  std::unordered_map<int32_t, int32_t> values;  // by slot
  const auto value_of = [&](int32_t slot, DType type) {
    const auto [known, is_new] = values.try_emplace(slot, static_cast<int32_t>(piece.size()));
    if (!is_new) return known->second;
    if (const auto source = here_.find(slot); source != here_.end()) {
      const auto [read, memory, converted] = source->second;
      piece.push_back(read);
      if (converted == DType::kInvalid || converted == read.type) return known->second;
      piece.push_back(emit::ConversionOf(known->second, read.type, converted));
      return known->second = static_cast<int32_t>(piece.size() - 1);
    }
    PieceValue& value = piece.emplace_back();
    value.type = emit::LaneTypeOf(type);
    value.memory = emit::SlotFormOf(type);
    value.slot = slot;
    for (const ConstantStep& constant : program_.constants) {
      if (constant.slot != slot) continue;
      value.kind = PieceValue::Kind::kConstant;
      value.memory = DType::kInvalid;
      value.slot = -1;
      value.bits = emit::LaneBits::Of(type, constant.element.bytes);
    }
    return known->second;
  };
  for (size_t n = unit->begin; n < unit->end; n += InstructionsOf(n)) {
    const TileOp& op = phase_.ops[n];
    PieceValue value = emit::ValueOfOp(*op.node, op.operand, op.is_rounded);
    int32_t operands[3];
    OperandsOf(phase_.code[n], operands);
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      value.node.operands[i] = value_of(operands[i], OperandType(n, i));
    }
    for (size_t i = value.node.num_operands; i < 3; ++i) value.node.operands[i] = 0;
    const int32_t result = phase_.code[n].result;
    // What the slot held goes, unless it is outside the frame and this is another tile's.
    const auto previous = values.find(result);
    if (previous != values.end()) {
      PieceValue& old = piece[static_cast<size_t>(previous->second)];
      if (old.kind == PieceValue::Kind::kOp) old.slot = -1;
    }
    value.slot = result;
    values[result] = static_cast<int32_t>(piece.size());
    piece.push_back(value);
  }
  for (PieceValue& value : piece) {
    if (value.kind != PieceValue::Kind::kOp || value.slot < 0) continue;
    if (!IsRead(value.slot, unit->end)) value.slot = -1;
    value.past_cache = past_cache_ && value.slot >= 0 && value.type != DType::kPred &&
                       value.memory == DType::kInvalid && !IsReadHere(value.slot, unit->end);
  }
  for (const StoreStep* store : stores_) {
    if (LastWriter(store->slot) == unit) StoreInPiece(*store, values[store->slot], &piece);
  }
}

void PieceFinder::StoreInPiece(const StoreStep& store, int32_t value, Piece* piece) {
  PieceValue* writer = &(*piece)[static_cast<size_t>(value)];
  if (writer->slot >= 0) {  // somebody else needs it
    writer = &piece->emplace_back(emit::ConversionOf(value, writer->type, writer->type));
  }
  writer->slot = store.memory_slot;
  writer->memory = emit::MemoryFormOf(store.type);
}

PhasePieces PieceFinder::Find() {
  ProposeMemory();
  do {
    FindUnits();
  } while (DropStores() || DropLoads());
  here_ = loads_;
  for (PhaseUnit& unit : found_.units) {
    if (unit.is_piece) Make(&unit);
    for (size_t n = unit.begin; n < unit.end; ++n) here_.erase(phase_.code[n].result);
  }
  for (const LoadStep& load : phase_.loads) {
    if (!loads_.contains(load.slot)) found_.loads.push_back(load);
  }
  for (const IotaStep& iota : phase_.iotas) {
    if (!loads_.contains(iota.slot)) found_.iotas.push_back(iota);
  }
  for (const auto& [slot, source] : loads_) found_.memories.push_back(source.memory);
  for (const StoreStep& store : phase_.stores) {
    if (std::find(stores_.begin(), stores_.end(), &store) == stores_.end()) {
      found_.stores.push_back(store);
    } else {
      found_.memories.push_back({store.store.form, store.memory_slot});
    }
  }
  return std::move(found_);
}

}  // namespace

PhasePieces FindPieces(const TileProgram& program, const PhaseProgram& phase, bool past_cache) {
  return PieceFinder(program, phase, past_cache).Find();
}

}  // namespace plinth::cpu::kernels

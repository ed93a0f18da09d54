// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/emitted_code.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "reference_plugin/cpu/kernels/cost.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Node;
using compiler::Opcode;
using emit::Piece;
using emit::PieceValue;

// Fewer are as well a routine. More take longer to make.
constexpr size_t kFewestOps = 2, kMostOps = 128;

// An op on values in registers takes this part less than its routine: Zen 5, 0.006 ns an element
// and op of 20 plain ones on 64 KB, where a routine takes 0.07; twice that with AVX2.
constexpr double kSavedPart = 0.8;

// For a point, of the ops and constants of a piece.
double SavedNs(const Piece& piece) {
  double ns = 0;
  for (const PieceValue& value : piece) {
    if (value.kind == PieceValue::Kind::kOp) ns += kSavedPart * ElementNs(value.node);
    if (value.kind == PieceValue::Kind::kConstant) ns += kContiguousNs;
  }
  return ns;
}

// Points of a tile of the parallel space.
double PointsOf(const TileProgram& program, bool over_reduced) {
  return static_cast<double>(program.parallel.max_lanes) *
         static_cast<double>(over_reduced ? program.domain.reduced_points : 1);
}

// Finds the pieces of one phase.
class PieceFinder {
 public:
  PieceFinder(const TileProgram& program, const PhaseProgram& phase)
      : program_(program), phase_(phase) {}

  // The end of the piece that begins with the instruction; the same if none does.
  size_t EndOf(size_t begin);
  Piece Make(size_t begin, size_t end) const;

 private:
  bool CanEmit(size_t n) const {
    return n < phase_.ops.size() && phase_.ops[n].node != nullptr &&
           emit::CanEmit(*phase_.ops[n].node, phase_.ops[n].operand);
  }
  DType OperandType(size_t n, size_t operand) const {
    const TileOp& op = phase_.ops[n];
    return op.node->opcode == Opcode::kSelect && operand == 0 ? DType::kPred : op.operand;
  }
  // Its memory is not the frame's, at least not known to be.
  bool IsElsewhere(int32_t slot) const {
    return program_.frame.slot_offsets()[static_cast<size_t>(slot)] < 0;
  }
  // Whether the value that the slot has before the instruction is read there or later.
  bool IsRead(int32_t slot, size_t from) const;

  const TileProgram& program_;
  const PhaseProgram& phase_;
};

void OperandsOf(const Instruction& instruction, int32_t (&slots)[3]) {
  slots[0] = instruction.a;
  slots[1] = instruction.b;
  slots[2] = instruction.c;
}

size_t PieceFinder::EndOf(size_t begin) {
  size_t end = begin;
  // Element sizes of what the piece touches outside the frame: a result may lie over an operand,
  // where vectors of different sizes would not keep out of each other's way.
  size_t size_elsewhere = 0;
  // The same of each register, as the piece reads it first; 0 if it makes the value itself.
  std::unordered_map<int32_t, size_t> sizes_read;
  const auto fits = [&](int32_t slot, DType type, bool is_result) {
    const size_t size = math::TileElementBytes(type);
    if (!IsElsewhere(slot)) {
      const size_t read = sizes_read.try_emplace(slot, is_result ? 0 : size).first->second;
      return !is_result || read == 0 || read == size;
    }
    if (size_elsewhere != 0 && size_elsewhere != size) return false;
    size_elsewhere = size;
    return true;
  };
  for (; CanEmit(end) && end - begin < kMostOps; end += phase_.ops[end].is_rounded ? 2 : 1) {
    const Node& node = *phase_.ops[end].node;
    int32_t operands[3];
    OperandsOf(phase_.code[end], operands);
    bool all_fit = true;
    for (size_t i = 0; i < node.num_operands; ++i) {
      all_fit = all_fit && fits(operands[i], OperandType(end, i), /*is_result=*/false);
    }
    all_fit = all_fit && fits(phase_.code[end].result, node.dtype, /*is_result=*/true);
    if (!all_fit) break;
  }
  return end - begin < kFewestOps ? begin : end;
}

bool PieceFinder::IsRead(int32_t slot, size_t from) const {
  if (IsElsewhere(slot)) return true;
  for (size_t n = from; n < phase_.code.size(); ++n) {
    const Instruction& op = phase_.code[n];
    if (op.a == slot || op.b == slot || op.c == slot) return true;
    if (op.result == slot) return false;
  }
  const auto is_slot = [&](const auto& reader) { return reader.slot == slot; };
  const auto is_source = [&](const auto& reader) { return reader.from == slot; };
  if (std::any_of(phase_.stores.begin(), phase_.stores.end(), is_slot)) return true;
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

Piece PieceFinder::Make(size_t begin, size_t end) const {
  Piece piece;
  std::unordered_map<int32_t, int32_t> values;  // by slot
  const auto value_of = [&](int32_t slot, DType type) {
    const auto [known, is_new] = values.try_emplace(slot, static_cast<int32_t>(piece.size()));
    if (!is_new) return known->second;
    PieceValue& value = piece.emplace_back();
    value.type = math::TileTypeOf(type);
    value.slot = slot;
    for (const ConstantStep& constant : program_.constants) {
      if (constant.slot != slot) continue;
      value.kind = PieceValue::Kind::kConstant;
      value.slot = -1;
      value.bits = emit::LaneBits::Of(type, constant.element.bytes);
    }
    return known->second;
  };
  for (size_t n = begin; n < end; n += phase_.ops[n].is_rounded ? 2 : 1) {
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
    if (value.kind == PieceValue::Kind::kOp && value.slot >= 0 && !IsRead(value.slot, end)) {
      value.slot = -1;
    }
  }
  return piece;
}

}  // namespace

std::unique_ptr<const EmittedCode> EmittedCode::Make(const TileProgram& program, bool whole_rows,
                                                     emit::CodeCache& codes) {
  auto emitted = std::make_unique<EmittedCode>();
  if (whole_rows && !program.reduces_rows) emitted->row_ = RowCode::Describe(program);
  if (emitted->row_.has_value()) {
    for (const emit::RowPhase& phase : emitted->row_->row().phases) {
      emitted->saved_ns_ += SavedNs(phase.piece) * PointsOf(program, /*over_reduced=*/true);
    }
  }
  std::vector<Piece> pieces;
  for (const PhaseProgram& phase : program.phases) {
    std::vector<Step>& steps = emitted->phases_.emplace_back();
    PieceFinder finder(program, phase);
    for (size_t n = 0; n < phase.code.size();) {
      const bool in_row = emitted->row_.has_value() && phase.over_reduced;
      const size_t end = in_row ? n : finder.EndOf(n);
      if (end == n) {
        steps.push_back({nullptr, phase.code[n++]});
        continue;
      }
      pieces.push_back(finder.Make(n, end));
      emitted->saved_ns_ += SavedNs(pieces.back()) * PointsOf(program, phase.over_reduced);
      steps.push_back({});
      n = end;
    }
  }
  if (pieces.empty() && !emitted->row_.has_value()) return nullptr;
  emitted->code_ = codes.Get(pieces, emitted->row_.has_value() ? &emitted->row_->row() : nullptr);
  if (emitted->code_ == nullptr) return nullptr;
  if (emitted->row_.has_value()) emitted->row_->set_function(emitted->code_->row());
  size_t number = 0;
  for (std::vector<Step>& steps : emitted->phases_) {
    for (Step& step : steps) {
      if (step.instruction.function == nullptr) step.piece = emitted->code_->function(number++);
    }
  }
  return emitted;
}

}  // namespace plinth::cpu::kernels

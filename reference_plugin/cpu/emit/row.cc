// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/row.h"

#include <algorithm>
#include <utility>

#include "reference_plugin/cpu/emit/body_emitter.h"
#include "reference_plugin/cpu/math/partials.h"

namespace plinth::cpu::emit {
namespace {

using compiler::Opcode;
using Xbyak::util::dword;
using Xbyak::util::ecx;
using Xbyak::util::esi;
using Xbyak::util::ptr;
using Xbyak::util::rcx;

using Kind = PieceValue::Kind;

constexpr int64_t kPartials = static_cast<int64_t>(math::kPartialBytes) / kLaneBytes;

// As far ahead as math/partials does.
constexpr int64_t kPrefetchBytes = 8 << 10;
constexpr int64_t kLineBytes = 64;

// A phase's values that are the same in all lanes, and the others.
struct SplitPhase {
  Piece once, rest;
};

class RowEmitter {
 public:
  RowEmitter(const Row& row, math::SimdTarget target, Assembler& code, ConstantPool& pool)
      : row_(row), code_(code), body_(target, code, pool), num_kept_(row.num_kept) {}

  void Emit();

 private:
  SplitPhase Split(const RowPhase& phase);
  void EmitPhase(const RowPhase& phase);
  void EmitPrefetches(const Piece& piece, int64_t elements);
  void EmitElements(const Piece& piece, int copies);
  void EmitCopies(const Piece& piece, int first, int copies, int at_once);
  void EmitResult(const RowPhase& phase, int number);

  const Row& row_;
  Assembler& code_;
  BodyEmitter body_;
  int32_t num_kept_;
  int32_t reductions_done_ = 0;
  bool is_first_phase_ = true;
  std::vector<int32_t> kept_;  // by value of the phase: under which number it is kept
};

// What the rest needs is kept.
SplitPhase RowEmitter::Split(const RowPhase& phase) {
  SplitPhase split;
  const Piece piece = OrderOperands(phase.piece);
  const size_t size = piece.size();
  std::vector<bool> is_once(size), is_needed(size);
  const auto has_all_lanes = [&](int32_t n) {
    return is_once[static_cast<size_t>(n)] || piece[static_cast<size_t>(n)].kind == Kind::kConstant;
  };
  for (size_t n = 0; n < size; ++n) {
    const PieceValue& value = piece[n];
    is_once[n] = value.kind == Kind::kScalar || value.kind == Kind::kKept ||
                 (value.kind == Kind::kOp && value.slot < 0);
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      is_once[n] = is_once[n] && has_all_lanes(value.node.operands[i]);
    }
    for (size_t i = 0; i < value.node.num_operands && !is_once[n]; ++i) {
      is_needed[static_cast<size_t>(value.node.operands[i])] = true;
    }
  }
  for (const RowReduction& reduction : phase.reductions) {
    is_needed[static_cast<size_t>(reduction.value)] = true;
    is_needed[static_cast<size_t>(reduction.initial)] = true;
  }
  kept_.assign(size, -1);
  std::vector<int32_t> once(size, -1), rest(size, -1);  // numbers in the parts
  const auto add = [](Piece* part, std::vector<int32_t>* numbers, size_t n, PieceValue value) {
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      value.node.operands[i] = (*numbers)[static_cast<size_t>(value.node.operands[i])];
    }
    (*numbers)[n] = static_cast<int32_t>(part->size());
    part->push_back(value);
  };
  for (size_t n = 0; n < size; ++n) {
    PieceValue value = piece[n];
    if (value.kind == Kind::kKept) kept_[n] = value.slot;
    if (!is_once[n]) {
      add(&split.rest, &rest, n, value);
      if (value.kind == Kind::kConstant) add(&split.once, &once, n, value);
      continue;
    }
    if (value.kept < 0 && is_needed[n] && value.kind != Kind::kKept) value.kept = num_kept_++;
    if (value.kept >= 0) kept_[n] = value.kept;
    add(&split.once, &once, n, value);
    if (kept_[n] < 0) continue;
    PieceValue read;
    read.kind = Kind::kKept;
    read.type = value.type;
    read.slot = kept_[n];
    add(&split.rest, &rest, n, read);
  }
  for (size_t r = 0; r < phase.reductions.size(); ++r) {
    const RowReduction& reduction = phase.reductions[r];
    PieceValue combine;
    combine.kind = Kind::kCombine;
    combine.type = combine.operand_type = combine.node.dtype = reduction.type;
    combine.slot = static_cast<int32_t>(r);
    combine.node.opcode = reduction.opcode;
    combine.node.num_operands = 1;
    combine.node.operands[0] = rest[static_cast<size_t>(reduction.value)];
    split.rest.push_back(combine);
  }
  return split;
}

// Copies of the piece for the vectors of a group, so many at a time.
void RowEmitter::EmitCopies(const Piece& piece, int first, int copies, int at_once) {
  while (copies > 0) {
    const int some = std::min(copies, at_once);
    body_.Emit(Repeat(piece, first, some, body_.lanes()), /*is_tail=*/false);
    first += some;
    copies -= some;
  }
}

// Asks for what the first phase, which reads the row from memory, reads later.
void RowEmitter::EmitPrefetches(const Piece& piece, int64_t elements) {
  if (!is_first_phase_) return;
  std::vector<int32_t> slots;
  for (const PieceValue& value : piece) {
    if (value.kind == Kind::kInput && ByteSize(value.type) == kLaneBytes) {
      FindSlots({value}, &slots);
    }
  }
  for (const int32_t slot : slots) {
    const Xbyak::RegExp base = body_.BaseOf(slot) + rcx * static_cast<int>(kLaneBytes);
    for (int64_t at = 0; at < elements * kLaneBytes; at += kLineBytes) {
      code_.prefetcht0(ptr[base + static_cast<size_t>(kPrefetchBytes + at)]);
    }
  }
}

// All elements of the row, in groups of so many vectors.
void RowEmitter::EmitElements(const Piece& piece, int copies) {
  int at_once = copies;
  while (at_once > 1 && !body_.Fits(piece, at_once)) at_once /= 2;
  body_.PinConstants(Repeat(piece, 0, at_once, body_.lanes()));
  const int64_t group = copies * body_.lanes(), in_groups = row_.lanes / group * group;
  code_.xor_(ecx, ecx);
  if (in_groups > 0) {
    Xbyak::Label loop;
    code_.align(kLoopAlignment);
    code_.L(loop);
    EmitPrefetches(piece, group);
    EmitCopies(piece, 0, copies, at_once);
    code_.add(rcx, static_cast<uint32_t>(group));
    code_.cmp(rcx, static_cast<uint32_t>(in_groups));
    code_.jl(loop);
  }
  const int64_t left = row_.lanes - in_groups;
  const auto vectors = static_cast<int>(left / body_.lanes());
  EmitCopies(piece, 0, vectors, at_once);
  const int64_t tail = left % body_.lanes();
  if (tail == 0) return;
  code_.mov(esi, static_cast<uint32_t>(tail));
  body_.Emit(Repeat(piece, vectors, 1, body_.lanes()), /*is_tail=*/true);
}

// The partial results of a reduction become one value.
void RowEmitter::EmitResult(const RowPhase& phase, int number) {
  const RowReduction& reduction = phase.reductions[static_cast<size_t>(number)];
  VectorCode& vector = body_.vector();
  const auto vectors = static_cast<int>(kPartials / body_.lanes());
  std::vector<Vec> parts;
  for (int i = 0; i < vectors; ++i) {
    parts.push_back(body_.LoadAccumulator(number * vectors + i, vector.Vector(i)));
  }
  for (size_t half = parts.size() / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      const Vec sum = vector.Vector(static_cast<int>(i));
      vector.Combine(reduction.opcode, reduction.type, sum, parts[i], parts[i + half]);
      parts[i] = sum;
    }
  }
  const Vec result = vector.Vector(0), spare = vector.Vector(1);
  vector.CombineLanes(reduction.opcode, reduction.type, result, spare);
  const PieceValue& initial = phase.piece[static_cast<size_t>(reduction.initial)];
  if (initial.kind == Kind::kConstant) {
    vector.LoadConstant(spare, initial.bits);
  } else {
    vector.Load(spare, body_.Kept(kept_[static_cast<size_t>(reduction.initial)]));
  }
  vector.Combine(reduction.opcode, reduction.type, result, spare, result);
  if (reduction.rounded != DType::kInvalid) vector.RoundToHalf(reduction.rounded, result);
  const Xbyak::Xmm low(result.getIdx());
  code_.vmovss(dword[body_.BaseOf(reduction.slot)], low);
  code_.vbroadcastss(result, low);
  vector.Store(body_.Kept(reductions_done_++), result);
}

void RowEmitter::EmitPhase(const RowPhase& phase) {
  const auto reductions = static_cast<int>(phase.reductions.size());
  const SplitPhase split = Split(phase);
  body_.MakeAccumulators(0, 0);
  body_.Emit(split.once, /*is_tail=*/false);
  if (reductions == 0) return EmitElements(split.rest, body_.BestCopies(split.rest));
  const auto of_each = static_cast<int>(kPartials / body_.lanes());
  body_.MakeAccumulators(reductions, of_each);
  for (int i = 0; i < reductions * of_each; ++i) {
    const RowReduction& reduction = phase.reductions[static_cast<size_t>(i / of_each)];
    const Vec neutral = body_.vector().Vector(0);
    body_.vector().LoadConstant(neutral, VectorCode::NeutralOf(reduction.opcode, reduction.type));
    body_.StoreAccumulator(i, neutral);
  }
  EmitElements(split.rest, of_each);
  body_.vector().Unpin();
  for (int r = 0; r < reductions; ++r) EmitResult(phase, r);
}

void RowEmitter::Emit() {
  std::vector<int32_t> slots;
  for (const RowPhase& phase : row_.phases) {
    FindSlots(phase.piece, &slots);
    for (const RowReduction& reduction : phase.reductions) {
      PieceValue written;
      written.slot = reduction.slot;
      FindSlots({written}, &slots);
    }
  }
  body_.Begin(std::move(slots));
  for (const RowPhase& phase : row_.phases) {
    EmitPhase(phase);
    is_first_phase_ = false;
  }
  body_.End();
}

}  // namespace

bool CanReduce(Opcode opcode, DType type) {
  switch (type) {
    case DType::kF32:
      return math::FindPartials(opcode, type) && VectorCode::CanCombine(opcode, type);
    case DType::kS32:
    case DType::kU32:
      switch (opcode) {
        case Opcode::kAdd:
        case Opcode::kMultiply:
        case Opcode::kMaximum:
        case Opcode::kMinimum:
        case Opcode::kAnd:
        case Opcode::kOr:
        case Opcode::kXor:
          return true;
        default:
          return false;
      }
    default:
      return false;
  }
}

void AppendKey(const Row& row, std::string* key) {
  AppendBytes(row.lanes, key);
  AppendBytes(row.num_kept, key);
  for (const RowPhase& phase : row.phases) {
    AppendKey(phase.piece, key);
    AppendBytes(phase.reductions.size(), key);
    for (const RowReduction& reduction : phase.reductions) {
      AppendBytes(reduction.opcode, key);
      AppendBytes(reduction.type, key);
      AppendBytes(reduction.rounded, key);
      AppendBytes(reduction.value, key);
      AppendBytes(reduction.initial, key);
      AppendBytes(reduction.slot, key);
    }
  }
}

void EmitRow(const Row& row, math::SimdTarget target, Assembler& code, ConstantPool& pool) {
  RowEmitter(row, target, code, pool).Emit();
}

}  // namespace plinth::cpu::emit

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/row.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "reference_plugin/cpu/emit/body_emitter.h"
#include "reference_plugin/cpu/math/partials.h"

namespace plinth::cpu::emit {
namespace {

using compiler::Opcode;
using Xbyak::util::dword;
using Xbyak::util::ecx;
using Xbyak::util::esi;
using Xbyak::util::ptr;
using Xbyak::util::qword;
using Xbyak::util::rax;
using Xbyak::util::rcx;
using Xbyak::util::rdi;
using Xbyak::util::rsi;

using Kind = PieceValue::Kind;

constexpr int64_t kPartials = static_cast<int64_t>(math::kPartialBytes) / kLaneBytes;

// As far ahead as math/partials does.
constexpr int64_t kPrefetchBytes = 8 << 10;
constexpr int64_t kLineBytes = 64;

// Bounds the code: ops of all rows that are done at once.
constexpr size_t kMostOpsAtOnce = 256;
// What an address in code can say.
constexpr int64_t kFarthest = int64_t{1} << 24;

// A phase's values that are the same in all lanes, and the others.
struct SplitPhase {
  Piece once, rest;
};

// Vectors that partial results of a row take.
int PartialVectors(const Row& row, int64_t lanes) {
  return static_cast<int>((std::min(kPartials, row.lanes) + lanes - 1) / lanes);
}

// Which values are the same in all lanes, without constants.
std::vector<bool> FindOnce(const Piece& piece) {
  std::vector<bool> is_once(piece.size());
  const auto has_all_lanes = [&](int32_t n) {
    return is_once[static_cast<size_t>(n)] || piece[static_cast<size_t>(n)].kind == Kind::kConstant;
  };
  for (size_t n = 0; n < piece.size(); ++n) {
    const PieceValue& value = piece[n];
    is_once[n] = value.kind == Kind::kScalar || value.kind == Kind::kKept ||
                 (value.kind == Kind::kOp && value.slot < 0);
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      is_once[n] = is_once[n] && has_all_lanes(value.node.operands[i]);
    }
  }
  return is_once;
}

class RowEmitter {
 public:
  RowEmitter(const Row& row, math::SimdTarget target, Assembler& code, ConstantPool& pool)
      : row_(row),
        target_(target),
        code_(code),
        body_(target, code, pool),
        num_kept_(row.num_kept) {}

  void Emit();

 private:
  void EmitRows(int rows);
  SplitPhase Split(const RowPhase& phase);
  void EmitPhase(const RowPhase& phase);
  void EmitPrefetches(const Piece& piece, int64_t elements);
  void EmitElements(const Piece& piece, int copies);
  void EmitCopies(const Piece& piece, int first, int copies, int at_once);
  void EmitShortRows(const Piece& piece);
  void EmitLongRow(const Piece& piece, int copies);
  void EmitPlaces(const Piece& piece, std::span<const Place> places, bool is_tail);
  void EmitResult(const RowPhase& phase, int number);
  void StoreResult(const RowReduction& reduction, const Xbyak::Address& kept);
  void EmitSteps(int64_t RowStep::*step, int64_t times);
  void Add(int64_t number, const Xbyak::Operand& to);

  const Row& row_;
  const math::SimdTarget target_;
  Assembler& code_;
  BodyEmitter body_;
  int32_t num_kept_;
  int rows_ = 1;                                 // done at once
  std::optional<Xbyak::Address> rows_of_group_;  // left
  int32_t reductions_done_ = 0;
  bool is_first_phase_ = true;
  std::vector<int32_t> kept_;  // by value of the phase: under which number it is kept
};

// What the rest needs is kept.
SplitPhase RowEmitter::Split(const RowPhase& phase) {
  SplitPhase split;
  const Piece piece = OrderOperands(DropWraps(phase.piece));
  const size_t size = piece.size();
  const std::vector<bool> is_once = FindOnce(piece);
  std::vector<bool> is_needed(size);
  for (size_t n = 0; n < size; ++n) {
    const PieceValue& value = piece[n];
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
    const bool is_of_lanes = ByteSize(value.type) == kLaneBytes && !IsShort(value.memory);
    if (value.kind == Kind::kInput && is_of_lanes) {
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

void RowEmitter::EmitPlaces(const Piece& piece, std::span<const Place> places, bool is_tail) {
  if (places.empty()) return;
  auto at_once = places.size();
  while (at_once > 1 && !body_.Fits(piece, static_cast<int>(at_once))) at_once /= 2;
  for (size_t first = 0; first < places.size(); first += at_once) {
    const size_t some = std::min(at_once, places.size() - first);
    body_.Emit(Repeat(piece, places.subspan(first, some)), is_tail);
  }
}

// All elements of the rows that are done at once.
void RowEmitter::EmitShortRows(const Piece& piece) {
  const int64_t lanes = body_.lanes();
  std::vector<Place> whole, tails;
  for (int32_t row = 0; row < rows_; ++row) {
    for (int64_t lane = 0; lane < row_.lanes; lane += lanes) {
      const Place place = {row, static_cast<int32_t>(lane)};
      (row_.lanes - lane < lanes ? tails : whole).push_back(place);
    }
  }
  body_.PinConstants(piece);
  code_.xor_(ecx, ecx);
  EmitPlaces(piece, whole, /*is_tail=*/false);
  if (tails.empty()) return;
  code_.mov(esi, static_cast<uint32_t>(row_.lanes % lanes));
  EmitPlaces(piece, tails, /*is_tail=*/true);
}

// All elements of the row, in groups of so many vectors.
void RowEmitter::EmitElements(const Piece& piece, int copies) {
  if (rows_ > 1) return EmitShortRows(ThroughCache(piece));
  body_.EmitPastCacheIfAligned(piece, [&](bool past_cache) {
    EmitLongRow(past_cache ? piece : ThroughCache(piece), copies);
  });
}

void RowEmitter::EmitLongRow(const Piece& piece, int copies) {
  int at_once = copies;
  while (at_once > 1 && !body_.Fits(piece, at_once)) at_once /= 2;
  body_.PinConstants(Repeat(piece, 0, at_once, body_.lanes()));
  const int64_t group = copies * body_.lanes();
  const int64_t in_groups = row_.lanes == group ? 0 : row_.lanes / group * group;
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
  body_.Emit(ThroughCache(Repeat(piece, vectors, 1, body_.lanes())), /*is_tail=*/true);
}

// The partial results of a reduction become one value.
void RowEmitter::EmitResult(const RowPhase& phase, int number) {
  const RowReduction& reduction = phase.reductions[static_cast<size_t>(number)];
  VectorCode& vector = body_.vector();
  const int vectors = PartialVectors(row_, body_.lanes());
  std::vector<Vec> rows;
  for (int row = 0; row < rows_; ++row) {
    std::vector<Vec> parts;
    parts.reserve(static_cast<size_t>(vectors));
    for (int i = 0; i < vectors; ++i) {
      parts.push_back(
          body_.LoadAccumulator((number * rows_ + row) * vectors + i, vector.Vector(row + i)));
    }
    while (parts.size() > 1) {
      const size_t half = std::bit_floor(parts.size() - 1);
      for (size_t i = 0; i + half < parts.size(); ++i) {
        const Vec sum = vector.Vector(row + static_cast<int>(i));
        vector.Combine(reduction.opcode, reduction.type, sum, parts[i], parts[i + half]);
        parts[i] = sum;
      }
      parts.resize(half);
    }
    rows.push_back(vector.Vector(row));
    vector.Move(rows.back(), parts[0]);
  }
  const Vec result = vector.Vector(0), spare = vector.Vector(rows_);
  if (rows_ > 1) {
    vector.CombineRows(reduction.opcode, reduction.type, rows, spare, vector.Vector(rows_ + 1));
  } else {
    vector.CombineLanes(reduction.opcode, reduction.type, result, spare);
  }
  const PieceValue& initial = phase.piece[static_cast<size_t>(reduction.initial)];
  if (initial.kind == Kind::kConstant) {
    vector.LoadConstant(spare, initial.bits);
  } else {
    vector.Load(spare, body_.Kept(kept_[static_cast<size_t>(reduction.initial)]));
  }
  vector.Combine(reduction.opcode, reduction.type, result, spare, result);
  if (reduction.rounded != DType::kInvalid) vector.RoundToHalf(reduction.rounded, result);
  const Xbyak::Address kept = body_.Kept(reductions_done_++);
  const Xbyak::Xmm low(result.getIdx());
  if (rows_ == 1) {
    code_.vmovss(dword[body_.BaseOf(reduction.slot)], low);
    code_.vbroadcastss(result, low);
  }
  vector.Store(kept, result);
  if (rows_ > 1) StoreResult(reduction, kept);
}

// Of each row.
void RowEmitter::StoreResult(const RowReduction& reduction, const Xbyak::Address& kept) {
  const int64_t step = row_.steps[static_cast<size_t>(reduction.slot)].step;
  const Xbyak::RegExp base = body_.BaseOf(reduction.slot);
  for (int64_t row = 0; row < rows_; ++row) {
    const auto lane = static_cast<size_t>(body_.vector().LaneOfRow(row));
    code_.mov(esi, dword[kept.getRegExp() + lane * kLaneBytes]);
    code_.mov(dword[base + static_cast<size_t>(row * step)], esi);
  }
}

void RowEmitter::EmitPhase(const RowPhase& phase) {
  const auto reductions = static_cast<int>(phase.reductions.size());
  const SplitPhase split = Split(phase);
  body_.MakeAccumulators(0, 0, /*are_set=*/false);
  const Place all[] = {{.row = rows_ > 1 ? PieceValue::kAllRows : 0}};
  body_.Emit(Repeat(split.once, all), /*is_tail=*/false);
  if (reductions == 0) return EmitElements(split.rest, body_.BestCopies(split.rest));
  const int of_each = PartialVectors(row_, body_.lanes());
  const bool is_short = row_.lanes <= kPartials;
  body_.MakeAccumulators(reductions, of_each, /*are_set=*/!is_short);
  for (int i = 0; i < reductions * of_each && !is_short; ++i) {
    // Rows that are done at once are short.
    const RowReduction& reduction = phase.reductions[static_cast<size_t>(i / of_each)];
    const Vec neutral = body_.vector().Vector(0);
    body_.vector().LoadConstant(neutral, VectorCode::NeutralOf(reduction.opcode, reduction.type));
    body_.StoreAccumulator(i, neutral);
  }
  EmitElements(split.rest, of_each);
  body_.vector().Unpin();
  for (int r = 0; r < reductions; ++r) EmitResult(phase, r);
}

void RowEmitter::Add(int64_t number, const Xbyak::Operand& to) {
  if (number == static_cast<int32_t>(number)) {
    code_.add(to, static_cast<uint32_t>(number));
    return;
  }
  code_.mov(rax, number);
  code_.add(to, rax);
}

// Everything goes on.
void RowEmitter::EmitSteps(int64_t RowStep::*step, int64_t times) {
  for (size_t slot = 0; slot < row_.steps.size(); ++slot) {
    const auto number = static_cast<int32_t>(slot);
    const int64_t bytes = row_.steps[slot].*step * times;
    if (bytes == 0) continue;
    if (row_.steps[slot].is_number) {
      code_.add(dword[body_.BaseOf(number)], static_cast<uint32_t>(bytes));
    } else if (const auto pointer = body_.PointerOf(number); pointer.has_value()) {
      Add(bytes, *pointer);
    } else {
      Add(bytes, qword[rdi + 8 * number]);
    }
  }
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
  const Xbyak::Address rows_left = body_.NewNumber();
  code_.mov(rows_left, rsi);
  if (row_.group > 0) {
    rows_of_group_ = body_.NewNumber();
    code_.mov(*rows_of_group_, static_cast<uint32_t>(row_.group));
  }
  Xbyak::Label next_rows, next_row, end;
  if (const int rows = RowsAtOnce(row_, target_); rows > 1) {
    code_.cmp(rsi, rows);
    code_.jl(next_row);
    code_.align(kLoopAlignment);
    code_.L(next_rows);
    EmitRows(rows);
    code_.sub(rows_left, rows);
    code_.cmp(rows_left, rows);
    code_.jge(next_rows);
    code_.cmp(rows_left, 0);
    code_.je(end);
  }
  code_.align(kLoopAlignment);
  code_.L(next_row);
  EmitRows(1);
  code_.dec(rows_left);
  code_.jnz(next_row);
  code_.L(end);
  body_.End();
}

void RowEmitter::EmitRows(int rows) {
  rows_ = rows;
  std::vector<int64_t> apart;
  for (const RowStep& step : row_.steps) apart.push_back(step.step + step.apart);
  body_.SetRows(rows, std::move(apart));
  num_kept_ = row_.num_kept;
  reductions_done_ = 0;
  is_first_phase_ = true;
  for (const RowPhase& phase : row_.phases) {
    EmitPhase(phase);
    is_first_phase_ = false;
  }
  EmitSteps(&RowStep::step, rows_);
  if (!rows_of_group_.has_value()) return;
  Xbyak::Label inside;
  code_.sub(*rows_of_group_, rows_);
  code_.jnz(inside);
  code_.mov(*rows_of_group_, static_cast<uint32_t>(row_.group));
  EmitSteps(&RowStep::jump, 1);
  code_.L(inside);
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

int RowsAtOnce(const Row& row, math::SimdTarget target) {
  if (row.lanes > kLongestOfSeveral) return 1;
  size_t ops = 0;
  for (const RowPhase& phase : row.phases) {
    ops += phase.piece.size();
    const std::vector<bool> is_once = FindOnce(phase.piece);
    // Nobody puts what each row reads into lanes, nor a lane of a mask into all lanes.
    const auto is_once_pred = [&](int32_t n) {
      const auto number = static_cast<size_t>(n);
      return is_once[number] && phase.piece[number].type == DType::kPred;
    };
    for (size_t n = 0; n < phase.piece.size(); ++n) {
      const PieceValue& value = phase.piece[n];
      if (value.kind == Kind::kScalar && row.steps[static_cast<size_t>(value.slot)].step != 0) {
        return 1;
      }
      if (value.kept >= 0 && is_once_pred(static_cast<int32_t>(n))) return 1;
      const auto& operands = value.node.operands;
      if (!is_once[n] && std::any_of(operands, operands + value.node.num_operands, is_once_pred)) {
        return 1;
      }
    }
  }
  for (const RowStep& step : row.steps) {
    if (std::abs(step.step + step.apart) > kFarthest) return 1;
  }
  const int vectors = PartialVectors(row, LanesOf(target));
  int rows = static_cast<int>(std::bit_floor(static_cast<unsigned>(kMostRowsAtOnce / vectors)));
  while (rows > 1 && ops * static_cast<size_t>(vectors * rows) > kMostOpsAtOnce) rows /= 2;
  while (row.group % rows != 0) rows /= 2;
  return rows;
}

void AppendKey(const Row& row, std::string* key) {
  AppendBytes(row.lanes, key);
  AppendBytes(row.num_kept, key);
  for (const RowStep& step : row.steps) {
    AppendBytes(step.step, key);
    AppendBytes(step.is_number, key);
    AppendBytes(step.apart, key);
    AppendBytes(step.jump, key);
  }
  AppendBytes(row.group, key);
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
  // All elements of a row that fits a register of AVX2 would be a tail of AVX-512's, behind a mask.
  // Xeon (AMX), rows of eight: packed bits took 393 us and take 284, products of matrices and
  // vectors 219 and 188.
  const bool fits_half = row.lanes <= kLanes && target == math::SimdTarget::kAvx512;
  RowEmitter(row, fits_half ? math::SimdTarget::kAvx2 : target, code, pool).Emit();
}

}  // namespace plinth::cpu::emit

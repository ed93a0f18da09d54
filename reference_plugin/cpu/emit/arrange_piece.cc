// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/emit/arrange_piece.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::emit {
namespace {

using compiler::Opcode;
using Kind = PieceValue::Kind;

// Which of two NaNs a sum or product gives is up to who compiled its routine: that one is asked.
template <class T>
bool AnswersSecondNan(Opcode opcode, DType type) {
  constexpr size_t kCount = 32;
  using Limits = std::numeric_limits<T>;
  const math::TileRoutine routine = math::FindTileRoutine(opcode, type, type);
  if (!routine) return false;
  std::array<T, kCount> first, second, result = {};
  first.fill(Limits::quiet_NaN());
  second.fill(-Limits::quiet_NaN());
  routine.compute(result.data(), first.data(), second.data(), nullptr, kCount, {});
  return std::signbit(result[0]);
}
bool AnswersSecondNan(Opcode opcode, DType type) {
  static const bool kOfAdd = AnswersSecondNan<float>(Opcode::kAdd, DType::kF32),
                    kOfMultiply = AnswersSecondNan<float>(Opcode::kMultiply, DType::kF32),
                    kOfWideAdd = AnswersSecondNan<double>(Opcode::kAdd, DType::kF64),
                    kOfWideMultiply = AnswersSecondNan<double>(Opcode::kMultiply, DType::kF64);
  switch (opcode) {
    case Opcode::kAdd:
      return type == DType::kF64 ? kOfWideAdd : kOfAdd;
    case Opcode::kMultiply:
      return type == DType::kF64 ? kOfWideMultiply : kOfMultiply;
    default:
      return false;
  }
}

}  // namespace

Piece OrderOperands(Piece piece) {
  for (PieceValue& value : piece) {
    if (value.kind != Kind::kOp || !IsFloatType(value.operand_type)) continue;
    if (!AnswersSecondNan(value.node.opcode, value.operand_type)) continue;
    std::swap(value.node.operands[0], value.node.operands[1]);
  }
  return piece;
}

namespace {

enum class Reads : uint8_t { kBits, kAsMuchAsTheResult, kAll };

// What of its operands an op reads: their own bits, or also those above, which then are the sign's.
Reads ReadsOf(const PieceValue& op) {
  const bool is_short = op.kind == Kind::kOp && IsShort(op.memory);
  if (!is_short || op.operand_type != DType::kS32) return Reads::kAll;
  switch (op.node.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
      return Reads::kBits;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kSelect:
      return Reads::kAsMuchAsTheResult;
    default:
      return Reads::kAll;
  }
}

}  // namespace

Piece DropWraps(Piece piece) {
  std::vector<bool> is_whole(piece.size());  // somebody reads more than the value's own bits
  for (size_t n = piece.size(); n-- > 0;) {
    PieceValue& value = piece[n];
    is_whole[n] = is_whole[n] || value.kept >= 0;
    const Reads reads = ReadsOf(value);
    for (size_t i = 0; i < value.node.num_operands; ++i) {
      if (reads == Reads::kAll || (reads == Reads::kAsMuchAsTheResult && is_whole[n])) {
        is_whole[static_cast<size_t>(value.node.operands[i])] = true;
      }
    }
    if (IsShort(value.rounded) && !is_whole[n] && !IsFloatType(value.operand_type)) {
      value.rounded = DType::kInvalid;
    }
  }
  return piece;
}

Piece DelayMasks(const Piece& piece) {
  std::vector<size_t> last_use(piece.size(), 0);
  for (size_t n = 0; n < piece.size(); ++n) {
    for (size_t i = 0; i < piece[n].node.num_operands; ++i) {
      last_use[static_cast<size_t>(piece[n].node.operands[i])] = n;
    }
  }
  // Each value stands where it stood, or before the first that uses it.
  std::vector<size_t> place(piece.size()), first_use(piece.size(), piece.size());
  std::vector<std::vector<size_t>> at(piece.size());
  for (size_t n = piece.size(); n-- > 0;) {
    const PieceValue& value = piece[n];
    const std::span operands(value.node.operands, value.node.num_operands);
    const bool is_gone_then = std::any_of(operands.begin(), operands.end(), [&](int32_t o) {
      const auto operand = static_cast<size_t>(o);
      return piece[operand].kind == Kind::kOp && last_use[operand] < first_use[n];
    });
    const bool moves = value.kind == Kind::kOp && value.type == DType::kPred && value.slot < 0 &&
                       value.kept < 0 && first_use[n] < piece.size() && !is_gone_then;
    place[n] = moves ? first_use[n] : n;
    for (const int32_t operand : operands) {
      size_t& first = first_use[static_cast<size_t>(operand)];
      first = std::min(first, place[n]);
    }
  }
  for (size_t n = 0; n < piece.size(); ++n) at[place[n]].push_back(n);
  Piece ordered;
  std::vector<int32_t> numbers(piece.size());
  for (const std::vector<size_t>& values : at) {
    for (const size_t n : values) {
      numbers[n] = static_cast<int32_t>(ordered.size());
      PieceValue& value = ordered.emplace_back(piece[n]);
      for (size_t i = 0; i < value.node.num_operands; ++i) {
        value.node.operands[i] = numbers[static_cast<size_t>(value.node.operands[i])];
      }
    }
  }
  return ordered;
}

Piece Repeat(const Piece& piece, std::span<const Place> places) {
  Piece all;
  std::vector<std::vector<int32_t>> numbers;  // of the copies of each value
  for (const PieceValue& value : piece) {
    std::vector<int32_t>& copy = numbers.emplace_back();
    for (size_t c = 0; c < places.size(); ++c) {
      const bool is_same = value.kind == Kind::kConstant ||
                           (c > 0 && IsShared(value) && places[c].row == places[c - 1].row);
      if (c > 0 && is_same) {
        copy.push_back(copy.back());
        continue;
      }
      copy.push_back(static_cast<int32_t>(all.size()));
      PieceValue& made = all.emplace_back(value);
      made.first_lane = places[c].first_lane;
      made.row = places[c].row;
      for (size_t i = 0; i < value.node.num_operands; ++i) {
        made.node.operands[i] = numbers[static_cast<size_t>(value.node.operands[i])][c];
      }
    }
  }
  return all;
}

Piece Repeat(const Piece& piece, int first, int copies, int64_t lanes) {
  std::vector<Place> places;
  for (int c = first; c < first + copies; ++c) {
    places.push_back({.first_lane = c * static_cast<int32_t>(lanes)});
  }
  return Repeat(piece, places);
}

void FindSlots(const Piece& piece, std::vector<int32_t>* slots) {
  for (const PieceValue& value : piece) {
    if (value.slot < 0 || value.kind == Kind::kKept || value.kind == Kind::kCombine) continue;
    if (std::find(slots->begin(), slots->end(), value.slot) == slots->end()) {
      slots->push_back(value.slot);
    }
  }
}

}  // namespace plinth::cpu::emit

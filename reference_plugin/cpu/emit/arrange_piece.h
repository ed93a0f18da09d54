// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ARRANGE_PIECE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ARRANGE_PIECE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference_plugin/cpu/emit/piece.h"

// A piece in another order, or several times.
namespace plinth::cpu::emit {

// The instructions answer the first of two NaNs; so do the ops then.
Piece OrderOperands(Piece piece);
// A short value keeps what an op leaves above it where only its own bits count.
Piece DropWraps(Piece piece);
// Preds that are made of what is there anyway are made where they are used first: of a chain of
// selections all conditions come first otherwise, and there are few masks.
Piece DelayMasks(const Piece& piece);

// The vector on which a copy of a piece works.
struct Place {
  int32_t row = 0;
  int32_t first_lane = 0;
};

// The piece for some vectors, op by op: what waits for the result of one may do the next.
Piece Repeat(const Piece& piece, std::span<const Place> places);
// For `copies` vectors of a row, of so many lanes, from vector `first` on.
Piece Repeat(const Piece& piece, int first, int copies, int64_t lanes);

// Which slots the values read or write, each once.
void FindSlots(const Piece& piece, std::vector<int32_t>* slots);

// Whether all vectors have the value, which is in memory.
inline bool IsShared(const PieceValue& value) {
  return value.kind == PieceValue::Kind::kConstant || value.kind == PieceValue::Kind::kKept ||
         value.kind == PieceValue::Kind::kScalar;
}

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ARRANGE_PIECE_H_

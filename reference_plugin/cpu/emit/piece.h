// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_PIECE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_PIECE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/assembler.h"
#include "reference_plugin/cpu/emit/vector_code.h"

// Several ops on tiles as one loop, whose values stay in registers.
namespace plinth::cpu::emit {

struct PieceValue {
  static constexpr int32_t kAllRows = -1;  // each of the rows has a lane

  // A piece has those up to kOp.
  enum class Kind : uint8_t {
    kInput,
    kConstant,
    kOp,
    kScalar,   // the one element of the slot, in all lanes
    kLane,     // the number of the lane in the row, s32
    kKept,     // number `slot` of what the function keeps, in all lanes
    kCombine,  // the operand into an accumulator of reduction `slot`
  };

  Kind kind = Kind::kInput;
  DType type = DType::kInvalid;
  int32_t slot = -1;         // kInput: read; kOp: written, or none
  int32_t first_lane = 0;    // of the slot that is read or written; only emitters set it
  int32_t row = 0;           // the same: of rows that are done at once, or kAllRows
  int32_t kept = -1;         // kOp and kScalar in all lanes: also kept, under this number
  LaneBits bits = 0;         // kConstant
  compiler::Node node = {};  // kOp, kCombine: `operands` are earlier values
  DType operand_type = DType::kInvalid;
  // How the elements lie in the slot, if not as in lanes: of f32 f16 or bf16, of s32 a short type.
  // Of a short op, also without a slot.
  DType memory = DType::kInvalid;
  bool past_cache = false;  // kOp in a slot as it is: written so where that is aligned
  // kOp: f16 or bf16, to which the result is rounded; a short type, to which it is wrapped.
  DType rounded = DType::kInvalid;
};

// In an order in which they can be computed. Values in slots are in tile form (../math), a slot is
// read before any is written: element by element a result may lie over an input of its size.
using Piece = std::vector<PieceValue>;

// slots[i] points to slot i, which needs no alignment. Exactly `lanes` elements are read and
// written. What is written past the cache is seen by other threads after a fence of stores.
using PieceFunction = void (*)(std::byte* const* slots, int64_t lanes);

inline constexpr size_t kLoopAlignment = 32;

// Whether the op can be part of a piece. `operand` as for VectorCode; it and the result may be f16
// and bf16, short, and wide.
bool CanEmit(const compiler::Node& node, DType operand);
// The op as a value, without its operands' numbers and its slot. `is_rounded`: its routine is
// followed by one that rounds.
PieceValue ValueOfOp(const compiler::Node& node, DType operand, bool is_rounded);
// An earlier value as another type; as its own, a copy. `from` is one of lanes.
PieceValue ConversionOf(int32_t value, DType from, DType to);

template <class T>
void AppendBytes(T number, std::string* key) {
  key->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The piece, but that nothing is written past the cache.
Piece ThroughCache(Piece piece);

// Appends all that the code of a piece depends on.
void AppendKey(const Piece& piece, std::string* key);

// Appends the piece's function, for AVX2 or AVX-512. Throws Xbyak::Error.
void EmitPiece(const Piece& piece, math::SimdTarget target, Assembler& code, ConstantPool& pool);

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_PIECE_H_

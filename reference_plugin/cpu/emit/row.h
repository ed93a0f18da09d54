// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ROW_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ROW_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference_plugin/cpu/emit/piece.h"

// Rows of a kernel as one function: several phases over the same elements, each of which may read
// what earlier ones have reduced. Partial results stay in registers. A row that is too short to
// keep a core busy does not wait for the one before it.
namespace plinth::cpu::emit {

struct RowReduction {
  compiler::Opcode opcode = compiler::Opcode::kAdd;
  DType type = DType::kInvalid;     // f32, s32 or u32
  DType rounded = DType::kInvalid;  // f16 or bf16, to which the result is rounded
  int32_t value = 0;                // of the phase's piece
  int32_t initial = 0;              // the same; has one value for all lanes
  int32_t slot = 0;                 // where the result is written
};

// An op without a slot whose operands have one value for all lanes is done once.
struct RowPhase {
  Piece piece;
  std::vector<RowReduction> reductions;
};

// What the next row adds to the pointer to a slot, in bytes, or to the number that lies there.
struct RowStep {
  int64_t step = 0;
  bool is_number = false;  // of 32 bits, which wraps
  // Nothing is added, but rows that are done at once are so far apart: row buffers.
  int64_t apart = 0;
  // What the first row of the next group adds besides.
  int64_t jump = 0;
};

// Short rows are done several at once, each with row buffers of its own.
inline constexpr int kMostRowsAtOnce = 8;
inline constexpr int64_t kLongestOfSeveral = 64;

struct Row {
  int64_t lanes = 0;
  std::vector<RowPhase> phases;
  int32_t num_kept = 0;  // of these the first are the results of the reductions, in their order
  std::vector<RowStep> steps;  // by slot
  int64_t group = 0;           // rows of a group; 0: nothing jumps
};

// slots[i] points to slot i: the first element of the first row, or the only one. There is at least
// one row; pointers and numbers mean nothing afterwards. The first row begins a group, and there
// are whole groups or a part of one.
using RowFunction = void (*)(std::byte** slots, int64_t rows);

// Whether a reduction by this op has the bits of ../math/partials, or of any order.
bool CanReduce(compiler::Opcode opcode, DType type);

// How many rows are done at once. A short row is one chain of ops that wait for one another, most
// of all where its lanes become one. Several fill the waits, and their lanes become one together.
int RowsAtOnce(const Row& row, math::SimdTarget target);

// Appends all that the code of a row depends on.
void AppendKey(const Row& row, std::string* key);

// Appends the function of rows, for AVX2 or AVX-512. Throws Xbyak::Error.
void EmitRow(const Row& row, math::SimdTarget target, Assembler& code, ConstantPool& pool);

}  // namespace plinth::cpu::emit

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_EMIT_ROW_H_

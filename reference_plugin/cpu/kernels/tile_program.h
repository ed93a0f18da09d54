// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_TILE_PROGRAM_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_TILE_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/access.h"
#include "reference_plugin/cpu/kernels/frame.h"
#include "reference_plugin/cpu/kernels/gather.h"
#include "reference_plugin/cpu/kernels/reduction.h"
#include "reference_plugin/cpu/kernels/tile_space.h"
#include "reference_plugin/cpu/math/columns.h"
#include "reference_plugin/cpu/math/transpose.h"

// A kernel as instructions on tiles.
namespace plinth::cpu::kernels {

// Which dimensions lie along the lanes of a tile in the phases over reduced points.
enum class Lanes : uint8_t {
  kParallel,  // a tile is many parallel points; reduced points come one after the other
  kReduced,   // a tile is many reduced points of one parallel point, "a row"
  // A tile is all points of the last parallel dimensions, which are few, of many reduced points;
  // all reduced points of those are one "row".
  kBoth,
};

// Bytes of a register. Small, so that what a kernel works on stays in the nearest cache; large
// enough that one call per op and tile does not show: measured 10 to 30 % faster than 1 KB, with 4
// KB much the same but for long rows.
inline constexpr int64_t kTileBytes = 2048;

// Columns of the same short rows are moved at once, by the step of the first of them.
struct JointColumns {
  math::ColumnFunctions functions = {};
  std::vector<int32_t> slots;  // of the first: those of all columns, -1 where nobody has one
  bool is_with_first = false;  // one of the others
};

struct LoadStep {
  TileLoad load;
  DType type = DType::kInvalid;
  int32_t slot = 0;
  int64_t offset = 0;  // of the register in the frame
  bool direct = false;
  // For machine code that reads elements where they lie, in another form than tiles have, or the
  // one that a broadcast repeats; -1: they do not lie one after the other.
  int32_t memory_slot = -1;
  // What the next tile often has too: which of the frame's addresses says what the register holds.
  // Blocks of rows: the first of three that say what the block holds.
  int32_t cache = -1;
  // Of a transposed operand, whose next rows lie in the lines that one row is read from: so many
  // are read at once into a block in the frame, each to the length of a register.
  int64_t block_rows = 0;
  int64_t block_offset = 0;
  math::TransposeFunction transpose = nullptr;
  JointColumns columns = {};
};

struct IotaStep {
  DType type = DType::kInvalid;
  math::IotaFunction function = nullptr;
  math::FillFunction fill = nullptr;
  int32_t form = 0;
  const LaneMap* map = nullptr;
  int64_t run = 1;
  int64_t tile_bytes = 0;
  int32_t slot = 0;
  int32_t cache = -1;        // which of the frame's addresses says with what the register begins
  int32_t number_slot = -1;  // for machine code, where all lanes have one number
};

// Where a gather finds its elements: copied to the slot's register, the base set for each tile.
struct GatherStep {
  TileGather gather;
  int32_t form = 0;
  int32_t slot = 0;
};

struct StoreStep {
  TileStore store;
  DType type = DType::kInvalid;
  int32_t slot = 0;
  int32_t memory_slot = -1;  // as of a load
  JointColumns columns = {};
};

// A slot that walks through a row buffer, one step per tile.
struct RowSlot {
  int32_t slot = 0;
  int64_t offset = 0;  // in the row buffers
  int64_t step = 0;    // bytes
};

// Copies a value that an instruction did not write there into its row buffer.
struct RowSave {
  DType type = DType::kInvalid;
  int32_t from = 0, to = 0;  // slots
  int64_t tile_bytes = 0;
};

// Puts what is computed once per row into all lanes.
struct FillStep {
  math::FillFunction fill = nullptr;
  DType type = DType::kInvalid;
  int32_t from = 0, to = 0;  // slots
  int64_t tile_bytes = 0;
};

// An output that the last instruction writes in place, or elements that machine code reads or
// writes where they lie: the slot is set to their address.
struct DirectTarget {
  int32_t form = 0;
  int32_t slot = 0;
  bool is_number = false;  // that of the form's value itself, of 64 bits
};

// What an instruction computes, for those who can do it in another way.
struct TileOp {
  const compiler::Node* node = nullptr;  // null: nothing that can be said in one op
  DType operand = DType::kInvalid;       // as for math::FindTileRoutine
  bool is_rounded = false;               // the next instruction rounds the result
};

struct PhaseProgram {
  bool over_reduced = false;
  // Not Lanes::kParallel: once per row, on TileProgram::row_lanes; then what tiles need of it is
  // repeated.
  std::vector<LoadStep> row_loads;
  std::vector<IotaStep> row_iotas;
  std::vector<Instruction> row_code;
  std::vector<TileOp> row_ops;  // of each of `row_code`
  std::vector<FillStep> row_fills;
  // Once per tile.
  std::vector<LoadStep> loads;
  std::vector<IotaStep> iotas;
  std::vector<GatherStep> gathers;
  std::vector<RowSlot> rows;
  std::vector<DirectTarget> targets;
  std::vector<Instruction> code;
  std::vector<TileOp> ops;  // of the first of `code`; nodes are the kernel's
  std::vector<RowSave> saves;
  std::vector<StoreStep> stores;
  std::vector<ReductionProgram> reductions;
  // Nothing happens to a tile but that one reduction takes it from memory, where all tiles of a row
  // lie one behind the other: any number of them can be taken as one, in the same order. Of an
  // argmax, the index of the first of its elements is to be in the second component's value.
  bool accumulates_runs = false;
};

struct ConstantStep {
  TileElement element;
  math::FillFunction fill = nullptr;
  int32_t slot = 0;
};

// An input that is one element for the whole kernel.
struct ScalarStep {
  ElementFunctions element;
  int32_t form = 0;
  int32_t slot = 0;
};

// Where the value of a reduction goes, one element per row, for the phases once per point.
struct ReducedVector {
  int32_t scalar_slot = 0;
  int32_t vector_slot = 0;
  int64_t tile_bytes = 0;
};

struct TileProgram {
  Lanes lanes = Lanes::kParallel;
  Domain domain;
  TileSpace parallel, reduced;

  FrameLayout frame;
  FrameLayout rows;           // row buffers, for one tile of the parallel space or one row
  int64_t rows_offset = 0;    // of the row buffers in the frame
  int64_t slots_offset = 0;   // of the slots themselves
  int64_t forms_offset = 0;   // of four arrays of one value per form
  int64_t caches_offset = 0;  // of the addresses that broadcast registers hold
  int64_t staging_offset = 0;
  int32_t num_caches = 0;
  int64_t max_lanes = 1;       // of any tile of the kernel
  int64_t row_lanes = 1;       // parallel points of a row
  int64_t tiles_together = 1;  // consecutive tiles that a thread should run, from a multiple on

  std::vector<ConstantStep> constants;
  std::vector<ScalarStep> scalars;
  std::vector<PhaseProgram> phases;
  std::vector<ReducedVector> reduced_vectors;  // Lanes::kReduced
  // A row is one reduction that accumulates runs and needs nothing before: rows are reduced several
  // at once.
  bool reduces_rows = false;

  double tile_ns = 0;  // rough time of one tile of the parallel space
};

// UNIMPLEMENTED where an op has no routine. The program refers to the kernel.
Expected<std::unique_ptr<TileProgram>> MakeTileProgram(const compiler::Kernel& kernel);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_TILE_PROGRAM_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PROGRAM_BUILDER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PROGRAM_BUILDER_H_

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

namespace plinth::cpu::kernels {

// Turns a kernel's nodes into the instructions of a TileProgram whose spaces are chosen, and places
// every value. Values are in program_values.cc, phases in program_builder.cc, reductions in
// program_reductions.cc, columns of short rows in program_columns.cc.
class ProgramBuilder {
 private:
  using Combiner = compiler::Combiner;
  using Kernel = compiler::Kernel;
  using Node = compiler::Node;
  using Phase = compiler::Phase;
  using Reduction = compiler::Reduction;

 public:
  // `widest`: bytes of the kernel's widest element in tile form. `program` has its lanes, domain
  // and spaces.
  ProgramBuilder(const compiler::Kernel& kernel, int64_t widest, TileProgram* program)
      : kernel_(kernel),
        program_(*program),
        frame_(program->frame),
        register_bytes_(program->max_lanes * widest) {}

  // UNIMPLEMENTED where an op has no routine.
  Status Build();

 private:
  // How often a value changes.
  enum class Variation : uint8_t { kNever, kRow, kTile };

  // Where a node's value is while its phase runs.
  struct Value {
    Variation variation = Variation::kTile;
    int32_t slot = -1;       // kRow: one lane; else a tile
    int32_t tile_slot = -1;  // kRow: the same in all lanes, once something needs it
    bool direct = false;     // in an input's memory: a store may overwrite it
  };

  // By an instruction, from other nodes; the others are leaves.
  static bool IsComputed(const Node& node) {
    return node.kind == compiler::NodeKind::kOp || node.kind == compiler::NodeKind::kGathered;
  }
  bool RowsAlongLanes(const Phase& phase) const;
  int64_t row_register_bytes() const { return 16 * program_.row_lanes; }
  const TileSpace& LaneSpace(const Phase& phase) const;
  size_t num_parallel() const { return static_cast<size_t>(program_.domain.num_parallel); }
  size_t rank() const { return program_.domain.extents.size(); }

  // --- Registers --------------------------------------------------------------------------------

  int32_t TakeRegister();
  bool IsRegister(int32_t slot) const;
  void FreeRegister(int32_t slot);

  // --- Rows kept for later phases ---------------------------------------------------------------

  struct NodeName {
    int32_t phase = 0, node = 0;
  };

  // The node whose value a kRow node reads.
  NodeName RowSource(NodeName name) const;

  // An input can be read again unless an output written meanwhile may lie over it.
  bool CanReload(NodeName source, size_t reader) const;

  bool NeedsRow(NodeName source, size_t reader) const;

  void FindRows();

  // The slot of a row buffer, made at first use.
  int32_t RowSlotOf(size_t phase_number, size_t node_number);

  // Makes the phase's tiles move along with the row buffer.
  void UseRow(PhaseProgram* out, size_t phase_number, size_t node_number);

  // --- Values -----------------------------------------------------------------------------------

  Expected<int32_t> ConstantSlot(const Node& node);

  Expected<int32_t> ScalarSlot(int32_t input, const ElementFunctions& functions);

  // Whether the value of an input or iota is the same along [begin, end) of the dimensions.
  bool IsUniform(int32_t form, int32_t input, size_t begin, size_t end) const;

  TileLoad MakeLoad(int32_t input, const ElementFunctions& functions, const TileSpace& space);

  // Whether the next tile has the same elements (numbers) of it, lane by lane: an operand that is
  // repeated along all but the rows of a tile, a bias of short rows.
  static bool IsSameInNextTile(const TileSpace& space, int32_t form);

  // Whether the input is read by blocks of rows; says how in `step`, whose load is made.
  bool FindBlock(const Phase& phase, int32_t input, const ElementFunctions& functions,
                 LoadStep* step);

  Status BuildInput(size_t p, int32_t input, Value* value);

  Status BuildIota(size_t p, const Node& node, int32_t form, Value* value);

  Status BuildLeaf(size_t p, size_t n);

  Value ReducedValue(const Phase& phase, const Node& node);

  Status BuildRow(size_t p, NodeName source, Value* value);

  // Rows along the lanes: computes once per row what an earlier phase computes once per point.
  Status BuildOncePerRow(size_t p, NodeName source, Value* value);

  // The slot of a full tile of the value.
  int32_t TileSlot(size_t p, int32_t n);

  // --- Phases -----------------------------------------------------------------------------------

  Status BuildPhase(size_t p);

  static constexpr int32_t kUntilEnd = 1 << 30;

  // Decides which ops run once per row, when values are last used, and which op may write straight
  // into an output.
  Status PlanUses(size_t p);

  Expected<TileStore> MakeStore(const Phase& phase, int32_t output);

  Status BuildOp(size_t p, size_t n);

  // Says of what was appended to the code last that it is node n.
  static void NameOps(const std::vector<Node>& nodes, size_t n,
                      const std::vector<Instruction>& code, std::vector<TileOp>* ops);

  Status AppendGather(size_t p, const Node& node, int32_t result, const int32_t (&operands)[3]);

  // Frees the registers of operands that node n is the last to use: before the result is placed
  // those that the result may overwrite, afterwards the rest.
  void FreeDead(size_t p, size_t n, bool same_bytes);

  // Loaded values that a later phase reads from a row buffer.
  void SaveLeaves(size_t p);

  void BuildStores(size_t p);

  // Loads, and stores, of columns of the same short rows are one.
  void JoinColumns(PhaseProgram* phase) const;

  // See PhaseProgram::accumulates_runs.
  bool AccumulatesRuns(const PhaseProgram& phase) const;
  // Of an argmax, whose indices nobody has to compute then.
  void TakeIndicesFromRuns(PhaseProgram* phase);
  // See TileProgram::reduces_rows.
  bool ReducesRows() const;

  // --- Reductions -------------------------------------------------------------------------------

  struct Reduced {
    int32_t accumulator = 0;
    size_t vector = 0;  // in reduced_vectors
  };

  Status BuildReduction(size_t p, const Reduction& reduction);

  // `captured`: slots, one value in all lanes.
  Status BuildCombiner(const Combiner& combiner, std::span<const int32_t> captured,
                       ReductionProgram* out);

  static constexpr int32_t kNeeded = -2;

  const Kernel& kernel_;
  TileProgram& program_;
  FrameLayout& frame_;
  const int64_t register_bytes_;
  std::vector<int32_t> registers_, free_registers_;  // slots, the former ascending
  // By how the constant is filled in, and its bits.
  std::map<std::pair<math::FillFunction, std::array<uint64_t, 2>>, int32_t> constant_slots_;
  std::vector<std::vector<Value>> values_;  // [phase][node]
  std::vector<std::vector<int32_t>> rows_;  // [phase][node]: row slot, kNeeded, or -1 for none
  std::vector<RowSlot> row_slots_;
  std::vector<std::vector<Reduced>> reduced_;                  // [reduction][component]
  std::map<std::pair<int32_t, int32_t>, Value> once_per_row_;  // of the current phase, by source
  std::vector<int32_t> last_use_, direct_output_;              // of the current phase
};

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PROGRAM_BUILDER_H_

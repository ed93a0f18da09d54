#include "reference_plugin/cpu/tile/tile_program.h"

#include <algorithm>
#include <cstring>

#include "reference_plugin/cpu/tile/cost.h"
#include "reference_plugin/cpu/tile/fold.h"
#include "reference_plugin/cpu/tile/routine.h"

namespace plinth::cpu {
namespace {

using compiler::Combiner;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;
using compiler::Reduction;

// How often a value changes.
enum class Variation : uint8_t { kNever, kRow, kTile };

// Where a node's value is while its phase runs.
struct Value {
  Variation variation = Variation::kTile;
  int32_t slot = -1;       // kRow: one lane; else a tile
  int32_t tile_slot = -1;  // kRow: the same in all lanes, once something needs it
  bool direct = false;     // in an input's memory: a store may overwrite it
};

bool IsZero(const LinearForm& form, size_t begin, size_t end) {
  for (size_t d = begin; d < end; ++d) {
    if (form.coefficients[d] != 0) return false;
  }
  return true;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const Kernel& kernel, TileProgram* program)
      : kernel_(kernel), program_(*program), frame_(program->frame) {}

  Status Build() {
    register_bytes_ = program_.max_lanes * widest_;
    values_.resize(kernel_.phases.size());
    FindRows();
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      PLINTH_RETURN_IF_ERROR(BuildPhase(p));
    }
    const int64_t forms = static_cast<int64_t>(program_.domain.forms.size());
    const int64_t loops = static_cast<int64_t>(
        std::max(program_.parallel.counts.size(), program_.reduced.counts.size()));
    program_.forms_offset = frame_.AddRegion((3 * forms + 2 * loops) * 8);
    program_.caches_offset = frame_.AddRegion(program_.num_caches * 8);
    program_.staging_offset = frame_.AddRegion(program_.max_lanes * 16);
    program_.slots_offset =
        frame_.AddRegion(static_cast<int64_t>(frame_.slot_offsets().size() * sizeof(std::byte*)));
    return Status();
  }

  static int64_t WidestTileElement(const Kernel& kernel) {
    size_t widest = 1;
    for (const Phase& phase : kernel.phases) {
      for (const Node& node : phase.nodes) {
        widest = std::max(widest, TileElementBytes(node.dtype));
      }
      for (const Reduction& reduction : phase.reductions) {
        for (const Node& node : reduction.combiner.nodes) {
          widest = std::max(widest, TileElementBytes(node.dtype));
        }
      }
    }
    return static_cast<int64_t>(widest);
  }

  void set_widest(int64_t widest) { widest_ = widest; }

 private:
  bool RowsAlongLanes(const Phase& phase) const {
    return program_.lanes == Lanes::kReduced && phase.over_reduced;
  }
  const TileSpace& LaneSpace(const Phase& phase) const {
    return RowsAlongLanes(phase) ? program_.reduced : program_.parallel;
  }
  size_t num_parallel() const { return static_cast<size_t>(program_.domain.num_parallel); }
  size_t rank() const { return program_.domain.extents.size(); }

  // --- Registers --------------------------------------------------------------------------------

  int32_t TakeRegister() {
    if (free_registers_.empty()) {
      const int32_t slot = frame_.AddRegister(register_bytes_);
      registers_.push_back(slot);
      return slot;
    }
    const int32_t slot = free_registers_.back();
    free_registers_.pop_back();
    return slot;
  }
  bool IsRegister(int32_t slot) const {
    return std::find(registers_.begin(), registers_.end(), slot) != registers_.end();
  }
  void FreeRegister(int32_t slot) {
    if (IsRegister(slot)) free_registers_.push_back(slot);
  }

  // --- Rows kept for later phases ---------------------------------------------------------------

  struct NodeName {
    int32_t phase = 0, node = 0;
  };

  // The node whose value a kRow node reads.
  NodeName RowSource(NodeName name) const {
    while (true) {
      const Node& node =
          kernel_.phases[static_cast<size_t>(name.phase)].nodes[static_cast<size_t>(name.node)];
      if (node.kind != NodeKind::kRow) return name;
      name = {node.index, node.component};
    }
  }

  // An input can be read again unless an output written meanwhile may lie over it.
  bool CanReload(NodeName source, size_t reader) const {
    for (size_t p = static_cast<size_t>(source.phase); p < reader; ++p) {
      if (!kernel_.phases[p].stores.empty()) return false;
    }
    return true;
  }

  bool NeedsRow(NodeName source, size_t reader) const {
    const Node& node =
        kernel_.phases[static_cast<size_t>(source.phase)].nodes[static_cast<size_t>(source.node)];
    if (node.kind == NodeKind::kOp) return true;
    return node.kind == NodeKind::kInput && !CanReload(source, reader);
  }

  void FindRows() {
    rows_.resize(kernel_.phases.size());
    for (size_t p = 0; p < kernel_.phases.size(); ++p) {
      rows_[p].resize(kernel_.phases[p].nodes.size(), -1);
      for (const Node& node : kernel_.phases[p].nodes) {
        if (node.kind != NodeKind::kRow) continue;
        const NodeName source = RowSource({node.index, node.component});
        if (NeedsRow(source, p)) {
          rows_[static_cast<size_t>(source.phase)][static_cast<size_t>(source.node)] = kNeeded;
        }
      }
    }
  }

  // The slot of a row buffer, made at first use.
  int32_t RowSlotOf(size_t phase_number, size_t node_number) {
    int32_t& row = rows_[phase_number][node_number];
    if (row >= 0) return row_slots_[static_cast<size_t>(row)].slot;
    const Phase& phase = kernel_.phases[phase_number];
    RowSlot slot;
    slot.step = LaneSpace(phase).max_lanes *
                static_cast<int64_t>(TileElementBytes(phase.nodes[node_number].dtype));
    const int64_t steps = phase.over_reduced ? program_.reduced.num_tiles : 1;
    slot.offset = program_.rows.AddRegion(slot.step * steps);
    if (steps == 1) slot.step = 0;
    slot.slot = frame_.AddSlot(FrameLayout::kSetWhileRunning);
    row = static_cast<int32_t>(row_slots_.size());
    row_slots_.push_back(slot);
    return slot.slot;
  }

  // Makes the phase's tiles move along with the row buffer.
  void UseRow(PhaseProgram* out, size_t phase_number, size_t node_number) {
    const int32_t slot = RowSlotOf(phase_number, node_number);
    for (const RowSlot& used : out->rows) {
      if (used.slot == slot) return;
    }
    out->rows.push_back(row_slots_[static_cast<size_t>(rows_[phase_number][node_number])]);
  }

  // --- Values -----------------------------------------------------------------------------------

  Expected<int32_t> ConstantSlot(const Node& node) {
    PLINTH_ASSIGN_OR_RETURN(const ElementFunctions functions, FindElementFunctions(node.dtype));
    ConstantStep step{ToTileElement(functions, node.constant), functions.fill_tile, -1};
    for (const ConstantStep& other : program_.constants) {
      if (other.fill == step.fill &&
          std::memcmp(other.element.bytes, step.element.bytes, sizeof(step.element.bytes)) == 0) {
        return other.slot;
      }
    }
    step.slot = frame_.AddRegister(register_bytes_);
    program_.constants.push_back(step);
    return step.slot;
  }

  Expected<int32_t> ScalarSlot(int32_t input, const ElementFunctions& functions) {
    for (const ScalarStep& other : program_.scalars) {
      if (other.form == input) return other.slot;
    }
    const int32_t slot = frame_.AddRegister(register_bytes_);
    program_.scalars.push_back({functions, input, slot});
    return slot;
  }

  // Whether the value of an input or iota is the same along [begin, end) of the dimensions.
  bool IsUniform(int32_t form, int32_t input, size_t begin, size_t end) const {
    if (!IsZero(program_.domain.forms[static_cast<size_t>(form)], begin, end)) return false;
    if (input < 0) return true;
    const int32_t first = program_.domain.first_bound[static_cast<size_t>(input)];
    const size_t bounds = kernel_.inputs[static_cast<size_t>(input)].bounds.size();
    for (size_t b = 0; b < bounds; ++b) {
      if (!IsZero(program_.domain.forms[static_cast<size_t>(first) + b], begin, end)) return false;
    }
    return true;
  }

  TileLoad MakeLoad(int32_t input, const ElementFunctions& functions, const TileSpace& space) {
    const compiler::Access& access = kernel_.inputs[static_cast<size_t>(input)];
    TileLoad load;
    load.element = functions;
    load.form = input;
    load.map = &space.lanes[static_cast<size_t>(input)];
    load.run = space.run;
    load.fill = access.fill;
    const int32_t first = program_.domain.first_bound[static_cast<size_t>(input)];
    for (size_t b = 0; b < access.bounds.size(); ++b) {
      const int32_t form = first + static_cast<int32_t>(b);
      load.bounds.push_back({form, access.bounds[b].extent});
      load.bound_maps.push_back(&space.lanes[static_cast<size_t>(form)]);
    }
    return load;
  }

  Status BuildInput(size_t p, int32_t input, Value* value) {
    const Phase& phase = kernel_.phases[p];
    PhaseProgram& out = program_.phases[p];
    PLINTH_ASSIGN_OR_RETURN(const ElementFunctions functions,
                            FindElementFunctions(kernel_.inputs[static_cast<size_t>(input)].dtype));
    const bool bounded = !kernel_.inputs[static_cast<size_t>(input)].bounds.empty();
    if (!bounded && IsUniform(input, input, 0, rank())) {
      PLINTH_ASSIGN_OR_RETURN(value->slot, ScalarSlot(input, functions));
      value->variation = Variation::kNever;
      return Status();
    }
    const bool row = RowsAlongLanes(phase) && IsUniform(input, input, num_parallel(), rank());
    std::vector<LoadStep>& loads = row ? out.row_loads : out.loads;
    value->variation = row ? Variation::kRow : Variation::kTile;
    for (const LoadStep& other : loads) {
      if (other.load.form != input) continue;
      value->slot = other.slot;
      value->direct = other.direct;
      return Status();
    }
    LoadStep step;
    step.load = MakeLoad(input, functions, LaneSpace(phase));
    step.direct = step.load.IsDirect() || (row && functions.load == nullptr);
    // A broadcast that changes rarely keeps its register, so that it need not be filled again.
    const bool cached = !row && !bounded && step.load.IsBroadcast();
    if (cached) step.cache = program_.num_caches++;
    if (step.direct) {
      step.offset = bounded ? frame_.AddRegion(register_bytes_) : 0;
      step.slot = frame_.AddSlot(FrameLayout::kSetWhileRunning);
    } else if (row || cached) {
      step.offset = frame_.AddRegion(row ? 16 : register_bytes_);
      step.slot = frame_.AddSlot(step.offset);
    } else {
      step.slot = TakeRegister();
      step.offset = frame_.slot_offsets()[static_cast<size_t>(step.slot)];
    }
    value->slot = step.slot;
    value->direct = step.direct;
    loads.push_back(std::move(step));
    return Status();
  }

  Status BuildIota(size_t p, const Node& node, int32_t form, Value* value) {
    const Phase& phase = kernel_.phases[p];
    PhaseProgram& out = program_.phases[p];
    const bool row = RowsAlongLanes(phase) && IsUniform(form, -1, num_parallel(), rank());
    IotaStep step;
    step.function = FindIota(node.dtype);
    step.tile_bytes = static_cast<int64_t>(TileElementBytes(node.dtype));
    step.fill = FindFill(static_cast<size_t>(step.tile_bytes));
    if (step.function == nullptr) return Unimplemented("iota of type ", Name(node.dtype));
    step.form = form;
    step.map = &LaneSpace(phase).lanes[static_cast<size_t>(form)];
    step.run = LaneSpace(phase).run;
    step.slot = row ? frame_.AddRegister(16) : TakeRegister();
    value->variation = row ? Variation::kRow : Variation::kTile;
    value->slot = step.slot;
    (row ? out.row_iotas : out.iotas).push_back(step);
    return Status();
  }

  Status BuildLeaf(size_t p, size_t n) {
    const Phase& phase = kernel_.phases[p];
    const Node& node = phase.nodes[n];
    Value& value = values_[p][n];
    switch (node.kind) {
      case NodeKind::kConstant: {
        value.variation = Variation::kNever;
        PLINTH_ASSIGN_OR_RETURN(value.slot, ConstantSlot(node));
        return Status();
      }
      case NodeKind::kInput:
        return BuildInput(p, node.index, &value);
      case NodeKind::kIota:
        return BuildIota(p, node, program_.domain.iota_forms[p][n], &value);
      case NodeKind::kReduced:
        value = ReducedValue(phase, node);
        return Status();
      case NodeKind::kRow:
        return BuildRow(p, RowSource({node.index, node.component}), &value);
      default:
        return Internal("a combiner's parameter stands in a phase");
    }
  }

  Value ReducedValue(const Phase& phase, const Node& node) {
    const Reduced& reduced =
        reduced_[static_cast<size_t>(node.index)][static_cast<size_t>(node.component)];
    Value value;
    if (program_.lanes == Lanes::kParallel) {
      value.slot = reduced.accumulator;
    } else if (phase.over_reduced) {
      value.variation = Variation::kRow;
      value.slot = reduced.accumulator;
    } else {
      value.slot = program_.reduced_vectors[reduced.vector].vector_slot;
    }
    return value;
  }

  Status BuildRow(size_t p, NodeName source, Value* value) {
    const size_t sp = static_cast<size_t>(source.phase), sn = static_cast<size_t>(source.node);
    const Node& node = kernel_.phases[sp].nodes[sn];
    const Value& earlier = values_[sp][sn];
    switch (node.kind) {
      case NodeKind::kConstant:
        *value = earlier;
        return Status();
      case NodeKind::kReduced:
        *value = ReducedValue(kernel_.phases[p], node);
        return Status();
      case NodeKind::kIota:
        return BuildIota(p, node, program_.domain.iota_forms[sp][sn], value);
      case NodeKind::kInput:
        if (earlier.variation == Variation::kNever) {
          *value = earlier;
          return Status();
        }
        if (CanReload(source, p)) return BuildInput(p, node.index, value);
        break;
      default:
        break;
    }
    if (earlier.variation == Variation::kRow) {
      value->variation = Variation::kRow;
      value->slot = earlier.slot;
      return Status();
    }
    UseRow(&program_.phases[p], sp, sn);
    value->slot = RowSlotOf(sp, sn);
    return Status();
  }

  // The slot of a full tile of the value.
  int32_t TileSlot(size_t p, int32_t n) {
    Value& value = values_[p][static_cast<size_t>(n)];
    if (value.variation != Variation::kRow) return value.slot;
    if (value.tile_slot < 0) {
      value.tile_slot = frame_.AddRegister(register_bytes_);
      const size_t bytes = TileElementBytes(kernel_.phases[p].nodes[static_cast<size_t>(n)].dtype);
      program_.phases[p].row_fills.push_back({FindFill(bytes), value.slot, value.tile_slot});
    }
    return value.tile_slot;
  }

  // --- Phases -----------------------------------------------------------------------------------

  Status BuildPhase(size_t p) {
    const Phase& phase = kernel_.phases[p];
    PhaseProgram& out = program_.phases.emplace_back();
    out.over_reduced = phase.over_reduced;
    values_[p].resize(phase.nodes.size());
    free_registers_ = registers_;

    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      if (phase.nodes[n].kind != NodeKind::kOp) PLINTH_RETURN_IF_ERROR(BuildLeaf(p, n));
    }
    PLINTH_RETURN_IF_ERROR(PlanUses(p));
    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      if (phase.nodes[n].kind == NodeKind::kOp) PLINTH_RETURN_IF_ERROR(BuildOp(p, n));
    }
    SaveLeaves(p);
    BuildStores(p);
    for (const Reduction& reduction : phase.reductions) {
      PLINTH_RETURN_IF_ERROR(BuildReduction(p, reduction));
    }
    return Status();
  }

  static constexpr int32_t kUntilEnd = 1 << 30;

  // Decides which ops run once per row, when values are last used, and which op may write straight
  // into an output.
  Status PlanUses(size_t p) {
    const Phase& phase = kernel_.phases[p];
    const size_t size = phase.nodes.size();
    last_use_.assign(size, -1);
    direct_output_.assign(size, -1);
    for (size_t n = 0; n < size; ++n) {
      const Node& node = phase.nodes[n];
      if (node.kind != NodeKind::kOp) continue;
      Variation variation = RowsAlongLanes(phase) ? Variation::kRow : Variation::kTile;
      for (size_t i = 0; i < node.num_operands; ++i) {
        const size_t operand = static_cast<size_t>(node.operands[i]);
        variation = std::max(variation, values_[p][operand].variation);
        last_use_[operand] = static_cast<int32_t>(n);
      }
      values_[p][n].variation = variation;
    }
    std::vector<int32_t> store_counts(size);
    for (const compiler::Store& store : phase.stores) {
      last_use_[static_cast<size_t>(store.node)] = kUntilEnd;
      ++store_counts[static_cast<size_t>(store.node)];
    }
    for (const Reduction& reduction : phase.reductions) {
      for (int32_t input : reduction.inputs) last_use_[static_cast<size_t>(input)] = kUntilEnd;
    }
    for (size_t n = 0; n < size; ++n) {
      if (rows_[p][n] != -1) last_use_[n] = kUntilEnd;
    }
    // Loads that share a register live as long as the last of them.
    int32_t last_direct = -1;
    for (size_t n = 0; n < size; ++n) {
      for (size_t m = 0; m < size; ++m) {
        if (m != n && phase.nodes[n].kind != NodeKind::kOp &&
            phase.nodes[m].kind != NodeKind::kOp && values_[p][m].slot == values_[p][n].slot) {
          last_use_[n] = std::max(last_use_[n], last_use_[m]);
        }
      }
      if (values_[p][n].direct) last_direct = std::max(last_direct, last_use_[n]);
    }
    // An output may lie over an input. So nothing is written before the inputs have been read, and
    // the op that reads last only writes over elements of the size of those it reads.
    for (const compiler::Store& store : phase.stores) {
      const size_t n = static_cast<size_t>(store.node);
      const Node& node = phase.nodes[n];
      if (node.kind != NodeKind::kOp || values_[p][n].variation != Variation::kTile) continue;
      if (rows_[p][n] != -1 || store_counts[n] > 1) continue;
      PLINTH_ASSIGN_OR_RETURN(const TileStore access, MakeStore(phase, store.output));
      if (!access.IsDirect() || static_cast<int32_t>(n) < last_direct) continue;
      bool same_size = true;
      for (size_t i = 0; i < node.num_operands; ++i) {
        const size_t operand = static_cast<size_t>(node.operands[i]);
        same_size = same_size &&
                    (!values_[p][operand].direct ||
                     TileElementBytes(phase.nodes[operand].dtype) == TileElementBytes(node.dtype));
      }
      if (same_size) direct_output_[n] = store.output;
    }
    return Status();
  }

  Expected<TileStore> MakeStore(const Phase& phase, int32_t output) {
    TileStore store;
    PLINTH_ASSIGN_OR_RETURN(
        store.element, FindElementFunctions(kernel_.outputs[static_cast<size_t>(output)].dtype));
    store.form = static_cast<int32_t>(kernel_.inputs.size()) + output;
    store.map = &LaneSpace(phase).lanes[static_cast<size_t>(store.form)];
    store.run = LaneSpace(phase).run;
    return store;
  }

  Status BuildOp(size_t p, size_t n) {
    const Phase& phase = kernel_.phases[p];
    const Node& node = phase.nodes[n];
    PhaseProgram& out = program_.phases[p];
    Value& value = values_[p][n];
    const bool row = value.variation == Variation::kRow;

    int32_t operands[3] = {0, 0, 0};
    for (size_t i = 0; i < node.num_operands; ++i) {
      operands[i] = row ? values_[p][static_cast<size_t>(node.operands[i])].slot
                        : TileSlot(p, node.operands[i]);
    }
    if (row) {
      value.slot = frame_.AddRegister(16);
    } else if (rows_[p][n] != -1) {
      UseRow(&out, p, n);
      value.slot = RowSlotOf(p, n);
    } else if (direct_output_[n] >= 0) {
      value.slot = frame_.AddSlot(FrameLayout::kSetWhileRunning);
      out.targets.push_back(
          {static_cast<int32_t>(kernel_.inputs.size()) + direct_output_[n], value.slot});
    } else {
      FreeDead(p, n, /*same_bytes=*/true);
      value.slot = TakeRegister();
    }
    if (!row) FreeDead(p, n, /*same_bytes=*/false);
    return AppendRoutine(phase.nodes, n, value.slot, operands, row ? &out.row_code : &out.code);
  }

  // Frees the registers of operands that node n is the last to use: before the result is placed
  // those that the result may overwrite, afterwards the rest.
  void FreeDead(size_t p, size_t n, bool same_bytes) {
    const std::vector<Node>& nodes = kernel_.phases[p].nodes;
    for (size_t i = 0; i < nodes[n].num_operands; ++i) {
      const size_t operand = static_cast<size_t>(nodes[n].operands[i]);
      const Value& value = values_[p][operand];
      if (last_use_[operand] != static_cast<int32_t>(n) || value.variation != Variation::kTile) {
        continue;
      }
      const bool same = TileElementBytes(nodes[operand].dtype) == TileElementBytes(nodes[n].dtype);
      if (same_bytes && !same) continue;
      FreeRegister(value.slot);
      for (size_t other = 0; other < nodes.size(); ++other) {
        if (values_[p][other].slot == value.slot) last_use_[other] = -1;
      }
    }
  }

  // Loaded values that a later phase reads from a row buffer.
  void SaveLeaves(size_t p) {
    const Phase& phase = kernel_.phases[p];
    for (size_t n = 0; n < phase.nodes.size(); ++n) {
      if (rows_[p][n] == -1 || phase.nodes[n].kind == NodeKind::kOp ||
          values_[p][n].variation != Variation::kTile) {
        continue;
      }
      UseRow(&program_.phases[p], p, n);
      program_.phases[p].saves.push_back(
          {values_[p][n].slot, RowSlotOf(p, n),
           static_cast<int64_t>(TileElementBytes(phase.nodes[n].dtype))});
    }
  }

  void BuildStores(size_t p) {
    const Phase& phase = kernel_.phases[p];
    PhaseProgram& out = program_.phases[p];
    // Values that lie in an input's memory first: the other stores may overwrite it.
    for (bool direct : {true, false}) {
      for (const compiler::Store& store : phase.stores) {
        const size_t n = static_cast<size_t>(store.node);
        if (values_[p][n].direct != direct || direct_output_[n] >= 0) continue;
        Expected<TileStore> access = MakeStore(phase, store.output);
        if (access.ok()) out.stores.push_back({*access, TileSlot(p, store.node)});
      }
    }
  }

  // --- Reductions -------------------------------------------------------------------------------

  struct Reduced {
    int32_t accumulator = 0;
    size_t vector = 0;  // in reduced_vectors
  };

  Status BuildReduction(size_t p, const Reduction& reduction) {
    ReductionProgram out;
    std::vector<Reduced>& reduced = reduced_.emplace_back();
    const std::vector<Node>& nodes = kernel_.phases[p].nodes;
    for (size_t c = 0; c < reduction.inputs.size(); ++c) {
      ReductionProgram::Component component;
      const DType type = nodes[static_cast<size_t>(reduction.inputs[c])].dtype;
      component.tile_bytes = static_cast<int64_t>(TileElementBytes(type));
      component.value = TileSlot(p, reduction.inputs[c]);
      component.initial = values_[p][static_cast<size_t>(reduction.initial[c])].slot;
      component.accumulator = frame_.AddRegister(register_bytes_);
      Reduced result{component.accumulator, program_.reduced_vectors.size()};
      if (program_.lanes == Lanes::kReduced) {
        const int32_t vector =
            frame_.AddRegister(program_.parallel.max_lanes * component.tile_bytes);
        program_.reduced_vectors.push_back({component.accumulator, vector, component.tile_bytes});
      }
      reduced.push_back(result);
      out.components.push_back(component);
    }
    if (const Node* op = CommutativeOp(reduction.combiner)) {
      const TileRoutine routine = FindTileRoutine(op->opcode, op->dtype, op->dtype);
      if (!routine) return NoRoutine(*op, op->dtype);
      out.commutative = routine.compute;
      out.finish = routine.finish;
      out.fold = FindFold(op->opcode, TileTypeOf(op->dtype));
      // Only sums are kept unrounded: what other ops give is a value of the type already, or has
      // to wrap at once.
      if (op->opcode != compiler::Opcode::kAdd && routine.finish != nullptr) {
        out.commutative = nullptr;
        out.finish = nullptr;
      }
    }
    if (out.commutative == nullptr) {
      PLINTH_RETURN_IF_ERROR(BuildCombiner(reduction.combiner, &out));
    }
    program_.phases[p].reductions.push_back(std::move(out));
    return Status();
  }

  Status BuildCombiner(const Combiner& combiner, ReductionProgram* out) {
    for (ReductionProgram::Component& component : out->components) {
      component.left = frame_.AddSlot(FrameLayout::kSetWhileRunning);
      component.right = frame_.AddSlot(FrameLayout::kSetWhileRunning);
      component.result = frame_.AddRegister(register_bytes_);
      component.even = frame_.AddRegister(register_bytes_);
      component.odd = frame_.AddRegister(register_bytes_);
    }
    const size_t count = out->components.size();
    std::vector<int32_t> slots(combiner.nodes.size());
    std::vector<bool> placed(count);
    for (size_t n = 0; n < combiner.nodes.size(); ++n) {
      const Node& node = combiner.nodes[n];
      if (node.kind == NodeKind::kParameter) {
        const size_t parameter = static_cast<size_t>(node.index);
        slots[n] = parameter < count ? out->components[parameter].left
                                     : out->components[parameter - count].right;
        continue;
      }
      if (node.kind == NodeKind::kConstant) {
        PLINTH_ASSIGN_OR_RETURN(slots[n], ConstantSlot(node));
        continue;
      }
      if (node.kind != NodeKind::kOp) return Internal("a combiner reads what is not its own");
      // Results get registers of their own: they are read when the combiner has run.
      slots[n] = -1;
      for (size_t c = 0; c < count; ++c) {
        if (combiner.results[c] == static_cast<int32_t>(n)) {
          slots[n] = out->components[c].result;
          placed[c] = true;
          break;
        }
      }
      if (slots[n] < 0) slots[n] = frame_.AddRegister(register_bytes_);
      int32_t operands[3] = {0, 0, 0};
      for (size_t i = 0; i < node.num_operands; ++i) {
        operands[i] = slots[static_cast<size_t>(node.operands[i])];
      }
      PLINTH_RETURN_IF_ERROR(AppendRoutine(combiner.nodes, n, slots[n], operands, &out->combiner));
    }
    for (size_t c = 0; c < count; ++c) {
      if (placed[c]) continue;
      out->combiner.push_back({CopyFunction(out->components[c].tile_bytes),
                               out->components[c].result,
                               slots[static_cast<size_t>(combiner.results[c])],
                               0,
                               0,
                               {}});
    }
    return Status();
  }

  static constexpr int32_t kNeeded = -2;

  const Kernel& kernel_;
  TileProgram& program_;
  FrameLayout& frame_;
  int64_t widest_ = 1;
  int64_t register_bytes_ = kTileBytes;
  std::vector<int32_t> registers_, free_registers_;  // slots
  std::vector<std::vector<Value>> values_;           // [phase][node]
  std::vector<std::vector<int32_t>> rows_;  // [phase][node]: row slot, kNeeded, or -1 for none
  std::vector<RowSlot> row_slots_;
  std::vector<std::vector<Reduced>> reduced_;      // [reduction][component]
  std::vector<int32_t> last_use_, direct_output_;  // of the current phase
};

// A phase once per point that stands before one over reduced points ties the points together.
bool PointsBeforeRows(const Kernel& kernel) {
  bool seen = false;
  for (const Phase& phase : kernel.phases) {
    if (phase.over_reduced && seen) return true;
    seen = seen || !phase.over_reduced;
  }
  return false;
}

// Bytes that the row buffers of one tile of the parallel space may take.
constexpr int64_t kRowBytes = 128 << 10;
// Points that one tile of the parallel space stands for when rows lie along the lanes.
constexpr int64_t kPointsPerBlock = 16 << 10;

}  // namespace

Expected<std::unique_ptr<TileProgram>> MakeTileProgram(const Kernel& kernel) {
  bool over_reduced = false, commutative = true;
  int64_t row_values = 0;
  for (const Phase& phase : kernel.phases) {
    over_reduced = over_reduced || phase.over_reduced;
    for (const Reduction& reduction : phase.reductions) {
      commutative = commutative && CommutativeOp(reduction.combiner) != nullptr;
    }
    for (const Node& node : phase.nodes) row_values += node.kind == NodeKind::kRow;
  }
  auto program = std::make_unique<TileProgram>();
  program->domain = SimplifyDomain(kernel, commutative);
  const Domain& domain = program->domain;
  const int32_t rank = static_cast<int32_t>(domain.extents.size());

  const int64_t widest = ProgramBuilder::WidestTileElement(kernel);
  const int64_t capacity = kTileBytes / widest;
  int64_t parallel_capacity = capacity;
  if (row_values > 0 && domain.reduced_points > 0) {
    const int64_t lanes = kRowBytes / (row_values * widest) / domain.reduced_points;
    parallel_capacity = std::clamp<int64_t>(lanes / 16 * 16, 16, capacity);
  }
  if (over_reduced && domain.reduced_points > 1 && !PointsBeforeRows(kernel) &&
      LanesReducedNs(kernel, domain, capacity) <
          LanesParallelNs(kernel, domain, parallel_capacity)) {
    program->lanes = Lanes::kReduced;
    parallel_capacity = std::clamp<int64_t>(kPointsPerBlock / domain.reduced_points, 1, capacity);
  }
  const bool rows = program->lanes == Lanes::kReduced;
  program->parallel = MakeTileSpace(domain, 0, domain.num_parallel, parallel_capacity);
  if (!rows) BlockRows(kernel.inputs.size() + kernel.outputs.size(), &program->parallel);
  program->reduced = MakeTileSpace(domain, domain.num_parallel, rank, rows ? capacity : 1);
  program->max_lanes = std::max(program->parallel.max_lanes, program->reduced.max_lanes);
  program->tile_ns =
      kStepNs + static_cast<double>(program->parallel.max_lanes) *
                    (PointNs(kernel, false) +
                     PointNs(kernel, true) * static_cast<double>(domain.reduced_points));
  if (over_reduced) {
    const double all = rows ? LanesReducedNs(kernel, domain, capacity)
                            : LanesParallelNs(kernel, domain, parallel_capacity);
    program->tile_ns +=
        all / static_cast<double>(std::max<int64_t>(1, program->parallel.num_tiles));
  }

  ProgramBuilder builder(kernel, program.get());
  builder.set_widest(widest);
  PLINTH_RETURN_IF_ERROR(builder.Build());
  return program;
}

}  // namespace plinth::cpu

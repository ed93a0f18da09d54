// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "plinth/support/integer_math.h"
#include "reference_plugin/cpu/kernels/access.h"
#include "reference_plugin/cpu/kernels/routine.h"
#include "reference_plugin/cpu/kernels/small_kernel.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;
using compiler::Store;

constexpr int64_t kMostPoints = 512;
constexpr size_t kMostNodes = 256, kMostStores = 64;
// Constants, and registers.
constexpr int64_t kMostBytes = 64 << 10;
// A constant that takes more for all points is kept as one element.
constexpr size_t kMostSpreadBytes = 64;

template <size_t kBytes>
void CopyOne(void* result, const void* a, const void*, const void*, size_t,
             const math::TileParameters&) {
  std::byte element[kBytes];
  std::memcpy(element, a, kBytes);
  std::memcpy(result, element, kBytes);
}

// result = a, which may be the same memory.
math::TileFunction CopyOneFunction(int64_t bytes) {
  switch (bytes) {
    case 1:
      return CopyOne<1>;
    case 2:
      return CopyOne<2>;
    case 4:
      return CopyOne<4>;
    case 8:
      return CopyOne<8>;
    default:
      return CopyOne<16>;
  }
}

}  // namespace

// Builds one phase after the other.
class SmallKernelBuilder {
 public:
  SmallKernelBuilder(const Kernel& kernel, size_t phase, SmallKernel* step,
                     std::vector<int32_t>* reduced)
      : kernel_(kernel),
        phase_(kernel.body.phases[phase]),
        step_(*step),
        part_(step->parts_.emplace_back()),
        reduced_(*reduced) {
    num_dimensions_ = phase_.over_reduced ? kernel.shape.extents.size()
                                          : static_cast<size_t>(kernel.shape.num_parallel);
    for (size_t d = 0; d < num_dimensions_; ++d) points_ *= kernel.shape.extents[d];
    part_.points = points_;
  }

  // False where the kernel is not a small one.
  bool Build();

 private:
  using Source = SmallKernel::Source;
  using Movement = SmallKernel::Movement;

  // A node's value in tile form.
  struct Value {
    int32_t slot = -1;
    bool in_operand = false;  // in an operand's memory, where a result may lie, too
    bool in_register = false;
    size_t last_use = 0;  // position in order_, SIZE_MAX if it is stored at the end
  };
  // How the elements of an access lie, whatever its bounds.
  enum class Layout : uint8_t { kDense, kUniform, kOther };
  struct Operation {
    size_t node = 0;
    int32_t store = -1;  // it writes this store's memory itself
  };

  int32_t AddSlot(int32_t base, int64_t offset) {
    step_.sources_.push_back({base, offset});
    return static_cast<int32_t>(step_.sources_.size() - 1);
  }
  int32_t AddRegister() {
    const int64_t offset = step_.register_bytes_;
    step_.register_bytes_ += RoundUp(points_ * widest_, points_ == 1 ? 16 : 64);
    return AddSlot(Source::kRegisters, offset);
  }
  void AddCode(math::TileFunction function, int32_t result, int32_t a) {
    part_.code.push_back({function, result, a, 0, 0, {}});
  }
  math::TileFunction CopyOf(int64_t bytes) const {
    return points_ == 1 ? CopyOneFunction(bytes) : CopyFunction(bytes);
  }

  void CountBuffers();
  std::vector<int64_t> ValuesAt(const compiler::Dims& coefficients, int64_t offset) const;
  std::vector<bool> WithinBounds(const Access& access) const;
  Layout LayoutOf(const Access& access) const;
  bool FindOffsets(const Access& access, const std::vector<bool>& within,
                   std::vector<int32_t>* offsets) const;
  bool AddConstant(std::span<const TileElement> elements, size_t bytes, Value* value);
  bool AddIota(const Node& node, Value* value);
  int32_t AddressOf(const Access& access, size_t first_buffer);
  bool AddInput(int32_t index, Value* value);
  bool PlanStores();
  void FindOrder();
  void Emit(size_t node);
  void FindDirectStores();
  void FindLastUses();
  bool WriteCode();
  bool WriteReductions();
  void WriteStores();

  const Node& NodeAt(int32_t n) const { return phase_.nodes[static_cast<size_t>(n)]; }

  struct Target {
    int32_t slot = -1;  // of the result's memory
    ElementFunctions element;
    bool is_contiguous = false;
    std::vector<int32_t> offsets;  // of its elements, unless contiguous
    bool written = false;          // by the op that computes the value
  };

  const Kernel& kernel_;
  const Phase& phase_;
  SmallKernel& step_;
  SmallKernel::Part& part_;
  std::vector<int32_t>& reduced_;  // slots of the components of all reductions, by number
  size_t num_dimensions_ = 0;      // that this phase walks; others stay at index 0
  int64_t points_ = 1;
  int64_t widest_ = 1;                        // bytes of an element in tile form
  std::vector<std::optional<Value>> inputs_;  // by index
  std::vector<Value> values_;                 // by node
  std::vector<Target> targets_;               // by store
  std::vector<bool> is_emitted_;              // by node
  std::vector<Operation> order_;
};

// Slots [0, operands + results) are the buffers themselves.
void SmallKernelBuilder::CountBuffers() {
  auto count = [](size_t* buffers, int32_t buffer) {
    *buffers = std::max(*buffers, static_cast<size_t>(buffer) + 1);
  };
  for (const auto* accesses : {&kernel_.shape.inputs, &kernel_.shape.outputs}) {
    for (const Access& access : *accesses) {
      count(accesses == &kernel_.shape.inputs ? &step_.num_operands_ : &step_.num_results_,
            access.buffer);
      for (const auto& index : access.dynamic_offsets) count(&step_.num_operands_, index.buffer);
    }
  }
  for (size_t b = 0; b < step_.num_operands_ + step_.num_results_; ++b) {
    AddSlot(static_cast<int32_t>(b), 0);
  }
}

// offset + sum(coefficients[d] * p[d]) at every point p, the last dimension first.
std::vector<int64_t> SmallKernelBuilder::ValuesAt(const compiler::Dims& coefficients,
                                                  int64_t offset) const {
  std::vector<int64_t> values = {offset}, next;
  values.reserve(static_cast<size_t>(points_));
  for (size_t d = 0; d < num_dimensions_; ++d) {
    if (kernel_.shape.extents[d] == 1) continue;
    next.clear();
    for (int64_t value : values) {
      for (int64_t i = 0; i < kernel_.shape.extents[d]; ++i)
        next.push_back(value + i * coefficients[d]);
    }
    values.swap(next);
  }
  return values;
}

// Empty without bounds.
std::vector<bool> SmallKernelBuilder::WithinBounds(const Access& access) const {
  if (access.bounds.empty()) return {};
  std::vector<bool> within(static_cast<size_t>(points_), true);
  for (const compiler::Bound& bound : access.bounds) {
    const std::vector<int64_t> values = ValuesAt(bound.coefficients, bound.offset);
    for (size_t i = 0; i < within.size(); ++i) {
      within[i] = within[i] && values[i] >= 0 && values[i] < bound.extent;
    }
  }
  return within;
}

SmallKernelBuilder::Layout SmallKernelBuilder::LayoutOf(const Access& access) const {
  int64_t step = ByteSize(access.dtype);
  bool is_dense = true, is_uniform = true;
  for (size_t d = num_dimensions_; d-- > 0;) {
    if (kernel_.shape.extents[d] == 1) continue;
    is_dense = is_dense && access.byte_strides[d] == step;
    is_uniform = is_uniform && access.byte_strides[d] == 0;
    step *= kernel_.shape.extents[d];
  }
  return is_dense ? Layout::kDense : is_uniform ? Layout::kUniform : Layout::kOther;
}

bool SmallKernelBuilder::FindOffsets(const Access& access, const std::vector<bool>& within,
                                     std::vector<int32_t>* offsets) const {
  offsets->reserve(static_cast<size_t>(points_));
  for (int64_t offset : ValuesAt(access.byte_strides, 0)) {
    if (!within.empty() && !within[offsets->size()]) {
      offsets->push_back(Movement::kOutside);
    } else if (offset > INT32_MIN && offset <= INT32_MAX) {
      offsets->push_back(static_cast<int32_t>(offset));
    } else {
      return false;
    }
  }
  return true;
}

// One element for all points or one for each. The one is spread by every run where that would take
// much memory for as long as the program lives.
bool SmallKernelBuilder::AddConstant(std::span<const TileElement> elements, size_t bytes,
                                     Value* value) {
  std::vector<TileElement>& constants = step_.constants_;
  const size_t first = constants.size(), total = static_cast<size_t>(points_) * bytes;
  value->slot = AddSlot(Source::kConstants, static_cast<int64_t>(first * sizeof(TileElement)));
  if (elements.size() == 1 && total > kMostSpreadBytes) {
    constants.push_back(elements[0]);
    Movement spread;
    spread.memory = value->slot;
    spread.tile = value->slot = AddRegister();
    spread.broadcast = math::FindFill(bytes);
    part_.loads.push_back(std::move(spread));
    return true;
  }
  constants.resize(first + (total + sizeof(TileElement) - 1) / sizeof(TileElement));
  auto* target = reinterpret_cast<std::byte*>(&constants[first]);
  for (size_t i = 0; i < static_cast<size_t>(points_); ++i) {
    std::memcpy(target + i * bytes, elements[elements.size() == 1 ? 0 : i].bytes, bytes);
  }
  return static_cast<int64_t>(constants.size() * sizeof(TileElement)) <= kMostBytes;
}

bool SmallKernelBuilder::AddIota(const Node& node, Value* value) {
  const math::IotaFunction iota = math::FindIota(node.dtype);
  if (iota == nullptr) return false;
  compiler::Dims coefficients(kernel_.shape.extents.size());
  coefficients[static_cast<size_t>(node.index)] = static_cast<int64_t>(node.constant.high);
  std::vector<TileElement> elements;
  for (int64_t at : ValuesAt(coefficients, static_cast<int64_t>(node.constant.low))) {
    iota(elements.emplace_back().bytes, at, 0, 1);
  }
  return AddConstant(elements, math::TileElementBytes(node.dtype), value);
}

int32_t SmallKernelBuilder::AddressOf(const Access& access, size_t first_buffer) {
  int32_t slot = access.buffer + static_cast<int32_t>(first_buffer);
  if (access.byte_offset != 0) slot = AddSlot(slot, access.byte_offset);
  if (access.dynamic_offsets.empty()) return slot;
  SmallKernel::Address address;
  address.base = slot;
  address.slot = AddSlot(slot, 0);
  step_.sources_.back() = step_.sources_[static_cast<size_t>(slot)];
  for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
    address.indices.push_back(index);
  }
  step_.addresses_.push_back(std::move(address));
  return step_.addresses_.back().slot;
}

bool SmallKernelBuilder::AddInput(int32_t index, Value* value) {
  std::optional<Value>& known = inputs_[static_cast<size_t>(index)];
  if (known.has_value()) {
    *value = *known;
    return true;
  }
  const Access& access = kernel_.shape.inputs[static_cast<size_t>(index)];
  Expected<ElementFunctions> found = FindElementFunctions(access.dtype);
  if (!found.ok()) return false;
  const ElementFunctions& element = *found;
  const std::vector<bool> within = WithinBounds(access);
  const bool all_within = std::find(within.begin(), within.end(), false) == within.end();
  if (!within.empty() && std::find(within.begin(), within.end(), true) == within.end()) {
    const TileElement fill = ToTileElement(element, access.fill);
    if (!AddConstant({&fill, 1}, element.tile_bytes, value)) return false;
    known = *value;
    return true;
  }
  const Layout layout = all_within ? LayoutOf(access) : Layout::kOther;
  value->slot = AddressOf(access, 0);
  value->in_operand = layout == Layout::kDense;
  if (layout != Layout::kDense) {
    Movement movement;
    movement.bytes = element.memory_bytes;
    movement.fill = access.fill;
    movement.memory = value->slot;
    movement.tile = value->slot = AddRegister();
    if (layout == Layout::kUniform) {
      movement.broadcast = element.fill_memory;
    } else if (!FindOffsets(access, within, &movement.offsets)) {
      return false;
    }
    part_.loads.push_back(std::move(movement));
  }
  if (element.load != nullptr) {
    const int32_t tile = AddRegister();
    AddCode(element.load, tile, value->slot);
    *value = {tile};
  }
  known = *value;
  return true;
}

bool SmallKernelBuilder::PlanStores() {
  for (const Store& store : phase_.stores) {
    const Access& access = kernel_.shape.outputs[static_cast<size_t>(store.output)];
    Expected<ElementFunctions> element = FindElementFunctions(access.dtype);
    if (!element.ok()) return false;
    Target& target = targets_.emplace_back();
    target.element = *element;
    target.slot = AddressOf(access, step_.num_operands_);
    target.is_contiguous = LayoutOf(access) == Layout::kDense;
    if (!target.is_contiguous && !FindOffsets(access, {}, &target.offsets)) return false;
    // A later store must not find the value overwritten by an earlier one.
    Value& value = values_[static_cast<size_t>(store.node)];
    if (value.in_operand && phase_.stores.size() > 1) {
      const int32_t kept = AddRegister();
      AddCode(CopyOf(static_cast<int64_t>(math::TileElementBytes(NodeAt(store.node).dtype))), kept,
              value.slot);
      value.slot = kept;
      value.in_operand = false;
    }
  }
  return true;
}

void SmallKernelBuilder::Emit(size_t n) {
  const Node& node = phase_.nodes[n];
  if (node.kind != NodeKind::kOp || is_emitted_[n]) return;
  is_emitted_[n] = true;
  for (size_t i = 0; i < node.num_operands; ++i) Emit(static_cast<size_t>(node.operands[i]));
  order_.push_back({n});
}

// Ops whose value is stored come last, of these at the end the ones that read no operand: an op may
// write a result's memory itself once nobody reads operands any more.
void SmallKernelBuilder::FindOrder() {
  is_emitted_.assign(phase_.nodes.size(), false);
  std::vector<bool> is_stored(phase_.nodes.size(), false), reads(phase_.nodes.size(), false);
  for (const Store& store : phase_.stores) is_stored[static_cast<size_t>(store.node)] = true;
  for (size_t n = 0; n < phase_.nodes.size(); ++n) {
    const Node& node = phase_.nodes[n];
    if (node.kind != NodeKind::kOp) continue;
    for (size_t i = 0; i < node.num_operands; ++i) {
      reads[n] = reads[n] || values_[static_cast<size_t>(node.operands[i])].in_operand;
    }
    if (!is_stored[n]) Emit(n);
  }
  for (const bool reading : {true, false}) {
    for (size_t n = 0; n < phase_.nodes.size(); ++n) {
      if (reads[n] == reading) Emit(n);
    }
  }
}

void SmallKernelBuilder::FindDirectStores() {
  bool is_read_later = false;
  for (const compiler::Reduction& reduction : phase_.reductions) {
    for (const auto* nodes : {&reduction.inputs, &reduction.initial}) {
      for (int32_t n : *nodes) {
        is_read_later = is_read_later || values_[static_cast<size_t>(n)].in_operand;
      }
    }
  }
  for (size_t position = order_.size(); position-- > 0;) {
    Operation& operation = order_[position];
    const Node& node = phase_.nodes[operation.node];
    const size_t bytes = math::TileElementBytes(node.dtype);
    bool may_overlap = is_read_later;
    for (size_t i = 0; i < node.num_operands; ++i) {
      if (!values_[static_cast<size_t>(node.operands[i])].in_operand) continue;
      is_read_later = true;
      may_overlap = may_overlap || math::TileElementBytes(NodeAt(node.operands[i]).dtype) != bytes;
    }
    if (may_overlap) continue;
    for (size_t s = 0; s < targets_.size(); ++s) {
      Target& target = targets_[s];
      if (static_cast<size_t>(phase_.stores[s].node) != operation.node) continue;
      if (!target.is_contiguous || target.element.store != nullptr) continue;
      target.written = true;
      operation.store = static_cast<int32_t>(s);
      break;
    }
  }
}

void SmallKernelBuilder::FindLastUses() {
  for (size_t position = 0; position < order_.size(); ++position) {
    const Node& node = phase_.nodes[order_[position].node];
    for (size_t i = 0; i < node.num_operands; ++i) {
      values_[static_cast<size_t>(node.operands[i])].last_use = position;
    }
  }
  for (const Store& store : phase_.stores) {
    values_[static_cast<size_t>(store.node)].last_use = SIZE_MAX;
  }
  for (const compiler::Reduction& reduction : phase_.reductions) {
    for (const auto* nodes : {&reduction.inputs, &reduction.initial}) {
      for (int32_t n : *nodes) values_[static_cast<size_t>(n)].last_use = SIZE_MAX;
    }
  }
}

bool SmallKernelBuilder::WriteCode() {
  std::vector<int32_t> free;
  for (size_t position = 0; position < order_.size(); ++position) {
    const Operation& operation = order_[position];
    const Node& node = phase_.nodes[operation.node];
    Value& value = values_[operation.node];
    if (operation.store >= 0) {
      value.slot = targets_[static_cast<size_t>(operation.store)].slot;
    } else if (free.empty()) {
      value.slot = AddRegister();
      value.in_register = true;
    } else {
      value.slot = free.back();
      value.in_register = true;
      free.pop_back();
    }
    int32_t operands[3] = {0, 0, 0};
    for (size_t i = 0; i < node.num_operands; ++i) {
      Value& operand = values_[static_cast<size_t>(node.operands[i])];
      operands[i] = operand.slot;
      if (operand.in_register && operand.last_use == position) {
        operand.in_register = false;  // It may be an operand twice.
        free.push_back(operand.slot);
      }
    }
    if (!AppendRoutine(phase_.nodes, operation.node, value.slot, operands, &part_.code).ok()) {
      return false;
    }
  }
  return true;
}

bool SmallKernelBuilder::WriteReductions() {
  for (const compiler::Reduction& reduction : phase_.reductions) {
    ReductionProgram& out = part_.reductions.emplace_back();
    if (!FindCommutative(reduction.combiner, &out).ok() || out.commutative == nullptr) return false;
    ReductionProgram::Component component;
    component.tile_bytes =
        static_cast<int64_t>(math::TileElementBytes(NodeAt(reduction.inputs[0]).dtype));
    component.value = values_[static_cast<size_t>(reduction.inputs[0])].slot;
    component.initial = values_[static_cast<size_t>(reduction.initial[0])].slot;
    component.accumulator = AddRegister();
    out.components.push_back(component);
    reduced_.push_back(component.accumulator);
  }
  return true;
}

void SmallKernelBuilder::WriteStores() {
  // Without reductions in between, stores are code like any.
  std::vector<Instruction>& stores = part_.reductions.empty() ? part_.code : part_.stores;
  for (size_t s = 0; s < targets_.size(); ++s) {
    Target& target = targets_[s];
    if (target.written) continue;
    const int32_t value = values_[static_cast<size_t>(phase_.stores[s].node)].slot;
    const ElementFunctions& element = target.element;
    const auto add = [&](math::TileFunction function, int32_t result) {
      stores.push_back({function, result, value, 0, 0, {}});
    };
    if (target.is_contiguous) {
      const auto bytes = static_cast<int64_t>(element.memory_bytes);
      if (target.slot != value) {
        add(element.store != nullptr ? element.store : CopyOf(bytes), target.slot);
      }
      continue;
    }
    Movement movement;
    movement.memory = target.slot;
    movement.tile = value;
    movement.bytes = element.memory_bytes;
    movement.offsets = std::move(target.offsets);
    if (element.store != nullptr) {
      movement.tile = AddRegister();
      add(element.store, movement.tile);
    }
    part_.scattered.push_back(std::move(movement));
  }
}

bool SmallKernelBuilder::Build() {
  if (step_.sources_.empty()) CountBuffers();
  for (const Node& node : phase_.nodes) {
    widest_ = std::max(widest_, static_cast<int64_t>(math::TileElementBytes(node.dtype)));
  }
  if (points_ * widest_ > kTileBytes) return false;
  inputs_.resize(kernel_.shape.inputs.size());
  values_.resize(phase_.nodes.size());
  for (size_t n = 0; n < phase_.nodes.size(); ++n) {
    const Node& node = phase_.nodes[n];
    bool done = true;
    if (node.kind == NodeKind::kConstant) {
      Expected<ElementFunctions> element = FindElementFunctions(node.dtype);
      if (!element.ok()) return false;
      const TileElement constant = ToTileElement(*element, node.constant);
      done = AddConstant({&constant, 1}, element->tile_bytes, &values_[n]);
    } else if (node.kind == NodeKind::kIota) {
      done = AddIota(node, &values_[n]);
    } else if (node.kind == NodeKind::kInput) {
      done = AddInput(node.index, &values_[n]);
    } else if (node.kind == NodeKind::kReduced) {
      done = static_cast<size_t>(node.index) < reduced_.size() && !phase_.over_reduced;
      if (done) values_[n].slot = reduced_[static_cast<size_t>(node.index)];
    } else if (node.kind != NodeKind::kOp) {
      done = false;
    }
    if (!done) return false;
  }
  if (!PlanStores()) return false;
  FindOrder();
  FindDirectStores();
  FindLastUses();
  if (!WriteCode() || !WriteReductions()) return false;
  WriteStores();
  return step_.register_bytes_ <= kMostBytes;
}

std::unique_ptr<SmallKernel> SmallKernel::Make(const Kernel& kernel) {
  int64_t points = 1, results = 1;
  for (size_t d = 0; d < kernel.shape.extents.size(); ++d) {
    if (kernel.shape.extents[d] == 0 || kernel.shape.extents[d] > kMostPoints) return nullptr;
    points *= kernel.shape.extents[d];
    if (points > kMostPoints) return nullptr;
    if (d < static_cast<size_t>(kernel.shape.num_parallel)) results = points;
  }
  bool reduces = false;
  for (const Phase& phase : kernel.body.phases) {
    if (phase.nodes.size() > kMostNodes || phase.stores.size() > kMostStores) return nullptr;
    reduces = reduces || !phase.reductions.empty();
  }
  // Either all is reduced to one element or nothing.
  if (kernel.body.phases.empty() || results != (reduces ? 1 : points)) return nullptr;
  std::unique_ptr<SmallKernel> step(new SmallKernel());
  step->parts_.reserve(kernel.body.phases.size());
  std::vector<int32_t> reduced;
  for (size_t p = 0; p < kernel.body.phases.size(); ++p) {
    if (!SmallKernelBuilder(kernel, p, step.get(), &reduced).Build()) return nullptr;
  }
  const Part& part = step->parts_.front();
  step->is_plain_ = kernel.body.phases.size() == 1 && step->addresses_.empty() &&
                    part.loads.empty() && part.reductions.empty() && part.scattered.empty();
  return step;
}

}  // namespace plinth::cpu::kernels

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/lower_kernel.h"

#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::lower {
namespace {

// More work is as good as any.
constexpr int32_t kMaxCost = 1000;

}  // namespace

const KernelWriter::Info& KernelWriter::InfoOf(int32_t instance) {
  if (infos_[instance].known) return infos_[instance];
  const Instance& i = group_.instances[instance];
  Info info;
  switch (i.kind) {
    case InstanceKind::kConstant:
      break;
    case InstanceKind::kLoad:
    case InstanceKind::kIota:
      info.over_reduced = group_.has_reduced && group_.UsesReduced(group_.maps[i.map]);
      info.cost = 1;
      break;
    case InstanceKind::kReduced: {
      for (int32_t input : group_.reductions[i.reduction].inputs) {
        info.ready = std::max(info.ready, InfoOf(input).ready + 1);
      }
      break;
    }
    default: {
      int32_t own = i.kind == InstanceKind::kAlias         ? 0
                    : i.kind == InstanceKind::kConcatenate ? 2
                                                           : context_.CostOf(*i.op);
      if (i.kind == InstanceKind::kPadded) {
        own = 1;
        info.over_reduced = group_.has_reduced && group_.UsesReduced(group_.maps[i.map]);
      }
      info.cost = own;
      for (int32_t operand : i.operands) {
        const Info& from = InfoOf(operand);
        info.over_reduced |= from.over_reduced;
        info.ready = std::max(info.ready, from.ready);
      }
      for (int32_t operand : i.operands) {
        // What is known once per row costs no point anything.
        const Info& from = InfoOf(operand);
        const bool per_row = info.over_reduced && !from.over_reduced;
        info.cost = std::min(info.cost + (per_row ? 0 : from.cost), kMaxCost);
      }
      break;
    }
  }
  info.known = true;
  infos_[instance] = info;
  return infos_[instance];
}

KernelWriter::PhaseDraft& KernelWriter::Draft(int32_t key) {
  PhaseDraft& draft = drafts_[key];
  if (draft.node_of.empty()) {
    draft.node_of.assign(group_.instances.size(), -1);
    draft.phase.over_reduced = key % 2 == 1;
  }
  return draft;
}

int32_t KernelWriter::AddNode(int32_t key, Node node) {
  std::vector<Node>& nodes = Draft(key).phase.nodes;
  nodes.push_back(node);
  return static_cast<int32_t>(nodes.size()) - 1;
}

int32_t KernelWriter::OpNode(int32_t key, Opcode opcode, DType dtype,
                             std::initializer_list<int32_t> operands) {
  Node node;
  node.opcode = opcode;
  node.dtype = dtype;
  for (int32_t operand : operands) node.operands[node.num_operands++] = operand;
  return AddNode(key, node);
}

int32_t KernelWriter::ConstantNode(int32_t key, DType dtype, ScalarBits bits) {
  const std::vector<Node>& nodes = Draft(key).phase.nodes;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == NodeKind::kConstant && nodes[i].dtype == dtype &&
        nodes[i].constant == bits) {
      return static_cast<int32_t>(i);
    }
  }
  Node node;
  node.kind = NodeKind::kConstant;
  node.dtype = dtype;
  node.constant = bits;
  return AddNode(key, node);
}

int32_t KernelWriter::IntegerNode(int32_t key, DType dtype, int64_t value) {
  ScalarBits bits;
  const DType part = RealTypeOf(dtype);
  if (IsInteger(dtype)) {
    WriteInteger(dtype, value, reinterpret_cast<std::byte*>(&bits.low));
  } else if (IsIeeeFloat(part)) {
    WriteFloat(part, static_cast<double>(value), reinterpret_cast<std::byte*>(&bits.low));
  } else {
    bits.low = static_cast<uint64_t>(value);
    return OpNode(key, Opcode::kConvert, dtype, {ConstantNode(key, DType::kS64, bits)});
  }
  return ConstantNode(key, dtype, bits);
}

int32_t KernelWriter::OperandNumber(int32_t number) {
  std::vector<int32_t>& operands = step_.operands;
  auto found = std::find(operands.begin(), operands.end(), number);
  if (found != operands.end()) return static_cast<int32_t>(found - operands.begin());
  operands.push_back(number);
  return static_cast<int32_t>(operands.size()) - 1;
}

int32_t KernelWriter::OperandFor(const Value* value) {
  int32_t number = context_.Number(context_.Base(value));
  if (number < 0 && status_.ok()) {
    status_ = Internal("lowering: a kernel reads a value (", value->type.ToString(),
                       ") that no step before it makes");
  }
  return OperandNumber(number);
}

// Without the buffer.
Access KernelWriter::AccessOf(const IndexMap& map, const Type& type) {
  Access access;
  SetAddress(map, type, access);
  Dims strides = DenseStrides(type.dims);
  for (const DynamicTerm& term : map.dynamic) {
    DynamicOffset dynamic;
    dynamic.buffer = OperandFor(term.index);
    dynamic.dtype = term.index->type.dtype;
    dynamic.maximum = term.maximum;
    dynamic.byte_stride = term.scale * strides[term.dim] * ByteSize(type.dtype);
    access.dynamic_offsets.push_back(dynamic);
  }
  return access;
}

int32_t KernelWriter::InputNode(int32_t key, Access access) {
  size_t index = 0;
  while (index < kernel_.shape.inputs.size() && !(kernel_.shape.inputs[index] == access)) ++index;
  Node node;
  node.kind = NodeKind::kInput;
  node.dtype = access.dtype;
  node.index = static_cast<int32_t>(index);
  if (index == kernel_.shape.inputs.size()) {
    kernel_.shape.inputs.push_back(std::move(access));
  } else {
    const std::vector<Node>& nodes = Draft(key).phase.nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind == NodeKind::kInput && nodes[i].index == node.index) {
        return static_cast<int32_t>(i);
      }
    }
  }
  return AddNode(key, node);
}

int32_t KernelWriter::LoadNode(int32_t key, const Instance& instance, ScalarBits fill) {
  Access access = AccessOf(group_.maps[instance.map], instance.value->type);
  access.buffer = OperandFor(instance.value);
  if (!access.bounds.empty()) access.fill = fill;
  return InputNode(key, std::move(access));
}

int32_t KernelWriter::GatheredNode(int32_t key, const Instance& instance) {
  const auto& gather = instance.op->Get<GatherAttributes>();
  const Instance& source = group_.instances[instance.operands[0]];
  const Type& type = source.value->type;
  Access access = AccessOf(group_.maps[source.map], type);
  access.buffer = OperandFor(source.value);
  const Dims strides = DenseStrides(type.dims);
  for (int64_t dim : gather.start_index_map) {
    access.value_offsets.push_back({type.dims[dim] - 1, strides[dim] * ByteSize(type.dtype)});
  }
  Node node;
  node.kind = NodeKind::kGathered;
  node.dtype = type.dtype;
  node.index = static_cast<int32_t>(kernel_.shape.inputs.size());
  kernel_.shape.inputs.push_back(std::move(access));
  for (size_t i = 1; i < instance.operands.size(); ++i) {
    node.operands[node.num_operands++] = NodeFor(instance.operands[i], key);
  }
  return AddNode(key, node);
}

// Whether the bounds from `own_bounds_from` on hold: a scalar `true` read through them.
int32_t KernelWriter::MaskNode(int32_t key, const IndexMap& map, int32_t own_bounds_from) {
  Access access;
  access.buffer = OperandNumber(context_.TrueConstant());
  access.dtype = DType::kPred;
  access.byte_strides = Dims(static_cast<size_t>(group_.rank()), 0);
  access.bounds.assign(map.bounds.begin() + own_bounds_from, map.bounds.end());
  return InputNode(key, std::move(access));
}

// What a run-time index adds to that of its dimension.
int32_t KernelWriter::StartNode(int32_t key, const DynamicTerm& term, DType dtype) {
  Access access;
  access.buffer = OperandFor(term.index);
  access.dtype = term.index->type.dtype;
  access.byte_strides = Dims(static_cast<size_t>(group_.rank()), 0);
  const DType own = access.dtype;
  const int value_bits =
      plinth::InfoOf(own).bits - (plinth::InfoOf(own).kind == DTypeClass::kSigned ? 1 : 0);
  int64_t maximum = term.maximum;
  if (value_bits < 62) maximum = std::min(maximum, (int64_t{1} << value_bits) - 1);
  const int32_t low = IntegerNode(key, own, 0);
  const int32_t high = IntegerNode(key, own, maximum);
  const int32_t index = InputNode(key, std::move(access));
  int32_t start = OpNode(key, Opcode::kClamp, own, {low, index, high});
  if (own != dtype) start = OpNode(key, Opcode::kConvert, dtype, {start});
  if (term.scale == 1) return start;
  return OpNode(key, Opcode::kMultiply, dtype, {start, IntegerNode(key, dtype, term.scale)});
}

int32_t KernelWriter::IotaNode(int32_t key, const Instance& instance) {
  const IndexMap& map = group_.maps[instance.map];
  const int32_t dim = static_cast<int32_t>(instance.op->Get<DimensionAttributes>().dimension);
  const DType dtype = instance.value->type.dtype;
  SmallVector<int32_t, 8> sources;
  for (int32_t d = 0; d < group_.rank(); ++d) {
    if (map.At(dim, d) != 0 && group_.extents[d] != 1) sources.push_back(d);
  }
  const bool is_dynamic = map.HasDynamic(dim);
  // Sums of wide integers wrap like their conversions; others are converted once, from the sum.
  const bool sums_here = IsInteger(dtype) && ByteSize(dtype) >= 4;
  const DType work = sums_here || (sources.size() <= 1 && !is_dynamic) ? dtype : DType::kS64;
  int32_t sum = sources.empty() ? IntegerNode(key, work, map.offsets[dim]) : -1;
  for (size_t i = 0; i < sources.size(); ++i) {
    Node node;
    node.kind = NodeKind::kIota;
    node.dtype = work;
    node.index = sources[i];
    node.constant.low = i == 0 ? static_cast<uint64_t>(map.offsets[dim]) : 0;
    node.constant.high = static_cast<uint64_t>(map.At(dim, sources[i]));
    int32_t term = AddNode(key, node);
    sum = sum < 0 ? term : OpNode(key, Opcode::kAdd, work, {sum, term});
  }
  for (const DynamicTerm& term : map.dynamic) {
    if (term.dim != dim) continue;
    sum = OpNode(key, Opcode::kAdd, work, {sum, StartNode(key, term, work)});
  }
  return work == dtype ? sum : OpNode(key, Opcode::kConvert, dtype, {sum});
}

int32_t KernelWriter::PaddedNode(int32_t key, const Instance& instance) {
  const Instance* inside = &group_.instances[instance.operands[0]];
  const IndexMap& map = group_.maps[inside->map];
  const Instance& fill = group_.instances[instance.operands[1]];
  const Instance* load = inside;
  while (load->kind == InstanceKind::kAlias) load = &group_.instances[load->operands[0]];
  // The load itself may give the fill value: where bounds from outside fail, any value will do.
  if (fill.kind == InstanceKind::kConstant && load->kind == InstanceKind::kLoad &&
      group_.maps[load->map].bounds.size() == map.bounds.size()) {
    return LoadNode(key, *load, ConstantBits(*fill.op));
  }
  int32_t mask = MaskNode(key, map, instance.own_bounds_from);
  int32_t value = NodeFor(instance.operands[0], key);
  int32_t outside = NodeFor(instance.operands[1], key);
  return OpNode(key, Opcode::kSelect, instance.value->type.dtype, {mask, value, outside});
}

// The region's nodes with the operands in place of its parameters.
int32_t KernelWriter::MapNode(int32_t key, const Instance& instance) {
  auto combiner = MakeCombiner(context_, *instance.op, *instance.op->blocks[0]);
  if (!combiner.ok()) {
    if (status_.ok()) status_ = combiner.status();
    return ConstantNode(key, instance.value->type.dtype, {});
  }
  std::vector<int32_t> node_of;
  for (Node node : combiner->nodes) {
    if (node.kind == NodeKind::kParameter) {
      node_of.push_back(NodeFor(instance.operands[node.index], key));
      continue;
    }
    for (int32_t i = 0; i < node.num_operands; ++i) node.operands[i] = node_of[node.operands[i]];
    node_of.push_back(AddNode(key, node));
  }
  return node_of[combiner->results[0]];
}

int32_t KernelWriter::NodeFor(int32_t instance, int32_t key) {
  const Instance& i = group_.instances[instance];
  if (i.kind == InstanceKind::kAlias) return NodeFor(i.operands[0], key);
  if (int32_t node = Draft(key).node_of[instance]; node >= 0) return node;
  int32_t node = ComputeNode(instance, key);
  Draft(key).node_of[instance] = node;
  return node;
}

bool KernelWriter::KeepsRow(int32_t instance) {
  if (infos_[instance].is_kept) return true;
  const KernelLimits& limits = context_.target().kernels;
  int64_t elements = 1;
  for (int32_t d = group_.num_parallel; d < group_.rank(); ++d) elements *= group_.extents[d];
  if (elements > limits.row_elements) return false;
  const int64_t bytes = elements * ByteSize(group_.instances[instance].value->type.dtype);
  if (bytes > limits.row_bytes - row_bytes_) return false;
  row_bytes_ += bytes;
  infos_[instance].is_kept = true;
  return true;
}

int32_t KernelWriter::ComputeNode(int32_t instance, int32_t key) {
  const Instance& i = group_.instances[instance];
  switch (i.kind) {
    case InstanceKind::kConstant:
      return ConstantNode(key, i.value->type.dtype, ConstantBits(*i.op));
    case InstanceKind::kLoad:
      return LoadNode(key, i, {});
    case InstanceKind::kIota:
      return IotaNode(key, i);
    case InstanceKind::kReduced: {
      Node node;
      node.kind = NodeKind::kReduced;
      node.dtype = i.value->type.dtype;
      node.index = i.reduction;
      node.component = i.component;
      return AddNode(key, node);
    }
    default:
      break;
  }
  const Info info = InfoOf(instance);
  const int32_t home = HomeOf(info);
  const bool of_reductions = !info.over_reduced && info.ready > 0;
  if (home != key && (of_reductions || info.cost > context_.target().work.row_cheap)) {
    if (!info.over_reduced || KeepsRow(instance)) {
      Node node;
      node.kind = NodeKind::kRow;
      node.component = NodeFor(instance, home);
      node.dtype = i.value->type.dtype;
      node.index = home;  // Replaced by the phase's number at the end.
      return AddNode(key, node);
    }
  }
  if (i.kind == InstanceKind::kPadded) return PaddedNode(key, i);
  if (i.kind == InstanceKind::kMap) return MapNode(key, i);
  if (i.kind == InstanceKind::kGathered) return GatheredNode(key, i);
  if (i.kind == InstanceKind::kConcatenate) {
    int32_t node = NodeFor(i.operands.back(), key);
    for (size_t part = i.operands.size() - 1; part-- > 0;) {
      int32_t mask = MaskNode(key, group_.maps[i.chosen[part]], i.own_bounds_from);
      int32_t value = NodeFor(i.operands[part], key);
      node = OpNode(key, Opcode::kSelect, i.value->type.dtype, {mask, value, node});
    }
    return node;
  }
  Node node;
  node.opcode = i.op->opcode;
  node.dtype = i.value->type.dtype;
  node.num_operands = static_cast<uint8_t>(i.operands.size());
  for (size_t operand = 0; operand < i.operands.size(); ++operand) {
    node.operands[operand] = NodeFor(i.operands[operand], key);
  }
  if (node.opcode == Opcode::kCompare) node.compare = i.op->Get<CompareAttributes>();
  if (node.opcode == Opcode::kReducePrecision) {
    node.reduce_precision = i.op->Get<ReducePrecisionAttributes>();
  }
  return AddNode(key, node);
}

void KernelWriter::WriteReductions() {
  for (size_t r = 0; r < group_.reductions.size(); ++r) {
    const GroupReduction& from = group_.reductions[r];
    int32_t ready = 0;
    for (int32_t input : from.inputs) ready = std::max(ready, InfoOf(input).ready);
    const int32_t key = 2 * ready + 1;
    Reduction reduction;
    auto combiner = MakeCombiner(context_, *from.op, *from.op->blocks[0]);
    if (!combiner.ok()) {
      if (status_.ok()) status_ = combiner.status();
      return;
    }
    reduction.combiner = *std::move(combiner);
    for (int32_t input : from.inputs) reduction.inputs.push_back(NodeFor(input, key));
    for (int32_t initial : from.initial) reduction.initial.push_back(NodeFor(initial, key));
    for (int32_t captured : from.captured) reduction.captured.push_back(NodeFor(captured, key));
    Draft(key).phase.reductions.push_back(std::move(reduction));
    Draft(key).reduction_numbers.push_back(static_cast<int32_t>(r));
  }
}

void KernelWriter::WriteOutputs() {
  for (const GroupOutput& output : group_.outputs) {
    const Instance& instance = group_.instances[output.instance];
    const IndexMap& map = output.is_part ? output.address : group_.maps[instance.map];
    Info info = InfoOf(output.instance);
    info.over_reduced |= group_.has_reduced && group_.UsesReduced(map);
    const int32_t key = HomeOf(info);
    Access access = AccessOf(map, output.value->type);
    // Parts of one array are written to one result.
    const bool continues = output.is_part && output.updated == nullptr && part_ >= 0;
    access.buffer = static_cast<int32_t>(continues ? part_result_ : step_.results.size());
    const auto store = static_cast<int32_t>(kernel_.shape.outputs.size());
    int32_t node = NodeFor(output.instance, key);
    Draft(key).phase.stores.push_back({node, store});
    kernel_.shape.outputs.push_back(std::move(access));
    if (continues) continue;

    int32_t number = context_.NewArray(output.value->type);
    if (output.is_part && output.updated == nullptr) {
      part_ = number;
      part_result_ = step_.results.size();
    }
    if (!output.is_part || group_.next_part < 0) context_.SetNumber(output.value, number);
    step_.results.push_back(number);
  }
}

void KernelWriter::FinishPhases() {
  std::map<int32_t, int32_t> phase_of;
  std::vector<int32_t> reduction_of(group_.reductions.size(), 0);
  int32_t num_reductions = 0;
  for (auto& [key, draft] : drafts_) {
    phase_of[key] = static_cast<int32_t>(phase_of.size());
    for (int32_t number : draft.reduction_numbers) reduction_of[number] = num_reductions++;
  }
  for (auto& [key, draft] : drafts_) {
    for (Node& node : draft.phase.nodes) {
      if (node.kind == NodeKind::kReduced) node.index = reduction_of[node.index];
      if (node.kind == NodeKind::kRow) node.index = phase_of[node.index];
    }
    kernel_.body.phases.push_back(std::move(draft.phase));
  }
}

// Whether an operand is a run-time index.
bool KernelWriter::IsAddressedBy(int32_t operand) const {
  for (const std::vector<Access>* accesses : {&kernel_.shape.inputs, &kernel_.shape.outputs}) {
    for (const Access& access : *accesses) {
      for (const DynamicOffset& dynamic : access.dynamic_offsets) {
        if (dynamic.buffer == operand) return true;
      }
    }
  }
  return false;
}

// Whether a phase after the one that stores the output reads the input.
bool KernelWriter::IsReadBehindStore(size_t input, size_t output) const {
  bool stored = false;
  for (const Phase& phase : kernel_.body.phases) {
    for (const Node& node : phase.nodes) {
      const bool reads = node.kind == NodeKind::kInput || node.kind == NodeKind::kGathered;
      if (stored && reads && node.index == static_cast<int32_t>(input)) {
        return true;
      }
    }
    for (const Store& store : phase.stores) {
      stored |= store.output == static_cast<int32_t>(output);
    }
  }
  return false;
}

// A step that writes only a part works in place of what holds the rest.
void KernelWriter::FinishParts() {
  for (size_t result = 0; result < kernel_.shape.outputs.size(); ++result) {
    const GroupOutput& output = group_.outputs[result];
    int32_t rest = output.is_part ? previous_ : -1;
    if (output.updated != nullptr) rest = context_.Number(context_.Base(output.updated));
    if (rest < 0) continue;
    const int32_t operand = OperandNumber(rest);
    bool needs_copy = IsAddressedBy(operand);
    for (size_t i = 0; i < kernel_.shape.inputs.size(); ++i) {
      const Access& input = kernel_.shape.inputs[i];
      if (input.buffer != operand) continue;
      Access same = kernel_.shape.outputs[result];
      same.buffer = input.buffer;
      same.fill = input.fill;
      needs_copy |= !(input == same) || IsReadBehindStore(i, result);
    }
    const int32_t to = kernel_.shape.outputs[result].buffer;
    const auto same_pair = [&](const auto& pair) { return pair.result == to && pair.required; };
    const auto pair = std::find_if(step_.in_place.begin(), step_.in_place.end(), same_pair);
    const auto index = static_cast<size_t>(pair - step_.in_place.begin());
    if (needs_copy &&
        std::find(needed_copies_.begin(), needed_copies_.end(), index) == needed_copies_.end()) {
      needed_copies_.push_back(index);
    }
    if (pair == step_.in_place.end()) step_.in_place.push_back({operand, to, true});
  }
}

// An output may take the place of an input if every point reads just the element that it writes,
// and no later phase reads it again.
void KernelWriter::FindInPlace() {
  if (!context_.target().kernels_work_in_place) return;
  for (size_t o = 0; o < kernel_.shape.outputs.size(); ++o) {
    if (group_.outputs[o].is_part) continue;
    const Access& output = kernel_.shape.outputs[o];
    for (size_t buffer = 0; buffer < step_.operands.size(); ++buffer) {
      const auto& values = context_.schedule().values;
      const plan::ArrayValue& array = values[step_.operands[buffer]];
      if (array.constant != nullptr ||
          array.type.SizeInBytes() != group_.outputs[o].value->type.SizeInBytes()) {
        continue;
      }
      bool read = false, allowed = !IsAddressedBy(static_cast<int32_t>(buffer));
      for (size_t i = 0; i < kernel_.shape.inputs.size() && allowed; ++i) {
        const Access& input = kernel_.shape.inputs[i];
        if (input.buffer != static_cast<int32_t>(buffer)) continue;
        read = true;
        allowed &= input.byte_offset == output.byte_offset &&
                   input.byte_strides == output.byte_strides && input.bounds.empty() &&
                   input.dynamic_offsets.empty() && input.value_offsets.empty() &&
                   ByteSize(input.dtype) == ByteSize(output.dtype) && !IsReadBehindStore(i, o);
      }
      if (!read || !allowed) continue;
      step_.in_place.push_back({static_cast<int32_t>(buffer), output.buffer, false});
    }
  }
}

// "fusion.3 (add, exponential)", or "add.3" for a single op.
void KernelWriter::NameKernel() {
  constexpr size_t kMaxNames = 6;
  std::vector<std::string_view> names;
  bool more = false;
  auto add = [&](const Op* op) {
    std::string_view name = op != nullptr ? Name(op->opcode) : std::string_view("copy");
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    if (names.size() == kMaxNames) {
      more = true;
    } else {
      names.push_back(name);
    }
  };
  for (size_t i = group_.instances.size(); i-- > 0;) {
    const Instance& instance = group_.instances[i];
    if (instance.kind == InstanceKind::kConstant || instance.op == nullptr) continue;
    add(instance.op);
  }
  for (const GroupOutput& output : group_.outputs) {
    if (output.is_part) add(output.value->op);
  }
  if (names.empty()) add(nullptr);
  const int32_t number = context_.num_kernels++;
  kernel_.name = names.size() == 1
                     ? StrCat(names[0], ".", number)
                     : StrCat("fusion.", number, " (", StrJoin(names), more ? ", ...)" : ")");
}

Expected<plan::ScheduleStep> KernelWriter::Write() {
  infos_.resize(group_.instances.size());
  kernel_.shape.extents = group_.extents;
  kernel_.shape.num_parallel = group_.num_parallel;
  step_.kind = plan::StepKind::kKernel;
  step_.location = group_.location;
  WriteReductions();
  WriteOutputs();
  FinishPhases();
  FinishParts();
  if (!status_.ok()) return status_;
  FindInPlace();
  CoalesceDomain(kernel_);
  NameKernel();
  step_.cost_ns = KernelCost(kernel_, context_.target());
  step_.kernel = std::make_shared<const Kernel>(std::move(kernel_));
  return std::move(step_);
}

}  // namespace plinth::compiler::lower

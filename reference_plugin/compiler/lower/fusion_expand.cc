// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/compiler/ir/columns.h"
#include "reference_plugin/compiler/lower/fusion_block.h"

// What an op's value needs from its operands, as instances of a group.
namespace plinth::compiler::lower {

Dims ReducedSizes(const Op& op) {
  if (op.opcode == Opcode::kReduceWindow) return op.Get<WindowAttributes>().window.sizes;
  Dims sizes;
  for (int64_t dim : op.Get<DimensionsAttributes>().dimensions) {
    sizes.push_back(op.operands[0]->type.dims[dim]);
  }
  return sizes;
}

bool HasGaps(const Op& op) {
  const auto& pad = op.Get<PadAttributes>();
  for (size_t dim = 0; dim < pad.interior.size(); ++dim) {
    if (pad.interior[dim] != 0 && op.operands[0]->type.dims[dim] > 1) return true;
  }
  return false;
}

int32_t BlockFusion::AddInstance(int32_t group, const Value* value, int32_t map, Need need) {
  Instance instance;
  instance.value = value;
  instance.map = map;
  instance.in_reduction = need.in_reduction;
  instance.duplicated = need.duplicated;
  instance.recomputed = need.recomputed;
  instance.passes = need.passes;
  GroupAt(group).instances.push_back(std::move(instance));
  return static_cast<int32_t>(GroupAt(group).instances.size()) - 1;
}

int32_t BlockFusion::Demand(int32_t group, const Value* value, int32_t map, Need need) {
  const Op* producer = value->op;
  if (IsScalarConstant(producer)) {
    int32_t index = AddInstance(group, value, map, need);
    Instance& instance = GroupAt(group).instances.back();
    instance.kind = InstanceKind::kConstant;
    instance.op = producer;
    return index;
  }
  const bool here = IsHere(value) && producer != nullptr && producer->opcode != Opcode::kConstant;
  if (here) {
    for (const LowerContext::Want& want : context_.Fusion(value).wants) {
      if (want.group != group) continue;
      Instance& instance = GroupAt(group).instances[want.instance];
      if (instance.map != map) continue;
      instance.in_reduction |= need.in_reduction;
      instance.duplicated = std::max(instance.duplicated, need.duplicated);
      instance.recomputed = std::max(instance.recomputed, need.recomputed);
      instance.passes |= need.passes;
      return want.instance;
    }
  }
  int32_t index = AddInstance(group, value, map, need);
  ++GroupAt(group).num_loads;
  if (here) {
    context_.Fusion(value).wants.push_back({group, index});
  } else {
    SetHard(value);
  }
  return index;
}

int32_t BlockFusion::DemandInMemory(int32_t group, const Value* value) {
  Group& g = GroupAt(group);
  int32_t map = g.AddMap(ZeroMap(static_cast<int32_t>(value->type.rank()), g.rank()));
  if (IsScalarConstant(value->op)) return Demand(group, value, map, {});
  int32_t index = AddInstance(group, value, map, {});
  ++g.num_loads;
  g.needed.push_back(value);
  SetHard(value);
  return index;
}

void BlockFusion::NeedIndices(const Op& op, size_t first_operand, int32_t group) {
  for (size_t i = first_operand; i < op.operands.size(); ++i) {
    const Value* index = op.operands[i];
    SetHard(index);
    GroupAt(group).needed.push_back(index);
  }
}

// Makes an instance, so far a load, the op's result computed in the group. False, with nothing
// changed, where an index map is not affine.
bool BlockFusion::Expand(const Op& op, int32_t group, int32_t instance, Need need) {
  Group& g = GroupAt(group);
  const int32_t map = g.instances[instance].map;
  SmallVector<int32_t, 4> operands;
  InstanceKind kind = InstanceKind::kElementwise;
  int32_t own_bounds_from = 0;
  switch (op.opcode) {
    case Opcode::kIota:
      kind = InstanceKind::kIota;
      break;
    case Opcode::kReshape:
      return ExpandReshape(op, group, instance, need);
    case Opcode::kConcatenate:
      return ExpandConcatenate(op, group, instance, need);
    case Opcode::kGather:
      return ExpandGather(op, group, instance, need);
    case Opcode::kBroadcastInDim:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kDynamicSlice:
    case Opcode::kPad: {
      IndexMap source;
      if (!MapThrough(g.maps[map], op, 0, g.extents, source)) return false;
      kind = InstanceKind::kAlias;
      own_bounds_from = static_cast<int32_t>(g.maps[map].bounds.size());
      const bool padded =
          op.opcode == Opcode::kPad && static_cast<int32_t>(source.bounds.size()) > own_bounds_from;
      int32_t source_map = g.AddMap(std::move(source));
      operands.push_back(Demand(group, op.operands[0], source_map, need));
      if (padded) {
        kind = InstanceKind::kPadded;
        operands.push_back(Demand(group, op.operands[1], g.AddMap(ZeroMap(0, g.rank())), need));
      }
      if (op.opcode == Opcode::kDynamicSlice) NeedIndices(op, 1, group);
      break;
    }
    default:
      if (op.opcode == Opcode::kMap) kind = InstanceKind::kMap;
      for (const Value* operand : context_.OperandsOf(op)) {
        const bool captured = operands.size() >= op.operands.size();
        const int32_t rank = static_cast<int32_t>(operand->type.rank());
        const int32_t source_map = captured ? g.AddMap(ZeroMap(rank, g.rank())) : map;
        operands.push_back(Demand(group, operand, source_map, need));
      }
      break;
  }
  Instance& expanded = g.instances[instance];
  expanded.kind = kind;
  expanded.op = &op;
  expanded.operands = operands;
  expanded.own_bounds_from = own_bounds_from;
  if (kind != InstanceKind::kAlias) ++g.num_nodes;
  return true;
}

// Of single elements: a dimension of the result that is no batch dimension has one entry, and so
// has what a slice has of each dimension of the operand.
bool BlockFusion::ExpandGather(const Op& op, int32_t group, int32_t instance, Need need) {
  const auto& gather = op.Get<GatherAttributes>();
  const Value* const source = op.operands[0];
  const Value* const indices = op.operands[1];
  const auto has = [](const Dims& dims, int64_t dim) {
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
  };
  // Batch dimensions of the result and dimensions of the indices follow each other in both.
  std::vector<RowSource> index_rows(static_cast<size_t>(indices->type.rank()));
  int32_t result_dim = 0;
  for (int64_t d = 0; d < indices->type.rank(); ++d) {
    if (d == gather.index_vector_dim) continue;
    while (has(gather.offset_dims, result_dim)) ++result_dim;
    index_rows[static_cast<size_t>(d)].dim = result_dim++;
  }
  std::vector<RowSource> source_rows(static_cast<size_t>(source->type.rank()));
  for (size_t i = 0; i < gather.operand_batching_dims.size(); ++i) {
    source_rows[static_cast<size_t>(gather.operand_batching_dims[i])] =
        index_rows[static_cast<size_t>(gather.start_indices_batching_dims[i])];
  }

  Group& g = GroupAt(group);
  const IndexMap map = g.maps[g.instances[instance].map];
  SmallVector<int32_t, 4> operands;
  operands.push_back(AddInstance(group, source, g.AddMap(SelectRows(map, source_rows)), need));
  ++g.num_loads;
  g.needed.push_back(source);
  SetHard(source);
  for (size_t i = 0; i < gather.start_index_map.size(); ++i) {
    if (gather.index_vector_dim < indices->type.rank()) {
      index_rows[static_cast<size_t>(gather.index_vector_dim)].offset = static_cast<int64_t>(i);
    }
    operands.push_back(Demand(group, indices, g.AddMap(SelectRows(map, index_rows)), need));
  }
  Instance& expanded = g.instances[instance];
  expanded.kind = InstanceKind::kGathered;
  expanded.op = &op;
  expanded.operands = operands;
  ++g.num_nodes;
  return true;
}

bool BlockFusion::ExpandReshape(const Op& op, int32_t group, int32_t instance, Need need) {
  Group& g = GroupAt(group);
  for (;;) {
    IndexMap source;
    int32_t split_dim = 0;
    int64_t split_inner = 0;
    switch (MapThroughReshape(g.maps[g.instances[instance].map], op.type().dims,
                              op.operands[0]->type.dims, g.extents, source, split_dim,
                              split_inner)) {
      case ReshapeOutcome::kNotAffine:
        return false;
      case ReshapeOutcome::kNeedsSplit:
        if (g.rank() >= limits().domain_rank) return false;
        g.SplitDim(split_dim, split_inner);
        continue;
      case ReshapeOutcome::kMapped:
        break;
    }
    int32_t source_map = g.AddMap(std::move(source));
    int32_t operand = Demand(group, op.operands[0], source_map, need);
    Instance& expanded = g.instances[instance];
    expanded.kind = InstanceKind::kAlias;
    expanded.op = &op;
    expanded.operands = {operand};
    return true;
  }
}

bool BlockFusion::ExpandConcatenate(const Op& op, int32_t group, int32_t instance, Need need) {
  if (JoinsColumns(op, context_.target().fusion)) return false;
  Group& g = GroupAt(group);
  const IndexMap map = g.maps[g.instances[instance].map];
  const size_t dim = static_cast<size_t>(op.Get<DimensionAttributes>().dimension);
  std::vector<std::pair<const Value*, IndexMap>> parts;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (op.operands[i]->type.dims[dim] == 0) continue;
    IndexMap source;
    if (!MapThrough(map, op, static_cast<int32_t>(i), g.extents, source)) return false;
    const bool everywhere = source.bounds.size() == map.bounds.size();
    parts.emplace_back(op.operands[i], std::move(source));
    if (!everywhere) continue;
    parts.erase(parts.begin(), parts.end() - 1);
    break;
  }
  if (parts.empty()) return false;
  // Every part is read at every point, so many of them cost more than one more array.
  const FusionLimits& limits = context_.target().fusion;
  if (parts.size() > limits.selected_operands && op.type().NumElements() > limits.tiny_points) {
    return false;
  }
  // One that is read everywhere is one value for all points, however many parts need it. Rows of
  // larger arrays would be read and computed where another part is chosen.
  const bool is_tiny = op.type().NumElements() <= limits.tiny_points;
  SmallVector<int32_t, 4> operands, chosen;
  for (auto& [value, source] : parts) {
    const Dims& dims = value->type.dims;
    if (operands.size() + 1 < parts.size()) chosen.push_back(g.AddMap(source));
    if (is_tiny && dims[dim] == 1) {
      ReadEverywhere(source, static_cast<int32_t>(dim), map.bounds.size(), dims, g.extents);
    }
    operands.push_back(Demand(group, value, g.AddMap(std::move(source)), need));
  }
  Instance& expanded = g.instances[instance];
  expanded.kind = operands.size() == 1 ? InstanceKind::kAlias : InstanceKind::kConcatenate;
  expanded.op = &op;
  expanded.operands = operands;
  expanded.chosen = chosen;
  expanded.own_bounds_from = static_cast<int32_t>(map.bounds.size());
  g.num_nodes += static_cast<int32_t>(operands.size()) - 1;
  return true;
}

void BlockFusion::ExpandReduction(const Op& op, int32_t group, const IndexMap& map,
                                  int32_t first_reduced, std::span<const int32_t> instances) {
  Group& g = GroupAt(group);
  const size_t count = op.results.size();
  const Type& source = op.operands[0]->type;
  const Dims sizes = ReducedSizes(op);
  std::vector<Dims> rows;
  RowsOverReduced(g, first_reduced, sizes, rows);

  IndexMap input = ZeroMap(static_cast<int32_t>(source.rank()), g.rank());
  if (op.opcode == Opcode::kReduce) {
    const Dims& dims = op.Get<DimensionsAttributes>().dimensions;
    size_t reduced = 0;
    int32_t kept = 0;
    for (int32_t dim = 0; dim < input.rank(); ++dim) {
      const bool is_reduced = reduced < dims.size() && dims[reduced] == dim;
      for (int32_t d = 0; d < g.rank(); ++d) {
        input.At(dim, d) = is_reduced ? rows[reduced][d] : map.At(kept, d);
      }
      if (is_reduced) {
        ++reduced;
      } else {
        ++kept;
      }
    }
  } else {
    const Window& window = op.Get<WindowAttributes>().window;
    for (int32_t dim = 0; dim < input.rank(); ++dim) {
      input.offsets[dim] = -window.padding_low[dim];
      for (int32_t d = 0; d < g.rank(); ++d) {
        input.At(dim, d) =
            window.strides[dim] * map.At(dim, d) + window.window_dilation[dim] * rows[dim][d];
      }
      AddBound(input, dim, source.dims[dim], g.extents);
    }
  }
  const bool padded = !input.bounds.empty();
  const int32_t input_map = g.AddMap(std::move(input));

  Need need;
  need.in_reduction = true;
  need.passes = uint64_t{1} << std::min<size_t>(g.reductions.size(), 62);
  for (int32_t instance : instances) {
    need.duplicated = std::max(need.duplicated, g.instances[instance].duplicated);
  }
  GroupReduction reduction;
  reduction.op = &op;
  for (size_t i = 0; i < count; ++i) {
    int32_t initial = DemandInMemory(group, op.operands[count + i]);
    int32_t element = Demand(group, op.operands[i], input_map, need);
    if (padded) {
      // Outside of the input, windows see the initial value.
      int32_t inside = element;
      element = AddInstance(group, op.operands[i], input_map, need);
      Instance& instance = g.instances.back();
      instance.kind = InstanceKind::kPadded;
      instance.op = &op;
      instance.operands = {inside, initial};
      ++g.num_nodes;
    }
    reduction.inputs.push_back(element);
    reduction.initial.push_back(initial);
  }
  for (const Value* captured : context_.OperandsOf(op).subspan(op.operands.size())) {
    reduction.captured.push_back(DemandInMemory(group, captured));
  }
  const int32_t number = static_cast<int32_t>(g.reductions.size());
  g.reductions.push_back(std::move(reduction));
  for (int32_t index : instances) {
    Instance& instance = g.instances[index];
    instance.kind = InstanceKind::kReduced;
    instance.op = &op;
    instance.reduction = number;
    instance.component = instance.value->index;
    ++g.num_nodes;
  }
}

}  // namespace plinth::compiler::lower

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/emitter.h"

#include <algorithm>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::partition {
namespace {

// How many axes two lists have in common from the major end; where one has a part of an axis of the
// other, it is split so that the common part stands alone.
size_t CommonPrefix(AxisList& a, AxisList& b) {
  size_t common = 0;
  for (; common < a.size() && common < b.size(); ++common) {
    Axis &x = a[common], &y = b[common];
    if (x == y) continue;
    if (!IsPrefixOf(x, y) && !IsPrefixOf(y, x)) break;
    const auto split = [&](AxisList& list, Axis& whole, int64_t size) {
      const Axis rest = {whole.index, whole.pre_size * size, whole.size / size};
      whole.size = size;
      list.insert(list.begin() + common + 1, rest);
    };
    if (x.size > y.size) {
      split(a, x, y.size);
    } else {
      split(b, y, x.size);
    }
  }
  return common;
}

AxisList From(const AxisList& axes, size_t first) {
  AxisList rest;
  for (size_t i = first; i < axes.size(); ++i) rest.push_back(axes[i]);
  return rest;
}

AxisList UpTo(const AxisList& axes, size_t count) {
  AxisList first;
  for (size_t i = 0; i < count; ++i) first.push_back(axes[i]);
  return first;
}

AxisList Merged(const AxisList& axes) {
  AxisList merged;
  for (const Axis& axis : axes) AddOrMerge(merged, axis);
  return merged;
}

Layout OnMesh(Layout layout, const MeshRef& mesh, size_t rank) {
  if (layout.mesh == nullptr) {
    layout.mesh = mesh;
    layout.dims.resize(rank);
  }
  return layout;
}

// Whether what lies so has all that it needs to lie as `to`.
bool IsPartOf(const Layout& from, const Layout& to) {
  if (from.IsReplicated()) return true;
  if (to.IsReplicated() || !SameDevices(from.mesh, to.mesh)) return false;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    if (!IsListPrefixOf(from.dims[d], to.dims[d])) return false;
  }
  return true;
}

}  // namespace

Opcode CombinerOf(ReductionOp reduction) {
  switch (reduction) {
    case ReductionOp::kMax:
      return Opcode::kMaximum;
    case ReductionOp::kMin:
      return Opcode::kMinimum;
    case ReductionOp::kSum:
      break;
  }
  return Opcode::kAdd;
}

Value* Emitter::PartitionId() {
  if (partition_id_ == nullptr) {
    Builder build(module_, prologue_, nullptr);
    Value* const id = build.Add(Opcode::kPartitionId, {}, Type::Tensor(DType::kU32, {}));
    partition_id_ = build.Add(Opcode::kConvert, {id}, Type::Tensor(DType::kS32, {}));
  }
  return partition_id_;
}

Value* Emitter::PlaceInMesh(const Mesh& mesh) {
  PartitionId();
  Builder build(module_, prologue_, nullptr);
  const Type index = Type::Tensor(DType::kS32, {});
  if (mesh.device_ids.empty()) return partition_id_;
  Value*& place = indices_[StrCat("places ", ToString(mesh))];
  if (place != nullptr) return place;
  auto table = std::make_shared<std::vector<int32_t>>(mesh.device_ids.size());
  for (size_t i = 0; i < mesh.device_ids.size(); ++i) {
    (*table)[static_cast<size_t>(mesh.device_ids[i])] = static_cast<int32_t>(i);
  }
  const int64_t count = static_cast<int64_t>(table->size());
  Value* const constant = build.Add(
      Opcode::kConstant, {}, Type::Tensor(DType::kS32, {count}),
      MakeAttributes(ConstantAttributes{std::as_bytes(std::span(*table)), count == 1, table}));
  Value* const one =
      build.Add(Opcode::kDynamicSlice, {constant, partition_id_}, Type::Tensor(DType::kS32, {1}),
                MakeAttributes(DynamicSliceAttributes{{1}}));
  place = build.Add(Opcode::kReshape, {one}, index);
  return place;
}

Value* Emitter::IndexAlong(const Mesh& mesh, const AxisList& axes) {
  const std::string key = StrCat(ToString(mesh), ToString(mesh, axes));
  if (const auto found = indices_.find(key); found != indices_.end()) return found->second;
  Value* const place = PlaceInMesh(mesh);
  Builder build(module_, prologue_, nullptr);
  const auto number = [&](int64_t n) { return build.SplatLike(place, static_cast<double>(n)); };
  Value* index = nullptr;
  for (const Axis& axis : axes) {
    const int64_t stride = StrideOf(mesh, axis);
    Value* along = place;
    if (stride != 1) along = build.Binary(Opcode::kDivide, along, number(stride));
    if (stride * axis.size != mesh.num_devices()) {
      along = build.Binary(Opcode::kRemainder, along, number(axis.size));
    }
    if (index != nullptr) {
      along = build.Binary(Opcode::kAdd, build.Binary(Opcode::kMultiply, index, number(axis.size)),
                           along);
    }
    index = along;
  }
  if (index == nullptr) index = number(0);
  indices_.emplace(key, index);
  return index;
}

Value* Emitter::Collective(Opcode opcode, std::span<Value* const> operands, const Type& type,
                           CollectiveAttributes attributes, std::optional<Opcode> combiner) {
  // The others are numbered by partitions alone.
  attributes.use_global_device_ids = opcode == Opcode::kAllGather || opcode == Opcode::kAllReduce ||
                                     opcode == Opcode::kReduceScatter;
  const auto is_same = [&](const Op& op) {
    const auto& other = op.Get<CollectiveAttributes>();
    attributes.channel_id = other.channel_id;
    return op.opcode == opcode &&
           std::equal(op.operands.begin(), op.operands.end(), operands.begin(), operands.end()) &&
           op.type() == type && attributes == other &&
           (!combiner.has_value() || OnlyOpOf(*op.blocks[0]) == combiner);
  };
  for (const Seen& seen : seen_) {
    const auto found = seen.collectives.find(operands[0]);
    if (found == seen.collectives.end()) continue;
    for (Op* op : found->second) {
      if (is_same(*op)) return op->result();
    }
  }
  attributes.channel_id = ++num_collectives_;
  Op* const made = builder().AddOp(opcode, operands, std::span<const Type>(&type, 1),
                                   MakeAttributes(std::move(attributes)));
  if (combiner.has_value()) made->blocks.push_back(CombinerOf(*combiner, type.dtype));
  if (!seen_.empty()) seen_.back().collectives[operands[0]].push_back(made);
  return made->result();
}

Value* Emitter::Zero(DType dtype) {
  Value*& zero = zeros_[dtype];
  if (zero == nullptr) {
    zero = Builder(module_, prologue_, nullptr).Splat(Type::Tensor(dtype, {}), 0);
  }
  return zero;
}

Value* Emitter::BroadcastFirst(Value* value) {
  CollectiveAttributes attributes;
  if (manual_.IsAll()) return value;
  if (manual_.is_inside) {
    attributes.groups = Groups(*manual_.mesh, manual_.Free());
  } else {
    std::vector<int64_t> group;
    for (int64_t device = 0; device < num_devices_; ++device) group.push_back(device);
    attributes.groups = DeviceGroups::Lists{std::move(group)};
  }
  return Collective(Opcode::kCollectiveBroadcast, value, value->type, std::move(attributes));
}

Value* Emitter::BroadcastFrom(int64_t device, Value* value) {
  CollectiveAttributes attributes;
  std::vector<int64_t> group = {device};
  for (int64_t other = 0; other < num_devices_; ++other) {
    if (other != device) group.push_back(other);
  }
  attributes.groups = DeviceGroups::Lists{std::move(group)};
  return Collective(Opcode::kCollectiveBroadcast, value, value->type, std::move(attributes));
}

Block* Emitter::CombinerOf(Opcode opcode, DType dtype) {
  Block* const region = module_.NewBlock();
  const Type scalar = Type::Tensor(dtype, {});
  Value* const a = module_.NewArgument(region, scalar);
  Value* const b = module_.NewArgument(region, scalar);
  Builder body(module_, region->ops, location_);
  Value* const combined = body.Binary(opcode, a, b);
  body.AddOp(Opcode::kReturn, std::span<Value* const>(&combined, 1), {});
  return region;
}

Value* Emitter::AllReduce(Value* value, Opcode combiner, const Mesh& mesh, const AxisList& axes) {
  CollectiveAttributes attributes;
  attributes.groups = Groups(mesh, axes);
  return Collective(Opcode::kAllReduce, {&value, 1}, value->type, std::move(attributes), combiner);
}

// Where the target has the next axis of a dimension among those that are not reduced, each device
// gets its part of the sum only.
void Emitter::ReduceUnreduced(LocalValue& now, const Layout& to) {
  Layout& layout = now.layout;
  const Opcode combiner = partition::CombinerOf(layout.reduction);
  AxisList remaining, everywhere;
  for (const Axis& axis : layout.unreduced) {
    if (Overlap(axis, to.unreduced)) {
      remaining.push_back(axis);
      continue;
    }
    size_t scatter_dim = layout.dims.size();
    for (size_t dim = 0; dim < layout.dims.size() && SameDevices(layout.mesh, to.mesh); ++dim) {
      AxisList have = layout.dims[dim], want = to.dims[dim];
      const size_t common = CommonPrefix(have, want);
      if (common == have.size() && common < want.size() && want[common] == axis) scatter_dim = dim;
    }
    if (scatter_dim == layout.dims.size()) {
      everywhere.push_back(axis);
      continue;
    }
    CollectiveAttributes attributes;
    attributes.groups = Groups(*layout.mesh, {axis});
    attributes.dimension = static_cast<int64_t>(scatter_dim);
    Type type = now.value->type;
    type.dims[scatter_dim] /= axis.size;
    now.value =
        Collective(Opcode::kReduceScatter, {&now.value, 1}, type, std::move(attributes), combiner);
    AddOrMerge(layout.dims[scatter_dim], axis);
  }
  if (!everywhere.empty()) now.value = AllReduce(now.value, combiner, *layout.mesh, everywhere);
  layout.unreduced = std::move(remaining);
}

// Where the parts along an axis are to be terms of a sum, each is put among zeros: nothing moves.
void Emitter::SpreadAsTerms(LocalValue& now, const Layout& to) {
  for (size_t dim = 0; dim < now.layout.dims.size(); ++dim) {
    AxisList& axes = now.layout.dims[dim];
    while (!axes.empty() &&
           std::any_of(to.unreduced.begin(), to.unreduced.end(),
                       [&](const Axis& all) { return Contains(all, axes.back()); })) {
      const Axis axis = axes.back();
      axes.pop_back();
      Type type = now.value->type;
      const int64_t extent = type.dims[dim];
      type.dims[dim] *= axis.size;
      Builder build = builder();
      Value* const index = IndexAlong(*now.layout.mesh, {axis});
      Value* const zero = build.SplatLike(index, 0);
      Value* const start = build.Binary(Opcode::kMultiply, index,
                                        build.SplatLike(index, static_cast<double>(extent)));
      SmallVector<Value*, 8> operands = {build.Splat(type, 0), now.value};
      for (size_t i = 0; i < type.dims.size(); ++i) operands.push_back(i == dim ? start : zero);
      now.value = build
                      .AddOp(Opcode::kDynamicUpdateSlice, {operands.data(), operands.size()},
                             std::span<const Type>(&type, 1))
                      ->result();
      now.layout.unreduced.push_back(axis);
    }
  }
  SortAndMerge(now.layout.unreduced);
}

// Along axes on which a value becomes one of terms, the first device has it and others nothing. Of
// maximum and minimum it may be every term.
void Emitter::MaskTerms(LocalValue& now, const Layout& to) {
  AxisList masked;
  for (const Axis& axis : to.unreduced) {
    if (!Overlap(axis, now.layout.unreduced)) masked.push_back(axis);
  }
  now.layout.unreduced = to.unreduced;
  now.layout.reduction = to.reduction;
  if (masked.empty() || to.reduction != ReductionOp::kSum) return;
  Builder build = builder();
  Value* const index = IndexAlong(*to.mesh, masked);
  Value* is_first = build.Compare(ComparisonDirection::kEq, index, build.SplatLike(index, 0));
  if (!now.value->type.IsScalar()) {
    is_first = build.Broadcast(is_first, now.value->type.dims, {});
  }
  now.value = build.Add(Opcode::kSelect, {is_first, now.value, build.SplatLike(now.value, 0)},
                        now.value->type);
}

// Each device takes a part of what it has.
bool Emitter::SliceOne(LocalValue& now, const Layout& to) {
  const AxisList used = now.layout.AllAxes();
  for (size_t dim = 0; dim < to.dims.size(); ++dim) {
    AxisList have = now.layout.dims[dim], want = to.dims[dim];
    const size_t common = CommonPrefix(have, want);
    if (common < have.size() || common == want.size()) continue;
    AxisList free;
    for (size_t i = common; i < want.size(); ++i) {
      // Of an axis whose minor part is elsewhere, the major part.
      const std::optional<Axis> part = PrefixWithoutOverlap(want[i], used);
      if (part.has_value()) free.push_back(*part);
      if (!part.has_value() || !(*part == want[i])) break;
    }
    if (free.empty()) continue;
    Type type = now.value->type;
    type.dims[dim] /= SizeOf(free);
    Builder build = builder();
    Value* const index = IndexAlong(*to.mesh, free);
    SmallVector<Value*, 8> operands = {now.value};
    Value* const zero = build.SplatLike(index, 0);
    Value* const start = build.Binary(Opcode::kMultiply, index,
                                      build.SplatLike(index, static_cast<double>(type.dims[dim])));
    for (size_t i = 0; i < type.dims.size(); ++i) operands.push_back(i == dim ? start : zero);
    DynamicSliceAttributes attributes{type.dims};
    now.value = build
                    .AddOp(Opcode::kDynamicSlice, {operands.data(), operands.size()},
                           std::span<const Type>(&type, 1), MakeAttributes(std::move(attributes)))
                    ->result();
    for (const Axis& axis : free) AddOrMerge(now.layout.dims[dim], axis);
    return true;
  }
  return false;
}

// An axis goes from one dimension to another.
bool Emitter::ExchangeOne(LocalValue& now, const Layout& to) {
  for (size_t from = 0; from < to.dims.size(); ++from) {
    AxisList have = now.layout.dims[from], want = to.dims[from];
    const size_t common = CommonPrefix(have, want);
    if (common == have.size()) continue;
    for (size_t into = 0; into < to.dims.size(); ++into) {
      if (into == from) continue;
      AxisList have_there = now.layout.dims[into], want_there = to.dims[into];
      const size_t common_there = CommonPrefix(have_there, want_there);
      if (common_there < have_there.size() || common_there == want_there.size()) continue;
      // The minor part of an axis may go alone.
      Axis axis = want_there[common_there];
      Axis& last = have.back();
      if (IsPrefixOf(last, axis)) axis = last;
      if (!Contains(last, axis) || last.end() != axis.end()) continue;
      last.size /= axis.size;
      if (last.size == 1) have.pop_back();
      Type type = now.value->type;
      type.dims[into] /= axis.size;
      type.dims[from] *= axis.size;
      CollectiveAttributes attributes;
      attributes.groups = Groups(*to.mesh, {axis});
      attributes.dimension = static_cast<int64_t>(into);
      attributes.concat_dimension = static_cast<int64_t>(from);
      attributes.split_count = axis.size;
      now.value = Collective(Opcode::kAllToAll, now.value, type, std::move(attributes));
      now.layout.dims[from] = Merged(have);
      AddOrMerge(now.layout.dims[into], axis);
      return true;
    }
  }
  return false;
}

bool Emitter::GatherOne(LocalValue& now, const Layout& to) {
  for (size_t dim = 0; dim < to.dims.size(); ++dim) {
    AxisList have = now.layout.dims[dim], want = to.dims[dim];
    const size_t common = CommonPrefix(have, want);
    if (common == have.size()) continue;
    const AxisList gathered = From(have, common);
    Type type = now.value->type;
    type.dims[dim] *= SizeOf(gathered);
    CollectiveAttributes attributes;
    attributes.groups = Groups(*now.layout.mesh, gathered);
    attributes.dimension = static_cast<int64_t>(dim);
    now.value = Collective(Opcode::kAllGather, now.value, type, std::move(attributes));
    now.layout.dims[dim] = Merged(UpTo(have, common));
    return true;
  }
  return false;
}

// Parts stay as they are and go to other devices.
bool Emitter::Permute(LocalValue& now, const Layout& to) {
  if (now.layout.mesh == nullptr || to.mesh == nullptr || !now.layout.unreduced.empty() ||
      !to.unreduced.empty()) {
    return false;
  }
  for (size_t dim = 0; dim < to.dims.size(); ++dim) {
    if (SizeOf(now.layout.dims[dim]) != SizeOf(to.dims[dim])) return false;
  }
  const auto parts_of = [&](const Layout& layout) {
    std::vector<int64_t> parts = PartsOf(layout, num_devices_);
    if (manual_.mesh == nullptr) return parts;
    // Devices at different places along manual axes have different arrays.
    Layout own;
    own.mesh = manual_.mesh;
    own.dims = {manual_.axes};
    const std::vector<int64_t> arrays = PartsOf(own, num_devices_);
    for (size_t i = 0; i < parts.size(); ++i) parts[i] += arrays[i] * num_devices_;
    return parts;
  };
  const std::vector<int64_t> have = parts_of(now.layout);
  const std::vector<int64_t> want = parts_of(to);
  std::map<int64_t, std::vector<int64_t>> senders;  // of a part; who keeps it sends to itself
  DeviceGroups::Lists pairs;
  for (size_t device = 0; device < have.size(); ++device) {
    if (have[device] == want[device]) {
      pairs.push_back({static_cast<int64_t>(device), static_cast<int64_t>(device)});
    } else {
      senders[have[device]].push_back(static_cast<int64_t>(device));
    }
  }
  for (size_t device = 0; device < have.size(); ++device) {
    if (have[device] == want[device]) continue;
    std::vector<int64_t>& free = senders[want[device]];
    if (free.empty()) return false;
    pairs.push_back({free.back(), static_cast<int64_t>(device)});
    free.pop_back();
  }
  if (!senders.empty()) {
    CollectiveAttributes attributes;
    attributes.groups = std::move(pairs);
    now.value =
        Collective(Opcode::kCollectivePermute, now.value, now.value->type, std::move(attributes));
  }
  now.layout = to;
  return true;
}

Value* Emitter::Move(LocalValue now, const Type& global, const Layout& to) {
  const size_t rank = static_cast<size_t>(global.rank());
  if (!now.layout.unreduced.empty()) {
    // Terms of another kind, or on another mesh, are no terms there.
    const bool are_terms =
        SameDevices(now.layout.mesh, to.mesh) && now.layout.reduction == to.reduction;
    ReduceUnreduced(now, are_terms ? to : Reduced(to));
  }
  if (Layout reduced = now.layout; reduced.Normalize(), reduced == to) return now.value;
  if (!now.layout.IsReplicated() && !to.IsReplicated() && Permute(now, to)) return now.value;
  if (!SameDevices(now.layout.mesh, to.mesh) && !now.layout.IsReplicated() && !to.IsReplicated()) {
    // Nothing is known of how one mesh lies in the other.
    const Layout nothing = OnMesh(Layout(), now.layout.mesh, rank);
    while (GatherOne(now, nothing)) {
    }
    now.layout = Layout();
  }
  const MeshRef mesh = to.IsReplicated() ? now.layout.mesh : to.mesh;
  Layout target = OnMesh(to, mesh, rank);
  now.layout = OnMesh(std::move(now.layout), mesh, rank);
  if (!target.unreduced.empty() && target.reduction == ReductionOp::kSum) {
    now.layout.reduction = target.reduction;
    SpreadAsTerms(now, target);
  }
  while (SliceOne(now, target) || ExchangeOne(now, target) || GatherOne(now, target)) {
  }
  if (!target.unreduced.empty()) MaskTerms(now, target);
  return now.value;
}

// One number everywhere is made anew.
Value* Emitter::SplatIn(Value* value, const Layout& from, const Type& global, const Layout& to) {
  Op* const op = value->op;
  const bool is_splat =
      op != nullptr &&
      ((op->opcode == Opcode::kConstant && ConstantOf(value)->is_splat) ||
       (op->opcode == Opcode::kBroadcastInDim && op->operands[0]->type.IsScalar()));
  if (!is_splat || !from.unreduced.empty() || !to.unreduced.empty()) return nullptr;
  const Type type = LocalType(global, to);
  return builder()
      .AddOp(op->opcode, {op->operands.data(), op->operands.size()},
             std::span<const Type>(&type, 1), op->attributes)
      ->result();
}

void Emitter::Remember(const Op& op, const Value* local, Value* operand, bool is_whole) {
  switch (op.opcode) {
    case Opcode::kBroadcastInDim:
    case Opcode::kConvert:
    case Opcode::kNegate:
    case Opcode::kReshape:
    case Opcode::kTranspose:
      makers_.emplace(local, Maker{&op, operand, is_whole});
      break;
    default:
      break;
  }
}

// What a value is a slice of, or null. In a region whose arrays are the slices it is no slice.
// `makes`: it may be made.
Value* Emitter::WholeOf(const Value* local, const Type& global, bool makes) {
  if (const auto whole = whole_of_.find(local); whole != whole_of_.end()) {
    return whole->second->type == global ? whole->second : nullptr;
  }
  const auto maker = makers_.find(local);
  if (!makes || maker == makers_.end() || !(maker->second.op->type() == global)) return nullptr;
  const Op& op = *maker->second.op;
  Value* operand = maker->second.operand;
  if (!maker->second.is_whole) operand = WholeOf(operand, op.operands[0]->type, makes);
  if (operand == nullptr) return nullptr;
  for (const Seen& seen : seen_) {
    if (const auto found = seen.made_whole.find(local); found != seen.made_whole.end()) {
      return found->second;
    }
  }
  Value* const made = builder().Add(op.opcode, {operand}, global, op.attributes);
  seen_.back().made_whole.emplace(local, made);
  return made;
}

Value* Emitter::Reshard(Value* value, const Layout& from, const Type& global, const Layout& to) {
  if (from == to || global.kind != Type::Kind::kTensor) return value;
  for (const Seen& seen : seen_) {
    const auto found = seen.resharded.find(value);
    if (found == seen.resharded.end()) continue;
    for (const Resharded& known : found->second) {
      if (known.to == to) return known.value;
    }
  }
  // What a region made may be a term outside of it; and parts become terms where they are.
  Value* const whole = from.unreduced.empty() && to.unreduced.empty()
                           ? WholeOf(value, global, !IsPartOf(from, to))
                           : nullptr;
  static const Layout kReplicated = {};
  Value* const source = whole == nullptr ? value : whole;
  const Layout& source_layout = whole == nullptr ? from : kReplicated;
  Value* moved = SplatIn(source, source_layout, global, to);
  if (moved == nullptr) moved = Move({source, source_layout}, global, to);
  if (source_layout.IsReplicated() && to.unreduced.empty()) whole_of_.emplace(moved, source);
  seen_.back().resharded[value].push_back({to, moved});
  return moved;
}

}  // namespace plinth::compiler::partition

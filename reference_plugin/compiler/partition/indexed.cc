// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/indexed.h"

#include <algorithm>
#include <utility>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::partition {
namespace {

// Places are counted in s32.
constexpr int64_t kMostExtent = int64_t{1} << 30;

bool HasDim(const Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// How much of each dimension an update covers.
Dims WindowsOf(const ScatterAttributes& scatter, const Dims& operand, const Dims& updates) {
  Dims windows(operand.size(), 1);
  size_t next = 0;
  for (size_t d = 0; d < operand.size(); ++d) {
    const int64_t dim = static_cast<int64_t>(d);
    if (HasDim(scatter.inserted_window_dims, dim) || HasDim(scatter.input_batching_dims, dim)) {
      continue;
    }
    windows[d] = updates[static_cast<size_t>(scatter.update_window_dims[next++])];
  }
  return windows;
}

// Changes no sum: -0 and anything is that, -0 too.
double NothingOf(DType dtype) { return IsInteger(dtype) || dtype == DType::kPred ? 0.0 : -0.0; }

bool IsUnsigned(DType dtype) { return dtype == DType::kU32 || dtype == DType::kU64; }

}  // namespace

Indexed::Indexed(const Op& op, const Layout& layout) : op_(&op), layout_(layout) {
  const Dims& operand = op.operands[0]->type.dims;
  Dims windows, map;
  if (op.opcode == Opcode::kGather) {
    const auto& gather = op.Get<GatherAttributes>();
    windows = gather.slice_sizes;
    map = gather.start_index_map;
    vector_dim_ = gather.index_vector_dim;
  } else {
    const auto& scatter = op.Get<ScatterAttributes>();
    windows = WindowsOf(scatter, operand, op.operands.back()->type.dims);
    map = scatter.scatter_dims_to_operand_dims;
    vector_dim_ = scatter.index_vector_dim;
  }
  for (int64_t dim : map) {
    const size_t d = static_cast<size_t>(dim);
    Component& component = components_.emplace_back();
    component = {d, operand[d], windows[d], false};
    // A window larger than the part is seldom; half of what is around the part would be margins.
    component.is_spread = windows[d] < operand[d] && windows[d] > 0 && !layout.Of(d).empty() &&
                          operand[d] <= kMostExtent && windows[d] <= PartOf(component);
    if (!component.is_spread) continue;
    for (const Axis& axis : layout.Of(d)) axes_.push_back(axis);
  }
  SortAndMerge(axes_);
}

void Indexed::Stay(Layout& layout) const {
  layout.mesh = layout_.mesh;
  layout.dims.resize(layout_.dims.size());
  for (const Component& component : components_) {
    if (component.is_spread) layout.dims[component.dim] = layout_.Of(component.dim);
  }
}

bool Indexed::HasMargins() const {
  return std::any_of(components_.begin(), components_.end(), [](const Component& component) {
    return component.is_spread && component.window > 1;
  });
}

// One component of the indices, which keeps their rank.
Value* Indexed::ComponentOf(Builder& build, Value* indices, size_t component) const {
  if (vector_dim_ == indices->type.rank() || components_.size() == 1) return indices;
  return build.Take(indices, vector_dim_, static_cast<int64_t>(component));
}

Value* Indexed::Joined(Builder& build, std::span<Value* const> components) const {
  return components.size() == 1 ? components[0] : build.Concatenate(components, vector_dim_);
}

// As s32, with what is beyond the bounds at them. A type without a sign has no `low` below 0.
Value* Indexed::Within(Builder& build, Value* index, int64_t low, int64_t high) const {
  if (ByteSize(index->type.dtype) < 4) index = build.Convert(index, DType::kS32);
  if (IsUnsigned(index->type.dtype)) low = std::max<int64_t>(low, 0);
  index = build.Add(Opcode::kClamp,
                    {build.SplatLike(index, static_cast<double>(low)), index,
                     build.SplatLike(index, static_cast<double>(high))},
                    index->type);
  return build.Convert(index, DType::kS32);
}

// Counted from where the device's part begins.
Value* Indexed::InPart(Emitter& emitter, Builder& build, Value* index, size_t component) const {
  const Component& of = components_[component];
  Value* const part = emitter.IndexAlong(*layout_.mesh, layout_.Of(of.dim));
  Value* const first =
      build.Binary(Opcode::kMultiply, part, build.SplatLike(part, static_cast<double>(PartOf(of))));
  return build.Binary(Opcode::kSubtract, index, build.Broadcast(first, index->type.dims, {}));
}

Value* Indexed::IsBetween(Builder& build, Value* index, int64_t low, int64_t high) const {
  const auto number = [&](int64_t n) { return build.SplatLike(index, static_cast<double>(n)); };
  return build.Binary(Opcode::kAnd, build.Compare(ComparisonDirection::kGe, index, number(low)),
                      build.Compare(ComparisonDirection::kLe, index, number(high)));
}

// Room around the part for windows that are in it only in part, or not at all.
Value* Indexed::WithMargins(Builder& build, Value* part, double fill) const {
  PadAttributes pad;
  Type type = part->type;
  pad.low = pad.high = pad.interior = Dims(type.dims.size(), 0);
  for (const Component& component : components_) {
    if (!component.is_spread || component.window == 1) continue;
    pad.low[component.dim] = pad.high[component.dim] = component.window;
    type.dims[component.dim] += 2 * component.window;
  }
  Value* const around = build.Splat(Type::Tensor(type.dtype, {}), fill);
  return build.Add(Opcode::kPad, {part, around}, type, MakeAttributes(std::move(pad)));
}

Value* Indexed::WithoutMargins(Emitter& emitter, Value* result, const Type& part) const {
  if (!HasMargins()) return result;
  SliceAttributes slice;
  slice.start = Dims(part.dims.size(), 0);
  slice.stride = Dims(part.dims.size(), 1);
  for (const Component& component : components_) {
    if (component.is_spread && component.window > 1) slice.start[component.dim] = component.window;
  }
  for (size_t d = 0; d < part.dims.size(); ++d) {
    slice.limit.push_back(slice.start[d] + part.dims[d]);
  }
  return emitter.builder().Add(Opcode::kSlice, {result}, part, MakeAttributes(std::move(slice)));
}

Value* Indexed::TermOfGather(Emitter& emitter, Value* operand, Value* indices,
                             const Type& result) const {
  Builder build = emitter.builder();
  std::vector<Value*> shifted;
  Value* is_ours = nullptr;
  for (size_t k = 0; k < components_.size(); ++k) {
    const Component& component = components_[k];
    // The place is moved into the whole before it is one in the part.
    Value* index =
        Within(build, ComponentOf(build, indices, k), 0, component.extent - component.window);
    if (component.is_spread) {
      index = InPart(emitter, build, index, k);
      const int64_t part = PartOf(component);
      if (component.window == 1) {
        Value* const is_here = IsBetween(build, index, 0, part - 1);
        is_ours = is_ours == nullptr ? is_here : build.Binary(Opcode::kAnd, is_ours, is_here);
      } else {
        index = Within(build, index, -component.window, part);
        index = build.Binary(Opcode::kAdd, index,
                             build.SplatLike(index, static_cast<double>(component.window)));
      }
    }
    shifted.push_back(index);
  }
  const double nothing = NothingOf(result.dtype);
  GatherAttributes gather = op_->Get<GatherAttributes>();
  for (size_t d = 0; d < gather.slice_sizes.size(); ++d) {
    // All of a dimension is all of its part.
    if (gather.slice_sizes[d] == op_->operands[0]->type.dims[d]) {
      gather.slice_sizes[d] = operand->type.dims[d];
    }
  }
  gather.indices_are_sorted = false;
  if (HasMargins()) operand = WithMargins(build, operand, nothing);
  const Dims offsets = gather.offset_dims;
  Value* const taken = build.Add(Opcode::kGather, {operand, Joined(build, shifted)}, result,
                                 MakeAttributes(std::move(gather)));
  if (is_ours == nullptr) return taken;
  Dims batch = is_ours->type.dims, places;
  if (vector_dim_ < std::ssize(batch)) batch.erase(batch.begin() + vector_dim_);
  for (int64_t dim = 0; dim < result.rank(); ++dim) {
    if (!HasDim(offsets, dim)) places.push_back(dim);
  }
  is_ours = build.Add(Opcode::kReshape, {is_ours}, Type::Tensor(DType::kPred, batch));
  return build.Select(build.Broadcast(is_ours, result.dims, places), taken,
                      build.Splat(result, nothing));
}

std::shared_ptr<const Attributes> Indexed::PrepareScatter(Emitter& emitter,
                                                          std::span<Value*> operands) const {
  Builder build = emitter.builder();
  const size_t inputs = op_->results.size();
  std::vector<Value*> shifted;
  for (size_t k = 0; k < components_.size(); ++k) {
    const Component& component = components_[k];
    // What is outside stays so.
    const int64_t last = component.extent - component.window;
    Value* index = Within(build, ComponentOf(build, operands[inputs], k), -1, last + 1);
    if (component.is_spread) {
      Value* const is_inside = component.window == 1 ? nullptr : IsBetween(build, index, 0, last);
      index = InPart(emitter, build, index, k);
      if (component.window > 1) {
        index = Within(build, index, -component.window, PartOf(component));
        index = build.Binary(Opcode::kAdd, index,
                             build.SplatLike(index, static_cast<double>(component.window)));
        index = build.Select(is_inside, index, build.SplatLike(index, -1));
      }
    }
    shifted.push_back(index);
  }
  operands[inputs] = Joined(build, shifted);
  ScatterAttributes scatter = op_->Get<ScatterAttributes>();
  scatter.indices_are_sorted = false;
  if (HasMargins()) {
    scatter.unique_indices = false;  // many are in the margins
    for (size_t i = 0; i < inputs; ++i) operands[i] = WithMargins(build, operands[i], 0);
  }
  return MakeAttributes(std::move(scatter));
}

}  // namespace plinth::compiler::partition

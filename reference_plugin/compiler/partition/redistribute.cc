// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/redistribute.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace plinth::compiler::partition {
namespace {

MeshRef MeshOf(std::span<const Placed> arrays, const Layout& to) {
  if (to.mesh != nullptr) return to.mesh;
  for (const Placed& array : arrays) {
    if (array.local.layout.mesh != nullptr) return array.local.layout.mesh;
  }
  return nullptr;
}

// Of an array that every device has whole, the one window of all.
Value* Cut(Emitter& emitter, const Placed& array, const Windows& windows, Value* fill) {
  const Dims& dims = array.local.value->type.dims;
  PadAttributes pad;
  for (size_t d = 0; d < dims.size(); ++d) {
    pad.low.push_back(array.offset[d] - windows.first[d]);
    pad.high.push_back(windows.extent[d] - dims[d] - pad.low[d]);
    pad.interior.push_back(0);
  }
  return emitter.builder().Add(Opcode::kPad, {array.local.value, fill},
                               Type::Tensor(fill->type.dtype, windows.extent),
                               MakeAttributes(std::move(pad)));
}

class Mover {
 public:
  Mover(Emitter& emitter, std::span<const Placed> arrays, const Windows& windows)
      : emitter_(emitter),
        arrays_(arrays),
        windows_(windows),
        mesh_(*MeshOf(arrays, windows.layout)),
        moves_(windows.extent.size(), true),
        uses_(mesh_.axes.size(), false) {}

  Value* Move(Value* fill) && {
    FindMoving();
    if (arrays_.size() == 1 &&
        std::none_of(moves_.begin(), moves_.end(), [](bool m) { return m; })) {
      return arrays_[0].local.value;
    }
    AxisList axes;
    for (size_t i = 0; i < uses_.size(); ++i) {
      if (uses_[i]) axes.push_back({static_cast<int32_t>(i), 1, mesh_.axes[i].size});
    }
    CollectiveAttributes attributes;
    attributes.groups = emitter_.Groups(mesh_, axes);
    Redistribution& how = attributes.redistributions.emplace_back();
    SmallVector<Value*, 8> operands;
    for (const Placed& array : arrays_) {
      operands.push_back(array.local.value);
      Redistribution::Source& source = how.sources.emplace_back();
      source.low = array.low;
      source.high = array.high;
      const Dims& part = array.local.value->type.dims;
      for (size_t d = 0; d < moves_.size(); ++d) {
        if (moves_[d]) continue;
        source.low[d] = 0;
        source.high[d] = part[d];
      }
      source.parts = BeginsOf(array.local.layout, array.offset, part);
    }
    how.windows = BeginsOf(windows_.layout, windows_.first, windows_.step);
    operands.push_back(fill);
    const Type type = Type::Tensor(fill->type.dtype, windows_.extent);
    return emitter_.Collective(Opcode::kRedistribute, {operands.data(), operands.size()}, type,
                               std::move(attributes));
  }

 private:
  // Where each device has its window of every array.
  bool IsInPlace(size_t d) const {
    const AxisList& axes = windows_.layout.Of(d);
    return std::all_of(arrays_.begin(), arrays_.end(), [&](const Placed& array) {
      const int64_t part = array.local.value->type.dims[d];
      const int64_t end = array.offset[d] + part * SizeOf(axes);
      return array.local.layout.Of(d) == axes && windows_.first[d] == array.offset[d] &&
             windows_.extent[d] == part && (axes.empty() || windows_.step[d] == part) &&
             array.low[d] <= array.offset[d] && array.high[d] >= end;
    });
  }

  void FindMoving() {
    for (size_t d = 0; d < moves_.size(); ++d) moves_[d] = !IsInPlace(d);
    // Parts of one axis may be in several dimensions.
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t d = 0; d < moves_.size(); ++d) {
        if (!moves_[d] && !UsesMoving(windows_.layout.Of(d))) continue;
        moves_[d] = true;
        Use(windows_.layout.Of(d), changed);
        for (const Placed& array : arrays_) Use(array.local.layout.Of(d), changed);
      }
    }
  }
  bool UsesMoving(const AxisList& axes) const {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const Axis& axis) { return uses_[static_cast<size_t>(axis.index)]; });
  }
  void Use(const AxisList& axes, bool& changed) {
    for (const Axis& axis : axes) {
      changed |= !uses_[static_cast<size_t>(axis.index)];
      uses_[static_cast<size_t>(axis.index)] = true;
    }
  }

  // How far two ranks of a group are apart that are next to one another along the axis.
  int64_t RankStrideOf(const Axis& axis) const {
    int64_t stride = mesh_.axes[static_cast<size_t>(axis.index)].size / axis.end();
    for (size_t i = static_cast<size_t>(axis.index) + 1; i < uses_.size(); ++i) {
      if (uses_[i]) stride *= mesh_.axes[i].size;
    }
    return stride;
  }

  Begins BeginsOf(const Layout& layout, const Dims& first, const Dims& step) const {
    Begins begins;
    for (size_t d = 0; d < moves_.size(); ++d) {
      begins.first.push_back(moves_[d] ? first[d] : 0);
      if (!moves_[d]) continue;
      const AxisList& axes = layout.Of(d);
      int64_t further = step[d];
      for (size_t i = axes.size(); i-- > 0; further *= axes[i].size) {
        begins.digits.push_back({RankStrideOf(axes[i]), axes[i].size, d, further});
      }
    }
    return begins;
  }

  Emitter& emitter_;
  const std::span<const Placed> arrays_;
  const Windows& windows_;
  const Mesh& mesh_;
  std::vector<bool> moves_;  // by dimension
  std::vector<bool> uses_;   // by axis of the mesh: elements move along it
};

}  // namespace

bool CanRedistribute(const Emitter& emitter, std::span<const Placed> arrays, const Layout& to) {
  const MeshRef mesh = MeshOf(arrays, to);
  if (mesh == nullptr || emitter.manual().IsAll()) return false;
  const ManualAxes& manual = emitter.manual();
  if (manual.is_inside && manual.mesh != nullptr && !SameDevices(manual.mesh, mesh)) return false;
  const auto may = [&](const Layout& layout) {
    if (layout.IsReplicated()) return true;
    if (!SameDevices(layout.mesh, mesh) || !layout.unreduced.empty()) return false;
    const AxisList axes = layout.AllAxes();
    return std::none_of(axes.begin(), axes.end(), [&](const Axis& axis) {
      return std::any_of(manual.axes.begin(), manual.axes.end(),
                         [&](const Axis& other) { return other.index == axis.index; });
    });
  };
  return may(to) && std::all_of(arrays.begin(), arrays.end(),
                                [&](const Placed& array) { return may(array.local.layout); });
}

Value* Redistribute(Emitter& emitter, std::span<const Placed> arrays, const Windows& windows,
                    Value* fill) {
  if (MeshOf(arrays, windows.layout) == nullptr) return Cut(emitter, arrays[0], windows, fill);
  return Mover(emitter, arrays, windows).Move(fill);
}

}  // namespace plinth::compiler::partition

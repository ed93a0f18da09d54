// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/merge_meshes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/partition/manual.h"
#include "reference_plugin/compiler/partition/uses.h"

namespace plinth::compiler::partition {
namespace {

// How many devices, and which one is at each place; none where the places are the devices.
using Places = std::pair<int64_t, std::vector<int64_t>>;

Places PlacesOf(const Mesh& mesh) {
  std::vector<int64_t> ids = mesh.device_ids;
  bool is_own_order = true;
  for (size_t i = 0; i < ids.size(); ++i) is_own_order &= ids[i] == static_cast<int64_t>(i);
  if (is_own_order) ids.clear();
  return {mesh.num_devices(), std::move(ids)};
}

// The part of an axis of `from` in parts of axes of `to`. Both are parts of one line of all
// devices, in which an axis begins where those that are more major end.
std::optional<AxisList> InParts(const Mesh& from, const Axis& axis, const Mesh& to) {
  int64_t begin = axis.pre_size;
  for (int32_t i = 0; i < axis.index; ++i) begin *= from.axes[static_cast<size_t>(i)].size;
  const int64_t end = begin * axis.size;
  AxisList parts;
  int64_t at = 1;
  for (size_t i = 0; i < to.axes.size(); ++i) {
    const int64_t first = std::max(begin, at), last = std::min(end, at * to.axes[i].size);
    if (first < last) {
      const int64_t next = at * to.axes[i].size;
      if (first % at != 0 || last % first != 0 || next % last != 0) return std::nullopt;
      parts.push_back({static_cast<int32_t>(i), first / at, last / first});
    }
    at *= to.axes[i].size;
  }
  if (SizeOf(parts) != axis.size) return std::nullopt;
  return parts;
}

std::optional<AxisList> InParts(const Mesh& from, const AxisList& axes, const Mesh& to) {
  AxisList made;
  for (const Axis& axis : axes) {
    const std::optional<AxisList> parts = InParts(from, axis, to);
    if (!parts.has_value()) return std::nullopt;
    for (const Axis& part : *parts) AddOrMerge(made, part);
  }
  return made;
}

std::optional<AxisList> SetInParts(const Mesh& from, const AxisList& axes, const Mesh& to) {
  std::optional<AxisList> made = InParts(from, axes, to);
  if (made.has_value()) SortAndMerge(*made);
  return made;
}

std::optional<Sharding> On(const MeshRef& mesh, const Sharding& sharding) {
  Sharding made = sharding;
  made.mesh = mesh;
  for (DimSharding& dim : made.dims) {
    std::optional<AxisList> axes = InParts(*sharding.mesh, dim.axes, *mesh);
    if (!axes.has_value()) return std::nullopt;
    dim.axes = *std::move(axes);
  }
  std::optional<AxisList> replicated = SetInParts(*sharding.mesh, sharding.replicated, *mesh);
  std::optional<AxisList> unreduced = SetInParts(*sharding.mesh, sharding.unreduced, *mesh);
  if (!replicated.has_value() || !unreduced.has_value()) return std::nullopt;
  made.replicated = *std::move(replicated);
  made.unreduced = *std::move(unreduced);
  return made;
}

class Merger {
 public:
  explicit Merger(Module& module) : module_(module) {}

  void Run() && {
    for (const MeshRef& mesh : module_.meshes) Add(mesh);
    ForEachSharding([&](const Sharding& sharding) { Add(sharding.mesh); });
    Choose();
    if (chosen_.empty()) return;
    ForEachSharding([&](const Sharding& sharding) { Check(sharding); });
    ForEachOp(*module_.entry->body, [&](Block&, Op& op) { CheckManual(op); });
    ReplaceIn(module_.entry->argument_shardings);
    ReplaceIn(module_.entry->result_shardings);
    ForEachOp(*module_.entry->body, [&](Block&, Op& op) { ReplaceIn(op); });
  }

 private:
  void Add(const MeshRef& mesh) {
    if (!mesh->axes.empty() && seen_.insert(mesh.get()).second) meshes_.push_back(mesh);
  }

  // The first of those with the most axes, as XLA does it: there the fewest axes are in parts.
  void Choose() {
    std::map<Places, MeshRef> most;
    for (const MeshRef& mesh : meshes_) {
      MeshRef& chosen = most[PlacesOf(*mesh)];
      if (chosen == nullptr || chosen->axes.size() < mesh->axes.size()) chosen = mesh;
    }
    for (const MeshRef& mesh : meshes_) {
      const MeshRef& chosen = most[PlacesOf(*mesh)];
      if (chosen != mesh) chosen_[mesh.get()] = chosen;
    }
  }

  // Null unless shardings on the mesh are to be said on another one.
  MeshRef ChosenFor(const Mesh* mesh) const {
    const auto found = chosen_.find(mesh);
    return found == chosen_.end() ? nullptr : found->second;
  }

  void Check(const Sharding& sharding) {
    const MeshRef chosen = ChosenFor(sharding.mesh.get());
    if (chosen == nullptr || On(chosen, sharding).has_value()) return;
    chosen_[sharding.mesh.get()] = nullptr;
  }

  // Manual axes of a mesh whose shardings are to be said on another one; nothing if they are no
  // parts of its axes.
  std::optional<AxisList> ManualOn(const ManualAxes& manual) const {
    return SetInParts(*manual.mesh, manual.axes, *ChosenFor(manual.mesh.get()));
  }

  void CheckManual(const Op& op) {
    if (op.opcode != Opcode::kManualComputation) return;
    const Expected<ManualAxes> manual = ManualAxesOf(op, {});
    if (!manual.ok() || ChosenFor(manual->mesh.get()) == nullptr) return;
    if (!ManualOn(*manual).has_value()) chosen_[manual->mesh.get()] = nullptr;
  }

  template <typename Visit>
  static void ForEach(const std::vector<ShardingRef>& shardings, const Visit& visit) {
    for (const ShardingRef& sharding : shardings) {
      if (sharding != nullptr) visit(*sharding);
    }
  }

  // Every sharding that is there.
  template <typename Visit>
  void ForEachSharding(const Visit& visit) {
    ForEach(module_.entry->argument_shardings, visit);
    ForEach(module_.entry->result_shardings, visit);
    ForEachOp(*module_.entry->body, [&](Block&, Op& op) {
      if (op.shardings == nullptr) return;
      ForEach(op.shardings->operands, visit);
      ForEach(op.shardings->results, visit);
    });
  }

  void ReplaceIn(std::vector<ShardingRef>& shardings) const {
    for (ShardingRef& sharding : shardings) {
      const MeshRef chosen = sharding == nullptr ? nullptr : ChosenFor(sharding->mesh.get());
      if (chosen != nullptr) sharding = std::make_shared<const Sharding>(*On(chosen, *sharding));
    }
  }

  void ReplaceIn(Op& op) const {
    if (op.shardings == nullptr) return;
    auto made = std::make_shared<OpShardings>(*op.shardings);
    if (op.opcode == Opcode::kManualComputation) {
      const Expected<ManualAxes> manual = ManualAxesOf(op, {});
      if (!manual.ok()) return;  // whoever goes into the region says why
      if (ChosenFor(manual->mesh.get()) != nullptr) {
        made->manual_parts = *ManualOn(*manual);
        made->manual_axes.clear();
      }
    }
    ReplaceIn(made->operands);
    ReplaceIn(made->results);
    op.shardings = std::move(made);
  }

  Module& module_;
  std::vector<MeshRef> meshes_;  // in the order of the program
  std::unordered_set<const Mesh*> seen_;
  // By mesh: the one to say its shardings on; null where they stay.
  std::unordered_map<const Mesh*, MeshRef> chosen_;
};

}  // namespace

void MergeMeshes(Module& module) { Merger(module).Run(); }

}  // namespace plinth::compiler::partition

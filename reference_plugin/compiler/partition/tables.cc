// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/tables.h"

#include <memory>
#include <utility>

#include "reference_plugin/compiler/partition/hash.h"

namespace plinth::compiler::partition {
namespace {

size_t HashOf(const Sharding& sharding) {
  Hash hash;
  hash.Add(sharding.mesh.get());
  for (const DimSharding& dim : sharding.dims) {
    hash.Add(dim.axes);
    hash.Add(static_cast<size_t>(dim.is_closed));
  }
  hash.Add(sharding.replicated);
  hash.Add(sharding.unreduced);
  return hash.value();
}

size_t HashOf(const Layout& layout) {
  Hash hash;
  hash.Add(layout.mesh.get());
  for (const AxisList& dim : layout.dims) hash.Add(dim);
  hash.Add(layout.unreduced);
  return hash.value();
}

// In all: meshes of the same devices may have other names.
template <typename T>
bool IsSame(const T& a, const T& b) {
  return a.mesh == b.mesh && a.dims == b.dims && a.unreduced == b.unreduced &&
         a.reduction == b.reduction;
}

}  // namespace

const ShardingRef& ShardingTable::Find(Sharding sharding) {
  const size_t hash = HashOf(sharding);
  const auto [first, last] = shardings_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (IsSame(*known->second, sharding) && known->second->replicated == sharding.replicated) {
      return known->second;
    }
  }
  return shardings_.emplace(hash, std::make_shared<const Sharding>(std::move(sharding)))->second;
}

const Layout& LayoutTable::Find(const Layout& layout) {
  const size_t hash = HashOf(layout);
  const auto [first, last] = layouts_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (IsSame(known->second, layout)) return known->second;
  }
  return layouts_.emplace(hash, layout)->second;
}

const DeviceGroups& GroupTable::Find(const Mesh& mesh, const AxisList& axes) {
  Hash hash;
  hash.Add(axes);
  const auto [first, last] = groups_.equal_range(hash.value());
  for (auto known = first; known != last; ++known) {
    if (known->second.axes == axes && known->second.mesh == mesh) return known->second.groups;
  }
  return groups_.emplace(hash.value(), Known{mesh, axes, GroupsOf(mesh, axes)})->second.groups;
}

}  // namespace plinth::compiler::partition

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/sharding_table.h"

#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace plinth::compiler::partition {
namespace {

class Hash {
 public:
  void Add(size_t value) { hash_ = (hash_ ^ value) * 0x9e3779b97f4a7c15u + (hash_ >> 29); }
  void Add(std::span<const Axis> axes) {
    Add(axes.size());
    for (const Axis& axis : axes) {
      Add(static_cast<size_t>(axis.index));
      Add(static_cast<size_t>(axis.pre_size));
      Add(static_cast<size_t>(axis.size));
    }
  }
  size_t value() const { return hash_; }

 private:
  size_t hash_ = 0;
};

size_t HashOf(const Sharding& sharding) {
  Hash hash;
  hash.Add(std::hash<const Mesh*>()(sharding.mesh.get()));
  for (const DimSharding& dim : sharding.dims) {
    hash.Add(dim.axes);
    hash.Add(static_cast<size_t>(dim.is_closed));
  }
  hash.Add(sharding.replicated);
  hash.Add(sharding.unreduced);
  return hash.value();
}

// In all: meshes of the same devices may have other names.
bool IsSame(const Sharding& a, const Sharding& b) {
  return a.mesh == b.mesh && a.dims == b.dims && a.replicated == b.replicated &&
         a.unreduced == b.unreduced && a.reduction == b.reduction;
}

}  // namespace

const ShardingRef& ShardingTable::Find(Sharding sharding) {
  const size_t hash = HashOf(sharding);
  const auto [first, last] = shardings_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (IsSame(*known->second, sharding)) return known->second;
  }
  return shardings_.emplace(hash, std::make_shared<const Sharding>(std::move(sharding)))->second;
}

}  // namespace plinth::compiler::partition

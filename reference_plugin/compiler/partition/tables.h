// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_TABLES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_TABLES_H_

#include <cstddef>
#include <unordered_map>

#include "reference_plugin/compiler/ir/device_groups.h"
#include "reference_plugin/compiler/ir/sharding.h"
#include "reference_plugin/compiler/partition/layout.h"

// Shardings, layouts and groups of a program, each once: its many values and collectives have few,
// so what is kept for each is a pointer, and most comparisons are of pointers.
namespace plinth::compiler::partition {

class ShardingTable {
 public:
  // Valid as long as the table.
  const ShardingRef& Find(Sharding sharding);

 private:
  std::unordered_multimap<size_t, ShardingRef> shardings_;  // by hash
};

class LayoutTable {
 public:
  // Valid as long as the table.
  const Layout& Find(const Layout& layout);

 private:
  std::unordered_multimap<size_t, Layout> layouts_;  // by hash
};

class GroupTable {
 public:
  // GroupsOf; valid as long as the table.
  const DeviceGroups& Find(const Mesh& mesh, const AxisList& axes);

 private:
  struct Known {
    Mesh mesh;
    AxisList axes;
    DeviceGroups groups;
  };
  std::unordered_multimap<size_t, Known> groups_;  // by a hash of the axes
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_TABLES_H_

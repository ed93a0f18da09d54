// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_TABLES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_TABLES_H_

#include <cstddef>
#include <unordered_map>

#include "reference_plugin/compiler/ir/sharding.h"
#include "reference_plugin/compiler/partition/layout.h"

// Shardings and layouts of a program, each once: its many values have few, so what is kept per
// value is a pointer, and most comparisons are of pointers.
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

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_TABLES_H_

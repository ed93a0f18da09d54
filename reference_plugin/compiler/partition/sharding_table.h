// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SHARDING_TABLE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SHARDING_TABLE_H_

#include <cstddef>
#include <unordered_map>

#include "reference_plugin/compiler/ir/sharding.h"

namespace plinth::compiler::partition {

// Shardings of a program, each once: its many values have few, so what is kept per value is small,
// and most comparisons are of pointers. A reference stays valid as long as the table.
class ShardingTable {
 public:
  const ShardingRef& Find(Sharding sharding);

 private:
  std::unordered_multimap<size_t, ShardingRef> shardings_;  // by hash
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_SHARDING_TABLE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_KNOWN_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_KNOWN_H_

#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/partition/layout.h"
#include "reference_plugin/compiler/partition/propagate.h"
#include "reference_plugin/compiler/partition/rule.h"

// What several steps of the partitioner ask of the same ops and values: each answer is made once.
// References stay valid as long as the object.
namespace plinth::compiler::partition {

// The rules of ops: as they were when somebody first asked. No step here changes what they say of
// an op that stays.
class OpRules {
 public:
  // RuleOf.
  const Rule& Propagated(const Op& op) { return Of(op).propagated; }
  // By which it is spread, and SpreadableFactors.
  struct Local {
    const Rule& rule;
    const FactorSet& spreadable;
  };
  Local LocalOf(const Op& op);

 private:
  struct Rules {
    Rule propagated;
    std::optional<Rule> local;  // where it is another
    std::optional<FactorSet> spreadable;
  };
  Rules& Of(const Op& op);
  Rules& Make(const Op& op);

  std::vector<Rules*> by_op_;  // by op id; null: nobody has asked
  std::deque<Rules> rules_;
  // Elementwise ops of the same shapes, of which programs have many, have one; by a hash of shapes.
  std::unordered_multimap<size_t, Rules*> elementwise_;
};

// How values should lie: as propagation found it, and Settle has changed it since. Of the many
// values of a program few lie differently, so each layout is there once.
class WantedLayouts {
 public:
  explicit WantedLayouts(PropagatedShardings shardings)
      : shardings_(std::move(shardings)), layouts_(shardings_.values.size(), nullptr) {}

  const PropagatedShardings& shardings() const { return shardings_; }
  const Layout& Of(const Value* value) const {
    const Layout*& known = layouts_[static_cast<size_t>(value->id)];
    if (known == nullptr) known = &Find(value);
    return *known;
  }
  void Set(const Value* value, ShardingRef sharding) {
    shardings_.values[static_cast<size_t>(value->id)] = std::move(sharding);
    layouts_[static_cast<size_t>(value->id)] = nullptr;
  }

 private:
  const Layout& Find(const Value* value) const;

  PropagatedShardings shardings_;
  mutable std::vector<const Layout*> layouts_;  // by id of the value; null: nobody has asked
  struct Known {
    ShardingRef sharding;
    Dims dims;
    Layout layout;
  };
  mutable std::unordered_multimap<size_t, Known> known_;  // by a hash of sharding and dimensions
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_KNOWN_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_KNOWN_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_KNOWN_H_

#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/partition/layout.h"
#include "reference_plugin/compiler/partition/propagate.h"
#include "reference_plugin/compiler/partition/rule.h"
#include "reference_plugin/compiler/partition/tables.h"

// What several steps of the partitioner ask of the same ops and values: each answer is made once.
// References stay valid as long as the object.
namespace plinth::compiler::partition {

// The rules of ops: as they were when somebody first asked. No step here changes what they say of
// an op that stays. Rules that are equal are there once.
class OpRules {
 public:
  // RuleOf.
  const Rule& Propagated(const Op& op) { return *Of(op).propagated; }
  // By which it is spread, and SpreadableFactors.
  struct Local {
    const Rule& rule;
    const FactorSet& spreadable;
  };
  Local LocalOf(const Op& op) {
    Rules& rules = Of(op);
    if (rules.local == nullptr) MakeLocal(op, rules);
    return {*rules.local, rules.spreadable};
  }

 private:
  struct Rules {
    const Rule* propagated = nullptr;
    const Rule* local = nullptr;  // null: nobody has asked for it
    FactorSet spreadable;         // by `local`
  };
  Rules& Of(const Op& op) {
    const size_t id = static_cast<size_t>(op.id);
    if (id >= by_op_.size()) by_op_.resize(id + 1, nullptr);
    if (by_op_[id] == nullptr) by_op_[id] = &Make(op);
    return *by_op_[id];
  }
  Rules& Make(const Op& op);
  void MakeLocal(const Op& op, Rules& rules);
  const Rule& Find(const Op& op);
  const Rule& Known(Rule rule);

  std::vector<Rules*> by_op_;  // by op id; null: nobody has asked
  std::deque<Rules> made_;
  std::unordered_multimap<size_t, Rule> rules_;  // by hash
  // Elementwise ops of the same shapes, of which programs have many, share theirs; by a hash of
  // shapes.
  std::unordered_multimap<size_t, Rules*> elementwise_;
  // Other ops whose rules follow from attributes and shapes, with these; by a hash of shapes.
  std::unordered_multimap<size_t, std::pair<const Op*, const Rule*>> alike_;
};

// How values should lie: as propagation found it, and Settle has changed it since.
class WantedLayouts {
 public:
  WantedLayouts(PropagatedShardings shardings, LayoutTable& table)
      : shardings_(std::move(shardings)),
        layouts_(shardings_.values.size(), nullptr),
        table_(table) {}

  const PropagatedShardings& shardings() const { return shardings_; }
  const Layout& Of(const Value* value) const {
    const Layout*& known = layouts_[static_cast<size_t>(value->id)];
    if (known == nullptr) known = &Find(value);
    return *known;
  }
  // The same, and valid as long as the table.
  const Layout& Kept(const Layout& layout) const { return table_.Find(layout); }
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
    const Layout* layout;
  };
  LayoutTable& table_;
  mutable std::unordered_multimap<size_t, Known> known_;  // by a hash of sharding and dimensions
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_KNOWN_H_

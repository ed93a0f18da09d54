// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_USES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_USES_H_

#include <numeric>
#include <span>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::partition {

struct Use {
  Op* op = nullptr;
  int32_t operand = 0;
};

// Calls `visit` for each op of a block and of the blocks of control flow in it, an op before what
// is inside of it. Regions of scalar code, which no sharding concerns, are left out.
template <typename Visit>
void ForEachOp(Block& block, const Visit& visit) {
  for (Op* op : block.ops) {
    visit(block, *op);
    if (HasScalarRegions(op->opcode)) continue;
    for (Block* inner : op->blocks) ForEachOp(*inner, visit);
  }
}

// How often each value is used; by value id.
inline std::vector<int32_t> CountUses(const Module& module, Block& block) {
  std::vector<int32_t> count(static_cast<size_t>(module.num_values()), 0);
  ForEachOp(block, [&](Block&, Op& op) {
    for (const Value* operand : op.operands) ++count[static_cast<size_t>(operand->id)];
  });
  return count;
}

// Who uses a value, in the order of the program; by value id.
class Uses {
 public:
  Uses(const Module& module, Block& block) : begins_(static_cast<size_t>(module.num_values()) + 2) {
    const auto for_each_use = [&](const auto& visit) {
      ForEachOp(block, [&](Block&, Op& op) {
        for (size_t i = 0; i < op.operands.size(); ++i) {
          visit(static_cast<size_t>(op.operands[i]->id), Use{&op, static_cast<int32_t>(i)});
        }
      });
    };
    // Counted two places further on: filling the lists then moves what is one place further on from
    // the begin of each list to its end, where the next one begins.
    for_each_use([&](size_t value, const Use&) { ++begins_[value + 2]; });
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    uses_.resize(begins_.back());
    for_each_use([&](size_t value, const Use& use) { uses_[begins_[value + 1]++] = use; });
  }
  std::span<const Use> Of(const Value* value) const {
    const size_t id = static_cast<size_t>(value->id);
    return std::span(uses_).subspan(begins_[id], begins_[id + 1] - begins_[id]);
  }

 private:
  std::vector<uint32_t> begins_;  // of each value's in uses_
  std::vector<Use> uses_;
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_USES_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_USES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_USES_H_

#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::partition {

struct Use {
  Op* op;
  int32_t operand;
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

// Who uses a value, in the order of the program; by value id.
class Uses {
 public:
  Uses(Module& module, Block& block) : uses_(static_cast<size_t>(module.num_values())) {
    ForEachOp(block, [&](Block&, Op& op) {
      for (size_t i = 0; i < op.operands.size(); ++i) {
        uses_[static_cast<size_t>(op.operands[i]->id)].push_back({&op, static_cast<int32_t>(i)});
      }
    });
  }
  std::vector<Use>& Of(const Value* value) { return uses_[static_cast<size_t>(value->id)]; }
  const std::vector<Use>& Of(const Value* value) const {
    return uses_[static_cast<size_t>(value->id)];
  }

 private:
  std::vector<std::vector<Use>> uses_;
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_USES_H_

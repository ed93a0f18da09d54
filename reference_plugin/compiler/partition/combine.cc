// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/combine.h"

#include <algorithm>
#include <unordered_set>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::partition {
namespace {

class CollectiveCombiner {
 public:
  explicit CollectiveCombiner(Module& module) : module_(module) {}

  int64_t Run() {
    Block& body = *module_.entry->body;
    VisitBlock(body);
    replacements_.Apply(body);
    return num_fewer_;
  }

 private:
  // Collectives that wait for others like them.
  struct Waiting {
    std::vector<Op*> ops;
  };

  void VisitBlock(Block& block) {
    std::vector<Waiting> waiting;
    std::vector<Op*> after;                  // what needs a result of those that wait
    std::unordered_set<const Value*> later;  // what they and the collectives make
    std::vector<Op*> ops;
    const auto flush = [&] {
      for (const Waiting& group : waiting) ops.push_back(Join(group.ops));
      ops.insert(ops.end(), after.begin(), after.end());
      waiting.clear();
      after.clear();
      later.clear();
    };
    for (Op* op : block.ops) {
      const bool may_join = MayJoin(*op);
      bool needs = Uses(*op, later);
      if (may_join ? needs : !MayPass(*op)) {
        flush();
        needs = false;
      }
      if (!HasScalarRegions(op->opcode)) {
        for (Block* inner : op->blocks) VisitBlock(*inner);
      }
      if (may_join) {
        const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& group) {
          return IsLike(*group.ops[0], *op);
        });
        (found == waiting.end() ? waiting.emplace_back() : *found).ops.push_back(op);
      } else {
        (needs ? after : ops).push_back(op);
      }
      if (may_join || needs) later.insert(op->results.begin(), op->results.end());
    }
    flush();
    block.ops = std::move(ops);
  }

  // Regions may use what is around them, too.
  static bool Uses(const Op& op, const std::unordered_set<const Value*>& values) {
    if (values.empty()) return false;
    const auto is_one = [&](const Value* value) { return values.contains(value); };
    if (std::any_of(op.operands.begin(), op.operands.end(), is_one)) return true;
    for (const Block* block : op.blocks) {
      for (const Op* inner : block->ops) {
        if (Uses(*inner, values)) return true;
      }
    }
    return false;
  }

  static bool MayJoin(const Op& op) {
    switch (op.opcode) {
      case Opcode::kAllGather:
      case Opcode::kAllToAll:
        return op.operands.size() == 1;
      case Opcode::kAllReduce:
        return op.operands.size() == 1 && OnlyOpOf(*op.blocks[0]).has_value();
      default:
        return false;
    }
  }

  // Whether collectives may wait until after the op.
  static bool MayPass(const Op& op) {
    return op.opcode != Opcode::kReturn && EffectOf(op) == Effect::kPure &&
           InfoOf(op.opcode).category != Category::kCollective &&
           (op.blocks.empty() || HasScalarRegions(op.opcode));
  }

  static bool IsLike(const Op& a, const Op& b) {
    if (a.opcode != b.opcode || a.operands[0]->type.dtype != b.operands[0]->type.dtype) {
      return false;
    }
    if (a.opcode == Opcode::kAllReduce && OnlyOpOf(*a.blocks[0]) != OnlyOpOf(*b.blocks[0])) {
      return false;
    }
    CollectiveAttributes like = a.Get<CollectiveAttributes>();
    like.channel_id = b.Get<CollectiveAttributes>().channel_id;
    return like == b.Get<CollectiveAttributes>();
  }

  Op* Join(const std::vector<Op*>& ops) {
    if (ops.size() == 1) return ops[0];
    SmallVector<Value*, 8> operands;
    std::vector<Type> types;
    for (const Op* op : ops) {
      operands.push_back(op->operands[0]);
      types.push_back(op->type());
    }
    Op* const joined = module_.NewOp(ops[0]->opcode, {operands.data(), operands.size()}, types,
                                     ops[0]->attributes, ops[0]->location);
    joined->blocks = ops[0]->blocks;
    for (size_t i = 0; i < ops.size(); ++i) {
      replacements_.Replace(ops[i]->result(), joined->results[i]);
    }
    num_fewer_ += static_cast<int64_t>(ops.size()) - 1;
    return joined;
  }

  Module& module_;
  Replacements replacements_;
  int64_t num_fewer_ = 0;
};

}  // namespace

int64_t CombineCollectives(Module& module) { return CollectiveCombiner(module).Run(); }

}  // namespace plinth::compiler::partition

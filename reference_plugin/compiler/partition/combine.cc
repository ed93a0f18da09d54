// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/combine.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::partition {
namespace {

class CollectiveCombiner {
 public:
  CollectiveCombiner(Module& module, const CollectiveCosts& costs)
      : module_(module),
        costs_(costs),
        maker_of_(static_cast<size_t>(module.num_values()), kNone) {}

  int64_t Run() {
    Block& body = *module_.entry->body;
    VisitBlock(body);
    replacements_.Apply(body);
    return num_fewer_;
  }

 private:
  static constexpr int32_t kNone = -1, kNoGroup = -2;

  // Collectives that wait for others like them, and what needs their results.
  class Waiting {
   public:
    Waiting(CollectiveCombiner& combiner, std::vector<Op*>& ops) : combiner_(combiner), ops_(ops) {}

    bool HasMakerOf(const Op& op) const {
      bool has = false;
      ForEachOperand(op, [&](const Value* value) { has |= combiner_.MakerOf(value) != kNone; });
      return has;
    }

    void AddCollective(Op* op) {
      const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
        return !group.is_done && IsLike(*group.ops[0], *op);
      });
      const size_t which = static_cast<size_t>(found - groups_.begin());
      if (found == groups_.end()) groups_.emplace_back();
      groups_[which].ops.push_back(op);
      for (const Value* operand : op->operands) groups_[which].bytes += operand->type.SizeInBytes();
      combiner_.MakerOf(op->result()) = static_cast<int32_t>(which);
    }
    // Also a collective that waits until it can join others.
    void AddOther(Op* op) {
      for (const Value* result : op->results) combiner_.MakerOf(result) = kNoGroup;
      others_.push_back(op);
    }

    // Those whose results the op needs, with all that then needs nothing more; and those that hold
    // much memory while they wait.
    void EndFor(const Op& op) {
      if (!HasMakerOf(op)) return;
      Find(op);
      for (Group& group : groups_) {
        if (group.bytes > combiner_.costs_.waiting_bytes) End(group);
      }
      EndOthers();
      is_found_.clear();
    }
    void EndAll() {
      // Collectives that wait for others join what is still there.
      for (auto next = FirstCollective(); next != others_.end(); next = FirstCollective()) {
        EndFor(**next);
      }
      for (Group& group : groups_) End(group);
      ops_.insert(ops_.end(), others_.begin(), others_.end());
      for (const Op* op : others_) End(*op);
      groups_.clear();
      others_.clear();
    }

   private:
    struct Group {
      std::vector<Op*> ops;
      int64_t bytes = 0;
      bool is_done = false;
    };
    static bool IsCollective(const Op* op) {
      return InfoOf(op->opcode).category == Category::kCollective;
    }
    std::vector<Op*>::iterator FirstCollective() {
      return std::find_if(others_.begin(), others_.end(), IsCollective);
    }
    // Those that need nothing more. Collectives among them wait for one another: what the last op
    // needs of them ends only when no other can join it.
    void EndOthers() {
      do {
        std::erase_if(others_, [&](Op* other) {
          if (HasMakerOf(*other)) return false;
          End(*other);
          if (IsCollective(other)) {
            AddCollective(other);
          } else {
            ops_.push_back(other);
          }
          return true;
        });
      } while (EndFound());
    }
    // Groups with a collective that the last op needs. Whether there were any.
    bool EndFound() {
      bool any = false;
      for (Group& group : groups_) {
        const bool is_found =
            !group.is_done && std::any_of(group.ops.begin(), group.ops.end(),
                                          [&](const Op* op) { return is_found_.contains(op); });
        if (is_found) End(group);
        any |= is_found;
      }
      return any;
    }
    void Find(const Op& op) {
      ForEachOperand(op, [&](const Value* value) {
        const int32_t maker = combiner_.MakerOf(value);
        if (maker == kNone) return;
        if (maker != kNoGroup) {
          End(groups_[static_cast<size_t>(maker)]);
        } else if (is_found_.insert(value->op).second) {
          Find(*value->op);
        }
      });
    }
    void End(const Op& other) {
      for (const Value* result : other.results) combiner_.MakerOf(result) = kNone;
    }
    void End(Group& group) {
      if (std::exchange(group.is_done, true)) return;
      for (const Op* op : group.ops) End(*op);
      ops_.push_back(combiner_.Join(group.ops));
    }

    CollectiveCombiner& combiner_;
    std::vector<Op*>& ops_;
    std::vector<Group> groups_;
    std::vector<Op*> others_;
    std::unordered_set<const Op*> is_found_;  // of the others, what the last op needs
  };

  void VisitBlock(Block& block) {
    std::vector<Op*> ops;
    Waiting waiting(*this, ops);
    for (Op* op : block.ops) {
      const bool is_collective = InfoOf(op->opcode).category == Category::kCollective;
      if (!is_collective && !MayPass(*op)) waiting.EndAll();
      if (!HasScalarRegions(op->opcode)) {
        for (Block* inner : op->blocks) VisitBlock(*inner);
      }
      if (MayWait(*op) && waiting.HasMakerOf(*op)) {
        waiting.AddOther(op);
        continue;
      }
      if (is_collective) waiting.EndFor(*op);
      if (MayJoin(*op)) {
        waiting.AddCollective(op);
      } else if (!is_collective && waiting.HasMakerOf(*op)) {
        waiting.AddOther(op);
      } else {
        ops.push_back(op);
      }
    }
    waiting.EndAll();
    block.ops = std::move(ops);
  }

  // Regions may use what is around them, too.
  template <typename Visit>
  static void ForEachOperand(const Op& op, const Visit& visit) {
    for (const Value* operand : op.operands) visit(operand);
    for (const Block* block : op.blocks) {
      for (const Op* inner : block->ops) ForEachOperand(*inner, visit);
    }
  }

  static bool MayJoin(const Op& op) {
    switch (op.opcode) {
      case Opcode::kAllGather:
      case Opcode::kAllToAll:
        return op.operands.size() == 1;
      case Opcode::kRedistribute:
        return op.results.size() == 1;
      case Opcode::kAllReduce:
        return op.operands.size() == 1 && OnlyOpOf(*op.blocks[0]).has_value();
      default:
        return false;
    }
  }

  // Small sums end nobody's wait: often they are only returned, as gradients of few parameters are.
  bool MayWait(const Op& op) const {
    return op.opcode == Opcode::kAllReduce && MayJoin(op) &&
           op.operands[0]->type.SizeInBytes() <= costs_.waiting_sum_bytes;
  }

  // Whether collectives may wait until after what is none.
  static bool MayPass(const Op& op) {
    return op.opcode != Opcode::kReturn && EffectOf(op) == Effect::kPure &&
           (op.blocks.empty() || HasScalarRegions(op.opcode));
  }

  static bool IsLike(const Op& a, const Op& b) {
    if (a.opcode != b.opcode || a.operands[0]->type.dtype != b.operands[0]->type.dtype) {
      return false;
    }
    if (a.opcode == Opcode::kAllReduce && OnlyOpOf(*a.blocks[0]) != OnlyOpOf(*b.blocks[0])) {
      return false;
    }
    if (a.opcode == Opcode::kRedistribute && a.operands.back() != b.operands.back()) return false;
    const auto &x = a.Get<CollectiveAttributes>(), &y = b.Get<CollectiveAttributes>();
    return x.dimension == y.dimension && x.concat_dimension == y.concat_dimension &&
           x.split_count == y.split_count && x.use_global_device_ids == y.use_global_device_ids &&
           x.groups == y.groups;
  }

  Op* Join(const std::vector<Op*>& ops) {
    if (ops.size() == 1) return ops[0];
    const bool has_fill = ops[0]->opcode == Opcode::kRedistribute;
    SmallVector<Value*, 8> operands;
    std::vector<Type> types;
    CollectiveAttributes attributes = ops[0]->Get<CollectiveAttributes>();
    attributes.redistributions.clear();
    for (const Op* op : ops) {
      const size_t count = op->operands.size() - (has_fill ? 1 : 0);
      for (size_t i = 0; i < count; ++i) operands.push_back(op->operands[i]);
      types.push_back(op->type());
      for (const Redistribution& how : op->Get<CollectiveAttributes>().redistributions) {
        attributes.redistributions.push_back(how);
      }
    }
    if (has_fill) operands.push_back(ops[0]->operands.back());
    Op* const joined = module_.NewOp(ops[0]->opcode, {operands.data(), operands.size()}, types,
                                     MakeAttributes(std::move(attributes)), ops[0]->location);
    joined->blocks = ops[0]->blocks;
    for (size_t i = 0; i < ops.size(); ++i) {
      replacements_.Replace(ops[i]->result(), joined->results[i]);
    }
    num_fewer_ += static_cast<int64_t>(ops.size()) - 1;
    return joined;
  }

  int32_t& MakerOf(const Value* value) { return maker_of_[static_cast<size_t>(value->id)]; }

  Module& module_;
  const CollectiveCosts& costs_;
  // Of what waits, by value id: a group, kNoGroup: one of the others, or kNone. Nothing waits in a
  // block while there is something in a block within it.
  std::vector<int32_t> maker_of_;
  Replacements replacements_;
  int64_t num_fewer_ = 0;
};

}  // namespace

int64_t CombineCollectives(Module& module, const CollectiveCosts& costs) {
  return CollectiveCombiner(module, costs).Run();
}

}  // namespace plinth::compiler::partition

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/apply_constraints.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plinth::compiler::partition {
namespace {

bool IsConstraint(const Op& op) {
  return op.opcode == Opcode::kShardingConstraint && op.shardings != nullptr &&
         op.shardings->results.size() == 1 && op.shardings->results[0] != nullptr;
}

const ShardingRef& ShardingOf(const Op& constraint) { return constraint.shardings->results[0]; }

class ConstraintApplier {
 public:
  ConstraintApplier(Module& module, const InitialShardings& shardings)
      : module_(module), shardings_(shardings) {}

  void Run() {
    Block& body = *module_.entry->body;
    bool any = false;
    ForEachOp(body, [&](Block&, Op& op) {
      any |= IsConstraint(op) || op.opcode == Opcode::kManualComputation;
    });
    if (!any) return;
    uses_.emplace(module_, body);
    ForEachOp(body, [&](Block& block, Op& op) {
      place_[&op] = {&block, static_cast<int64_t>(place_.size()) << 20};
    });
    VisitBlock(body);
    for (const auto& [block, first] : moved_) Sort(*block);
  }

 private:
  struct Place {
    Block* block = nullptr;
    int64_t order = 0;  // within the block
  };

  // What is inside of an op comes before it.
  void VisitBlock(Block& block) {
    const std::vector<Op*> ops = block.ops;
    for (Op* op : ops) {
      if (!HasScalarRegions(op->opcode)) {
        for (Block* inner : op->blocks) VisitBlock(*inner);
      }
      if (IsConstraint(*op)) {
        VisitConstraint(*op);
      } else if (op->opcode == Opcode::kManualComputation && op->shardings != nullptr &&
                 op->shardings->operands.size() == op->operands.size()) {
        for (size_t i = 0; i < op->operands.size(); ++i) {
          if (op->shardings->operands[i] != nullptr) {
            Apply(*op, op->operands[i], op->shardings->operands[i]);
          }
        }
      }
    }
  }

  void VisitConstraint(Op& head) {
    Value* const input = head.operands[0];
    if (Op* const tail = TailOfChain(head); tail != nullptr) {
      const Place tail_place = place_[tail];
      ReplaceUses(input, tail->result(), [&](const Use& use) {
        const Place& place = place_[use.op];
        return use.op != &head && use.op->opcode != Opcode::kReturn &&
               place.block == tail_place.block && place.order > tail_place.order;
      });
    }
    Apply(head, input, ShardingOf(head));
  }

  bool IsConstrained(const Value* value, const Op* but) const {
    const std::span<const Use> uses = UsesOf(value);
    return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
      return use.op != but &&
             (IsConstraint(*use.op) || use.op->opcode == Opcode::kManualComputation);
    });
  }

  // The last of a chain of constraints that begins with this one and has no other uses in between.
  Op* TailOfChain(Op& head) {
    const Value* const input = head.operands[0];
    if ((input->op != nullptr && IsConstraint(*input->op)) || shardings_.get(input) != nullptr ||
        IsConstrained(input, &head)) {
      return nullptr;
    }
    Op* tail = &head;
    for (std::span<const Use> uses = UsesOf(tail->result());
         uses.size() == 1 && IsConstraint(*uses[0].op); uses = UsesOf(tail->result())) {
      tail = uses[0].op;
    }
    return tail == &head || IsConstrained(tail->result(), nullptr) ? nullptr : tail;
  }

  bool ShouldApply(const Value* input, const Sharding& sharding) const {
    if (shardings_.get(input) != nullptr) return false;
    for (const DimSharding& dim : sharding.dims) {
      if (!dim.is_closed) return false;
    }
    for (const Use& use : UsesOf(input)) {
      const OpShardings* const said = use.op->shardings.get();
      ShardingRef other;
      if (IsConstraint(*use.op)) {
        other = ShardingOf(*use.op);
      } else if (use.op->opcode == Opcode::kManualComputation && said != nullptr &&
                 said->operands.size() == use.op->operands.size()) {
        other = said->operands[static_cast<size_t>(use.operand)];
      } else {
        continue;
      }
      if (other == nullptr || !(*other == sharding)) return false;
    }
    return true;
  }

  void Apply(Op& op, Value* input, const ShardingRef& sharding) {
    if (!ShouldApply(input, *sharding)) return;
    if (!shardings_.is_joined(input)) return shardings_.set(input, sharding);
    Op* constraint = &op;
    if (!IsConstraint(op)) {
      constraint =
          module_.NewOp(Opcode::kShardingConstraint, {input}, input->type, nullptr, op.location);
      OpShardings said;
      said.results = {sharding};
      constraint->shardings = std::make_shared<const OpShardings>(std::move(said));
      changed_[constraint->result()->id] = {};
      ChangedUsesOf(input).push_back({constraint, 0});
    }
    MoveAfter(*constraint, input);
    ReplaceUses(input, constraint->result(), [&](const Use& use) { return use.op != constraint; });
  }

  template <typename Which>
  void ReplaceUses(Value* from, Value* to, const Which& which) {
    std::vector<Use> kept;
    std::vector<Use>& others = ChangedUsesOf(to);
    for (const Use& use : UsesOf(from)) {
      if (!which(use)) {
        kept.push_back(use);
        continue;
      }
      use.op->operands[static_cast<size_t>(use.operand)] = to;
      others.push_back(use);
    }
    ChangedUsesOf(from) = std::move(kept);
  }

  std::span<const Use> UsesOf(const Value* value) const {
    const auto changed = changed_.find(value->id);
    return changed == changed_.end() ? uses_->Of(value) : changed->second;
  }
  std::vector<Use>& ChangedUsesOf(const Value* value) {
    const auto [changed, is_new] = changed_.try_emplace(value->id);
    if (is_new) {
      const std::span<const Use> uses = uses_->Of(value);
      changed->second.assign(uses.begin(), uses.end());
    }
    return changed->second;
  }

  void MoveAfter(Op& op, const Value* value) {
    const auto found = place_.find(&op);
    Block* const old_block = found == place_.end() ? nullptr : found->second.block;
    if (old_block != nullptr) moved_[old_block] = true;
    Place place;
    if (value->op != nullptr) {
      place = place_[value->op];
      // The one that is moved last stands next to the value.
      place.order += (1 << 20) - ++num_moved_;
    } else {
      place = {value->block, -1 - ++num_moved_};
    }
    if (place.block != old_block) place.block->ops.push_back(&op);
    place_[&op] = place;
    moved_[place.block] = true;
  }

  void Sort(Block& block) {
    std::erase_if(block.ops, [&](const Op* op) { return place_[op].block != &block; });
    std::stable_sort(block.ops.begin(), block.ops.end(),
                     [&](const Op* a, const Op* b) { return place_[a].order < place_[b].order; });
  }

  Module& module_;
  const InitialShardings& shardings_;
  std::optional<Uses> uses_;  // as they were
  // By value id; of constraints that are made here, too.
  std::unordered_map<int32_t, std::vector<Use>> changed_;
  std::unordered_map<const Op*, Place> place_;
  std::map<Block*, bool> moved_;
  int64_t num_moved_ = 0;
};

}  // namespace

void ApplyConstraints(Module& module, const InitialShardings& shardings) {
  ConstraintApplier(module, shardings).Run();
}

}  // namespace plinth::compiler::partition

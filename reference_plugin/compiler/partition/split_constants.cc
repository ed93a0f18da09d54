// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/split_constants.h"

#include <unordered_map>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/uses.h"

namespace plinth::compiler::partition {
namespace {

class ConstantSplitter {
 public:
  explicit ConstantSplitter(Module& module)
      : module_(module),
        cloner_(module),
        is_split_(static_cast<size_t>(module.num_ops()), false),
        is_constant_(static_cast<size_t>(module.num_ops()), false) {}

  void Run() {
    Block& body = *module_.entry->body;
    ForEachOp(body, [&](Block&, Op& op) {
      if (IsGroupMember(op)) groups_[op.operands[0]].push_back(&op);
    });
    ForEachOp(body, [&](Block&, Op& op) { Visit(op); });
    CountUses(body);
    Rebuild(body);
  }

 private:
  void Visit(Op& op) {
    if (IsGroupMember(op)) return;  // copies of its operand are in the group, too
    if (IsConstantExpression(op)) {
      is_split_[static_cast<size_t>(op.id)] = true;
      is_constant_[static_cast<size_t>(op.id)] = true;
      return;
    }
    if (op.opcode == Opcode::kBroadcastInDim && op.operands[0]->type.IsScalar()) {
      is_split_[static_cast<size_t>(op.id)] = true;
      return;
    }
    for (Value*& operand : op.operands) {
      if (operand->op == nullptr || !IsSplit(*operand->op) || operand->type.IsScalar()) continue;
      operand = Clone(operand);
      cloner_.Forget();
    }
  }

  static bool IsGroupMember(const Op& op) {
    return op.shardings != nullptr && op.shardings->group != OpShardings::kNoGroup;
  }

  bool IsSplit(const Op& op) const {
    return op.id < static_cast<int32_t>(is_split_.size()) && is_split_[static_cast<size_t>(op.id)];
  }

  bool IsConstantExpression(const Op& op) const {
    if (op.opcode == Opcode::kConstant || op.opcode == Opcode::kIota) return true;
    if (EffectOf(op) != Effect::kPure || op.results.size() != 1) return false;
    if (op.opcode != Opcode::kBroadcastInDim && op.opcode != Opcode::kReshape &&
        op.opcode != Opcode::kSlice && !IsElementwiseOp(op)) {
      return false;
    }
    for (const Value* operand : op.operands) {
      if (operand->op == nullptr || operand->op->id >= static_cast<int32_t>(is_constant_.size()) ||
          !is_constant_[static_cast<size_t>(operand->op->id)]) {
        return false;
      }
    }
    return true;
  }

  // A copy of all that the value is computed from, each op before the one that it copies.
  Value* Clone(Value* value) {
    if (value->type.IsScalar() || value->op == nullptr) return value;
    Value* const known = cloner_.Find(value);
    if (known != value) return known;
    for (Value* operand : value->op->operands) Clone(operand);
    Op* const copy = cloner_.Clone(*value->op);
    before_[value->op].push_back(copy);
    Value* const copied = copy->results[static_cast<size_t>(value->index)];
    if (const auto groups = groups_.find(value); groups != groups_.end()) {
      for (const Op* member : groups->second) {
        Cloner of_member(module_);
        of_member.Map(value, copied);
        before_[value->op].push_back(of_member.Clone(*member));
      }
    }
    return copied;
  }

  void CountUses(Block& block) {
    num_uses_.assign(static_cast<size_t>(module_.num_values()), 0);
    const auto count = [&](const Op& op) {
      for (const Value* operand : op.operands) ++num_uses_[static_cast<size_t>(operand->id)];
    };
    CountAll(block, count);
    for (const auto& [original, copies] : before_) {
      for (const Op* copy : copies) count(*copy);
    }
  }

  template <typename Count>
  static void CountAll(Block& block, const Count& count) {
    for (Op* op : block.ops) {
      count(*op);
      for (Block* inner : op->blocks) CountAll(*inner, count);
    }
  }

  // Puts copies in and takes away what nobody uses any more.
  void Rebuild(Block& block) {
    std::vector<Op*> backwards;
    for (size_t i = block.ops.size(); i > 0; --i) {
      Op* const op = block.ops[i - 1];
      if (!HasScalarRegions(op->opcode)) {
        for (Block* inner : op->blocks) Rebuild(*inner);
      }
      if (IsSplit(*op) && num_uses_[static_cast<size_t>(op->result()->id)] == 0) {
        for (const Value* operand : op->operands) --num_uses_[static_cast<size_t>(operand->id)];
      } else {
        backwards.push_back(op);
      }
      const auto copies = before_.find(op);
      if (copies == before_.end()) continue;
      backwards.insert(backwards.end(), copies->second.rbegin(), copies->second.rend());
    }
    block.ops.assign(backwards.rbegin(), backwards.rend());
  }

  Module& module_;
  Cloner cloner_;
  std::vector<bool> is_split_, is_constant_;  // by op id
  std::unordered_map<const Op*, std::vector<Op*>> before_;
  std::unordered_map<const Value*, std::vector<const Op*>> groups_;  // ops that put it into one
  std::vector<int32_t> num_uses_;                                    // by value id
};

}  // namespace

void SplitConstants(Module& module) { ConstantSplitter(module).Run(); }

bool IsElementwiseOp(const Op& op) {
  switch (op.opcode) {
    case Opcode::kBitcastConvert:
      return op.operands[0]->type.dims == op.type().dims;
    case Opcode::kReshard:
    case Opcode::kShardingConstraint:
      return true;
    default:
      return IsElementwise(op.opcode);
  }
}

}  // namespace plinth::compiler::partition

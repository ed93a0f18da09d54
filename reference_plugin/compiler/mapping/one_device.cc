// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/mapping/one_device.h"

#include <utility>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::mapping {
namespace {

class OneDeviceMapper {
 public:
  explicit OneDeviceMapper(Module& module) : module_(module) {}

  bool Run() {
    changed_ = !module_.meshes.empty();
    module_.meshes.clear();
    for (Function& function : module_.functions) {
      changed_ |= !function.argument_shardings.empty() || !function.result_shardings.empty();
      function.argument_shardings.clear();
      function.result_shardings.clear();
      MapBlock(*function.body);
      replacements_.Apply(*function.body);
    }
    return changed_;
  }

 private:
  void MapBlock(Block& block) {
    const std::vector<Op*> ops = std::exchange(block.ops, {});
    block.ops.reserve(ops.size());
    for (Op* op : ops) {
      for (Block* inner : op->blocks) MapBlock(*inner);
      changed_ |= op->shardings != nullptr;
      op->shardings = nullptr;
      Value* const same = Simpler(*op);
      if (same == nullptr) {
        block.ops.push_back(op);
        continue;
      }
      changed_ = true;
      if (same->op != nullptr && same->op->opcode == Opcode::kConstant && !IsOperand(*op, same)) {
        block.ops.push_back(same->op);
      }
      replacements_.Replace(op->results[0], same);
    }
  }

  static bool IsOperand(const Op& op, const Value* value) {
    for (const Value* operand : op.operands) {
      if (operand == value) return true;
    }
    return false;
  }

  // The value that stands for the op's result: its operand, or a new constant. Null: the op stays.
  Value* Simpler(Op& op) {
    switch (op.opcode) {
      case Opcode::kPartitionId:
      case Opcode::kReplicaId:
        return Zero(op, SplatAttributes(DType::kU32, 0));
      case Opcode::kReshard:
      case Opcode::kShardingConstraint:
        return op.operands[0];
      case Opcode::kAllGather:
      case Opcode::kAllReduce:
      case Opcode::kAllToAll:
      case Opcode::kCollectiveBroadcast:
      case Opcode::kReduceScatter:
        return Collective(op);
      case Opcode::kCollectivePermute:
        return Permute(op);
      default:
        return nullptr;
    }
  }

  Value* Zero(const Op& op, std::shared_ptr<const Attributes> splat) {
    return module_.NewOp(Opcode::kConstant, {}, op.type(), std::move(splat), op.location)->result();
  }

  // With itself alone in its group a device combines and gathers nothing.
  static Value* Collective(Op& op) {
    if (op.operands.size() != 1 || !(op.operands[0]->type == op.type())) return nullptr;
    for (const std::vector<int64_t>& group : op.Get<CollectiveAttributes>().groups) {
      if (group.size() > 1) return nullptr;
    }
    return op.operands[0];
  }

  // Sent to itself; what nobody sends to is zero.
  Value* Permute(Op& op) {
    const auto& pairs = op.Get<CollectiveAttributes>().groups;
    if (pairs.empty()) return Zero(op, SplatAttributes(op.type().dtype, 0));
    for (const std::vector<int64_t>& pair : pairs) {
      if (pair[0] != 0 || pair[1] != 0) return nullptr;
    }
    return op.operands[0];
  }

  Module& module_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool MapToOneDevice(Module& module) { return OneDeviceMapper(module).Run(); }

}  // namespace plinth::compiler::mapping

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/passes/simplify_rules.h"

// What only means something among several devices, on one.
namespace plinth::compiler {
namespace {

using Context = SimplifyContext;

Value* DeviceNumber(Context& c, Op& op) {
  return c.EmitSplat(op, op.type(), SplatAttributes(DType::kU32, 0));
}

Value* Identity(Context&, Op& op) { return op.operands[0]; }

// With itself alone in its group a device combines and gathers nothing.
Value* Collective(Context&, Op& op) {
  if (op.operands.size() != 1 || !(op.operands[0]->type == op.type())) return nullptr;
  for (const std::vector<int64_t>& group : op.Get<CollectiveAttributes>().groups) {
    if (group.size() > 1) return nullptr;
  }
  return op.operands[0];
}

// Sent to itself; what nobody sends to is zero.
Value* Permute(Context& c, Op& op) {
  const auto& pairs = op.Get<CollectiveAttributes>().groups;
  if (pairs.empty()) return c.EmitSplat(op, op.type(), SplatAttributes(op.type().dtype, 0));
  for (const std::vector<int64_t>& pair : pairs) {
    if (pair[0] != 0 || pair[1] != 0) return nullptr;
  }
  return op.operands[0];
}

template <SimplifyRule rule>
Value* OnOneDevice(Context& c, Op& op) {
  return c.single_device() ? rule(c, op) : nullptr;
}

constexpr SimplifyRow kRows[] = {
    {Opcode::kAllGather, OnOneDevice<Collective>},
    {Opcode::kAllReduce, OnOneDevice<Collective>},
    {Opcode::kAllToAll, OnOneDevice<Collective>},
    {Opcode::kCollectiveBroadcast, OnOneDevice<Collective>},
    {Opcode::kCollectivePermute, OnOneDevice<Permute>},
    {Opcode::kPartitionId, OnOneDevice<DeviceNumber>},
    {Opcode::kReduceScatter, OnOneDevice<Collective>},
    {Opcode::kReplicaId, OnOneDevice<DeviceNumber>},
    {Opcode::kReshard, OnOneDevice<Identity>},
    {Opcode::kShardingConstraint, OnOneDevice<Identity>},
};
constexpr SimplifyRules kRules = RulesByOpcode(kRows);

}  // namespace

SimplifyRule DeviceRuleOf(Opcode opcode) { return kRules[static_cast<size_t>(opcode)]; }

}  // namespace plinth::compiler

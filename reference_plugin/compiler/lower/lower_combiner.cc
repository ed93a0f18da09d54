// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/lower/lower_context.h"

// Regions as scalar code.
namespace plinth::compiler::lower {

Expected<Combiner> MakeCombiner(const LowerContext& context, const Op& op, const Block& block) {
  Combiner combiner;
  std::unordered_map<const Value*, int32_t> node_of;
  auto add = [&](const Value* value, Node node) {
    node.dtype = value->type.dtype;
    node_of[value] = static_cast<int32_t>(combiner.nodes.size());
    combiner.nodes.push_back(node);
  };
  auto refuse = [&](const Op& inner, std::string_view why) {
    return Unimplemented(Describe(op), ": its region has ", Describe(inner), ", ", why);
  };
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    Node node;
    node.kind = NodeKind::kParameter;
    node.index = static_cast<int32_t>(i);
    add(block.arguments[i], node);
  }
  const std::span<Value* const> captures = context.OperandsOf(op).subspan(op.operands.size());
  // A constant of the program around the region is as good as one inside.
  auto find = [&](const Value* value) -> int32_t {
    if (auto found = node_of.find(value); found != node_of.end()) return found->second;
    Node node;
    if (IsScalarConstant(value->op)) {
      node.kind = NodeKind::kConstant;
      node.constant = ConstantBits(*value->op);
    } else {
      const auto found = std::find(captures.begin(), captures.end(), value);
      if (found == captures.end()) return -1;
      node.kind = NodeKind::kParameter;
      node.index = static_cast<int32_t>(block.arguments.size()) +
                   static_cast<int32_t>(found - captures.begin());
    }
    add(value, node);
    return node_of[value];
  };
  for (const Op* inner : block.ops) {
    if (inner->opcode == Opcode::kReturn) break;
    for (const Value* result : inner->results) {
      if (!result->type.IsScalar()) {
        return refuse(*inner, "which makes no scalar");
      }
    }
    if (inner->opcode == Opcode::kConstant) continue;  // Made where it is used.
    Node node;
    node.opcode = inner->opcode;
    for (size_t i = 0; i < inner->operands.size() && i < 3; ++i) {
      node.operands[i] = find(inner->operands[i]);
      if (node.operands[i] < 0) {
        return refuse(*inner,
                      "which uses an array or more than 32 scalars from outside of the region");
      }
    }
    switch (inner->opcode) {
      case Opcode::kReshape:
      case Opcode::kBroadcastInDim:
      case Opcode::kTranspose:
      case Opcode::kOptimizationBarrier:
        for (size_t i = 0; i < inner->results.size(); ++i) {
          int32_t source = find(inner->operands[i]);
          if (source < 0) {
            return refuse(*inner,
                          "which uses an array or more than 32 scalars from outside of the region");
          }
          node_of[inner->results[i]] = source;
        }
        continue;
      case Opcode::kCompare:
        node.compare = inner->Get<CompareAttributes>();
        break;
      case Opcode::kReducePrecision:
        node.reduce_precision = inner->Get<ReducePrecisionAttributes>();
        break;
      default:
        if (!IsElementwise(inner->opcode)) {
          return refuse(*inner, "which is not an elementwise op");
        }
        break;
    }
    node.num_operands = static_cast<uint8_t>(inner->operands.size());
    add(inner->result(), node);
  }
  for (const Value* result : block.terminator()->operands) {
    int32_t node = find(result);
    if (node < 0) {
      return Unimplemented(Describe(op), ": its region returns an array from outside");
    }
    combiner.results.push_back(node);
  }
  return combiner;
}

}  // namespace plinth::compiler::lower

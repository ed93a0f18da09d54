// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/simplify.h"

#include <utility>

#include "reference_plugin/compiler/passes/simplify_rules.h"

namespace plinth::compiler::passes {
namespace {

// Rules make simpler ops of what they find, so chains end; this is for those that would not.
constexpr int kMaxEmitDepth = 8;

}  // namespace

Value* SimplifyContext::Emit(const Op& like, Opcode opcode, std::initializer_list<Value*> operands,
                             Type type, std::shared_ptr<const Attributes> attributes) {
  Op* const op =
      module_.NewOp(opcode, operands, std::move(type), std::move(attributes), like.location);
  if (emit_depth_ < kMaxEmitDepth) {
    ++emit_depth_;
    Value* const simpler = SimplifyOp(*op);
    --emit_depth_;
    if (simpler != nullptr) return simpler;
  }
  out_->push_back(op);
  return op->results[0];
}

Value* SimplifyContext::EmitSplat(const Op& like, const Type& type,
                                  std::shared_ptr<const Attributes> splat) {
  return Emit(like, Opcode::kConstant, {}, type, std::move(splat));
}

Value* SimplifyContext::EmitReshape(const Op& like, Value* operand, const Type& type) {
  if (operand->type == type) return operand;
  return Emit(like, Opcode::kReshape, {operand}, type);
}

Value* SimplifyContext::SimplifyOp(Op& op) {
  if (op.results.size() != 1) return nullptr;
  if (Value* const constant = FoldConstants(*this, op)) return constant;
  for (SimplifyRule rule :
       {ElementwiseRuleOf(op.opcode), NumberRuleOf(op.opcode), PredicateRuleOf(op.opcode),
        InterleaveRuleOf(op.opcode), MovementRuleOf(op.opcode)}) {
    if (rule == nullptr) continue;
    if (Value* const simpler = rule(*this, op)) return simpler;
  }
  return nullptr;
}

// If and case on a constant: the ops of the branch stand for the op.
bool SimplifyContext::SpliceKnownBranch(Op& op) {
  if (op.opcode != Opcode::kIf && op.opcode != Opcode::kCase) return false;
  const std::span<const std::byte> condition = SplatOf(op.operands[0]);
  if (condition.empty()) return false;
  size_t branch = 0;
  if (op.opcode == Opcode::kIf) {
    branch = IsSplat(op.operands[0], 0) ? 1 : 0;
  } else {
    // An index out of range takes the last branch.
    branch = op.blocks.size() - 1;
    for (size_t i = 0; i < op.blocks.size(); ++i) {
      if (IsSplat(op.operands[0], static_cast<double>(i))) branch = i;
    }
  }
  Block& body = *op.blocks[branch];
  SimplifyBlock(body);
  out_->insert(out_->end(), body.ops.begin(), body.ops.end() - 1);
  for (size_t i = 0; i < op.results.size(); ++i) {
    replacements_.Replace(op.results[i], replacements_.Find(body.terminator()->operands[i]));
  }
  return true;
}

// Ops of several results that are known to be other values.
bool SimplifyContext::ReplaceResults(Op& op) {
  if (SpliceKnownBranch(op)) return true;
  if (op.opcode == Opcode::kWhile && IsSplat(op.blocks[0]->terminator()->operands[0], 0)) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      replacements_.Replace(op.results[i], op.operands[i]);
    }
    return true;
  }
  return false;
}

void SimplifyContext::SimplifyBlock(Block& block) {
  const std::vector<Op*> ops = std::exchange(block.ops, {});
  block.ops.reserve(ops.size());
  std::vector<Op*>* const outer = std::exchange(out_, &block.ops);
  for (Op* op : ops) {
    replacements_.FindAll({op->operands.data(), op->operands.size()});
    if (Value* const simpler = SimplifyOp(*op)) {
      replacements_.Replace(op->results[0], simpler);
      changed_ = true;
      continue;
    }
    if (ReplaceResults(*op)) {
      changed_ = true;
      continue;
    }
    for (Block* inner : op->blocks) SimplifyBlock(*inner);
    block.ops.push_back(op);
  }
  out_ = outer;
}

void SimplifyContext::Run(Block& block) {
  SimplifyBlock(block);
  replacements_.Apply(block);
}

bool Simplify(Module& module) {
  SimplifyContext context(module);
  for (Function& function : module.functions) context.Run(*function.body);
  return context.changed();
}

}  // namespace plinth::compiler::passes

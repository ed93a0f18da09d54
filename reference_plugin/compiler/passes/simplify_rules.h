// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_RULES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_RULES_H_

#include <array>
#include <initializer_list>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {

// What a rule may do besides looking at the op. Operands have been looked up already.
class SimplifyContext {
 public:
  explicit SimplifyContext(Module& module) : module_(module) {}

  Module& module() { return module_; }

  // Makes an op before the current one, simplified itself.
  Value* Emit(const Op& like, Opcode opcode, std::initializer_list<Value*> operands, Type type,
              std::shared_ptr<const Attributes> attributes = nullptr);
  // A splat of these bits; the type of the current op's result.
  Value* EmitSplat(const Op& like, const Type& type, std::shared_ptr<const Attributes> splat);
  Value* EmitReshape(const Op& like, Value* operand, const Type& type);

  // A rule has given the current op other operands.
  void SetChanged() { changed_ = true; }

  void Run(Block& block);
  bool changed() const { return changed_; }

 private:
  // What stands for result 0, or null when the op stays.
  Value* SimplifyOp(Op& op);
  void SimplifyBlock(Block& block);
  bool SpliceKnownBranch(Op& op);
  bool ReplaceResults(Op& op);

  Module& module_;
  Replacements replacements_;
  std::vector<Op*>* out_ = nullptr;
  int emit_depth_ = 0;
  bool changed_ = false;
};

// A rule: the value that stands for result 0 of the op, or null when it does not apply.
using SimplifyRule = Value* (*)(SimplifyContext& context, Op& op);

struct SimplifyRow {
  Opcode opcode;
  SimplifyRule rule;
};
using SimplifyRules = std::array<SimplifyRule, kNumOpcodes>;
template <size_t rows>
constexpr SimplifyRules RulesByOpcode(const SimplifyRow (&table)[rows]) {
  SimplifyRules rules{};
  for (const SimplifyRow& row : table) rules[static_cast<size_t>(row.opcode)] = row.rule;
  return rules;
}

// Rules of the op, tried in order; by file.
SimplifyRule ElementwiseRuleOf(Opcode opcode);  // simplify_elementwise.cc
SimplifyRule InterleaveRuleOf(Opcode opcode);   // simplify_interleave.cc
SimplifyRule MovementRuleOf(Opcode opcode);     // simplify_movement.cc
SimplifyRule NumberRuleOf(Opcode opcode);       // simplify_numbers.cc
SimplifyRule PredicateRuleOf(Opcode opcode);    // simplify_predicates.cc

// The constant that an op of constants computes, or null; only what every back end computes with
// the same bits. (fold.cc)
Value* FoldConstants(SimplifyContext& context, Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_SIMPLIFY_RULES_H_

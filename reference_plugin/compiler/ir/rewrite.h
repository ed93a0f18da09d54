// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_REWRITE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_REWRITE_H_

#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"

// What passes share: which values stand for which others, and copies of ops.
namespace plinth::compiler {

// Values that have been replaced by others. Passes walk forward and look operands up as they meet
// them, so no use lists are kept.
class Replacements {
 public:
  // `to` may itself be replaced later; it must not lead back to `from`.
  void Replace(const Value* from, Value* to);
  // What stands for the value now.
  Value* Find(Value* value);
  void FindAll(std::span<Value*> values) {
    for (Value*& value : values) value = Find(value);
  }
  bool empty() const { return to_.empty(); }
  // In all operands within the block and its inner blocks.
  void Apply(Block& block);

 private:
  std::vector<Value*> to_;  // By value id; null: itself.
};

// Copies ops into other blocks of the same module.
class Cloner {
 public:
  explicit Cloner(Module& module) : module_(module) {}
  // Uses of `from` in what is cloned from now on become uses of `to`.
  void Map(const Value* from, Value* to);
  // Nothing is mapped any more.
  void Forget();
  Value* Find(Value* value) const;
  // A copy with the operands' counterparts, whose results are mapped from now on.
  Op* Clone(const Op& op);
  int64_t num_cloned() const { return num_cloned_; }

 private:
  Block* CloneBlock(const Block& block);

  Module& module_;
  std::vector<Value*> to_;       // By value id.
  std::vector<int32_t> mapped_;  // Value ids.
  int64_t num_cloned_ = 0;
};

// The attributes of a constant (of any shape), or null.
inline const ConstantAttributes* ConstantOf(const Value* value) {
  if (value->op == nullptr || value->op->opcode != Opcode::kConstant) return nullptr;
  return &value->op->Get<ConstantAttributes>();
}
// The element that a constant has everywhere; empty when it is not a constant or not a splat.
std::span<const std::byte> SplatOf(const Value* value);
// Whether that element is the number; zeros of either sign are equal.
bool IsSplat(const Value* value, double number);

// The op that is all a region of two scalars does.
std::optional<Opcode> OnlyOpOf(const Block& region);

// Ops whose regions are scalar code that a kernel runs; the others' are control flow.
bool HasScalarRegions(Opcode opcode);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_REWRITE_H_

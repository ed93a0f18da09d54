// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/rewrite.h"

#include <algorithm>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {
namespace {

void SetAt(std::vector<Value*>& table, int32_t id, Value* value) {
  const size_t at = static_cast<size_t>(id);
  if (at >= table.size()) table.resize(std::max(at + 1, table.size() * 2), nullptr);
  table[at] = value;
}

Value* GetAt(const std::vector<Value*>& table, int32_t id) {
  const size_t at = static_cast<size_t>(id);
  return at < table.size() ? table[at] : nullptr;
}

}  // namespace

void Replacements::Replace(const Value* from, Value* to) { SetAt(to_, from->id, to); }

Value* Replacements::Find(Value* value) {
  Value* next = GetAt(to_, value->id);
  if (next == nullptr) return value;
  Value* last = next;
  while (Value* further = GetAt(to_, last->id)) last = further;
  // Shorten the path, so that long chains are walked once.
  while (value != last) {
    next = GetAt(to_, value->id);
    SetAt(to_, value->id, last);
    value = next;
  }
  return last;
}

void Replacements::Apply(Block& block) {
  if (empty()) return;
  for (Op* op : block.ops) {
    FindAll({op->operands.data(), op->operands.size()});
    for (Block* inner : op->blocks) Apply(*inner);
  }
}

void Cloner::Map(const Value* from, Value* to) {
  SetAt(to_, from->id, to);
  mapped_.push_back(from->id);
}

void Cloner::Forget() {
  for (int32_t id : mapped_) to_[static_cast<size_t>(id)] = nullptr;
  mapped_.clear();
}

Value* Cloner::Find(Value* value) const {
  Value* to = GetAt(to_, value->id);
  return to == nullptr ? value : to;
}

Op* Cloner::Clone(const Op& op) {
  ++num_cloned_;
  SmallVector<Value*, 8> operands;
  for (Value* operand : op.operands) operands.push_back(Find(operand));
  std::vector<Type> types;
  types.reserve(op.results.size());
  for (const Value* result : op.results) types.push_back(result->type);
  Op* const copy = module_.NewOp(op.opcode, operands, types, op.attributes, op.location);
  copy->shardings = op.shardings;
  for (const Block* block : op.blocks) {
    Block* const inner = CloneBlock(*block);
    copy->blocks.push_back(inner);
  }
  for (size_t i = 0; i < op.results.size(); ++i) Map(op.results[i], copy->results[i]);
  return copy;
}

Block* Cloner::CloneBlock(const Block& block) {
  Block* const copy = module_.NewBlock();
  for (const Value* argument : block.arguments) {
    Map(argument, module_.NewArgument(copy, argument->type));
  }
  copy->ops.reserve(block.ops.size());
  for (const Op* op : block.ops) copy->ops.push_back(Clone(*op));
  return copy;
}

std::span<const std::byte> SplatOf(const Value* value) {
  const ConstantAttributes* constant = ConstantOf(value);
  if (constant == nullptr) return {};
  const size_t size = static_cast<size_t>(ByteSize(value->type.dtype));
  if (!constant->is_splat && constant->bytes.size() != size) return {};
  return constant->bytes;
}

bool IsSplat(const Value* value, double number) {
  const std::span<const std::byte> element = SplatOf(value);
  return !element.empty() && ElementIs(value->type.dtype, element, number);
}

std::optional<Opcode> OnlyOpOf(const Block& region) {
  if (region.ops.size() != 2 || region.arguments.size() != 2) return std::nullopt;
  const Op& op = *region.ops[0];
  const Value* const a = region.arguments[0];
  const Value* const b = region.arguments[1];
  if (op.operands.size() != 2 || region.terminator()->operands[0] != op.results[0]) {
    return std::nullopt;
  }
  const bool both =
      (op.operands[0] == a && op.operands[1] == b) || (op.operands[0] == b && op.operands[1] == a);
  return both ? std::optional(op.opcode) : std::nullopt;
}

bool HasScalarRegions(Opcode opcode) {
  const Category category = InfoOf(opcode).category;
  return category == Category::kCombining || category == Category::kCollective;
}

}  // namespace plinth::compiler

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/lower_context.h"

#include <algorithm>
#include <cstring>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::lower {
namespace {

// What a region may use from outside.
constexpr size_t kMaxCaptures = 32;

}  // namespace

bool IsScalarConstant(const Op* op) {
  if (op == nullptr || op->opcode != Opcode::kConstant) return false;
  return op->Get<ConstantAttributes>().is_splat || op->type().NumElements() == 1;
}

ScalarBits ConstantBits(const Op& op) {
  std::span<const std::byte> bytes = op.Get<ConstantAttributes>().bytes;
  ScalarBits bits;
  size_t size = std::min<size_t>(bytes.size(), static_cast<size_t>(ByteSize(op.type().dtype)));
  std::memcpy(&bits.low, bytes.data(), std::min<size_t>(size, 8));
  if (size > 8) std::memcpy(&bits.high, bytes.data() + 8, std::min<size_t>(size - 8, 8));
  return bits;
}

LowerContext::LowerContext(const Module& module, const Target& target, const LowerOptions& options)
    : target_(target), options_(options) {
  values_.resize(static_cast<size_t>(module.num_values()));
  positions_.resize(static_cast<size_t>(module.num_ops()), -1);
  schedule_.name = module.name;
  schedule_.donations = module.donations;
}

int32_t LowerContext::CostOf(const Op& op) const {
  if (op.opcode == Opcode::kMap) {
    int32_t cost = 0;
    for (const Op* inner : op.blocks[0]->ops) cost += target_.work.Of(inner->opcode);
    return std::max(cost, 1);
  }
  // Each element comes from a place of its own.
  if (op.opcode == Opcode::kGather) return target_.work.function;
  const bool divides = op.opcode == Opcode::kDivide || op.opcode == Opcode::kRemainder;
  if (divides && InfoOf(op.type().dtype).kind != DTypeClass::kFloat) {
    return target_.work.integer_division;
  }
  return target_.work.Of(op.opcode);
}

bool LowerContext::IsElementGather(const Op& op) const {
  if (op.opcode != Opcode::kGather || !fusion()) return false;
  const auto& gather = op.Get<GatherAttributes>();
  const int64_t indices = static_cast<int64_t>(gather.start_index_map.size());
  return indices > 0 && indices <= target_.kernels.gather_indices &&
         IsGatherIndex(op.operands[1]->type.dtype) && InfoOf(op.type().dtype).bits >= 8 &&
         op.type().NumElements() > 0 && op.type().rank() <= target_.kernels.domain_rank &&
         std::all_of(gather.slice_sizes.begin(), gather.slice_sizes.end(),
                     [](int64_t size) { return size == 1; });
}

void LowerContext::Prepare(const Block& block, int32_t block_number, std::vector<const Op*>& ops) {
  for (const Value* argument : block.arguments) values_[argument->id].block = block_number;
  ops.reserve(block.ops.size());
  for (const Op* op : block.ops) {
    FindCaptures(*op);
    for (const Value* result : op->results) values_[result->id].block = block_number;
    const LowerClass lower_class = ClassOf(*op);
    if (lower_class == LowerClass::kAlias) continue;
    if (lower_class == LowerClass::kView || lower_class == LowerClass::kBarrier) {
      for (size_t i = 0; i < op->results.size(); ++i) {
        const Value* source = op->operands[i];
        if (source->type.kind != Type::Kind::kTensor) continue;
        values_[op->results[i]->id].base = Base(source);
      }
    }
    Position(op) = static_cast<int32_t>(ops.size());
    ops.push_back(op);
  }
}

void LowerContext::FindCaptures(const Op& op) {
  if (!HasScalarRegions(op.opcode)) return;
  SmallVector<Value*, 4> captures;
  auto use = [&](Value* value) {
    const bool is_outside = values_[value->id].block >= 0;  // Regions are not prepared.
    if (!is_outside || value->type.kind != Type::Kind::kTensor || value->type.NumElements() != 1 ||
        IsScalarConstant(value->op)) {
      return;
    }
    if (captures.size() < kMaxCaptures &&
        std::find(captures.begin(), captures.end(), value) == captures.end()) {
      captures.push_back(value);
    }
  };
  for (const Block* block : op.blocks) {
    for (const Op* inner : block->ops) {
      for (Value* operand : inner->operands) use(operand);
    }
  }
  if (captures.empty()) return;
  SmallVector<Value*, 8>& operands = with_captures_[&op];
  operands.assign(op.operands.begin(), op.operands.end());
  for (Value* capture : captures) operands.push_back(capture);
}

std::span<Value* const> LowerContext::OperandsOf(const Op& op) const {
  if (HasScalarRegions(op.opcode)) {
    const auto found = with_captures_.find(&op);
    if (found != with_captures_.end()) return {found->second.data(), found->second.size()};
  }
  return {op.operands.data(), op.operands.size()};
}

int32_t LowerContext::NewArray(const Type& type) {
  plan::ArrayValue& array = schedule_.values.emplace_back();
  array.type = type;
  return static_cast<int32_t>(schedule_.values.size()) - 1;
}

int32_t LowerContext::Number(const Value* value) {
  int32_t& number = values_[value->id].number;
  if (number >= 0) return number;
  if (const Value* base = Base(value); base != value) {
    int32_t source = Number(base);
    if (source < 0) return -1;
    number = NewArray(value->type);
    schedule_.values[number].view_of = source;
    return number;
  }
  const Op* op = value->op;
  if (value->type.kind == Type::Kind::kToken) {
    number = NewArray(value->type);
    schedule_.values[number].constant = MakeAttributes(ConstantAttributes{});
  } else if (op != nullptr && op->opcode == Opcode::kConstant) {
    number = NewArray(value->type);
    schedule_.values[number].constant = op->attributes;
  }
  return number;
}

int32_t LowerContext::TrueConstant() {
  if (true_constant_ >= 0) return true_constant_;
  static constexpr std::byte kTrue[1] = {std::byte{1}};
  ConstantAttributes constant;
  constant.bytes = kTrue;
  true_constant_ = NewArray(Type::Tensor(DType::kPred, {}));
  schedule_.values[true_constant_].constant = MakeAttributes(std::move(constant));
  return true_constant_;
}

}  // namespace plinth::compiler::lower

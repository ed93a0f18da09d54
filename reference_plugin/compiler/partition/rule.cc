// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/rule.h"

#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/partition/rule_functions.h"

namespace plinth::compiler::partition {
namespace {

struct ShardingRow {
  ShardingClass sharding;
  Rule (*factors)(const Op& op);  // kFactors
};

constexpr ShardingRow kShardingRows[] = {
#include "reference_plugin/ops/sharding_rows.inc"
};
static_assert(std::size(kShardingRows) == kNumOpcodes);

Rule ElementwiseFactors(const Op& op) {
  RuleBuilder builder(op);
  if (op.results.empty() || op.results[0]->type.kind != Type::Kind::kTensor) return Rule();
  const Dims& shape = op.results[0]->type.dims;
  // A collective may have several arrays.
  const auto has_other_shape = [&](const Value* value) {
    return !value->type.dims.empty() && !(value->type.dims == shape);
  };
  if (std::any_of(op.operands.begin(), op.operands.end(), has_other_shape) ||
      std::any_of(op.results.begin(), op.results.end(), has_other_shape)) {
    return Rule();
  }
  builder.AddShape(shape);
  return std::move(builder).Build();
}

// i, j, ..., z, z_1, z_2, ...
std::string FactorName(int32_t factor) {
  constexpr int32_t kLast = 'z' - 'i';
  std::string name(1, static_cast<char>('i' + std::min(factor, kLast)));
  return factor <= kLast ? name : StrCat(name, "_", factor - kLast);
}

std::string ToString(const std::vector<TensorFactors>& tensors) {
  std::string text = "(";
  for (const TensorFactors& tensor : tensors) {
    text += text.size() > 1 ? ", [" : "[";
    for (size_t i = 0; i < tensor.size(); ++i) {
      if (i > 0) text += ", ";
      for (int32_t factor : tensor[i]) text += FactorName(factor);
    }
    text += "]";
  }
  return text + ")";
}

}  // namespace

RuleBuilder::RuleBuilder(const Op& op) {
  size_t most = 0;  // dimensions
  const auto tensors = [&](std::span<Value* const> values, std::vector<TensorFactors>& list) {
    list.reserve(values.size());
    for (const Value* value : values) {
      const bool is_tensor = value->type.kind == Type::Kind::kTensor;
      list.emplace_back(is_tensor ? value->type.dims.size() : 0);
      most = std::max(most, list.back().size());
    }
  };
  tensors(op.operands, rule_.operands);
  tensors(op.results, rule_.results);
  rule_.factors.reserve(most + 1);
}

int32_t RuleBuilder::NewFactor(int64_t size, Factor like) {
  like.size = size;
  rule_.factors.push_back(like);
  return static_cast<int32_t>(rule_.factors.size()) - 1;
}

void RuleBuilder::AddTo(TensorFactors& tensor, int64_t dim, int32_t factor) {
  if (tensor.empty()) return;
  tensor[static_cast<size_t>(dim)].push_back(factor);
}

void RuleBuilder::Add(Dims operands, Dims results, int64_t size, Factor like) {
  const int32_t factor = NewFactor(size, like);
  const auto add = [&](std::vector<TensorFactors>& tensors, Dims dims) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (dims[i] == kNoDim) continue;
      DimFactors& factors = tensors[i][static_cast<size_t>(dims[i])];
      if (size != 1 || factors.empty()) factors.push_back(factor);
    }
  };
  add(rule_.operands, operands);
  add(rule_.results, results);
}

void RuleBuilder::AddToAll(int64_t dim, int64_t size, Factor like) {
  const int32_t factor = NewFactor(size, like);
  for (TensorFactors& tensor : rule_.operands) AddTo(tensor, dim, factor);
  for (TensorFactors& tensor : rule_.results) AddTo(tensor, dim, factor);
}

void RuleBuilder::AddToOperands(int64_t dim, int64_t size, Factor like) {
  const int32_t factor = NewFactor(size, like);
  for (TensorFactors& tensor : rule_.operands) AddTo(tensor, dim, factor);
}

void RuleBuilder::AddToResults(int64_t dim, int64_t size, Factor like) {
  const int32_t factor = NewFactor(size, like);
  for (TensorFactors& tensor : rule_.results) AddTo(tensor, dim, factor);
}

Rule RuleBuilder::Build() && {
  const auto fill = [&](std::vector<TensorFactors>& tensors) {
    for (TensorFactors& tensor : tensors) {
      for (DimFactors& dim : tensor) {
        if (dim.empty()) dim.push_back(NewFactor(1, {}));
      }
    }
  };
  fill(rule_.operands);
  fill(rule_.results);
  return std::move(rule_);
}

ShardingClass ShardingClassOf(Opcode opcode) {
  return kShardingRows[static_cast<size_t>(opcode)].sharding;
}

Rule RuleOf(const Op& op) {
  const ShardingRow& row = kShardingRows[static_cast<size_t>(op.opcode)];
  if (row.factors != nullptr) return row.factors(op);
  return row.sharding == ShardingClass::kElementwise ? ElementwiseFactors(op) : Rule();
}

bool IsCommonCombiner(Opcode combiner) {
  switch (combiner) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
      return true;
    default:
      return false;
  }
}

std::string ToString(const Rule& rule) {
  std::string text = StrCat(ToString(rule.operands), "->", ToString(rule.results), " {");
  for (size_t i = 0; i < rule.factors.size(); ++i) {
    text +=
        StrCat(i == 0 ? "" : ", ", FactorName(static_cast<int32_t>(i)), "=", rule.factors[i].size);
  }
  text += "}";
  const auto list = [&](std::string_view name, auto has) {
    std::string names;
    for (size_t i = 0; i < rule.factors.size(); ++i) {
      if (!has(rule.factors[i])) continue;
      names += StrCat(names.empty() ? "" : ", ", FactorName(static_cast<int32_t>(i)));
    }
    if (!names.empty()) text += StrCat(" ", name, "={", names, "}");
  };
  const auto of_kind = [](FactorKind kind) {
    return [kind](const Factor& factor) { return factor.kind == kind; };
  };
  list("reduction", of_kind(FactorKind::kReduction));
  list("need_replication", of_kind(FactorKind::kNeedReplication));
  list("permutation", of_kind(FactorKind::kPermutation));
  list("blocked_propagation", [](const Factor& factor) { return factor.is_blocked; });
  return text;
}

}  // namespace plinth::compiler::partition

// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/known.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "reference_plugin/compiler/partition/hash.h"
#include "reference_plugin/compiler/partition/local_op.h"

namespace plinth::compiler::partition {
namespace {

size_t HashOf(const Rule& rule) {
  Hash hash;
  hash.Add(rule.operands.size());
  for (const Factor& factor : rule.factors) {
    hash.Add(static_cast<size_t>(factor.size));
    hash.Add(static_cast<size_t>(factor.kind));
  }
  for (const auto* tensors : {&rule.operands, &rule.results}) {
    for (const TensorFactors& tensor : *tensors) {
      for (const DimFactors& dim : tensor) hash.Add(static_cast<size_t>(dim[0]));
    }
  }
  return hash.value();
}

// Of what the rule of an elementwise op depends on.
size_t HashOfShapes(const Op& op) {
  Hash hash;
  hash.Add(op.operands.size());
  hash.Add(op.results.size());
  for (const Value* operand : op.operands) hash.Add(operand->type.dims.size());
  for (int64_t dim : op.type().dims) hash.Add(static_cast<size_t>(dim));
  return hash.value();
}

// Whether attributes and shapes are all that the rule of such an op depends on.
bool FollowsFromShapes(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcastInDim:
    case Opcode::kDotGeneral:
    case Opcode::kReduce:
    case Opcode::kReshape:
    case Opcode::kTranspose:
      return true;
    default:
      return false;
  }
}

bool HaveOneRule(const Op& a, const Op& b) {
  const auto have_same_shape = [](const Value* x, const Value* y) {
    return x->type.dims == y->type.dims;
  };
  return a.opcode == b.opcode &&
         std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(), b.operands.end(),
                    have_same_shape) &&
         std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(),
                    have_same_shape) &&
         (a.attributes == b.attributes ||
          (a.attributes != nullptr && b.attributes != nullptr && *a.attributes == *b.attributes));
}

// Whether this, which is the rule of an elementwise op, is that of another, too.
bool IsRuleOf(const Rule& rule, const Op& op) {
  const Dims& shape = op.type().dims;
  const auto fit = [&](std::span<Value* const> values, const std::vector<TensorFactors>& tensors) {
    return std::equal(values.begin(), values.end(), tensors.begin(), tensors.end(),
                      [&](const Value* value, const TensorFactors& tensor) {
                        return value->type.dims.size() == tensor.size() &&
                               (tensor.empty() || value->type.dims == shape);
                      });
  };
  return std::equal(shape.begin(), shape.end(), rule.factors.begin(), rule.factors.end(),
                    [](int64_t dim, const Factor& factor) { return dim == factor.size; }) &&
         fit(op.operands, rule.operands) && fit(op.results, rule.results);
}

}  // namespace

OpRules::Rules& OpRules::Make(const Op& op) {
  const bool may_share = ShardingClassOf(op.opcode) == ShardingClass::kElementwise &&
                         !op.results.empty() && op.type().kind == Type::Kind::kTensor;
  const size_t hash = may_share ? HashOfShapes(op) : 0;
  if (may_share) {
    const auto [first, last] = elementwise_.equal_range(hash);
    const auto found = std::find_if(
        first, last, [&](const auto& known) { return IsRuleOf(*known.second->propagated, op); });
    if (found != last) return *found->second;
  }
  Rules& made = made_.emplace_back();
  made.propagated = &Find(op);
  if (may_share && !made.propagated->empty()) elementwise_.emplace(hash, &made);
  return made;
}

void OpRules::MakeLocal(const Op& op, Rules& rules) {
  std::optional<Rule> other = OtherLocalRule(op, *rules.propagated);
  rules.local = other.has_value() ? &Known(*std::move(other)) : rules.propagated;
  if (!rules.local->empty()) rules.spreadable = SpreadableFactors(op, *rules.local);
}

const Rule& OpRules::Find(const Op& op) {
  if (!FollowsFromShapes(op.opcode)) return Known(RuleOf(op));
  Hash hash;
  hash.Add(static_cast<size_t>(op.opcode));
  for (const Value* operand : op.operands) {
    for (int64_t dim : operand->type.dims) hash.Add(static_cast<size_t>(dim));
  }
  const auto [first, last] = alike_.equal_range(hash.value());
  const auto found = std::find_if(
      first, last, [&](const auto& known) { return HaveOneRule(*known.second.first, op); });
  if (found != last) return *found->second.second;
  const Rule& rule = Known(RuleOf(op));
  alike_.emplace(hash.value(), std::pair(&op, &rule));
  return rule;
}

const Rule& OpRules::Known(Rule rule) {
  const size_t hash = HashOf(rule);
  const auto [first, last] = rules_.equal_range(hash);
  const auto found =
      std::find_if(first, last, [&](const auto& known) { return known.second == rule; });
  return found != last ? found->second : rules_.emplace(hash, std::move(rule))->second;
}

const Layout& WantedLayouts::Find(const Value* value) const {
  const ShardingRef& sharding = shardings_.Of(value);
  const Dims& dims = value->type.dims;
  Hash hash;
  hash.Add(sharding.get());
  for (int64_t dim : dims) hash.Add(static_cast<size_t>(dim));
  const auto [first, last] = known_.equal_range(hash.value());
  const auto found = std::find_if(first, last, [&](const auto& known) {
    return known.second.sharding == sharding && known.second.dims == dims;
  });
  if (found != last) return *found->second.layout;
  const Layout& layout = table_.Find(LayoutOf(sharding.get(), value->type));
  known_.emplace(hash.value(), Known{sharding, dims, &layout});
  return layout;
}

}  // namespace plinth::compiler::partition
